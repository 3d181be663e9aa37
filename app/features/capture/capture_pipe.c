/* Write pcapng blocks into a pipe: head, packets with direction and queue, statistics. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/capture/capture_pipe.h"

#include "base/err.h"

#include <rte_cycles.h>

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOM_BYTES (256 * 1024)  /* several of the longest blocks */
#define PIPE_BYTES (1024 * 1024) /* the most that the kernel gives to everybody */
#define PAYLOAD_MAX (CAPTURE_BYTES_MAX + 128)

/* Types of blocks and codes of options, and their values. Source: draft-ietf-opsawg-pcapng. */
enum {
	BLOCK_SECTION = 0x0A0D0D0A,
	BLOCK_INTERFACE = 1,
	BLOCK_STATISTICS = 5,
	BLOCK_PACKET = 6,
	SECTION_MAGIC = 0x1A2B3C4D,
	LINK_ETHERNET = 1,
	OPTION_END = 0,
	SECTION_PROGRAM = 4,
	INTERFACE_NAME = 2,
	INTERFACE_DESCRIPTION = 3,
	INTERFACE_RESOLUTION = 9,
	INTERFACE_FILTER = 11,
	PACKET_FLAGS = 2,
	PACKET_QUEUE = 6,
	FLAG_INBOUND = 1,
	FLAG_OUTBOUND = 2,
	STATISTICS_START = 2,
	STATISTICS_END = 3,
	STATISTICS_RECEIVED = 4,
	STATISTICS_DROPPED = 5,
	STATISTICS_ACCEPTED = 6,
	STATISTICS_DELIVERED = 8,
	RESOLUTION_NS = 9,
	FILTER_TEXT = 0,
};

static void
put(struct capture_pipe *p, const void *bytes, size_t n)
{
	memcpy(p->bytes + p->n, bytes, n);
	p->n += n;
}

static void
put16(struct capture_pipe *p, uint16_t n)
{
	put(p, &n, sizeof(n));
}

static void
put32(struct capture_pipe *p, uint32_t n)
{
	put(p, &n, sizeof(n));
}

/* A time or a count: its upper half comes first. */
static void
put_time(struct capture_pipe *p, uint64_t n)
{
	put32(p, (uint32_t)(n >> 32));
	put32(p, (uint32_t)n);
}

/* Fill up to a multiple of 4. Blocks begin at one. */
static void
pad(struct capture_pipe *p)
{
	while (p->n % sizeof(uint32_t) != 0)
		p->bytes[p->n++] = 0;
}

static void
put_option(struct capture_pipe *p, uint16_t code, const void *bytes, uint16_t n)
{
	put16(p, code);
	put16(p, n);
	if (n > 0)
		put(p, bytes, n);
	pad(p);
}

static void
put_text(struct capture_pipe *p, uint16_t code, const char *text)
{
	if (text != NULL)
		put_option(p, code, text, (uint16_t)strnlen(text, UINT16_MAX / 8));
}

/* Begin a block. Returns its place. */
static size_t
block_begin(struct capture_pipe *p, uint32_t type)
{
	const size_t at = p->n;

	put32(p, type);
	put32(p, 0); /* the length, of block_end() */
	return at;
}

static void
block_end(struct capture_pipe *p, size_t at)
{
	const uint32_t length = (uint32_t)(p->n - at + sizeof(length));

	put32(p, length);
	memcpy(p->bytes + at + sizeof(length), &length, sizeof(length));
}

static void
put_head(struct capture_pipe *p, const struct capture_pipe_head *head)
{
	static const uint8_t resolution = RESOLUTION_NS;
	const uint64_t unknown = UINT64_MAX;
	char filter[UINT16_MAX / 8];
	size_t at = block_begin(p, BLOCK_SECTION), n;

	put32(p, SECTION_MAGIC);
	put16(p, 1); /* version 1.0 */
	put16(p, 0);
	put(p, &unknown, sizeof(unknown)); /* length of the section */
	put_text(p, SECTION_PROGRAM, head->program);
	put_option(p, OPTION_END, NULL, 0);
	block_end(p, at);
	at = block_begin(p, BLOCK_INTERFACE);
	put16(p, LINK_ETHERNET);
	put16(p, 0);
	put32(p, head->snaplen);
	put_text(p, INTERFACE_NAME, head->name);
	put_text(p, INTERFACE_DESCRIPTION, head->device);
	put_option(p, INTERFACE_RESOLUTION, &resolution, sizeof(resolution));
	if (head->filter != NULL) {
		n = strnlen(head->filter, sizeof(filter) - 1);
		filter[0] = FILTER_TEXT;
		memcpy(filter + 1, head->filter, n);
		put_option(p, INTERFACE_FILTER, filter, (uint16_t)(n + 1));
	}
	put_option(p, OPTION_END, NULL, 0);
	block_end(p, at);
}

