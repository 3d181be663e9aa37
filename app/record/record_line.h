/* One line of a recording in the making: a JSON object that says first what it is and when. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/out_json.h"

#include <stddef.h>
#include <stdint.h>

/* A line with its newline, text to be freed; NULL: no memory. */
struct record_line {
	char *text;
	size_t bytes;
};

/* Where in time and among others a line stands. */
struct record_at {
	uint64_t mono_ns; /* CLOCK_MONOTONIC */
	unsigned int run; /* from 1; 0: outside of any */
};

/*
 * Begin a line: {"type": type, "run": N, "mono_ns": T. at NULL: without the last two. Returns where
 * members go, in p, or NULL: no memory. Thread: any, all of this file.
 */
struct json *record_line_open(struct json_part *p, const char *type, const struct record_at *at);

/* End it. */
struct record_line record_line_close(struct json_part *p);

/* A member that is a string up to its NUL. */
void record_line_str(struct json *j, const char *key, const char *value);

/* CLOCK_MONOTONIC, ns. */
uint64_t record_line_clock(void);
