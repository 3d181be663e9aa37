/* Which transmit queues feed which receive queues with sent mbufs, and what came of it. */
#pragma once

#include "pmd_shims/recycle.h"

#include <stdint.h>

struct err;
struct run;

/*
 * Let a transmit queue feed a receive queue, at once and at every later start; where it led before,
 * it leads no longer. Errors: EINVAL for queues of different lcores while forwarding runs, ENOSPC
 * for too many. Thread: control, all of this file.
 */
int run_recycle_pair(struct run *r, const struct recycle_ends *ends, struct err *e);

/* Forget what was named. */
int run_recycle_auto(struct run *r, struct err *e);

/*
 * Give the feeds of the streams their pairs, as named and as the mode says. Nothing for an engine
 * without feeds.
 */
int run_recycle_apply(struct run *r, struct err *e);

/* Paths, counts, yield of every feed of this run or the last one; ENOENT when there is none. */
int run_recycle_show(const struct run *r, struct err *e);
