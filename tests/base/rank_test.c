/* Medians and their intervals: ranks and probabilities as tables of order statistics have them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/samples.h"
#include "fixtures/unit.h"

#include <stdint.h>

/* 1, 2, ... n, from both ends to the middle. */
static void
mixed(double *value, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		value[i] = i % 2 == 0 ? n - i / 2 : 1 + i / 2;
}

/* Ranks of the 95 % interval, and sums of exact binomial coefficients. */
TEST(test_ranks)
{
	static const struct {
		unsigned int n, low, high;
		double median, cover;
	} rows[] = {
		{ 1, 1, 1, 1, 0 },
		{ 2, 1, 2, 1.5, 0.5 },
		{ 3, 1, 3, 2, 0.75 },
		{ 5, 1, 5, 3, 0.9375 },
		{ 6, 1, 6, 3.5, 0.96875 },
		{ 8, 1, 8, 4.5, 0.9921875 },
		{ 9, 2, 8, 5, 0.9609375 },
		{ 10, 2, 9, 5.5, 0.978515625 },
		{ 12, 3, 10, 6.5, 0.96142578125 },
		{ 20, 6, 15, 10.5, 0.958610535 },
		{ 25, 8, 18, 13, 0.956714749 },
	};
	double value[25];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct samples_rank m;

		mixed(value, rows[i].n);
		m = samples_rank(value, rows[i].n, 0.95);
		assert_int_equal(m.n, rows[i].n);
		assert_true(m.low == rows[i].low);
		assert_true(m.high == rows[i].high);
		assert_true(m.median == rows[i].median);
		assert_true(m.cover > rows[i].cover - 1e-8 && m.cover < rows[i].cover + 1e-8);
	}
}

/* No values, all alike, a confidence that any pair meets, and more values than 2^-n can tell. */
TEST(test_odd)
{
	double alike[] = { 7, 7, 7, 7, 7, 7, 7 }, three[] = { 3, 1, 2 }, many[1001];
	struct samples_rank m = samples_rank(NULL, 0, 0.95);

	assert_true(m.n == 0 && m.median == 0 && m.cover == 0);
	m = samples_rank(alike, ARRAY_SIZE(alike), 0.95);
	assert_true(m.median == 7 && m.low == 7 && m.high == 7);
	m = samples_rank(three, ARRAY_SIZE(three), 0);
	assert_true(m.low == 2 && m.high == 2);
	mixed(many, ARRAY_SIZE(many));
	m = samples_rank(many, ARRAY_SIZE(many), 0.95);
	/* 501 - 0.98 sqrt(1001) */
	assert_true(m.median == 501 && m.low == 470 && m.high == 532);
	assert_true(m.cover >= 0.95 && m.cover < 0.953);
}
