/* Arguments by name. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/grammar/arg.h"

#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct arg *
arg_find(const struct args *a, const char *name)
{
	unsigned int i;

	for (i = 0; i < a->n; i++)
		if (strcmp(a->arg[i].name, name) == 0)
			return &a->arg[i];
	return NULL;
}

uint64_t
arg_u64(const struct args *a, const char *name, uint64_t fallback)
{
	const struct arg *arg = arg_find(a, name);

	return arg != NULL ? arg->number : fallback;
}

const char *
arg_str(const struct args *a, const char *name, const char *fallback)
{
	const struct arg *arg = arg_find(a, name);

	return arg != NULL ? arg->text : fallback;
}

bool
arg_given(const struct args *a, const char *name)
{
	return arg_find(a, name) != NULL;
}

bool
arg_is(const struct args *a, const char *name, const char *keyword)
{
	const struct arg *arg = arg_find(a, name);

	return arg != NULL && strcmp(arg->text, keyword) == 0;
}

int
arg_err(const struct args *a, const char *name, struct err *e, int code, const char *fmt, ...)
{
	const struct arg *arg = arg_find(a, name);
	char text[sizeof(e->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (arg != NULL && e != NULL) {
		e->column = arg->column;
		snprintf(e->word, sizeof(e->word), "%s", arg->text);
	}
	return err_set(e, code, "%s", text);
}
