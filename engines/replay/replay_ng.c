/* Read the blocks of pcapng that describe packets (draft-ietf-opsawg-pcapng), and skip the others. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/replay/replay_ng.h"

#include "base/base.h"
#include "base/err.h"
#include "engines/replay/replay_stream.h"

#include <rte_byteorder.h>
#include <rte_common.h>

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SECTION = 0x0a0d0d0a,
	INTERFACE = 1,
	PACKET = 2, /* obsolete */
	SIMPLE_PACKET = 3,
	ENHANCED_PACKET = 6,
	ORDER_MAGIC = 0x1a2b3c4d,
	LINK_ETHERNET = 1,
	LINK_RAW = 101, /* libpcap has another number for it */
	OPTION_NAME = 2,
	OPTION_RESOLUTION = 9,
	OPTION_OFFSET = 14,
	/* Bytes of a block around its body. */
	FRAME = 12,
	BLOCK_MOST = 16 * 1024 * 1024, /* as in libpcap */
	INTERFACES_MOST = 1 << 16,
	/* Fractions of a second, as powers of 10 and of 2. */
	DECIMALS_MOST = 19,
	BITS_MOST = 63,
	FOREIGN_NAMED = 4, /* interfaces */
};

struct interface {
	uint64_t units; /* of time, per second */
	int64_t offset; /* seconds */
	uint32_t snaplen;
	uint16_t link_type;
	bool named; /* in the text of what is left out */
	char name[24];
};

struct ng {
	struct replay_stream *stream;
	struct replay_rest *rest;
	int (*each)(void *context, const struct replay_record *r, struct err *e);
	void *context;
	bool swapped; /* the section's byte order is not this machine's */
	struct interface *interfaces;
	uint32_t n, room; /* of interfaces[] */
	uint8_t *body;
	uint32_t body_room;
	uint64_t at; /* bytes before the current block */
};

static uint32_t
word(const struct ng *g, const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return g->swapped ? rte_bswap32(value) : value;
}

static uint16_t
half(const struct ng *g, const uint8_t *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return g->swapped ? rte_bswap16(value) : value;
}

/* The file ends within a block. */
static int
cut(const struct ng *g, struct err *e)
{
	return err_set(e, EINVAL, "truncated: the block at byte %" PRIu64 " has no end", g->at);
}

static int
section_begin(struct ng *g, uint32_t bytes, struct err *e)
{
	const uint16_t major = bytes >= 12 ? half(g, g->body) : 0;

	/* The byte order was taken before. */
	if (bytes < 12)
		return err_set(e, EINVAL, "the section header at byte %" PRIu64 " is too short",
			g->at);
	if (major != 1)
		return err_set(e, EINVAL, "pcapng version %u: expected 1", major);
	g->n = 0;
	return 0;
}

/* Options that are malformed end the list. */
static int
option_take(struct ng *g, struct interface *i, uint16_t code, const uint8_t *value, uint16_t n,
	struct err *e)
{
	const unsigned int power = n > 0 ? value[0] & 0x7f : 0;

	if (code == OPTION_NAME) {
		snprintf(i->name, sizeof(i->name), "%.*s", (int)n, (const char *)value);
		for (char *c = i->name; *c != '\0'; c++)
			*c = isprint((unsigned char)*c) && *c != '"' ? *c : '?';
	} else if (code == OPTION_OFFSET && n == 8) {
		uint64_t offset;

		memcpy(&offset, value, sizeof(offset));
		i->offset = (int64_t)(g->swapped ? rte_bswap64(offset) : offset);
	} else if (code == OPTION_RESOLUTION && n == 1) {
		const bool binary = (value[0] & 0x80) != 0;

		if (power > (unsigned int)(binary ? BITS_MOST : DECIMALS_MOST))
			return err_set(e, EINVAL,
				"interface %u has time stamps in units of %d^-%u s: expected at most %d^-%d",
				g->n, binary ? 2 : 10, power, binary ? 2 : 10,
				binary ? BITS_MOST : DECIMALS_MOST);
		i->units = binary ? UINT64_C(1) << power : 1;
		for (unsigned int k = 0; !binary && k < power; k++)
			i->units *= 10;
	}
	return 0;
}

