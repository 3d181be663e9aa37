/* The commands that have changed the program's configuration, in order: a file of them restores
 * it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define JOURNAL_LINES 20000 /* kept; a program that fuzzes itself would fill the memory */

/* All zero: empty. */
struct journal {
	char **lines;
	size_t n, room;
	bool cut; /* lines are missing: there were too many, or memory was short */
};

/*
 * Add a line that succeeded, unless a row of this syntax configures nothing (show, start, ...). A
 * `set` replaces an earlier `set` of the same setting among the last `set` lines, so that a setting
 * that is changed often has one line. Thread: control.
 */
void journal_add(struct journal *j, const char *syntax, const char *line);

/* Free the lines; it is empty then. */
void journal_close(struct journal *j);
