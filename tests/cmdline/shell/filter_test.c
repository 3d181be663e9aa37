/* Filters of answers and files that they go to: which lines pass, in text and in JSON; what is
 * refused. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "cmdline/shell/shell_priv.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct grammar *rows;

static int
setup(void **state)
{
	struct err e;

	err_clear(&e);
	rows = filter_grammar(&e);
	return rows != NULL ? 0 : -1;
}

static int
teardown(void **state)
{
	grammar_free(rows);
	return 0;
}

/* What an answer becomes behind the filters of line; free() it. */
static char *
answer(const char *line, const char *text, enum out_format format)
{
	struct filters f;
	char *bytes = NULL;
	size_t n = 0;
	FILE *file = open_memstream(&bytes, &n);
	struct out *o = out_open(file, stderr);
	struct err e;

	err_clear(&e);
	out_format_set(o, format);
	assert_int_equal(filters_read(&f, rows, line, &e), 0);
	out_begin(o, "show");
	assert_int_equal(filters_begin(&f, o, false, &e), 0);
	if (format == OUT_TEXT)
		out_text(o, "%s", text);
	else
		fputs(text, out_file(o));
	assert_int_equal(filters_end(&f, -1, &e), 0);
	filters_free(&f);
	fflush(file);
	out_close(o);
	fclose(file);
	return bytes;
}

#define TEXT "Port 0\n  RX-packets: 5\n  TX-packets: 0\n\nPort 1\n  rx-packets: 7"

