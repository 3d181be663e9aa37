/* The words that may stand at one place of a line, for completion and ?. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cmdline/grammar/grammar.h"

#include <stdbool.h>
#include <stddef.h>

/* The topic of words that people use most, whatever table they are of. */
#define OFFERS_USUAL "most used"

struct offers_item {
	char word[256];
	char help[256];
	char topic[64]; /* the title of the table it is of; "": none */
	bool final;
	bool hint; /* describes an argument ("<n>"); not a word to insert */
};

struct offers {
	char prefix[LINE_BYTES]; /* typed part of the word at the cursor */
	size_t prefix_at;        /* its column */
	bool complete;           /* the line may end here (<return>) */
	bool quoted;             /* the word at the cursor begins with a quote */
	bool literal;            /* inside quotes or a comment: ? means itself */
	bool files;              /* the names of files are offered, too */
	const char *folder;      /* of names that are relative; NULL: the program's */
	const char *topic;       /* of what is offered from here on */
	struct offers_item *items;
	size_t n, room;
};

/*
 * Offer a word with its one-line help; ignored unless it begins with the prefix. final: the word is
 * complete, and a space follows it.
 */
void offer(struct offers *o, const char *word, const char *help, bool final);

/* Offer a hint, which describes an argument and is not inserted. */
void offers_hint(struct offers *o, const char *word, const char *help);

/* Forget the items, for those of the next place. */
void offers_clear(struct offers *o);

/* Free the items. */
void offers_free(struct offers *o);
