/* Which ends are compiled together, with the layouts of both queues as constants; compiled once per
 * SIMD width. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pair that is not here runs by pointers to its queues' functions. Two drivers share nothing but
 * mbufs, so that a pair is a line below and no code of its own.
 */
#include "pmd_shims/pair_table.h"

#include "base/base.h"
#include "pmd_shims/intel/intel_ends.h"
#include "pmd_shims/mlx5/mlx5_ends.h"
#include "pmd_shims/pair.h"
#include "pmd_shims/virtio/virtio_ends.h"

#include <string.h>

/*
 * P(rx, tx), R(rx, tx): the names of ends. P has a loop for zc_cache as well; for most pairs of two
 * drivers it would be code for a comparison.
 */
#define INTEL_TX(P, rx) \
	P(rx, i40e_22_8) \
	P(rx, i40e_22_16) \
	P(rx, ixgbe_22)
#define OTHER_TX(P, rx) \
	P(rx, mlx5_22) \
	P(rx, virtio_split_22) \
	P(rx, virtio_packed_22)
#define PAIRS(P, R) \
	INTEL_TX(P, i40e_22) \
	INTEL_TX(P, ixgbe_22) \
	OTHER_TX(R, i40e_22) \
	OTHER_TX(R, ixgbe_22) \
	INTEL_TX(R, mlx5_22) \
	INTEL_TX(R, virtio_split_22) \
	INTEL_TX(R, virtio_packed_22) \
	P(mlx5_22, mlx5_22) \
	P(virtio_split_22, virtio_split_22) \
	P(virtio_packed_22, virtio_packed_22) \
	P(i40e_25, i40e_25) \
	P(i40e_25, ixgbe_25) \
	P(ixgbe_25, i40e_25) \
	P(ixgbe_25, ixgbe_25)

/* What goes through the cache leaves the Rx queue alone: P(tx). */
#define TX_ENDS(P) \
	P(i40e_22_8) \
	P(i40e_22_16) \
	P(i40e_25) \
	P(ixgbe_22) \
	P(ixgbe_25) \
	P(mlx5_22) \
	P(virtio_split_22) \
	P(virtio_packed_22)

#define RING(rx, tx) \
	static uint16_t rx##_from_##tx##_ring(struct recycle *r) \
	{ \
		return pair_run_ring(r, rx##_room, rx##_arm, rx##_rx_batch(), tx##_sent, \
			tx##_taken, tx##_tx_batch(), tx##_stride); \
	}
#define RING_AND_ZC(rx, tx) \
	RING(rx, tx) \
	static uint16_t rx##_from_##tx##_zc_cache(struct recycle *r) \
	{ \
		return pair_run_zc_cache(r, rx##_room, rx##_arm, rx##_rx_batch(), tx##_sent, \
			tx##_taken, tx##_tx_batch(), tx##_stride); \
	}
PAIRS(RING_AND_ZC, RING)

#define TO_CACHE(tx) \
	static uint16_t tx##_cache(struct recycle *r) \
	{ \
		return pair_run_cache(r, tx##_sent, tx##_taken, tx##_tx_batch(), tx##_stride); \
	}
TX_ENDS(TO_CACHE)

#define ROW_RING(rx, tx) { #rx, #tx, rx##_from_##tx##_ring, NULL, tx##_cache },
#define ROW(rx, tx) { #rx, #tx, rx##_from_##tx##_ring, rx##_from_##tx##_zc_cache, tx##_cache },

static const struct {
	const char *rx, *tx;
	pair_run *ring, *zc_cache, *cache;
} rows[] = { PAIRS(ROW, ROW_RING) };

#define PASTE(a, b) a##b
#define TABLE(width) PASTE(pair_table_, width)

pair_run *
TABLE(SHIM_WIDTH)(const char *rx, const char *tx, enum recycle_mode mode)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strcmp(rows[i].rx, rx) == 0 && strcmp(rows[i].tx, tx) == 0)
			return mode == RECYCLE_CACHE       ? rows[i].cache
				: mode == RECYCLE_ZC_CACHE ? rows[i].zc_cache
							   : rows[i].ring;
	return NULL;
}
