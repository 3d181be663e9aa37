/* What the engine of a run knows beyond its streams' counters: all members of all its groups. */
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
	unsigned int number; /* of the stream in its run */
	unsigned int index;  /* of the member in its stream, or in the run */
	size_t at;           /* its place among the values, bytes */
};

/* Members group by group, and what they had at one moment, or the difference of two. */
struct run_groups {
	struct run_group_member *member;
	unsigned int n;
	unsigned char *values;
	size_t bytes; /* of values */
};

/*
 * Find and read the members of the current or last run; run_groups_close() whatever it returns. 0,
 * or -ENOMEM. Thread: any that holds the run's lock, or control.
 */
int run_groups_open(struct run_groups *g, const struct run *r);
void run_groups_close(struct run_groups *g);

/* Read again. Thread: as above. */
void run_groups_read(struct run_groups *g, bool running);

/* to = from, to -= base; both of one run. Gauges stay as they are in to. */
void run_groups_copy(struct run_groups *to, const struct run_groups *from);
void run_groups_subtract(struct run_groups *to, const struct run_groups *base);

/* Tell member i: its stream unless it is the run's, its words, its rows. */
void run_groups_put(const struct run_groups *g, unsigned int i, const struct stat_sink *sink);
