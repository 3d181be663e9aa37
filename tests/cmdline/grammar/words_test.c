/* Texts that are read word by word: quotes, comments, marks, numbers, and where errors point. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/grammar/words.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <string.h>

/* The words of a text, each in []; ! is a wrong one. */
TEST(cut)
{
	static const struct {
		const char *text, *marks, *words;
	} texts[] = {
		{ "", NULL, "" },
		{ " \t", NULL, "" },
		{ " one two\tthree\r\n", NULL, "[one][two][three]" },
		{ "one # two", NULL, "[one]" },
		{ "# one\n# two\nthree # four\nfive", NULL, "[three][five]" },
		{ "one#two", NULL, "[one#two]" },
		{ "\"a b\" c", NULL, "[a b][c]" },
		{ "\"a # b\"", NULL, "[a # b]" },
		{ "\"a \\\"b\\\" \\\\ \\c\"", NULL, "[a \"b\" \\ \\c]" },
		{ "\"\" a", NULL, "[][a]" },
		{ "a\"b c\"", NULL, "[a\"b][c\"]" },
		{ "a \"b c", NULL, "[a]!" },
		{ "\"a\"b c", NULL, "![b][c]" },
		{ "a:b=1,c", ",:", "[a][:][b=1][,][c]" },
		{ "a, :b", ",:", "[a][,][:][b]" },
		{ "\"a,b\"", ",", "[a,b]" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		char got[128] = "";
		struct words r;

		words_open(&r, texts[i].text, 0, NULL);
		words_marks(&r, texts[i].marks);
		for (; r.n > 0; words_next(&r))
			if (r.wrong != NULL)
				strcat(got, "!");
			else
				strcat(strcat(strcat(got, "["), r.word), "]");
		words_close(&r);
		assert_string_equal(got, texts[i].words);
	}
}

/* A word in quotes is no keyword, and one that is too long none at all. */
TEST(keywords)
{
	static char text[LINE_BYTES + 8];
	struct words r;
	struct err e;

	words_open(&r, "\"on\" on", 0, NULL);
	assert_false(words_is(&r, "on", ""));
	words_next(&r);
	assert_true(words_is(&r, "on", ""));
	assert_int_equal(r.n, 0);
	words_close(&r);
	memset(text, 'a', LINE_BYTES);
	words_open(&r, text, 0, NULL);
	err_clear(&e);
	assert_int_equal(words_fail(&r, EINVAL, NULL, &e), -EINVAL);
	assert_non_null(strstr(e.text, "the word is too long"));
	words_close(&r);
}

TEST(numbers)
{
	static const struct {
		const char *text, *unit;
		uint64_t value;   /* of 5..2000 */
		const char *said; /* NULL: it is taken */
	} texts[] = {
		{ "5", NULL, 5, NULL },
		{ "2000 x", NULL, 2000, NULL },
		{ "010", NULL, 10, NULL },
		{ "1k", "flows", 1000, NULL },
		{ "4", NULL, 0, "column 4: 4 is too small: expected a number 5..2000" },
		{ "2001", NULL, 0, "column 4: 2001 is too large: expected a number 5..2000" },
		{ "99999999999999999999", NULL, 0, "is too large" },
		{ "1k", NULL, 0, "unexpected argument \"1k\"" },
		{ "0x10", NULL, 0, "unexpected argument \"0x10\"" },
		{ "-5", NULL, 0, "unexpected argument \"-5\"" },
		{ "\"5\"", NULL, 0, "\"5\"" },
		{ "ten", NULL, 0, "unexpected argument \"ten\"" },
		{ " ", NULL, 0, "column 5: incomplete command: expected a number 5..2000" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		uint64_t value;
		struct words r;
		struct err e;
		int ret;

		err_clear(&e);
		words_open(&r, texts[i].text, strlen("set"), NULL);
		ret = words_number(&r, texts[i].unit, 5, 2000, &value, &e);
		words_close(&r);
		assert_int_equal(ret == 0, texts[i].said == NULL);
		if (ret == 0)
			assert_int_equal(value, texts[i].value);
		else if (strstr(e.text, texts[i].said) == NULL)
			fail_msg("\"%s\": %s", texts[i].text, e.text);
	}
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
