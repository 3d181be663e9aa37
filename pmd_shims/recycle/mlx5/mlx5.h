/* Queues of net_mlx5: field offsets by DPDK release, how mbufs are armed in its Rx ring and sent ones are taken out of its Tx ring. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/rearm_check.h"
#include "pmd_shims/recycle/shim.h"

#include <rte_atomic.h>
#include <rte_branch_prediction.h>
#include <rte_byteorder.h>

enum {
	MLX5_LOOKS_AHEAD = 4, /* slots beyond the armed ones that the vector function writes to */
	MLX5_SEGMENT = 16,    /* bytes of a receive element */
	MLX5_KEYS = 2,        /* entries for one memory region; with more the keys would differ */
};

/* The functions of its queues. */
extern const struct shim_rx_ops mlx5_rx_ops;
/* For a pool in several memory regions: arms by keys, and reports failure where a buffer has none. */
extern const struct shim_rx_ops mlx5_keyed_rx_ops;
extern const struct shim_tx_ops mlx5_tx_ops;

/* Byte offsets in the driver's Rx queue. */
#define MLX5_RX_FIELDS(F) \
	F(doorbell, 8, "pointer to the doorbell record, which the NIC reads") \
	F(port, 2, "ethdev's port number") \
	F(armed, 4, "32 bits: number of slots armed so far") \
	F(received, 4, "32 bits: number of packets received so far") \
	F(refill, 2, "number of slots that the driver arms at a time") \
	F(keys, 2, "number of known memory regions, plus 1") \
	F(elements, 8, "pointer to the receive elements, which the NIC reads") \
	F(slots, 8, "pointer to the mbufs, by slot") \
	F(pool, 8, "its mempool") \
	F(queue, 2, "ethdev's queue number") \
	F(fake, 128, "the driver's dummy mbuf") \
	F(cqes, 8, "pointer to the completions") \
	F(cq_doorbell, 8, "pointer to the completions' doorbell record") \
	F(unpacked, 2, "number of packets of a compressed completion that were not returned yet") \
	F(byte_mask, 4, "32 bits; 0: completions are not compressed") \
	F(stats, 16, "packets and bytes received so far, 64 bits each") \
	F(completions, 3, "number of completions read so far") \
	F(completion_bits, 0, "width of completions in bits; 0: it does not begin with a byte")

struct mlx5_rx_layout {
	struct shim_releases releases;
	MLX5_RX_FIELDS(SHIM_FIELD)
};

enum { MLX5_RX_ROWS(SHIM_ROW_ID) };
enum { MLX5_RX_ROW_BUILT = MLX5_RX_ROWS(SHIM_ROW_BUILT) };

static const struct mlx5_rx_layout mlx5_rx_layouts[] = { MLX5_RX_ROWS(SHIM_ROW) };

/* The layout of the DPDK release at compile time. */
#define MLX5_RX_BUILT (&mlx5_rx_layouts[MLX5_RX_ROW_BUILT])

/* Two words of 32 bits that all releases have at these offsets, which devtools/layouts checks. */
enum { MLX5_SIZES = 0, MLX5_FORMATS = 4 };

/* Bit fields of these words; macros, because bit 31 does not fit an enum. */
#define MLX5_SEGMENTS (UINT32_C(7) << 5) /* log2 of segments per packet */
#define MLX5_CQ_SIZE_AT 8                /* log2 of completions, after the shift */
#define MLX5_SIZE_AT 12                  /* log2 of elements ... */
#define MLX5_SIZE_MASK UINT32_C(0xf)     /* ... after the shift */
#define MLX5_STRIDES (UINT32_C(0x1f) << 18)
#define MLX5_ERROR (UINT32_C(3) << 28)
#define MLX5_LRO (UINT32_C(1) << 31)
#define MLX5_UNSUPPORTED (MLX5_SEGMENTS | MLX5_STRIDES | MLX5_ERROR | MLX5_LRO)
#define MLX5_FORMAT (UINT32_C(7) << 1) /* of compressed completions; 0: they have a hash */

static inline uint32_t
mlx5_u32(const void *queue, uint16_t offset)
{
	return *(const uint32_t *)shim_at(queue, offset);
}

/* True if a pointer of a queue can be followed: libibverbs has memory of its own. Thread: control. */
static inline bool
mlx5_readable(const void *p, size_t n)
{
	return shim_owned(p, n) || shim_register(p);
}

