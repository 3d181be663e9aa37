/* Quantiles, ratios and choices that are known. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/figures.h"
#include "fixtures/unit.h"

#include <stdint.h>

#define NEAR 1e-12

TEST(quantiles)
{
	static const struct {
		double value[5];
		size_t n;
		double q, want;
	} rows[] = {
		{ { 0 }, 0, 0.5, 0 },
		{ { 7 }, 1, 0, 7 },
		{ { 7 }, 1, 0.5, 7 },
		{ { 7 }, 1, 1, 7 },
		{ { 4, 2 }, 2, 0.5, 3 },
		{ { 4, 2 }, 2, 0.25, 2.5 },
		{ { 9, 1, 5 }, 3, 0.5, 5 },
		{ { 50, 10, 40, 20, 30 }, 5, 0, 10 },
		{ { 50, 10, 40, 20, 30 }, 5, 0.05, 12 },
		{ { 50, 10, 40, 20, 30 }, 5, 0.5, 30 },
		{ { 50, 10, 40, 20, 30 }, 5, 0.9, 46 },
		{ { 50, 10, 40, 20, 30 }, 5, 1, 50 },
		{ { 3, 3, 3, 3, 100 }, 5, 0.75, 3 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct spread s = { 0 };

		for (size_t k = 0; k < rows[i].n; k++)
			assert_true(spread_add(&s, rows[i].value[k]));
		assert_float_equal(spread_quantile(&s, rows[i].q), rows[i].want, NEAR);
		spread_free(&s);
	}
}

/* It grows, and forgets without giving anything of before away. */
TEST(many)
{
	struct spread s = { 0 };

	for (int turn = 0; turn < 2; turn++) {
		for (int i = 0; i < 10001; i++)
			assert_true(spread_add(&s, (i * 7919) % 10001 + turn));
		assert_int_equal(s.n, 10001);
		assert_float_equal(spread_quantile(&s, 0.5), 5000 + turn, NEAR);
		assert_float_equal(spread_quantile(&s, 0.9), 9000 + turn, NEAR);
		spread_clear(&s);
		assert_int_equal(s.n, 0);
	}
	spread_free(&s);
	assert_null(s.value);
}

/* Of the pairs, not of the sums: a slow spell that met both sides changes nothing. */
TEST(ratios)
{
	const double over[] = { 8, 80, 8, 9, 0, 8 }, under[] = { 10, 100, 10, 10, 10, 0 };
	struct spread_ratio r;

	assert_true(spread_ratio(over, under, 6, &r));
	assert_int_equal(r.pairs, 4);
	assert_float_equal(r.median, 0.8, NEAR);
	assert_float_equal(r.low, 0.8, NEAR);
	assert_float_equal(r.high, 0.825, NEAR);
	assert_true(spread_ratio(under, under, 5, &r));
	assert_float_equal(r.median, 1, NEAR);
	assert_true(spread_ratio(over + 4, under + 4, 2, &r));
	assert_int_equal(r.pairs, 0);
	assert_float_equal(r.median, 0, NEAR);
}

/* Batches on a shared core are left out; a sample that has no other ones has no median. */
TEST(quiet)
{
	static const struct figures_batch batch[] = { { 10, 1.0, 0 }, { 30, 1.2, 0 },
		{ 12, 1.1, 0 }, { 31, 1.3, 1 }, { 32, 1.2, 1 }, { 9, 1.05, 3 }, { 33, 1.2, 3 } };
	const size_t n = sizeof(batch) / sizeof(batch[0]);
	struct figures f = { 0 };
	struct spread all = { 0 };
	double median[4];

	assert_int_equal(figures_quiet(&f, 0, 1.1), 0);
	for (size_t i = 0; i < n; i++)
		assert_true(figures_add(&f, batch[i]));
	assert_int_equal(figures_quiet(&f, 0, 1.1), 3);
	assert_int_equal(figures_quiet(&f, 1, 1.1), 1);
	assert_int_equal(figures_quiet(&f, 3, 1.0), 0);
	assert_int_equal(figures_quiet(&f, 0, 9), n);
	assert_true(figures_select(&f, 1.1, false, &all, median, 4));
	assert_int_equal(all.n, 3);
	assert_float_equal(spread_quantile(&all, 0.5), 10, NEAR);
	assert_float_equal(median[0], 11, NEAR);
	assert_float_equal(median[1], 0, NEAR);
	assert_float_equal(median[2], 0, NEAR);
	assert_float_equal(median[3], 9, NEAR);
	spread_clear(&all);
	assert_true(figures_select(&f, 1.25, true, &all, median, 4));
	assert_int_equal(all.n, 3);
	assert_float_equal(median[0], 52. / 3, NEAR);
	assert_float_equal(median[1], 32, NEAR);
	assert_float_equal(median[2], 0, NEAR);
	assert_float_equal(median[3], 21, NEAR);
	spread_free(&all);
	figures_free(&f);
	assert_null(f.batch);
}
