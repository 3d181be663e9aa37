/* The parts of the shell: lines from a file or a terminal, filters, pages. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cmdline/grammar/grammar.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct app;
struct editor;
struct err;
struct grammar;
struct out;
struct shell_config;

/* Lines from a pipe or a file, with a signal ending the wait. */

struct reader {
	int fd;           /* the caller's */
	int interrupt_fd; /* when readable the wait ends; -1: none. Never read. */
	size_t at, n;     /* bytes of buffer that were returned, that are filled */
	char buffer[LINE_BYTES];
};

/*
 * Read the next line into line[LINE_BYTES], without its newline and a carriage return before that;
 * the last one may lack the newline. Returns 1, or 0 at the end of the input, -EINTR when
 * interrupt_fd became readable, -E2BIG when the line did not fit and -EILSEQ when it has a NUL byte
 * (its begin is in line, the next call goes on behind it), -EFBIG when it goes on for more than a MiB
 * after that, as a device's zeros do, else -errno.
 */
int reader_line(struct reader *r, char *line);

/* Lines from a terminal: editing, history, completion and ? help by libedit. */

/* Log lines that other threads and drivers print while a line is edited on the same terminal. */

/*
 * Open an editor on the standard input; all arguments stay the caller's. filters: filter_grammar().
 * NULL with e filled when that fails.
 */
struct editor *editor_open(const struct app *app, const struct grammar *g,
	const struct grammar *filters, struct out *out, const struct shell_config *config,
	struct err *e);
void editor_close(struct editor *ed);

/* Call each for the lines of the history, oldest first. */
void editor_history(struct editor *ed, void (*each)(void *ctx, const char *line), void *ctx);

/* Read the next line into line[LINE_BYTES]. Returns as reader_line(). */
int editor_line(struct editor *ed, char *line);

/*
 * True when the last line, or the key that called for help, was typed by hand: its last key came
 * alone. Programs and pasted text write whole lines at once.
 */
bool editor_typed(const struct editor *ed);

/* COMMAND | include WORD, COMMAND > FILE: which lines of an answer are shown, and where it goes. */

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

/* Long answers on a terminal, one screen at a time. */

/*
 * Write n bytes of text to a terminal and wait for a key after each full screen: space, enter, q,
 * /WORD, n. All is written at once if it fits, if keys are waiting already (what was typed ahead is a
 * command) and if to or stdin is not a terminal that can clear a line. A signal (interrupt_fd is
 * readable) or the end of the input ends it as q does. Thread: control.
 */
void pager_show(const char *text, size_t n, FILE *to, int interrupt_fd);
