/* Reading the counters of a run: since its start, or since the last clear. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/hist.h"
#include "base/stat.h"
#include "stream/hw_counters.h"
#include "stream/stream_count.h"

#include <stdbool.h>

struct engine_group;
struct run;
struct stream;

/* A stream's counters at one moment, or the difference of two. */
struct run_count {
	struct stream_count count; /* plain numbers here: nobody else writes them */
	struct hist_copy rx_bursts, tx_bursts;
	struct hw_count hw; /* of its lcore, whose first stream it is; else zero */
};

/* The rows of its histograms; those of count are stream_stats, and the engine's. */
extern const struct stat_table run_count_bursts;

/* What hardware counters say of lcores, by their first streams. */
extern const struct engine_group run_count_hw_group;

/* Counters of a stream since it was made. Thread: any, while the stream stays. */
void run_count_read(const struct stream *s, struct run_count *count);

/* c -= base, counter by counter. */
void run_count_subtract(struct run_count *c, const struct run_count *base);

/*
 * Make STAT_NONE of what was not counted: cycles and bytes, unless they are now, or were before.
 * Nothing can be subtracted from them any more.
 */
void run_count_lacks(const struct stream *s, struct stream_count *c);

/* Whether the sizes of bursts in c were counted, now or before. */
bool run_count_has_bursts(const struct stream *s, const struct run_count *c);

/* Counters of stream i since the start or the last clear, with STAT_NONE for what was not counted. */
void run_count(const struct run *r, unsigned int i, struct run_count *count);

/* What was counted of a stream while cycles were, since the start, the last clear, the switch. */
struct run_timed {
	uint64_t cycles, rx, tx; /* of polls with packets; packets of all polls */
};

/*
 * Cycles of stream i, and the packets that they were spent on: those from before record-core-cycles
 * was switched on do not count.
 */
void run_count_timed(const struct run *r, unsigned int i, struct run_timed *t);

/* Remember the counters of now, so that run_count() counts from here. */
void run_count_clear(struct run *r);

/*
 * Tell the streams what to record, by the settings and by the recording that is on; acts at once.
 */
void run_count_record(struct run *r);
