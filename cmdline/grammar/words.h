/* Reads a line word by word, for languages such as flow rules. The reader declares which words may
 * stand at each place, so that errors and completion can list them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cmdline/grammar/grammar_offer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

struct words {
	const char *text; /* from the first word on */
	size_t column;    /* of the text in its line, for errors */
	size_t at, n;     /* of the word to be read; n 0: there is none left */
	char word[LINE_BYTES];
	struct offers offers; /* words that the reader has declared for this place */
	const void *context;  /* the reader's */
};

/* Begin. Text and context stay the caller's. Thread: control, all of this file. */
void words_open(struct words *r, const char *text, size_t column, const void *context);
void words_close(struct words *r);

/* Declare that this word may stand here; if the next word equals it, read it and return true. */
bool words_is(struct words *r, const char *word, const char *help);

/* Declare a word that may stand here, or describe another argument ("a number"). */
void words_may(struct words *r, const char *word, const char *help);
void words_hint(struct words *r, const char *what);

/* Go on to the next word. */
void words_next(struct words *r);

/*
 * Fail at the word to be read: it is none of those that may stand there. wrong: what is wrong with
 * it; NULL: it is unknown.
 */
int words_fail(struct words *r, int code, const char *wrong, struct err *e);

/* Read a number of at most max, decimal or 0x. ERANGE, EINVAL. */
int words_uint(struct words *r, uint64_t max, uint64_t *value, struct err *e);
