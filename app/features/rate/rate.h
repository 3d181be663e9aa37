/* The rate without loss of what stands between the ports: a search by trials of the engine
 * measure. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/rate/rate_goal.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct interrupt;
struct run;

/* What to search for. */
struct rate_ask {
	struct rate_goal goal[MLR_GOALS_MAX];
	unsigned int n_goals;
	double min_pps, max_pps; /* of each port; 0: chosen by the line rate */
	const char *sizes;       /* comma-separated, each as in generate-size; NULL: described */
	uint64_t latency_ms;     /* of each trial for the table of latencies; 0: no such table */
};

/*
 * Search once per size, and print a line per trial and tables. Engine and settings are restored. A
 * signal on interrupt, which is not consumed, ends the search; the tables then have what is known.
 * Errors: EBUSY while forwarding; ENOTSUP in a secondary process; EINVAL: no traffic, a bad size, or
 * an unknown line rate; those of a start. Thread: control.
 */
int rate_search(struct run *r, struct interrupt *interrupt, const struct rate_ask *ask,
	struct err *e);
