/* Finds the command that was meant by a line that is none: from its words, wherever they stand. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "cmdline/grammar/grammar_offer.h"
#include "cmdline/grammar/grammar_priv.h"
#include "cmdline/grammar/guess_words.h"
#include "cmdline/grammar/synonyms.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

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
		text[0] = '\0';
		for (unsigned int i = 0; i < r->n; i++)
			if (i == w->i)
				guess_add(text, size, "", guess_word(w, i), "");
			else
				guess_add_elem(text, size, &r->elems[i]);
		return true;
	}
	return false;
}

/* True when the words of a line begin the rule with one keyword more. *skipped: its element. */
static bool
begins_with_more(const struct walk *w, const struct rule *r, unsigned int *skipped)
{
	const unsigned int last = (unsigned int)w->words->n - 1;
	struct arg a = { .list = w->numbers, .list_n = LINE_BYTES };
	struct walk at = *w;
	unsigned int choice, n = 0;
	struct err e;

	err_clear(&e);
	for (at.i = 0; at.i <= last; at.i++) {
		const struct elem *elem = grammar_walk_elem(r, at.i + n);
		const enum fit fit = elem != NULL ? grammar_walk_fit(&at, elem, &choice, &a, &e)
						  : FIT_NOT;

		if (fit == FIT_EXACT || (fit == FIT_TYPED && (n == 1 || at.i < last)))
			continue;
		if (n == 1 || at.i == 0 || elem == NULL || elem->n_choices == 0 || elem->optional)
			return false;
		*skipped = at.i;
		n = 1;
		at.i--; /* the word is that of the next element */
	}
	return n == 1;
}

/*
 * The command with the keyword that the line lacks: "show port (info|stats|...) all". A line that
 * ends too early lacks nothing else: "set promisc 0" is no "set vf promisc 0 <vf> (off|on)".
 */
static bool
by_missing(const struct walk *w, char *text, size_t size)
{
	for (size_t k = 0; k < w->g->n_rules && w->words->n > 1 && !w->ambiguous; k++) {
		const struct rule *r = &w->g->rules[k];
		const unsigned int next = (unsigned int)w->words->n + 1;
		unsigned int skipped = 0;

		if (!guess_of_kind(r, guess_word(w, 0)) || !begins_with_more(w, r, &skipped))
			continue;
		if (w->i == w->words->n && r->n > next && !r->elems[next].optional)
			continue;
		text[0] = '\0';
		for (unsigned int n = 0; n < r->n && !(n > w->i && r->elems[n].optional); n++) {
			const char *word = n == skipped ? NULL : guess_word(w, n - (n > skipped));

			if (word != NULL)
				guess_add(text, size, "", word, "");
			else
				guess_add_elem(text, size, &r->elems[n]);
		}
		return true;
	}
	return false;
}

/* True when the words before the wrong one are not shortened. */
static bool
in_full(const struct walk *w, const struct rule *r)
{
	for (unsigned int i = 0; i < w->i; i++) {
		const struct elem *elem = grammar_walk_elem(r, i);

		if (elem == NULL ||
			(elem->n_choices > 0 && guess_choice(elem, guess_word(w, i)) < 0))
			return false;
	}
	return true;
}

/* True when the words behind the wrong one fit a rule, whose elements stand one further. */
static bool
rest_fits(const struct walk *w, const struct rule *r)
{
	struct arg a = { .list = w->numbers, .list_n = LINE_BYTES };
	struct walk at = *w;
	unsigned int choice;
	struct err e;

	err_clear(&e);
	for (at.i = w->i + 1; at.i < w->words->n; at.i++) {
		const struct elem *elem = grammar_walk_elem(r, at.i + 1);

		if (elem == NULL || grammar_walk_fit(&at, elem, &choice, &a, &e) == FIT_NOT)
			return false;
	}
	return true;
}

/* True when a word that fits a type says so: free text is anything, unless it looks like a file. */
static bool
is_of_type(const struct arg_type *type, const char *word)
{
	return !grammar_type_is_rest(type) &&
		(!grammar_type_is_free(type) ||
			(grammar_type_is_file(type) && strpbrk(word, "./") != NULL));
}

/*
 * The word, with the one keyword that is missing before it: "mac 02:00:00:00:00:01". A type of the
 * program's, such as a port, is surer than a number.
 */
