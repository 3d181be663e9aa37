/* Macros that make one queue of a driver an end of pairs, to be compiled with the other end. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/shim.h"

#include <rte_common.h>

/*
 * The functions of struct shim_rx_ops for queues whose layout is known: each is an expression of its
 * arguments, which are called as here. batch, stride: as in struct shim_rx and struct shim_mbufs,
 * constants. They are inlined: else struct shim_mbufs goes through memory in pieces, which stalls
 * the load that follows.
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

/* The same of struct shim_tx_ops. */
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
