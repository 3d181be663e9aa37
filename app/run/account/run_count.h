/* The counters of a run since its start or the last clear; the list of all tables of statistics. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/hist.h"
#include "base/stat.h"
#include "stream/hw_counters.h"
#include "stream/stream.h"

#include <rte_ethdev.h>

#include <stdbool.h>

struct engine_group;
struct run;

/* A copy of a stream's counters, or the difference of two copies. */
struct run_count {
	struct stream_count count;
	struct hist_copy rx_bursts, tx_bursts;
	struct hw_count hw; /* of its lcore; zero unless it is the lcore's first stream */
};

/* The rows of the histograms; stream_stats and the engine's table have those of count. */
extern const struct stat_table run_count_bursts;

/* The hardware counters of lcores, as a group of their first streams. */
extern const struct engine_group run_count_hw_group;

/* Report the queues and the lcore of a stream: "rx_port", "rx_queue", "tx_port", ... */
void run_count_identity(const struct stream *s, const struct stat_sink *sink);

/* Read a stream's counters since its creation. Thread: any, while the stream exists. */
void run_count_read(const struct stream *s, struct run_count *count);

/* c -= base, counter by counter. */
void run_count_subtract(struct run_count *c, const struct run_count *base);

/*
 * Set cycles and bytes to STAT_NONE unless they are or were counted. Nothing can be subtracted from
 * c afterwards.
 */
void run_count_lacks(const struct stream *s, struct stream_count *c);

/* Return whether the burst sizes in c are or were counted. */
bool run_count_has_bursts(const struct stream *s, const struct run_count *c);

/* Read the counters of stream i since the start or the last clear; STAT_NONE: not counted. */
void run_count(const struct run *r, unsigned int i, struct run_count *count);

/* A stream's cycles, and its packets while cycles were counted. */
struct run_timed {
	uint64_t cycles, rx, tx; /* cycles of polls with packets; packets */
};

/*
 * Read the cycles and packets of stream i since the start, the last clear, or switching on
 * record-core-cycles, whichever was last; none while record-core-cycles is off, since packets go on.
 */
void run_count_timed(const struct run *r, unsigned int i, struct run_timed *t);

/*
 * Store the current counters, so that run_count() counts from now on. run_count_begin() is for the
 * begin of a run. Thread: control, for the three.
 */
void run_count_clear(struct run *r);
void run_count_begin(struct run *r);

/* Let the counters of ports be those of now until the next run begins. */
void run_count_end(struct run *r);

/* Set what the streams record, from the settings and the active recording; takes effect at once. */
void run_count_record(struct run *r);
