/* Shared by the files of the grammar: compiled rows, words of a line, and the walk over them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/err.h"
#include "cmdline/grammar/grammar.h"

#define GRAMMAR_WORDS_MAX 40 /* words of one row */

/* One word of a row. */
struct elem {
	const char *name;            /* the argument's; NULL for keywords */
	const struct arg_type *type; /* NULL for keywords, <x:word ...> and <x:choice ...> */
	const char *params;          /* behind the type's name, "" if none */
	char **choices;              /* keywords, and those of such arguments */
	unsigned int n_choices;
	bool exact;    /* no shorter form of a choice will do */
	bool may_end;  /* the line may end before it */
	bool optional; /* it is in the optional tail */
};

/* One row, compiled. */
struct rule {
	const struct cmd_table *table;
	const struct cmd_row *row;
	struct elem elems[GRAMMAR_WORDS_MAX];
	unsigned int n;
	char *text;     /* the syntax, cut into the strings that elems point at */
	char **choices; /* what elems[].choices point into */
};

struct grammar {
	const struct app *app;
	const struct arg_type *types; /* the program's */
	size_t n_types;
	struct rule *rules;
	size_t n_rules;
	const char *folder; /* grammar_folder() */
};

/* How many rules a row becomes: one for each choice of its groups in "{}", of which 8 count. */
unsigned int grammar_compile_rules(const char *syntax);

/*
 * Compile a row into rule, with those groups that with has a bit for. EINVAL with e naming the row
 * and the column of what is wrong; ENOMEM. The caller frees rule->text and rule->choices, even then.
 */
int grammar_compile(struct rule *rule, const struct grammar *g, const struct cmd_table *table,
	const struct cmd_row *row, unsigned int with, struct err *e);

/* The type of that name, the program's first, or NULL. */
const struct arg_type *grammar_type(const struct grammar *g, const char *name, size_t n);
/* True when type takes the rest of the line: <x:text>, or a type of the program. */
bool grammar_type_is_rest(const struct arg_type *type);
/* True when type takes any word: str, text, file. */
bool grammar_type_is_free(const struct arg_type *type);
/* True when type is the name of a file. */
bool grammar_type_is_file(const struct arg_type *type);
/* True for a built-in type. */
bool grammar_type_is_builtin(const struct arg_type *type);
/* True when params are valid for a built-in type; always true for other types. */
bool grammar_type_params_ok(const struct arg_type *type, const char *params);

/* One word of a line. */
struct word {
	const char *text; /* without quotes, in struct words */
	size_t column;    /* of its first byte (its quote) in the line */
	bool quoted;
};

struct words {
	struct word word[GRAMMAR_WORDS_MAX + 1];
	/* at most one more than a row can have; further words are checked and left out */
	unsigned int n;
	size_t end; /* column behind the last word, comment not included */
	/* column of the word that touches the end of the line; the end when none does */
	size_t open_at;
	bool in_quotes;  /* the line ends inside quotes */
	bool in_comment; /* the line ends in a comment */
	const char *line;
	char text[LINE_BYTES];
};

/*
 * Cut a line into words. Fails with EINVAL (quotes), E2BIG; an unfinished quoted word is its last
 * word then, with in_quotes set.
 */
int grammar_words(const char *line, struct words *w, struct err *e);

/* How a word fits an element, best first. */
enum fit { FIT_EXACT, FIT_TYPED, FIT_FREE, FIT_SHORT, FIT_NOT };

/* The rules that fit the words walked so far. */
struct walk {
	const struct grammar *g;
	const struct words *words;
	unsigned int i;    /* words walked */
	bool ambiguous;    /* the walk stopped since word i may be several keywords */
	uint16_t *rules;   /* alive; when word i fits none: alive before it */
	uint64_t *ranks;   /* fits of their words, from the left, two bits each */
	size_t n;          /* of rules and ranks */
	uint16_t *numbers; /* storage for lists that are only checked */
};

/*
 * Walk the first n words. Returns 0; -ENOMEM with e filled; -EINVAL when a word fits no rule, e
 * untouched. Call grammar_walk_free() in any case.
 */
int grammar_walk_words(struct walk *w, const struct grammar *g, const struct words *words,
	unsigned int n, struct err *e);
void grammar_walk_free(struct walk *w);

/* Rule k of those alive. */
static inline const struct rule *
grammar_walk_rule(const struct walk *w, size_t k)
{
	return &w->g->rules[w->rules[k]];
}

/* True when a line of n words may end in this rule. */
bool grammar_walk_may_end(const struct rule *r, unsigned int n);

/* The element that word i of a line stands for, or NULL when the rule has none. */
const struct elem *grammar_walk_elem(const struct rule *r, unsigned int i);

/*
 * How word i fits elem. choice: which keyword when it fits one. a: filled by the type, list and
 * list_n say where to. e: why a type refuses the word, or NULL.
 */
enum fit grammar_walk_fit(const struct walk *w, const struct elem *elem, unsigned int *choice,
	struct arg *a, struct err *e);

/* What an argument is, for people: "a number 1..512". */
void grammar_offer_describe(const struct elem *elem, char *text, size_t n);

#define GUESS_BYTES (2 * LINE_BYTES)

/* What was meant by a line that fits no row. */
struct guess {
	const char *sure; /* certainly; NULL: unknown */
	const char
		*near; /* probably, unless the wrong word is a slip of the finger; NULL: unknown */
	char text[GUESS_BYTES];
};

/* Guess it; the texts live as long as *g. */
void grammar_guess(const struct walk *w, struct guess *g);

/*
 * Fill e: what is wrong with word w->i (or that the line ends before it), what was expected, a near
 * miss. Returns -e->code.
 */
int grammar_expect(const struct walk *w, struct err *e);
