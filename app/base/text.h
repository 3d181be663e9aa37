/* A string buffer that grows as needed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* All zero: an empty buffer. */
struct text {
	char *bytes; /* NUL-terminated, NULL while empty; free() it */
	size_t n, room;
	bool cut; /* out of memory: nothing more is added */
};

/* Append formatted text, truncated to 319 bytes. Thread: the text's owner. */
void text_add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Append words in lines of at most columns; the first begins in column indent, the others get
 * indent blanks in front. Lines break at blanks, and after | or , if a single word is too long.
 * Thread: the text's owner.
 */
void text_wrap(struct text *t, const char *words, size_t indent, size_t columns);

/* Empty the buffer, but keep its memory. */
void text_clear(struct text *t);
