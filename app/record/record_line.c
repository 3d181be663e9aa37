/* Build lines of a recording in memory, so that each is written completely. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/record_line.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct json *
record_line_open(struct json_part *p, const char *type, const struct record_at *at)
{
	struct json *j = &p->json;

	/* Open an array with one object, so that the object's braces are written too. */
	out_json_part_open(p, true);
	if (p->file == NULL)
		return NULL;
	out_json_enter(j, NULL, false);
	record_line_str(j, "type", type);
	if (at != NULL) {
		out_json_u64(j, "run", at->run);
		out_json_u64(j, "mono_ns", at->mono_ns);
	}
	return j;
}

struct record_line
record_line_close(struct json_part *p)
{
	struct record_line line = { NULL, 0 };

	if (p->file == NULL)
		return line;
	out_json_part_close(p);
	if (p->text != NULL && !p->lost) {
		p->text[p->size] = '\n';
		line = (struct record_line){ p->text, p->size + 1 };
		p->text = NULL;
	}
	out_json_part_free(p);
	return line;
}

void
record_line_str(struct json *j, const char *key, const char *value)
{
	out_json_str(j, key, value, value != NULL ? strlen(value) : 0);
}

uint64_t
record_line_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
