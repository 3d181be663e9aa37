/* Parse an amount that a user writes: a decimal number and its unit. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/amount.h"

#include "base/base.h"
#include "base/err.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"

bool
amount_read(const char *word, double *number, const char **unit)
{
	size_t whole = strspn(word, DIGITS), part = 0;
	char *end;

	if (word[whole] == '.')
		part = strspn(word + whole + 1, DIGITS);
	if (whole == 0 || (word[whole] == '.' && part == 0))
		return false;
	*unit = word + whole + (part > 0 ? part + 1 : 0);
	*number = strtod(word, &end);
	return end == *unit; /* refuses 0x10 and 1e3, which strtod() accepts */
}

int
amount_check(const char *word, double *number, const char **unit, struct err *e)
{
	static const char *const units[] = { "", "s", "ms", "packets" };
	bool known = amount_read(word, number, unit);
	unsigned int i = 0;

	while (known && strcmp(*unit, units[i]) != 0)
		known = ++i < ARRAY_SIZE(units);
	if (!known)
		return err_set(e, EINVAL,
			"\"%s\" is not an amount: expected a number, then s, ms or packets", word);
	if (*number <= 0)
		return err_set(e, ERANGE, "%s: expected a number above 0", word);
	if (*number > 1e15)
		return err_set(e, ERANGE, "%s: expected at most 1e15", word);
	return 0;
}
