/* Filters of answers and files that they go to: which lines pass, in text and in JSON; what is
 * refused. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/shell/filter.h"

#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "fixtures/cases.h"
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

#define TEXT "Port 0\n  RX-packets: 5\n  TX-packets: 0\n\nPort 1\n  rx-packets: 7"
#define HEAD "{\"command\": \"show | x\", \"ok\": true"
#define PORTS \
	"\"ports\": [{\"port\": 0, \"name\": \"a, ]\\\"}\", \"q\": [1, 2]}, {\"port\": 1, \"name\": \"b\", \"q\": []}]"
#define JSON \
	HEAD ", " PORTS \
	     ", \"sum\": {\"packets\": 12, \"drops\": 0}, \"rate\": 1.5, \"messages\": [\"one\", \"two b\"], \"warnings\": [\"w\"]}\n"

/* Write an answer into to behind the filters of line. */
static int
answer(const char *line, const char *text, enum out_format format, char *to, size_t size,
	struct err *e)
{
	struct filters f;
	FILE *file;
	struct out *o;

	if (filters_read(&f, rows, line, e) != 0) {
		filters_free(&f);
		return -e->code;
	}
	file = fmemopen(to, size, "w");
	o = out_open(file, stderr);
	out_format_set(o, format);
	out_begin(o, "show");
	assert_int_equal(filters_begin(&f, o, false, e), 0);
	if (format == OUT_TEXT)
		out_text(o, "%s", text);
	else
		fputs(text, out_file(o));
	assert_int_equal(filters_end(&f, e), 0);
	filters_free(&f);
	out_close(o);
	fclose(file);
	if (strcmp(to, text) == 0)
		snprintf(to, size, "(all)");
	return 0;
}

static int
text_filtered(const char *line, char *to, size_t size, struct err *e)
{
	return answer(line, TEXT, OUT_TEXT, to, size, e);
}

/* What is left of the objects, without what each begins with. */
static int
objects_filtered(const char *line, const char *text, char *to, size_t size, struct err *e)
{
	const size_t n = strlen(HEAD);
	int ret = answer(line, text, OUT_JSON, to, size, e);

	for (char *at = to; (at = strstr(at, HEAD)) != NULL;)
		memmove(at, at + n, strlen(at + n) + 1);
	return ret;
}

static int
object_filtered(const char *line, char *to, size_t size, struct err *e)
{
	return objects_filtered(line, JSON, to, size, e);
}

/* Several commands behind one filter, as of "watch" and "load": each object is filtered alone. */
static int
each_filtered(const char *line, char *to, size_t size, struct err *e)
{
	return objects_filtered(line, JSON JSON HEAD ", \"last\": 1}\n", to, size, e);
}

CASES("cmdline/shell/filter", { "text", text_filtered }, { "object", object_filtered },
	{ "objects", each_filtered })

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
	assert_int_equal(filters_end(&f, e), 0);
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
	assert_true(filters_end(&f, &e) < 0);
	assert_non_null(strstr(e.text, "cannot write /dev/full: No space left"));
	filters_free(&f);
	out_close(o);
}

TESTS(.setup = setup, .teardown = teardown);
