/* MLRsearch: classification as by FD.io's package, and searches on simulated systems whose rate is
 * known. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/rate/mlr.h"

#include "base/base.h"
#include "fixtures/unit.h"
#include "mlr_oracle.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LOAD 1e6

/* The generator of mlr_oracle.py. */
static unsigned int
below(unsigned int *random, unsigned int n)
{
	*random = *random * 1664525u + 1013904223u;
	return (unsigned int)((uint64_t)(*random >> 8) * n >> 24);
}

/* Random trials at one load: classes and conditional throughput are those of FD.io's package. */
TEST(judged)
{
	static const double losses[] = { 0, 0.005, 0.1 }, exceeds[] = { 0, 0.2, 0.5, 0.75 },
			    durations[] = { 1, 2, 10 }, sums[] = { 10, 21, 60 };
	static const char
		letters[] = { [MLR_UNDECIDED] = '-', [MLR_LOWER] = '<', [MLR_UPPER] = '>' };
	const char *lost_at = oracle_lost;
	unsigned int random = 7;

	for (unsigned int i = 0; i < strlen(oracle_classes); i++) {
		struct mlr m = { 0 };
		struct mlr_goal g = { .width = 0.005, .initial_s = 1 };
		unsigned int n;
		long theirs;
		char *end;

		g.loss = losses[below(&random, 3)];
		g.exceed = exceeds[below(&random, 4)];
		g.final_s = durations[below(&random, 3)];
		g.sum_s = sums[below(&random, 3)];
		n = below(&random, 16);
		for (unsigned int k = 0; k < n; k++) {
			struct mlr_trial t = { .load = LOAD };
			unsigned int lost[4] = { 0, 1 };

			t.duration_s = durations[below(&random, 3)];
			t.effective_s = t.duration_s + below(&random, 8) / 8.0;
			lost[2] = below(&random, 10000);
			lost[3] = below(&random, 1000000);
			t.loss = lost[below(&random, 4)] / 1e6;
			assert_true(mlr_add(&m, &t));
		}
		assert_int_equal(letters[mlr_classify(&m, &g, LOAD)], oracle_classes[i]);
		theirs = strtol(lost_at, &end, 10);
		assert_true(end != lost_at);
		lost_at = end;
		if (theirs >= 0)
			assert_int_equal(lround((1 - mlr_conditional(&m, &g, LOAD) / LOAD) * 1e6),
				theirs);
		mlr_free(&m);
	}
}

/* The bounds of a finished search: the whole range on one side, or as close as the goal's width. */
static void
check_done(const struct mlr *m, const struct mlr_goal *g, const struct mlr_result *r)
{
	assert_true(r->done);
	if (r->upper == 0)
		assert_true(r->lower == m->max_load);
	else if (r->lower == 0)
		assert_true(r->upper == m->min_load);
	else
		assert_true(r->lower < r->upper && r->upper - r->lower <= g->width * r->upper);
}

/* A system that carries a number of packets per second, and pauses in a share of the seconds. */
struct sut {
	double capacity, paused, pause;
	unsigned int random;
};

static double
loss_of(struct sut *s, double load, double duration_s)
{
	double carried = fmin(load, s->capacity), lost = 0;

	for (double at = 0; at < duration_s; at++)
		if (below(&s->random, 1000) < s->paused * 1000)
			lost += carried * s->pause;
	return 1 - (carried * duration_s - lost) / (load * duration_s);
}

static const struct mlr_goal ndr = { 0, 0.5, 0.005, 1, 1, 21 },
			     pdr = { 0.005, 0.5, 0.005, 1, 1, 21 },
			     rfc2544 = { 0, 0, 0.005, 1, 60, 60 },
			     tst009 = { 0, 0.5, 0.005, 1, 60, 120 };