static bool
by_value(const struct walk *w, char *text, size_t size)
{
	const char *word = guess_word(w, w->i), *keyword = NULL;
	bool sure = false, several = false;

	for (size_t k = 0; k < w->n; k++) {
		const struct rule *r = grammar_walk_rule(w, k);
		const struct elem *elem = grammar_walk_elem(r, w->i);
		const struct elem *next = grammar_walk_elem(r, w->i + 1);
		struct arg a = { .list = w->numbers, .list_n = LINE_BYTES };
		unsigned int choice;
		struct err e;

		err_clear(&e);
		if (elem == NULL || elem->name != NULL || elem->n_choices != 1 || next == NULL ||
			next->type == NULL || !in_full(w, r) || !is_of_type(next->type, word) ||
			!rest_fits(w, r) || grammar_walk_fit(w, next, &choice, &a, &e) == FIT_NOT)
			continue;
		if (sure && grammar_type_is_builtin(next->type))
			continue;
		if (sure == grammar_type_is_builtin(next->type))
			several = false; /* the ones before were a number only */
		else
			several |= keyword != NULL && strcmp(keyword, elem->choices[0]) != 0;
		sure = !grammar_type_is_builtin(next->type);
		keyword = elem->choices[0];
	}
	if (keyword != NULL && !several)
		snprintf(text, size, "%s %s", keyword, word);
	return keyword != NULL && !several;
}

/* The value before the word, with the word as its unit: "1000pps" for "1000 pps". */
static bool
by_unit(const struct walk *w, char *text, size_t size)
{
	const char *before = w->i > 0 ? guess_word(w, w->i - 1) : "", *word = guess_word(w, w->i);

	if (!isdigit((unsigned char)*before) || isdigit((unsigned char)*word) || strlen(word) > 5)
		return false;
	for (const char *at = before; *at != '\0'; at++)
		if (!isdigit((unsigned char)*at) && *at != '.')
			return false;
	for (size_t k = 0; k < w->n; k++) {
		const struct elem *elem = grammar_walk_elem(grammar_walk_rule(w, k), w->i - 1);
		struct arg a = { .list = w->numbers, .list_n = LINE_BYTES };
		struct words joined = *w->words;
		struct walk at = *w;
		unsigned int choice;
		struct err e;

		err_clear(&e);
		snprintf(text, size, "%s%s", before, word);
		joined.word[w->i - 1].text = text;
		at.words = &joined;
		at.i--;
		if (elem != NULL && elem->type != NULL &&
			grammar_walk_fit(&at, elem, &choice, &a, &e) != FIT_NOT)
			return true;
	}
	return false;
}

/* True when the type of an element offers the word. */
static bool
is_offered(const struct walk *w, const struct elem *elem, const char *word)
{
	struct offers o = { .n = 0 };
	bool yes = false;

	if (elem->type == NULL || elem->type->offer == NULL || grammar_type_is_builtin(elem->type))
		return false;
	elem->type->offer(w->g->app, elem->params, "", &o);
	for (size_t i = 0; i < o.n; i++)
		yes |= strcmp(o.items[i].word, word) == 0;
	offers_free(&o);
	return yes;
}

/* The usual command that has the word as its one argument: "set fwd io" for "io" and "start io". */
static bool
by_argument(const struct walk *w, char *text, size_t size)
{
	const char *word = guess_word(w, w->i);

	if (w->i > 1 ||
		(w->i == 1 && strcmp(guess_word(w, 0), "start") != 0 &&
			strcmp(guess_word(w, 0), "set") != 0))
		return false;
	for (size_t k = 0; k < w->g->n_rules; k++) {
		const struct rule *r = &w->g->rules[k];

		if (r->n < 3 || (r->n > 3 && !r->elems[3].optional) || r->elems[1].n_choices != 1 ||
			!synonyms_is_usual(NULL, guess_first(r)) ||
			!synonyms_is_usual(guess_first(r), r->elems[1].choices[0]) ||
			!is_offered(w, &r->elems[2], word))
			continue;
		snprintf(text, size, "%s %s %s", guess_first(r), r->elems[1].choices[0], word);
		return true;
	}
	return false;
}

/* What the last word of a line may be: of free text only what looks like a number or a file is a value. */
enum ends { IN_KEYWORD, IN_VALUE, IN_ANY, WHOLE };

