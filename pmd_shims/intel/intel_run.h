/* Macros that i40e_run.c and ixgbe_run.c are made of: functions that move mbufs between two queues
 * of one Intel driver. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/intel/intel.h"
#include "pmd_shims/pair.h"

#include <string.h>

#define INTEL_PASTE(a, b) a##b
/* FAMILY_run_128 and so on. */
#define INTEL_RUN_OF(family, width) INTEL_PASTE(family, width)

/*
 * NAME_ring() and NAME_cache(): functions for one layout of each queue, and one size of the
 * transmit function's entries. The parts are inlined: else struct shim_mbufs goes through memory in
 * pieces, which stalls the load that follows.
 */
#define INTEL_RUNS(name, rx_layout, tx_layout, stride) \
	static __rte_always_inline uint16_t name##_room(const struct shim_rx *rx) \
	{ \
		return intel_room(rx, rx_layout); \
	} \
	static __rte_always_inline bool name##_arm(const struct shim_rx *rx, \
		const struct shim_mbufs *mbufs, bool sure) \
	{ \
		return intel_arm(rx, rx_layout, mbufs, stride, sure); \
	} \
	static __rte_always_inline bool name##_arm_cached(const struct shim_rx *rx, \
		const struct shim_mbufs *mbufs, bool sure) \
	{ \
		return intel_arm(rx, rx_layout, mbufs, sizeof(void *), sure); \
	} \
	static __rte_always_inline struct shim_mbufs name##_sent(const struct shim_tx *tx) \
	{ \
		return intel_sent(tx, tx_layout, stride); \
	} \
	static __rte_always_inline void name##_taken(const struct shim_tx *tx, \
		const struct shim_mbufs *mbufs) \
	{ \
		intel_taken(tx, tx_layout, mbufs); \
	} \
	static uint16_t name##_ring(struct recycle *r) \
	{ \
		return pair_run_ring(r, name##_room, name##_arm, name##_sent, name##_taken, \
			(rx_layout)->rearm); \
	} \
	static uint16_t name##_cache(struct recycle *r) \
	{ \
		return pair_run_cache(r, name##_room, name##_arm_cached, name##_sent, \
			name##_taken, (rx_layout)->rearm); \
	}

/* One row of a driver's functions. */
struct intel_run {
	const struct intel_rx_layout *layout;
	size_t stride;
	pair_run *ring, *cache;
};

/* The function for a release and a size of entries among n rows; NULL: none. */
static inline pair_run *
intel_run_find(const struct intel_run *rows, size_t n, const char *version, size_t stride,
	enum recycle_mode mode)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].stride == stride && strcmp(rows[i].layout->version, version) == 0)
			return mode == RECYCLE_ZC_CACHE ? rows[i].cache : rows[i].ring;
	return NULL;
}
