/* Fill and extend struct err, the failure that a function reports to its caller. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
err_clear(struct err *e)
{
	memset(e, 0, sizeof(*e));
	e->column = -1;
}

int
err_set(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	if (e == NULL)
		return -code;
	e->code = code;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	return -code;
}

int
err_context(struct err *e, const char *fmt, ...)
{
	char failure[sizeof(e->text)];
	va_list ap;
	size_t n;

	if (e == NULL || e->code == 0)
		return 0;
	memcpy(failure, e->text, sizeof(failure));
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	n = strlen(e->text);
	snprintf(e->text + n, sizeof(e->text) - n, ": %.*s", (int)(sizeof(e->text) - 3), failure);
	return -e->code;
}
