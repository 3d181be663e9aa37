/* Reads a text word by word, for languages such as flow rules. The reader declares which words may
 * stand at each place, so that errors and completion can list them. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Words, quotes and comments are those of command lines: blanks separate words, a word in quotes may
 * have blanks, in it \" and \\ stand for " and \, and a # at the begin of a word begins a comment,
 * which ends with the line.
 */
#pragma once

#include "cmdline/grammar/offers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

struct words {
	const char *text;  /* from the first word on */
	const char *marks; /* characters that are words of their own; NULL: none */
	size_t column;     /* of the text in its line, for errors */
	size_t at, n;      /* of the word to be read, with its quotes; n 0: there is none left */
	char word[LINE_BYTES]; /* without quotes; empty if the word is wrong */
	bool quoted;           /* it is in quotes, and no keyword */
	const char *wrong;     /* with the word itself, such as a missing quote; NULL: nothing */
	const char *meant;     /* for words_fail(): what was certainly meant; NULL: unknown */
	struct offers offers;  /* words that the reader has declared for this place */
	const void *context;   /* the reader's */
};

/* Begin. Text and context stay the caller's. Thread: control, all of this file. */
void words_open(struct words *r, const char *text, size_t column, const void *context);
void words_close(struct words *r);

/* From the next word on each of these characters is a word, as in "ndr:sum=1s,pdr". */
void words_marks(struct words *r, const char *marks);

/* Read a whole text with read(). Returns what that does. */
int words_read(const char *text, int (*read)(struct words *r, struct err *e), struct err *e);

/* Declare that this word may stand here; if the next word equals it, read it and return true. */
bool words_is(struct words *r, const char *word, const char *help);

/* Declare a word that may stand here, or describe another argument ("a number"). */
void words_may(struct words *r, const char *word, const char *help);
void words_hint(struct words *r, const char *what);

/* Declare that the name of a file may stand here. */
void words_file(struct words *r);

/* Go on to the next word. */
void words_next(struct words *r);

/* The line of the word to be read, from 1, in a text of several lines. */
unsigned int words_line(const struct words *r);

/*
 * Fail at the word to be read: it is none of those that may stand there. wrong: what is wrong with
 * it; NULL: it is unknown.
 */
int words_fail(struct words *r, int code, const char *wrong, struct err *e);

/*
 * Whom words are for, in languages in which "port N" changes that: at first for all ports. Begin with
 * .absent = -1 and the first two members.
 */
struct words_port {
	unsigned int own; /* the port that the words are read for */
	int (*exists)(uint16_t port);
	bool other;     /* the words that follow are for another port */
	int32_t absent; /* the first port that does not exist; -1: none */
};

/* Declare "port N"; read it if it is next. Returns 1, or 0 if another word is; ERANGE, EINVAL. */
int words_port(struct words *r, struct words_port *p, struct err *e);

/* Refuse the port that a setting's text named and that does not exist; absent -1: none. ENODEV. */
int words_port_check(int32_t absent, const char *setting, struct err *e);

/* Read a number of at most max, decimal or 0x. ERANGE, EINVAL. */
int words_uint(struct words *r, uint64_t max, uint64_t *value, struct err *e);

/*
 * Read a decimal number min..max. unit: what it counts, so that text_quantity() reads it, too; NULL:
 * nothing with units. ERANGE, EINVAL.
 */
int words_number(struct words *r, const char *unit, uint64_t min, uint64_t max, uint64_t *value,
	struct err *e);
