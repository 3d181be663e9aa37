/* What to say of a line that fits no row: what was wrong, what was expected, what was perhaps
 * meant. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/grammar/grammar_priv.h"
#include "cmdline/grammar/offers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMPARED 64        /* letters of a word that near misses look at */
#define EXPECTED_BYTES 240 /* of e->text: a message is not a manual, ? lists them all */
#define ARGUMENT_BYTES 200 /* of those, of one argument with what its type offers */

/* What the rules alive take at one place. */
struct expectation {
	struct offers items; /* as shown: keywords, hints whose help describes an argument */
	struct offers words; /* words that could have been meant */
	struct err type_err; /* what a type said of the word */
	bool type_errs_differ;
	bool may_end; /* the line may end here */
};

/*
 * Distance in letters added, lost, changed or swapped with a neighbour; words are cut at COMPARED.
 */
static unsigned int
edit_distance(const char *a, const char *b)
{
	unsigned int row[3][COMPARED + 1];
	size_t a_n = strnlen(a, COMPARED), b_n = strnlen(b, COMPARED), i, j;
	unsigned int *before = row[0], *last = row[1], *now = row[2], *swap;

	for (j = 0; j <= b_n; j++)
		last[j] = (unsigned int)j;
	for (i = 1; i <= a_n; i++) {
		now[0] = (unsigned int)i;
		for (j = 1; j <= b_n; j++) {
			unsigned int best = last[j - 1] + (a[i - 1] != b[j - 1]);

			best = last[j] + 1 < best ? last[j] + 1 : best;
			best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
				before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			now[j] = best;
		}
		swap = before;
		before = last;
		last = now;
		now = swap;
	}
	return last[b_n];
}

/* The word that was probably meant, or NULL. */
static const char *
near_miss(const struct offers *words, const char *word)
{
	unsigned int limit = strlen(word) < 5 ? 2 : 3, distance;
	const char *best = NULL;
	size_t i;

	if (strlen(word) < 3)
		return NULL;
	for (i = 0; i < words->n; i++) {
		distance = edit_distance(word, words->items[i].word);
		if (distance < limit) {
			limit = distance;
			best = words->items[i].word;
		}
	}
	return best;
}

/* Add an argument's description, with the words that its type offers. */
static void
expect_argument(const struct walk *w, const struct elem *elem, struct expectation *x)
{
	char text[ARGUMENT_BYTES];
	struct offers own;
	size_t i;

	memset(&own, 0, sizeof(own));
	grammar_offer_describe(elem, text, sizeof(text));
	if (elem->type->offer != NULL && !grammar_type_is_builtin(elem->type))
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
	offers_hint(&x->items, text, "");
}

/* Ask the type what it has against the word. */
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
		offers_hint(&x->items, "the end of the line", "");
}

/*
 * True when the item belongs in a list of those that begin with prefix; arguments belong in the
 * full list only.
 */
static bool
is_listed(const struct offers_item *item, const char *prefix)
{
	return *prefix == '\0' || (!item->hint && strncmp(item->word, prefix, strlen(prefix)) == 0);
}

/* "a, b or c" into text: keywords that begin with prefix, then arguments. */
static void
join(const struct offers *items, const char *prefix, char *text, size_t size)
{
	size_t i, n = 0, left = 0;

	text[0] = '\0';
	for (i = 0; i < items->n; i++)
		left += is_listed(&items->items[i], prefix);
	for (i = 0; i < 2 * items->n; i++) {
		const struct offers_item *item = &items->items[i % items->n];
		const char *between;

		if (item->hint != (i >= items->n) || !is_listed(item, prefix))
			continue;
		if (n + strlen(item->word) + sizeof(" or , ...") >= size) {
			snprintf(text + n, size - n, ", ...");
			return;
		}
		left--;
		between = n == 0 ? "" : left == 0 ? " or " : ", ";
		n += (size_t)snprintf(text + n, size - n, "%s%s", between, item->word);
	}
}

/* The first half of the message: what is wrong. */
static void
say_wrong(const struct walk *w, const struct expectation *x, char *text, size_t size)
{
	const char *word = w->i < w->words->n ? w->words->word[w->i].text : NULL;
	const char *near = word != NULL ? near_miss(&x->words, word) : NULL;

	if (word == NULL)
		snprintf(text, size, "the line ends too early");
	else if (w->ambiguous)
		snprintf(text, size, "\"%.64s\" is short for several", word);
	else if (x->type_err.code != 0 && !x->type_errs_differ)
		snprintf(text, size, "%.150s", x->type_err.text);
	else if (w->i == 0)
		snprintf(text, size, "\"%.64s\" is no command", word);
	else if (x->words.n == 0 && x->items.n == 1 && x->may_end)
		snprintf(text, size, "\"%.64s\" is a word too many", word);
	else
		snprintf(text, size, "\"%.64s\" does not fit here", word);
	if (near != NULL && !w->ambiguous) {
		size_t n = strlen(text);

		snprintf(text + n, size - n, " (did you mean %.64s?)", near);
	}
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
	bool at_end = w->i >= words->n;
	struct expectation x;
	char wrong[256], expected[EXPECTED_BYTES];
	const char *prefix = w->ambiguous ? words->word[w->i].text : "";

	collect(w, &x);
	join(&x.items, prefix, e->expected, sizeof(e->expected));
	join(&x.items, prefix, expected, sizeof(expected));
	say_wrong(w, &x, wrong, sizeof(wrong));
	e->verdict = w->i == 0 ? "Command not found" : "Bad arguments";
	e->column = (int)(at_end ? words->end : words->word[w->i].column);
	snprintf(e->word, sizeof(e->word), "%s", at_end ? "" : words->word[w->i].text);
	err_set(e, error_code(w, &x), "column %d: %s: expected %s", e->column + 1, wrong, expected);
	offers_free(&x.items);
	offers_free(&x.words);
	return -e->code;
}