static int
interface_begin(struct ng *g, uint32_t bytes, struct err *e)
{
	struct interface *i;

	if (bytes < 8)
		return err_set(e, EINVAL, "the interface block at byte %" PRIu64 " is too short",
			g->at);
	if (g->n == INTERFACES_MOST)
		return err_set(e, EINVAL, "more than %d interfaces", INTERFACES_MOST);
	if (g->n == g->room) {
		const uint32_t room = RTE_MAX(g->room * 2, UINT32_C(8));

		i = realloc(g->interfaces, room * sizeof(*i));
		if (i == NULL)
			return err_set(e, ENOMEM, "no memory for %u interfaces", room);
		g->interfaces = i;
		g->room = room;
	}
	i = &g->interfaces[g->n];
	*i = (struct interface){ .units = 1000000,
		.link_type = half(g, g->body),
		.snaplen = word(g, g->body + 4) };
	for (uint32_t at = 8; at + 4 <= bytes;) {
		const uint16_t code = half(g, g->body + at), n = half(g, g->body + at + 2);

		if (code == 0 || n > bytes - at - 4)
			break;
		if (option_take(g, i, code, g->body + at + 4, n, e) != 0)
			return -e->code;
		at += 4 + RTE_ALIGN_CEIL((uint32_t)n, 4u);
	}
	g->n++;
	return 0;
}

/* Count a packet of an interface that is not Ethernet, and name the interface. */
static void
leave_out(struct ng *g, uint32_t index)
{
	struct replay_foreign *f = &g->rest->foreign;
	struct interface *i = &g->interfaces[index];
	const char *type =
		pcap_datalink_val_to_name(i->link_type == LINK_RAW ? DLT_RAW : i->link_type);
	const size_t at = strlen(f->text);
	char text[80];

	f->packets++;
	if (i->named)
		return;
	i->named = true;
	snprintf(text, sizeof(text), "interface %u%s%s%s: %s (%u)", index,
		i->name[0] != '\0' ? " \"" : "", i->name, i->name[0] != '\0' ? "\"" : "",
		type != NULL ? type : "unknown", i->link_type);
	/* Sections number their interfaces from 0. */
	if (strstr(f->text, text) != NULL || f->named > FOREIGN_NAMED)
		return;
	snprintf(f->text + at, sizeof(f->text) - at, "%s%s", at > 0 ? ", " : "",
		f->named < FOREIGN_NAMED ? text : "and others");
	f->named++;
}

static uint64_t
time_of(const struct interface *i, uint64_t stamp)
{
	const uint64_t seconds = stamp / i->units, part = stamp % i->units;
	int64_t whole;

	if (seconds > INT64_MAX || __builtin_add_overflow((int64_t)seconds, i->offset, &whole) ||
		whole < 0 || whole > REPLAY_SECONDS_MAX)
		return REPLAY_NO_TIME;
	return (uint64_t)whole * 1000000000 +
		(uint64_t)((unsigned __int128)part * 1000000000 / i->units);
}

/* Take the body of a packet's block of any kind. */
static int
packet_take(struct ng *g, uint32_t type, uint32_t bytes, struct err *e)
{
	const uint32_t header = type == SIMPLE_PACKET ? 4 : 20;
	const uint8_t *at = g->body;
	struct replay_record r = { .number = g->rest->after + 1, .bytes = at + header };
	uint32_t index = 0;

	if (bytes < header)
		return err_set(e, EINVAL, "the packet block at byte %" PRIu64 " is too short",
			g->at);
	if (type != SIMPLE_PACKET)
		index = type == PACKET ? half(g, at) : word(g, at);
	if (index >= g->n)
		return err_set(e, EINVAL,
			"packet %" PRIu64
			" is of interface %u, which no interface block of its section describes",
			r.number, index);
	if (type == SIMPLE_PACKET) {
		const uint32_t snaplen = g->interfaces[0].snaplen;

		/* It does not say how much of it was captured. */
		r.length = word(g, at);
		r.captured = RTE_MIN(r.length, bytes - header);
		r.captured = snaplen > 0 ? RTE_MIN(r.captured, snaplen) : r.captured;
		r.ns = 0;
	} else {
		r.captured = word(g, at + 12);
		r.length = word(g, at + 16);
		r.ns = time_of(&g->interfaces[index],
			(uint64_t)word(g, at + 4) << 32 | word(g, at + 8));
	}
	if (r.captured > bytes - header)
		return err_set(e, EINVAL,
			"packet %" PRIu64 " has %u bytes, and its block has room for %u", r.number,
			r.captured, bytes - header);
	g->rest->after++;
	if (g->interfaces[index].link_type != LINK_ETHERNET) {
		leave_out(g, index);
		return 0;
	}
	return g->each(g->context, &r, e);
}

