/* Words collected for one place of a line: what completion inserts and ? explains. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cmdline/grammar/arg.h"

#include <stdbool.h>
#include <stddef.h>

struct offers_item {
	char word[256];
	char help[256];
	bool final;
	bool hint; /* no word to insert: "<n>", what is to be typed here */
};

struct offers {
	char prefix[LINE_BYTES]; /* what is typed of the word at the cursor */
	size_t prefix_at;        /* its column */
	bool complete;           /* the line may end here (<return>) */
	bool quoted;             /* the word at the cursor begins with a quote */
	bool literal;            /* inside quotes or a comment: ? means itself */
	struct offers_item *items;
	size_t n, room;
};

/*
 * Offer a word with its one-line help; kept when it begins with what is typed. final: a space
 * follows it.
 */
void offer(struct offers *o, const char *word, const char *help, bool final);

/* As offer(), for a hint: what is to be typed here, which is no word to insert. */
void offers_hint(struct offers *o, const char *word, const char *help);

/* Forget them all. */
void offers_free(struct offers *o);
