/* Statistics of a comparison: medians, confidence intervals, ratios to the first combination. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/rank.h"
#include "show/run_summary.h"

#include <stdbool.h>
#include <stdint.h>

struct compare_plan;

/* One run of a combination. */
struct compare_trial {
	bool done; /* it ran to its end; other runs are ignored */
	struct run_summary summary;
};

struct compare_result {
	const struct compare_plan *plan;
	struct compare_trial *trial; /* [combination * plan->runs + round] */
	char **refused;              /* per combination, why it could not start; NULL: it could */
	bool stopped;                /* a signal ended the comparison */
};

/* Results of one combination. A median with n 0 was not measured or is unknown. */
struct compare_stats {
	struct rank_median pps;            /* packets per second */
	struct rank_median cycles;         /* per packet */
	struct rank_median l2_bps, l1_bps; /* bits per second */
	struct rank_median line;           /* share of line rate */
	struct rank_median ratio; /* pps relative to the first combination's of the same round */
	uint64_t lost, offered;   /* packets, summed over all runs */
};

/*
 * Compute the results of a combination. first: the combination that ratios refer to. Returns false
 * if memory is short. Thread: control, all of this file.
 */
bool compare_stats(const struct compare_result *result, unsigned int combination,
	unsigned int first, struct compare_stats *f);

/* The first combination with a complete run, to which ratios refer; 0 if there is none. */
unsigned int compare_stats_first(const struct compare_result *result);