static inline uint16_t
mlx5_rx_size(const void *rxq)
{
	return (uint16_t)(1u << (mlx5_u32(rxq, MLX5_SIZES) >> MLX5_SIZE_AT & MLX5_SIZE_MASK));
}

/*
 * True if compressed completions come without a hash. Unpacking these overwrites 32 bits of
 * ol_flags.
 */
static inline bool
mlx5_rx_hashless(const void *rxq)
{
	return (mlx5_u32(rxq, MLX5_FORMATS) & MLX5_FORMAT) != 0;
}

/* Number of armed slots without a received packet; the counters wrap freely. */
static inline uint16_t
mlx5_rx_armed(const void *rxq, const struct mlx5_rx_layout *l)
{
	return (uint16_t)(mlx5_u32(rxq, l->armed) - mlx5_u32(rxq, l->received));
}

/* A shim_rx_hide: the driver waits until more slots are free than the ring has. */
static __rte_always_inline uint16_t
mlx5_hide(const struct shim_rx *rx, const struct mlx5_rx_layout *l, struct shim_hidden *hidden)
{
	hidden->n = shim_u16(rx->rxq, l->refill);
	hidden->received = mlx5_u32(rx->rxq, l->received);
	shim_u16_set(rx->rxq, l->refill, UINT16_MAX);
	return mlx5_rx_size(rx->rxq) - mlx5_rx_armed(rx->rxq, l);
}

/* A shim_rx_unhide. */
static __rte_always_inline uint16_t
mlx5_unhide(const struct shim_rx *rx, const struct mlx5_rx_layout *l, struct shim_hidden *hidden)
{
	if (unlikely(hidden->n == 0))
		return 0;
	shim_u16_set(rx->rxq, l->refill, hidden->n);
	hidden->n = 0;
	return (uint16_t)(mlx5_u32(rx->rxq, l->received) - hidden->received);
}

/* The free slots to arm in one piece: at most up to the ring's end. */
static __rte_always_inline uint16_t
mlx5_open_room(const struct shim_rx *rx, const struct mlx5_rx_layout *l, uint16_t shut)
{
	uint16_t size = mlx5_rx_size(rx->rxq), open = size - mlx5_rx_armed(rx->rxq, l);
	uint16_t to_end = size - (mlx5_u32(rx->rxq, l->armed) & (size - 1u));

	if (open <= shut + MLX5_LOOKS_AHEAD)
		return 0;
	return RTE_MIN(open - shut - MLX5_LOOKS_AHEAD, to_end);
}

/*
 * A shim_rx_room for a pool in a single memory region. If the driver finds another region later,
 * nothing is armed any more and rx_closed() reports why.
 */
static __rte_always_inline uint16_t
mlx5_room(const struct shim_rx *rx, const struct mlx5_rx_layout *l, uint16_t shut)
{
	return shim_u16(rx->rxq, l->keys) > MLX5_KEYS ? 0 : mlx5_open_room(rx, l, shut);
}

/*
 * A shim_rx_park_dummy: the vector function writes to the mbufs of MLX5_LOOKS_AHEAD slots beyond
 * the armed ones. The ring has as many slots more than its size.
 */
static __rte_always_inline void
mlx5_park_dummy(const struct shim_rx *rx, const struct mlx5_rx_layout *l)
{
	uint16_t next = mlx5_u32(rx->rxq, l->armed) & (mlx5_rx_size(rx->rxq) - 1u);
	struct rte_mbuf **slot = (struct rte_mbuf **)shim_pointer(rx->rxq, l->slots) + next;

	for (unsigned int i = 0; i < MLX5_LOOKS_AHEAD; i++)
		slot[i] = shim_at(rx->rxq, l->fake);
}

/* Tell the NIC how many slots are armed, whose elements were written before. */
static __rte_always_inline void
mlx5_armed_set(const struct shim_rx *rx, const struct mlx5_rx_layout *l, uint32_t armed)
{
	uint32_t *const doorbell = shim_pointer(rx->rxq, l->doorbell);

	*(uint32_t *)shim_at(rx->rxq, l->armed) = armed;
	mlx5_park_dummy(rx, l);
	rte_io_wmb();
	*(volatile uint32_t *)doorbell = rte_cpu_to_be_32(armed);
}

