/* Re-arms sent mbufs without reading them; inlined into each driver's receive function. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/direct/direct_half.h"

#include <rte_common.h>

/* Batches of sent mbufs per call. */
enum { DIRECT_BATCHES_MAX = 8 };

/* The mbufs in the Tx ring were sent by other functions. Thread: the lcore. */
void direct_begin(struct direct *d);

/* Return d->sent to the pool: there is no free Rx slot, or they are not known. Thread: the lcore. */
void direct_free(struct direct *d);

/*
 * Arm mbufs of the pool, so that packets can be received although many wait to be sent. If the pool
 * has too few, sent packets have to come first. Returns false then. Thread: the lcore.
 */
bool direct_top_up(struct direct *d);

/* Arm d->sent, a multiple of the Rx queue's batch, at most as many as can be. */
typedef void direct_arm(struct direct *d);

/* Re-arm sent mbufs, and leave room for packets in the Tx ring. */
static __rte_always_inline void
direct_rearm(struct direct *d, direct_open *open_of, direct_arm *arm)
{
	const uint16_t batch = d->batch;

	if (unlikely(!d->begun))
		direct_begin(d);
	for (unsigned int i = 0; i < DIRECT_BATCHES_MAX; i++) {
		const uint16_t open = open_of(d);
		uint16_t n;

		if (open < batch && likely(d->room >= batch))
			return;
		n = d->tx_ops->take(d, RTE_MAX(open, batch));
		if (n == 0)
			break;
		if (unlikely(open < batch || d->unknown > 0 || (n & (batch - 1)) != 0))
			direct_free(d);
		else {
			HOT_ASSERT(n == d->sent.n && n <= open && n % d->from.batch == 0);
			arm(d);
		}
	}
	if (open_of(d) >= d->few)
		direct_top_up(d);
}
