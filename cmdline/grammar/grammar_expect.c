/* The error for a line that matches no row: what is wrong, what was expected, what was probably
 * meant. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "cmdline/grammar/expect.h"
#include "cmdline/grammar/grammar_offer.h"
#include "cmdline/grammar/grammar_priv.h"
#include "cmdline/grammar/synonyms.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENT_BYTES 200 /* of those, of one argument with what its type offers */
#define AFTER_WORDS 3      /* words before the wrong one that are repeated */
#define NAME_LEAST 3       /* letters of an argument's name that says something: no "n" */

/* What the rules alive take at one place. */
struct expectation {
	struct offers items; /* as shown: keywords, hints whose help describes an argument */
	struct offers words; /* words that could have been meant */
	struct err type_err; /* what a type said of the word */
	bool type_errs_differ;
	bool may_end; /* the line may end here */
};

/* Add an argument's description, with the words that its type offers. */
static void
expect_argument(const struct walk *w, const struct elem *elem, struct expectation *x)
{
	char text[ARGUMENT_BYTES];
	struct offers own;
	size_t i;

	memset(&own, 0, sizeof(own));
	grammar_offer_describe(elem, text, sizeof(text));
	if (elem->type->offer_rest != NULL)
		elem->type->offer_rest(w->g->app, elem->params, "", &own);
	else if (elem->type->offer != NULL && !grammar_type_is_builtin(elem->type))
		elem->type->offer(w->g->app, elem->params, "", &own);
	for (i = 0; i < own.n; i++)
		offer(&x->words, own.items[i].word, "", true);
	for (i = 0; i < own.n; i++) {
		const char *word = own.items[i].word;

		if (strlen(text) + strlen(word) + sizeof(", , ...)") >= sizeof(text)) {
			strcat(text, i == 0 ? "" : ", ...)");
			break;
		}
		strcat(text, i == 0 ? " (" : ", ");
		strcat(text, word);
		if (i + 1 == own.n)
			strcat(text, ")");
	}
	offers_free(&own);
	if ((strncmp(text, "a number", strlen("a number")) == 0 || strcmp(text, "a word") == 0) &&
		strlen(elem->name) >= NAME_LEAST)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " (%.32s)", elem->name);
	offers_hint(&x->items, text, "");
}

/* True for "a port number (0, 1)" beside "a port number or all (0, 1, all)". */
static bool
says_less(const char *hint, const char *other)
{
	const size_t n = strcspn(hint, "(");

	return n > 0 && hint[n] == '(' && strncmp(hint, other, n) == 0 &&
		strncmp(other + n, "or ", 3) == 0;
}

/* Leave out the hints of which another one says all. */
static void
say_once(struct offers *items)
{
	for (size_t i = 0; i < items->n; i++)
		for (size_t k = 0; k < items->n && items->items[i].hint; k++) {
			if (!says_less(items->items[i].word, items->items[k].word))
				continue;
			items->n--;
			memmove(&items->items[i], &items->items[i + 1],
				(items->n - i) * sizeof(items->items[i]));
			i--;
			break;
		}
}

/* Ask the type what is wrong with the word. */
static void
ask_type(const struct walk *w, const struct elem *elem, struct expectation *x)
{
	struct arg a = { .list = w->numbers, .list_n = LINE_BYTES };
	unsigned int choice;
	struct err e;

	err_clear(&e);
	if (grammar_walk_fit(w, elem, &choice, &a, &e) != FIT_NOT || e.code == 0)
		return;
	if (x->type_err.code == 0)
		x->type_err = e;
	else if (strcmp(x->type_err.text, e.text) != 0)
		x->type_errs_differ = true;
}

/* Collect what the rules alive take as word w->i. */
static void
collect(const struct walk *w, struct expectation *x)
{
	unsigned int i;
	size_t k;

	memset(x, 0, sizeof(*x));
	for (k = 0; k < w->n; k++) {
		const struct rule *r = grammar_walk_rule(w, k);
		const struct elem *elem = grammar_walk_elem(r, w->i);

		x->may_end |= w->i > 0 && grammar_walk_may_end(r, w->i);
		for (i = 0; elem != NULL && i < elem->n_choices; i++) {
			offer(&x->items, elem->choices[i], "", true);
			offer(&x->words, elem->choices[i], "", true);
		}
		if (elem == NULL || elem->type == NULL)
			continue;
		expect_argument(w, elem, x);
		if (w->i < w->words->n)
			ask_type(w, elem, x);
	}
	if (x->may_end)
		offers_hint(&x->items, EXPECT_END, "");
}

