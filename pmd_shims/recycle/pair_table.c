/* The loops compiled for pairs of two known queues, with the layouts of both as constants. This
 * file is compiled once per SIMD width. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pairs without a line here, and queues whose layout differs from that of the DPDK release at
 * compile time, run through pointers to their queues' functions. Drivers share nothing but mbufs,
 * so a pair needs one line below and no further code.
 */
#include "pmd_shims/recycle/pair_table.h"

#include "base/base.h"
#include "pmd_shims/recycle/intel/intel_ends.h"
#include "pmd_shims/recycle/mlx5/mlx5_ends.h"
#include "pmd_shims/recycle/pair.h"
#include "pmd_shims/recycle/virtio/virtio_ends.h"

#include <rte_version.h>

#include <string.h>

/*
 * P(rx, tx) and R(rx, tx) take the names of two ends. P also compiles a loop for mode zc_cache, R
 * does not: for most pairs of different drivers that mode only serves comparisons.
 */
#if RTE_VERSION < RTE_VERSION_NUM(25, 7, 0, 0)
#define INTEL_RX(Q, P) \
	Q(P, i40e_22) \
	Q(P, ixgbe_22)
#define INTEL_TX(P, rx) \
	P(rx, i40e_22_8) \
	P(rx, i40e_22_16) \
	P(rx, ixgbe_22)
#define ICE_TX(P, rx) P(rx, ice_22)
#else
#define INTEL_RX(Q, P) \
	Q(P, i40e_25) \
	Q(P, ixgbe_25)
#if RTE_VERSION < RTE_VERSION_NUM(26, 3, 0, 0)
#define INTEL_TX(P, rx) \
	P(rx, i40e_25) \
	P(rx, ixgbe_25)
#else
#define INTEL_TX(P, rx) \
	P(rx, i40e_26) \
	P(rx, ixgbe_26)
#endif
#define ICE_TX(P, rx) /* net_ice has the layouts of net_i40e */
#endif
#define OTHER_TX(P, rx) \
	P(rx, mlx5_built) \
	P(rx, virtio_split_built) \
	P(rx, virtio_packed_built)
#define PAIRS(P, R) \
	INTEL_RX(INTEL_TX, P) \
	INTEL_RX(OTHER_TX, R) \
	INTEL_TX(R, mlx5_built) \
	INTEL_TX(R, virtio_split_built) \
	INTEL_TX(R, virtio_packed_built) \
	ICE_TX(P, ice_22) \
	P(mlx5_built, mlx5_built) \
	P(virtio_split_built, virtio_split_built) \
	P(virtio_packed_built, virtio_packed_built)

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

/* Mode cache does not touch the Rx queue, so there is one loop per Tx end. */
#define TO_CACHE(none, tx) \
	static uint16_t tx##_cache(struct recycle *r) \
	{ \
		return pair_run_cache(r, tx##_sent, tx##_taken, tx##_tx_batch(), tx##_stride); \
	}
INTEL_TX(TO_CACHE, )
ICE_TX(TO_CACHE, )
OTHER_TX(TO_CACHE, )

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