static bool
ends_so(const struct elem *elem, const char *word, enum ends ends)
{
	if (elem == NULL || ends == IN_ANY)
		return elem != NULL;
	if (elem->type == NULL)
		return guess_choice(elem, word) >= 0;
	return ends == IN_VALUE &&
		(is_of_type(elem->type, word) || isdigit((unsigned char)*word) ||
			strpbrk(word, "./") != NULL);
}

/* True when no word of a line is free text for the row, unless it looks like a number or a file. */
static bool
is_plain(const struct rule *r, const struct words *words)
{
	for (unsigned int i = 0; i < words->n && i < r->n; i++) {
		const struct elem *elem = &r->elems[i];

		if (elem->type != NULL && !ends_so(elem, words->word[i].text, IN_VALUE))
			return false;
	}
	return true;
}

/* True when all words of a line are those of a row, as far as they go; WHOLE: and they are enough. */
static bool
is_begin(const struct grammar *g, const char *line, enum ends ends)
{
	struct words words;
	bool known, yes = false;
	unsigned int n;
	struct walk w;

	if (grammar_words(line, &words, NULL) < 0 || words.n == 0)
		return false;
	n = (unsigned int)words.n;
	known = grammar_walk_words(&w, g, &words, n, NULL) == 0;
	for (size_t k = 0; known && k < w.n && !yes; k++)
		yes = ends == WHOLE ? grammar_walk_may_end(grammar_walk_rule(&w, k), n) &&
				is_plain(grammar_walk_rule(&w, k), &words)
				    : ends_so(grammar_walk_elem(grammar_walk_rule(&w, k), n - 1),
					      words.word[n - 1].text, ends);
	grammar_walk_free(&w);
	return yes;
}

/*
 * The line with the word and one beside it in the other order: "set promisc 0 on" for "... on 0". Of two
 * numbers none is in the wrong place.
 */
static bool
by_order(const struct walk *w, char *text, size_t size)
{
	const unsigned int n = (unsigned int)w->words->n;

	for (unsigned int first = w->i > 0 ? w->i - 1 : 0; first <= w->i && first + 1 < n;
		first++) {
		if (!isalpha((unsigned char)*guess_word(w, first)) &&
			!isalpha((unsigned char)*guess_word(w, first + 1)))
			continue;
		text[0] = '\0';
		for (unsigned int i = 0; i < n; i++) {
			const unsigned int from = i == first ? i + 1 : i == first + 1 ? first : i;

			if (w->words->word[i].quoted)
				return false;
			guess_add(text, size, "", guess_word(w, from), "");
		}
		if (is_begin(w->g, text, WHOLE))
			return true;
	}
	return false;
}

/* True when the words of a command up to its first argument ("<port>") are those of a row. */
static bool
is_command(const struct grammar *g, const char *command)
{
	char line[GUESS_BYTES];

	if (strncmp(command, "zcfwd", strlen("zcfwd")) == 0)
		return true; /* an option, or a program beside this one */
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(command, "<("), command);
	return is_begin(g, line, IN_ANY);
}

static bool
is_number(const char *word)
{
	return word[strspn(word, "0123456789")] == '\0';
}

/*
 * The command that others call so: "show port stats all" for "stats"; NULL: none. A word before the
 * wrong one counts, too, if it is only the beginning of a keyword ("mac": macsec).
 */
static const char *
by_synonym(const struct walk *w)
{
	const char *command = NULL;

	/* What others call so has more words: "ip route". */
	if (w->i == 0 && w->words->n > 1)
		command = synonyms_command(guess_word(w, 0), guess_word(w, 1));
	for (unsigned int i = 0; i <= w->i && i < 3 && i < w->words->n && command == NULL; i++) {
		if (i == 2 && !is_number(guess_word(w, 1)))
			continue; /* "port 0 up" is "port up" */
		if (i < w->i && in_full(w, grammar_walk_rule(w, 0)))
			continue;
		command = synonyms_command(i > 0 ? guess_word(w, 0) : NULL, guess_word(w, i));
		if (command != NULL && !is_command(w->g, command))
			command = NULL;
	}
	return command;
}

