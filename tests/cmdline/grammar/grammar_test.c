/* Building the grammar from rows: bad rows are refused by name, good ones keep their order. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/grammar/grammar.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/cases.h"
#include "fixtures/grammar_rows.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
row_make(const char *syntax, char *to, size_t size, struct err *e)
{
	struct cmd_row row = grammar_rows.rows[0];
	struct cmd_table table = { "one", "one row", &row, 1 };
	const struct cmd_table *tables[] = { &grammar_rows, &table };
	struct grammar *g;

	row.syntax = syntax;
	g = grammar_new(tables, 2, grammar_rows_types, grammar_rows_types_n, NULL, e);
	if (g == NULL) {
		assert_non_null(strstr(e->text, syntax));
		return -e->code;
	}
	grammar_free(g);
	snprintf(to, size, "made");
	return 0;
}

CASES("cmdline/grammar/grammar", { "syntax", row_make })

static void
count_row(void *ctx, const struct cmd_table *table, const struct cmd_row *row)
{
	size_t *n = ctx;

	assert_ptr_equal(table, &grammar_rows);
	assert_ptr_equal(row, &grammar_rows.rows[(*n)++]);
}

TEST(each_in_order)
{
	size_t n = 0;

	grammar_each(*state, count_row, &n);
	assert_int_equal(n, grammar_rows.n);
}

/* Many words: the message shows some of them, and the near miss is found among all. */
TEST(long_lists_are_cut)
{
	char syntax[200][24];
	struct cmd_row many[ARRAY_SIZE(syntax)];
	struct cmd_table table = { "many", "many", many, ARRAY_SIZE(syntax) };
	const struct cmd_table *tables[] = { &table };
	const struct cmd_row *row;
	struct grammar *g;
	struct args args;
	struct err e;
	const char *at;
	size_t i, n = 0;

	for (i = 0; i < ARRAY_SIZE(syntax); i++) {
		snprintf(syntax[i], sizeof(syntax[i]), "keyword%zu", i);
		many[i] = grammar_rows.rows[0];
		many[i].syntax = syntax[i];
	}
	err_clear(&e);
	g = grammar_new(tables, 1, NULL, 0, NULL, &e);
	assert_non_null(g);
	assert_int_equal(grammar_parse(g, "keywrod199", &row, &args, &e), -ENOENT);
	assert_true(strlen(e.text) < 400);
	assert_true(strlen(e.expected) > 400);
	assert_string_equal(e.expected + strlen(e.expected) - 5, ", ...");
	/* What was probably meant is enough. */
	assert_string_equal(e.text,
		"column 1: unknown command \"keywrod199\"; did you mean \"keyword199\"?");
	assert_int_equal(grammar_parse(g, "nothing", &row, &args, &e), -ENOENT);
	for (at = e.text; (at = strstr(at, "keyword")) != NULL; at++)
		n++;
	assert_true(n > 10);
	at = strstr(e.text, ", ... ");
	assert_non_null(at);
	assert_int_equal(n + strtoul(at + strlen(", ... "), NULL, 10), 200);
	assert_non_null(strstr(at, " more: ?, or help"));
	grammar_free(g);
}

TESTS(.setup = grammar_rows_begin, .teardown = grammar_rows_end);
