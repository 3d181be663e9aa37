/* Pace: rates and gaps as text, and when packets are due. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/pace.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/cases.h"
#include "fixtures/unit.h"
#include "stream/stream.h"

#include <math.h>
#include <string.h>

#define HZ UINT64_C(2600000000)

static int
rate_read(const char *text, char *to, size_t size, struct err *e)
{
	struct pace_rate rate;

	if (pace_rate_parse(text, &rate, e) != 0)
		return -e->code;
	snprintf(to, size, "%.9g", pace_pps(&rate, 60, 1e10));
	return 0;
}

static int
gaps_read(const char *text, char *to, size_t size, struct err *e)
{
	struct pace_shape shape;

	if (pace_gaps_parse(text, &shape, e) != 0)
		return -e->code;
	if (shape.gaps == PACE_BURSTS)
		snprintf(to, size, "burst:%u", shape.burst);
	else if (shape.gaps == PACE_PAUSES)
		snprintf(to, size, "burst:%u:%.9gus", shape.burst, shape.pause * 1e6);
	else
		snprintf(to, size, "%s", shape.gaps == PACE_EVEN ? "even" : "poisson");
	return 0;
}

CASES("engines/common/pace", { "rate", rate_read }, { "gaps", gaps_read, true })

TEST(unknown_line)
{
	const struct pace_rate percent = { PACE_PERCENT, 50 }, bits = { PACE_BITS, 1e9 };

	assert_true(pace_pps(&percent, 60, 0) < 0);
	assert_true(pace_pps(&bits, 60, 0) > 0);
}

/* The n-th packet is due n gaps after the first, without an error that adds up. */
TEST(even)
{
	static const double pps[] = { 1, 3, 999, 1e6, 14880952.38, 148809523.8, 1e9 };

	for (unsigned int i = 0; i < ARRAY_SIZE(pps); i++) {
		struct pace p;

		pace_open(&p, pps[i], &(struct pace_shape){ PACE_EVEN, 1, 0 }, 1000, HZ, 1);
		assert_true(p.paced);
		for (unsigned int n = 0; n < 1000000; n++) {
			const double exact = 1000 + n * (double)HZ / pps[i];

			assert_true(fabs((double)p.due - exact) <= 1.001);
			pace_next(&p);
		}
	}
}

TEST(bursts)
{
	struct pace p;

	pace_open(&p, 1e6, &(struct pace_shape){ PACE_BURSTS, 32, 0 }, 0, HZ, 1);
	for (unsigned int n = 0; n < 3200; n++) {
		assert_true(fabs((double)p.due - (double)(n / 32) * 32 * 2600) <= 1);
		pace_next(&p);
	}
}

/* Even gaps within a burst, one that is longer by the pause behind it, and no error that adds up. */
TEST(pauses)
{
	const struct pace_shape shape = { PACE_PAUSES, 4, 1e-3 };
	struct pace p;

	pace_open(&p, 3e6, &shape, 500, HZ, 1);
	for (unsigned int n = 0; n < 40000; n++) {
		const double exact = 500 + n * (double)HZ / 3e6 + n / 4 * (double)(HZ / 1000);

		assert_true(fabs((double)p.due - exact) <= 1.001);
		pace_next(&p);
	}
}

TEST(unpaced)
{
	struct pace p;

	pace_open(&p, 0, &(struct pace_shape){ PACE_EVEN, 1, 0 }, 0, HZ, 1);
	assert_false(p.paced);
}

/*
 * Gaps of a Poisson process: mean and standard deviation are equal, 1/e of the gaps are longer than
 * the mean, and e^-8, which only the recursion of the table reaches, longer than 8 times it.
 */
TEST(poisson)
{
	static const double pps[] = { 1000, 1e6, 1e8 };
	enum { N = 4000000 };

	for (unsigned int i = 0; i < ARRAY_SIZE(pps); i++) {
		const double mean = (double)HZ / pps[i];
		double sum = 0, squares = 0, before = 0;
		unsigned int longer = 0, longest = 0;
		struct pace p;

		pace_open(&p, pps[i], &(struct pace_shape){ PACE_POISSON, 1, 0 }, 0, HZ, 1);
		for (unsigned int n = 0; n < N; n++) {
			double due, gap;

			pace_next(&p);
			due = (double)p.due + p.due_part / 4294967296.0;
			gap = (due - before) / mean;
			before = due;
			sum += gap;
			squares += gap * gap;
			longer += gap > 1;
			longest += gap > 8;
		}
		/* 5 standard errors of each */
		assert_true(fabs(sum / N - 1) < 5 / sqrt(N));
		assert_true(fabs(squares / N - 2) < 5 * sqrt(20.0 / N));
		assert_true(fabs((double)longer / N - exp(-1)) < 5 * sqrt(0.2325 / N));
		assert_true(fabs((double)longest / N - exp(-8)) < 5 * sqrt(exp(-8) / N));
	}
}

/* Streams that send to the port of each, and how many of them are before it. */
TEST(senders)
{
	static const struct {
		uint16_t port;
		unsigned int n, before;
	} rows[] = { { 0, 3, 0 }, { 1, 1, 0 }, { 0, 3, 1 }, { 2, 1, 0 }, { 0, 3, 2 } };
	static struct stream all[ARRAY_SIZE(rows)];
	struct stream *siblings[ARRAY_SIZE(rows)];

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		siblings[i] = &all[i];
		all[i].tx_port = rows[i].port;
		all[i].siblings = siblings;
		all[i].n_siblings = ARRAY_SIZE(rows);
		all[i].index = i;
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned int before;

		assert_int_equal(pace_senders(&all[i], &before), rows[i].n);
		assert_int_equal(before, rows[i].before);
	}
}
