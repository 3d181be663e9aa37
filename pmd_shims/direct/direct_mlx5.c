/* Receive and transmit without mbufs on queues of net_mlx5. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/direct/direct_mlx5.h"

#include "base/base.h"
#include "base/err.h"
#include "pmd_shims/direct/direct_proof.h"
#include "pmd_shims/direct/direct_rearm.h"
#include "pmd_shims/recycle/mlx5/mlx5.h"

#include <rte_bitops.h>
#include <rte_io.h>
#include <rte_mbuf_dyn.h>

#include <errno.h>
#include <string.h>

/* NVIDIA Adapters Programmer's Reference Manual, "Completion Queue" and "Work Queue Element". */
enum {
	COMPRESSED = 3 << 2, /* format: the completions of several packets in one */
	FORMAT = 3 << 2,
	ERROR = 0xd, /* this opcode and the next one */
	NEVER_WRITTEN = 0xf,
	BYTES_AT = MLX5_CQE - 20, /* 32 bits, big endian: the packet's length */

	BLOCK = 64, /* work queue elements are multiples of it, and counted in it */
	SEGMENT = 16,
	SEGMENTS = BLOCK / SEGMENT,
	TITLE = 2, /* segments of an element before the first packet: control and Ethernet */
	SEND = 0x0a,
	MULTI_PACKET = 0x29,
	REPORT_ERRORS = 1 << 2,
	REPORT = 2 << 2,

	/* As the driver: packets from one request for a completion to the next, and per element. */
	REPORT_AFTER = 32,
	PACKETS_MAX = 32,
	/* Packets after which the next ones are expected at once. */
	WHOLE_BURST = 64,
	KEYS_MAX = 8, /* entries of the queue's table of memory regions */

	/* Bits of the driver's number of completions. */
	COUNT_BITS = 32,
	COUNT_BITS_FIELD = 24,
	COUNT_MASK = (1 << COUNT_BITS_FIELD) - 1,
};

#define NO_KEY UINT32_MAX

/* The ports of ethdev, of which drivers keep the registers of this process. */
extern char rte_eth_devices[];

static inline uint64_t
u64(const void *queue, uint16_t offset)
{
	uint64_t value;

	memcpy(&value, shim_at(queue, offset), sizeof(value));
	return value;
}

/* Add to the two counters that the driver makes the port's statistics of. */
static inline void
stats_add(void *queue, uint16_t stats, uint16_t packets, uint64_t bytes)
{
	uint64_t *count = shim_at(queue, stats);

	count[0] += packets;
	count[1] += bytes;
}

static inline const volatile uint8_t *
completion(const void *cqes, uint32_t number, uint32_t mask)
{
	return (const volatile uint8_t *)cqes + (size_t)(number & mask) * MLX5_CQE;
}

/* Opcode, format, and the round of the ring in which it was written. */
static inline uint8_t
completion_state(const volatile uint8_t *cqe)
{
	return cqe[MLX5_CQE - 1];
}

/* True if the NIC has written it in this round of the ring. size: of the ring, a power of 2. */
static inline bool
completion_done(uint8_t state, uint32_t number, uint32_t size)
{
	return (state & 1) == ((number & size) != 0) && state >> 4 != NEVER_WRITTEN;
}

/* True if one that is done is of one packet, without an error. */
static inline bool
completion_plain(uint8_t state)
{
	return state >> 4 < ERROR && (state & FORMAT) != COMPRESSED;
}

/* The number of completions that the driver has read; later releases keep it in a bit field. */
static __rte_always_inline uint32_t
completions_mask(const struct mlx5_rx_layout *l)
{
	return l->completion_bits == COUNT_BITS ? UINT32_MAX : COUNT_MASK;
}

static __rte_always_inline uint32_t
completions_read(const void *rxq, const struct mlx5_rx_layout *l)
{
	return mlx5_u32(rxq, l->completions) & completions_mask(l);
}

