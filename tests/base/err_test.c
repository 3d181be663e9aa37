/* err: what is stored, what is cut, what a context adds. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/err.h"

#include "fixtures/unit.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

TEST(clear_forgets_everything)
{
	struct err e;

	memset(&e, 0x55, sizeof(e));
	err_clear(&e);
	assert_int_equal(e.code, 0);
	assert_int_equal(e.column, -1);
	assert_null(e.verdict);
	assert_string_equal(e.text, "");
	assert_string_equal(e.word, "");
	assert_string_equal(e.expected, "");
}

TEST(set_stores_and_returns)
{
	struct err e;

	err_clear(&e);
	assert_int_equal(err_set(&e, ERANGE, "burst %u packets: expected 1..%u", 600u, 512u),
		-ERANGE);
	assert_int_equal(e.code, ERANGE);
	assert_string_equal(e.text, "burst 600 packets: expected 1..512");
}

TEST(the_last_set_wins)
{
	struct err e;

	err_clear(&e);
	err_set(&e, ERANGE, "first, and longer");
	err_set(&e, EINVAL, "second");
	assert_int_equal(e.code, EINVAL);
	assert_string_equal(e.text, "second");
}

TEST(set_keeps_where_it_was)
{
	struct err e;

	err_clear(&e);
	e.column = 7;
	e.verdict = "Bad arguments";
	err_set(&e, EINVAL, "x");
	assert_int_equal(e.column, 7);
	assert_string_equal(e.verdict, "Bad arguments");
}

TEST(set_without_err_only_returns)
{
	assert_int_equal(err_set(NULL, ENOMEM, "nobody listens"), -ENOMEM);
	assert_int_equal(err_context(NULL, "nobody listens"), 0);
}

TEST(set_cuts_long_text)
{
	char text[2000];
	struct err e;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	err_clear(&e);
	err_set(&e, EINVAL, "%s", text);
	assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
}

TEST(context_goes_in_front)
{
	struct err e;

	err_clear(&e);
	err_set(&e, ENODEV, "no such port");
	assert_int_equal(err_context(&e, "port %d", 3), -ENODEV);
	assert_string_equal(e.text, "port 3: no such port");
	assert_int_equal(err_context(&e, "start"), -ENODEV);
	assert_string_equal(e.text, "start: port 3: no such port");
}

TEST(context_without_failure_is_nothing)
{
	struct err e;

	err_clear(&e);
	assert_int_equal(err_context(&e, "port 3"), 0);
	assert_string_equal(e.text, "");
}

TEST(context_stays_inside)
{
	char text[2000];
	struct err e;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	err_clear(&e);
	err_set(&e, EINVAL, "%s", text);
	err_context(&e, "port 3");
	assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
	assert_memory_equal(e.text, "port 3: xxx", 11);
	err_context(&e, "%s", text);
	assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
}
