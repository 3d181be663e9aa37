/* Finds the command that has most of a line's words as keywords, in any order. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/grammar/guess_words.h"

#include "base/base.h"
#include "cmdline/grammar/grammar_priv.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define LOOKED_AT 12  /* words of a line; no command needs more to be known */
#define MEANT 3       /* commands that have a lone keyword, for one to be suggested */
#define SHORT_LEAST 3 /* letters with which a word is the beginning of a keyword */
#define LISTED 3      /* choices of a missing keyword */

const char *
guess_word(const struct walk *w, unsigned int i)
{
	return i < w->words->n ? w->words->word[i].text : NULL;
}

int
guess_choice(const struct elem *elem, const char *word)
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

const char *
guess_first(const struct rule *r)
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

bool
guess_of_kind(const struct rule *r, const char *typed)
{
	if (strcmp(r->table->topic, "absent") == 0)
		return false;
	if (strcmp(typed, "set") == 0)
		return !is_look(guess_first(r));
	if (strcmp(typed, "clear") == 0 || strcmp(typed, "show") == 0)
		return strcmp(guess_first(r), typed) == 0;
	return true;
}

void
guess_add(char *text, size_t size, const char *before, const char *word, const char *behind)
{
	const size_t n = strlen(text);

	snprintf(text + n, size - n, "%s%s%s%s", n > 0 ? " " : "", before, word, behind);
}

void
guess_add_elem(char *text, size_t size, const struct elem *elem)
{
	char list[96] = "";

	if (elem->n_choices == 0) {
		guess_add(text, size, "<", elem->name, ">");
		return;
	}
	for (unsigned int k = 0; k < elem->n_choices && k < LISTED; k++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%.24s",
			k > 0 ? "|" : "", elem->choices[k]);
	if (elem->n_choices == 1)
		guess_add(text, size, "", list, "");
	else
		guess_add(text, size, "(", list, elem->n_choices > LISTED ? "|...)" : ")");
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
		const char *word = guess_word(w, i), *next = guess_word(w, i + 1);
		char joined[64] = "";

		if ((*used & 1u << i) != 0 || w->words->word[i].quoted)
			continue;
		if (next != NULL && i + 1 < LOOKED_AT && (*used & 2u << i) == 0)
			snprintf(joined, sizeof(joined), "%s-%s", word, next);
		if (guess_choice(elem, joined) >= 0) {
			m->hits++;
			*used |= 2u << i;
			m->wrong |= i + 1 == w->i;
		} else if (guess_choice(elem, word) < 0) {
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
			guess_choice(elem, guess_word(w, i)) >= 0;
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
		const char *word = m->place[n] > 0 ? guess_word(w, m->place[n] - 1) : NULL;

		if (word == NULL && elem->optional)
			continue;
		if (word != NULL && guess_choice(elem, word) >= 0)
			guess_add(text, size, "", word, "");
		else if (word != NULL && choice_begun(elem, word) >= 0)
			guess_add(text, size, "", elem->choices[choice_begun(elem, word)], "");
		else
			guess_add_elem(text, size, elem);
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
	if (is_look(guess_first(r)))
		worth += m->hits > 1 ? WORTH_LOOK * ((int)m->hits - 1) : -COST_LONE_LOOK;
	return worth;
}

bool
guess_by_words(const struct walk *w, unsigned int least, char *text, size_t size)
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

		if (!guess_of_kind(r, guess_word(w, 0)))
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
