/* The grammar's own argument types: MAC addresses, lists, numbers at their bounds. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "cmdline/grammar/grammar.h"
#include "fixtures/grammar_rows.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int
setup(void **state)
{
	struct err e;

	*state = grammar_rows_new(&e);
	return *state == NULL;
}

static int
teardown(void **state)
{
	grammar_free(*state);
	return 0;
}

/* Parse "FRONT word"; the code. */
static int
parse(const struct grammar *g, const char *front, const char *word, struct args *args)
{
	const struct cmd_row *row;
	char line[LINE_BYTES];
	struct err e;

	snprintf(line, sizeof(line), "%s %s", front, word);
	err_clear(&e);
	return grammar_parse(g, line, &row, args, &e);
}

static const struct mac_case {
	const char *word, *want;
} mac_cases[] = {
	{ "02:00:00:00:00:01", "020000000001" },
	{ "fE:Dc:bA:98:76:54", "fedcba987654" },
	{ "2:0:0:0:0:1", "020000000001" },
	{ "02-00-00-00-00-01", "020000000001" },
	{ "0200:0000:0001", "020000000001" },
	{ "", NULL },
	{ ":", NULL },
	{ "02:00:00:00:00", NULL },
	{ "02:00:00:00:00:", NULL },
	{ "02:00:00:00:00:01:", NULL },
	{ "02:00:00:00:00:01:02", NULL },
	{ ":02:00:00:00:00:01", NULL },
	{ "02::00:00:00:01", NULL },
	{ "02:00:00:00:00:0g", NULL },
	{ "02:00:00:00:00:001", NULL },
	{ "02:00:00:00:00:100", NULL },
	{ "02:00-00:00:00:01", NULL },
	{ "02.00.00.00.00.01", NULL },
	{ "200:0:1", NULL },
	{ "0200:0000:00010", NULL },
	{ "020000000001", NULL },
	{ "99999999999999999999:0:0:0:0:0", NULL },
};

TEST(mac)
{
	struct args args;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(mac_cases); i++) {
		char got[13] = "";

		if (parse(*state, "set eth-peer 0", mac_cases[i].word, &args) < 0) {
			if (mac_cases[i].want != NULL)
				fail_msg("%s is refused", mac_cases[i].word);
			continue;
		}
		if (mac_cases[i].want == NULL)
			fail_msg("%s is taken", mac_cases[i].word);
		for (j = 0; j < 6; j++)
			snprintf(got + 2 * j, 3, "%02x", arg_find(&args, "mac")->mac[j]);
		assert_string_equal(got, mac_cases[i].want);
	}
}

TEST(number)
{
	static const struct {
		const char *word;
		int code;
		uint64_t number;
	} rows[] = {
		{ "1", 0, 1 },
		{ "512", 0, 512 },
		{ "0x10", 0, 16 },
		{ "0", -ERANGE, 0 },
		{ "513", -ERANGE, 0 },
		{ "99999999999999999999", -ERANGE, 0 },
		{ "010", -EINVAL, 0 },
		{ "01", -EINVAL, 0 },
		{ "0x", -EINVAL, 0 },
		{ "12x", -EINVAL, 0 },
		{ "-1", -ERANGE, 0 },
		{ "-x", -EINVAL, 0 },
		{ "-", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },
	};
	struct args args;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (parse(*state, "set burst", rows[i].word, &args) != rows[i].code)
			fail_msg("%s: expected %d", rows[i].word, rows[i].code);
		if (rows[i].code == 0)
			assert_int_equal(arg_find(&args, "n")->number, rows[i].number);
	}
}

struct list_case {
	const char *word;
	int code;
	unsigned int n;
	uint16_t want[8];
};

