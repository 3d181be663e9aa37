/* How a run of so many packets ends where it should: its streams take from what is left, poll by
 * poll. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"
#include "stream/stream_count.h"

#include <rte_common.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Of one stream; all zero: no limit. Written by control before the run, then by the worker. */
struct stream_limit {
	atomic_llong *left; /* packets, of all streams of the run together */
	uint64_t counted;   /* packets that this stream has settled with left */
	uint16_t burst;     /* the stream's, as long as there is no limit */
	uint16_t taken;     /* packets taken from left for the poll under way, by makers only */
	bool made;          /* packets are sent, by an engine that makes them, not received */
};

/*
 * How many packets the next poll may ask for, up to l->burst. An engine that makes packets takes what is
 * left, so that all of them together send exactly so many: what was not sent goes back at the next
 * poll. Who receives asks for whole bursts, as drivers want it, until nothing is left: a burst per
 * stream more at most. Thread: the stream's worker.
 */
static inline uint16_t
stream_limit_take(struct stream_limit *l, const struct stream_count *c)
{
	uint64_t now = counter_read(l->made ? &c->tx : &c->rx);
	long long back = (long long)l->taken - (long long)(now - l->counted), left;

	l->counted = now;
	l->taken = 0;
	if (back != 0)
		atomic_fetch_add_explicit(l->left, back, memory_order_relaxed);
	left = atomic_load_explicit(l->left, memory_order_relaxed);
	if (left <= 0)
		return 0;
	if (!l->made)
		return l->burst;
	do {
		l->taken = (uint16_t)RTE_MIN(left, (long long)l->burst);
	} while (l->taken > 0 &&
		!atomic_compare_exchange_weak_explicit(l->left, &left, left - l->taken,
			memory_order_relaxed, memory_order_relaxed));
	return l->taken;
}
