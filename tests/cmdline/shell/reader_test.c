/* Lines from a pipe or a file: ends of lines, lines too long, NUL bytes, signals. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/shell/reader.h"

#include "base/base.h"
#include "base/interrupt.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READS_MAX 4

/* One call of reader_line(): what it returns, and the line. */
struct got {
	int ret;
	const char *line;
};

static const struct reader_case {
	const char *input;
	size_t n;
	struct got expected[READS_MAX]; /* then the end */
} reader_cases[] = {
#define INPUT(text) text, sizeof(text) - 1
	{ INPUT(""), { { 0, "" } } },
	{ INPUT("\n"), { { 1, "" } } },
	{ INPUT("one"), { { 1, "one" } } },
	{ INPUT("one\n"), { { 1, "one" } } },
	{ INPUT("one\ntwo"), { { 1, "one" }, { 1, "two" } } },
	{ INPUT("\n\nthree\n"), { { 1, "" }, { 1, "" }, { 1, "three" } } },
	{ INPUT("one\r\ntwo\r"), { { 1, "one" }, { 1, "two" } } },
	{ INPUT("a\rb\r\r\n"), { { 1, "a\rb\r" } } },
	{ INPUT("a\0b\nnext\n"), { { -EILSEQ, "a" }, { 1, "next" } } },
	{ INPUT("\0"), { { -EILSEQ, "" } } },
	{ INPUT("\0\0\n\0x\n"), { { -EILSEQ, "" }, { -EILSEQ, "" } } },
	{ INPUT("\x80\xff\x1b[A\n"), { { 1, "\x80\xff\x1b[A" } } },
};

/*
 * A reader on a pipe that holds n bytes and is closed behind them, unless keep is set to where it
 * stays open.
 */
static struct reader
reader_on(const void *bytes, size_t n, struct interrupt *interrupt, int *keep)
{
	struct reader r = { .interrupt = interrupt };
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], bytes, n), n);
	if (keep != NULL)
		*keep = fds[1];
	else
		close(fds[1]);
	r.fd = fds[0];
	return r;
}

TEST(lines)
{
	char line[LINE_BYTES];
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(reader_cases); i++) {
		const struct reader_case *c = &reader_cases[i];
		struct reader r = reader_on(c->input, c->n, NULL, NULL);

		for (j = 0; j < READS_MAX && c->expected[j].line != NULL; j++) {
			assert_int_equal(reader_line(&r, line), c->expected[j].ret);
			assert_string_equal(line, c->expected[j].line);
		}
		assert_int_equal(reader_line(&r, line), 0);
		assert_int_equal(reader_line(&r, line), 0);
		close(r.fd);
	}
}

static const struct long_case {
	size_t n; /* bytes before the newline */
	int ret;
} long_cases[] = {
	{ LINE_BYTES - 2, 1 },
	{ LINE_BYTES - 1, 1 },
	{ LINE_BYTES, -E2BIG },
	{ LINE_BYTES + 1, -E2BIG },
	{ 5 * LINE_BYTES, -E2BIG },
};

TEST(long_lines)
{
	char text[6 * LINE_BYTES], line[LINE_BYTES];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(long_cases); i++) {
		size_t n = long_cases[i].n;
		struct reader r;

		memset(text, 'x', n);
		memcpy(text + n, "\nnext\n", 6);
		r = reader_on(text, n + 6, NULL, NULL);
		assert_int_equal(reader_line(&r, line), long_cases[i].ret);
		assert_int_equal(strlen(line), n < LINE_BYTES ? n : LINE_BYTES - 1);
		assert_int_equal(reader_line(&r, line), 1);
		assert_string_equal(line, "next");
		close(r.fd);
	}
}

TEST(long_last_line)
{
	char text[2 * LINE_BYTES], line[LINE_BYTES];
	struct reader r;

	memset(text, 'x', sizeof(text));
	r = reader_on(text, sizeof(text), NULL, NULL);
	assert_int_equal(reader_line(&r, line), -E2BIG);
	assert_int_equal(reader_line(&r, line), 0);
	close(r.fd);
}

/* Input without end and without lines is given up. */
TEST(endless)
{
	struct reader r = { .fd = open("/dev/zero", O_RDONLY | O_CLOEXEC) };
	char line[LINE_BYTES];

	assert_true(r.fd >= 0);
	assert_int_equal(reader_line(&r, line), -EFBIG);
	close(r.fd);
}

TEST(a_signal_ends_the_wait)
{
	char line[LINE_BYTES];
	struct interrupt interrupt = { .requests = -1 };
	int signals[2], open_end;
	struct reader r;

	assert_int_equal(pipe(signals), 0);
	interrupt.signals = signals[0];
	r = reader_on("one\nhal", 7, &interrupt, &open_end);
	assert_int_equal(reader_line(&r, line), 1);
	assert_int_equal(write(signals[1], "x", 1), 1);
	assert_int_equal(reader_line(&r, line), -EINTR);
	close(r.fd);
	close(open_end);
	close(signals[0]);
	close(signals[1]);
}

TEST(bad_file)
{
	struct reader r = { .fd = 12345 };
	char line[LINE_BYTES];

	assert_int_equal(reader_line(&r, line), -EBADF);
}
