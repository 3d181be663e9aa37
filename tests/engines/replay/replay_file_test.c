/* Capture files as they are on disks: what is read of damaged, growing and odd ones, and what is said. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/replay/replay_file.h"

#include "base/base.h"
#include "base/err.h"
#include "base/interrupt.h"
#include "fixtures/unit.h"

#include <rte_byteorder.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { BYTES = 60, ROOM = 1 << 20, RECORDS = 8192 };

/* A file that is made, and what was read of it. */
static struct {
	uint8_t bytes[ROOM];
	size_t n;
	bool big; /* words are big endian */
	char path[32];
	uint64_t numbers[RECORDS], ns[RECORDS];
	uint32_t captured[RECORDS];
	unsigned int read;
	bool grows;     /* with each packet that is read */
	uint64_t limit; /* bytes of an earlier reading; 0: none */
	struct replay_rest rest;
	struct err err;
} f;

static void
put(const void *bytes, size_t n)
{
	assert_true(f.n + n <= ROOM);
	memcpy(f.bytes + f.n, bytes, n);
	f.n += n;
}

static void
words(unsigned int n, ...)
{
	va_list args;

	va_start(args, n);
	while (n-- > 0) {
		uint32_t word = va_arg(args, uint32_t);

		word = f.big ? rte_cpu_to_be_32(word) : rte_cpu_to_le_32(word);
		put(&word, sizeof(word));
	}
	va_end(args);
}

#define WORDS(...) words(sizeof((uint32_t[]){ __VA_ARGS__ }) / 4, __VA_ARGS__)

static void
packet(void)
{
	uint8_t bytes[BYTES];

	memset(bytes, 0x5a, sizeof(bytes));
	put(bytes, sizeof(bytes));
}

static void
empty(void)
{
	f.n = 0;
	f.big = f.grows = false;
	f.limit = 0;
}

static void
pcap(unsigned int packets)
{
	WORDS(0xa1b2c3d4, 0x00040002, 0, 0, 65535, 1);
	for (unsigned int i = 0; i < packets; i++) {
		WORDS(1u, i, BYTES, BYTES);
		packet();
	}
}

static void
section(void)
{
	WORDS(0x0a0d0d0a, 28, 0x1a2b3c4d, f.big ? 0x00010000 : 1, UINT32_MAX, UINT32_MAX, 28);
}

/* An interface without options. */
static void
interface(uint16_t link_type)
{
	WORDS(1u, 20, f.big ? (uint32_t)link_type << 16 : link_type, 0, 20);
}

/* An interface with an option of up to 8 bytes. */
static void
interface_with(uint16_t code, const void *value, uint16_t n)
{
	const uint32_t padded = (n + 3u) / 4 * 4;
	uint8_t bytes[8] = { 0 };

	memcpy(bytes, value, n);
	WORDS(1u, 28 + padded, f.big ? 1u << 16 : 1, 0,
		f.big ? (uint32_t)code << 16 | n : (uint32_t)n << 16 | code);
	put(bytes, padded);
	WORDS(0, 28 + padded);
}

static void
enhanced(uint32_t index, uint64_t stamp)
{
	WORDS(6u, 32 + BYTES, index, (uint32_t)(stamp >> 32), (uint32_t)stamp, BYTES, BYTES);
	packet();
	WORDS(32u + BYTES);
}

/* Compress what was made. */
static void
compress_all(void)
{
	static uint8_t packed[ROOM];
	z_stream z = { .next_in = f.bytes,
		.avail_in = (uInt)f.n,
		.next_out = packed,
		.avail_out = ROOM };

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	f.n = z.total_out;
	memcpy(f.bytes, packed, f.n);
	deflateEnd(&z);
}

static int
each(void *context, const struct replay_record *r, struct err *e)
{
	assert_true(f.read < RECORDS);
	f.numbers[f.read] = r->number;
	f.ns[f.read] = r->ns;
	f.captured[f.read++] = r->captured;
	if (f.grows) {
		FILE *file = fopen(f.path, "a");

		assert_non_null(file);
		/* The last packet of the file, again. */
		assert_int_equal(fwrite(f.bytes + f.n - 16 - BYTES, 16 + BYTES, 1, file), 1);
		fclose(file);
	}
	return 0;
}

