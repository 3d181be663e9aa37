/* A string buffer that grows as it is written. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* All zero: empty. */
struct text {
	char *bytes; /* NUL-terminated, NULL while nothing was added; free() it */
	size_t n, room;
	bool cut; /* memory was short: from then on it stays as it is */
};

/* Add a piece, of which 319 bytes count. Thread: whose text it is. */
void text_add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Add words, the first of which begins in column indent: lines of at most so many columns, the
 * further ones with indent blanks in front. Breaks at blanks, and behind | and , where a word alone
 * is too long. Thread: whose text it is.
 */
void text_wrap(struct text *t, const char *words, size_t indent, size_t columns);

/* Empty it, keeping the memory. */
void text_clear(struct text *t);
