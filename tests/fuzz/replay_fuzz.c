/* The readers of capture files under any bytes, also of files that change while they are read. */
/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * An input is a file and four bytes that say how it is read (struct how). A file is read twice, as the
 * engine does it: what was there the first time is there again, unless the file was changed. The headers
 * of each packet are found and rewritten. Build with -fsanitize=fuzzer,address,undefined.
 */
#include "base/err.h"
#include "engines/replay/replay_file.h"
#include "engines/replay/replay_headers.h"
#include "fuzz/fuzz_check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>

#define CAPTURED_MOST (16 * 1024 * 1024) /* the longest block of pcapng */
#define MORE 40                          /* bytes that a file grows by */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What happens to the file, before a packet is taken. */
enum change { NONE, CUT, WRITTEN, GROWN };

struct how {
	bool packed; /* by gzip */
	enum change change;
	bool second;        /* at the second reading */
	bool fails;         /* each() does, at that packet */
	uint8_t packet, at; /* before this packet, at this 256th of the file */
	size_t piece;       /* bytes that read(2) gives at a time */
};

/* A file in memory, and what was read of it. */
struct reading {
	int fd;
	size_t bytes;
	struct how how;
	bool is_second, changed;
	uint64_t packets, number;
	uint32_t crc;
};

static size_t piece_now; /* 0: read(2) is as it is */

/* Stands before libc's. */
ssize_t
read(int fd, void *to, size_t n)
{
	return syscall(SYS_read, fd, to, piece_now > 0 && n > piece_now ? piece_now : n);
}

static void
file_change(struct reading *r)
{
	static const uint8_t more[MORE] = { 6, 0, 0, 0, MORE, 0, 0, 0 };
	const off_t at = (off_t)(r->bytes * r->how.at / 256);
	uint8_t byte = 0;

	r->changed = true;
	switch (r->how.change) {
	case CUT: CHECK(ftruncate(r->fd, at) == 0); break;
	case WRITTEN:
		if (pread(r->fd, &byte, 1, at) == 1) {
			byte ^= 0xff;
			CHECK(pwrite(r->fd, &byte, 1, at) == 1);
		}
		break;
	case GROWN: CHECK(pwrite(r->fd, more, MORE, (off_t)r->bytes) == MORE); break;
	default: break;
	}
}

/* Use the packet as the engine does. */
static void
packet_use(const struct replay_record *p)
{
	const struct rte_ether_addr mac = { { 2, 0, 0, 0, 0, 1 } };
	const struct replay_rewrite rewrite = { .mac = true,
		.v4 = { { { 10, 1 }, 16 }, { { 192, 168, 0xa0 }, 19 } },
		.v6 = { { { 0x20, 1, 13, 0xb8 }, 32 }, { { 0xfd }, 8 } } };
	struct replay_headers headers;
	uint8_t *copy;

	if (p->captured > UINT16_MAX || p->captured < 17)
		return;
	copy = malloc(p->captured);
	CHECK(copy != NULL);
	memcpy(copy, p->bytes, p->captured);
	replay_headers_find(copy, p->captured, &headers);
	replay_headers_rewrite(copy, p->captured, &headers, &rewrite, &mac, &mac);
	replay_headers_flow(copy, p->captured, &headers);
	free(copy);
}

static int
each(void *context, const struct replay_record *p, struct err *e)
{
	struct reading *r = context;

	if (r->how.change != NONE && !r->changed && r->is_second == r->how.second &&
		r->packets == r->how.packet)
		file_change(r);
	if (r->how.fails && r->packets == r->how.packet)
		return err_set(e, ERANGE, "enough");
	CHECK(p->number > r->number && p->captured <= CAPTURED_MOST);
	CHECK(p->ns == REPLAY_NO_TIME || p->ns / 1000000000 <= REPLAY_SECONDS_MAX + UINT64_C(5));
	r->number = p->number;
	r->packets++;
	r->crc = (uint32_t)crc32(r->crc, (const void *)&p->ns, sizeof(p->ns));
	r->crc = (uint32_t)crc32(r->crc, (const void *)&p->length, sizeof(p->length));
	r->crc = (uint32_t)crc32(r->crc, p->bytes, p->captured);
	packet_use(p);
	return 0;
}

static bool
is_text(const char *text, size_t room)
{
	const size_t n = strnlen(text, room);

	return n < room && strpbrk(text, "\n\r\033") == NULL;
}

static int
read_once(struct reading *r, const char *path, struct replay_rest *rest)
{
	struct err e = { 0 };
	int ret;

	r->packets = r->number = 0;
	r->crc = 0;
	piece_now = r->how.piece;
	ret = replay_file_read(path, NULL, each, r, rest, &e);
	piece_now = 0;
	CHECK(ret == -e.code);
	if (ret == -ERANGE) {
		CHECK(r->how.fails && strstr(e.text, ": enough") != NULL);
		return ret;
	}
	CHECK(ret == 0 || ret == -EINVAL);
	CHECK(ret == 0 ||
		(strncmp(e.text, path, strlen(path)) == 0 && is_text(e.text, sizeof(e.text))));
	CHECK(is_text(rest->why, sizeof(rest->why)));
	CHECK(is_text(rest->foreign.text, sizeof(rest->foreign.text)));
	CHECK(r->packets + rest->foreign.packets == rest->after && r->number <= rest->after);
	CHECK(ret != 0 || rest->after > 0 || rest->why[0] == '\0');
	CHECK(!rest->doubtful || rest->why[0] != '\0');
	return ret;
}

/* Pack bytes[0..n) by gzip. Returns the length. */
static size_t
pack(const uint8_t *bytes, size_t n, uint8_t *to, size_t room)
{
	z_stream z = { .next_in = (uint8_t *)(uintptr_t)bytes,
		.avail_in = (uInt)n,
		.next_out = to,
		.avail_out = (uInt)room };

	CHECK(deflateInit2(&z, 1, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
	deflateEnd(&z);
	return room - z.avail_out;
}

static void
file_write(struct reading *r, const uint8_t *bytes, size_t n)
{
	static uint8_t packed[1 << 20];

	if (r->how.packed && n < sizeof(packed) / 2) {
		n = pack(bytes, n, packed, sizeof(packed));
		bytes = packed;
	}
	CHECK(ftruncate(r->fd, 0) == 0 && pwrite(r->fd, bytes, n, 0) == (ssize_t)n);
	r->bytes = n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct replay_rest rest = { 0 };
	struct reading r;
	uint64_t packets;
	char path[32];
	uint32_t crc;
	int ret;

	if (size < 4)
		return 0;
	size -= 4;
	if (fd < 0)
		fd = memfd_create("capture", MFD_CLOEXEC);
	CHECK(fd >= 0);
	r = (struct reading){ .fd = fd,
		.how = { .packed = (data[size] & 1) != 0,
			.change = (enum change)(data[size] >> 1 & 3),
			.second = (data[size] & 8) != 0,
			.fails = (data[size] & 16) != 0,
			.packet = data[size + 1],
			.at = data[size + 2],
			.piece = (size_t)data[size + 3] * 8 } };
	file_write(&r, data, size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret = read_once(&r, path, &rest);
	if (ret != 0)
		return 0;
	packets = r.packets;
	crc = r.crc;
	r.is_second = true;
	ret = read_once(&r, path, &rest);
	CHECK(r.changed || (ret == 0 && r.packets == packets && r.crc == crc));
	return 0;
}