static int
read_all(const struct interrupt *interrupt)
{
	struct stat st;
	FILE *file;
	int ret;

	strcpy(f.path, "/tmp/replay_file.XXXXXX");
	file = fdopen(mkstemp(f.path), "w");
	assert_non_null(file);
	assert_true(f.n == 0 || fwrite(f.bytes, f.n, 1, file) == 1);
	fclose(file);
	f.read = 0;
	assert_int_equal(stat(f.path, &st), 0);
	f.rest = (struct replay_rest){ .bytes = f.limit, .device = st.st_dev, .inode = st.st_ino };
	err_clear(&f.err);
	ret = replay_file_read(f.path, interrupt, each, NULL, &f.rest, &f.err);
	unlink(f.path);
	return ret;
}

/* n packets can be read, then there is this reason. */
static void
read_up_to(unsigned int n, const char *why, bool doubtful)
{
	assert_int_equal(read_all(NULL), 0);
	assert_int_equal(f.read, n);
	assert_int_equal(f.rest.after, n);
	assert_string_equal(f.rest.why, why);
	assert_int_equal(f.rest.doubtful, doubtful);
}

static void
refused(const char *why)
{
	assert_int_equal(read_all(NULL), -EINVAL);
	assert_int_equal(f.read, 0);
	assert_memory_equal(f.err.text, f.path, strlen(f.path));
	assert_string_equal(f.err.text + strlen(f.path) + 2, why);
}

/* All that could be unpacked is read, and the reason is what is wrong with the file. */
TEST(gzip)
{
	static const struct {
		size_t from_end; /* the byte that is wrong, of a file of n packets */
		unsigned int n;
		const char *why;
	} damaged[] = {
		{ 8, 3, "the checksum of its gzip data is wrong" },
		{ 1, 3, "the length of its gzip data is wrong" },
		{ 8, 3000, "the checksum of its gzip data is wrong" },
	};
	size_t whole;

	for (size_t i = 0; i < ARRAY_SIZE(damaged); i++) {
		empty();
		pcap(damaged[i].n);
		compress_all();
		f.bytes[f.n - damaged[i].from_end] ^= 1;
		read_up_to(damaged[i].n, damaged[i].why, true);
	}
	/* Cut between two packets. What follows is missing, although no packet is incomplete. */
	empty();
	pcap(3);
	compress_all();
	f.n -= 8;
	read_up_to(3, "its gzip data is incomplete", false);
	f.n = 10; /* its header */
	refused("its gzip data is incomplete");
	/* A block of a type that does not exist, after the first packets; they were stored before it. */
	empty();
	pcap(2);
	whole = f.n;
	{
		static const uint8_t head[10] = { 0x1f, 0x8b, 8 };
		const uint8_t stored[] = { 0, (uint8_t)whole, (uint8_t)(whole >> 8),
			(uint8_t)~whole, (uint8_t)(~whole >> 8) };
		static const uint8_t invalid = 7;

		memmove(f.bytes + sizeof(head) + sizeof(stored), f.bytes, whole);
		memcpy(f.bytes, head, sizeof(head));
		memcpy(f.bytes + sizeof(head), stored, sizeof(stored));
		f.n = sizeof(head) + sizeof(stored) + whole;
		put(&invalid, 1);
		put("12345678", 8);
	}
	read_up_to(2, "its gzip data is damaged (invalid block type)", false);
}

/* Several members are one file, wherever the next begins; what is no member after them is ignored, as gzip does. */
TEST(gzip_members)
{
	/* The file is read by 64 KiB: the last two begin with one byte of a read, and with a read. */
	static const size_t begins[] = { 0, 65535, 65536 };
	static uint8_t first[ROOM];

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++) {
		size_t whole, named = 0;

		empty();
		pcap(2);
		compress_all();
		if (begins[i] > 0) {
			/* The header gets a name of the length that is missing. */
			named = begins[i] - f.n;
			memmove(f.bytes + 10 + named, f.bytes + 10, f.n - 10);
			f.bytes[3] = 8;
			memset(f.bytes + 10, 'x', named - 1);
			f.bytes[10 + named - 1] = '\0';
		}
		whole = f.n + named;
		memcpy(first, f.bytes, whole);
		f.n = 0;
		WORDS(1u, 5, BYTES, BYTES);
		packet();
		compress_all();
		memmove(f.bytes + whole, f.bytes, f.n);
		memcpy(f.bytes, first, whole);
		f.n += whole;
		put("garbage", 7);
		read_up_to(3, "", false);
	}
	empty();
	compress_all();
	refused("the file is empty");
}

/* What is read ends where the file ended when it was opened, also the second time. */
TEST(growing)
{
	for (unsigned int packed = 0; packed < 2; packed++) {
		empty();
		/* More than is unpacked at once. */
		pcap(5000);
		if (packed)
			compress_all();
		f.grows = true;
		read_up_to(5000, "the file grew while it was read", false);
		assert_int_equal(f.rest.bytes, f.n);
	}
	empty();
	pcap(50);
	f.limit = 24 + 10 * (16 + BYTES);
	read_up_to(10, "the file grew while it was read", false);
	f.limit = f.n + 1;
	read_up_to(50, "the file became shorter while it was read", false);
}

