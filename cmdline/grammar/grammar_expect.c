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

#define MEANT 3            /* commands that have a keyword, for one to be suggested */
#define ARGUMENT_BYTES 200 /* of those, of one argument with what its type offers */
#define AFTER_WORDS 3      /* words before the wrong one that are repeated */

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
	offers_hint(&x->items, text, "");
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

/* What is wrong with the word; NULL: it is unknown, or the line ends. */
static const char *
wrong(const struct walk *w, const struct expectation *x, char *text, size_t size)
{
	const char *word = w->i < w->words->n ? w->words->word[w->i].text : NULL;

	if (word == NULL)
		return NULL;
	if (w->ambiguous)
		snprintf(text, size, "\"%.64s\" is ambiguous", word);
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

/* The words of a rule up to its element n, which is that keyword: "port config all rxd". */
static void
path_write(const struct rule *r, unsigned int n, const char *keyword, char *text, size_t size)
{
	size_t at = 0;

	for (unsigned int i = 0; i <= n && at < size; i++) {
		const struct elem *elem = &r->elems[i];
		const char *word = i == n    ? keyword
			: elem->name != NULL ? elem->name
					     : elem->choices[0];
		const bool argument = i < n && elem->name != NULL;

		at += (size_t)snprintf(text + at, size - at, "%s%s%s%s", i > 0 ? " " : "",
			argument ? "<" : "", word, argument ? ">" : "");
	}
}

/* The place of that keyword in a rule; -1: it has none. */
static int
keyword_place(const struct rule *r, const char *keyword)
{
	for (unsigned int i = 0; i < r->n; i++)
		for (unsigned int k = 0; k < r->elems[i].n_choices; k++)
			if (strcmp(r->elems[i].choices[k], keyword) == 0)
				return (int)i;
	return -1;
}

/* True when a command of that first word shows something, and changes nothing. */
static bool
is_look(const char *first)
{
	static const char *const looks[] = { "show", "read", "dump", "clear" };
	bool yes = false;

	for (size_t i = 0; i < ARRAY_SIZE(looks); i++)
		yes |= strcmp(looks[i], first) == 0;
	return yes;
}

/*
 * Where the word, which fits nothing here, is a keyword: of a command that begins as the line does,
 * else of the first of at most MEANT, which change something rather than show it. False when there
 * is no such command, or more.
 */
static bool
other_place(const struct walk *w, const char *word, char *text, size_t size)
{
	const char *first = w->words->word[0].text;
	char path[128], found[2][128] = { "", "" };
	unsigned int n[2] = { 0, 0 };

	for (size_t k = 0; k < w->g->n_rules; k++) {
		const struct rule *r = &w->g->rules[k];
		const int place = keyword_place(r, word);
		const bool look = is_look(r->elems[0].choices[0]);

		if (place < 0 || strcmp(r->table->topic, "absent") == 0)
			continue;
		path_write(r, (unsigned int)place, word, path, sizeof(path));
		if (w->i > 0 && strcmp(r->elems[0].choices[0], first) == 0) {
			snprintf(text, size, "%s", path);
			return true;
		}
		n[look] += strcmp(path, found[look]) != 0;
		if (n[look] == 1)
			snprintf(found[look], sizeof(found[look]), "%s", path);
	}
	snprintf(text, size, "%s", found[n[0] == 0]);
	return n[n[0] == 0] > 0 && n[n[0] == 0] <= MEANT;
}

/* The word, with the keyword that is missing before it: "mac 02:00:00:00:00:01". */
static bool
keyword_missing(const struct walk *w, const char *word, char *text, size_t size)
{
	for (size_t k = 0; k < w->n; k++) {
		const struct rule *r = grammar_walk_rule(w, k);
		const struct elem *elem = grammar_walk_elem(r, w->i);
		const struct elem *next = grammar_walk_elem(r, w->i + 1);
		struct arg a = { .list = w->numbers, .list_n = LINE_BYTES };
		unsigned int choice;
		struct err e;

		err_clear(&e);
		if (elem == NULL || elem->name != NULL || elem->n_choices != 1 || next == NULL ||
			next->type == NULL ||
			(grammar_type_is_free(next->type) &&
				!(grammar_type_is_file(next->type) && strpbrk(word, "./"))) ||
			grammar_type_is_rest(next->type) ||
			grammar_walk_fit(w, next, &choice, &a, &e) == FIT_NOT)
			continue;
		snprintf(text, size, "%s %s", elem->choices[0], word);
		return true;
	}
	return false;
}

/* What was probably meant by a word that is a keyword of another place; NULL: unknown. */
static const char *
misplaced(const struct walk *w, const struct expectation *x, char *text, size_t size)
{
	const char *word = w->i < w->words->n ? w->words->word[w->i].text : NULL;

	if (word == NULL || w->ambiguous || x->type_err.code != 0)
		return NULL;
	if (keyword_missing(w, word, text, size))
		return text;
	return isalpha((unsigned char)*word) && other_place(w, word, text, size) ? text : NULL;
}

/* True when the words up to the wrong one begin a rule, if one before it were "all". */
static bool
begins_with_all(const struct walk *w, const struct rule *r)
{
	struct arg a = { .list = w->numbers, .list_n = LINE_BYTES };
	struct walk at = *w;
	unsigned int choice, n = 0;
	struct err e;

	err_clear(&e);
	for (at.i = 0; at.i <= w->i; at.i++) {
		const struct elem *elem = grammar_walk_elem(r, at.i);
		const enum fit fit = elem != NULL ? grammar_walk_fit(&at, elem, &choice, &a, &e)
						  : FIT_NOT;

		if (at.i == w->i ? fit == FIT_EXACT : fit != FIT_NOT)
			continue;
		if (at.i == w->i || elem == NULL || elem->n_choices != 1 ||
			strcmp(elem->choices[0], "all") != 0)
			return false;
		n++;
	}
	return n == 1;
}

/*
 * The command for all that was written for one: "port config all rxd <n>" for "port config 0 rxd
 * 512". False when there is none.
 */
static bool
only_for_all(const struct walk *w, char *text, size_t size)
{
	for (size_t k = 0; k < w->g->n_rules && w->i < w->words->n && !w->ambiguous; k++) {
		const struct rule *r = &w->g->rules[k];

		if (!begins_with_all(w, r))
			continue;
		path_write(r, w->i, w->words->word[w->i].text, text, size);
		for (unsigned int i = w->i + 1; i < r->n; i++)
			snprintf(text + strlen(text), size - strlen(text),
				r->elems[i].name != NULL ? " <%s>" : " %s",
				r->elems[i].name != NULL ? r->elems[i].name
							 : r->elems[i].choices[0]);
		return true;
	}
	return false;
}

/* True when the words of a command up to its first argument ("<port>") are those of a row. */
static bool
is_command(const struct grammar *g, const char *command)
{
	char line[128];
	struct words words;
	struct walk w;
	bool yes;

	snprintf(line, sizeof(line), "%.*s", (int)strcspn(command, "<"), command);
	if (grammar_words(line, &words, NULL) < 0)
		return false;
	yes = grammar_walk_words(&w, g, &words, words.n, NULL) == 0;
	grammar_walk_free(&w);
	return yes;
}

/* The command that others call so: "show port stats all" for "stats"; NULL: none. */
static const char *
synonym(const struct walk *w)
{
	const char *command = NULL;

	if (w->i < w->words->n && w->i < 2 && !w->ambiguous)
		command = synonyms_command(w->i > 0 ? w->words->word[0].text : NULL,
			w->words->word[w->i].text);
	return command != NULL && is_command(w->g, command) ? command : NULL;
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
	char text[256], line[128], near[128], all[160], after[64];

	collect(w, &x);
	list_all(w, all, sizeof(all));
	after_write(w, after, sizeof(after));
	what = (struct expected){ .items = &x.items,
		.words = w->ambiguous ? NULL : &x.words,
		.word = at_end ? NULL : words->word[w->i].text,
		.column = at_end ? words->end : words->word[w->i].column,
		.ambiguous = w->ambiguous,
		.wrong = wrong(w, &x, text, sizeof(text)),
		.after = after,
		.meant = only_for_all(w, line, sizeof(line)) ? line : synonym(w),
		.near = misplaced(w, &x, near, sizeof(near)),
		.all = all };
	expect_fail(&what, error_code(w, &x), e);
	if (w->i == 0)
		e->verdict = "Command not found";
	offers_free(&x.items);
	offers_free(&x.words);
	return -e->code;
}
