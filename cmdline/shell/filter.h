/* COMMAND | include WORD, COMMAND > FILE: which lines of an answer are shown, and where it goes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/plain_file.h"
#include "cmdline/grammar/grammar.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct err;
struct grammar;
struct interrupt;
struct out;

#define FILTERS_MAX 8 /* of one line */

enum filter_kind { FILTER_INCLUDE, FILTER_EXCLUDE, FILTER_BEGIN, FILTER_COUNT };

struct filter {
	enum filter_kind kind;
	regex_t pattern; /* not of FILTER_COUNT */
	bool begun;      /* FILTER_BEGIN: the first match was seen */
	uint64_t n;      /* FILTER_COUNT */
};

/* What stands behind a command. All zero: nothing. */
struct filters {
	size_t command_bytes; /* of the line, before the first filter */
	unsigned int n;
	struct filter filter[FILTERS_MAX];
	bool to_file, append, overwrite, no_more;
	/* from filters_begin() on */
	struct out *out;
	/* set by the caller */
	struct filters *outer;    /* of the command that runs this one; NULL: none */
	bool failed;              /* the command, before filters_end() */
	FILE *before, *from, *to; /* NULL before: the results' own file */
	FILE *around;             /* where failures go, past the filters and the file */
	bool json, paged;
	int error;  /* what writing first failed with; 0: it did not */
	char *held; /* what was printed since the last filters_settle(), as it was printed */
	size_t held_n, held_room;
	char *line; /* that is not complete yet */
	size_t line_n, line_room;
	char *page; /* the answer that is shown by filters_show() */
	size_t page_n;
	char path[2 * LINE_BYTES]; /* of the file, as it was typed */
	struct plain_file file;    /* to_file, from filters_begin() on */
};

/*
 * The rows of what may stand behind a command: filters behind "|", and files. grammar_free() it. NULL
 * with e filled: no memory.
 */
struct grammar *filter_grammar(struct err *e);

/*
 * Bytes of line in front of its last "|", ">" or ">>"; *filter: where what may stand behind a command
 * begins, for grammar_offer(). SIZE_MAX: there is none.
 */
size_t filter_last(const char *line, size_t *filter);

/*
 * Read what stands behind the command of a line. g: filter_grammar(). EINVAL, E2BIG and grammar_parse()'s
 * errors, with columns of the line. Free with filters_free(), also after an error.
 */
int filters_read(struct filters *f, const struct grammar *g, const char *line, struct err *e);
void filters_free(struct filters *f);

/*
 * From here on results are held for filters_settle() and filters_end(). paged: what passes is kept for
 * filters_show(). After out_begin(). Errors: plain_file_begin()'s; ENOMEM.
 */
int filters_begin(struct filters *f, struct out *out, bool paged, struct err *e);

/*
 * A command has ended: what it printed goes through the filters into the file, or, if it failed, around
 * both. Likewise for the outer filters, from the inner to the outer ones. f may be NULL. Returns 0, or
 * the positive errno value of the first failed write.
 */
int filters_settle(struct filters *f, bool failed);

/*
 * Results go where they went before; what was held is settled, the file is complete, a kept answer
 * waits for filters_show(), or is printed if the command has failed. Then a file that would be replaced
 * stays as it was, and what it would have got is printed. Errors: ENOMEM; those of write(2) and
 * plain_file_end().
 */
int filters_end(struct filters *f, struct err *e);

/* Show the answer that filters_end() has kept, if any, by pager_show(). No command runs any more. */
void filters_show(struct filters *f, struct interrupt *interrupt);
