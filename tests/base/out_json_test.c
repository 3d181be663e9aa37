/* The JSON writer: valid output whatever it is given: nesting, keys, strings, numbers, random
 * calls. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/out.h"
#include "fixtures/out_check.h"
#include "fixtures/unit.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

TEST(nests)
{
	struct out_check *f = *state;

	out_format_set(f->out, OUT_JSON);
	out_begin(f->out, "x");
	out_nest(f->out, "ports", OUT_ARRAY);
	out_nest(f->out, "ignored", OUT_OBJECT);
	out_u64(f->out, "port", NULL, 0);
	out_nest(f->out, "sizes", OUT_ARRAY);
	out_u64(f->out, "ignored", NULL, 1);
	out_u64(f->out, "ignored", NULL, 2);
	out_unnest(f->out);
	out_unnest(f->out);
	out_nest(f->out, NULL, OUT_OBJECT);
	out_unnest(f->out);
	out_unnest(f->out);
	out_u64(f->out, "after", NULL, 3);
	out_end(f->out, NULL, NULL);
	out_check_printed(f,
		"{\"command\": \"x\", \"ok\": true, \"ports\": [{\"port\": 0, \"sizes\": [1, 2]}, {}], \"after\": 3}\n",
		"");
}

TEST(nests_left_open_are_closed)
{
	struct out_check *f = *state;

	out_format_set(f->out, OUT_JSON);
	out_begin(f->out, "x");
	out_nest(f->out, "a", OUT_OBJECT);
	out_nest(f->out, "b", OUT_ARRAY);
	out_u64(f->out, "v", NULL, 1);
	out_end(f->out, NULL, NULL);
	out_check_printed(f, "{\"command\": \"x\", \"ok\": true, \"a\": {\"b\": [1]}}\n", "");
}

TEST(unnesting_too_often_does_nothing)
{
	struct out_check *f = *state;

	out_format_set(f->out, OUT_JSON);
	out_begin(f->out, "x");
	out_unnest(f->out);
	out_nest(f->out, "a", OUT_OBJECT);
	out_unnest(f->out);
	out_unnest(f->out);
	out_u64(f->out, "v", NULL, 1);
	out_end(f->out, NULL, NULL);
	out_check_printed(f, "{\"command\": \"x\", \"ok\": true, \"a\": {}, \"v\": 1}\n", "");
}

TEST(nesting_too_deep_stays_valid)
{
	struct out_check *f = *state;
	unsigned int i;

	out_format_set(f->out, OUT_JSON);
	out_begin(f->out, "x");
	for (i = 0; i < 1000; i++) {
		out_nest(f->out, "deeper", i % 2 == 0 ? OUT_OBJECT : OUT_ARRAY);
		out_u64(f->out, "v", NULL, i);
	}
	for (i = 0; i < 1000; i++)
		out_unnest(f->out);
	out_u64(f->out, "after", NULL, 1);
	out_end(f->out, NULL, NULL);
	fflush(f->results_file);
	assert_true(out_check_json(f->results));
	assert_non_null(strstr(f->results, "\"after\": 1}\n"));
}

TEST(repeated_keys_get_a_number)
{
	struct out_check *f = *state;

	out_format_set(f->out, OUT_JSON);
	out_begin(f->out, "x");
	out_u64(f->out, "v", NULL, 1);
	out_u64(f->out, "v", NULL, 2);
	out_u64(f->out, "v_2", NULL, 3);
	out_u64(f->out, "v", NULL, 4);
	out_bool(f->out, "ok", NULL, false, "", "");
	out_str(f->out, "error", NULL, "mine");
	out_nest(f->out, "v", OUT_OBJECT);
	out_u64(f->out, "v", NULL, 5);
	out_end(f->out, NULL, NULL);
	out_check_printed(f,
		"{\"command\": \"x\", \"ok\": true, \"v\": 1, \"v_2\": 2, \"v_2_2\": 3, \"v_3\": 4, \"ok_2\": false, "
		"\"error_2\": \"mine\", \"v_4\": {\"v\": 5}}\n",
		"");
}

static const struct string_case {
	const char *value, *expected;
} string_cases[] = {
	{ "", "\"\"" },
	{ NULL, "null" },
	{ "a\"b\\c/d", "\"a\\\"b\\\\c/d\"" },
	{ "a\nb\tc\rd\x01\x1b\x7f", "\"a\\nb\\tc\\u000dd\\u0001\\u001b\\u007f\"" },
	{ "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"" },
	{ "\xff", "\"\\ufffd\"" },
	{ "a\x80z", "\"a\\ufffdz\"" },
	{ "cut \xe2\x82", "\"cut \\ufffd\\ufffd\"" },
	{ "cut \xf0\x9f\x98", "\"cut \\ufffd\\ufffd\\ufffd\"" },
	{ "overlong \xc0\xaf", "\"overlong \\ufffd\\ufffd\"" },
	{ "overlong \xe0\x80\xaf", "\"overlong \\ufffd\\ufffd\\ufffd\"" },
	{ "surrogate \xed\xa0\x80", "\"surrogate \\ufffd\\ufffd\\ufffd\"" },
	{ "beyond \xf4\x90\x80\x80", "\"beyond \\ufffd\\ufffd\\ufffd\\ufffd\"" },
	{ "highest \xf4\x8f\xbf\xbf", "\"highest \xf4\x8f\xbf\xbf\"" },
};

TEST(strings)
{
	struct out_check *f = *state;
	char expected[256];
	size_t i;

	out_format_set(f->out, OUT_JSON);
	for (i = 0; i < ARRAY_SIZE(string_cases); i++) {
		long at = ftell(f->results_file);

		out_begin(f->out, "x");
		out_str(f->out, "v", NULL, string_cases[i].value);
		out_end(f->out, NULL, NULL);
		snprintf(expected, sizeof(expected),
			"{\"command\": \"x\", \"ok\": true, \"v\": %s}\n",
			string_cases[i].expected);
		assert_string_equal(f->results + at, expected);
	}
	assert_true(out_check_json(f->results));
}

static const struct double_case {
	double value;
	const char *expected;
} double_cases[] = {
	{ 0, "0" },
	{ 0.1, "0.1" },
	{ -1.5, "-1.5" },
	{ 1e300, "1e+300" },
	{ 1.0 / 3, "0.33333333333333331" },
	{ NAN, "null" },
	{ -NAN, "null" },
	{ INFINITY, "null" },
	{ -INFINITY, "null" },
};

TEST(doubles)
{
	struct out_check *f = *state;
	char expected[256];
	size_t i;

	out_format_set(f->out, OUT_JSON);
	for (i = 0; i < ARRAY_SIZE(double_cases); i++) {
		long at = ftell(f->results_file);

		out_begin(f->out, "x");
		out_f64(f->out, "v", NULL, double_cases[i].value);
		out_end(f->out, NULL, NULL);
		snprintf(expected, sizeof(expected),
			"{\"command\": \"x\", \"ok\": true, \"v\": %s}\n",
			double_cases[i].expected);
		assert_string_equal(f->results + at, expected);
	}
	assert_true(out_check_json(f->results));
}

TEST(noise)
{
	struct out_check *f = *state;
	uint32_t seed = 1;
	unsigned int i, j;

	out_format_set(f->out, OUT_JSON);
	for (i = 0; i < 2000; i++) {
		char bytes[32];

		for (j = 0; j < sizeof(bytes) - 1; j++) {
			seed = seed * 1664525 + 1013904223;
			bytes[j] = (char)(seed >> 24);
		}
		bytes[seed % sizeof(bytes)] = '\0';
		bytes[sizeof(bytes) - 1] = '\0';
		out_begin(f->out, bytes);
		out_str(f->out, bytes, NULL, bytes);
		out_str(f->out, bytes, NULL, bytes);
		out_say(f->out, "%s", bytes);
		out_end(f->out, NULL, bytes);
	}
	fflush(f->results_file);
	assert_true(out_check_json(f->results));
}

TESTS(.before = out_check_setup, .after = out_check_teardown);
