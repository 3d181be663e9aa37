/* The history file: who may read it, what is loaded, what is added, when it is shortened. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/shell/histfile.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct loaded {
	unsigned int n;
	char first[64], last[64];
};

static void
count(void *ctx, const char *line)
{
	struct loaded *l = ctx;

	if (l->n++ == 0)
		snprintf(l->first, sizeof(l->first), "%s", line);
	snprintf(l->last, sizeof(l->last), "%s", line);
}

static struct histfile *
load(const char *path, struct loaded *l)
{
	struct err e;

	err_clear(&e);
	memset(l, 0, sizeof(*l));
	return histfile_open(path, count, l, &e);
}

static int
setup(void **state)
{
	char *folder = strdup("/tmp/histfile_test.XXXXXX");

	*state = folder;
	return mkdtemp(folder) == NULL || chdir(folder) < 0;
}

static int
teardown(void **state)
{
	char command[128];
	int ret;

	snprintf(command, sizeof(command), "rm -r %s", (char *)*state);
	ret = chdir("/") < 0 || system(command) != 0;
	free(*state);
	return ret;
}

#define TEXT(text) text, sizeof(text) - 1
#define LIMIT HISTFILE_LINES

/* A file of numbered lines and a text behind them, what is added, and what the file has then. */
static const struct {
	unsigned int numbered;
	const char *text;
	size_t text_bytes;
	struct loaded loaded, again; /* by the next program; no first line: any */
	const char *adds[4];
	const char *file; /* NULL: it is shortened, or nothing is added */
} cases[] = {
	{ 0, TEXT(""), { 0, "", "" }, { 3, "stop", "stop" }, { "stop", "start", "start", "stop" },
		"stop\nstart\nstop\n" },
	/* as the last line of before */
	{ 0, TEXT("start\nstop\n"), { 2, "start", "stop" }, { 2, "start", "stop" }, { "stop" },
		"start\nstop\n" },
	/* a line without its end does not swallow the next one */
	{ 0, TEXT("stop\n\nsta"), { 2, "stop", "sta" }, { 3, "stop", "quit" }, { "quit" },
		"stop\n\nsta\nquit\n" },
	{ LIMIT, TEXT(""), { LIMIT, "line 0", "line 999" }, { LIMIT, "line 0", "line 999" } },
	{ LIMIT + 1, TEXT(""), { LIMIT, "line 1", "line 1000" }, { LIMIT, "line 1", "line 1000" } },
	{ 2 * LIMIT + 1, TEXT(""), { LIMIT, "line 1001", "line 2000" },
		{ LIMIT, "line 1002", "new" }, { "new" } },
	/* a NUL byte is of its line alone, which is no command */
	{ 2 * LIMIT + 1, TEXT("a\0b\nlast\n"), { LIMIT - 1, "", "last" },
		{ LIMIT - 1, "", "last" } },
	/* a file that is shortened loses no line that lacks its end */
	{ 2 * LIMIT + 1, TEXT("cut"), { LIMIT, "", "cut" }, { LIMIT, "", "new" }, { "new" } },
};

static void
assert_loaded(const struct loaded *got, const struct loaded *expected)
{
	assert_int_equal(got->n, expected->n);
	assert_string_equal(got->last, expected->last);
	if (expected->first[0] != '\0')
		assert_string_equal(got->first, expected->first);
}

TEST(what_is_loaded_and_added)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		FILE *f = fopen("history", "w");
		struct stat before, after;
		struct histfile *h;
		struct loaded l;

		for (unsigned int line = 0; line < cases[i].numbered; line++)
			fprintf(f, "line %u\n", line);
		fwrite(cases[i].text, 1, cases[i].text_bytes, f);
		fclose(f);
		stat("history", &before);
		h = load("history", &l);
		assert_loaded(&l, &cases[i].loaded);
		for (size_t k = 0; k < ARRAY_SIZE(cases[i].adds) && cases[i].adds[k] != NULL; k++)
			histfile_add(h, cases[i].adds[k]);
		if (cases[i].file != NULL) { /* written at once */
			char got[256] = "";

			f = fopen("history", "r");
			got[fread(got, 1, sizeof(got) - 1, f)] = '\0';
			fclose(f);
			assert_string_equal(got, cases[i].file);
		}
		histfile_close(h);
		stat("history", &after);
		assert_int_equal(after.st_size<before.st_size, cases[i].numbered> 2 * LIMIT);
		assert_int_equal(after.st_mode & 0777,
			cases[i].numbered > 2 * LIMIT ? 0600 : before.st_mode & 0777);
		assert_int_equal(access("history.new", F_OK), -1);
		histfile_close(load("history", &l));
		assert_loaded(&l, &cases[i].again);
	}
}

TEST(is_made_with_its_folders)
{
	struct loaded l;
	struct histfile *h = load("a/b/history", &l);
	struct stat st;

	assert_non_null(h);
	assert_int_equal(l.n, 0);
	assert_int_equal(stat("a/b/history", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(stat("a/b", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	histfile_close(h);
}

TEST(what_cannot_be_used_is_said)
{
	struct loaded l;
	struct err e;

	err_clear(&e);
	assert_null(histfile_open("/dev/null", count, &l, &e));
	assert_int_not_equal(e.code, 0);
	err_clear(&e);
	assert_null(histfile_open("/proc/nosuch/history", count, &l, &e));
	assert_string_equal(e.text,
		"no history is kept: cannot use /proc/nosuch/history: No such file or directory");
	histfile_add(NULL, "nothing happens");
	histfile_close(NULL);
}

TESTS(.before = setup, .after = teardown);
