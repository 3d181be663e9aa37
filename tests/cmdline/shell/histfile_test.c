/* The history file: who may read it, what is loaded, what is added, when it is shortened. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/shell/histfile.h"

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

static void
make(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	fputs(text, f);
	fclose(f);
}

/* The file is exactly this. */
static void
assert_file(const char *path, const char *want)
{
	char got[256] = "";
	FILE *f = fopen(path, "r");

	got[fread(got, 1, sizeof(got) - 1, f)] = '\0';
	fclose(f);
	assert_string_equal(got, want);
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

TEST(is_written_at_once)
{
	struct loaded l;
	struct histfile *h = load("history", &l);

	histfile_add(h, "stop");
	assert_file("history", "stop\n");
	histfile_add(h, "start");
	histfile_add(h, "start");
	histfile_add(h, "stop");
	assert_file("history", "stop\nstart\nstop\n");
	histfile_close(h);
	h = load("history", &l);
	assert_int_equal(l.n, 3);
	assert_string_equal(l.first, "stop");
	histfile_add(h, "stop"); /* as the last one of before */
	assert_file("history", "stop\nstart\nstop\n");
	histfile_close(h);
}

TEST(a_cut_line_does_not_swallow_the_next)
{
	struct loaded l;
	struct histfile *h;

	make("history", "stop\n\nsta");
	h = load("history", &l);
	histfile_add(h, "quit");
	assert_file("history", "stop\n\nsta\nquit\n");
	histfile_close(h);
	h = load("history", &l);
	assert_int_equal(l.n, 3);
	histfile_close(h);
}

/* A file of n numbered lines. */
static void
make_lines(unsigned int n)
{
	FILE *f = fopen("history", "w");
	unsigned int i;

	for (i = 0; i < n; i++)
		fprintf(f, "line %u\n", i);
	fclose(f);
}

TEST(the_last_lines_are_loaded)
{
	struct loaded l;

	make_lines(HISTFILE_LINES);
	histfile_close(load("history", &l));
	assert_int_equal(l.n, HISTFILE_LINES);
	assert_string_equal(l.first, "line 0");
	make_lines(HISTFILE_LINES + 1);
	histfile_close(load("history", &l));
	assert_int_equal(l.n, HISTFILE_LINES);
	assert_string_equal(l.first, "line 1");
	assert_string_equal(l.last, "line 1000");
}

TEST(a_long_file_is_shortened)
{
	struct stat before, after;
	struct loaded l;
	struct histfile *h;

	make_lines(2 * HISTFILE_LINES + 1);
	stat("history", &before);
	h = load("history", &l);
	histfile_add(h, "new");
	histfile_close(h);
	stat("history", &after);
	assert_true(after.st_size < before.st_size);
	assert_int_equal(after.st_mode & 0777, 0600);
	assert_int_equal(access("history.new", F_OK), -1);
	histfile_close(load("history", &l));
	assert_int_equal(l.n, HISTFILE_LINES);
	assert_string_equal(l.first, "line 1002");
	assert_string_equal(l.last, "new");
}

/* A NUL byte is of its line alone, which is no command. */
TEST(nul_bytes_cut_nothing)
{
	struct stat before, after;
	struct loaded l;
	FILE *f;

	make_lines(2 * HISTFILE_LINES + 1);
	f = fopen("history", "a");
	fwrite("a\0b\nlast\n", 1, 9, f);
	fclose(f);
	stat("history", &before);
	histfile_close(load("history", &l));
	stat("history", &after);
	assert_int_equal(l.n, HISTFILE_LINES - 1);
	assert_string_equal(l.last, "last");
	assert_true(after.st_size < before.st_size);
	histfile_close(load("history", &l));
	assert_int_equal(l.n, HISTFILE_LINES - 1);
	assert_string_equal(l.last, "last");
}

/* A file that is shortened loses no line that lacks its end. */
TEST(a_cut_line_is_kept)
{
	struct loaded l;
	struct histfile *h;
	FILE *f;

	make_lines(2 * HISTFILE_LINES + 1);
	f = fopen("history", "a");
	fputs("cut", f);
	fclose(f);
	h = load("history", &l);
	assert_string_equal(l.last, "cut");
	histfile_add(h, "new");
	histfile_close(h);
	histfile_close(load("history", &l));
	assert_int_equal(l.n, HISTFILE_LINES);
	assert_string_equal(l.last, "new");
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