/* Returns the number as the queue keeps it. The byte after a bit field is not touched. */
static __rte_always_inline uint32_t
completions_set(void *rxq, const struct mlx5_rx_layout *l, uint32_t n)
{
	n &= completions_mask(l);
	if (l->completion_bits == COUNT_BITS) {
		*(uint32_t *)shim_at(rxq, l->completions) = n;
	} else {
		*(uint16_t *)shim_at(rxq, l->completions) = (uint16_t)n;
		*(uint8_t *)shim_at(rxq, l->completions + 2) = (uint8_t)(n >> 16);
	}
	return n;
}

static inline uint32_t
cq_size(const void *rxq)
{
	return UINT32_C(1) << (mlx5_u32(rxq, MLX5_SIZES) >> MLX5_CQ_SIZE_AT & MLX5_SIZE_MASK);
}

/*
 * A direct_open, over the ring's end too. As the driver, which keeps slots free that its vector function
 * may write to.
 */
static __rte_always_inline uint16_t
rx_open(const struct direct *d, const struct mlx5_rx_layout *l)
{
	const uint16_t open = d->from.size - mlx5_rx_armed(d->from.rxq, l);

	return open > MLX5_LOOKS_AHEAD && shim_u16(d->from.rxq, l->keys) <= MLX5_KEYS
		? open - MLX5_LOOKS_AHEAD
		: 0;
}

/* A direct_arm. The keys in the elements are those that the driver wrote once. */
static __rte_always_inline void
rx_arm(struct direct *d, const struct mlx5_rx_layout *l)
{
	void *rxq = d->from.rxq;
	const uint16_t mask = d->from.size - 1, n = d->sent.n;
	struct rte_mbuf **slots = shim_pointer(rxq, l->slots);
	char *elements = shim_pointer(rxq, l->elements);
	uint32_t armed = mlx5_u32(rxq, l->armed);

	for (uint16_t i = 0; i < n; i++, armed++) {
		struct rte_mbuf *m = shim_mbuf(&d->sent, i);

		slots[armed & mask] = m;
		*(volatile uint64_t *)(void *)(elements + (armed & mask) * MLX5_SEGMENT + 8) =
			rte_cpu_to_be_64((uintptr_t)m + d->data_at);
	}
	*(uint32_t *)shim_at(rxq, l->armed) = armed;
	mlx5_park_dummy(&d->from, l);
	rte_io_wmb();
	*(volatile uint32_t *)shim_pointer(rxq, l->doorbell) = rte_cpu_to_be_32(armed);
}

/* Receive plain completions, at most max and what can be sent. The others are the driver's. */
static __rte_always_inline uint16_t
take_done(struct direct *d, struct direct_pkt *pkts, uint16_t max, const struct mlx5_rx_layout *l)
{
	void *rxq = d->from.rxq;
	const void *cqes = shim_pointer(rxq, l->cqes);
	struct rte_mbuf *const *slots = shim_pointer(rxq, l->slots);
	const uint16_t mask = d->from.size - 1;
	const uint32_t size = cq_size(rxq), consumed = completions_read(rxq, l),
		       received = mlx5_u32(rxq, l->received);
	const uintptr_t data_at = d->data_at;
	uint64_t bytes = 0;
	uint32_t now;
	uint16_t n;

	HOT_ASSERT(mlx5_rx_size(rxq) == d->from.size && mlx5_rx_armed(rxq, l) <= d->from.size);
	max = RTE_MIN(max, d->room);
	max = RTE_MIN(max, mlx5_rx_armed(rxq, l));
	for (n = 0; n < max; n++) {
		const uint8_t state = completion_state(completion(cqes, consumed + n, size - 1));

		if (!completion_done(state, consumed + n, size) || !completion_plain(state))
			break;
	}
	if (n == 0)
		return 0;
	/* Completions and packets are read after the bytes that show them as done. */
	rte_io_rmb();
	for (uint16_t i = 0; i < n; i++) {
		pkts[i].data = (uint8_t *)slots[(received + i) & mask] + data_at;
		pkts[i].length = rte_be_to_cpu_32(*(const volatile uint32_t *)(const volatile void
				*)(completion(cqes, consumed + i, size - 1) + BYTES_AT));
		bytes += pkts[i].length;
	}
	now = completions_set(rxq, l, consumed + n);
	*(uint32_t *)shim_at(rxq, l->received) = received + n;
	stats_add(rxq, l->stats, n, bytes);
	rte_io_wmb();
	*(volatile uint32_t *)shim_pointer(rxq, l->cq_doorbell) = rte_cpu_to_be_32(now);
	return n;
}