/* The command that the line is without its first word: "set fwd io" for "fwd io". */
static bool
by_verb(const struct walk *w, char *text, size_t size)
{
	static const char *const verbs[] = { "set", "show" };

	for (size_t i = 0; i < ARRAY_SIZE(verbs) && w->i == 0; i++) {
		const char *command = synonyms_command(verbs[i], guess_word(w, 0));

		snprintf(text, size, "%s %s", verbs[i], w->words->line);
		if (synonyms_is_usual(verbs[i], guess_word(w, 0)) && is_begin(w->g, text, IN_VALUE))
			return true;
		if (command != NULL && is_command(w->g, command)) {
			snprintf(text, size, "%s", command);
			return true;
		}
	}
	return false;
}

/* The command that has blanks for the hyphens of the word: "set txonly rate" for "set txonly-rate". */
static bool
by_hyphen(const struct walk *w, char *text, size_t size)
{
	const char *word = guess_word(w, w->i);

	if (w->i == 0 || strchr(word, '-') == NULL || *word == '-' || word[strlen(word) - 1] == '-')
		return false;
	*text = '\0';
	for (unsigned int i = 0; i <= w->i; i++)
		guess_add(text, size, "", guess_word(w, i), "");
	for (char *at = text + strlen(text) - strlen(word); *at != '\0'; at++)
		if (*at == '-')
			*at = ' ';
	return is_begin(w->g, text, IN_KEYWORD);
}

/* The command of its own that a file belongs to: "set replay a.pcap" for "set fwd replay a.pcap". */
static bool
by_file(const struct walk *w, char *text, size_t size)
{
	const char *word = guess_word(w, w->i);

	if (w->i < 2 || strpbrk(word, "./") == NULL || isdigit((unsigned char)*word))
		return false;
	snprintf(text, size, "%s %s %s", guess_word(w, 0), guess_word(w, w->i - 1), word);
	return is_begin(w->g, text, IN_VALUE);
}

/* True when the last word of the line is an argument: what lacks stood before it, or follows it. */
static bool
ends_in_argument(const struct walk *w)
{
	const struct elem *elem = w->n > 0 ? grammar_walk_elem(grammar_walk_rule(w, 0), w->i - 1)
					   : NULL;

	return elem != NULL && elem->type != NULL;
}

/*
 * True when a command was named in full and only the value of its argument is wrong: the word is no
 * keyword of what follows.
 */
static bool
is_value(const struct walk *w)
{
	const struct rule *r = w->n == 1 ? grammar_walk_rule(w, 0) : NULL;
	const struct elem *elem = r != NULL ? grammar_walk_elem(r, w->i) : NULL;

	if (w->i < 2 || elem == NULL || elem->type == NULL || !in_full(w, r))
		return false;
	for (unsigned int i = w->i + 1; i < r->n; i++)
		if (r->elems[i].n_choices > 0 &&
			guess_choice(&r->elems[i], guess_word(w, w->i)) >= 0)
			return false;
	return true;
}

void
grammar_guess(const struct walk *w, struct guess *g)
{
	const char *word = guess_word(w, w->i);

	*g = (struct guess){ .sure = NULL };
	if (w->ambiguous || w->words->n == 0)
		return;
	if (only_for_all(w, g->text, sizeof(g->text)))
		g->sure = g->text;
	else
		g->sure = by_synonym(w);
	if (g->sure == NULL && w->i + 1 == w->words->n && by_argument(w, g->text, sizeof(g->text)))
		g->sure = g->text;
	if (g->sure == NULL && word != NULL && by_hyphen(w, g->text, sizeof(g->text)))
		g->sure = g->text;
	if (g->sure != NULL)
		return;
	if (word != NULL &&
		(by_file(w, g->text, sizeof(g->text)) || by_order(w, g->text, sizeof(g->text)) ||
			by_unit(w, g->text, sizeof(g->text)) ||
			by_value(w, g->text, sizeof(g->text))))
		g->near = g->text;
	else if ((word != NULL || ends_in_argument(w)) && by_missing(w, g->text, sizeof(g->text)))
		g->near = g->text;
	else if (word != NULL && isalpha((unsigned char)*word) && !is_value(w) &&
		(guess_by_words(w, 2, g->text, sizeof(g->text)) ||
			by_verb(w, g->text, sizeof(g->text)) ||
			by_argument(w, g->text, sizeof(g->text)) ||
			guess_by_words(w, 1, g->text, sizeof(g->text))))
		g->near = g->text;
}