/* A signal ends the reading, also of packets that are all left out. */
TEST(signals)
{
	struct interrupt signal = { .requests = -1 };
	int ends[2];

	empty();
	section();
	interface(113);
	for (unsigned int i = 0; i < 5000; i++)
		enhanced(0, i);
	assert_int_equal(pipe(ends), 0);
	signal.signals = ends[0];
	assert_int_equal(read_all(&signal), 0);
	assert_int_equal(f.rest.foreign.packets, 5000);
	assert_int_equal(write(ends[1], "", 1), 1);
	assert_int_equal(read_all(&signal), -EINTR);
	assert_non_null(strstr(f.err.text, "stopped by a signal while reading /tmp/replay_file."));
	close(ends[0]);
	close(ends[1]);
}

/* The units of time stamps are each interface's own, and so are offsets, in either byte order. */
TEST(times)
{
	static const struct {
		uint8_t resolution;
		uint64_t stamp, ns;
	} cases[] = {
		{ 0, 3, UINT64_C(3000000000) },
		{ 3, 3007, UINT64_C(3007000000) },
		{ 6, 3000007, UINT64_C(3000007000) },
		{ 9, UINT64_C(3000000007), UINT64_C(3000000007) },
		{ 12, UINT64_C(3000000007999), UINT64_C(3000000007) },
		{ 19, UINT64_C(10000000079999999999), UINT64_C(1000000007) },
		{ 0x80, 3, UINT64_C(3000000000) },
		{ 0x80 | 20, (UINT64_C(3) << 20) + 1, UINT64_C(3000000953) },
		{ 0x80 | 63, UINT64_C(3) << 62, UINT64_C(1500000000) },
		{ 9, UINT64_MAX, REPLAY_NO_TIME },
		{ 6, UINT64_MAX, REPLAY_NO_TIME },
	};
	static const int64_t offsets[] = { 1700000000, -1, -4 };

	for (unsigned int big = 0; big < 2; big++) {
		empty();
		f.big = big;
		section();
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
			interface_with(9, &cases[i].resolution, 1);
		for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
			uint64_t offset = (uint64_t)offsets[i];

			offset = big ? rte_cpu_to_be_64(offset) : rte_cpu_to_le_64(offset);
			interface_with(14, &offset, sizeof(offset));
		}
		for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++)
			enhanced(i, cases[i].stamp);
		for (unsigned int i = 0; i < ARRAY_SIZE(offsets); i++)
			enhanced(ARRAY_SIZE(cases) + i, 3000007);
		read_up_to(ARRAY_SIZE(cases) + ARRAY_SIZE(offsets), "", false);
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
			assert_int_equal(f.ns[i], cases[i].ns);
		assert_int_equal(f.ns[ARRAY_SIZE(cases)], UINT64_C(1700000003000007000));
		assert_int_equal(f.ns[ARRAY_SIZE(cases) + 1], UINT64_C(2000007000));
		assert_int_equal(f.ns[ARRAY_SIZE(cases) + 2], REPLAY_NO_TIME);
	}
	empty();
	section();
	interface_with(9, &(uint8_t){ 20 }, 1);
	enhanced(0, 1);
	refused("before the first packet: interface 0 has time stamps in units of 10^-20 s: expected at most 10^-19");
}

/* Sections differ in byte order; their interfaces are numbered from 0, and those left out are named. */
TEST(sections)
{
	empty();
	for (unsigned int i = 0; i < 4; i++) {
		f.big = i % 2;
		section();
		interface(i < 2 ? 1 : 113);
		interface(127);
		interface(101);
		for (uint32_t k = 0; k < 3; k++)
			enhanced(k, 1000000 * i + k);
	}
	assert_int_equal(read_all(NULL), 0);
	assert_int_equal(f.read, 2);
	assert_int_equal(f.numbers[1], 4);
	assert_int_equal(f.ns[1], 1000000000);
	assert_int_equal(f.rest.after, 12);
	assert_string_equal(f.rest.why, "");
	assert_int_equal(f.rest.foreign.packets, 10);
	assert_string_equal(f.rest.foreign.text,
		"interface 1: IEEE802_11_RADIO (127), interface 2: RAW (101), interface 0: LINUX_SLL (113)");
	empty();
	section();
	interface_with(2, "e\"h\n0", 5);
	/* Its link type becomes another one. */
	f.bytes[28 + 8] = 12;
	enhanced(0, 0);
	for (unsigned int i = 1; i < 7; i++) {
		interface(113);
		enhanced(i, 0);
	}
	assert_int_equal(read_all(NULL), 0);
	assert_string_equal(f.rest.foreign.text,
		"interface 0 \"e?h?0\": RAW (12), interface 1: LINUX_SLL (113), interface 2: LINUX_SLL (113), interface 3: LINUX_SLL (113), and others");
}

