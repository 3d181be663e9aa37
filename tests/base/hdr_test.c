/* Histograms of times: cells are those of HdrHistogram, quantiles are exact to three digits, and
 * those of too few values are known. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/hdr.h"

#include "base/out.h"
#include "base/stat.h"
#include "fixtures/out_check.h"
#include "fixtures/unit.h"

#include <stdlib.h>

/* Cells follow each other without a gap, and are 0.1 % wide at most. */
static void
cells(void **state)
{
	for (unsigned int i = 0; i + 1 < HDR_CELLS; i++) {
		const uint64_t least = hdr_lowest(i), next = hdr_lowest(i + 1);

		assert_true(next > least);
		assert_true(next - least == 1 || (next - least) * 1000 <= least);
		assert_int_equal(hdr_index(least), i);
		assert_int_equal(hdr_index(next - 1), i);
	}
	assert_int_equal(hdr_index(HDR_HIGHEST), HDR_CELLS - 1);
	assert_int_equal(hdr_index(UINT64_MAX), HDR_CELLS - 1);
}

/* Numbers of cells, as countsArrayIndex() of HdrHistogram gives them. */
static const struct {
	uint64_t value;
	unsigned int index;
} indexes[] = { { 0, 0 }, { 1, 1 }, { 2047, 2047 }, { 2048, 2048 }, { 2049, 2048 }, { 2050, 2049 },
	{ 4095, 3071 }, { 4096, 3072 }, { 1000000, 11169 } };

static void
numbers(void **state)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(indexes); i++)
		assert_int_equal(hdr_index(indexes[i].value), indexes[i].index);
}

static void
quantiles(void **state)
{
	struct hdr *h = calloc(1, sizeof(*h));
	struct hdr_copy *copy = calloc(1, sizeof(*copy));

	hdr_merge(copy, h);
	assert_int_equal(hdr_quantile(copy, 0.5), 0);
	for (uint64_t i = 1; i <= 100000; i++)
		hdr_add(h, i * 1000);
	hdr_merge(copy, h);
	assert_int_equal(copy->total, 100000);
	for (unsigned int k = 1; k <= 1000; k++) {
		const double exact = k * 100 * 1000.0, q = (double)hdr_quantile(copy, k / 1000.0);

		assert_true(q >= exact && q <= exact * 1.001);
	}
	/* The same again. */
	hdr_merge(copy, h);
	assert_int_equal(copy->total, 200000);
	free(copy);
	free(h);
}

/* The difference of two copies, and the highest value of each. */
static void
differences(void **state)
{
	struct hdr *h = calloc(1, sizeof(*h));
	struct hdr_copy *before = calloc(1, sizeof(*before)), *now = calloc(1, sizeof(*now));

	assert_int_equal(hdr_max(now), 0);
	hdr_add_n(h, 70000, 5);
	hdr_merge(before, h);
	assert_int_equal(hdr_max(before), hdr_lowest(hdr_index(70000) + 1) - 1);
	hdr_add_n(h, 0, 3);
	hdr_add(h, 7);
	hdr_merge(now, h);
	hdr_subtract(now, before);
	assert_int_equal(now->total, 4);
	assert_int_equal(now->cell[0], 3);
	assert_int_equal(now->cell[7], 1);
	assert_int_equal(hdr_max(now), 7);
	hdr_add(h, UINT64_MAX);
	hdr_merge(now, h);
	assert_int_equal(hdr_max(now), HDR_HIGHEST);
	free(now);
	free(before);
	free(h);
}

static const struct {
	double share;
	uint64_t least;
} enough[] = { { 0.5, 200 }, { 0.9, 1000 }, { 0.99, 10000 }, { 0.999, 100000 }, { 0.9999, 1000000 },
	{ 0.99999, 10000000 } };

static void
too_few(void **state)
{
	struct hdr_copy *copy = calloc(1, sizeof(*copy));

	for (unsigned int i = 0; i < ARRAY_SIZE(enough); i++) {
		copy->cell[7] = copy->total = enough[i].least - 1;
		assert_true(hdr_known(copy, enough[i].share) == STAT_NONE);
		copy->cell[7] = copy->total = enough[i].least;
		assert_int_equal(hdr_known(copy, enough[i].share), 7);
	}
	assert_true(hdr_known(NULL, 0.5) == STAT_NONE);
	free(copy);
}

/* Percentiles up to a share in columns, in us, those of too few values as dashes and null. */
static void
columns(void **state)
{
	struct out_check *o = *state;
	struct hdr_copy *copy = calloc(1, sizeof(*copy));

	copy->cell[1500] = 900;
	copy->cell[2000] = 100;
	copy->total = 1000;
	out_begin(o->out, "x");
	hdr_titles(o->out, 0.999, " us");
	hdr_titles(o->out, 0.5, "");
	hdr_columns(o->out, 0.99, copy);
	hdr_columns(o->out, 0.5, NULL);
	out_end(o->out, NULL, NULL);
	assert_string_equal(out_check_results(o),
		"     p50 us     p90 us     p99 us   p99.9 us        p50      1.500      1.500          -"
		"          -");
	out_format_set(o->out, OUT_JSON);
	out_begin(o->out, "x");
	hdr_titles(o->out, 1, "");
	hdr_columns(o->out, 1, copy);
	out_end(o->out, NULL, NULL);
	assert_string_equal(out_check_results(o),
		"{\"command\": \"x\", \"ok\": true, \"p50_us\": 1.5, \"p90_us\": 1.5, \"p99_us\": null, "
		"\"p999_us\": null, \"p9999_us\": null, \"p99999_us\": null}\n");
	free(copy);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(cells), cmocka_unit_test(numbers),
		cmocka_unit_test(quantiles), cmocka_unit_test(differences),
		cmocka_unit_test(too_few),
		cmocka_unit_test_setup_teardown(columns, out_check_setup, out_check_teardown) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
