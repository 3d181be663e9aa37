/* Unpack gzip, and make the interfaces of pcapng equal. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/replay/replay_stream.h"

#include <rte_byteorder.h>
#include <rte_common.h>

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* Blocks of pcapng (draft-ietf-opsawg-pcapng). */
enum {
	SECTION = 0x0a0d0d0a,
	INTERFACE = 1,
	PACKET = 2, /* obsolete */
	SIMPLE_PACKET = 3,
	ENHANCED_PACKET = 6,
	ORDER_MAGIC = 0x1a2b3c4d,
	LINK_ETHERNET = 1,
};

enum {
	HEAD_WORDS = 3, /* of any block: type, length, and the body's first or the length again */
	PACKET_LEAST = 16,    /* bytes of a block of a packet */
	WORDS = 7,            /* of an enhanced packet before its bytes */
	INTERFACES = 1 << 16, /* of a section, whose link types are looked at */
};

struct stream {
	gzFile file;
	bool begun, blocks; /* blocks: what follows are pcapng's */
	bool swapped;       /* the section's byte order is not this machine's */
	unsigned int interfaces;
	uint8_t foreign[INTERFACES / 8]; /* bit i: interface i of the section is not Ethernet */
	uint32_t snaplen;                /* of its first interface; 0: no limit */
	struct replay_foreign *left_out;
	/* The current block: made here, then as in the file, then left out, then its length again. */
	uint32_t made[WORDS];
	unsigned int made_bytes, made_at;
	uint32_t pass, drop;
	uint32_t length;    /* 0: it is in the file */
	uint32_t trailer;   /* what the last four bytes that are left out have to be */
	bool leaves_out;    /* a packet */
	char buffer[65536]; /* of stdio: without one, it reads byte by byte */
};

/* Read bytes of the file, unpacked. A file of gzip that is cut or damaged is an error, not an end. */
static int
file_read(struct stream *s, void *to, unsigned int bytes)
{
	const int got = gzread(s->file, to, bytes);
	int code;

	if (got == (int)bytes)
		return got;
	(void)gzerror(s->file, &code);
	if (code == Z_OK || code == Z_STREAM_END)
		return got;
	errno = EIO;
	return got > 0 ? got : -1;
}

static uint32_t
order(const struct stream *s, uint32_t word)
{
	return s->swapped ? rte_bswap32(word) : word;
}

static uint16_t
order_half(const struct stream *s, uint32_t word)
{
	uint16_t half;

	memcpy(&half, &word, sizeof(half));
	return s->swapped ? rte_bswap16(half) : half;
}

static bool
is_foreign(const struct stream *s, uint32_t interface)
{
	return interface < INTERFACES && (s->foreign[interface / 8] >> interface % 8 & 1) != 0;
}

/* An interface becomes Ethernet without a snapshot length; both were read. */
static void
interface_begin(struct stream *s)
{
	const uint16_t link_type = order_half(s, s->made[2]), ethernet = LINK_ETHERNET;
	const uint16_t to = s->swapped ? rte_bswap16(ethernet) : ethernet;

	if (s->interfaces == 0)
		s->snaplen = order(s, s->made[HEAD_WORDS]);
	if (link_type != LINK_ETHERNET && s->interfaces < INTERFACES) {
		s->foreign[s->interfaces / 8] |= (uint8_t)(1u << s->interfaces % 8);
		memcpy(&s->made[2], &to, sizeof(to));
		if (s->left_out->link_type == 0)
			s->left_out->link_type = link_type;
	}
	s->made[HEAD_WORDS] = 0;
	s->interfaces++;
}

/* A simple packet, which is as long as its interface's snapshot length allows, says that itself. */
static void
simple_packet_begin(struct stream *s, uint32_t total)
{
	const uint32_t length = order(s, s->made[2]), room = total - 16;
	uint32_t captured = RTE_MIN(length, room);

	if (s->snaplen > 0)
		captured = RTE_MIN(captured, s->snaplen);
	s->length = order(s, total + 16);
	memcpy(s->made,
		(uint32_t[WORDS]){ order(s, ENHANCED_PACKET), s->length, 0, 0, 0,
			order(s, captured), order(s, length) },
		sizeof(s->made));
	s->made_bytes = sizeof(s->made);
	s->pass = room;
	s->drop = sizeof(s->trailer);
	s->trailer = order(s, total);
}

/* Read words to what is made; false: the file ends before, or is no pcapng. */
static bool
words_read(struct stream *s, unsigned int n)
{
	const unsigned int bytes = n * (unsigned int)sizeof(s->made[0]);
	const int got = file_read(s, (uint8_t *)s->made + s->made_bytes, bytes);

	s->made_bytes += (unsigned int)RTE_MAX(got, 0);
	s->blocks = s->blocks && got == (int)bytes;
	return s->blocks;
}

