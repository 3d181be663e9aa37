/* The statistics of a run beside its streams' counters: all members of all the engine's groups. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/stat.h"

#include <stdbool.h>
#include <stddef.h>

struct engine_group;
struct run;
struct stream;

struct run_group_member {
	const struct engine_group *group;
	const struct stream *stream;
	unsigned int number; /* number of the stream in its run */
	unsigned int index;  /* number of the member in its stream, or in the run */
	size_t at;           /* offset among the values, bytes */
};

/* Members, group by group, and a copy of their values, or the difference of two copies. */
struct run_groups {
	struct run_group_member *member;
	unsigned int n;
	unsigned char *values;
	size_t bytes; /* size of values */
};

/*
 * Find and read the members of the current or last run. Returns 0 or -ENOMEM; call
 * run_groups_close() in both cases. Thread: control, or any that holds the run's lock.
 */
int run_groups_open(struct run_groups *g, const struct run *r);
void run_groups_close(struct run_groups *g);

/* Read the values again. Thread: control, or any that holds the run's lock. */
void run_groups_read(struct run_groups *g, bool running);

/* to = from; to -= base. Both are of the same run. Gauges of to are unchanged by subtraction. */
void run_groups_copy(struct run_groups *to, const struct run_groups *from);
void run_groups_subtract(struct run_groups *to, const struct run_groups *base);

/* Report member i: its stream (unless per run), its own words, its rows. */
void run_groups_put(const struct run_groups *g, unsigned int i, const struct stat_sink *sink);
