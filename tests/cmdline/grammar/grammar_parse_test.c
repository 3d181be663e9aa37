/* Parsing a line: which row it means, its arguments, and the message when it means none. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "cmdline/grammar/grammar.h"
#include "fixtures/cases.h"
#include "fixtures/grammar_rows.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The numbers of an argument that has several, in parentheses. Returns bytes. */
static size_t
numbers_print(const struct arg *a, char *to, size_t size)
{
	static const uint8_t none[sizeof(a->mac)];
	size_t n = 0;

	for (unsigned int i = 0; i < a->list_n; i++)
		n += (size_t)snprintf(to + n, size - n, "%s%u", i == 0 ? "(" : ",", a->list[i]);
	if (memcmp(a->mac, none, sizeof(none)) != 0)
		n += (size_t)snprintf(to + n, size - n, "(%02x%02x%02x%02x%02x%02x", a->mac[0],
			a->mac[1], a->mac[2], a->mac[3], a->mac[4], a->mac[5]);
	return n > 0 ? n + (size_t)snprintf(to + n, size - n, ")") : 0;
}

/* "row name=text/number ..."; an error points at its word, and has testpmd's verdict. */
static int
line_read(const char *line, char *to, size_t size, struct err *e)
{
	const struct cmd_row *row;
	struct args args;
	size_t n;
	int ret = grammar_parse(grammar_made, line, &row, &args, e);

	if (ret < 0) {
		const char *at = line + e->column;

		assert_string_equal(e->verdict,
			at == line + strspn(line, " ") ? "Command not found" : "Bad arguments");
		at += *at == '"' && *e->word != '"';
		assert_memory_equal(at, e->word, strlen(e->word));
		return ret;
	}
	n = (size_t)snprintf(to, size, "%s", row != NULL ? (const char *)row->data : "nothing");
	if (row != NULL)
		assert_ptr_equal(args.data, row->data);
	for (unsigned int i = 0; i < args.n; i++) {
		const struct arg *a = &args.arg[i];

		n += (size_t)snprintf(to + n, size - n, " %s=%s/%llu", a->name, a->text,
			(unsigned long long)a->number);
		n += numbers_print(a, to + n, size - n);
		assert_in_range(a->column, 0, strlen(line) - 1);
		assert_int_equal(a->list == NULL, a->list_n == 0);
	}
	return 0;
}

CASES("cmdline/grammar/grammar_parse", { "line", line_read })

TEST(long_lines)
{
	char line[LINE_BYTES + 10], got[LINE_BYTES + 100];
	const struct cmd_row *row;
	struct args args;
	struct err e;

	err_clear(&e);
	memset(line, 'x', sizeof(line));
	memcpy(line, "device ", 7);
	line[LINE_BYTES - 1] = '\0';
	assert_int_equal(line_read(line, got, sizeof(got), &e), 0);
	assert_memory_equal(got, "device name=xxx", 15);
	line[LINE_BYTES - 1] = 'x';
	line[LINE_BYTES] = '\0';
	assert_int_equal(grammar_parse(*state, line, &row, &args, &e), -E2BIG);
	assert_string_equal(e.verdict, "Bad arguments");
	assert_string_equal(e.text, "the line is longer than 4095 bytes");
	/* one bad word of that length; many words */
	line[LINE_BYTES - 1] = '\0';
	line[6] = 'x';
	assert_int_equal(line_read(line, got, sizeof(got), &e), -ENOENT);
	assert_int_equal(strlen(e.word), sizeof(e.word) - 1);
	memset(line, ' ', LINE_BYTES - 1);
	for (size_t i = 5; i < LINE_BYTES - 1; i += 2)
		line[i] = 'w';
	memcpy(line, "stop", 4);
	assert_int_equal(line_read(line, got, sizeof(got), &e), -EINVAL);
	assert_int_equal(e.column, 5);
	memcpy(line, "echo", 4);
	assert_int_equal(line_read(line, got, sizeof(got), &e), 0);
	assert_memory_equal(got, "echo words=w w w ", 17);
}

TEST(lookups)
{
	const struct cmd_row *row;
	struct args args;
	struct err e;

	err_clear(&e);
	assert_int_equal(grammar_parse(*state, "set promisc 1 of", &row, &args, &e), 0);
	assert_int_equal(arg_u64(&args, "port", 9), 1);
	assert_string_equal(arg_str(&args, "on", "?"), "off");
	assert_true(arg_is(&args, "on", "off"));
	assert_false(arg_is(&args, "on", "on"));
	assert_false(arg_is(&args, "off", "off"));
	assert_true(arg_given(&args, "on"));
	assert_false(arg_given(&args, "promisc"));
	assert_null(arg_find(&args, "nothing"));
	assert_int_equal(arg_u64(&args, "nothing", 9), 9);
	assert_string_equal(arg_str(&args, "nothing", "?"), "?");
	assert_int_equal(arg_err(&args, "port", &e, ENODEV, "port %d is away", 1), -ENODEV);
	assert_int_equal(e.column, 12);
	assert_string_equal(e.word, "1");
	assert_string_equal(e.text, "port 1 is away");
	err_clear(&e);
	assert_int_equal(arg_err(&args, "nothing", &e, ENODEV, "x"), -ENODEV);
	assert_int_equal(e.column, -1);
}

/* Lists of one line share one room. */
TEST(lists_fill_up)
{
	static const struct {
		const char *line;
		int ret;
		unsigned int a, b; /* their last numbers */
	} rows[] = {
		{ "set lists 0-9 100-109", 0, 9, 109 },
		{ "set lists 0-2000 0-2000", 0, 2000, 2000 },
		{ "set lists 0 0-4092", 0, 0, 4092 },
		{ "set lists 0-2000 0-2100", -E2BIG, 0, 0 },
		{ "set lists 0-65535 0", -E2BIG, 0, 0 },
		{ "set lists 0-4094 0", -E2BIG, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct cmd_row *row;
		struct args args;
		struct err e;

		err_clear(&e);
		assert_int_equal(grammar_parse(*state, rows[i].line, &row, &args, &e), rows[i].ret);
		if (rows[i].ret == 0) {
			const struct arg *a = arg_find(&args, "a"), *b = arg_find(&args, "b");

			assert_int_equal(a->list[a->list_n - 1], rows[i].a);
			assert_int_equal(b->list[b->list_n - 1], rows[i].b);
		}
	}
}

TESTS(.setup = grammar_rows_begin, .teardown = grammar_rows_end);
