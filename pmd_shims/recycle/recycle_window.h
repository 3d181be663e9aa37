/* The window of an Rx queue: the number of descriptors that are armed, whatever the size of the ring.
 * Few buffers circulate then, and they stay in the processor's cache. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/shim.h"

#include <stdbool.h>
#include <stdint.h>

struct recycle;

/*
 * Check that the queue of a bound pair can have a window of size descriptors, ZCFWD_RECYCLE_WINDOW_AUTO or
 * ZCFWD_RECYCLE_WINDOW_OFF. burst: most packets that one receive call returns. Errors: ENOTSUP for an automatic
 * window, if the ring does not show how full it is; EINVAL if the window is too small for the bursts.
 * Thread: control.
 */
int recycle_window_valid(const struct recycle *pair, uint16_t size, uint16_t burst,
	struct zcfwd_recycle_error *e);

/*
 * Open a window that is valid, not ZCFWD_RECYCLE_WINDOW_OFF; w->pair remains NULL if the ring is too small for one.
 * Thread: control, before the lcore runs the pair.
 */
void recycle_window_open(struct recycle_window *w, struct recycle *pair, uint16_t size,
	uint16_t burst);

/* True if recycle_window_check() is due. Thread: the lcore. */
static inline bool
recycle_window_due(const struct recycle_window *w)
{
	return w->pair != NULL && (w->open > w->most_open || w->until_check < 0);
}

/*
 * Return surplus mbufs of the n pairs of the queue to the pool, or arm mbufs of the pool if too few
 * were sent, and adapt an automatic window. Thread: the lcore, after the pairs were run.
 */
void recycle_window_check(struct recycle_window *w, struct recycle *const *pairs, unsigned int n);

/*
 * Give the free slots back to the driver; the next run hides them again. fill: arm the ring in full, as far as the pool has mbufs;
 * else the driver does so while it receives. Thread: the lcore, or control after the lcore stopped.
 */
void recycle_window_close(struct recycle_window *w, bool fill);
