/* The window of an Rx queue: the number of descriptors that are armed, whatever the size of the ring.
 * Few buffers circulate then, and they stay in the processor's cache. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The problem: a ring that is armed in full sends each of its buffers around before it uses one
 * again. With some thousand descriptors these buffers are larger than the lcore's cache, so each
 * packet is written to and read from a farther one. A short ring avoids that, and loses packets
 * when the lcore is interrupted. The size of a ring cannot change while its port runs.
 *
 * The idea: of a long ring, keep `now` descriptors armed and `shut` slots free. Sent mbufs are
 * armed as usual, but only until `shut` slots are free. The driver would fill these at once from
 * its pool, so its count of free slots is set to what makes it wait: hide(). unhide() makes the
 * count exact again, before anything else reads it. So the free slots exist only between two runs,
 * and the driver sees none of them. After a quarter of the window was received,
 * recycle_window_check() looks: sent mbufs that are too many go to the pool, and mbufs of the pool
 * replace those that a Tx queue sends late.
 *
 * An automatic window begins with the whole ring and learns what the bursts need: four times as many
 * descriptors as the NIC had filled at most when the lcore looked. It remembers that for 10 to 20 s.
 * Larger windows halve, 50 times a second; a burst that needs more doubles the window at once. It
 * used to begin with the least one and to forget within 20 ms. Then the first burst after each
 * pause was lost in part, since arming hundreds of mbufs of the pool takes longer than a burst. If
 * the whole ring stays half full, no size helps: the least one is taken, which at least keeps the
 * buffers in the cache.
 *
 * What could go wrong: descriptors of free slots still look done, so the receive function must
 * never get there. Hence a window has the largest burst, what the function reads ahead, and LATE
 * batches (least_of()). A program that receives larger bursts than options.burst says breaks this.
 *
 * Why not a smaller ring: the port has to be set up again, and it cannot grow for a burst of
 * packets.
 *
 * Limits: a window is in [64, 32768] and below the size of the ring; otherwise there is none. It is
 * a multiple of 32 and of the batch. An automatic one is in [512, size of the ring] and needs a
 * receive ring that shows how full it is (shim_rx_filled). Mode ZCFWD_RECYCLE_MODE_RING only.
 */
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
