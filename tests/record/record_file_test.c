/* Files of recordings: whole pieces, heads in each, the newest without a number, and full disks
 * that cost one piece. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "fixtures/unit.h"
#include "record/record_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
	char dir[32], path[64], other[64];
	struct record_file file;
};

static int
fixture_open(void **state)
{
	struct fixture *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return -1;
	strcpy(b->dir, "/tmp/recordXXXXXX");
	if (mkdtemp(b->dir) == NULL)
		return -1;
	snprintf(b->path, sizeof(b->path), "%s/r", b->dir);
	snprintf(b->other, sizeof(b->other), "%s/other", b->dir);
	*state = b;
	return 0;
}

static const char *
name(const struct fixture *b, unsigned int number, char *to)
{
	if (number == 0)
		return b->path;
	sprintf(to, "%s.%u", b->path, number);
	return to;
}

static int
fixture_close(void **state)
{
	struct fixture *b = *state;
	char to[96];

	record_file_close(&b->file);
	for (unsigned int i = 0; i < 9; i++)
		remove(name(b, i, to));
	unlink(b->other);
	rmdir(b->dir);
	free(b);
	return 0;
}

/* File number holds exactly text; NULL: there is none. */
static void
holds(const struct fixture *b, unsigned int number, const char *text)
{
	char path[96], got[256] = "";
	FILE *f = fopen(name(b, number, path), "r");

	if (text == NULL) {
		assert_null(f);
		return;
	}
	assert_non_null(f);
	got[fread(got, 1, sizeof(got) - 1, f)] = '\0';
	fclose(f);
	assert_string_equal(got, text);
}

/* The latest failure. */
static struct err e;

static int
put(struct fixture *b, const char *text)
{
	return record_file_write(&b->file, text, strlen(text), &e);
}

/* Files of so many bytes and some older ones. */
static int
opened(struct fixture *b, const char *path, uint64_t bytes, unsigned int older)
{
	err_clear(&e);
	return record_file_open(&b->file, path, true, bytes, older, &e);
}

TEST(rotates)
{
	struct fixture *b = *state;
	char piece[8];

	assert_int_equal(opened(b, b->path, 20, 2), 0);
	assert_int_equal(record_file_head(&b->file, RECORD_FILE_HEADER, "head\n", 5, &e), 0);
	assert_int_equal(record_file_head(&b->file, RECORD_FILE_RUN, "run1\n", 5, &e), 0);
	for (int i = 0; i < 3; i++) {
		sprintf(piece, "%04d\n", i);
		assert_int_equal(put(b, piece), 0);
	}
	holds(b, 1, "head\nrun1\n0000\n0001\n");
	holds(b, 0, "head\nrun1\n0002\n");
	/* The run is over, then the header stands alone. */
	assert_int_equal(record_file_head(&b->file, RECORD_FILE_RUN, NULL, 0, &e), 0);
	for (int i = 3; i < 10; i++) {
		sprintf(piece, "%04d\n", i);
		assert_int_equal(put(b, piece), 0);
	}
	holds(b, 0, "head\n0007\n0008\n0009\n");
	holds(b, 1, "head\n0004\n0005\n0006\n");
	holds(b, 2, "head\nrun1\n0002\n0003\n");
	holds(b, 3, NULL);
	assert_int_equal(b->file.files, 4);
	assert_int_equal(b->file.total, 12 * 5 + 4 * 5);
}

/* A piece beyond the limit gets a file of its own; nothing is ever split. */
TEST(large)
{
	struct fixture *b = *state;

	assert_int_equal(opened(b, b->path, 10, 0), 0);
	assert_int_equal(put(b, "more than ten\n"), 0);
	holds(b, 0, "more than ten\n");
	assert_int_equal(put(b, "again above ten\n"), 0);
	holds(b, 0, "again above ten\n");
	holds(b, 1, NULL);
}

TEST(no_room)
{
	struct fixture *b = *state;
	struct rlimit before, room;

	assert_int_equal(opened(b, b->path, 0, 0), 0);
	assert_int_equal(put(b, "first piece\n"), 0);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	room = before;
	room.rlim_cur = 20;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &room), 0);
	/* Eight bytes of it fit: they are taken back. */
	assert_int_equal(put(b, "second piece\n"), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_non_null(strstr(e.text, b->path));
	assert_non_null(strstr(e.text, "12 bytes"));
	holds(b, 0, "first piece\n");
	assert_int_equal(put(b, "third\n"), 0);
	holds(b, 0, "first piece\nthird\n");
}

