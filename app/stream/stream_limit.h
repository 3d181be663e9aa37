/* Limit a run to a number of packets: before each poll, a stream checks or takes from the packets
 * that are left. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"
#include "stream/stream_count.h"

#include <rte_common.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The limit of one stream; all zero: none. Written by control before the run, then by the worker.
 */
struct stream_limit {
	atomic_llong *left; /* packets left for all streams of the run together */
	uint64_t counted;   /* packets of this stream that were subtracted from left */
	uint16_t burst;     /* the stream's burst size without a limit */
	uint16_t taken;     /* packets reserved for the current poll; if made only */
	bool made;          /* the engine creates packets: the limit counts sent ones */
};

/*
 * Return how many packets the next poll may request, 0..l->burst. An engine that creates packets
 * reserves them, so that all streams together send exactly the limit; unsent packets are returned
 * at the next poll. Others request full bursts, as vector drivers require, until nothing is left,
 * so each stream may receive up to one burst more. Thread: the stream's worker.
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
