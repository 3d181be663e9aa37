/* What is compared: lists of values of settings and of engines, of which every combination runs so
 * often and so long. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cmdline/grammar/arg.h"
#include "run/timed.h"

#include <stdbool.h>
#include <stddef.h>

struct err;
struct words;
struct offers;
struct run;
struct setting;

enum {
	COMPARE_LISTS = 8,          /* at most */
	COMPARE_VALUES = 64,        /* of a list */
	COMPARE_COMBINATIONS = 256, /* of all lists */
	COMPARE_RUNS = 1001,        /* of a combination */
};

/* burst=8,32, or engines=io,mac. */
struct compare_list {
	const struct setting *setting; /* NULL: engines */
	const char *value[COMPARE_VALUES];
	unsigned int n;
};

/* Points into itself: not to be copied. */
struct compare_plan {
	struct compare_list list[COMPARE_LISTS];
	unsigned int n_lists;
	unsigned int n; /* combinations; the values of the last list change fastest */
	unsigned int runs;
	struct timed_length length;
	char words[LINE_BYTES];
	size_t words_n;
};

/*
 * Read "burst=8,32 engines=io,mac [for AMOUNT [UNIT]] [runs N]", every value by its setting's row,
 * and say to the reader what may stand at each place. Settings of text, and those that ports take
 * when they are configured, are refused. Errors point at the list or the value. Thread: control, all
 * of this file.
 */
int compare_plan_read(struct compare_plan *p, struct words *words, const struct run *r,
	struct err *e);

/* Offer lists by their names, and the values of the one that o->prefix begins, if it does. */
void compare_plan_offer(const struct run *r, struct offers *o);

/* "burst", "engine": what a list changes. */
const char *compare_plan_name(const struct compare_list *list);

/* The value of a list in combination number c. */
const char *compare_plan_value(const struct compare_plan *p, unsigned int c, unsigned int list);