/* Read the body of a block; skip: only pass over it. False: it is cut. */
static bool
body_read(struct ng *g, uint32_t bytes, bool skip, struct err *e)
{
	uint8_t *more;

	for (uint8_t rest[4096]; skip && bytes > 0;) {
		const uint32_t part = RTE_MIN(bytes, (uint32_t)sizeof(rest));

		if (replay_stream_read(g->stream, rest, part) != part)
			return cut(g, e) == 0;
		bytes -= part;
	}
	if (bytes > g->body_room) {
		more = realloc(g->body, bytes);
		if (more == NULL)
			return err_set(e, ENOMEM, "no memory for a block of %u bytes", bytes) == 0;
		g->body = more;
		g->body_room = bytes;
	}
	return replay_stream_read(g->stream, g->body, bytes) == bytes || cut(g, e) == 0;
}

/* Find a section's byte order. */
static int
order_find(struct ng *g, uint32_t magic, struct err *e)
{
	g->swapped = magic == rte_bswap32(ORDER_MAGIC);
	if (g->swapped || magic == ORDER_MAGIC)
		return 0;
	return err_set(e, EINVAL, "the section header at byte %" PRIu64 " has no byte order",
		g->at);
}

/* Read a block. Returns 1; 0 at the end of the file; or -errno: the rest cannot be read, or of each(). */
static int
block_read(struct ng *g, bool *of_each, struct err *e)
{
	uint8_t head[8], magic[4], trailer[4];
	const size_t got = replay_stream_read(g->stream, head, sizeof(head));
	uint32_t type, total, bytes, before = 0;
	bool packet;
	int ret = 0;

	*of_each = false;
	if (got < sizeof(head))
		return got == 0 ? 0 : cut(g, e);
	type = word(g, head);
	if (replay_stream_is_pcap(type))
		return err_set(e, EINVAL, REPLAY_STREAM_JOINED);
	if (type == SECTION) {
		if (replay_stream_read(g->stream, magic, sizeof(magic)) != sizeof(magic))
			return cut(g, e);
		memcpy(&total, magic, sizeof(total));
		if (order_find(g, total, e) != 0)
			return -e->code;
		before = sizeof(magic);
	}
	total = word(g, head + 4);
	packet = type == PACKET || type == SIMPLE_PACKET || type == ENHANCED_PACKET;
	if (total < FRAME + before || total % 4 != 0 ||
		((packet || type == INTERFACE || type == SECTION) && total > BLOCK_MOST))
		return err_set(e, EINVAL, "the block at byte %" PRIu64 " has an invalid length, %u",
			g->at, total);
	bytes = total - FRAME - before;
	if (!body_read(g, bytes, !packet && type != INTERFACE && type != SECTION, e))
		return -e->code;
	if (replay_stream_read(g->stream, trailer, sizeof(trailer)) != sizeof(trailer))
		return cut(g, e);
	if (word(g, trailer) != total)
		return err_set(e, EINVAL,
			"the block at byte %" PRIu64
			" begins with length %u, and ends with length %u",
			g->at, total, word(g, trailer));
	if (type == SECTION)
		ret = section_begin(g, bytes, e);
	else if (type == INTERFACE)
		ret = interface_begin(g, bytes, e);
	else if (packet) {
		const uint64_t after = g->rest->after;

		ret = packet_take(g, type, bytes, e);
		*of_each = g->rest->after > after;
	}
	g->at += total;
	return ret == 0 ? 1 : ret;
}

int
replay_ng_read(struct replay_stream *s,
	int (*each)(void *context, const struct replay_record *r, struct err *e), void *context,
	struct replay_rest *rest, struct err *e)
{
	struct ng g = { .stream = s, .rest = rest, .each = each, .context = context };
	bool of_each = false;
	int ret;

	do
		ret = block_read(&g, &of_each, e);
	while (ret > 0);
	free(g.interfaces);
	free(g.body);
	if (ret == 0 || of_each || ret == -ENOMEM)
		return ret;
	snprintf(rest->why, sizeof(rest->why), "%.159s", e->text);
	err_clear(e);
	return 0;
}