/* Begin a block. What is none, or makes no sense, is left to libpcap as it is. */
static void
block_begin(struct stream *s)
{
	uint32_t type, total;

	s->made_at = s->made_bytes = s->length = 0;
	if (!words_read(s, HEAD_WORDS))
		return;
	if (s->made[0] == SECTION) {
		s->swapped = s->made[2] == rte_bswap32(ORDER_MAGIC);
		s->blocks = s->swapped || s->made[2] == ORDER_MAGIC;
		s->interfaces = 0;
		memset(s->foreign, 0, sizeof(s->foreign));
	} else if (!s->begun) {
		s->blocks = false;
	}
	s->begun = true;
	type = order(s, s->made[0]);
	total = order(s, s->made[1]);
	s->blocks = s->blocks && total >= s->made_bytes && total % 4 == 0 &&
		total <= UINT32_MAX - 16;
	if (!s->blocks)
		return;
	s->pass = total - s->made_bytes;
	if (type == INTERFACE && total >= 20 && words_read(s, 1)) {
		s->pass -= 4;
		interface_begin(s);
	} else if (type == SIMPLE_PACKET && total >= 16 && !is_foreign(s, 0)) {
		simple_packet_begin(s, total);
	} else if (total >= PACKET_LEAST &&
		((type == ENHANCED_PACKET && is_foreign(s, order(s, s->made[2]))) ||
			(type == PACKET && is_foreign(s, order_half(s, s->made[2]))) ||
			(type == SIMPLE_PACKET && is_foreign(s, 0)))) {
		s->trailer = s->made[1];
		s->drop = s->pass;
		s->pass = s->made_bytes = 0;
		s->leaves_out = true;
	}
}

/*
 * Leave out the rest of a block, which ends in its length. False: the file ends before, or the length
 * is another one.
 */
static bool
drop(struct stream *s)
{
	uint8_t bytes[4096];
	uint32_t last;
	int got = 1;

	if (s->drop == 0)
		return true;
	while (s->drop > sizeof(last) && got > 0) {
		got = file_read(s, bytes,
			(unsigned int)RTE_MIN(s->drop - sizeof(last), sizeof(bytes)));
		s->drop -= (uint32_t)RTE_MAX(got, 0);
	}
	if (s->drop != sizeof(last) || file_read(s, &last, sizeof(last)) != sizeof(last) ||
		last != s->trailer)
		return false;
	s->left_out->packets += s->leaves_out;
	s->leaves_out = false;
	s->drop = 0;
	return true;
}

static ssize_t
stream_read(void *cookie, char *to, size_t n)
{
	struct stream *s = cookie;
	unsigned int bytes = (unsigned int)RTE_MIN(n, (size_t)INT_MAX);

	while (s->made_at == s->made_bytes && s->pass == 0) {
		if (!drop(s)) {
			errno = EIO;
			return -1;
		}
		if (s->length > 0) {
			s->made[0] = s->length;
			s->made_at = s->length = 0;
			s->made_bytes = sizeof(s->made[0]);
		} else if (!s->blocks) {
			return file_read(s, to, bytes);
		} else {
			block_begin(s);
		}
	}
	if (s->made_at < s->made_bytes) {
		bytes = RTE_MIN(bytes, s->made_bytes - s->made_at);
		memcpy(to, (const uint8_t *)s->made + s->made_at, bytes);
		s->made_at += bytes;
		return bytes;
	}
	bytes = RTE_MIN(bytes, s->pass);
	s->pass -= bytes;
	return file_read(s, to, bytes);
}

static int
stream_close(void *cookie)
{
	struct stream *s = cookie;
	const int ret = gzclose(s->file);

	free(s);
	return ret == Z_OK ? 0 : -1;
}

FILE *
replay_stream(FILE *file, struct replay_foreign *foreign)
{
	const cookie_io_functions_t functions = { .read = stream_read, .close = stream_close };
	struct stream *s = calloc(1, sizeof(*s));
	const int fd = s != NULL ? dup(fileno(file)) : -1;
	FILE *stream = NULL;

	*foreign = (struct replay_foreign){ .packets = 0 };
	if (fd >= 0 && lseek(fd, 0, SEEK_SET) == 0)
		s->file = gzdopen(fd, "r");
	if (fd >= 0 && s->file != NULL) {
		s->blocks = true;
		s->left_out = foreign;
		stream = fopencookie(s, "r", functions);
	}
	if (stream != NULL)
		setvbuf(stream, s->buffer, _IOFBF, sizeof(s->buffer));
	else if (fd >= 0 && s->file != NULL)
		gzclose(s->file);
	else if (fd >= 0)
		close(fd);
	if (stream == NULL)
		free(s);
	fclose(file);
	return stream;
}
