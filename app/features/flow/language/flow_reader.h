/* Words of a flow rule, one after the other; whoever reads says what may stand at each place, for
 * errors and for completion. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cmdline/grammar/offers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct flow_defaults;

struct flow_reader {
	const char *text; /* from the rule's first word on */
	size_t column;    /* of the text in its line, for errors */
	size_t at, n;     /* of the word to be read; n 0: there is none left */
	char word[LINE_BYTES];
	struct offers offers; /* what may stand there, as far as the reader has said */
	const struct flow_defaults *defaults; /* what words do not say */
};

/* Begin. Text and defaults stay the caller's. Thread: control, all of this file. */
void flow_reader_open(struct flow_reader *r, const char *text, size_t column,
	const struct flow_defaults *defaults);
void flow_reader_close(struct flow_reader *r);

/* Whether the word to be read is this one, which may stand there; then it is read. */
bool flow_reader_is(struct flow_reader *r, const char *word, const char *help);

/* Say that this word may stand there, or what else may ("a number"). */
void flow_reader_may(struct flow_reader *r, const char *word, const char *help);
void flow_reader_hint(struct flow_reader *r, const char *what);

/* The word to be read is done with. */
void flow_reader_next(struct flow_reader *r);

/* It is none of those that may stand there. wrong: what is wrong with it; NULL: it does not fit. */
int flow_reader_fail(struct flow_reader *r, int code, const char *wrong, struct err *e);

/* Read a number of at most max, decimal or 0x. ERANGE, EINVAL. */
int flow_reader_uint(struct flow_reader *r, uint64_t max, uint64_t *value, struct err *e);
