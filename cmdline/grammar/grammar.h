/* The command language: rows of syntax; one walk over a line parses it or says what may come
 * next. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct app;
struct args;
struct cmd_row;
struct err;
struct grammar;
struct offers;

/* The arguments of a command line, as passed to its handler. */

#define LINE_BYTES 4096 /* longest command line, with its NUL */
#define ARGS_MAX 24     /* arguments of one row */

struct arg {
	const char *name; /* as in the syntax */
	const char *text; /* the word as typed; for keywords of <x:word ...> the full keyword */
	int column;       /* of the word in the line, for errors of the handler */
	uint64_t number;  /* uint, hex, port: the value; word: which choice, from 0 */
	uint8_t mac[6];   /* mac */
	uint16_t *list; /* list, pairs: list_n numbers in the order given; storage of struct args */
	unsigned int list_n;
};

struct args {
	const char *line;
	const void *data; /* the row's */
	unsigned int n;
	struct arg arg[ARGS_MAX];
	char words[2 * LINE_BYTES];   /* storage of text, with homes in place of "~" */
	uint16_t numbers[LINE_BYTES]; /* storage of list */
};

/* The argument of that name; NULL if it is optional and was omitted. */
const struct arg *arg_find(const struct args *a, const char *name);

/* Value or keyword of an argument; fallback if it was omitted. */
uint64_t arg_u64(const struct args *a, const char *name, uint64_t fallback);
const char *arg_str(const struct args *a, const char *name, const char *fallback);
/* True when the argument or the optional keyword of that name was given. */
bool arg_given(const struct args *a, const char *name);
/* True when the argument was given and equals that keyword ("on"). */
bool arg_is(const struct args *a, const char *name, const char *keyword);

/* Fail with e pointing at the argument: column, word; the rest as err_set(). Returns -code. */
int arg_err(const struct args *a, const char *name, struct err *e, int code, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

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
 * grammar brings: uint lo..hi unit (decimal or 0x; with a unit of time also "10ms"), hex, word a|b, str, text (the rest of the line),
 * mac, list lo..hi ("0,2-4"), pairs ("(0,1),(2,3)"), file. A program adds its own (port, engine,
 * ...) as struct arg_type.
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
	/*
	 * changes nothing, whatever its arguments are: may run while another command waits and in a watch
	 * beside others, is paged, and is not saved
	 */
	bool shows;
	/* changes the answers of who gives it and nothing else: may run while another command waits */
	bool beside;
	/* only looks, and on a terminal lets others run between its steps (interrupt_hand_over()): may, too */
	bool yields;
};

struct cmd_table {
	const char *topic; /* help topic: control, display, config, ports, ... */
	const char *title; /* what the topic is about, one line */
	const struct cmd_row *rows;
	size_t n;
	unsigned int
		section; /* help lists tables by it, and those of one in the order of their registration */
};

struct grammar;

/*
 * Compile the rows. tables and types stay the caller's and must outlive the grammar.
 * Fails with EINVAL naming the row whose syntax is wrong; ENOMEM.
 */
struct grammar *grammar_new(const struct cmd_table *const *tables, size_t n_tables,
	const struct arg_type *types, size_t n_types, const struct app *app, struct err *e);
void grammar_free(struct grammar *g);

/*
 * Names of files that are relative are in this folder from now on, an absolute path that the caller
 * keeps; NULL: in the program's. Returns the folder before.
 */
const char *grammar_folder(struct grammar *g, const char *folder);

/* Call each for every row in table order: help, manual, shell completion. */
void grammar_each(const struct grammar *g,
	void (*each)(void *ctx, const struct cmd_table *table, const struct cmd_row *row),
	void *ctx);

/* Parses a line into its row and arguments. */

/*
 * Parse one line (a comment from a # at the begin of a word on, and white space around, are
 * ignored). *row: the row, or NULL for an empty line. args stay good while line and the grammar do.
 * When several rows fit, the words decide from the left: exact keyword, then argument, then
 * any-word argument (str, text, file), then shortened keyword; then the order of the rows. So what
 * testpmd takes never becomes a shortened keyword. Errors fill e with testpmd's verdict, column,
 * word, expected: "Command not found" when the first word fits no row (ENOENT, or ENOTUNIQ when it
 * is short for several), else "Bad arguments" (EINVAL, ENOTUNIQ, E2BIG line too long, or what the
 * argument's type said).
 */
int grammar_parse(const struct grammar *g, const char *line, const struct cmd_row **row,
	struct args *args, struct err *e);
