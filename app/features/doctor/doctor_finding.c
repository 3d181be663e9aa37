/* What doctor found: a list of findings, each with its source and how to change it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/doctor/doctor_finding.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct doctor_finding *
doctor_finding_add(struct doctor_findings *list, enum doctor_verdict verdict, const char *fmt, ...)
{
	struct doctor_finding *f = &list->spare;
	va_list args;

	if (list->n == list->room) {
		const unsigned int room = list->room + 32;
		struct doctor_finding *more = realloc(list->list, room * sizeof(*more));

		if (more != NULL) {
			list->list = more;
			list->room = room;
		}
	}
	if (list->n < list->room)
		f = &list->list[list->n++];
	else
		list->cut = true;
	*f = (struct doctor_finding){ .check = list->check, .verdict = verdict };
	va_start(args, fmt);
	vsnprintf(f->found, sizeof(f->found), fmt, args);
	va_end(args);
	return f;
}

void
doctor_finding_change(struct doctor_finding *f, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(f->change, sizeof(f->change), fmt, args);
	va_end(args);
}

void
doctor_finding_source(struct doctor_finding *f, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(f->source, sizeof(f->source), fmt, args);
	va_end(args);
}

const char *
doctor_finding_word(enum doctor_verdict verdict)
{
	static const char *const words[] = { "ok", "spoils", "unknown", "fails", "warning" };

	return words[verdict];
}
