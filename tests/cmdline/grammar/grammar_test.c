/* Building the grammar from rows: bad rows are refused by name, good ones keep their order. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/grammar/grammar.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/grammar_rows.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
setup(void **state)
{
	struct err e;

	err_clear(&e);
	*state = grammar_rows_new(&e);
	if (*state == NULL)
		print_error("%s\n", e.text);
	return *state == NULL;
}

static int
teardown(void **state)
{
	grammar_free(*state);
	return 0;
}

static const struct syntax_case {
	const char *syntax, *what;
} syntax_cases[] = {
	{ "", "a keyword is empty" },
	{ " show", "a keyword is empty" },
	{ "show ", "a keyword is empty" },
	{ "show  port", "a keyword is empty" },
	{ "show <port", "\"<\" without \">\"" },
	{ "show port>", "an invalid character" },
	{ "show <port>", "expected <name:type>" },
	{ "show <:port>", "expected <name:type>" },
	{ "show <p:nosuch>", "no such type" },
	{ "show <p:>", "no such type" },
	{ "show <a:port> <a:port>", "two arguments have this name" },
	{ "show <a:word>", "a keyword is empty" },
	{ "show <a:word x||y>", "a keyword is empty" },
	{ "show <n:uint 5>", "invalid parameters" },
	{ "show <n:uint 5..4>", "invalid parameters" },
	{ "show <n:uint 1..x>", "invalid parameters" },
	{ "show <n:uint 1..99999999999999999999>", "invalid parameters" },
	{ "show <n:list 0..65536>", "invalid parameters" },
	{ "show <m:mac x>", "invalid parameters" },
	{ "show (a|b", "\"(\" without \")\"" },
	{ "show ()", "a keyword is empty" },
	{ "show (a|)", "a keyword is empty" },
	{ "show (a|b)c", "one space between words" },
	{ "show a|b", "put several keywords in parentheses" },
	{ "show [a", "\"[\" without \"]\"" },
	{ "show a]", "\"]\" without \"[\"" },
	{ "show [a] b", "only another optional tail" },
	{ "show [[a]]", "without an element" },
	{ "show []", "a keyword is empty" },
	{ "[show]", "without an element" },
	{ "<n:uint>", "begins with a keyword" },
	{ "show <a:text> b", "nothing may follow the rest of the line" },
	{ "show \"a\"", "an invalid character" },
	{ "a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a",
		"too many words" },
	{ "a (b|c) (b|c) (b|c) (b|c) (b|c) (b|c) (b|c) (b|c) (b|c) (b|c) (b|c) (b|c) (b|c) (b|c) (b|c) (b|c) (b|c) (b|c) "
	  "(b|c) (b|c) (b|c) (b|c) (b|c) (b|c) (b|c)",
		"too many arguments" },
};

TEST(bad_rows)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(syntax_cases); i++) {
		struct cmd_row row = grammar_rows.rows[0];
		struct cmd_table table = grammar_rows;
		const struct cmd_table *tables[] = { &grammar_rows, &table };
		struct err e;

		row.syntax = syntax_cases[i].syntax;
		table.rows = &row;
		table.n = 1;
		err_clear(&e);
		assert_null(
			grammar_new(tables, 2, grammar_rows_types, grammar_rows_types_n, NULL, &e));
		assert_int_equal(e.code, EINVAL);
		if (strstr(e.text, syntax_cases[i].what) == NULL ||
			strstr(e.text, row.syntax) == NULL)
			fail_msg("\"%s\": %s", row.syntax, e.text);
	}
}

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

TESTS(.setup = setup, .teardown = teardown);