/* A shim_rx_arm. */
static __rte_always_inline bool
mlx5_arm(const struct shim_rx *rx, const struct mlx5_rx_layout *l, const struct shim_mbufs *mbufs,
	bool sure)
{
	uint32_t armed = mlx5_u32(rx->rxq, l->armed);
	uint16_t at = armed & (mlx5_rx_size(rx->rxq) - 1u);
	struct rte_mbuf **slot = (struct rte_mbuf **)shim_pointer(rx->rxq, l->slots) + at;
	char *element = (char *)shim_pointer(rx->rxq, l->elements) + at * MLX5_SEGMENT;
	struct rearm_check check = rearm_check_begin(rx->pool);
	const struct shim_mbufs from = *mbufs;

	for (uint16_t i = 0; i < from.n; i++) {
		struct rte_mbuf *m = shim_mbuf(&from, i);
		uint64_t address = rearm_check_mbuf(&check, m)[0] + RTE_PKTMBUF_HEADROOM;

		slot[i] = m;
		*(volatile uint64_t *)(void *)(element + i * MLX5_SEGMENT + 8) =
			rte_cpu_to_be_64(address);
	}
	if (unlikely(!sure && !rearm_check_passed(&check)))
		return false;
	mlx5_armed_set(rx, l, armed + mbufs->n);
	return true;
}

/* Tx queue of net_mlx5: field offsets by DPDK release, and how sent mbufs are taken out of its
 * ring. */

enum {
	MLX5_CQES_MAX = 16,             /* completions read in one call */
	MLX5_CQE = RTE_CACHE_LINE_SIZE, /* bytes of a completion, whose fields are at its end */
	MLX5_SHORTEST = 60,             /* bytes of a packet; a NIC may need a few bytes inline */
};

/* Byte offsets in the driver's Tx queue. */
#define MLX5_TX_FIELDS(F) \
	F(head, 2, "number of mbufs given to the NIC so far") \
	F(tail, 2, "number of mbufs freed so far") \
	F(size, 2, "slots of the ring of mbufs") \
	F(mask, 2, "size - 1") \
	F(freed_wqe, 2, "number of work queue elements freed so far") \
	F(done, 2, "number of completions read so far") \
	F(owner, 2, "size of the completion ring") \
	F(cqe_mask, 2, "owner - 1") \
	F(heads, 8, "pointer to the head at each completion") \
	F(cqes, 8, "pointer to the completions") \
	F(doorbell, 8, "pointer to the doorbell record, which the NIC reads") \
	F(port, 2, "ethdev's port number") \
	F(queue, 2, "ethdev's queue number") \
	F(slots, 8, "the ring of mbufs itself") \
	F(wqe_size, 2, "number of work queue blocks") \
	F(wqe_mask, 2, "wqe_size - 1") \
	F(asked, 2, "head at the last request for a completion") \
	F(wqe_next, 2, "number of work queue blocks written so far") \
	F(cqe_next, 2, "number of completions requested so far") \
	F(inline_send, 2, "bytes of a packet that may be inline; 0: data is never inline") \
	F(inline_least, 2, "bytes of a packet that have to be inline") \
	F(number, 4, "the NIC's number of the queue, times 256") \
	F(wqes, 8, "pointer to the work queue blocks") \
	F(wqe_doorbell, 8, "pointer to the work queue's doorbell record") \
	F(stats, 16, "packets and bytes sent so far, 64 bits each") \
	F(key_age, 4, "32 bits: age of the keys of memory regions") \
	F(newest, 8, "pointer to the age of the device's memory regions") \
	F(keys, 160, "known memory regions: begin, end, key") \
	F(key_bytes, 0, "bytes of an entry of keys") \
	F(flags, 1, "byte with the next two bits") \
	F(unbuffered, 0, "writes to the queue's register are not buffered") \
	F(heuristic, 0, "wait for them unless a burst is whole") \
	F(port_bytes, 0, "bytes of ethdev's struct of a port") \
	F(process, 0, "in it, the pointer to the driver's struct of this process") \
	F(registers, 0, "in that, the pointers to registers by queue")

struct mlx5_tx_layout {
	struct shim_releases releases;
	MLX5_TX_FIELDS(SHIM_FIELD)
};

enum { MLX5_TX_ROWS(SHIM_ROW_ID) };
enum { MLX5_TX_ROW_BUILT = MLX5_TX_ROWS(SHIM_ROW_BUILT) };

static const struct mlx5_tx_layout mlx5_tx_layouts[] = { MLX5_TX_ROWS(SHIM_ROW) };

