/* Finds the command that was meant by a line that is none: from its words, wherever they stand. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "cmdline/grammar/grammar_offer.h"
#include "cmdline/grammar/grammar_priv.h"
#include "cmdline/grammar/synonyms.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LOOKED_AT 12  /* words of a line; no command needs more to be known */
#define MEANT 3       /* commands that have a lone keyword, for one to be suggested */
#define SHORT_LEAST 3 /* letters with which a word is the beginning of a keyword */
#define LISTED 3      /* choices of a missing keyword */

static const char *
word_at(const struct walk *w, unsigned int i)
{
	return i < w->words->n ? w->words->word[i].text : NULL;
}

/* The choice of an element that a word is, in full; -1: none. */
static int
choice_of(const struct elem *elem, const char *word)
{
	for (unsigned int k = 0; k < elem->n_choices; k++)
		if (strcmp(elem->choices[k], word) == 0)
			return (int)k;
	return -1;
}

/* The first choice that begins with the word; -1: none. */
static int
choice_begun(const struct elem *elem, const char *word)
{
	const size_t n = strlen(word);

	for (unsigned int k = 0; n >= SHORT_LEAST && k < elem->n_choices; k++)
		if (strncmp(elem->choices[k], word, n) == 0)
			return (int)k;
	return -1;
}

static const char *
first_of(const struct rule *r)
{
	return r->elems[0].n_choices > 0 ? r->elems[0].choices[0] : "";
}

/* True when a command of that first word shows something, and changes nothing. */
static bool
is_look(const char *first)
{
	static const char *const looks[] = { "show", "read", "dump", "explain", "top", "help" };
	bool yes = false;

	for (size_t i = 0; i < ARRAY_SIZE(looks); i++)
		yes |= strcmp(looks[i], first) == 0;
	return yes;
}

/*
 * True when a line of the first word typed can have meant a command of the rule: one that shows was
 * not meant by "set", nor one that sets by "show" or "clear".
 */
static bool
is_of_kind(const struct rule *r, const char *typed)
{
	if (strcmp(r->table->topic, "absent") == 0)
		return false;
	if (strcmp(typed, "set") == 0)
		return !is_look(first_of(r));
	if (strcmp(typed, "clear") == 0 || strcmp(typed, "show") == 0)
		return strcmp(first_of(r), typed) == 0;
	return true;
}

/* Add a word to the text of a command. */
static void
add(char *text, size_t size, const char *before, const char *word, const char *behind)
{
	const size_t n = strlen(text);

	snprintf(text + n, size - n, "%s%s%s%s", n > 0 ? " " : "", before, word, behind);
}

/* Add an element: its keyword, or "(info|stats|...)" for several, or "<port>" for an argument. */
static void
elem_add(char *text, size_t size, const struct elem *elem)
{
	char list[96] = "";

	if (elem->n_choices == 0) {
		add(text, size, "<", elem->name, ">");
		return;
	}
	for (unsigned int k = 0; k < elem->n_choices && k < LISTED; k++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%.24s",
			k > 0 ? "|" : "", elem->choices[k]);
	if (elem->n_choices == 1)
		add(text, size, "", list, "");
	else
		add(text, size, "(", list, elem->n_choices > LISTED ? "|...)" : ")");
}

/* How the words of a line are keywords of a rule, in any order. */
struct match {
	unsigned int place[GRAMMAR_WORDS_MAX]; /* of each element: 1 + the word; 0: none */
	unsigned int hits;                     /* words that are keywords, or begin one */
	unsigned int begun;                    /* of these, those that only begin one */
	unsigned int last;                     /* element of the last hit */
	unsigned int missing;  /* keywords before it that the line lacks and a command needs */
	unsigned int backward; /* hits whose word stands before that of an earlier hit */
	unsigned int behind;   /* keywords after it, and arguments too many or too few */
	bool wrong;            /* the word that fits nothing is among them */
	bool drops; /* it lacks a keyword that the line has in its place, after the first */
};

/* Find the word that is a keyword of the element; also two words for one: "generate rate". */
static void
elem_match(const struct walk *w, const struct elem *elem, unsigned int n, uint32_t *used,
	struct match *m)
{
	for (unsigned int i = 0; i < w->words->n && i < LOOKED_AT; i++) {
		const char *word = word_at(w, i), *next = word_at(w, i + 1);
		char joined[64] = "";

		if ((*used & 1u << i) != 0 || w->words->word[i].quoted)
			continue;
		if (next != NULL && i + 1 < LOOKED_AT && (*used & 2u << i) == 0)
			snprintf(joined, sizeof(joined), "%s-%s", word, next);
		if (choice_of(elem, joined) >= 0) {
			m->hits++;
			*used |= 2u << i;
			m->wrong |= i + 1 == w->i;
		} else if (choice_of(elem, word) < 0) {
			if (choice_begun(elem, word) < 0)
				continue;
			m->begun++;
		}
		m->place[n] = i + 1;
		m->last = n;
		m->hits++;
		*used |= 1u << i;
		m->wrong |= i == w->i;
		return;
	}
}

