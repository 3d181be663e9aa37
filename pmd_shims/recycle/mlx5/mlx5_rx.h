/* Rx queue of net_mlx5: field offsets by DPDK release, and how mbufs are armed in its ring. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/rearm_check.h"
#include "pmd_shims/recycle/shim.h"

#include <rte_atomic.h>
#include <rte_byteorder.h>

enum {
	MLX5_LOOKS_AHEAD = 4, /* slots beyond the armed ones that the vector function writes to */
	MLX5_SEGMENT = 16,    /* bytes of a receive element */
	MLX5_KEYS = 2,        /* entries for one memory region; with more the keys would differ */
};

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
	F(completions, 3, "number of completions read so far; check only, as in intel_layout.h")

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

/*
 * A shim_rx_room; at most up to the ring's end. A pair is refused if its pool has several memory
 * regions. If the driver finds another one later, nothing is armed any more and rx_closed() reports
 * why.
 */
static __rte_always_inline uint16_t
mlx5_room(const struct shim_rx *rx, const struct mlx5_rx_layout *l)
{
	uint16_t size = mlx5_rx_size(rx->rxq), open = size - mlx5_rx_armed(rx->rxq, l);
	uint16_t to_end = size - (mlx5_u32(rx->rxq, l->armed) & (size - 1u));

	if (open <= MLX5_LOOKS_AHEAD || shim_u16(rx->rxq, l->keys) > MLX5_KEYS)
		return 0;
	return RTE_MIN(open - MLX5_LOOKS_AHEAD, to_end);
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

/* A shim_rx_arm. */
static __rte_always_inline bool
mlx5_arm(const struct shim_rx *rx, const struct mlx5_rx_layout *l, const struct shim_mbufs *mbufs,
	bool sure)
{
	uint32_t armed = mlx5_u32(rx->rxq, l->armed),
		 *doorbell = shim_pointer(rx->rxq, l->doorbell);
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
	*(uint32_t *)shim_at(rx->rxq, l->armed) = armed + mbufs->n;
	mlx5_park_dummy(rx, l);
	rte_io_wmb();
	*(volatile uint32_t *)doorbell = rte_cpu_to_be_32(armed + mbufs->n);
	return true;
}
