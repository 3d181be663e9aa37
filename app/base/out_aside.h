/* Answers to somebody else while a command runs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/out.h"

#include <stdio.h>

/* Where answers go that are somebody else's. The files are the caller's. */
struct out_reader {
	FILE *results, *failures;
	FILE *events; /* NULL: none are printed */
	enum out_format format;
	/* The terminal with cursor control that shows the results, whose size may change; NULL: none. */
	const struct out_screen *screen;
};

/*
 * Answer somebody else, who may ask while a command runs: results of this thread, failures and the
 * format are others until out_aside_end(), and begin as between two commands. Returns NULL without
 * memory. out_aside_end() returns the format that is chosen by then, and goes back to where the
 * command stood. Such times nest. Thread: the one that opened o.
 */
struct out_aside;
struct out_aside *out_aside_begin(struct out *o, const struct out_reader *reader);
enum out_format out_aside_end(struct out *o, struct out_aside *aside);
