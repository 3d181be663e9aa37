/* The command language: cuts a line into words, walks the words over all rows, and fills the arguments of the row that matches. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/grammar/grammar.h"

#include "base/base.h"
#include "base/err.h"
#include "base/text.h"
#include "cmdline/grammar/grammar_priv.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Arguments by name. */

const struct arg *
arg_find(const struct args *a, const char *name)
{
	unsigned int i;

	for (i = 0; i < a->n; i++)
		if (strcmp(a->arg[i].name, name) == 0)
			return &a->arg[i];
	return NULL;
}

uint64_t
arg_u64(const struct args *a, const char *name, uint64_t fallback)
{
	const struct arg *arg = arg_find(a, name);

	return arg != NULL ? arg->number : fallback;
}

const char *
arg_str(const struct args *a, const char *name, const char *fallback)
{
	const struct arg *arg = arg_find(a, name);

	return arg != NULL ? arg->text : fallback;
}

bool
arg_given(const struct args *a, const char *name)
{
	return arg_find(a, name) != NULL;
}

bool
arg_is(const struct args *a, const char *name, const char *keyword)
{
	const struct arg *arg = arg_find(a, name);

	return arg != NULL && strcmp(arg->text, keyword) == 0;
}

int
arg_err(const struct args *a, const char *name, struct err *e, int code, const char *fmt, ...)
{
	const struct arg *arg = arg_find(a, name);
	char text[sizeof(e->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (arg != NULL && e != NULL) {
		e->column = arg->column;
		snprintf(e->word, sizeof(e->word), "%s", arg->text);
	}
	return err_set(e, code, "%s", text);
}

struct grammar *
grammar_new(const struct cmd_table *const *tables, size_t n_tables, const struct arg_type *types,
	size_t n_types, const struct app *app, struct err *e)
{
	struct grammar *g = calloc(1, sizeof(*g));
	size_t i, j, n = 0;

	for (i = 0; i < n_tables; i++)
		for (j = 0; j < tables[i]->n; j++)
			n += grammar_compile_rules(tables[i]->rows[j].syntax);
	if (g != NULL && n <= UINT16_MAX)
		g->rules = calloc(n + 1, sizeof(*g->rules));
	if (g == NULL || g->rules == NULL) {
		free(g);
		err_set(e, ENOMEM, "no memory for %zu commands", n);
		return NULL;
	}
	g->app = app;
	g->types = types;
	g->n_types = n_types;
	for (i = 0; i < n_tables; i++)
		for (j = 0; j < tables[i]->n; j++) {
			const struct cmd_row *row = &tables[i]->rows[j];

			for (unsigned int with = 0; with < grammar_compile_rules(row->syntax);
				with++)
				if (grammar_compile(&g->rules[g->n_rules++], g, tables[i], row,
					    with, e) < 0) {
					grammar_free(g);
					return NULL;
				}
		}
	return g;
}

void
grammar_free(struct grammar *g)
{
	size_t i;

	if (g == NULL)
		return;
	for (i = 0; i < g->n_rules; i++) {
		free(g->rules[i].text);
		free(g->rules[i].choices);
	}
	free(g->rules);
	free(g);
}

const char *
grammar_folder(struct grammar *g, const char *folder)
{
	const char *before = g->folder;

	g->folder = folder;
	return before;
}

void
grammar_each(const struct grammar *g,
	void (*each)(void *ctx, const struct cmd_table *table, const struct cmd_row *row),
	void *ctx)
{
	size_t i;

	for (i = 0; i < g->n_rules; i++)
		if (i == 0 || g->rules[i].row != g->rules[i - 1].row)
			each(ctx, g->rules[i].table, g->rules[i].row);
}

/* The walk that finds the rows that match a line, word by word. Parsing and completion both start
 * here. */

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
	uint64_t number;
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
		/* a speed may have its unit: "10G" */
		if (elem->name != NULL && strcmp(elem->name, "speed") == 0 &&
			text_quantity(word->text, "Mbit/s", &number) &&
			number == strtoull(elem->choices[i], NULL, 10)) {
			*choice = i;
			return FIT_EXACT;
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

/* Cutting a line into words: white space, quotes, comments. */

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

/* Chooses among the rows that match a whole line, and fills the arguments. */

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

/*
 * What stands in front of the name of a file: the user's home in place of the "~" that shells write,
 * which is skipped, or the folder of the client that gives the command. NULL: nothing.
 */
static const char *
front_of(const struct grammar *g, const struct elem *elem, const struct word *word, size_t *skip)
{
	const bool home = word->text[0] == '~' && (word->text[1] == '/' || word->text[1] == '\0');

	*skip = home && !word->quoted ? 1 : 0;
	if (!grammar_type_is_file(elem->type) || word->text[0] == '/' || word->text[0] == '\0')
		return NULL;
	return *skip > 0 ? getenv("HOME") : g->folder;
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
	size_t skip;
	const char *front = front_of(w->g, elem, word, &skip);
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
	} else if (a->text == word->text && front != NULL) {
		/* Leave room for the words after it. */
		if (strlen(front) + strlen(word->text) + LINE_BYTES >
			(size_t)(args->words + sizeof(args->words) - store->text)) {
			err_set(e, ENAMETOOLONG, "column %zu: %.64s is too long", word->column + 1,
				word->text);
			return err_at(e, word);
		}
		a->text = store->text;
		store->text += sprintf(store->text, "%s%s%s", front, skip > 0 ? "" : "/",
				       word->text + skip) +
			1;
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
