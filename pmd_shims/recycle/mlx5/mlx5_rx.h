/* Rx queue of net_mlx5: field offsets by DPDK release, and how mbufs are armed in its ring. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/rearm_check.h"
#include "pmd_shims/recycle/shim.h"

#include <rte_atomic.h>
#include <rte_byteorder.h>

enum {
	MLX5_LOOKS_AHEAD = 4, /* slots beyond the armed ones that the vector function writes into */
	MLX5_SEGMENT = 16,    /* bytes of a receive element */
	MLX5_KEYS = 2,        /* known ones; with more each element needs its buffer's */
};

/* Byte offsets in the driver's Rx queue. */
#define MLX5_RX_FIELDS(F) \
	F(doorbell, 8, "pointer to what the NIC reads") \
	F(port, 2, "of ethdev") \
	F(armed, 4, "32 bits: slots armed so far") \
	F(received, 4, "32 bits: of those received into") \
	F(refill, 2, "slots that the driver arms together") \
	F(keys, 2, "memory regions known") \
	F(elements, 8, "what the NIC reads of each slot") \
	F(slots, 8, "mbufs") \
	F(pool, 8, "its mempool") \
	F(queue, 2, "of ethdev") \
	F(fake, 128, "the driver's dummy mbuf") \
	F(completions, 3, "taken so far; here that nothing else be taken for it")

struct mlx5_rx_layout {
	struct shim_releases releases;
	MLX5_RX_FIELDS(SHIM_FIELD)
};

enum { MLX5_RX_ROWS(SHIM_ROW_ID) };
enum { MLX5_RX_ROW_BUILT = MLX5_RX_ROWS(SHIM_ROW_BUILT) };

static const struct mlx5_rx_layout mlx5_rx_layouts[] = { MLX5_RX_ROWS(SHIM_ROW) };

/* That of the release this is compiled with. */
#define MLX5_RX_BUILT (&mlx5_rx_layouts[MLX5_RX_ROW_BUILT])

/*
 * What all releases have at the same place (devtools/layouts sees to it). 32 bits: segments 5..7,
 * log2 of the elements 12..15, strides 18..22, error 28..29, LRO 31; and formats of compressed
 * completions 1..3, 0: those with a hash.
 */
enum { MLX5_SIZES = 0, MLX5_FORMATS = 4 };

static inline uint32_t
mlx5_u32(const void *queue, uint16_t offset)
{
	return *(const uint32_t *)shim_at(queue, offset);
}

static inline uint16_t
mlx5_rx_size(const void *rxq)
{
	return (uint16_t)(1u << (mlx5_u32(rxq, MLX5_SIZES) >> 12 & 0xf));
}

/*
 * Whether compressed completions come without a hash, whose unpacking writes 32 bits of ol_flags.
 */
static inline bool
mlx5_rx_hashless(const void *rxq)
{
	return (mlx5_u32(rxq, MLX5_FORMATS) >> 1 & 7) != 0;
}

/* Slots armed that no packet was received into; the counters run freely. */
static inline uint16_t
mlx5_rx_armed(const void *rxq, const struct mlx5_rx_layout *l)
{
	return (uint16_t)(mlx5_u32(rxq, l->armed) - mlx5_u32(rxq, l->received));
}

/*
 * As shim_rx_room. Up to the ring's end. A pair is refused where the pool has several memory
 * regions; if the driver finds another one later, nothing is armed any more, as rx_closed() says.
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
 * What the vector function writes into beyond the armed slots must be nobody's. The ring has that
 * many slots more than its size.
 */
static __rte_always_inline void
mlx5_park_dummy(const struct shim_rx *rx, const struct mlx5_rx_layout *l)
{
	uint16_t next = mlx5_u32(rx->rxq, l->armed) & (mlx5_rx_size(rx->rxq) - 1u);
	struct rte_mbuf **slot = (struct rte_mbuf **)shim_pointer(rx->rxq, l->slots) + next;

	for (unsigned int i = 0; i < MLX5_LOOKS_AHEAD; i++)
		slot[i] = shim_at(rx->rxq, l->fake);
}

/* As shim_rx_arm. */
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
