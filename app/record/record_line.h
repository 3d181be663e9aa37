/* Build one line of a recording: a JSON object that starts with type and time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/out_json.h"

#include <stddef.h>
#include <stdint.h>

/* A line with its newline; the owner frees text. text NULL: no memory. */
struct record_line {
	char *text;
	size_t bytes;
};

/* Time and run of a line. */
struct record_at {
	uint64_t mono_ns; /* CLOCK_MONOTONIC */
	unsigned int run; /* from 1; 0: not in a run */
};

/*
 * Start a line: {"type": type, "run": N, "mono_ns": T. at NULL: without the last two. Returns the
 * writer for further members, part of p, or NULL without memory. Thread: any, all of this file.
 */
struct json *record_line_open(struct json_part *p, const char *type, const struct record_at *at);

/* End the line and return it. */
struct record_line record_line_close(struct json_part *p);

/* Add a string member. */
void record_line_str(struct json *j, const char *key, const char *value);

/* Return CLOCK_MONOTONIC in ns. */
uint64_t record_line_clock(void);
