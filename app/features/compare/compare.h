/* compare: benchmarks every combination of the listed values, several interleaved runs each. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/samples.h"
#include "run/account/run_summary.h"
#include "run/run_cpu.h"

#include <stdbool.h>
#include <stdint.h>

struct compare_plan;
struct compare_result;
struct err;
struct interrupt;
struct run;

/* Statistics of a comparison: medians, confidence intervals, ratios to the first combination. */

/* One run of a combination. */
struct compare_trial {
	bool done;          /* it ran to its end; other runs are ignored */
	bool left_out;      /* not in the medians: compare_leave_out() */
	struct run_cpu cpu; /* the lcore with the smallest share of its CPU; share NAN: unknown */
	struct run_summary summary;
};

struct compare_result {
	const struct compare_plan *plan;
	struct compare_trial *trial; /* [combination * plan->runs + round] */
	char **refused;              /* per combination, why it could not start; NULL: it could */
	char **warned; /* per combination, a warning of its ports when they started; NULL: none */
	bool stopped;  /* a signal ended the comparison */
};

/* Results of one combination. A median with n 0 was not measured or is unknown. */
struct compare_stats {
	struct samples_rank pps;            /* packets per second */
	struct samples_rank cycles;         /* per packet */
	struct samples_rank l2_bps, l1_bps; /* bits per second */
	struct samples_rank line;           /* share of line rate */
	struct samples_rank ratio; /* pps relative to the first combination's of the same round */
	uint64_t lost, offered, unsent; /* packets, summed over all runs */
};

/*
 * Leave out the runs in which an lcore had less than RUN_CPU_ENOUGH of its CPU, of each combination
 * in which COMPARE_ENOUGH runs and half of all its runs remain. Call once after the last run.
 */
void compare_leave_out(struct compare_result *result);

enum { COMPARE_ENOUGH = 3 };

/*
 * Compute the results of a combination. first: the combination that ratios refer to. Returns false
 * if memory is short. Thread: control, all of this file.
 */
bool compare_stats(const struct compare_result *result, unsigned int combination,
	unsigned int first, struct compare_stats *f);

/* The first combination with a complete run, to which ratios refer; 0 if there is none. */
unsigned int compare_stats_first(const struct compare_result *result);

/* Prints a comparison as a table of medians, confidence intervals and ratios. */

/*
 * Run every combination once in each round on the current ports and lcores, in alternating order,
 * and show a table. Ports are restarted between runs for lists that need it. A combination that cannot start is listed with the reason and skipped in later
 * rounds. A signal on interrupt, which is not consumed, ends the comparison; the table then has
 * the runs so far. Settings, engine, ports and lcores are restored. Errors: EBUSY while forwarding; ENOTSUP in a
 * secondary process; ENOMEM; the error of the first combination if none can start. Thread: control,
 * all of this file.
 */
int compare_run(struct run *r, struct interrupt *interrupt, const struct compare_plan *plan,
	struct err *e);
