/* Files of recordings: whole pieces, heads in each, the newest without a number, and full disks that cost one piece. */
#include "record_file.h"

#include "base.h"
#include "err.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

struct bed {
	char dir[32], path[64];
	struct record_file file;
};

static int
bed_open(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return -1;
	strcpy(b->dir, "/tmp/recordXXXXXX");
	if (mkdtemp(b->dir) == NULL)
		return -1;
	snprintf(b->path, sizeof(b->path), "%s/r", b->dir);
	*state = b;
	return 0;
}

static const char *
name(const struct bed *b, unsigned int number, char *to)
{
	if (number == 0)
		return b->path;
	sprintf(to, "%s.%u", b->path, number);
	return to;
}

static int
bed_close(void **state)
{
	struct bed *b = *state;
	char to[96];

	record_file_close(&b->file);
	for (unsigned int i = 0; i < 9; i++)
		unlink(name(b, i, to));
	rmdir(b->dir);
	free(b);
	return 0;
}

/* File number holds exactly text; NULL: there is none. */
static void
holds(const struct bed *b, unsigned int number, const char *text)
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

static int
put(struct bed *b, const char *text, struct err *e)
{
	return record_file_write(&b->file, text, strlen(text), e);
}

static void
rotates(void **state)
{
	struct bed *b = *state;
	char piece[8];
	struct err e;

	err_clear(&e);
	assert_int_equal(record_file_open(&b->file, b->path, 20, 2, &e), 0);
	assert_int_equal(record_file_head(&b->file, RECORD_FILE_HEADER, "head\n", 5, &e), 0);
	assert_int_equal(record_file_head(&b->file, RECORD_FILE_RUN, "run1\n", 5, &e), 0);
	for (int i = 0; i < 3; i++) {
		sprintf(piece, "%04d\n", i);
		assert_int_equal(put(b, piece, &e), 0);
	}
	holds(b, 1, "head\nrun1\n0000\n0001\n");
	holds(b, 0, "head\nrun1\n0002\n");
	/* The run is over, then the header stands alone. */
	assert_int_equal(record_file_head(&b->file, RECORD_FILE_RUN, NULL, 0, &e), 0);
	for (int i = 3; i < 10; i++) {
		sprintf(piece, "%04d\n", i);
		assert_int_equal(put(b, piece, &e), 0);
	}
	holds(b, 0, "head\n0007\n0008\n0009\n");
	holds(b, 1, "head\n0004\n0005\n0006\n");
	holds(b, 2, "head\nrun1\n0002\n0003\n");
	holds(b, 3, NULL);
	assert_int_equal(b->file.files, 4);
	assert_int_equal(b->file.total, 12 * 5 + 4 * 5);
}

/* A piece beyond the limit gets a file of its own; nothing is ever split. */
static void
large(void **state)
{
	struct bed *b = *state;
	struct err e;

	err_clear(&e);
	assert_int_equal(record_file_open(&b->file, b->path, 10, 0, &e), 0);
	assert_int_equal(put(b, "more than ten\n", &e), 0);
	holds(b, 0, "more than ten\n");
	assert_int_equal(put(b, "again above ten\n", &e), 0);
	holds(b, 0, "again above ten\n");
	holds(b, 1, NULL);
}

static void
no_room(void **state)
{
	struct bed *b = *state;
	struct rlimit before, room;
	struct err e;

	err_clear(&e);
	assert_int_equal(record_file_open(&b->file, b->path, 0, 0, &e), 0);
	assert_int_equal(put(b, "first piece\n", &e), 0);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	room = before;
	room.rlim_cur = 20;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &room), 0);
	/* Eight bytes of it fit: they are taken back. */
	assert_int_equal(put(b, "second piece\n", &e), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_non_null(strstr(e.text, b->path));
	assert_non_null(strstr(e.text, "12 bytes"));
	holds(b, 0, "first piece\n");
	assert_int_equal(put(b, "third\n", &e), 0);
	holds(b, 0, "first piece\nthird\n");
}

static void
full_device(void **state)
{
	struct bed *b = *state;
	struct err e;

	err_clear(&e);
	assert_int_equal(record_file_open(&b->file, "/dev/full", 0, 0, &e), 0);
	assert_int_equal(put(b, "x", &e), -ENOSPC);
	assert_non_null(strstr(e.text, "/dev/full: No space left on device"));
}

static void
refused(void **state)
{
	struct bed *b = *state;
	char path[PATH_MAX + 8];
	struct err e;

	err_clear(&e);
	assert_int_equal(record_file_open(&b->file, "/nonexistent/r", 0, 0, &e), -ENOENT);
	assert_non_null(strstr(e.text, "/nonexistent/r"));
	memset(path, 'a', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(record_file_open(&b->file, path, 0, 0, &e), -ENAMETOOLONG);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rotates, bed_open, bed_close),
		cmocka_unit_test_setup_teardown(large, bed_open, bed_close),
		cmocka_unit_test_setup_teardown(no_room, bed_open, bed_close),
		cmocka_unit_test_setup_teardown(full_device, bed_open, bed_close),
		cmocka_unit_test_setup_teardown(refused, bed_open, bed_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
