/* The arguments of a command line, as passed to its handler. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;

#define LINE_BYTES 4096 /* longest command line, with its NUL */
#define ARGS_MAX 24     /* arguments of one row */

struct arg {
	const char *name; /* as in the syntax */
	const char *text; /* the word as typed; for keywords of <x:word ...> the full keyword */
	int column;       /* of the word in the line, for errors of the handler */
	uint64_t number;  /* uint, hex, port: the value; word: which choice, from 0 */
	uint8_t mac[6];   /* mac */
	uint16_t *list;   /* list: list_n numbers in the order given; storage of struct args */
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
