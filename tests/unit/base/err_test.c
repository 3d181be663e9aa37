/* err: what is stored, what is cut, what a context adds. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/err.h"

#include "fixtures/unit.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

static void
clear_forgets_everything(void **state)
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

static void
set_stores_and_returns(void **state)
{
	struct err e;

	err_clear(&e);
	assert_int_equal(err_set(&e, ERANGE, "burst %u packets: expected 1..%u", 600u, 512u),
		-ERANGE);
	assert_int_equal(e.code, ERANGE);
	assert_string_equal(e.text, "burst 600 packets: expected 1..512");
}

static void
the_last_set_wins(void **state)
{
	struct err e;

	err_clear(&e);
	err_set(&e, ERANGE, "first, and longer");
	err_set(&e, EINVAL, "second");
	assert_int_equal(e.code, EINVAL);
	assert_string_equal(e.text, "second");
}

static void
set_keeps_where_it_was(void **state)
{
	struct err e;

	err_clear(&e);
	e.column = 7;
	e.verdict = "Bad arguments";
	err_set(&e, EINVAL, "x");
	assert_int_equal(e.column, 7);
	assert_string_equal(e.verdict, "Bad arguments");
}

static void
set_without_err_only_returns(void **state)
{
	assert_int_equal(err_set(NULL, ENOMEM, "nobody listens"), -ENOMEM);
	assert_int_equal(err_context(NULL, "nobody listens"), 0);
}

static void
set_cuts_long_text(void **state)
{
	char text[2000];
	struct err e;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	err_clear(&e);
	err_set(&e, EINVAL, "%s", text);
	assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
}

static void
context_goes_in_front(void **state)
{
	struct err e;

	err_clear(&e);
	err_set(&e, ENODEV, "no such port");
	assert_int_equal(err_context(&e, "port %d", 3), -ENODEV);
	assert_string_equal(e.text, "port 3: no such port");
	assert_int_equal(err_context(&e, "start"), -ENODEV);
	assert_string_equal(e.text, "start: port 3: no such port");
}

static void
context_without_failure_is_nothing(void **state)
{
	struct err e;

	err_clear(&e);
	assert_int_equal(err_context(&e, "port 3"), 0);
	assert_string_equal(e.text, "");
}

static void
context_stays_inside(void **state)
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clear_forgets_everything),
		cmocka_unit_test(set_stores_and_returns),
		cmocka_unit_test(the_last_set_wins),
		cmocka_unit_test(set_keeps_where_it_was),
		cmocka_unit_test(set_without_err_only_returns),
		cmocka_unit_test(set_cuts_long_text),
		cmocka_unit_test(context_goes_in_front),
		cmocka_unit_test(context_without_failure_is_nothing),
		cmocka_unit_test(context_stays_inside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
