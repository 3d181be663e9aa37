/* What the grammar offers at the cursor, and the syntax of a row as people read it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/grammar/grammar_offer.h"

#include "base/text.h"
#include "cmdline/grammar/grammar_priv.h"
#include "cmdline/grammar/synonyms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
grammar_offer_describe(const struct elem *elem, char *text, size_t n)
{
	bool bounds = strstr(elem->params, "..") != NULL;

	snprintf(text, n, "%s%s%s", elem->type->help, bounds ? " " : "",
		bounds ? elem->params : "");
}

/* Append ", word" unless the list has it or is full. */
static void
list_add(char *list, size_t size, const char *word)
{
	size_t n = strlen(list), word_n = strlen(word);
	const char *at = list;

	while ((at = strstr(at, word)) != NULL) {
		if ((at == list || at[-1] == ' ') && (at[word_n] == '\0' || at[word_n] == ','))
			return;
		at++;
	}
	if (n + word_n + 3 < size)
		snprintf(list + n, size - n, "%s%s", n > 0 ? ", " : "", word);
}

/* Help of a keyword: that of its row, or the words that follow it if it has several rows. */
static void
keyword_help(const struct walk *w, const char *keyword, char *help, size_t size)
{
	const struct rule *r, *only = NULL;
	unsigned int rows = 0, i;
	size_t k;

	help[0] = '\0';
	for (k = 0; k < w->n; k++) {
		const struct elem *elem, *next;

		r = grammar_walk_rule(w, k);
		elem = grammar_walk_elem(r, w->i);
		for (i = 0; elem != NULL && i < elem->n_choices; i++) {
			if (strcmp(elem->choices[i], keyword) != 0)
				continue;
			only = r;
			rows++;
			next = grammar_walk_elem(r, w->i + 1);
			if (next != NULL && next->name != NULL) {
				char hint[64];

				snprintf(hint, sizeof(hint), "<%s>", next->name);
				list_add(help, size, hint);
			}
			for (i = 0; next != NULL && next->name == NULL && i < next->n_choices; i++)
				list_add(help, size, next->choices[i]);
			break;
		}
	}
	if (rows == 1)
		snprintf(help, size, "%s", only->row->help);
}

/* True when the type accepts the prefix, or the prefix is empty. */
static bool
takes(const struct walk *w, const struct elem *elem, const char *prefix)
{
	struct arg a = { elem->name, prefix, 0, .list = w->numbers, .list_n = LINE_BYTES };
	struct err e;

	err_clear(&e);
	return *prefix == '\0' || elem->type->parse(w->g->app, elem->params, prefix, &a, &e) == 0;
}

/* What is typed of the rest of the line that rule r ends with, without the word at the cursor. */
static const char *
before(const struct walk *w, const struct rule *r, char *text)
{
	const struct words *words = w->words;
	const size_t from = r->n - 1 < words->n ? words->word[r->n - 1].column : words->open_at;
	const size_t n = words->open_at > from ? words->open_at - from : 0;

	memcpy(text, words->line + from, n);
	text[n] = '\0';
	return text;
}

/* Offer the words of the type; true when no hint is needed besides. */
static bool
offer_type(const struct walk *w, const struct rule *r, const struct elem *elem, struct offers *o)
{
	struct offers own; /* another rule may have offered the same words */
	char text[LINE_BYTES];
	size_t i, n;

	if (elem->type->offer == NULL && elem->type->offer_rest == NULL)
		return false;
	memset(&own, 0, sizeof(own));
	memcpy(own.prefix, o->prefix, sizeof(own.prefix));
	/* Files in the words of a rest of the line are those of the program. */
	own.folder = elem->type->offer_rest == NULL ? o->folder : NULL;
	if (elem->type->offer_rest != NULL)
		elem->type->offer_rest(w->g->app, elem->params, before(w, r, text), &own);
	else
		elem->type->offer(w->g->app, elem->params, own.prefix, &own);
	if (own.files)
		grammar_type(w->g, "file", strlen("file"))->offer(w->g->app, "", own.prefix, &own);
	for (i = 0; i < own.n; i++)
		if (own.items[i].hint)
			offers_hint(o, own.items[i].word, own.items[i].help);
	for (i = 0; i < own.n; i++)
		if (!own.items[i].hint)
			offer(o, own.items[i].word, own.items[i].help, own.items[i].final);
	n = own.n;
	offers_free(&own);
	return n > 0 || elem->type->offer_rest != NULL || !takes(w, elem, o->prefix);
}

/* Offer one element of a rule. */
static void
offer_elem(const struct walk *w, const struct rule *r, const struct elem *elem, struct offers *o)
{
	char help[sizeof(o->items[0].help)], name[64];
	unsigned int i;

	for (i = 0; i < elem->n_choices; i++) {
		if (strncmp(elem->choices[i], o->prefix, strlen(o->prefix)) != 0)
			continue;
		keyword_help(w, elem->choices[i], help, sizeof(help));
		offer(o, elem->choices[i], help, true);
	}
	if (elem->type == NULL || offer_type(w, r, elem, o))
		return;
	snprintf(name, sizeof(name), "<%s>", elem->name);
	grammar_offer_describe(elem, help, sizeof(help));
	offers_hint(o, name, help);
}

/* Offer what may stand as word w->i: keywords, what the types offer, hints. */
static void
grammar_offer_elems(const struct walk *w, struct offers *o)
{
	size_t k;

	for (k = 0; k < w->n; k++) {
		const struct rule *r = grammar_walk_rule(w, k);
		const struct elem *elem = grammar_walk_elem(r, w->i);

		o->topic = r->table->title;
		if (elem != NULL)
			offer_elem(w, r, elem, o);
	}
}