/*
 * A direct_ready: the driver handles errors, completions that are compressed in spite of the
 * configuration, and memory regions found later.
 */
static __rte_always_inline bool
rx_ready(const struct direct *d, const struct mlx5_rx_layout *l)
{
	void *rxq = d->from.rxq;
	const uint32_t size = cq_size(rxq), consumed = completions_read(rxq, l);
	const uint8_t state =
		completion_state(completion(shim_pointer(rxq, l->cqes), consumed, size - 1));

	return shim_u16(rxq, l->keys) <= MLX5_KEYS && shim_u16(rxq, l->unpacked) == 0 &&
		(mlx5_u32(rxq, MLX5_SIZES) & MLX5_ERROR) == 0 &&
		(!completion_done(state, consumed, size) || completion_plain(state));
}

/* The pointers that proofs follow. */
static struct direct_pointers
rx_pointers(const struct direct *d, const struct mlx5_rx_layout *l)
{
	return (struct direct_pointers){ { shim_pointer(d->from.rxq, l->cqes),
		shim_pointer(d->from.rxq, l->cq_doorbell) } };
}

/* True if these are those that binding found readable. */
static bool
pointers_same(const struct direct_pointers *a, const struct direct_pointers *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* A direct_check. */
static int
rx_check(struct direct *d, struct err *e)
{
	const struct mlx5_rx_layout *l = d->from.layout;
	void *rxq = d->from.rxq;

	if (l->completion_bits != COUNT_BITS && l->completion_bits != COUNT_BITS_FIELD)
		return err_set(e, ENOTSUP,
			"port %u: receive queues of net_mlx5 %s are not supported: expected DPDK 22.11, 23.11.2 or 24.07",
			d->from.port, d->from.laid.as);
	if (l->byte_mask == SHIM_NONE ||
		!mlx5_readable(shim_pointer(rxq, l->cqes), cq_size(rxq) * MLX5_CQE) ||
		!mlx5_readable(shim_pointer(rxq, l->cq_doorbell), sizeof(uint32_t)) ||
		*(const uint32_t *)shim_pointer(rxq, l->cq_doorbell) !=
			rte_cpu_to_be_32(completions_read(rxq, l)))
		return err_set(e, ENOTSUP, "port %u: receive queue %u is not laid out as in %s",
			d->from.port, d->from.queue, d->from.laid.as);
	if (mlx5_u32(rxq, l->byte_mask) != 0)
		return err_set(e, ENOTSUP,
			"port %u: its completions may be compressed: use the device argument rxq_cqe_comp_en=0",
			d->from.port);
	d->proof.rx_pointers = rx_pointers(d, l);
	return 0;
}

/* The key of the region that has all buffers of the pool; NO_KEY: the driver has not looked it up. */
static inline uint32_t
tx_key(const struct direct *d, const struct mlx5_tx_layout *l)
{
	for (unsigned int i = 0; i < KEYS_MAX; i++) {
		const uint16_t entry = l->keys + i * l->key_bytes;
		const uint64_t start = u64(d->to.txq, entry);

		if (start == 0)
			break;
		if (start <= d->pool_first && d->pool_end <= u64(d->to.txq, entry + 8))
			return mlx5_u32(d->to.txq, entry + 16);
	}
	return NO_KEY;
}

/*
 * A direct_ready: the driver handles errors, and looks up keys when it sends. It forgets all of them when
 * a region of any pool was removed.
 */
static __rte_always_inline bool
tx_ready(const struct direct *d, const struct mlx5_tx_layout *l)
{
	void *txq = d->to.txq;
	const uint16_t done = shim_u16(txq, l->done);
	const uint8_t state = completion_state(
		completion(shim_pointer(txq, l->cqes), done, shim_u16(txq, l->cqe_mask)));

	return *(const volatile uint32_t *)shim_pointer(txq, l->newest) ==
		mlx5_u32(txq, l->key_age) &&
		tx_key(d, l) != NO_KEY &&
		(!completion_done(state, done, shim_u16(txq, l->owner)) || state >> 4 < ERROR);
}

/* What holds for a queue's positions between two calls: no ring has more than its size. */
static bool
tx_valid(const struct direct *d, const struct mlx5_tx_layout *l)
{
	const void *txq = d->to.txq;
	const uint16_t held = shim_u16(txq, l->head) - shim_u16(txq, l->tail),
		       written = shim_u16(txq, l->wqe_next) - shim_u16(txq, l->freed_wqe),
		       reports = shim_u16(txq, l->cqe_next) - shim_u16(txq, l->done);

	return held <= shim_u16(txq, l->size) && written <= shim_u16(txq, l->wqe_size) &&
		reports <= shim_u16(txq, l->owner);
}

/* Packets that fit into n blocks; multi: constant, many packets in an element. */
static __rte_always_inline uint16_t
blocks_packets(uint16_t n, bool multi)
{
	const uint16_t whole = (TITLE + PACKETS_MAX + SEGMENTS - 1) / SEGMENTS, left = n % whole;

	if (!multi)
		return n;
	return n / whole * PACKETS_MAX + (left > 0 ? left * SEGMENTS - TITLE : 0);
}

static __rte_always_inline uint16_t
room(const struct direct *d, const struct mlx5_tx_layout *l, bool multi)
{
	const void *txq = d->to.txq;
	const uint16_t held = shim_u16(txq, l->head) - shim_u16(txq, l->tail),
		       slots = shim_u16(txq, l->size) - held,
		       written = shim_u16(txq, l->wqe_next) - shim_u16(txq, l->freed_wqe),
		       blocks = shim_u16(txq, l->wqe_size) - written;

	return RTE_MIN(slots, blocks_packets(blocks, multi));
}

/* A direct_take. */
static __rte_always_inline uint16_t
take(struct direct *d, uint16_t max, const struct mlx5_tx_layout *l, bool multi)
{
	HOT_ASSERT(tx_valid(d, l));
	d->sent = mlx5_sent(&d->to, l);
	d->sent.n = RTE_MIN(d->sent.n, max) & ~(d->batch - 1);
	mlx5_taken(&d->to, l, &d->sent);
	d->room = room(d, l, multi);
	return d->sent.n;
}

static inline void
segment_write(char *segment, uint32_t a, uint32_t b, uint64_t c)
{
	const struct {
		uint32_t a, b;
		uint64_t c;
	} words = { a, b, c };

	memcpy(segment, &words, sizeof(words));
}

/* An element without packets yet. No offloads: its Ethernet segment is 0. */
static inline char *
element_begin(struct direct *d, const struct mlx5_tx_layout *l, uint16_t packets, uint32_t opcode)
{
	const void *txq = d->to.txq;
	const uint16_t at = shim_u16(txq, l->wqe_next);
	char *element = (char *)shim_pointer(txq, l->wqes) +
		(size_t)(at & shim_u16(txq, l->wqe_mask)) * BLOCK;

	segment_write(element, rte_cpu_to_be_32((uint32_t)at << 8 | opcode),
		rte_cpu_to_be_32(mlx5_u32(txq, l->number) | (TITLE + packets)),
		rte_cpu_to_be_32(REPORT_ERRORS));
	segment_write(element + SEGMENT, 0, 0, 0);
	shim_u16_set(d->to.txq, l->wqe_next, at + (TITLE + packets + SEGMENTS - 1) / SEGMENTS);
	return element;
}

/* Ask for a completion of the last element if enough was sent since the last request. */
static __rte_always_inline void
report_ask(struct direct *d, const struct mlx5_tx_layout *l, char *last, uint16_t head)
{
	void *txq = d->to.txq;
	const uint16_t cqe = shim_u16(txq, l->cqe_next);

	if ((uint16_t)(head - shim_u16(txq, l->asked)) < REPORT_AFTER)
		return;
	shim_u16_set(txq, l->asked, head);
	*(uint32_t *)(void *)(last + 8) = rte_cpu_to_be_32(REPORT);
	((uint16_t *)shim_pointer(txq, l->heads))[cqe & shim_u16(txq, l->cqe_mask)] = head;
	shim_u16_set(txq, l->cqe_next, cqe + 1);
}

/* The queue's register in this process; the table is the driver's. */
static inline void **
register_of(const struct direct *d, const struct mlx5_tx_layout *l)
{
	const char *port = rte_eth_devices + (size_t)d->to.port * l->port_bytes;

	return (void **)shim_at(shim_pointer(port, l->process), l->registers) + d->to.queue;
}

/* Announce elements up to wqe_next, of which last is the last one. n: packets. */
static __rte_always_inline void
doorbell_ring(struct direct *d, const struct mlx5_tx_layout *l, const char *last, uint16_t n)
{
	const void *txq = d->to.txq;
	const uint8_t flags = *(const uint8_t *)shim_at(txq, l->flags);
	uint64_t first;

	memcpy(&first, last, sizeof(first));
	rte_io_wmb();
	*(volatile uint32_t *)shim_pointer(txq, l->wqe_doorbell) =
		rte_cpu_to_be_32(shim_u16(txq, l->wqe_next));
	rte_wmb();
	*(volatile uint64_t *)*register_of(d, l) = first;
	/* The register may be in memory whose writes are buffered. */
	if ((flags & l->unbuffered) == 0 && ((flags & l->heuristic) == 0 || n % WHOLE_BURST != 0))
		rte_wmb();
}

/* A direct_tx. multi: constant, many packets in an element. */
static __rte_always_inline void
transmit(struct direct *d, const struct direct_pkt *pkts, uint16_t n,
	const struct mlx5_tx_layout *l, bool multi)
{
	void *txq = d->to.txq;
	const uint32_t key = tx_key(d, l);
	const uint16_t mask = shim_u16(txq, l->mask), per_element = multi ? PACKETS_MAX : 1;
	const uintptr_t data_at = d->data_at;
	struct rte_mbuf **slots = shim_at(txq, l->slots);
	char *const first = shim_pointer(txq, l->wqes),
		    *const end = first + (size_t)shim_u16(txq, l->wqe_size) * BLOCK;
	uint16_t head = shim_u16(txq, l->head);
	char *element = NULL;
	uint64_t bytes = 0;

	if (unlikely(n == 0))
		return;
	HOT_ASSERT(tx_valid(d, l) && key != NO_KEY);
	for (uint16_t sent = 0; sent < n;) {
		const uint16_t run = RTE_MIN(n - sent, per_element);
		char *segment;

		element = element_begin(d, l, run, multi ? MULTI_PACKET : SEND);
		segment = element + (size_t)TITLE * SEGMENT;
		for (uint16_t i = 0; i < run; i++) {
			const struct direct_pkt *p = &pkts[sent + i];

			segment_write(segment, rte_cpu_to_be_32((uint32_t)p->length), key,
				rte_cpu_to_be_64((uintptr_t)p->data));
			slots[head++ & mask] = (struct rte_mbuf *)(void *)(p->data - data_at);
			bytes += p->length;
			segment += SEGMENT;
			if (segment == end)
				segment = first;
		}
		sent += run;
	}
	report_ask(d, l, element, head);
	doorbell_ring(d, l, element, n);
	shim_u16_set(txq, l->head, head);
	stats_add(txq, l->stats, n, bytes);
	d->room = room(d, l, multi);
}

/* True if the numbers of the queue, and the begin of ethdev's struct of its port, can be such. */
static bool
tx_laid_out(const struct direct *d, const struct mlx5_tx_layout *l)
{
	const void *txq = d->to.txq;
	const char *port = rte_eth_devices + (size_t)d->to.port * l->port_bytes;
	const uint16_t blocks = shim_u16(txq, l->wqe_size);
	eth_rx_burst_t rx;
	eth_tx_burst_t tx;

	/* The first members of a port. */
	memcpy(&rx, port, sizeof(rx));
	memcpy(&tx, port + sizeof(rx), sizeof(tx));
	return rte_is_power_of_2(blocks) && shim_u16(txq, l->wqe_mask) == blocks - 1 &&
		(mlx5_u32(txq, l->number) & 0xff) == 0 &&
		(uint16_t)(shim_u16(txq, l->wqe_next) - shim_u16(txq, l->freed_wqe)) <= blocks &&
		(uint16_t)(shim_u16(txq, l->cqe_next) - shim_u16(txq, l->done)) <=
		shim_u16(txq, l->owner) &&
		rx == rte_eth_fp_ops[d->to.port].rx_pkt_burst && tx == d->to.burst;
}

/* The pointers that are followed, of which the register's place is the last. */
static struct direct_pointers
tx_pointers(const struct direct *d, const struct mlx5_tx_layout *l)
{
	const void *txq = d->to.txq;

	return (struct direct_pointers){ { shim_pointer(txq, l->wqes),
		shim_pointer(txq, l->wqe_doorbell), shim_pointer(txq, l->newest),
		register_of(d, l) } };
}

/* True if they can be followed. It reads a list of all memory, which takes too long for the lcore. */
static bool
tx_readable(const struct direct *d, const struct mlx5_tx_layout *l)
{
	const void *txq = d->to.txq;
	const struct direct_pointers p = tx_pointers(d, l);

	return mlx5_readable(p.at[0], (size_t)shim_u16(txq, l->wqe_size) * BLOCK) &&
		mlx5_readable(p.at[1], sizeof(uint32_t)) &&
		mlx5_readable(p.at[2], sizeof(uint32_t)) && shim_owned(p.at[3], sizeof(void *)) &&
		shim_register(*register_of(d, l));
}

/* A direct_check. */
static int
tx_check(struct direct *d, struct err *e)
{
	const struct mlx5_tx_layout *l = d->to.layout;

	if (l->port_bytes == SHIM_NONE || !tx_laid_out(d, l) || !tx_readable(d, l))
		return err_set(e, ENOTSUP, "port %u: transmit queue %u is not laid out as in %s",
			d->to.port, d->to.queue, d->to.laid.as);
	if (shim_u16(d->to.txq, l->inline_least) != 0)
		return err_set(e, ENOTSUP,
			"port %u: the NIC needs the first %u bytes of each packet inline",
			d->to.port, shim_u16(d->to.txq, l->inline_least));
	/* It would not look up the keys of packets that it copies. */
	if (shim_u16(d->to.txq, l->inline_send) != 0)
		return err_set(e, ENOTSUP,
			"port %u: the driver copies packets into elements: use the device argument txq_inline_max=0",
			d->to.port);
	if (rte_mbuf_dynflag_lookup(RTE_MBUF_DYNFLAG_METADATA_NAME, NULL) >= 0)
		return err_set(e, ENOTSUP, "port %u: flow metadata needs mbufs", d->to.port);
	/* All may be sent but too few to move, or too few to report. */
	if (shim_u16(d->to.txq, l->size) < d->batch + REPORT_AFTER)
		return err_set(e, ENOTSUP, "port %u: %u transmit descriptors: expected %u or more",
			d->to.port, shim_u16(d->to.txq, l->size), d->batch + REPORT_AFTER);
	d->proof.tx_pointers = tx_pointers(d, l);
	return 0;
}

/* A direct_prove: the driver's counts, its doorbell, and the completion before the next one. */
static enum shim_proof
rx_prove(struct direct *d)
{
	const struct mlx5_rx_layout *l = d->from.layout;
	const struct direct_pointers pointers = rx_pointers(d, l);
	void *rxq = d->from.rxq;
	const uint32_t size = cq_size(rxq), consumed = completions_read(rxq, l),
		       last = (consumed - 1) & completions_mask(l);
	uint8_t state;

	if (!pointers_same(&pointers, &d->proof.rx_pointers) ||
		*(const uint32_t *)shim_pointer(rxq, l->cq_doorbell) != rte_cpu_to_be_32(consumed))
		return SHIM_WRONG;
	state = completion_state(completion(shim_pointer(rxq, l->cqes), last, size - 1));
	/* The NIC may have written over the completion. */
	return direct_counted_alike(&d->proof.rx, u64(rxq, l->stats), consumed,
		       (uint64_t)completions_mask(l) + 1) &&
			completion_done(state, last, size) && completion_plain(state) &&
			shim_u16(rxq, l->unpacked) == 0 && mlx5_u32(rxq, l->byte_mask) == 0
		? SHIM_AGREED
		: SHIM_NOTHING_NEW;
}

/*
 * True if the element that was reported last is where it is believed to be, with the queue's number, and its
 * last packet's address lies in the buffer of the mbuf in the slot that belongs to it.
 */
static bool
reported_agrees(const struct direct *d, const struct mlx5_tx_layout *l)
{
	const void *txq = d->to.txq;
	const uint16_t done = shim_u16(txq, l->freed_wqe), size = shim_u16(txq, l->wqe_size),
		       cqe = shim_u16(txq, l->done) - 1,
		       head = ((const uint16_t *)shim_pointer(txq,
			       l->heads))[cqe & shim_u16(txq, l->cqe_mask)];
	const char *wqes = shim_pointer(txq, l->wqes);
	const size_t at = (size_t)(done & shim_u16(txq, l->wqe_mask)) * BLOCK;
	const struct rte_mbuf *last = ((struct rte_mbuf *const *)shim_at(txq,
		l->slots))[(uint16_t)(head - 1) & shim_u16(txq, l->mask)];
	uint32_t words[2], segments;
	uint64_t address;

	memcpy(words, wqes + at, sizeof(words));
	segments = rte_be_to_cpu_32(words[1]) & 0x3f;
	if ((rte_be_to_cpu_32(words[0]) >> 8 & UINT16_MAX) != done || segments <= TITLE ||
		(rte_be_to_cpu_32(words[1]) & ~0xffu) != mlx5_u32(txq, l->number) ||
		!shim_owned(last, sizeof(*last)))
		return false;
	memcpy(&address,
		wqes + (at + (size_t)(segments - 1) * SEGMENT) % ((size_t)size * BLOCK) + 8,
		sizeof(address));
	address = rte_be_to_cpu_64(address);
	return address >= (uintptr_t)last->buf_addr &&
		address < (uintptr_t)last->buf_addr + last->buf_len;
}

/*
 * A direct_prove: counts, doorbell, the last request for a completion, which must not be for the last packet,
 * and the last report.
 */
static enum shim_proof
tx_prove(struct direct *d)
{
	const struct mlx5_tx_layout *l = d->to.layout;
	const struct direct_pointers pointers = tx_pointers(d, l);
	const void *txq = d->to.txq;
	const uint16_t request = shim_u16(txq, l->cqe_next) - 1;

	if (!tx_laid_out(d, l) || !pointers_same(&pointers, &d->proof.tx_pointers) ||
		*(const uint32_t *)shim_pointer(txq, l->wqe_doorbell) !=
			rte_cpu_to_be_32(shim_u16(txq, l->wqe_next)))
		return SHIM_WRONG;
	return direct_counted_alike(&d->proof.tx, u64(txq, l->stats), shim_u16(txq, l->head),
		       UINT64_C(1) << 16) &&
			reported_agrees(d, l) &&
			shim_u16(txq, l->head) != shim_u16(txq, l->asked) &&
			((const uint16_t *)shim_pointer(txq,
				l->heads))[request & shim_u16(txq, l->cqe_mask)] ==
				shim_u16(txq, l->asked) &&
			tx_key(d, l) != NO_KEY
		? SHIM_AGREED
		: SHIM_NOTHING_NEW;
}

/*
 * The functions of a Rx queue. l: the layout, whose offsets are constants if it is that of the release at
 * compile time, built; NULL: any.
 */
#define RX_OPS(id, l, built) \
	static uint16_t id##_open(const struct direct *d) \
	{ \
		return rx_open(d, l); \
	} \
	static void id##_rearm(struct direct *d) \
	{ \
		rx_arm(d, l); \
	} \
	static uint16_t id##_receive(struct direct *d, struct direct_pkt *pkts, uint16_t max) \
	{ \
		direct_rearm(d, id##_open, id##_rearm); \
		return take_done(d, pkts, max, l); \
	} \
	static bool id##_rx_ready(const struct direct *d) \
	{ \
		return rx_ready(d, l); \
	} \
	const struct direct_rx_ops direct_rx_##id = { .driver = "mlx5_pci", \
		.shim = &mlx5_rx_ops, \
		.check = rx_check, \
		.ready = id##_rx_ready, \
		.prove = rx_prove, \
		.receive = id##_receive, \
		.open = id##_open, \
		.layout = built, \
		.layout_bytes = sizeof(struct mlx5_rx_layout) }

/* The functions of a Tx queue whose own function puts one packet or many into an element. */
#define TX_OPS(id, mode, multi, l, built) \
	static bool id##_tx_ready(const struct direct *d) \
	{ \
		return tx_ready(d, l); \
	} \
	static void id##_send(struct direct *d, const struct direct_pkt *pkts, uint16_t n) \
	{ \
		transmit(d, pkts, n, l, multi); \
	} \
	static uint16_t id##_take(struct direct *d, uint16_t max) \
	{ \
		return take(d, max, l, multi); \
	} \
	static void id##_begin(struct direct *d) \
	{ \
		d->unknown = d->to.ops->held(&d->to); \
		d->room = room(d, l, multi); \
	} \
	const struct direct_tx_ops direct_tx_##id = { .driver = "mlx5_pci", \
		.function = mode, \
		.shim = &mlx5_tx_ops, \
		.check = tx_check, \
		.ready = id##_tx_ready, \
		.prove = tx_prove, \
		.send = id##_send, \
		.take = id##_take, \
		.begin = id##_begin, \
		.own_only = true, \
		.layout = built, \
		.layout_bytes = sizeof(struct mlx5_tx_layout) }

#define RX_BOUND ((const struct mlx5_rx_layout *)d->from.layout)
#define TX_BOUND ((const struct mlx5_tx_layout *)d->to.layout)

RX_OPS(mlx5, MLX5_RX_BUILT, MLX5_RX_BUILT);
RX_OPS(any_mlx5, RX_BOUND, NULL);
TX_OPS(mlx5_single, "No MPW", false, MLX5_TX_BUILT, MLX5_TX_BUILT);
TX_OPS(mlx5_multi, "Enhanced MPW", true, MLX5_TX_BUILT, MLX5_TX_BUILT);
TX_OPS(any_mlx5_single, "No MPW", false, TX_BOUND, NULL);
TX_OPS(any_mlx5_multi, "Enhanced MPW", true, TX_BOUND, NULL);
