/* Parse lists of numbers and ranges, "0,2-4", in options and settings. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/numbers.h"

#include "base/err.h"

#include <errno.h>
#include <stdlib.h>

/* Parse one "a" or "a-b" at *p and advance *p past it. */
static int
range(const char **p, unsigned long *from, unsigned long *to)
{
	char *end;

	if (**p < '0' || **p > '9')
		return -EINVAL;
	*from = *to = strtoul(*p, &end, 10);
	if (*end == '-') {
		if (end[1] < '0' || end[1] > '9')
			return -EINVAL;
		*to = strtoul(end + 1, &end, 10);
	}
	*p = end;
	return *to < *from || *to > UINT16_MAX ? -ERANGE : 0;
}

int
numbers_parse(const char *what, const char *value, uint16_t *list, unsigned int max,
	unsigned int *n, struct err *e)
{
	unsigned long from, to;
	const char *p = value;

	for (*n = 0;; p++) {
		if (range(&p, &from, &to) != 0 || (*p != ',' && *p != '\0'))
			return err_set(e, EINVAL,
				"%s \"%s\": expected numbers and ranges such as 0,2-4", what,
				value);
		for (; from <= to; from++) {
			if (*n == max)
				return err_set(e, E2BIG, "%s \"%s\": expected at most %u numbers",
					what, value, max);
			list[(*n)++] = (uint16_t)from;
		}
		if (*p == '\0')
			return 0;
	}
}