/* Give the words that people use most a topic of their own. */
static void
mark_usual(const struct walk *w, struct offers *o)
{
	const char *first = w->i > 0 ? w->words->word[0].text : NULL;

	for (size_t i = 0; i < o->n && w->i < 2; i++)
		if (!o->items[i].hint && synonyms_is_usual(first, o->items[i].word))
			snprintf(o->items[i].topic, sizeof(o->items[i].topic), "%s", OFFERS_USUAL);
}

/* Words by name, hints last. */
static int
compare_items(const void *a, const void *b)
{
	const struct offers_item *x = a, *y = b;

	return x->hint != y->hint ? x->hint - y->hint : strcmp(x->word, y->word);
}

/* True when the last argument of the line is complete. */
static bool
last_complete(const struct walk *w, const struct rule *r)
{
	const struct words *words = w->words;
	const struct elem *elem = grammar_walk_elem(r, w->i - 1);
	const char *last = words->word[w->i - 1].text;
	struct offers o = { .complete = true };
	char text[LINE_BYTES];

	/* A folder whose name goes on. */
	if (grammar_type_is_file(elem->type))
		return *last == '\0' || last[strlen(last) - 1] != '/';
	if (elem->type == NULL || elem->type->offer_rest == NULL)
		return true;
	snprintf(text, sizeof(text), "%s", words->line + words->word[r->n - 1].column);
	elem->type->offer_rest(w->g->app, elem->params, text, &o);
	offers_free(&o);
	return o.complete;
}

/* True when the line is a whole command. */
static bool
line_complete(const struct grammar *g, const struct words *words)
{
	struct walk w;
	bool complete = false;
	size_t k;

	if (words->n > 0 && grammar_walk_words(&w, g, words, words->n, NULL) == 0)
		for (k = 0; k < w.n && !complete; k++)
			complete = grammar_walk_may_end(grammar_walk_rule(&w, k), w.i) &&
				last_complete(&w, grammar_walk_rule(&w, k));
	if (words->n > 0)
		grammar_walk_free(&w);
	return complete;
}

void
grammar_offer(const struct grammar *g, const char *line, struct offers *o)
{
	struct words words;
	struct walk w;
	unsigned int n;
	int ret;

	memset(o, 0, sizeof(*o));
	o->folder = g->folder;
	ret = grammar_words(line, &words, NULL);
	o->literal = words.in_quotes || words.in_comment;
	if ((ret < 0 && !words.in_quotes) || words.in_comment)
		return;
	n = words.n;
	o->prefix_at = words.open_at;
	if (words.n > GRAMMAR_WORDS_MAX) {
		/* Words of a rest of the line, the last of which are not kept. */
		n = GRAMMAR_WORDS_MAX;
		snprintf(o->prefix, sizeof(o->prefix), "%s", line + words.open_at);
	} else if (line[words.open_at] != '\0') {
		n--;
		snprintf(o->prefix, sizeof(o->prefix), "%s", words.word[n].text);
		o->quoted = words.word[n].quoted;
	}
	o->complete = !words.in_quotes && line_complete(g, &words);
	if (grammar_walk_words(&w, g, &words, n, NULL) == 0)
		grammar_offer_elems(&w, o);
	mark_usual(&w, o);
	grammar_walk_free(&w);
	if (o->n > 0)
		qsort(o->items, o->n, sizeof(*o->items), compare_items);
}

/* The syntax of a row as people read it. */

#define EVERY 65535 /* an upper bound from here on is that of the type, and is not shown */

/* True when bounds "lo..hi" are worth showing. */
static bool
narrow(const char *bounds)
{
	const char *dots = strstr(bounds, "..");

	return dots != NULL && strtoull(dots + 2, NULL, 0) < EVERY;
}

/* One argument, "name:type params" in n bytes. */
static void
argument_add(struct text *t, const char *argument, size_t n)
{
	const int name = (int)strcspn(argument, ":");
	const char *type = argument + name + 1, *end = argument + n;
	const size_t type_n = strcspn(type, " >");
	const char *params = type[type_n] == ' ' ? type + type_n + 1 : end;
	const int params_n = (int)(end - params);
	const char *unit = memchr(params, ' ', (size_t)params_n);

	if (strncmp(type, "word", type_n) == 0 || strncmp(type, "choice", type_n) == 0)
		text_add(t, "(%.*s)", params_n, params);
	else if (strncmp(type, "ports", type_n) == 0 && type_n == strlen("ports"))
		text_add(t, "(<%.*s>|all)", name, argument);
	else if (strncmp(type, "list", type_n) == 0)
		text_add(t, "<%.*s,...>", name, argument);
	else if (strncmp(type, "text", type_n) == 0 || strncmp(type, "setting", type_n) == 0)
		text_add(t, "<%.*s ...>", name, argument);
	else if (params_n > 0 && narrow(params))
		text_add(t, "<%.*s %.*s>", name, argument, params_n, params);
	else if (unit != NULL && strncmp(argument, unit + 1, (size_t)name) != 0)
		text_add(t, "<%.*s%.*s>", name, argument, (int)(end - unit), unit);
	else
		text_add(t, "<%.*s>", name, argument);
}

void
grammar_usage(const char *syntax, struct text *t)
{
	while (*syntax != '\0') {
		size_t n = strcspn(syntax, "<{}");

		text_add(t, "%.*s", (int)n, syntax);
		syntax += n;
		if (*syntax == '\0')
			return;
		if (*syntax != '<') {
			text_add(t, *syntax++ == '{' ? "[" : "]");
			continue;
		}
		n = strcspn(++syntax, ">");
		argument_add(t, syntax, n);
		syntax += n + (syntax[n] == '>');
	}
}
