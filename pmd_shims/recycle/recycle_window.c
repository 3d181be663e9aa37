/* Keeps a window of an Rx ring armed: adds mbufs of the pool, returns surplus ones, and chooses the
 * size of an automatic window. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/recycle_window.h"

#include "pmd_shims/recycle/pair.h"
#include "pmd_shims/recycle/recycle.h"

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_mempool.h>

enum {
	/* batches of sent mbufs that may be missing before mbufs of the pool replace them */
	LATE = 3,
	/*
	 * An automatic window is never smaller: such a window costs no more than half of it, and in
	 * half of it bursts at line rate were lost while the lcore was interrupted.
	 */
	AUTO_LEAST = 512,
	/* Packets between two checks of an automatic window: few, so that each burst is seen. */
	AUTO_LOOKS = 128,
	DRAIN_CALLS = 64,  /* calls of sent() at a time */
	DRAIN_CHECKS = 16, /* checks between two drains of an armed window, a power of two */
	CLOCK_CHECKS = 64, /* checks between two reads of the clock, a power of two */
	SHRINK_HZ = 50,    /* an automatic window halves at most this often */
	LEARN_HZ = 10,     /* the whole ring is armed for the first tenth of a second */
	REMEMBER_S = 10,   /* what a burst needs is remembered for once to twice this time */
	/* rings of packets without a pause after which the load is too high for any window */
	OVERLOAD_RINGS = 64,
};

/* The size of a window is a multiple of this, also if single descriptors can be armed. */
static unsigned int
batch_of(const struct recycle *pair)
{
	return RTE_MAX(pair->rx.batch, 32u);
}

/* Set the number of descriptors to keep armed, a multiple of the batch. */
static void
size_set(struct recycle_window *w, unsigned int size)
{
	const unsigned int armed = RTE_MIN(RTE_ALIGN_CEIL(size, batch_of(w->pair)), w->ring);

	PAIR_ASSERT(size >= w->least && w->least > 0);
	w->now = (uint16_t)armed;
	w->shut = (uint16_t)(w->ring - armed);
	w->most_open = (uint16_t)(w->shut + RTE_MAX(armed / 4, LATE * batch_of(w->pair) - 1));
}

/*
 * The receive function must never reach the free slots: their descriptors still look done. So more
 * than it can read in one call are armed after each run.
 */
static unsigned int
least_of(const struct recycle *pair, uint16_t burst)
{
	const unsigned int batch = batch_of(pair);

	return RTE_ALIGN_CEIL(burst + pair->rx.looks_ahead + LATE * batch, batch);
}

int
recycle_window_valid(const struct recycle *pair, uint16_t size, uint16_t burst,
	struct zcfwd_recycle_error *e)
{
	const struct shim_rx *rx = &pair->rx;

	if (size == ZCFWD_RECYCLE_WINDOW_AUTO && rx->ops->filled == NULL)
		return shim_refuse(e, ZCFWD_RECYCLE_FUNCTION,
			"port %u: %s: its ring does not show how full it is: an automatic window is not possible, use a number",
			rx->port, rx->path);
	if (size >= ZCFWD_RECYCLE_WINDOW_LEAST && size < least_of(pair, burst))
		return shim_refuse(e, ZCFWD_RECYCLE_ARGUMENT,
			"a window of %u descriptors: expected at least %u with bursts of %u packets",
			size, least_of(pair, burst), burst);
	return 0;
}

void
recycle_window_open(struct recycle_window *w, struct recycle *pair, uint16_t size, uint16_t burst)
{
	const bool automatic = size == ZCFWD_RECYCLE_WINDOW_AUTO;
	const unsigned int least = least_of(pair, burst), ring = pair->rx.size,
			   first = automatic ? RTE_MAX(least, (unsigned int)AUTO_LEAST) : size;

	if (first >= ring)
		return;
	assert(size != ZCFWD_RECYCLE_WINDOW_OFF && pair->mode == ZCFWD_RECYCLE_MODE_RING);
	*w = (struct recycle_window){ .pair = pair,
		.ring = (uint16_t)ring,
		.least = (uint16_t)first,
		.automatic = automatic,
		.needs = (uint16_t)first,
		.needed = (uint16_t)ring,
		.forgets = rte_rdtsc() + rte_get_tsc_hz() / LEARN_HZ };
	size_set(w, automatic ? ring : first);
}

