/* What to say of a word that is none of those that were expected. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct err;
struct offers;

/* A place in a line, and what may stand there. */
struct expected {
	const struct offers *items; /* words, and hints that describe what has no words */
	const struct offers *words; /* those that may have been meant; NULL: do not guess */
	const char *word;           /* that stands there; NULL: the line ends */
	size_t column;
	bool short_for_several; /* word begins several of items: only those are named */
	const char *wrong;      /* about it; NULL: it does not fit here, or is missing */
	const char *near;       /* what was probably meant if none of words was; NULL: unknown */
	const char *all;        /* how to list all items of a list that is cut; NULL: not said */
};

/*
 * The one of words that was probably meant by word, which is none of them; NULL: they are all too
 * different. Lives as long as words.
 */
const char *expect_near(const struct offers *words, const char *word);

/*
 * Fill e with what is wrong, the word that was probably meant, what was expected, word, column and
 * testpmd's verdict "Bad arguments". Returns -code.
 */
int expect_fail(const struct expected *x, int code, struct err *e);
