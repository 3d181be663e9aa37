/* The syntax of a row as people read it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/grammar/grammar_usage.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define EVERY 65535 /* an upper bound from here on is that of the type, and is not shown */

/* True when bounds "lo..hi" are worth showing. */
static bool
narrow(const char *bounds)
{
	const char *dots = strstr(bounds, "..");

	return dots != NULL && strtoull(dots + 2, NULL, 0) < EVERY;
}

/* One argument, "name:type params" in n bytes. */
static void
argument_add(struct text *t, const char *argument, size_t n)
{
	const int name = (int)strcspn(argument, ":");
	const char *type = argument + name + 1, *end = argument + n;
	const size_t type_n = strcspn(type, " >");
	const char *params = type[type_n] == ' ' ? type + type_n + 1 : end;
	const int params_n = (int)(end - params);

	if (strncmp(type, "word", type_n) == 0 || strncmp(type, "choice", type_n) == 0)
		text_add(t, "(%.*s)", params_n, params);
	else if (strncmp(type, "ports", type_n) == 0 && type_n == strlen("ports"))
		text_add(t, "(<%.*s>|all)", name, argument);
	else if (strncmp(type, "list", type_n) == 0)
		text_add(t, "<%.*s,...>", name, argument);
	else if (strncmp(type, "text", type_n) == 0)
		text_add(t, "<%.*s ...>", name, argument);
	else if (params_n > 0 && narrow(params))
		text_add(t, "<%.*s %.*s>", name, argument, params_n, params);
	else
		text_add(t, "<%.*s>", name, argument);
}

void
grammar_usage(const char *syntax, struct text *t)
{
	while (*syntax != '\0') {
		size_t n = strcspn(syntax, "<{}");

		text_add(t, "%.*s", (int)n, syntax);
		syntax += n;
		if (*syntax == '\0')
			return;
		if (*syntax != '<') {
			text_add(t, *syntax++ == '{' ? "[" : "]");
			continue;
		}
		n = strcspn(++syntax, ">");
		argument_add(t, syntax, n);
		syntax += n + (syntax[n] == '>');
	}
}
