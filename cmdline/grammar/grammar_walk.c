/* The walk that finds the rows that match a line, word by word. Parsing and completion both start
 * here. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/grammar/grammar_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How one word matches the keywords of all rules that are left. */
struct keywords {
	bool exact;            /* one is the word */
	const char *short_for; /* one begins with it */
	bool several;          /* so does another one */
};

const struct elem *
grammar_walk_elem(const struct rule *r, unsigned int i)
{
	const struct elem *last = &r->elems[r->n - 1];

	if (i < r->n)
		return &r->elems[i];
	return last->type != NULL && grammar_type_is_rest(last->type) ? last : NULL;
}

bool
grammar_walk_may_end(const struct rule *r, unsigned int n)
{
	return n >= r->n || r->elems[n].may_end;
}

/*
 * How the word fits one of the choices. A number is never short for a longer one, nor is the name
 * of a value.
 */
static enum fit
fit_choice(const struct elem *elem, const struct word *word, unsigned int *choice)
{
	const size_t n = strlen(word->text);
	const bool whole = elem->exact || word->quoted || strspn(word->text, "0123456789") == n;
	enum fit fit = FIT_NOT;
	unsigned int i;

	for (i = 0; i < elem->n_choices; i++) {
		if (strcmp(elem->choices[i], word->text) == 0) {
			*choice = i;
			return FIT_EXACT;
		}
		if (fit == FIT_NOT && !whole && strncmp(elem->choices[i], word->text, n) == 0) {
			*choice = i;
			fit = FIT_SHORT;
		}
	}
	return fit;
}

enum fit
grammar_walk_fit(const struct walk *w, const struct elem *elem, unsigned int *choice, struct arg *a,
	struct err *e)
{
	const struct word *word = &w->words->word[w->i];

	if (elem->type == NULL)
		return fit_choice(elem, word, choice);
	if (grammar_type_is_rest(elem->type))
		return FIT_FREE;
	a->name = elem->name;
	a->text = word->text;
	a->column = (int)word->column;
	if (elem->type->parse(w->g->app, elem->params, word->text, a, e) < 0)
		return FIT_NOT;
	return grammar_type_is_free(elem->type) ? FIT_FREE : FIT_TYPED;
}

/* Remember which of the element's keywords begin with the word. */
static void
note_short(struct keywords *k, const struct elem *elem, const char *word)
{
	size_t n = strlen(word);
	unsigned int i;

	for (i = 0; i < elem->n_choices; i++) {
		if (strncmp(elem->choices[i], word, n) != 0)
			continue;
		if (k->short_for == NULL)
			k->short_for = elem->choices[i];
		else if (strcmp(k->short_for, elem->choices[i]) != 0)
			k->several = true;
	}
}

/* How word w->i fits rule k of those alive. */
static enum fit
fit_rule(const struct walk *w, size_t k, struct keywords *keywords)
{
	const struct elem *elem = grammar_walk_elem(grammar_walk_rule(w, k), w->i);
	struct arg a = { .list = w->numbers, .list_n = LINE_BYTES };
	unsigned int choice;
	struct err e;
	enum fit fit;

	if (elem == NULL)
		return FIT_NOT;
	err_clear(&e);
	fit = grammar_walk_fit(w, elem, &choice, &a, &e);
	if (fit == FIT_EXACT)
		keywords->exact = true;
	else if (fit == FIT_SHORT)
		note_short(keywords, elem, w->words->word[w->i].text);
	return fit;
}

/* Keep the rules that word w->i fits. Returns 0, or -EINVAL when none does. */
static int
walk_word(struct walk *w, uint8_t *fits)
{
	struct keywords keywords = { 0 };
	bool short_ok;
	size_t k, kept = 0;

	for (k = 0; k < w->n; k++)
		fits[k] = (uint8_t)fit_rule(w, k, &keywords);
	short_ok = !keywords.exact && !keywords.several;
	for (k = 0; k < w->n; k++)
		kept += fits[k] < FIT_SHORT || (fits[k] == FIT_SHORT && short_ok);
	if (kept == 0) {
		w->ambiguous = keywords.several;
		return -EINVAL;
	}
	for (k = kept = 0; k < w->n; k++) {
		if (fits[k] > FIT_SHORT || (fits[k] == FIT_SHORT && !short_ok))
			continue;
		w->rules[kept] = w->rules[k];
		w->ranks[kept] = w->i < GRAMMAR_WORDS_MAX ? w->ranks[k] << 2 | fits[k]
							  : w->ranks[k];
		kept++;
	}
	w->n = kept;
	w->i++;
	return 0;
}

int
grammar_walk_words(struct walk *w, const struct grammar *g, const struct words *words,
	unsigned int n, struct err *e)
{
	uint8_t *fits = calloc(g->n_rules + 1, sizeof(*fits));
	int ret = 0;

	memset(w, 0, sizeof(*w));
	w->g = g;
	w->words = words;
	w->rules = calloc(g->n_rules + 1, sizeof(*w->rules));
	w->ranks = calloc(g->n_rules + 1, sizeof(*w->ranks));
	w->numbers = calloc(LINE_BYTES, sizeof(*w->numbers));
	if (fits == NULL || w->rules == NULL || w->ranks == NULL || w->numbers == NULL) {
		free(fits);
		return err_set(e, ENOMEM, "no memory to read the line");
	}
	for (w->n = 0; w->n < g->n_rules; w->n++)
		w->rules[w->n] = (uint16_t)w->n;
	while (ret == 0 && w->i < n)
		ret = walk_word(w, fits);
	free(fits);
	return ret;
}

void
grammar_walk_free(struct walk *w)
{
	free(w->rules);
	free(w->ranks);
	free(w->numbers);
}
