/* Chooses among the rows that match a whole line, and fills the arguments. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/grammar/grammar_parse.h"

#include "cmdline/grammar/grammar_priv.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The best rule for the whole line; NULL if the line is incomplete for all rules. */
static const struct rule *
best_rule(const struct walk *w)
{
	const struct rule *best = NULL;
	uint64_t rank = 0;
	size_t k;

	for (k = 0; k < w->n; k++) {
		const struct rule *r = grammar_walk_rule(w, k);

		if (grammar_walk_may_end(r, w->i) && (best == NULL || w->ranks[k] < rank)) {
			best = r;
			rank = w->ranks[k];
		}
	}
	return best;
}

/* True when an argument of the rule has the keyword's name: then that name means the argument. */
static bool
argument_named(const struct rule *r, const char *keyword)
{
	unsigned int i;

	for (i = 0; i < r->n; i++)
		if (r->elems[i].name != NULL && strcmp(r->elems[i].name, keyword) == 0)
			return true;
	return false;
}

/* Copy the rest of the line from the word on. */
static const char *
rest_of_line(const struct words *words, const struct word *word, const char *line, char *to)
{
	size_t n = words->end - word->column;

	memcpy(to, line + word->column, n);
	to[n] = '\0';
	return to;
}

/* The user's home, where the name of a file begins with it as shells write it: "~/x"; else NULL. */
static const char *
home_of(const struct elem *elem, const struct word *word)
{
	const bool begins = word->text[0] == '~' && (word->text[1] == '/' || word->text[1] == '\0');

	return begins && !word->quoted && grammar_type_is_file(elem->type) ? getenv("HOME") : NULL;
}

/* Where the next word's text and the next list's numbers go. */
struct store {
	char *text;
	unsigned int numbers;
};

/* Point e at the word. */
static int
err_at(struct err *e, const struct word *word)
{
	e->verdict = "Bad arguments";
	e->column = (int)word->column;
	snprintf(e->word, sizeof(e->word), "%s", word->text);
	return -e->code;
}

/* Fill a for a keyword; false when the handler cannot ask for it. */
static bool
fill_keyword(struct arg *a, const struct rule *r, const struct elem *elem, unsigned int choice)
{
	a->name = elem->name != NULL ? elem->name : elem->choices[choice];
	a->text = elem->choices[choice];
	a->number = choice;
	a->list = NULL;
	a->list_n = 0;
	if (elem->name != NULL)
		return true;
	return (elem->optional || elem->n_choices > 1) && !argument_named(r, a->name);
}

/* Fill the argument that word w->i stands for. */
static int
fill_arg(struct args *args, const struct walk *w, const struct rule *r, struct store *store,
	struct err *e)
{
	const struct elem *elem = &r->elems[w->i];
	const struct word *word = &w->words->word[w->i];
	struct arg *a = &args->arg[args->n];
	const char *home = home_of(elem, word);
	unsigned int choice = 0, room = LINE_BYTES - store->numbers;

	*a = (struct arg){ .list = args->numbers + store->numbers, .list_n = room };
	a->column = (int)word->column;
	if (grammar_walk_fit(w, elem, &choice, a, e) == FIT_NOT) {
		err_context(e, "column %zu", word->column + 1);
		return err_at(e, word);
	}
	if (elem->type == NULL) {
		args->n += fill_keyword(a, r, elem, choice);
		return 0;
	}
	if (grammar_type_is_rest(elem->type)) {
		a->name = elem->name;
		a->text = rest_of_line(w->words, word, args->line, store->text);
		store->text += strlen(a->text) + 1;
	} else if (a->text == word->text && home != NULL) {
		/* Leave room for the words after it. */
		if (strlen(home) + strlen(word->text) + LINE_BYTES >
			(size_t)(args->words + sizeof(args->words) - store->text)) {
			err_set(e, ENAMETOOLONG, "column %zu: %.64s is too long", word->column + 1,
				word->text);
			return err_at(e, word);
		}
		a->text = store->text;
		store->text += sprintf(store->text, "%s%s", home, word->text + 1) + 1;
	} else if (a->text == word->text) {
		a->text = strcpy(store->text, word->text);
		store->text += strlen(a->text) + 1;
	}
	if (a->list_n == room) { /* the type makes no list */
		a->list = NULL;
		a->list_n = 0;
	}
	store->numbers += a->list_n;
	args->n++;
	return 0;
}

/* Choose the rule and fill args. */
static int
fill_args(struct walk *w, const struct cmd_row **row, struct args *args, struct err *e)
{
	const struct rule *r = best_rule(w);
	struct store store = { .text = args->words };
	unsigned int n = w->i;

	if (r == NULL)
		return grammar_expect(w, e);
	for (w->i = 0; w->i < n && w->i < r->n; w->i++)
		if (fill_arg(args, w, r, &store, e) < 0)
			return -e->code;
	args->data = r->row->data;
	*row = r->row;
	return 0;
}

int
grammar_parse(const struct grammar *g, const char *line, const struct cmd_row **row,
	struct args *args, struct err *e)
{
	struct words words;
	struct walk w;
	int ret;

	*row = NULL;
	args->line = line;
	args->data = NULL;
	args->n = 0;
	ret = grammar_words(line, &words, e);
	if (ret < 0 || words.n == 0)
		return ret;
	ret = grammar_walk_words(&w, g, &words, words.n, e);
	if (ret == 0)
		ret = fill_args(&w, row, args, e);
	else if (ret == -EINVAL)
		ret = grammar_expect(&w, e);
	grammar_walk_free(&w);
	return ret;
}
