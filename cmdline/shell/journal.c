/* The commands that have changed the program's configuration, in order: a file of them restores
 * it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/shell/journal.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows whose syntax begins with these words do something, but configure nothing except the form of answers. */
static const char *const others[] = { "show", "start", "stop", "quit", "load", "load_echo", "watch",
	"top", "clear", "record", "capture", "tap", "bench", "dma", "save", "compare", "set output",
	"flow validate", "flow query", "flow aged", "ping", "wait" };

/* True when text begins with these whole words. */
static bool
begins(const char *text, const char *words)
{
	const size_t n = strlen(words);

	return strncmp(text, words, n) == 0 && (text[n] == ' ' || text[n] == '\0');
}

static bool
configures(const char *syntax)
{
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (begins(syntax, others[i]))
			return false;
	return true;
}

/* Bytes in front of the last word; 0: there is one word only. */
static size_t
head_bytes(const char *line)
{
	const char *space = strrchr(line, ' ');

	return space != NULL ? (size_t)(space - line) + 1 : 0;
}

/* True when the last word of a `set` is the value, and not the port that gets one. */
static bool
ends_in_value(const char *syntax)
{
	const char *last = strrchr(syntax, '<'), *type = last != NULL ? strchr(last, ':') : NULL;

	return type != NULL && strncmp(type, ":port", 5) != 0 && syntax[strlen(syntax) - 1] == '>';
}

/*
 * Index of the line that this one replaces, or j->n: one of the last `set` lines, since no other
 * command after it can depend on it.
 */
static size_t
replaced(const struct journal *j, const char *syntax, const char *line)
{
	const size_t head = ends_in_value(syntax) ? head_bytes(line) : 0;

	for (size_t i = j->n; i > 0 && begins(j->lines[i - 1], "set"); i--) {
		const char *old = j->lines[i - 1];

		if (strcmp(old, line) == 0 ||
			(head > 0 && head_bytes(old) == head && memcmp(old, line, head) == 0))
			return i - 1;
	}
	return j->n;
}

/* Make room for one more line; false when memory is short. */
static bool
grow(struct journal *j)
{
	const size_t room = 2 * j->room + 64;
	char **lines;

	if (j->n < j->room)
		return true;
	lines = j->n < JOURNAL_LINES ? realloc(j->lines, room * sizeof(*lines)) : NULL;
	if (lines == NULL)
		return false;
	j->lines = lines;
	j->room = room < JOURNAL_LINES ? room : JOURNAL_LINES;
	return true;
}

void
journal_add(struct journal *j, const char *syntax, const char *line)
{
	const bool sets = begins(syntax, "set");
	char *copy = NULL;
	size_t i;

	if (!configures(syntax))
		return;
	i = sets ? replaced(j, syntax, line) : j->n;
	if (i < j->n) {
		free(j->lines[i]);
		memmove(&j->lines[i], &j->lines[i + 1], (--j->n - i) * sizeof(*j->lines));
	}
	/* In full, so that it is found again: the keyword may be shortened. */
	if (grow(j) &&
		asprintf(&copy, "%s%s", sets ? "set" : "",
			line + (sets ? strcspn(line, " \t") : 0)) >= 0)
		j->lines[j->n++] = copy;
	else
		j->cut = true;
}

void
journal_close(struct journal *j)
{
	for (size_t i = 0; i < j->n; i++)
		free(j->lines[i]);
	free(j->lines);
	*j = (struct journal){ 0 };
}
