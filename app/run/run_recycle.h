/* Runs whose streams recycle, whatever their engine: feeds made and let go of, pairs changed, what
 * came of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct engine;
struct engine_group;
struct err;
struct recycle_named;
struct run;
struct stream;

/* Whether the next run of an engine recycles. Thread: control, all of this file. */
bool run_recycles(const struct run *r, const struct engine *engine);

/* Give n streams of a run that recycles their feeds, each of its own queues. ENOMEM. */
int run_recycle_open(const struct run *r, struct stream *const *streams, unsigned int n,
	struct err *e);

/*
 * Let the streams of this run go by the named pairs and the mode. Nothing when they do not recycle.
 * Errors: what recycle_named_apply() says.
 */
int run_recycle_apply(struct run *r, struct err *e);

/* Say that the next run does not recycle though it was asked to, and why. */
void run_recycle_warn(const struct run *r);

/* Replace the named pairs, at once where lcores recycle. Errors: as apply; then they are the old. */
int run_recycle_configure(struct run *r, const struct recycle_named *named, struct err *e);

/*
 * Show what became of this run or the last one: pairs of each stream and why others are none, and how
 * many mbufs came back. ENOENT: there was none, or it does not recycle.
 */
int run_recycle_show(const struct run *r, struct err *e);

/* The statistics of streams that have a feed. */
extern const struct engine_group run_recycle_group;