/* A block that is damaged ends the reading; the reason says where it is, and what is wrong. */
TEST(blocks)
{
	const unsigned int at = 28 + 20 + 2 * (32 + BYTES); /* of the third packet */
	static const struct {
		unsigned int offset;
		uint32_t word;
		const char *why;
	} cases[] = {
		{ 4, 0, "the block at byte 232 has an invalid length, 0" },
		{ 4, 13, "the block at byte 232 has an invalid length, 13" },
		{ 4, UINT32_MAX - 3, "the block at byte 232 has an invalid length, 4294967292" },
		{ 4, 28, "the packet block at byte 232 is too short" },
		{ 4, 1 << 20, "truncated: the block at byte 232 has no end" },
		{ 28 + BYTES, 99,
			"the block at byte 232 begins with length 92, and ends with length 99" },
		{ 8, 1, "packet 3 is of interface 1, which no interface block of its section describes" },
		{ 20, BYTES + 1, "packet 3 has 61 bytes, and its block has room for 60" },
		{ 0, 0x0a0d0d0a, "the section header at byte 232 has no byte order" },
		{ 0, 0xbad, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		empty();
		section();
		interface(1);
		for (unsigned int k = 0; k < 5; k++)
			enhanced(0, k);
		memcpy(f.bytes + at + cases[i].offset,
			&(uint32_t){ rte_cpu_to_le_32(cases[i].word) }, 4);
		/* A block of 28 bytes ends in its length. */
		if (cases[i].word == 28)
			memcpy(f.bytes + at + 24, &(uint32_t){ rte_cpu_to_le_32(28) }, 4);
		/* A block of an unknown type is passed over. */
		if (cases[i].why[0] == '\0')
			read_up_to(4, "", false);
		else
			read_up_to(2, cases[i].why, false);
	}
	/* Other blocks may be long; a name of a file's end. */
	empty();
	section();
	interface(1);
	enhanced(0, 0);
	WORDS(0xbad, 12 + 100000);
	f.n += 100000;
	WORDS(12u + 100000);
	enhanced(0, 1);
	read_up_to(2, "", false);
	f.n -= 3;
	read_up_to(1, "truncated: the block at byte 100152 has no end", false);
}

/* Files that were put together by cat(1), and formats that are not read. */
TEST(others)
{
	static const struct {
		const char *magic, *why;
		size_t n;
	} files[] = {
		{ "BZh91AY",
			"the file is compressed by bzip2: unpack it with \"bunzip2 -k FILE\" first",
			7 },
		{ "\xfd"
		  "7zXZ\0\0\4",
			"the file is compressed by xz: unpack it with \"unxz -k FILE\" first", 8 },
		{ "\x28\xb5\x2f\xfd\x24",
			"the file is compressed by zstd: unpack it with \"unzstd FILE\" first", 5 },
		{ "\x04\x22\x4d\x18\x64",
			"the file is compressed by lz4: unpack it with \"unlz4 FILE\" first", 5 },
		{ "PK\3\4\24", "the file is a zip archive: unpack it with \"unzip FILE\" first",
			5 },
		{ "snoop\0\0\0",
			"the file is in the format snoop: convert it with \"editcap -F pcap FILE NEW\" first",
			8 },
		{ "", "the file is empty", 0 },
		{ "flows 3\n", "not a pcap or pcapng file: unknown file format", 8 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		empty();
		put(files[i].magic, files[i].n);
		refused(files[i].why);
	}
	empty();
	pcap(3);
	compress_all();
	compress_all();
	refused("the file is compressed by gzip twice: unpack it once with \"gunzip -k FILE\" first");
	for (unsigned int big = 0; big < 2; big++) {
		empty();
		pcap(3);
		f.big = big;
		pcap(3);
		read_up_to(3, "a pcap file follows: join files with mergecap", false);
		f.n = 0;
		f.big = false;
		section();
		interface(1);
		enhanced(0, 0);
		f.big = big;
		pcap(3);
		read_up_to(1, "a pcap file follows: join files with mergecap", false);
	}
}
