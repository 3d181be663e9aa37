/* The commands that have changed the program's configuration, in order: a file of them brings it
 * back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define JOURNAL_LINES 20000 /* kept; a program that fuzzes itself would fill the memory */

/* All zero: empty. */
struct journal {
	char **lines;
	size_t n, room;
	bool cut; /* lines were left out: there were too many, or memory was short */
};

/*
 * Note a line that was obeyed, unless a row of this syntax configures nothing (show, start, ...).
 * A `set` that gives the same a value again takes the place of an earlier one among the last `set`
 * lines, so that what is switched to and fro stands there once. Thread: control.
 */
void journal_add(struct journal *j, const char *syntax, const char *line);

/* Free the lines; it is empty then. */
void journal_close(struct journal *j);