TEST(full_device)
{
	struct fixture *b = *state;

	assert_int_equal(opened(b, "/dev/full", 0, 0), 0);
	assert_int_equal(put(b, "x"), -ENOSPC);
	assert_non_null(strstr(e.text, "/dev/full: No space left on device"));
}

/* As many pieces as would begin three files. */
static void
put_many(struct fixture *b)
{
	for (int i = 0; i < 6; i++)
		assert_int_equal(put(b, "123456789\n"), 0);
}

static bool
is(const char *path, mode_t type)
{
	struct stat st;

	return lstat(path, &st) == 0 && (st.st_mode & S_IFMT) == type;
}

/*
 * It takes all it is given, under its name. The link would be renamed as the device behind it
 * would.
 */
TEST(device)
{
	struct fixture *b = *state;

	assert_int_equal(symlink("/dev/null", b->path), 0);
	assert_int_equal(opened(b, b->path, 20, 2), 0);
	assert_false(b->file.regular);
	put_many(b);
	assert_true(is(b->path, S_IFLNK));
	holds(b, 1, NULL);
	assert_int_equal(b->file.files, 1);
	assert_int_equal(b->file.total, 60);
}

/* The link stays and leads to the newest; the older ones are where that is. */
TEST(linked)
{
	struct fixture *b = *state;
	char link[96];

	assert_int_equal(symlink(b->path, b->other), 0);
	assert_int_equal(opened(b, b->other, 20, 2), 0);
	put_many(b);
	assert_true(is(b->other, S_IFLNK));
	holds(b, 0, "123456789\n123456789\n");
	holds(b, 2, "123456789\n123456789\n");
	snprintf(link, sizeof(link), "%s.1", b->other);
	assert_false(is(link, S_IFREG) || is(link, S_IFLNK));
}

/* What has a rotated file's name and is none stays where it is. */
TEST(in_the_way)
{
	struct fixture *b = *state;
	char older[96];

	assert_int_equal(symlink("/dev/null", name(b, 2, older)), 0);
	assert_int_equal(opened(b, b->path, 20, 2), -EEXIST);
	assert_non_null(strstr(e.text, older));
	assert_int_equal(unlink(older), 0);
	assert_int_equal(opened(b, b->path, 20, 2), 0);
	assert_int_equal(put(b, "123456789\n123456789\n"), 0);
	/* Meanwhile others were busy. */
	assert_int_equal(rename(b->path, b->other), 0);
	assert_int_equal(symlink("/dev/null", b->path), 0);
	assert_int_equal(put(b, "x\n"), -ESTALE);
	assert_non_null(strstr(e.text, b->path));
	assert_true(is(b->path, S_IFLNK));
	holds(b, 1, NULL);
}

/* One writer each; the second one harms nothing. */
TEST(locked)
{
	struct record_file second;
	struct fixture *b = *state;

	for (unsigned int older = 0; older < 2; older++) {
		assert_int_equal(opened(b, b->path, 20, older), 0);
		put_many(b);
		assert_int_equal(record_file_open(&second, b->path, true, 0, 0, &e), -EBUSY);
		assert_non_null(strstr(e.text, "another capture or recording writes it"));
		holds(b, 0, "123456789\n123456789\n");
		record_file_close(&b->file);
	}
}

/*
 * A pipe takes what its reader takes; one who does not, or is not there, holds nothing up for long.
 */
TEST(pipes)
{
	struct fixture *b = *state;
	static char much[1 << 17];
	char got[64] = "";
	int reader;

	assert_int_equal(mkfifo(b->path, 0600), 0);
	assert_int_equal(opened(b, b->path, 20, 2), -ENXIO);
	assert_non_null(strstr(e.text, "the pipe has no reader"));
	reader = open(b->path, O_RDONLY | O_NONBLOCK);
	assert_int_equal(opened(b, b->path, 20, 2), 0);
	put_many(b);
	assert_int_equal(read(reader, got, sizeof(got)), 60);
	assert_true(is(b->path, S_IFIFO));
	assert_int_equal(record_file_write(&b->file, much, sizeof(much), &e), -EAGAIN);
	close(reader);
}

TEST(refused)
{
	struct fixture *b = *state;
	char path[PATH_MAX + 8];

	assert_int_equal(opened(b, "/nonexistent/r", 0, 0), -ENOENT);
	assert_non_null(strstr(e.text, "/nonexistent/r"));
	memset(path, 'a', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(opened(b, path, 0, 0), -ENAMETOOLONG);
}

TESTS(.before = fixture_open, .after = fixture_close);
