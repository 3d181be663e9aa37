/* The arrivals of a flow: which sequence numbers came, came twice, or came late, and how long the
 * packets took. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"

#include <rte_branch_prediction.h>

#include <stdbool.h>
#include <stdint.h>

/* Sequence numbers before the highest one that are remembered. */
#define ARRIVALS_WINDOW 512

/* The arrivals of one flow in one stream. Written by the stream's worker. */
struct arrivals {
	uint64_t next; /* 1 + the highest sequence number so far */
	counter unique, duplicated, reordered;
	/*
	 * Packets older than the window: late or a duplicate, which cannot be distinguished; not in
	 * unique.
	 */
	counter too_old;
	counter farthest; /* largest distance of a reordered packet, in sequence numbers */
	uint64_t seen[ARRIVALS_WINDOW / 64]; /* bit n % ARRIVALS_WINDOW: number n came */

	/* Of unique packets. */
	counter timed, sum_ns;
	counter min_ns, max_ns; /* 0 while timed is 0 */
	uint64_t transit_ns;    /* of the last one */
	counter jitter; /* mean deviation of the transit time in 1/16 ns; RFC 3550, section 6.4.1 */
};

enum arrival { ARRIVAL_UNIQUE, ARRIVAL_REORDERED, ARRIVAL_DUPLICATE, ARRIVAL_TOO_OLD };

static inline uint64_t *
arrivals_word(struct arrivals *a, uint64_t n)
{
	return &a->seen[n % ARRIVALS_WINDOW / 64];
}

/* A number above the highest one: the numbers between them are missing so far. */
static inline void
arrivals_advance(struct arrivals *a, uint64_t n)
{
	uint64_t missing = n - a->next;

	if (unlikely(missing >= ARRIVALS_WINDOW))
		missing = ARRIVALS_WINDOW;
	for (uint64_t i = n - missing; unlikely(i < n); i++)
		*arrivals_word(a, i) &= ~(UINT64_C(1) << i % 64);
	*arrivals_word(a, n) |= UINT64_C(1) << n % 64;
	a->next = n + 1;
}

/*
 * Count the arrival of a packet with that sequence number, of which the lowest 32 bits are known.
 * Reordered: below the highest one so far (RFC 4737, section 3.3). Thread: the stream's worker.
 */
static inline enum arrival
arrivals_add(struct arrivals *a, uint32_t sequence)
{
	const uint64_t n = a->next + (uint64_t)(int64_t)(int32_t)(sequence - (uint32_t)a->next);
	uint64_t *word, bit, age;

	if (likely((int64_t)(n - a->next) >= 0)) {
		arrivals_advance(a, n);
		counter_add(&a->unique, 1);
		return ARRIVAL_UNIQUE;
	}
	age = a->next - 1 - n;
	if (age >= ARRIVALS_WINDOW || (int64_t)n < 0) {
		counter_add(&a->too_old, 1);
		return ARRIVAL_TOO_OLD;
	}
	word = arrivals_word(a, n);
	bit = UINT64_C(1) << n % 64;
	if ((*word & bit) != 0) {
		counter_add(&a->duplicated, 1);
		return ARRIVAL_DUPLICATE;
	}
	*word |= bit;
	counter_add(&a->unique, 1);
	counter_add(&a->reordered, 1);
	if (age > counter_read(&a->farthest))
		counter_add(&a->farthest, age - counter_read(&a->farthest));
	return ARRIVAL_REORDERED;
}

/* Count the time that a packet took. Thread: the stream's worker. */
static inline void
arrivals_time(struct arrivals *a, uint64_t ns)
{
	const uint64_t before = counter_read(&a->timed), jitter = counter_read(&a->jitter),
		       min = counter_read(&a->min_ns), max = counter_read(&a->max_ns);

	if (unlikely(ns > max))
		counter_add(&a->max_ns, ns - max);
	if (unlikely(ns < min || before == 0))
		counter_add(&a->min_ns, ns - min); /* wraps to ns */
	if (likely(before > 0)) {
		const uint64_t deviation = ns > a->transit_ns ? ns - a->transit_ns
							      : a->transit_ns - ns;

		counter_add(&a->jitter, deviation - ((jitter + 8) >> 4));
	}
	a->transit_ns = ns;
	counter_add(&a->sum_ns, ns);
	counter_add(&a->timed, 1);
}
