/* The output layer inside: commands that are answered now, and where. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/out.h"
#include "base/out_json.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

/* One out_begin() without its out_end() yet. */
struct frame {
	struct frame *below;
	const char *command; /* owned by the caller */
	const char *last;    /* printed after the failure, in text; or NULL */
	struct json_part body, messages, warnings;
};

struct out {
	FILE *results, *failures;
	_Atomic(FILE *) redirected; /* replaces results for thread opener; NULL: not redirected */
	pthread_t opener;
	/* of the current commands; written by control, read by workers that print (verbose) */
	_Atomic(enum out_format) format;
	enum out_format next;   /* format from the next outermost out_begin() on */
	struct frame *top;      /* NULL: between commands */
	struct frame outermost; /* needs no allocation */
	unsigned int lost;      /* innermost out_begin()s that got no frame: out of memory */
	struct json_part stray; /* output between commands */
	bool stamps;            /* objects have a member "time" */
	bool paged;             /* what is redirected is shown on the terminal as it is */
	/* the terminal of somebody else, and the file that reaches it; NULL: none */
	const struct out_screen *screen;
	const FILE *screen_file;
	FILE *events; /* NULL: none are printed */
	int error;    /* errno of the first failed write of results; 0: none */
};

/* True if answers are JSON now. */
static inline bool
out_is_json(const struct out *o)
{
	return o->format == OUT_JSON;
}
