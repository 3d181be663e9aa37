/* Runs that recycle mbufs, with any engine: create feeds, change their pairs, show the results. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct engine;
struct engine_group;
struct err;
struct recycle_named;
struct run;
struct stream;

/* Return whether the next run of an engine recycles. Thread: control, for all of this file. */
bool run_recycles(const struct run *r, const struct engine *engine);

/* Create the feeds of n streams, each with a pair of the stream's own queues. ENOMEM. */
int run_recycle_open(const struct run *r, struct stream *const *streams, unsigned int n,
	struct err *e);

/*
 * Apply the named pairs and the mode to the streams of this run; no effect if they do not recycle.
 * Errors: as recycle_named_apply().
 */
int run_recycle_apply(struct run *r, struct err *e);

/*
 * Print a line if recycling is on but the engine does not support it, and one for each port whose driver
 * leaves not all sent mbufs to the pairs of the n streams of the next run.
 */
void run_recycle_warn(const struct run *r, struct stream *const *streams, unsigned int n);

/*
 * Replace the named pairs, at once if lcores recycle. Errors: as run_recycle_apply(); then the old
 * pairs remain.
 */
int run_recycle_configure(struct run *r, const struct recycle_named *named, struct err *e);

/*
 * Answer `show recycle` for the current or last run: the pairs of each stream, the reasons why
 * others are not paired, and the recycled mbufs. Returns 0.
 */
int run_recycle_show(struct run *r, struct err *e);

/* The statistics of streams with a feed. */
extern const struct engine_group run_recycle_group;
