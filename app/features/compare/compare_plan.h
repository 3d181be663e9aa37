/* What compare runs: every combination of the listed values, with the number and length of runs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cmdline/grammar/grammar.h"
#include "run/timed.h"

#include <stddef.h>

struct compare_kind;
struct err;
struct words;
struct offers;
struct run;
struct setting;

enum {
	COMPARE_LISTS = 8,          /* lists per comparison */
	COMPARE_VALUES = 64,        /* values per list */
	COMPARE_COMBINATIONS = 256, /* combinations of all lists */
	COMPARE_RUNS = 1001,        /* runs per combination */
};

/* One list, such as burst=8,32 or engines=io,mac. */
struct compare_list {
	const struct compare_kind *kind;
	const struct setting *setting; /* NULL: the kind is no setting */
	const char *value[COMPARE_VALUES];
	unsigned int n;
};

/* Do not copy: value[] of the lists points into words. */
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
 * Parse "burst=8,32 engines=io,mac [for AMOUNT [UNIT]] [runs N]", check every value against its
 * setting and the ports, and register the possible completions with words. Refuses settings that a
 * comparison cannot change (compare_kind.h). Errors point at the list or the value. Thread: control,
 * all of this file.
 */
int compare_plan_read(struct compare_plan *p, struct words *words, const struct run *r,
	struct err *e);

/* Offer the names of lists; if o->prefix has the name of one already, offer its values. */
void compare_plan_offer(const struct run *r, struct offers *o);

/* The name of what a list varies, such as "burst" or "engine". */
const char *compare_plan_name(const struct compare_list *list);

/* The value that a list has in combination c, 0..p->n - 1. */
const char *compare_plan_value(const struct compare_plan *p, unsigned int c, unsigned int list);