int
capture_pipe_open(struct capture_pipe *p, const char *path, const struct capture_pipe_head *head,
	struct err *e)
{
	/* Without O_CREAT: a path that is no FIFO stays as it is. */
	const int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return err_set(e, errno, "cannot write %s: %s", path,
			errno == ENXIO ? "the pipe has no reader" : strerror(errno));
	*p = (struct capture_pipe){ .clock = head->now, .fd = fd };
	if (fstat(fd, &st) != 0 || !S_ISFIFO(st.st_mode)) {
		close(fd);
		return err_set(e, EINVAL, "cannot write %s: expected a FIFO", path);
	}
	/* Blocks of two writers would be within each other. */
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
		close(fd);
		return err_set(e, EBUSY,
			"cannot write %s: another tap writes to it: expected a pipe of its own",
			path);
	}
	p->bytes = malloc(ROOM_BYTES);
	if (p->bytes == NULL) {
		close(fd);
		return err_set(e, ENOMEM, "cannot write %s: no memory", path);
	}
	(void)fcntl(fd, F_SETPIPE_SZ, PIPE_BYTES);
	put_head(p, head);
	return 0;
}

bool
capture_pipe_add(struct capture_pipe *p, const struct capture_tap *tap,
	const struct capture_copy *copy)
{
	const uint32_t flags = tap->rx ? FLAG_INBOUND : FLAG_OUTBOUND, queue = tap->queue;
	size_t at;

	static_assert(PAYLOAD_MAX < ROOM_BYTES / 2, "");
	if (p->error != 0)
		return true;
	if (ROOM_BYTES - p->n < PAYLOAD_MAX)
		return false;
	at = block_begin(p, BLOCK_PACKET);
	put32(p, 0); /* the only interface */
	put_time(p, capture_clock_ns(&p->clock, copy->tsc));
	put32(p, copy->kept);
	put32(p, copy->len);
	put(p, copy + 1, copy->kept);
	pad(p);
	put_option(p, PACKET_FLAGS, &flags, sizeof(flags));
	put_option(p, PACKET_QUEUE, &queue, sizeof(queue));
	put_option(p, OPTION_END, NULL, 0);
	block_end(p, at);
	return true;
}

/* Count the packets that were written to their end. */
static void
count(struct capture_pipe *p)
{
	uint32_t head[2]; /* type, length */

	while (p->sent - p->whole >= sizeof(head)) {
		memcpy(head, p->bytes + p->whole, sizeof(head));
		if (p->sent - p->whole < head[1])
			return;
		p->whole += head[1];
		p->written += head[0] == BLOCK_PACKET;
	}
}

/* True if the reader has gone. A pipe tells it also while nothing is written. */
static bool
reader_gone(const struct capture_pipe *p)
{
	struct pollfd one = { .fd = p->fd };

	return poll(&one, 1, 0) > 0 && (one.revents & POLLERR) != 0;
}

int
capture_pipe_flush(struct capture_pipe *p)
{
	ssize_t n;

	while (p->error == 0 && p->sent < p->n) {
		n = write(p->fd, p->bytes + p->sent, p->n - p->sent);
		if (n < 0 && errno == EAGAIN)
			break;
		if (n >= 0)
			p->sent += (size_t)n;
		else if (errno != EINTR)
			p->error = errno;
	}
	count(p);
	if (p->error == 0 && reader_gone(p))
		p->error = EPIPE;
	if (p->error != 0 || p->sent == p->n)
		p->n = p->sent = p->whole = 0;
	return p->error;
}

void
capture_pipe_wait(const struct capture_pipe *p, int ms)
{
	struct pollfd one = { .fd = p->n > 0 ? p->fd : -1, .events = POLLOUT };

	(void)poll(&one, 1, ms);
}

int
capture_pipe_close(struct capture_pipe *p, const struct capture_stats *f, int ms)
{
	const struct {
		uint16_t code;
		uint64_t n;
	} counts[] = { { STATISTICS_RECEIVED, f->seen }, { STATISTICS_DROPPED, f->dropped },
		{ STATISTICS_ACCEPTED, f->seen - f->filtered },
		{ STATISTICS_DELIVERED, f->written } };
	const uint64_t now = capture_clock_ns(&p->clock, rte_rdtsc());
	size_t at;

	/* Behind a part of a block nothing else can be read. */
	if (p->error == 0 && p->n == 0) {
		at = block_begin(p, BLOCK_STATISTICS);
		put32(p, 0);
		put_time(p, now);
		put16(p, STATISTICS_START);
		put16(p, sizeof(uint64_t));
		put_time(p, p->clock.wall_ns);
		put16(p, STATISTICS_END);
		put16(p, sizeof(uint64_t));
		put_time(p, now);
		for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
			put_option(p, counts[i].code, &counts[i].n, sizeof(counts[i].n));
		put_option(p, OPTION_END, NULL, 0);
		block_end(p, at);
		for (; capture_pipe_flush(p) == 0 && p->n > 0 && ms > 0; ms--)
			capture_pipe_wait(p, 1);
	}
	free(p->bytes);
	close(p->fd);
	return p->error;
}
