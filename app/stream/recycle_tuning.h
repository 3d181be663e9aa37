/* Recycling mode contig_auto: an lcore measures whether contiguous blocks or the driver's own refill
 * cost less, and uses the cheaper one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/autotune.h"
#include "base/base.h"

#include <stdbool.h>
#include <stdint.h>

struct zcfwd_recycle;

enum { RECYCLE_TUNING_LOOK = 64 }; /* polls between two reads of the clock, a power of two */

/*
 * Candidate 0 is the driver's own refill, candidate 1 is blocks. A poll's cost is the time from one
 * poll to the next, so it includes refill, receive, the engine's work, transmit, and the release of
 * sent mbufs. If the lcore has several streams, it also includes theirs.
 */
struct recycle_tuning {
	struct autotune autotune;
	const counter *rx;        /* packets received from the queue */
	uint64_t rx_before;       /* its value at the last sample of the clock */
	uint64_t began;           /* time of the last sample of the clock */
	unsigned int polls, look; /* the clock is read if no bit of look is set in polls */
};

/*
 * Begin with the driver's refill, after the first poll. rx: counts the packets received; hz: TSC
 * ticks per second. Returns NULL if memory is short. Thread: control.
 */
struct recycle_tuning *recycle_tuning_new(const counter *rx, int socket, uint64_t hz);

/* Free it; NULL is fine. Thread: control, after the lcore has stopped. */
void recycle_tuning_free(struct recycle_tuning *t);

/* Account for the poll that ended at now. Returns whether to use blocks from now on. Thread: lcore. */
bool recycle_tuning_sample(struct recycle_tuning *t, uint64_t now);

/* Read the clock. Thread: the lcore. */
void recycle_tuning_look(struct recycle_tuning *t, struct zcfwd_recycle *feed);

/* End a poll. Thread: the lcore that runs the feed. */
static inline void
recycle_tuning_poll(struct recycle_tuning *t, struct zcfwd_recycle *feed)
{
	if ((++t->polls & t->look) == 0)
		recycle_tuning_look(t, feed);
}