/* Move the words that people use most to the front. */
static void
usual_first(const struct walk *w, struct offers *items)
{
	const char *first = w->i > 0 ? w->words->word[0].text : NULL;
	size_t n = 0;

	for (size_t i = 0; i < items->n && w->i < 2; i++) {
		const struct offers_item item = items->items[i];

		if (item.hint || !synonyms_is_usual(first, item.word))
			continue;
		memmove(&items->items[n + 1], &items->items[n], (i - n) * sizeof(item));
		items->items[n++] = item;
	}
}

/* What is wrong with the word; NULL: it is unknown, or the line ends. */
static const char *
wrong(const struct walk *w, const struct expectation *x, char *text, size_t size)
{
	const char *word = w->i < w->words->n ? w->words->word[w->i].text : NULL;

	if (word == NULL)
		return NULL;
	if (w->ambiguous)
		snprintf(text, size, "\"%.64s\" is ambiguous", word);
	else if (strchr(word, ';') != NULL || strcmp(word, "&") == 0 || strcmp(word, "&&") == 0)
		snprintf(text, size, "\"%.64s\": a line has one command, without ; and &", word);
	else if (w->i > 0 && word[0] == '-' && (word[1] == '-' || isalpha((unsigned char)word[1])))
		snprintf(text, size, "\"%.64s\": commands have words, no options", word);
	else if (w->i == 0 && strncmp(word, "--", 2) == 0 && isalpha((unsigned char)word[2]))
		snprintf(text, size,
			"\"%.64s\": expected a command; options are given at the start: zcfwd ... -- %.64s",
			word, word);
	else if (x->type_err.code != 0 && !x->type_errs_differ)
		snprintf(text, size, "%.150s", x->type_err.text);
	else if (w->i == 0)
		snprintf(text, size, "unknown command \"%.64s\"", word);
	else if (x->words.n == 0 && x->items.n == 1 && x->may_end)
		snprintf(text, size, "unexpected argument \"%.64s\"", word);
	else
		return NULL;
	return text;
}

/* The words before word w->i, or the last one where they are many: "port config". */
static void
after_write(const struct walk *w, char *text, size_t size)
{
	size_t at = 0;

	text[0] = '\0';
	for (unsigned int i = w->i > AFTER_WORDS ? w->i - 1 : 0; i < w->i && at < size; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%s", at > 0 ? " " : "",
			w->words->word[i].text);
}

/* The lines that list what may stand at word w->i: on a terminal, and anywhere. */
static void
list_all(const struct walk *w, char *text, size_t size)
{
	char before[64];
	size_t at = 0;

	before[0] = '\0';
	for (unsigned int i = 0; i < w->i && i < 3 && at < sizeof(before); i++)
		at += (size_t)snprintf(before + at, sizeof(before) - at, "%.16s ",
			w->words->word[i].text);
	snprintf(text, size, "%s?, or help %s", before, before);
	text[strlen(text) - 1] = '\0';
}

static int
error_code(const struct walk *w, const struct expectation *x)
{
	if (w->ambiguous)
		return ENOTUNIQ;
	if (w->i == 0)
		return ENOENT;
	return x->type_err.code != 0 && !x->type_errs_differ ? x->type_err.code : EINVAL;
}

int
grammar_expect(const struct walk *w, struct err *e)
{
	const struct words *words = w->words;
	const bool at_end = w->i >= words->n;
	struct expectation x;
	struct expected what;
	char text[256], all[160], after[64];
	struct guess guess;

	collect(w, &x);
	say_once(&x.items);
	if (!w->ambiguous)
		usual_first(w, &x.items);
	list_all(w, all, sizeof(all));
	after_write(w, after, sizeof(after));
	grammar_guess(w, &guess);
	what = (struct expected){ .items = &x.items,
		.words = w->ambiguous ? NULL : &x.words,
		.word = at_end ? NULL : words->word[w->i].text,
		.column = at_end ? words->end : words->word[w->i].column,
		.ambiguous = w->ambiguous,
		.wrong = wrong(w, &x, text, sizeof(text)),
		.after = after,
		.meant = guess.sure,
		.near = guess.near,
		.all = all };
	expect_fail(&what, error_code(w, &x), e);
	if (w->i == 0)
		e->verdict = "Command not found";
	offers_free(&x.items);
	offers_free(&x.words);
	return -e->code;
}
