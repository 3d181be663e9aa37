/* A string buffer that grows as needed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES 320
#define ROOM_BYTES 4096

void
text_add(struct text *t, const char *fmt, ...)
{
	char piece[PIECE_BYTES];
	va_list ap;
	char *more;
	size_t n;

	va_start(ap, fmt);
	vsnprintf(piece, sizeof(piece), fmt, ap);
	va_end(ap);
	n = strlen(piece);
	if (t->n + n + 1 > t->room && !t->cut) {
		more = realloc(t->bytes, 2 * t->room + n + ROOM_BYTES);
		t->cut = more == NULL;
		if (more != NULL) {
			t->bytes = more;
			t->room = 2 * t->room + n + ROOM_BYTES;
		}
	}
	if (t->cut)
		return;
	memcpy(t->bytes + t->n, piece, n + 1);
	t->n += n;
}

/*
 * Return the length of the next piece that must not be broken: at most room bytes, if there is a
 * place to break.
 */
static size_t
piece_bytes(const char *words, size_t room)
{
	const size_t whole = strcspn(words, " ");
	size_t n = 0, next;

	if (whole <= room)
		return whole;
	for (;;) {
		next = n + strcspn(words + n, "|, ");
		if (words[next] != '|' && words[next] != ',')
			return n > 0 ? n : whole;
		if (n > 0 && next + 1 > room)
			return n;
		n = next + 1;
	}
}

void
text_wrap(struct text *t, const char *words, size_t indent, size_t columns)
{
	const size_t room = columns > indent + 8 ? columns - indent : 8;
	size_t used = 0, n, i;
	bool blank = false;

	for (; *words != '\0'; words += n) {
		if (*words == ' ') {
			blank = true;
			n = 1;
			continue;
		}
		n = piece_bytes(words, room);
		if (used > 0 && used + blank + n > room) {
			text_add(t, "\n%*s", (int)indent, "");
			used = 0;
		} else if (blank && used > 0) {
			text_add(t, " ");
			used++;
		}
		for (i = 0; i < n; i += 256)
			text_add(t, "%.*s", (int)(n - i < 256 ? n - i : 256), words + i);
		used += n;
		blank = false;
	}
}

void
text_clear(struct text *t)
{
	t->n = 0;
	if (t->bytes != NULL)
		t->bytes[0] = '\0';
}
