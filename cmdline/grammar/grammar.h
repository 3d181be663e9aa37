/* The command language: rows of syntax; one walk over a line parses it or says what may come
 * next. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cmdline/grammar/arg.h"

#include <stddef.h>

struct app;
struct err;
struct offers;

struct arg_type {
	const char *name;
	/* "a port's number": what was expected, in errors and ? help; "lo..hi" params are added */
	const char *help;
	/*
	 * Check word and fill a->number, mac or list; name, text and column are there already.
	 * params: text behind the type's name in the syntax, "" if none. list has room for list_n -
	 * 1 numbers on entry; a type without list leaves both as they are. Called several times for
	 * one word, also for rows that are not chosen in the end. On failure fill e with what is
	 * wrong about the word ("port 7 does not exist"); what was expected is added by the
	 * grammar.
	 */
	int (*parse)(const struct app *app, const char *params, const char *word, struct arg *a,
		struct err *e);
	/* Offer what may stand here; NULL: nothing to offer but the help. */
	void (*offer)(const struct app *app, const char *params, const char *prefix,
		struct offers *o);
	/*
	 * The type takes the rest of the line, whatever it is, and this offers what may follow
	 * before, the words of it that are typed already; NULL: it is of one word. It clears
	 * o->complete if the line is incomplete after before. The handler finds out what the rest
	 * means.
	 */
	void (*offer_rest)(const struct app *app, const char *params, const char *before,
		struct offers *o);
};

/*
 * Syntax of a row, in words separated by one space:
 *   show                     keyword; may be shortened while unambiguous
 *   (rxq|txq)                one of several keywords
 *   <n:uint 1..512>          argument: name, type, and what the type wants to know
 *   <what:word info|stats>   argument that is one of several keywords
 *   <how:choice off|ring>    one of several names, none of which may be shortened
 *   [retry] [<n:uint>]       optional tail: the line may end before each "["; nests to the right, so that n needs retry
 *   [retry <n:uint>]         optional tail of two words: both or none
 *   {max <n:uint>}           words that may be left out, whatever follows; not nested, not the first
 * Optional keywords and those in parentheses can be asked for with arg_given(). Types that the
 * grammar brings: uint lo..hi (decimal or 0x), hex, word a|b, str, text (the rest of the line),
 * mac, list lo..hi ("0,2-4"), file. A program adds its own (port, engine, ...) as struct arg_type.
 */
struct cmd_row {
	const char *syntax;
	int (*run)(struct app *app, const struct args *args,
		struct err *e); /* 0 or -errno with e filled */
	const char *help;       /* one line */
	/* a line that works on two idle net_null ports (a test runs it), or NULL */
	const char *example;
	const void *data; /* handed to run as args->data */
	/*
	 * What run would say of the arguments that their types cannot tell, without doing anything and
	 * without a port: for files that are only checked. 0 or -errno with e filled; NULL: nothing.
	 */
	int (*check)(struct app *app, const struct args *args, struct err *e);
	/* `save config` writes what this sets from the program's state, and not as it was typed */
	bool by_state;
};

struct cmd_table {
	const char *topic; /* help topic: control, display, config, ports, ... */
	const char *title; /* what the topic is about, one line */
	const struct cmd_row *rows;
	size_t n;
};

struct grammar;

/*
 * Compile the rows. tables and types stay the caller's and must outlive the grammar.
 * Fails with EINVAL naming the row whose syntax is wrong; ENOMEM.
 */
struct grammar *grammar_new(const struct cmd_table *const *tables, size_t n_tables,
	const struct arg_type *types, size_t n_types, const struct app *app, struct err *e);
void grammar_free(struct grammar *g);

/* Call each for every row in table order: help, manual, shell completion. */
void grammar_each(const struct grammar *g,
	void (*each)(void *ctx, const struct cmd_table *table, const struct cmd_row *row),
	void *ctx);