/* Arm mbufs of the pool until shut slots or less are free. Returns false if the pool has too few. */
static bool
fill(struct recycle_window *w, uint16_t shut)
{
	struct recycle *const r = w->pair;
	struct rte_mbuf *mbufs[PAIR_BATCH_MAX];
	uint16_t room;

	while ((room = r->rx.ops->room(&r->rx, shut)) > 0) {
		const struct shim_mbufs all = { .first = mbufs,
			.stride = sizeof(mbufs[0]),
			.n = r->rx.batch > 1 ? r->rx.batch : RTE_MIN(room, PAIR_BATCH_MAX) };

		if (rte_mempool_get_bulk(r->rx.pool, (void **)mbufs, all.n) != 0)
			return false;
		if (!r->rx.ops->arm(&r->rx, &all, true)) {
			rte_mempool_put_bulk(r->rx.pool, (void *const *)mbufs, all.n);
			r->rx.ops->park_dummy(&r->rx);
			return false;
		}
		shim_count(&r->count.topped_up, all.n);
	}
	return true;
}

/* True if the queue is still the one of the pair, so that its counts can be changed. */
static bool
usable(const struct recycle_window *w)
{
	return w->open > 0 && recycle_rx_stands(w->pair);
}

static bool
filled(const struct recycle_window *w, uint16_t ahead)
{
	return w->pair->rx.ops->filled(&w->pair->rx, ahead);
}

/* The window that the bursts of this period and of the one before it need. */
static unsigned int
wanted(const struct recycle_window *w)
{
	return RTE_MAX(w->needs, w->needed);
}

/* Forget the period before the last one, and halve a window that is larger than wanted. */
static void
shrink(struct recycle_window *w)
{
	const uint64_t now = rte_rdtsc();

	if (now >= w->forgets) {
		w->needed = w->needs;
		w->needs = w->least;
		w->forgets = now + REMEMBER_S * rte_get_tsc_hz();
	}
	if (now < w->shrinks)
		return;
	w->shrinks = now + rte_get_tsc_hz() / SHRINK_HZ;
	if (w->now > wanted(w))
		size_set(w, RTE_MAX(w->now / 2u, wanted(w)));
}

/*
 * Choose the size of an automatic window by what the NIC has already filled of it. If the ring stays
 * half full although it is armed in full, the load is too high, and no size loses less than another:
 * the least one is taken until the ring is found empty.
 */
static void
adapt(struct recycle_window *w)
{
	if (w->overloaded) {
		w->overloaded = filled(w, 0);
		return;
	}
	/* Behind half of the window descriptors may be free, and look filled. */
	while (w->needs < w->ring && w->needs <= 2 * w->now && filled(w, w->needs / 4))
		w->needs = (uint16_t)RTE_MIN(2u * w->needs, (unsigned int)w->ring);
	if (w->now < wanted(w)) {
		w->full = 0;
		size_set(w, RTE_MIN(2u * w->now, wanted(w)));
	} else if (w->now < w->ring || !filled(w, w->ring / 2)) {
		w->full = 0;
	} else if ((w->full += AUTO_LOOKS) > OVERLOAD_RINGS * w->ring) {
		w->full = 0;
		w->overloaded = true;
		size_set(w, w->least);
	}
	if ((w->checks & (CLOCK_CHECKS - 1)) == 0)
		shrink(w);
}

/*
 * Return sent mbufs of a pair to their pools: all, or some of those that remain although the window is
 * armed. Others are kept for when the NIC sends late.
 */
static void
drain(struct recycle *r, bool all)
{
	for (unsigned int i = 0; i < (all ? DRAIN_CALLS : 1); i++) {
		const struct shim_mbufs sent = r->tx.ops->sent(&r->tx);

		if (sent.n == 0)
			return;
		shim_count(&r->count.freed, pair_put(r, sent));
		r->tx.ops->taken(&r->tx, &sent);
	}
}

void
recycle_window_check(struct recycle_window *w, struct recycle *const *pairs, unsigned int n)
{
	const struct shim_rx *const rx = &w->pair->rx;
	bool shrinks;

	if (unlikely(!usable(w)))
		return;
	rx->ops->unhide(rx, &w->hidden);
	if (w->until_check < 0) {
		w->checks++;
		if (w->automatic)
			adapt(w);
		w->until_check = w->automatic ? AUTO_LOOKS - 1 : w->now / 4;
		shrinks = w->open < w->shut;
		for (unsigned int i = 0; i < n &&
			(shrinks ||
				((w->checks & (DRAIN_CHECKS - 1)) == 0 &&
					rx->ops->room(rx, w->shut) == 0));
			i++)
			if (recycle_stands(pairs[i]))
				drain(pairs[i], shrinks);
	}
	/* If the pool is empty, the driver refills its ring, and counts the refills that fail. */
	if (w->open <= w->most_open || fill(w, w->shut + batch_of(w->pair)))
		w->open = rx->ops->hide(rx, &w->hidden);
}

void
recycle_window_close(struct recycle_window *w, bool whole)
{
	if (usable(w)) {
		w->pair->rx.ops->unhide(&w->pair->rx, &w->hidden);
		if (whole && !fill(w, 0))
			w->pair->rx.ops->park_dummy(&w->pair->rx);
	}
	w->hidden = (struct shim_hidden){ 0 };
	w->open = 0;
}
