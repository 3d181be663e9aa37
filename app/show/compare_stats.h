/* What the runs of a comparison come to: medians, their intervals, ratios to the first combination. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/rank.h"
#include "show/run_summary.h"

#include <stdbool.h>
#include <stdint.h>

struct compare_plan;

/* One run of a combination. */
struct compare_trial {
	bool done; /* to its end: cut ones and those that could not start count for nothing */
	struct run_summary summary;
};

struct compare_result {
	const struct compare_plan *plan;
	struct compare_trial *trial; /* [combination * plan->runs + round] */
	char **refused;              /* by combination: why it could not start; NULL: it could */
	bool stopped;                /* by a signal */
};

/* Of a combination. A median of n 0: not measured, or not known. */
struct compare_stats {
	struct rank_median pps;            /* packets per second */
	struct rank_median cycles;         /* per packet */
	struct rank_median l2_bps, l1_bps; /* bits per second */
	struct rank_median line;           /* share of line rate */
	struct rank_median ratio; /* to the first, round by round, of those in which both ran */
	uint64_t lost, offered;   /* packets, of all runs */
};

/*
 * Add up the runs of a combination. first: the one that ratios are to. False when memory is short.
 * Thread: control, all of this file.
 */
bool compare_stats(const struct compare_result *result, unsigned int combination,
	unsigned int first, struct compare_stats *f);

/* The first combination that has a run, which ratios are to; 0 when none has. */
unsigned int compare_stats_first(const struct compare_result *result);