/* The layout of the DPDK release at compile time. */
#define MLX5_TX_BUILT (&mlx5_tx_layouts[MLX5_TX_ROW_BUILT])

/*
 * The number of mbufs sent according to the first done completions. If the last one was an error,
 * the driver has freed all mbufs and counts from 0 again, and heads has an old number.
 */
static __rte_always_inline uint16_t
mlx5_end(const struct shim_tx *tx, const struct mlx5_tx_layout *l, uint16_t done)
{
	const volatile uint8_t *last = (const volatile uint8_t *)shim_pointer(tx->txq, l->cqes) +
		((done - 1) & shim_u16(tx->txq, l->cqe_mask)) * MLX5_CQE;

	if (unlikely(last[MLX5_CQE - 1] >> 4 >= 0xd))
		return shim_u16(tx->txq, l->tail);
	return ((const uint16_t *)shim_pointer(tx->txq,
		l->heads))[(uint16_t)(done - 1) & shim_u16(tx->txq, l->cqe_mask)];
}

/*
 * Read completions in place of the driver, which would free all sent mbufs whenever it finds one;
 * so sent mbufs without a free Rx slot can wait in the Tx ring. If half of the ring waits, further
 * completions are left to the driver, as are errors. Returns the number of mbufs sent so far.
 */
static __rte_always_inline uint16_t
mlx5_sent_end(const struct shim_tx *tx, const struct mlx5_tx_layout *l)
{
	const uint16_t owner = shim_u16(tx->txq, l->owner), mask = shim_u16(tx->txq, l->cqe_mask),
		       tail = shim_u16(tx->txq, l->tail), most = shim_u16(tx->txq, l->size) / 2;
	uint16_t done = shim_u16(tx->txq, l->done), before = done;
	const volatile uint8_t *cqe = NULL;

	while ((uint16_t)(done - before) < MLX5_CQES_MAX &&
		(uint16_t)(mlx5_end(tx, l, done) - tail) < most) {
		const volatile uint8_t *next =
			(const volatile uint8_t *)shim_pointer(tx->txq, l->cqes) +
			(done & mask) * MLX5_CQE;
		uint8_t state = next[MLX5_CQE - 1], opcode = state >> 4;

		/* Opcode 0xf: never written; 0xd and 0xe: errors. */
		if ((state & 1) != ((done & owner) != 0) || opcode >= 0xd)
			break;
		cqe = next;
		done++;
	}
	if (cqe != NULL) {
		rte_io_rmb();
		shim_u16_set(tx->txq, l->done, done);
		rte_compiler_barrier();
		*(volatile uint32_t *)shim_pointer(tx->txq, l->doorbell) = rte_cpu_to_be_32(done);
		shim_u16_set(tx->txq, l->freed_wqe,
			rte_be_to_cpu_16(*(const volatile uint16_t *)(const volatile void *)(cqe +
				MLX5_CQE - 4)));
	}
	return mlx5_end(tx, l, done);
}

/* A shim_tx_sent. Up to tx->wanted mbufs that wrap around the ring's end are copied to tx->list. */
static __rte_always_inline struct shim_mbufs
mlx5_sent(const struct shim_tx *tx, const struct mlx5_tx_layout *l)
{
	uint16_t tail = shim_u16(tx->txq, l->tail), mask = shim_u16(tx->txq, l->mask),
		 at = tail & mask, to_end = shim_u16(tx->txq, l->size) - at,
		 n = mlx5_sent_end(tx, l) - tail;
	struct rte_mbuf *const *slots = shim_at(tx->txq, l->slots);

	if (likely(n <= to_end || to_end >= tx->wanted))
		return (struct shim_mbufs){ .first = slots + at,
			.stride = sizeof(void *),
			.n = RTE_MIN(n, to_end) };
	n = RTE_MIN(n, tx->wanted);
	for (uint16_t i = 0; i < n; i++)
		tx->list[i] = slots[(at + i) & mask];
	return (struct shim_mbufs){ .first = tx->list, .stride = sizeof(void *), .n = n };
}

/* A shim_tx_taken. */
static __rte_always_inline void
mlx5_taken(const struct shim_tx *tx, const struct mlx5_tx_layout *l, const struct shim_mbufs *mbufs)
{
	shim_u16_set(tx->txq, l->tail, shim_u16(tx->txq, l->tail) + mbufs->n);
}
