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
	HEAD_WORDS = 3,  /* of any block: type, length, and the body's first or the length again */
	WORDS = 7,       /* of an enhanced packet before its bytes */
	INTERFACES = 64, /* of a section, whose link types are looked at */
};

struct stream {
	gzFile file;
	bool begun, blocks; /* blocks: what follows are pcapng's */
	bool swapped;       /* the section's byte order is not this machine's */
	unsigned int interfaces;
	uint64_t foreign; /* bit i: interface i of the section is not Ethernet */
	uint32_t snaplen; /* of its first interface; 0: no limit */
	struct replay_foreign *left_out;
	/* The current block: made here, then as in the file, then left out, then its length again. */
	uint32_t made[WORDS];
	unsigned int made_bytes, made_at;
	uint32_t pass, drop;
	uint32_t length; /* 0: it is in the file */
};

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
	return interface < INTERFACES && (s->foreign >> interface & 1) != 0;
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
		s->foreign |= UINT64_C(1) << s->interfaces;
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
	s->drop = 4;
}

/* Read words to what is made; false: the file ends before, or is no pcapng. */
static bool
words_read(struct stream *s, unsigned int n)
{
	const unsigned int bytes = n * (unsigned int)sizeof(s->made[0]);
	const int got = gzread(s->file, (uint8_t *)s->made + s->made_bytes, bytes);

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
		s->foreign = 0;
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
	} else if ((type == ENHANCED_PACKET && is_foreign(s, order(s, s->made[2]))) ||
		(type == PACKET && is_foreign(s, order_half(s, s->made[2]))) ||
		(type == SIMPLE_PACKET && is_foreign(s, 0))) {
		s->drop = s->pass;
		s->pass = s->made_bytes = 0;
		s->left_out->packets++;
	}
}

/* Leave bytes of the file out; false: it ends before. */
static bool
drop(struct stream *s)
{
	uint8_t bytes[4096];
	int got = 1;

	while (s->drop > 0 && got > 0) {
		got = gzread(s->file, bytes, (unsigned int)RTE_MIN(s->drop, sizeof(bytes)));
		s->drop -= (uint32_t)RTE_MAX(got, 0);
	}
	return s->drop == 0;
}

static ssize_t
stream_read(void *cookie, char *to, size_t n)
{
	struct stream *s = cookie;
	unsigned int bytes = (unsigned int)RTE_MIN(n, (size_t)INT_MAX);

	while (s->made_at == s->made_bytes && s->pass == 0) {
		if (!drop(s))
			return 0;
		if (s->length > 0) {
			s->made[0] = s->length;
			s->made_at = s->length = 0;
			s->made_bytes = sizeof(s->made[0]);
		} else if (!s->blocks) {
			return gzread(s->file, to, bytes);
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
	return gzread(s->file, to, bytes);
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
		setvbuf(stream, NULL, _IONBF, 0);
	else if (fd >= 0 && s->file != NULL)
		gzclose(s->file);
	else if (fd >= 0)
		close(fd);
	if (stream == NULL)
		free(s);
	fclose(file);
	return stream;
}
