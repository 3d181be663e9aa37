/* json_read: what is read, and where what is wrong is. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json_read.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

/* Numbers of an object's arrays, added; -EINVAL. */
static int
sum_read(const char *text, double *sum, struct err *e)
{
	struct json_read j = { .text = text };
	char key[8];
	double number;
	int more, inner;

	err_clear(e);
	*sum = 0;
	if (json_read_begin(&j, '{', e) != 0)
		return -e->code;
	while ((more = json_read_more(&j, '}', e)) == 1) {
		if (json_read_key(&j, key, sizeof(key), e) != 0 || json_read_begin(&j, '[', e) != 0)
			return -e->code;
		while ((inner = json_read_more(&j, ']', e)) == 1) {
			if (json_read_number(&j, &number, e) != 0)
				return -e->code;
			*sum += number;
		}
		if (inner < 0)
			return inner;
	}
	return more < 0 ? more : json_read_end(&j, e);
}

TEST(arrays_in_an_object)
{
	static const struct {
		const char *text;
		int sum;
	} cases[] = {
		{ "{}", 0 },
		{ " { } \n", 0 },
		{ "{\"a\": []}", 0 },
		{ "{\"a\":[1],\"b\" : [ 2 , -3e1 ]}", -27 },
		{ "{\"a\": [1],\n\t\"seventh\": [4]}", 5 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e;
		double sum;

		assert_int_equal(sum_read(cases[i].text, &sum, &e), 0);
		assert_int_equal((int)sum, cases[i].sum);
	}
}

TEST(wrong_texts)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "", "line 1, column 1: expected {" },
		{ "[", "line 1, column 1: expected {" },
		{ "{", "line 1, column 2: expected a string" },
		{ "{\"a\" 1}", "line 1, column 6: expected :" },
		{ "{\"a\": 1}", "line 1, column 7: expected [" },
		{ "{\"a\": [1 2]}", "line 1, column 10: expected , or ]" },
		{ "{\"a\": [1], ", "line 1, column 12: expected a string" },
		{ "{\"a\": []\n\"b\": []}", "line 2, column 1: expected , or }" },
		{ "{\"a\": [x]}", "line 1, column 8: expected a number" },
		{ "{\"a\": [+1]}", "line 1, column 8: expected a number" },
		{ "{\"a\": [1,]}", "line 1, column 10: expected a number" },
		{ "{\"a: []}", "line 1, column 3: the string has no end, or contains a \\" },
		{ "{\"a\\u0041\": []}",
			"line 1, column 3: the string has no end, or contains a \\" },
		{ "{\"eightlong\": []}", "line 1, column 3: the string is too long" },
		{ "{} {", "line 1, column 4: expected the end of the file" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e;
		double sum;

		assert_int_equal(sum_read(cases[i].text, &sum, &e), -EINVAL);
		assert_string_equal(e.text, cases[i].error);
	}
}

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
