/* What runs of a comparison come to: medians over runs that were done, ratios round by round. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/compare/compare.h"
#include "features/compare/compare_plan.h"
#include "fixtures/unit.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { RUNS = 7, COMBINATIONS = 3 };

struct fixture {
	struct compare_plan plan;
	struct compare_trial trial[COMBINATIONS * RUNS];
	struct compare_result result;
};

static struct compare_trial
trial(double pps, double cycles)
{
	return (struct compare_trial){ .done = true,
		.cpu.share = NAN,
		.summary = { .pps = pps,
			.cycles = cycles,
			.l2_bps = pps * 512,
			.l1_bps = pps * 704,
			.line_bps = 7040,
			.account = { .lost = 1, .offered = 10, .unsent = 2 } } };
}

/* The machine halves its speed after the third round: ratios do not see it, medians do. */
static int
setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->plan.n = COMBINATIONS;
	f->plan.runs = RUNS;
	for (unsigned int round = 0; round < RUNS; round++) {
		const double speed = round < 3 ? 8 : 4;

		f->trial[RUNS + round] = trial(speed, 100 / speed);
		f->trial[2 * RUNS + round] = trial(1.5 * speed, NAN);
	}
	f->result = (struct compare_result){ .plan = &f->plan, .trial = f->trial };
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	free(*state);
	return 0;
}

TEST(test_medians)
{
	const struct fixture *f = *state;
	struct compare_stats s;

	assert_true(compare_stats(&f->result, 1, 1, &s));
	assert_true(s.pps.n == 7 && s.pps.median == 4 && s.pps.low == 4 && s.pps.high == 8);
	assert_true(s.pps.cover == 0.984375);
	assert_true(s.cycles.n == 7 && s.cycles.median == 25 && s.cycles.low == 12.5);
	assert_true(s.l2_bps.median == 2048 && s.l1_bps.median == 2816 && s.line.median == 0.4);
	assert_true(s.lost == 7 && s.offered == 70 && s.unsent == 14);
	assert_true(s.ratio.median == 1 && s.ratio.low == 1 && s.ratio.high == 1);
	assert_true(compare_stats(&f->result, 2, 1, &s));
	assert_true(s.cycles.n == 0);
	assert_true(s.ratio.n == 7 && s.ratio.low == 1.5 && s.ratio.high == 1.5);
}

/* Runs that are missing count for nothing, and take their round out of the ratio alone. */
TEST(test_missing)
{
	struct fixture *f = *state;
	struct compare_stats s;

	assert_int_equal(compare_stats_first(&f->result), 1);
	f->trial[RUNS + 6].done = false;
	f->trial[2 * RUNS + 5].done = false;
	assert_true(compare_stats(&f->result, 2, 1, &s));
	assert_true(s.pps.n == 6 && s.pps.median == 9 && s.ratio.n == 5 && s.lost == 6);
	assert_true(compare_stats(&f->result, 0, 1, &s));
	assert_true(s.pps.n == 0 && s.ratio.n == 0 && s.offered == 0);
	for (unsigned int i = 0; i < COMBINATIONS * RUNS; i++)
		f->trial[i].done = false;
	assert_int_equal(compare_stats_first(&f->result), 0);
}

static void
share(struct fixture *f, unsigned int round, double share)
{
	f->trial[RUNS + round].cpu.share = share;
}

/* Runs without their CPU are left out, unless too few others remain. */
TEST(test_lost_cpu)
{
	struct fixture *f = *state;
	struct compare_stats s;

	for (unsigned int round = 0; round < RUNS; round++)
		share(f, round, RUN_CPU_ENOUGH);
	compare_leave_out(&f->result);
	assert_true(compare_stats(&f->result, 1, 1, &s) && s.pps.n == 7);
	/* The three fast ones: with them the median would be 4 too, but not the interval. */
	for (unsigned int round = 0; round < 3; round++)
		share(f, round, 0.949);
	compare_leave_out(&f->result);
	assert_true(compare_stats(&f->result, 1, 1, &s));
	assert_true(s.pps.n == 4 && s.pps.high == 4 && s.lost == 4 && s.offered == 40);
	assert_true(compare_stats(&f->result, 2, 1, &s));
	assert_true(s.pps.n == 7 && s.ratio.n == 4);
	assert_int_equal(compare_stats_first(&f->result), 1);
	/* More than half of them: all count again. */
	for (unsigned int round = 0; round < RUNS; round++)
		f->trial[RUNS + round].left_out = false;
	share(f, 3, 0);
	compare_leave_out(&f->result);
	assert_true(compare_stats(&f->result, 1, 1, &s) && s.pps.n == 7);
	/* Half of four would remain, which is fewer than three. */
	share(f, 0, 1);
	share(f, 1, 1);
	for (unsigned int round = 4; round < RUNS; round++)
		f->trial[RUNS + round].done = false;
	compare_leave_out(&f->result);
	assert_true(compare_stats(&f->result, 1, 1, &s) && s.pps.n == 4);
	/* Runs that did not end are neither lost nor among the others. */
	share(f, 2, 1);
	share(f, 5, 0);
	compare_leave_out(&f->result);
	assert_true(compare_stats(&f->result, 1, 1, &s) && s.pps.n == 3);
	assert_true(f->trial[RUNS + 3].left_out && !f->trial[RUNS + 5].left_out);
}

/* What a round without packets is to another is no number. */
TEST(test_nothing)
{
	struct fixture *f = *state;
	struct compare_stats s;

	f->trial[RUNS].summary.pps = 0;
	assert_true(compare_stats(&f->result, 2, 1, &s));
	assert_true(s.ratio.n == 6 && s.ratio.median == 1.5 && s.pps.n == 7);
}

TESTS(.before = setup, .after = teardown);
