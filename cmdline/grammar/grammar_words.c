/* Cutting a line into words: white space, quotes, comments. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/grammar/grammar_priv.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

/* Fail at the word that begins at column at. */
static int
word_err(const char *line, size_t at, struct err *e, const char *what)
{
	err_set(e, EINVAL, "column %zu: %s", at + 1, what);
	if (e == NULL)
		return -EINVAL;
	e->verdict = "Bad arguments";
	e->column = (int)at;
	snprintf(e->word, sizeof(e->word), "%s", line + at);
	return -EINVAL;
}

/* Copy the quoted word at *at to to, which moves. Returns 0 or -EINVAL. */
static int
quoted_word(const char *line, size_t *at, char **to, struct words *w, struct err *e)
{
	size_t start = *at, i = start + 1;

	for (; line[i] != '"'; i++) {
		if (line[i] == '\\' && (line[i + 1] == '"' || line[i + 1] == '\\'))
			i++;
		if (line[i] == '\0') {
			w->in_quotes = true;
			*at = i;
			return word_err(line, start, e, "missing closing quote");
		}
		*(*to)++ = line[i];
	}
	*at = ++i;
	if (line[i] != '\0' && !is_space(line[i]))
		return word_err(line, start, e, "missing space after the closing quote");
	return 0;
}

int
grammar_words(const char *line, struct words *w, struct err *e)
{
	size_t at = 0, start, len = strnlen(line, LINE_BYTES);
	char *to = w->text;
	struct word spare;
	int ret = 0;

	memset(w, 0, offsetof(struct words, text));
	w->line = line;
	if (len == LINE_BYTES) {
		if (e != NULL)
			e->verdict = "Bad arguments";
		return err_set(e, E2BIG, "the line is longer than %d bytes", LINE_BYTES - 1);
	}
	while (ret == 0) {
		struct word *word = w->n <= GRAMMAR_WORDS_MAX ? &w->word[w->n] : &spare;

		while (is_space(line[at]))
			at++;
		w->open_at = at;
		w->in_comment = line[at] == '#';
		if (line[at] == '\0' || w->in_comment)
			break;
		start = at;
		word->column = at;
		word->text = to;
		word->quoted = line[at] == '"';
		if (word->quoted)
			ret = quoted_word(line, &at, &to, w, e);
		else
			while (line[at] != '\0' && !is_space(line[at]))
				*to++ = line[at++];
		*to++ = '\0';
		w->end = at;
		w->n += w->n <= GRAMMAR_WORDS_MAX;
		if (line[at] == '\0') {
			w->open_at = start;
			break;
		}
	}
	return ret;
}
