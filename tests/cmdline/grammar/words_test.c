/* Texts that are read word by word: quotes, comments, marks, numbers, and where errors point. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/grammar/words.h"

#include "base/err.h"
#include "fixtures/cases.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The words of a text, each in []; ! is a wrong one. */
static int
words_print(const char *text, const char *marks, char *to, size_t size)
{
	struct words r;
	size_t n = 0;

	words_open(&r, text, 0, NULL);
	words_marks(&r, marks);
	for (; r.n > 0; words_next(&r))
		n += (size_t)(r.wrong != NULL ? snprintf(to + n, size - n, "!")
					      : snprintf(to + n, size - n, "[%s]", r.word));
	words_close(&r);
	return 0;
}

static int
cut(const char *text, char *to, size_t size, struct err *e)
{
	return words_print(text, NULL, to, size);
}

static int
cut_at_marks(const char *text, char *to, size_t size, struct err *e)
{
	return words_print(text, ",:", to, size);
}

/* On, then a number 5..2000 of flows, in a text that begins at the fourth column. */
static int
number_read(const char *text, char *to, size_t size, struct err *e)
{
	struct words r;
	uint64_t value;
	int ret;

	words_open(&r, text, 3, NULL);
	if (words_is(&r, "on", "") && r.n == 0)
		ret = snprintf(to, size, "on");
	else
		ret = words_number(&r, "flows", 5, 2000, &value, e);
	if (ret == 0)
		snprintf(to, size, "%" PRIu64, value);
	words_close(&r);
	return ret;
}

CASES("cmdline/grammar/words", { "words", cut }, { "marks", cut_at_marks },
	{ "number", number_read })

/* A word without a unit has none; one that is too long is none at all. */
TEST(bounds)
{
	static char text[LINE_BYTES + 8];
	struct words r;
	struct err e;
	uint64_t value;

	err_clear(&e);
	words_open(&r, "1k", 0, NULL);
	assert_int_equal(words_number(&r, NULL, 5, 2000, &value, &e), -EINVAL);
	words_close(&r);
	memset(text, 'a', LINE_BYTES);
	words_open(&r, text, 0, NULL);
	assert_int_equal(words_fail(&r, EINVAL, NULL, &e), -EINVAL);
	assert_non_null(strstr(e.text, "the word is too long"));
	words_close(&r);
}

/* In a text of several lines a column is one of the word's line. */
TEST(lines)
{
	struct words r;
	struct err e;

	words_open(&r, "one\n# two\n  three", 0, NULL);
	assert_int_equal(words_line(&r), 1);
	words_next(&r);
	assert_int_equal(words_line(&r), 3);
	words_may(&r, "four", "");
	err_clear(&e);
	assert_int_equal(words_fail(&r, EINVAL, NULL, &e), -EINVAL);
	assert_string_equal(e.text, "column 3: unknown keyword \"three\": expected four");
	assert_int_equal(e.column, 2);
	words_close(&r);
}
