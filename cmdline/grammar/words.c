/* Reads one word at a time and collects the words that may stand there. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/grammar/words.h"

#include "base/err.h"
#include "cmdline/grammar/expect.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r\n"

static void
word_take(struct words *r)
{
	r->at += strspn(r->text + r->at, BLANKS);
	r->n = strcspn(r->text + r->at, BLANKS);
	if (r->n >= sizeof(r->word))
		r->n = sizeof(r->word) - 1;
	memcpy(r->word, r->text + r->at, r->n);
	r->word[r->n] = '\0';
}

void
words_open(struct words *r, const char *text, size_t column, const void *context)
{
	memset(r, 0, sizeof(*r));
	r->context = context;
	r->text = text;
	r->column = column;
	word_take(r);
}

void
words_close(struct words *r)
{
	offers_free(&r->offers);
}

void
words_may(struct words *r, const char *word, const char *help)
{
	offer(&r->offers, word, help, true);
}

void
words_hint(struct words *r, const char *what)
{
	offers_hint(&r->offers, what, "");
}

void
words_next(struct words *r)
{
	offers_free(&r->offers);
	r->at += r->n;
	word_take(r);
}

bool
words_is(struct words *r, const char *word, const char *help)
{
	words_may(r, word, help);
	if (strcmp(r->word, word) != 0)
		return false;
	words_next(r);
	return true;
}

int
words_fail(struct words *r, int code, const char *wrong, struct err *e)
{
	const struct expected x = { .items = &r->offers,
		.words = &r->offers,
		.word = r->n > 0 ? r->word : NULL,
		.column = r->column + (r->n > 0 ? r->at : strlen(r->text)),
		.wrong = r->n > 0 ? wrong : NULL };

	return e != NULL ? expect_fail(&x, code, e) : -code;
}

int
words_uint(struct words *r, uint64_t max, uint64_t *value, struct err *e)
{
	char hint[64], *end;

	snprintf(hint, sizeof(hint), "a number 0..%" PRIu64, max);
	words_hint(r, hint);
	errno = 0;
	*value = strtoull(r->word, &end, 0);
	if (r->n == 0 || r->word[0] == '-' || r->word[0] == '+' || *end != '\0')
		return words_fail(r, EINVAL, NULL, e);
	if (errno != 0 || *value > max)
		return words_fail(r, ERANGE, "the number is too large", e);
	words_next(r);
	return 0;
}
