/* The pipe of a tap: blocks are whole whatever the reader does, and what was written is counted. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/capture/capture_pipe.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEPT = 1001, TYPE_STATISTICS = 5, TYPE_PACKET = 6 };

static struct {
	char folder[32], path[64];
	int reader;
	struct capture_pipe pipe;
	struct capture_tap tap;
	struct {
		struct capture_copy head;
		uint8_t bytes[CAPTURE_BYTES_MAX];
	} copy;
	uint8_t got[4 << 20]; /* what the reader has read */
	size_t n;
} f;

static int
setup(void **state)
{
	const struct capture_pipe_head head = { .program = "unit",
		.name = "port 3",
		.snaplen = KEPT,
		.now = { .wall_ns = 1000, .tsc = 50, .tsc_hz = 1000000000 } };
	struct err e;

	signal(SIGPIPE, SIG_IGN);
	memset(&f, 0, sizeof(f));
	strcpy(f.folder, "/tmp/zct-XXXXXX");
	assert_non_null(mkdtemp(f.folder));
	snprintf(f.path, sizeof(f.path), "%s/fifo", f.folder);
	assert_int_equal(mkfifo(f.path, 0600), 0);
	f.reader = open(f.path, O_RDONLY | O_NONBLOCK);
	assert_true(f.reader >= 0);
	err_clear(&e);
	assert_int_equal(capture_pipe_open(&f.pipe, f.path, &head, &e), 0);
	/* Less than a block, so that blocks are written in parts. */
	assert_true(fcntl(f.pipe.fd, F_SETPIPE_SZ, 4096) > 0);
	f.copy.head = (struct capture_copy){ .tsc = 60, .len = 2 * KEPT, .kept = KEPT };
	f.tap.queue = 9;
	return 0;
}

static int
teardown(void **state)
{
	if (f.reader >= 0)
		close(f.reader);
	unlink(f.path);
	rmdir(f.folder);
	return 0;
}

static void
take(void)
{
	ssize_t n;

	while ((n = read(f.reader, f.got + f.n, sizeof(f.got) - f.n)) > 0)
		f.n += (size_t)n;
}

/* Number of blocks of a type, all of which are whole. */
static unsigned int
blocks(uint32_t type)
{
	unsigned int found = 0;
	uint32_t head[2];

	for (size_t at = 0; at < f.n; at += head[1]) {
		assert_true(f.n - at >= sizeof(head));
		memcpy(head, f.got + at, sizeof(head));
		assert_true(head[1] >= 12 && head[1] <= f.n - at);
		found += head[0] == type;
	}
	return found;
}

static uint64_t
fill(void)
{
	uint64_t n = 0;

	while (capture_pipe_add(&f.pipe, &f.tap, &f.copy.head))
		n++;
	return n;
}

/* Blocks wait for the reader, are not mixed up when written in parts, and are counted at their end. */
TEST(in_parts)
{
	uint64_t added = fill();

	assert_true(added > 100);
	assert_int_equal(capture_pipe_flush(&f.pipe), 0);
	assert_true(f.pipe.written >= 2 && f.pipe.written < 5);
	while (f.pipe.n > 0) {
		take();
		assert_int_equal(capture_pipe_flush(&f.pipe), 0);
	}
	assert_int_equal(f.pipe.written, added);
	added += fill();
	assert_int_equal(capture_pipe_flush(&f.pipe), 0);
	while (f.pipe.n > 0) {
		take();
		assert_int_equal(capture_pipe_flush(&f.pipe), 0);
	}
	take();
	assert_int_equal(f.pipe.written, added);
	assert_int_equal(blocks(TYPE_PACKET), added);
	assert_int_equal(capture_pipe_close(&f.pipe, &(struct capture_stats){ .seen = added }, 1),
		0);
	take();
	assert_int_equal(blocks(TYPE_STATISTICS), 1);
}

/* The longest packet has room in an empty buffer, and in one that is not full. */
TEST(longest)
{
	uint64_t added;

	f.copy.head.kept = CAPTURE_BYTES_MAX;
	added = fill();
	assert_true(added >= 3);
	while (f.pipe.n > 0) {
		assert_int_equal(capture_pipe_flush(&f.pipe), 0);
		take();
	}
	assert_int_equal(blocks(TYPE_PACKET), added);
	assert_int_equal(capture_pipe_close(&f.pipe, &(struct capture_stats){ 0 }, 1), 0);
}

/* A reader that goes is seen without a packet; what comes then is discarded, and nothing waits. */
TEST(reader_goes)
{
	assert_int_equal(capture_pipe_flush(&f.pipe), 0);
	close(f.reader);
	f.reader = -1;
	assert_int_equal(capture_pipe_flush(&f.pipe), EPIPE);
	for (unsigned int i = 0; i < 10000; i++)
		assert_true(capture_pipe_add(&f.pipe, &f.tap, &f.copy.head));
	assert_int_equal(f.pipe.n, 0);
	assert_int_equal(f.pipe.written, 0);
	assert_int_equal(capture_pipe_close(&f.pipe, &(struct capture_stats){ 0 }, 1), EPIPE);
}

/* Nothing is written behind a part of a block. */
TEST(slow_at_the_end)
{
	fill();
	assert_int_equal(capture_pipe_flush(&f.pipe), 0);
	f.pipe.error = ETIME;
	assert_int_equal(capture_pipe_close(&f.pipe, &(struct capture_stats){ 0 }, 1), ETIME);
	take();
	assert_int_equal(f.n, 4096);
}

/* Neither a file nor a pipe that nobody reads. */
TEST(refused)
{
	const struct capture_pipe_head head = { .program = "unit", .now = { .tsc_hz = 1 } };
	struct capture_pipe other;
	char path[80];
	struct err e;
	int fd;

	assert_int_equal(capture_pipe_close(&f.pipe, &(struct capture_stats){ 0 }, 1), 0);
	close(f.reader);
	f.reader = -1;
	err_clear(&e);
	assert_int_equal(capture_pipe_open(&other, f.path, &head, &e), -ENXIO);
	snprintf(path, sizeof(path), "%s/file", f.folder);
	err_clear(&e);
	assert_int_equal(capture_pipe_open(&other, path, &head, &e), -ENOENT);
	fd = open(path, O_CREAT | O_WRONLY | O_EXCL, 0600);
	assert_true(fd >= 0);
	close(fd);
	err_clear(&e);
	assert_int_equal(capture_pipe_open(&other, path, &head, &e), -EINVAL);
	assert_non_null(strstr(e.text, "expected a FIFO"));
	unlink(path);
}

TESTS(.before = setup, .after = teardown);