static const struct list_case list_cases[] = {
	{ "0", 0, 1, { 0 } },
	{ "31", 0, 1, { 31 } },
	{ "0,2-4,1", 0, 5, { 0, 2, 3, 4, 1 } },
	{ "5-5", 0, 1, { 5 } },
	{ "1,1", 0, 2, { 1, 1 } },
	{ "0x10-0x11", 0, 2, { 16, 17 } },
	{ "32", -ERANGE, 0, { 0 } },
	{ "0-32", -ERANGE, 0, { 0 } },
	{ "0,99999999999999999999", -ERANGE, 0, { 0 } },
	{ "4-2", -EINVAL, 0, { 0 } },
	{ ",", -EINVAL, 0, { 0 } },
	{ "0,", -EINVAL, 0, { 0 } },
	{ ",0", -EINVAL, 0, { 0 } },
	{ "0,,1", -EINVAL, 0, { 0 } },
	{ "0-", -EINVAL, 0, { 0 } },
	{ "-1", -EINVAL, 0, { 0 } },
	{ "1-2-3", -EINVAL, 0, { 0 } },
	{ "a", -EINVAL, 0, { 0 } },
	{ "1 2", -EINVAL, 0, { 0 } },
	{ "01", -EINVAL, 0, { 0 } },
	{ "\"\"", -EINVAL, 0, { 0 } },
};

static const struct list_case pairs_cases[] = {
	{ "(0,1)", 0, 2, { 0, 1 } },
	{ "(1,2),(127,3),(0x10,65535)", 0, 6, { 1, 2, 127, 3, 16, 65535 } },
	{ "(65536,2)", -ERANGE, 0, { 0 } },
	{ "(1,99999999999999999999)", -ERANGE, 0, { 0 } },
	{ "(1,2", -EINVAL, 0, { 0 } },
	{ "(1)", -EINVAL, 0, { 0 } },
	{ "(1,2,3)", -EINVAL, 0, { 0 } },
	{ "1,2", -EINVAL, 0, { 0 } },
	{ "(1,2),", -EINVAL, 0, { 0 } },
	{ "(1,2)x", -EINVAL, 0, { 0 } },
	{ "(1,2)(3,4)", -EINVAL, 0, { 0 } },
	{ "(1,2),(x,2)", -EINVAL, 0, { 0 } },
	{ "(,2)", -EINVAL, 0, { 0 } },
	{ "(-1,2)", -EINVAL, 0, { 0 } },
	{ "(01,2)", -EINVAL, 0, { 0 } },
	{ "()", -EINVAL, 0, { 0 } },
	{ "(", -EINVAL, 0, { 0 } },
	{ "\"\"", -EINVAL, 0, { 0 } },
};

static void
lists_are(const struct grammar *g, const char *front, const char *name,
	const struct list_case *cases, size_t n)
{
	struct args args;

	for (const struct list_case *c = cases; c < cases + n; c++) {
		const struct arg *a;

		if (parse(g, front, c->word, &args) != c->code)
			fail_msg("%s: expected %d", c->word, c->code);
		if (c->code < 0)
			continue;
		a = arg_find(&args, name);
		assert_int_equal(a->list_n, c->n);
		assert_memory_equal(a->list, c->want, c->n * sizeof(c->want[0]));
	}
}

TEST(list)
{
	lists_are(*state, "set portlist", "ports", list_cases, ARRAY_SIZE(list_cases));
	lists_are(*state, "set entries", "entries", pairs_cases, ARRAY_SIZE(pairs_cases));
}

/* Lists of one line share one room. */
TEST(lists_fill_up)
{
	struct args args;

	assert_int_equal(parse(*state, "set lists", "0-9 100-109", &args), 0);
	assert_int_equal(arg_find(&args, "a")->list_n, 10);
	assert_int_equal(arg_find(&args, "b")->list_n, 10);
	assert_int_equal(arg_find(&args, "a")->list[9], 9);
	assert_int_equal(arg_find(&args, "b")->list[0], 100);
	assert_int_equal(parse(*state, "set lists", "0-2000 0-2000", &args), 0);
	assert_int_equal(arg_find(&args, "b")->list[2000], 2000);
	assert_int_equal(parse(*state, "set lists", "0-2000 0-2100", &args), -E2BIG);
	assert_int_equal(parse(*state, "set lists", "0-65535 0", &args), -E2BIG);
	assert_int_equal(parse(*state, "set lists", "0-4094 0", &args), -E2BIG);
	assert_int_equal(parse(*state, "set lists", "0 0-4092", &args), 0);
}

TEST(no_list_in_other_arguments)
{
	struct args args;
	unsigned int i;

	assert_int_equal(parse(*state, "set promisc", "0 on", &args), 0);
	for (i = 0; i < args.n; i++) {
		assert_null(args.arg[i].list);
		assert_int_equal(args.arg[i].list_n, 0);
	}
}

TESTS(.setup = setup, .teardown = teardown);