static struct match
match_of(const struct walk *w, const struct rule *r)
{
	struct match m = { .hits = 0 };
	unsigned int latest = 0, left, arguments = 0;
	uint32_t used = 0;

	for (unsigned int n = 0; n < r->n; n++)
		elem_match(w, &r->elems[n], n, &used, &m);
	for (unsigned int n = 0; n < m.last; n++) {
		const struct elem *elem = &r->elems[n];

		m.missing += m.place[n] == 0 && elem->n_choices > 0 && !elem->optional;
		m.backward += m.place[n] != 0 && m.place[n] < latest;
		latest = m.place[n] > latest ? m.place[n] : latest;
	}
	for (unsigned int n = m.last + 1; n < r->n && !r->elems[n].optional; n++)
		if (r->elems[n].n_choices > 0)
			m.behind++;
		else
			arguments++;
	for (unsigned int i = 1; w->n > 0 && i < w->i && i < LOOKED_AT; i++) {
		const struct elem *elem = grammar_walk_elem(grammar_walk_rule(w, 0), i);

		m.drops |= elem != NULL && elem->n_choices > 0 && (used & 1u << i) == 0 &&
			choice_of(elem, word_at(w, i)) >= 0;
	}
	left = w->words->n - (unsigned int)__builtin_popcount(used);
	m.behind += arguments > left ? arguments - left : left - arguments;
	return m;
}

/* The command with its words of the line, and with arguments that it needs: "show port stats <port>". */
static void
match_write(const struct walk *w, const struct rule *r, const struct match *m, char *text,
	size_t size)
{
	text[0] = '\0';
	for (unsigned int n = 0; n < r->n; n++) {
		const struct elem *elem = &r->elems[n];
		const char *word = m->place[n] > 0 ? word_at(w, m->place[n] - 1) : NULL;

		if (word == NULL && elem->optional)
			continue;
		if (word != NULL && choice_of(elem, word) >= 0)
			add(text, size, "", word, "");
		else if (word != NULL && choice_begun(elem, word) >= 0)
			add(text, size, "", elem->choices[choice_begun(elem, word)], "");
		else
			elem_add(text, size, elem);
	}
}

/* What a command is worth as a guess; by trial with the lines of tests/cmdline/grammar/meant_lines.txt. */
enum {
	WORTH_HIT = 10,     /* a word of the line that is one of its keywords */
	WORTH_FIRST = 3,    /* it begins with the line's first word */
	WORTH_LOOK = 1,     /* it changes nothing, for each word but one */
	COST_BEGUN = 1,     /* a word that only begins a keyword */
	COST_BEHIND = 1,    /* a keyword that follows, or an argument too many or too few */
	COST_BACKWARD = 2,  /* a word in another order */
	COST_LONE_LOOK = 3, /* it changes nothing, and one word is all that it has */
	COST_MISSING = 4,   /* a keyword that the line lacks between those that it has */
};

/*
 * Return what a command is worth; 0 or less: it cannot have been meant, because the wrong word is not
 * among its keywords, the line lacks several of these, all words only begin keywords, or it has none
 * for one that was right ("set promisc 0 on" for "set recycle-rewrite on").
 */
static int
worth_of(const struct rule *r, const struct match *m)
{
	int worth = 0;

	if (!m->wrong || m->drops || m->missing > (m->hits > 1 ? 1 : 2) || m->hits <= m->begun)
		return 0;
	worth += WORTH_HIT * (int)m->hits - COST_BEGUN * (int)m->begun;
	worth -= COST_MISSING * (int)m->missing + COST_BACKWARD * (int)m->backward +
		COST_BEHIND * (int)m->behind;
	if (m->place[0] == 1)
		worth += WORTH_FIRST;
	if (is_look(first_of(r)))
		worth += m->hits > 1 ? WORTH_LOOK * ((int)m->hits - 1) : -COST_LONE_LOOK;
	return worth;
}

/*
 * The command that has most of the line's words as keywords, the wrong one among them. least: so many
 * words. One word, which begins the line, is enough if it is alone and few commands have it.
 */
