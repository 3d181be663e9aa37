/* A string buffer that grows as it is written. */
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

void
text_clear(struct text *t)
{
	t->n = 0;
	if (t->bytes != NULL)
		t->bytes[0] = '\0';
}
