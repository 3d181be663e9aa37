/* The error for a word that is none of those expected. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct err;
struct offers;

#define EXPECT_END "the end of the line" /* hint among the items of struct expected */

/* A place in a line, and what may stand there. */
struct expected {
	const struct offers *items; /* words, and hints that describe arguments */
	const struct offers *words; /* those that may have been meant; NULL: no guess */
	const char *word;           /* that stands there; NULL: the line ends */
	size_t column;
	bool ambiguous;    /* word begins several of items: only those are listed */
	const char *wrong; /* about the word; NULL: it is unknown, or missing */
	const char *after; /* the words before it; NULL or "": not reported */
	const char *meant; /* what was certainly meant; NULL: unknown */
	const char
		*near; /* what was probably meant unless word is a slip for one of words; or NULL */
	const char *all; /* how to list the items if the list is cut; NULL: not reported */
};

/*
 * The one of words that was probably meant by word: by a slip of the finger, or as a longer or
 * shorter form of it ("recycling": recycle). NULL: none is near. Lives as long as words.
 */
const char *expect_near(const struct offers *words, const char *word);

/*
 * Fill e with what is wrong, the word that was probably meant, what was expected, word, column and
 * testpmd's verdict "Bad arguments". Returns -code.
 */
int expect_fail(const struct expected *x, int code, struct err *e);
