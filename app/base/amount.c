/* Amounts as users write them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/amount.h"

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
	return end == *unit; /* not 0x10, not 1e3 */
}
