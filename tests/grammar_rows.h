/* Commands and types for the tests of the grammar, its fuzzer and the shell: as odd as rows can be. */
#pragma once

#include "grammar.h"

/* Rows without a program behind them; each row's data is a short name. Their handlers do nothing. */
extern const struct cmd_table grammar_rows;

/* port (0, 1 or all) and engine (io, mac, macswap). */
extern const struct arg_type grammar_rows_types[];
extern const size_t grammar_rows_types_n;

/* A grammar of all that; e as grammar_new(). */
struct grammar *grammar_rows_new(struct err *e);