static bool
by_words(const struct walk *w, unsigned int least, char *text, size_t size)
{
	char path[GUESS_BYTES];
	unsigned int lone = 0;
	int most = 0;

	text[0] = '\0';
	if (least == 1 && w->words->n > 1)
		return false;
	for (size_t k = 0; k < w->g->n_rules; k++) {
		const struct rule *r = &w->g->rules[k];
		struct match m;
		int worth;

		if (!is_of_kind(r, word_at(w, 0)))
			continue;
		m = match_of(w, r);
		worth = worth_of(r, &m);
		if (worth <= 0 || m.hits < least)
			continue;
		match_write(w, r, &m, path, sizeof(path));
		lone += m.hits == 1 && strcmp(path, text) != 0;
		if (worth <= most)
			continue;
		most = worth;
		snprintf(text, size, "%s", path);
	}
	return most > 0 && lone <= MEANT;
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
		text[0] = '\0';
		for (unsigned int i = 0; i < r->n; i++)
			if (i == w->i)
				add(text, size, "", word_at(w, i), "");
			else
				elem_add(text, size, &r->elems[i]);
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

		if (!is_of_kind(r, word_at(w, 0)) || !begins_with_more(w, r, &skipped))
			continue;
		if (w->i == w->words->n && r->n > next && !r->elems[next].optional)
			continue;
		text[0] = '\0';
		for (unsigned int n = 0; n < r->n && !(n > w->i && r->elems[n].optional); n++) {
			const char *word = n == skipped ? NULL : word_at(w, n - (n > skipped));

			if (word != NULL)
				add(text, size, "", word, "");
			else
				elem_add(text, size, &r->elems[n]);
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

		if (elem == NULL || (elem->n_choices > 0 && choice_of(elem, word_at(w, i)) < 0))
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
	const char *word = word_at(w, w->i), *keyword = NULL;
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
	const char *before = w->i > 0 ? word_at(w, w->i - 1) : "", *word = word_at(w, w->i);

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
	const char *word = word_at(w, w->i);

	if (w->i > 1 ||
		(w->i == 1 && strcmp(word_at(w, 0), "start") != 0 &&
			strcmp(word_at(w, 0), "set") != 0))
		return false;
	for (size_t k = 0; k < w->g->n_rules; k++) {
		const struct rule *r = &w->g->rules[k];

		if (r->n < 3 || (r->n > 3 && !r->elems[3].optional) || r->elems[1].n_choices != 1 ||
			!synonyms_is_usual(NULL, first_of(r)) ||
			!synonyms_is_usual(first_of(r), r->elems[1].choices[0]) ||
			!is_offered(w, &r->elems[2], word))
			continue;
		snprintf(text, size, "%s %s %s", first_of(r), r->elems[1].choices[0], word);
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
		return choice_of(elem, word) >= 0;
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
		if (!isalpha((unsigned char)*word_at(w, first)) &&
			!isalpha((unsigned char)*word_at(w, first + 1)))
			continue;
		text[0] = '\0';
		for (unsigned int i = 0; i < n; i++) {
			const unsigned int from = i == first ? i + 1 : i == first + 1 ? first : i;

			if (w->words->word[i].quoted)
				return false;
			add(text, size, "", word_at(w, from), "");
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
		command = synonyms_command(word_at(w, 0), word_at(w, 1));
	for (unsigned int i = 0; i <= w->i && i < 3 && i < w->words->n && command == NULL; i++) {
		if (i == 2 && !is_number(word_at(w, 1)))
			continue; /* "port 0 up" is "port up" */
		if (i < w->i && in_full(w, grammar_walk_rule(w, 0)))
			continue;
		command = synonyms_command(i > 0 ? word_at(w, 0) : NULL, word_at(w, i));
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
		const char *command = synonyms_command(verbs[i], word_at(w, 0));

		snprintf(text, size, "%s %s", verbs[i], w->words->line);
		if (synonyms_is_usual(verbs[i], word_at(w, 0)) && is_begin(w->g, text, IN_VALUE))
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
	const char *word = word_at(w, w->i);

	if (w->i == 0 || strchr(word, '-') == NULL || *word == '-' || word[strlen(word) - 1] == '-')
		return false;
	*text = '\0';
	for (unsigned int i = 0; i <= w->i; i++)
		add(text, size, "", word_at(w, i), "");
	for (char *at = text + strlen(text) - strlen(word); *at != '\0'; at++)
		if (*at == '-')
			*at = ' ';
	return is_begin(w->g, text, IN_KEYWORD);
}

/* The command of its own that a file belongs to: "set replay a.pcap" for "set fwd replay a.pcap". */
static bool
by_file(const struct walk *w, char *text, size_t size)
{
	const char *word = word_at(w, w->i);

	if (w->i < 2 || strpbrk(word, "./") == NULL || isdigit((unsigned char)*word))
		return false;
	snprintf(text, size, "%s %s %s", word_at(w, 0), word_at(w, w->i - 1), word);
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
		if (r->elems[i].n_choices > 0 && choice_of(&r->elems[i], word_at(w, w->i)) >= 0)
			return false;
	return true;
}

void
grammar_guess(const struct walk *w, struct guess *g)
{
	const char *word = word_at(w, w->i);

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
		(by_words(w, 2, g->text, sizeof(g->text)) || by_verb(w, g->text, sizeof(g->text)) ||
			by_argument(w, g->text, sizeof(g->text)) ||
			by_words(w, 1, g->text, sizeof(g->text))))
		g->near = g->text;
}
