/* Amounts: a decimal number and a unit, and nothing else that strtod() would take. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/amount.h"

#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void
test_read(void **state)
{
	static const struct {
		const char *word, *unit;
		double number;
	} rows[] = {
		{ "10", "", 10 },
		{ "10s", "s", 10 },
		{ "0.5s", "s", 0.5 },
		{ "500ms", "ms", 500 },
		{ "1000packets", "packets", 1000 },
		{ "007h", "h", 7 },
		{ "1.25", "", 1.25 },
	};
	const char *unit;
	double number;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_true(amount_read(rows[i].word, &number, &unit));
		assert_string_equal(unit, rows[i].unit);
		assert_true(number == rows[i].number);
	}
}

static void
test_refused(void **state)
{
	static const char *const words[] = { "", "s", "-1s", "+1s", " 1", "0x10s", "0x10packets",
		"5e-1s", "1e3", "1E3s", "1.s", ".5s", "inf", "nan" };
	const char *unit;
	double number;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		assert_false(amount_read(words[i], &number, &unit));
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_read),
		cmocka_unit_test(test_refused) };

	return cmocka_run_group_tests_name("amount", tests, NULL, NULL);
}