/* As in mlr_oracle.py. */
static const struct {
	const struct mlr_goal *goals[MLR_GOALS_MAX];
	struct sut sut;
	double max, expected;
} searches[] = {
	{ { &ndr }, { 5e6, 0, 0, 1 }, 1e7, 5e6 },
	{ { &pdr }, { 5e6, 0, 0, 1 }, 1e7, 5e6 },
	{ { &ndr }, { 2e7, 0, 0, 1 }, 1e7, 1e7 },
	{ { &ndr }, { 1e5, 0, 0, 1 }, 1e8, 1e5 },
	{ { &rfc2544 }, { 3e6, 0, 0, 1 }, 1e7, 3e6 },
	{ { &tst009 }, { 3e6, 0.001, 0.1, 1 }, 1e7, 3e6 },
	{ { &ndr }, { 5e6, 0.1, 0.1, 1 }, 1e7, 5e6 },
	{ { &pdr }, { 5e6, 0.2, 0.1, 1 }, 1e7, 5e6 },
	{ { &ndr, &pdr }, { 5e6, 0, 0, 1 }, 1e7, 5e6 },
	{ { &ndr, &pdr, &rfc2544, &tst009 }, { 5e6, 0.001, 0.1, 1 }, 1e7, 5e6 },
};

/*
 * Searches on systems whose rate is known: right to a width, as FD.io's package, and not much longer
 * than it.
 */
TEST(simulated)
{
	assert_int_equal(ARRAY_SIZE(searches), ARRAY_SIZE(oracle_searches));
	for (unsigned int i = 0; i < ARRAY_SIZE(searches); i++) {
		struct mlr m = { .min_load = 1000, .max_load = searches[i].max };
		struct sut sut = searches[i].sut;
		double load, duration_s, sum_s = 0;
		unsigned int n = 0;

		while (m.n_goals < MLR_GOALS_MAX && searches[i].goals[m.n_goals] != NULL) {
			m.goal[m.n_goals] = *searches[i].goals[m.n_goals];
			m.n_goals++;
		}
		while (mlr_next(&m, &load, &duration_s) && ++n < 10000) {
			assert_true(load >= m.min_load && load <= m.max_load);
			sum_s += duration_s;
			assert_true(mlr_add(&m,
				&(struct mlr_trial){ load, duration_s, duration_s,
					loss_of(&sut, load, duration_s), 0 }));
		}
		print_message("# %u: %u trials of %.0f s; FD.io's package: %u of %.0f s\n", i, n,
			sum_s, oracle_searches[i].trials, oracle_searches[i].seconds);
		for (unsigned int g = 0; g < m.n_goals; g++) {
			const struct mlr_result r = mlr_result(&m, &m.goal[g]);

			print_message("#    %.0f..%.0f: %.0f; %.0f\n", r.lower, r.upper, r.rate,
				oracle_searches[i].rate[g]);
			check_done(&m, &m.goal[g], &r);
			assert_true(r.rate <= searches[i].expected * 1.0001 &&
				r.rate >= searches[i].expected * (1 - 1.01 * m.goal[g].width));
		}
		assert_true(sum_s <= 1.5 * oracle_searches[i].seconds);
		mlr_free(&m);
	}
}

/*
 * The time that is left, as it is told on the way of a search on a steady system: at the end it is
 * exact, and from the middle on it is not off by more than half.
 */