TEST(lines_that_pass)
{
	static const struct {
		const char *line, *text;
	} cases[] = {
		{ "show", TEXT },
		{ "show | include rx", "  RX-packets: 5\n  rx-packets: 7" },
		{ "show | inc RX-P", "  RX-packets: 5\n  rx-packets: 7" },
		{ "show |include rx", "  RX-packets: 5\n  rx-packets: 7" },
		{ "show | match ^port", "Port 0\nPort 1\n" },
		{ "show | grep ^port|tx", "Port 0\n  TX-packets: 0\nPort 1\n" },
		{ "show | include \"^port|tx\"", "Port 0\n  TX-packets: 0\nPort 1\n" },
		{ "show | include Port 1", "Port 1\n" },
		{ "show | include nothing", "" },
		{ "show | exclude packets", "Port 0\n\nPort 1\n" },
		{ "show | except packets", "Port 0\n\nPort 1\n" },
		{ "show | exclude .", "\n" },
		{ "show | begin tx", "  TX-packets: 0\n\nPort 1\n  rx-packets: 7" },
		{ "show | find Port 1", "Port 1\n  rx-packets: 7" },
		{ "show | count", "Count: 6 lines\n" },
		{ "show | include rx | exclude 7", "  RX-packets: 5\n" },
		{ "show | include packets | count", "Count: 3 lines\n" },
		{ "show | count | include 6", "Count: 6 lines\n" },
		{ "show | count | exclude 6", "" },
		{ "show \"| include rx\"", TEXT },
		{ "show \"a\\\" | include rx\"", TEXT },
		{ "show # | include rx", TEXT },
		{ "show | no-more", TEXT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *got = answer(cases[i].line, TEXT, OUT_TEXT);

		assert_string_equal(got, cases[i].text);
		free(got);
	}
}

#define HEAD "{\"command\": \"show | x\", \"ok\": true"
#define PORTS \
	"\"ports\": [{\"port\": 0, \"name\": \"a, ]\\\"}\", \"q\": [1, 2]}, {\"port\": 1, \"name\": \"b\", \"q\": []}]"
#define JSON \
	HEAD ", " PORTS \
	     ", \"sum\": {\"packets\": 12, \"drops\": 0}, \"rate\": 1.5, \"messages\": [\"one\", \"two b\"], \"warnings\": [\"w\"]}\n"

TEST(members_that_pass)
{
	static const struct {
		const char *line, *text;
	} cases[] = {
		{ "show", JSON },
		{ "show | include .", JSON },
		{ "show | include name.: .b",
			HEAD
			", \"ports\": [{\"port\": 1, \"name\": \"b\", \"q\": []}], \"sum\": {}, \"messages\": [], \"warnings\": [\"w\"]}\n" },
		{ "show | include b|drops",
			HEAD
			", \"ports\": [{\"port\": 1, \"name\": \"b\", \"q\": []}], \"sum\": {\"drops\": 0}, \"messages\": [\"two b\"], \"warnings\": [\"w\"]}\n" },
		{ "show | exclude port|packets|one",
			HEAD
			", \"ports\": [], \"sum\": {\"drops\": 0}, \"rate\": 1.5, \"messages\": [\"two b\"], \"warnings\": [\"w\"]}\n" },
		{ "show | count", HEAD ", \"warnings\": [\"w\"], \"count\": 7}\n" },
		{ "show | include port | count", HEAD ", \"warnings\": [\"w\"], \"count\": 2}\n" },
		{ "show | begin rate",
			HEAD
			", \"ports\": [], \"sum\": {}, \"rate\": 1.5, \"messages\": [\"one\", \"two b\"], \"warnings\": [\"w\"]}\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *got = answer(cases[i].line, JSON, OUT_JSON);

		assert_string_equal(got, cases[i].text);
		free(got);
	}
}

/* Several commands behind one filter, as of "watch" and "load": each object is filtered alone. */
TEST(objects_one_by_one)
{
	static const struct {
		const char *line, *text;
	} cases[] = {
		{ "show | count",
			HEAD ", \"warnings\": [\"w\"], \"count\": 7}\n" HEAD
			     ", \"warnings\": [\"w\"], \"count\": 7}\n" HEAD ", \"count\": 1}\n" },
		{ "show | begin rate",
			HEAD
			", \"ports\": [], \"sum\": {}, \"rate\": 1.5, \"messages\": [\"one\", \"two b\"], \"warnings\": [\"w\"]}\n" HEAD
			", \"ports\": [], \"sum\": {}, \"rate\": 1.5, \"messages\": [\"one\", \"two b\"], \"warnings\": [\"w\"]}\n" HEAD
			"}\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *got = answer(cases[i].line, JSON JSON HEAD ", \"last\": 1}\n", OUT_JSON);

		assert_string_equal(got, cases[i].text);
		free(got);
	}
}

TEST(what_is_refused)
{
	static const struct {
		const char *line;
		int column;
		const char *text;
	} cases[] = {
		{ "show | x", 7, "column 8: unknown command \"x\": expected include, match, " },
		{ "show | includ3 x", 7, "did you mean \"include\"?" },
		{ "show |", 6, "column 7: incomplete command: expected include" },
		{ "show | include", 14, "incomplete command" },
		{ "show | count 5", 13, "unexpected argument \"5\"" },
		{ "show | include (", 15, "column 16: \"(\" is not a regular expression: " },
		{ "show >", 6, "incomplete command: expected a file name" },
		{ "show > f x", 9, "unknown keyword \"x\"" },
		{ "show >> f overwrite", 10, "unexpected argument \"overwrite\"" },
		{ "show > f | count", 9, "a file ends the line" },
		{ "| count", 0, "expected a command in front" },
		{ " > f", 1, "expected a command in front" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct filters f;
		struct err e;

		err_clear(&e);
		assert_true(filters_read(&f, rows, cases[i].line, &e) < 0);
		assert_int_equal(e.column, cases[i].column);
		if (strstr(e.text, cases[i].text) == NULL)
			fail_msg("%s: %s", cases[i].line, e.text);
		filters_free(&f);
	}
}

static char *
content(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = calloc(1, 4096);

	if (f == NULL)
		return text;
	assert_true(fread(text, 1, 4095, f) < 4095);
	fclose(f);
	return text;
}

/* Run the filters of a line over a text. Returns filters_begin()'s. */
static int
write_file(const char *line, const char *text, struct err *e)
{
	struct out *o = out_open(stdout, stderr);
	struct filters f;
	int ret;

	err_clear(e);
	assert_int_equal(filters_read(&f, rows, line, e), 0);
	ret = filters_begin(&f, o, false, e);
	if (ret == 0)
		out_text(o, "%s", text);
	assert_int_equal(filters_end(&f, -1, e), 0);
	filters_free(&f);
	out_close(o);
	return ret;
}

TEST(files)
{
	char folder[] = "/tmp/filterXXXXXX", line[256], path[128], *got;
	struct err e;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/f", folder);
	snprintf(line, sizeof(line), "show > %s", path);
	assert_int_equal(write_file(line, "one\n", &e), 0);
	assert_int_equal(write_file(line, "two\n", &e), -EEXIST);
	assert_non_null(strstr(e.text, "exists already: use another name, or \"overwrite\""));
	snprintf(line, sizeof(line), "show >> %s", path);
	assert_int_equal(write_file(line, "three\n", &e), 0);
	got = content(path);
	assert_string_equal(got, "one\nthree\n");
	free(got);
	snprintf(line, sizeof(line), "show | include o >%s overwrite", path);
	assert_int_equal(write_file(line, "four\nfive\nsix o", &e), 0);
	got = content(path);
	assert_string_equal(got, "four\nsix o");
	free(got);
	unlink(path);
	snprintf(line, sizeof(line), "show >> %s/nothing/f", folder);
	assert_int_equal(write_file(line, "", &e), -ENOENT);
	snprintf(line, sizeof(line), "show >> %s", folder);
	assert_true(write_file(line, "", &e) < 0);
	rmdir(folder);
}

/* A device that is full: what could not be written is an error, not an answer. */
TEST(full_device)
{
	struct out *o = out_open(stdout, stderr);
	struct filters f;
	struct err e;

	err_clear(&e);
	assert_int_equal(filters_read(&f, rows, "show > /dev/full", &e), 0);
	assert_int_equal(filters_begin(&f, o, false, &e), 0);
	out_text(o, "lost\n");
	assert_true(filters_end(&f, -1, &e) < 0);
	assert_non_null(strstr(e.text, "cannot write /dev/full: No space left"));
	filters_free(&f);
	out_close(o);
}

TESTS(.setup = setup, .teardown = teardown);
