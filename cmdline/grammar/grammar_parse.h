/* Parses a line into its row and arguments. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct args;
struct cmd_row;
struct err;
struct grammar;

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