TEST(left)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(searches); i++) {
		struct mlr m = { .min_load = 1000, .max_load = searches[i].max };
		struct sut sut = searches[i].sut;
		double load, duration_s, told[1000], at[1000], sum_s = 0;
		unsigned int n = 0;

		if (sut.paused > 0)
			continue;
		while (m.n_goals < MLR_GOALS_MAX && searches[i].goals[m.n_goals] != NULL) {
			m.goal[m.n_goals] = *searches[i].goals[m.n_goals];
			m.n_goals++;
		}
		for (;;) {
			assert_true(n < ARRAY_SIZE(told));
			at[n] = sum_s;
			told[n++] = mlr_left(&m, 0.1);
			if (!mlr_next(&m, &load, &duration_s))
				break;
			sum_s += duration_s + 0.1;
			assert_true(mlr_add(&m,
				&(struct mlr_trial){ load, duration_s, duration_s + 0.1,
					loss_of(&sut, load, duration_s), 0 }));
		}
		assert_true(told[n - 1] == 0 && told[0] > 0);
		for (unsigned int k = 0; k < n; k++)
			if (at[k] > sum_s / 2)
				assert_true(fabs(told[k] - (sum_s - at[k])) <=
					0.5 * (sum_s - at[k]) + 1e-6);
		print_message("# %u: told %.0f s at the begin, it took %.0f s\n", i, told[0],
			sum_s);
		mlr_free(&m);
	}
}

/* A goal that needs thousands of trials has no estimate; asking for it takes no time. */
TEST(left_long)
{
	const struct mlr m = { .goal = { { 0.99, 0.5, 0.005, 0.1, 0.1, 86400 } },
		.n_goals = 1,
		.min_load = 1000,
		.max_load = 1e7 };

	assert_true(isnan(mlr_left(&m, 0.1)));
}

/* Whatever the system does, the search ends, and each goal has the bounds that it reports. */
TEST(unruly)
{
	unsigned int random = 3;

	for (unsigned int i = 0; i < 300; i++) {
		struct mlr m = { .goal = { ndr, pdr, rfc2544, tst009 },
			.n_goals = 4,
			.min_load = 1000,
			.max_load = 1e7 };
		const double most = below(&random, 1000) / 1000.0;
		double load, duration_s;
		unsigned int n = 0;

		while (mlr_next(&m, &load, &duration_s)) {
			const double loss = most * below(&random, 1000) / 1000.0 *
				(below(&random, 2) ? load / 1e7 : 1);

			assert_true(++n < 2000);
			mlr_add(&m,
				&(struct mlr_trial){ load, duration_s, duration_s,
					below(&random, 3) == 0 ? loss : 0, 0 });
		}
		for (unsigned int g = 0; g < m.n_goals; g++) {
			const struct mlr_result r = mlr_result(&m, &m.goal[g]);

			check_done(&m, &m.goal[g], &r);
			if (r.lower > 0)
				assert_int_equal(mlr_classify(&m, &m.goal[g], r.lower), MLR_LOWER);
			if (r.upper > 0)
				assert_int_equal(mlr_classify(&m, &m.goal[g], r.upper), MLR_UPPER);
		}
		mlr_free(&m);
	}
}

/* The confidence in a bound, computed by hand. */
TEST(evidence)
{
	struct mlr m = { 0 };
	struct mlr_evidence ev;

	assert_true(isnan(mlr_evidence(&m, &ndr, LOAD, false).confidence));
	for (unsigned int i = 0; i < 11; i++)
		mlr_add(&m, &(struct mlr_trial){ LOAD, 1, 1, 0, 0 });
	mlr_add(&m, &(struct mlr_trial){ LOAD, 0.5, 0.5, 0.5, 0 }); /* too short to count */
	ev = mlr_evidence(&m, &ndr, LOAD, false);
	assert_int_equal(ev.within, 11);
	assert_int_equal(ev.above, 0);
	assert_true(fabs(ev.confidence - (1 - exp2(-11))) < 1e-12);
	mlr_add(&m, &(struct mlr_trial){ LOAD, 1, 1, 0.1, 0 });
	/* One of 12: 1 - (1 + 12) / 2^12; as an upper bound 1 / 2^12. */
	assert_true(fabs(mlr_evidence(&m, &ndr, LOAD, false).confidence - (1 - 13 * exp2(-12))) <
		1e-12);
	assert_true(fabs(mlr_evidence(&m, &ndr, LOAD, true).confidence - exp2(-12)) < 1e-12);
	assert_true(isnan(mlr_evidence(&m, &rfc2544, LOAD, true).confidence));
	mlr_free(&m);
}
