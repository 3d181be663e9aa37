/* Reads one word at a time and collects the words that may stand there. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/grammar/words.h"

#include "base/err.h"
#include "base/text.h"
#include "cmdline/grammar/expect.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r\n"

static bool
is_one_of(char c, const char *set)
{
	return c != '\0' && set != NULL && strchr(set, c) != NULL;
}

/* True when the word being taken ends before *s. */
static bool
word_ends(const struct words *r, const char *s)
{
	return *s == '\0' ||
		(r->quoted ? *s == '"' : is_one_of(*s, BLANKS) || is_one_of(*s, r->marks));
}

static void
word_take(struct words *r)
{
	const char *s = r->text + r->at;
	bool mark;
	size_t n = 0;

	for (s += strspn(s, BLANKS); *s == '#'; s += strspn(s, BLANKS))
		s += strcspn(s, "\n");
	r->at = (size_t)(s - r->text);
	r->quoted = *s == '"';
	r->wrong = NULL;
	mark = is_one_of(*s, r->marks);
	if (mark)
		r->word[n++] = *s;
	s += mark || r->quoted;
	while (!mark && !word_ends(r, s)) {
		if (r->quoted && *s == '\\' && is_one_of(s[1], "\"\\"))
			s++;
		if (n + 1 < sizeof(r->word))
			r->word[n++] = *s;
		else
			r->wrong = "the word is too long";
		s++;
	}
	if (r->quoted && *s == '\0')
		r->wrong = "missing closing quote";
	else if (r->quoted && *++s != '\0' && !is_one_of(*s, BLANKS))
		r->wrong = "missing space after the closing quote";
	r->word[r->wrong == NULL ? n : 0] = '\0';
	r->n = (size_t)(s - (r->text + r->at));
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

int
words_read(const char *text, int (*read)(struct words *r, struct err *e), struct err *e)
{
	struct words r;
	int ret;

	words_open(&r, text, 0, NULL);
	ret = read(&r, e);
	words_close(&r);
	return ret;
}

void
words_marks(struct words *r, const char *marks)
{
	r->marks = marks;
	word_take(r);
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
words_file(struct words *r)
{
	words_hint(r, "a file");
	r->offers.files = true;
}

void
words_next(struct words *r)
{
	offers_clear(&r->offers);
	r->at += r->n;
	word_take(r);
}

bool
words_is(struct words *r, const char *word, const char *help)
{
	words_may(r, word, help);
	if (r->quoted || strcmp(r->word, word) != 0)
		return false;
	words_next(r);
	return true;
}

unsigned int
words_line(const struct words *r)
{
	unsigned int line = 1;

	for (size_t i = 0; i < r->at; i++)
		line += r->text[i] == '\n';
	return line;
}

int
words_fail(struct words *r, int code, const char *wrong, struct err *e)
{
	struct expected x = { .items = &r->offers,
		.words = &r->offers,
		.word = r->n > 0 ? r->word : NULL,
		.column = r->column + r->at,
		.wrong = r->wrong != NULL ? r->wrong : wrong,
		.meant = r->meant };

	for (size_t i = 0; i < r->at; i++)
		if (r->text[i] == '\n')
			x.column = r->at - i - 1;
	return e != NULL ? expect_fail(&x, code, e) : -code;
}

/* Read a number in a base, or one with a unit. */
static int
number_read(struct words *r, int base, const char *unit, uint64_t min, uint64_t max,
	uint64_t *value, struct err *e)
{
	char text[96], *end;
	bool good;

	errno = 0;
	*value = strtoull(r->word, &end, base);
	good = !r->quoted &&
		((*r->word >= '0' && *r->word <= '9' && *end == '\0') ||
			(unit != NULL && text_quantity(r->word, unit, value)));
	if (good && errno == 0 && *value >= min && *value <= max) {
		words_next(r);
		return 0;
	}
	snprintf(text, sizeof(text), "a number %" PRIu64 "..%" PRIu64, min, max);
	words_hint(r, text);
	if (!good)
		return words_fail(r, EINVAL, NULL, e);
	snprintf(text, sizeof(text), "%.40s is too %s", r->word,
		errno == 0 && *value < min ? "small" : "large");
	return words_fail(r, ERANGE, text, e);
}

int
words_uint(struct words *r, uint64_t max, uint64_t *value, struct err *e)
{
	return number_read(r, 0, NULL, 0, max, value, e);
}

int
words_number(struct words *r, const char *unit, uint64_t min, uint64_t max, uint64_t *value,
	struct err *e)
{
	return number_read(r, 10, unit, min, max, value, e);
}

int
words_port(struct words *r, struct words_port *p, struct err *e)
{
	uint64_t number;

	if (!words_is(r, "port", "a port that the words after it are for"))
		return 0;
	if (words_number(r, NULL, 0, UINT16_MAX, &number, e) != 0)
		return -e->code;
	if (p->absent < 0 && !p->exists((uint16_t)number))
		p->absent = (int32_t)number;
	p->other = number != p->own;
	return 1;
}

int
words_port_check(int32_t absent, const char *setting, struct err *e)
{
	if (absent < 0)
		return 0;
	return err_set(e, ENODEV,
		"%s: port %d: no such port: expected one of \"show port summary all\"", setting,
		(int)absent);
}
