/* Answers to somebody else while a command runs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/out_aside.h"

#include "base/out.h"
#include "base/out_json.h"
#include "base/out_priv.h"

#include <assert.h>
#include <stdlib.h>

/* What out_aside_begin() replaces. */
struct out_aside {
	FILE *failures, *redirected;
	enum out_format format, next;
	struct frame *top, outermost;
	unsigned int lost;
	struct json_part stray;
	bool paged;
	const struct out_screen *screen;
	const FILE *screen_file;
	FILE *events;
};

struct out_aside *
out_aside_begin(struct out *o, const struct out_reader *reader)
{
	struct out_aside *a = malloc(sizeof(*a));

	if (a == NULL)
		return NULL;
	*a = (struct out_aside){ .failures = o->failures,
		.redirected = out_redirect(o, reader->results),
		.format = o->format,
		.next = o->next,
		.top = o->top,
		.outermost = o->outermost,
		.lost = o->lost,
		.stray = o->stray,
		.paged = o->paged,
		.screen = o->screen,
		.screen_file = o->screen_file,
		.events = o->events };
	o->failures = reader->failures;
	o->screen = reader->screen;
	o->screen_file = reader->results;
	o->events = reader->events;
	o->format = o->next = reader->format;
	o->top = NULL;
	o->lost = 0;
	o->stray = (struct json_part){ 0 };
	o->paged = false;
	return a;
}

enum out_format
out_aside_end(struct out *o, struct out_aside *a)
{
	const enum out_format chosen = o->next;

	assert(o->top == NULL && o->lost == 0);
	out_json_part_free(&o->stray);
	fflush(o->failures);
	(void)out_redirect(o, a->redirected);
	o->failures = a->failures;
	o->format = a->format;
	o->next = a->next;
	o->top = a->top;
	o->outermost = a->outermost;
	o->lost = a->lost;
	o->stray = a->stray;
	o->paged = a->paged;
	o->screen = a->screen;
	o->screen_file = a->screen_file;
	o->events = a->events;
	free(a);
	return chosen;
}
