/* json_read: what is read, and where what is wrong is. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json_read.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/cases.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>

/* Add the numbers of a member, an array, to a sum. */
static int
member_add(struct json_read *j, const char *key, void *ctx, struct err *e)
{
	double number, *sum = ctx;
	int more;

	if (json_read_begin(j, '[', e) != 0)
		return -e->code;
	while ((more = json_read_more(j, ']', e)) == 1) {
		if (json_read_number(j, &number, e) != 0)
			return -e->code;
		*sum += number;
	}
	return more;
}

/* The sum of the numbers in an object's arrays. */
static int
sum_read(const char *text, char *to, size_t size, struct err *e)
{
	struct json_read j = { .text = text };
	double sum = 0;
	const int ret = json_read_object(&j, member_add, &sum, e);

	snprintf(to, size, "%g", sum);
	return ret < 0 ? ret : json_read_end(&j, e);
}

CASES("base/json_read", { "sum", sum_read })

TEST(strings_are_told_apart)
{
	struct json_read j = { .text = " \"two words\" 7" };
	struct err e;
	char text[16];
	double number;

	err_clear(&e);
	assert_true(json_read_is_string(&j));
	assert_int_equal(json_read_string(&j, text, sizeof(text), &e), 0);
	assert_string_equal(text, "two words");
	assert_false(json_read_is_string(&j));
	assert_int_equal(json_read_number(&j, &number, &e), 0);
	assert_int_equal((int)number, 7);
	assert_int_equal(json_read_end(&j, &e), 0);
}

/* Escapes become UTF-8, also those of two halves. A NUL, half a pair and others are refused. */
TEST(escapes)
{
	static const struct {
		const char *json, *text;
	} rows[] = { { "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t" },
		{ "\"\\u00e9\\u20AC\\ud83d\\ude00\"", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80" },
		{ "\"\\u0000\"", NULL }, { "\"\\ud83d\"", NULL }, { "\"\\ude00\"", NULL },
		{ "\"\\ud83d\\u0041\"", NULL }, { "\"\\u12\"", NULL }, { "\"\\", NULL },
		{ "\"12345678901\\u00e9\"", NULL } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct json_read j = { .text = rows[i].json };
		struct err e;
		char text[13];

		err_clear(&e);
		assert_int_equal(json_read_string(&j, text, sizeof(text), &e),
			rows[i].text != NULL ? 0 : -EINVAL);
		if (rows[i].text != NULL)
			assert_string_equal(text, rows[i].text);
	}
}
