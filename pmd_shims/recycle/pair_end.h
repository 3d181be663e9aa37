/* Macros that define a driver's queue as one end of a pair, for loops compiled with both ends. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/shim.h"

#include <rte_common.h>

/*
 * Define name_rx_batch(), name_room() and name_arm(), the functions of struct shim_rx_ops for a
 * queue whose layout is known at compile time. room, arm: expressions that use the parameters rx,
 * mbufs and sure. batch: a constant, as in struct shim_rx. The functions have to be inlined:
 * otherwise struct shim_mbufs is passed in memory, and the load after the partial stores stalls.
 */
#define PAIR_RX_END(name, batch, room, arm) \
	static __rte_always_inline uint16_t name##_rx_batch(void) \
	{ \
		return batch; \
	} \
	static __rte_always_inline uint16_t name##_room(const struct shim_rx *rx) \
	{ \
		return room; \
	} \
	static __rte_always_inline bool name##_arm(const struct shim_rx *rx, \
		const struct shim_mbufs *mbufs, bool sure) \
	{ \
		return arm; \
	}

/*
 * Define name_tx_batch(), name_sent() and name_taken(), the functions of struct shim_tx_ops. sent,
 * taken: expressions that use tx and mbufs. stride: a constant, as in struct shim_mbufs.
 */
#define PAIR_TX_END(name, batch, stride, sent, taken) \
	enum { name##_stride = (stride) }; \
	static __rte_always_inline uint16_t name##_tx_batch(void) \
	{ \
		return batch; \
	} \
	static __rte_always_inline struct shim_mbufs name##_sent(const struct shim_tx *tx) \
	{ \
		return sent; \
	} \
	static __rte_always_inline void name##_taken(const struct shim_tx *tx, \
		const struct shim_mbufs *mbufs) \
	{ \
		taken; \
	}
