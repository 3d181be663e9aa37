/* COMMAND | include WORD, COMMAND > FILE: which lines of an answer are shown, and where it goes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cmdline/grammar/grammar.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define FILTERS_MAX 8 /* of one line */

struct err;
struct grammar;
struct out;

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
	FILE *before, *from, *to; /* NULL before: the results' own file */
	int fd;                   /* of the file; -1: none */
	bool json, paged;
	int error;  /* what writing first failed with; 0: it did not */
	char *line; /* that is not complete yet */
	size_t line_n, line_room;
	char *page; /* the answer that is shown by filters_end() */
	size_t page_n;
	char path[2 * LINE_BYTES]; /* of the file */
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
 * From here on results go through the filters, into the file. paged: they are kept for
 * filters_end() to show. After out_begin(). Errors: plain_file_write()'s; ENOMEM.
 */
int filters_begin(struct filters *f, struct out *out, bool paged, struct err *e);

/*
 * Results go where they went before; the file is complete, a kept answer is shown by pager_show().
 * Errors of write(2) and close(2).
 */
int filters_end(struct filters *f, int interrupt_fd, struct err *e);
