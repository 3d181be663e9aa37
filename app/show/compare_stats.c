/* Statistics of a comparison: medians, confidence intervals, ratios to the first combination. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "show/compare_stats.h"

#include "show/compare_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Confidence level that intervals should reach. */
#define WANT 0.95

enum figure { PPS, CYCLES, L2_BPS, L1_BPS, LINE };

static double
figure_of(const struct run_summary *s, enum figure which)
{
	switch (which) {
	case PPS: return s->pps;
	case CYCLES: return s->cycles;
	case L2_BPS: return s->l2_bps;
	case L1_BPS: return s->l1_bps;
	case LINE: break;
	}
	return s->l1_bps / s->line_bps;
}

static const struct compare_trial *
trial_at(const struct compare_result *result, unsigned int combination, unsigned int round)
{
	return &result->trial[combination * result->plan->runs + round];
}

/* Median over the runs in which the figure is known. value: scratch space for plan->runs values. */
static struct rank_median
median_of(const struct compare_result *result, unsigned int combination, enum figure which,
	double *value)
{
	unsigned int n = 0;

	for (unsigned int round = 0; round < result->plan->runs; round++) {
		const struct compare_trial *t = trial_at(result, combination, round);
		const double one = figure_of(&t->summary, which);

		if (t->done && !isnan(one))
			value[n++] = one;
	}
	return rank_median(value, n, WANT);
}

static struct rank_median
ratio_of(const struct compare_result *result, unsigned int combination, unsigned int first,
	double *value)
{
	unsigned int n = 0;

	for (unsigned int round = 0; round < result->plan->runs; round++) {
		const struct compare_trial *t = trial_at(result, combination, round),
					   *to = trial_at(result, first, round);

		if (t->done && to->done && to->summary.pps > 0)
			value[n++] = t->summary.pps / to->summary.pps;
	}
	return rank_median(value, n, WANT);
}

bool
compare_stats(const struct compare_result *result, unsigned int combination, unsigned int first,
	struct compare_stats *f)
{
	double *value = calloc(result->plan->runs, sizeof(*value));

	memset(f, 0, sizeof(*f));
	if (value == NULL)
		return false;
	f->pps = median_of(result, combination, PPS, value);
	f->cycles = median_of(result, combination, CYCLES, value);
	f->l2_bps = median_of(result, combination, L2_BPS, value);
	f->l1_bps = median_of(result, combination, L1_BPS, value);
	f->line = median_of(result, combination, LINE, value);
	f->ratio = ratio_of(result, combination, first, value);
	for (unsigned int round = 0; round < result->plan->runs; round++) {
		const struct compare_trial *t = trial_at(result, combination, round);

		f->lost += t->done ? t->summary.lost : 0;
		f->offered += t->done ? t->summary.offered : 0;
	}
	free(value);
	return true;
}

unsigned int
compare_stats_first(const struct compare_result *result)
{
	for (unsigned int c = 0; c < result->plan->n; c++)
		for (unsigned int round = 0; round < result->plan->runs; round++)
			if (trial_at(result, c, round)->done)
				return c;
	return 0;
}
