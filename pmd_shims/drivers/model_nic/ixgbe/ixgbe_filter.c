/* Filters with precedence over RSS: EtherType, SYN, five-tuple, flow director. Source: Intel 82599
 * datasheet 7.1.2. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/ixgbe/ixgbe_priv.h"

#include <string.h>

enum {
	ETHERTYPES = 0x5128, /* ETQF: EtherType, enable; ETQS: queue */
	ETHERTYPE_QUEUES = 0xec00,
	ETHERTYPE_FILTERS = 8,
	SYN = 0xec30, /* SYNQF */
	SOURCES = 0xe000,
	DESTINATIONS = 0xe200,
	PORTS = 0xe400,
	TUPLES = 0xe600,
	TUPLE_QUEUES = 0xe800,
	TUPLE_FILTERS = 128,
	FILTERS_END = 0xec34,
};

/* Registers of the flow director. */
enum {
	DIRECTOR = 0xee00, /* FDIRCTRL */
	DIRECTOR_SOURCE = 0xee18,
	DIRECTOR_DESTINATION = 0xee1c,
	DIRECTOR_PORTS = 0xee20,
	DIRECTOR_TAG = 0xee24, /* and two flexible bytes */
	DIRECTOR_HASH = 0xee28,
	DIRECTOR_COMMAND = 0xee2c,
	DIRECTOR_DESTINATION_MASK = 0xee3c, /* bits set in a mask are not compared */
	DIRECTOR_SOURCE_MASK = 0xee40,
	DIRECTOR_TCP_MASK = 0xee44, /* with the bits of each port reversed */
	DIRECTOR_UDP_MASK = 0xee48,
	DIRECTOR_MASK = 0xee70,
	DIRECTOR_SCTP_MASK = 0xee78,
	DIRECTOR_END = 0xee7c,
};

enum {
	READY = 1 << 3,
	PERFECT = 1 << 4,
	KIND = 7 << 21, /* 0: addresses and ports; others exist only in later chips */
	COMMAND = 3,
	COMMAND_ADD = 1,
	COMMAND_REMOVE = 2,
	COMMAND_QUERY = 3,
	VALID = 1 << 2,
	CLEAR = 1 << 8,
	DROP = 1 << 9,
	PROTOCOL = 3 << 5,
	MASK_TAG_ID = 1 << 0,
	MASK_TAG_PRIORITY = 1 << 1,
	MASK_PROTOCOL = 1 << 3,
	MASK_FLEXIBLE = 1 << 4,
};

#define ENABLE (UINT32_C(1) << 31)

static uint16_t
queue_in(uint32_t v, unsigned shift)
{
	return v >> shift & (IXGBE_DATA_QUEUES - 1);
}

static uint32_t
word_at(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Both ports in the format of the five-tuple registers: the packet's bytes, source first. */
static uint32_t
ports_raw(const struct packet_parts *p)
{
	return p->fragment || p->port[0] == NULL ? 0 : word_at(p->port[0]);
}

static int
by_ethertype(const struct model *m, const struct packet_parts *p)
{
	for (uint32_t i = 0; i < ETHERTYPE_FILTERS; i++) {
		uint32_t filter = model_reg(m, ETHERTYPES + 4 * i),
			 queue = model_reg(m, ETHERTYPE_QUEUES + 4 * i);

		if ((filter & ENABLE) != 0 && (queue & ENABLE) != 0 &&
			(filter & 0xffff) == p->ethertype)
			return queue_in(queue, 16);
	}
	return -1;
}

bool
ixgbe_filter_ptp(const struct model *m)
{
	const uint32_t to_clock = UINT32_C(1) << 30, type = 0x88f7;

	for (uint32_t i = 0; i < ETHERTYPE_FILTERS; i++)
		if ((model_reg(m, ETHERTYPES + 4 * i) & (ENABLE | to_clock | 0xffff)) ==
			(ENABLE | to_clock | type))
			return true;
	return false;
}

static bool
syn(const struct packet_parts *p, const uint8_t *end)
{
	enum { FLAGS_AT = 13, SYN_ACK = 0x12, ONLY_SYN = 0x02 };

	return p->address_len != 0 && !p->fragment && p->protocol == PROTOCOL_TCP &&
		p->port[0] + FLAGS_AT < end && (p->port[0][FLAGS_AT] & SYN_ACK) == ONLY_SYN;
}

/* The transport protocol as a five-tuple filter encodes it. */
static unsigned
tuple_protocol(const struct packet_parts *p)
{
	return p->fragment                     ? 3
		: p->protocol == PROTOCOL_TCP  ? 0
		: p->protocol == PROTOCOL_UDP  ? 1
		: p->protocol == PROTOCOL_SCTP ? 2
					       : 3;
}

static bool
tuple_matches(const struct model *m, uint32_t i, uint32_t filter, const struct packet_parts *p)
{
	uint32_t differs = ports_raw(p) ^ model_reg(m, PORTS + 4 * i), ignore = filter >> 25;

	return ((ignore & 1) != 0 || word_at(p->address[0]) == model_reg(m, SOURCES + 4 * i)) &&
		((ignore & 2) != 0 ||
			word_at(p->address[1]) == model_reg(m, DESTINATIONS + 4 * i)) &&
		((ignore & 4) != 0 || (differs & 0xffff) == 0) &&
		((ignore & 8) != 0 || differs >> 16 == 0) &&
		((ignore & 16) != 0 || (filter & 3) == tuple_protocol(p));
}

/* The queue of the matching filter with the highest priority, then the lowest number; -1: none. */
static int
by_tuple(const struct model *m, const struct packet_parts *p)
{
	int queue = -1;
	unsigned best = 0;

	if (p->address_len != 4)
		return -1;
	for (uint32_t i = 0; i < TUPLE_FILTERS; i++) {
		uint32_t filter = model_reg(m, TUPLES + 4 * i);
		unsigned priority = 1 + (filter >> 2 & 7);

		if ((filter & ENABLE) != 0 && priority > best && tuple_matches(m, i, filter, p)) {
			best = priority;
			queue = queue_in(model_reg(m, TUPLE_QUEUES + 4 * i), 21);
		}
	}
	return queue;
}

static uint32_t
reversed(uint32_t v)
{
	uint32_t to = 0;

	for (unsigned i = 0; i < 16; i++)
		to |= (v >> i & 1) << (15 - i);
	return to;
}

/* Bits of both ports that are compared: destination in the upper half, source in the lower. */
static uint32_t
director_ports(const struct model *m, unsigned protocol)
{
	uint32_t mask = ~model_reg(m,
		protocol == PROTOCOL_TCP           ? DIRECTOR_TCP_MASK
			: protocol == PROTOCOL_UDP ? DIRECTOR_UDP_MASK
						   : DIRECTOR_SCTP_MASK);

	return reversed(mask >> 16) << 16 | reversed(mask & 0xffff);
}

static bool
director_ports_match(const struct model *m, const struct director_filter *f,
	const struct packet_parts *p)
{
	static const unsigned protocols[] = { 0, PROTOCOL_UDP, PROTOCOL_TCP, PROTOCOL_SCTP };
	uint32_t ports = 0;

	if ((model_reg(m, DIRECTOR_MASK) & MASK_PROTOCOL) != 0)
		return true;
	if (p->fragment || p->port[0] == NULL)
		return (f->command & PROTOCOL) == 0;
	if (protocols[(f->command & PROTOCOL) / (PROTOCOL & -PROTOCOL)] != p->protocol)
		return false;
	ports = (uint32_t)(p->port[1][0] << 8 | p->port[1][1]) << 16 |
		(uint32_t)(p->port[0][0] << 8 | p->port[0][1]);
	return ((ports ^ f->ports) & director_ports(m, p->protocol)) == 0;
}

static bool
director_tag_matches(const struct model *m, const struct director_filter *f,
	const struct packet_parts *p)
{
	uint32_t mask = model_reg(m, DIRECTOR_MASK), differs = p->tag_control ^ (f->tag & 0xffff);

	return ((mask & MASK_TAG_ID) != 0 || (differs & 0xfff) == 0) &&
		((mask & MASK_TAG_PRIORITY) != 0 || (differs & 0xe000) == 0);
}

static bool
director_ip_matches(const struct model *m, const struct director_filter *f,
	const struct packet_parts *p)
{
	return ((word_at(p->address[0]) ^ f->source) & ~model_reg(m, DIRECTOR_SOURCE_MASK)) == 0 &&
		((word_at(p->address[1]) ^ f->destination) &
			~model_reg(m, DIRECTOR_DESTINATION_MASK)) == 0 &&
		director_ports_match(m, f, p);
}

/* Compare the two flexible bytes, at a configured offset near the packet's begin. */
static bool
director_flexible_matches(const struct model *m, const struct director_filter *f,
	const uint8_t *pkt, uint32_t len)
{
	uint32_t at = 2 * (model_reg(m, DIRECTOR) >> 16 & 31);

	return (model_reg(m, DIRECTOR_MASK) & MASK_FLEXIBLE) != 0 ||
		(at + 2 <= len && memcmp(pkt + at, (const uint8_t *)&f->tag + 2, 2) == 0);
}

static bool
director_matches(const struct model *m, const struct director_filter *f,
	const struct packet_parts *p, const uint8_t *pkt, uint32_t len)
{
	return director_ip_matches(m, f, p) && director_tag_matches(m, f, p) &&
		director_flexible_matches(m, f, pkt, len);
}

static int
by_director(const struct model *m, const struct packet_parts *p, const uint8_t *pkt, uint32_t len)
{
	const struct ixgbe *s = ixgbe_state(m);

	if (p->address_len != 4 || (model_reg(m, DIRECTOR) & (PERFECT | KIND)) != PERFECT)
		return -1;
	for (unsigned i = 0; i < atomic_load(&s->director_n); i++)
		if (director_matches(m, &s->director[i], p, pkt, len))
			return (s->director[i].command & DROP) != 0
				? MODEL_QUEUE_DROP
				: queue_in(s->director[i].command, 16);
	return -1;
}

int
ixgbe_filter(const struct model *m, const struct packet_parts *p, const uint8_t *pkt, uint32_t len)
{
	uint32_t of_syn = model_reg(m, SYN);
	int queue = by_ethertype(m, p);
	bool is_syn;

	if (queue >= 0)
		return queue;
	is_syn = (of_syn & 1) != 0 && syn(p, pkt + len);
	if (is_syn && (of_syn & ENABLE) != 0) /* it has precedence over five-tuple filters */
		return queue_in(of_syn, 1);
	queue = by_tuple(m, p);
	if (queue < 0 && is_syn)
		queue = queue_in(of_syn, 1);
	return queue >= 0 ? queue : by_director(m, p, pkt, len);
}

static struct director_filter *
director_find(struct ixgbe *s, uint32_t hash)
{
	for (unsigned i = 0; i < atomic_load(&s->director_n); i++)
		if (s->director[i].hash == hash)
			return &s->director[i];
	return NULL;
}

/* Add a filter, or replace the one with this hash. Returns false if there is no room. */
static bool
director_add(struct model *m, uint32_t command)
{
	struct ixgbe *s = ixgbe_state(m);
	uint32_t hash = model_reg(m, DIRECTOR_HASH);
	struct director_filter *f = director_find(s, hash);
	unsigned n = atomic_load(&s->director_n);

	if (f == NULL && n == DIRECTOR_FILTERS)
		return false;
	if (f == NULL)
		f = &s->director[n++];
	f->hash = hash;
	f->command = command;
	f->source = model_reg(m, DIRECTOR_SOURCE);
	f->destination = model_reg(m, DIRECTOR_DESTINATION);
	f->ports = model_reg(m, DIRECTOR_PORTS);
	f->tag = model_reg(m, DIRECTOR_TAG);
	atomic_store(&s->director_n, n);
	return true;
}

/* Remove a filter; the last one moves to its place. */
static void
director_remove(struct ixgbe *s, struct director_filter *f)
{
	unsigned last = atomic_load(&s->director_n) - 1;

	*f = s->director[last];
	atomic_store(&s->director_n, last);
}

static void
director_command(struct model *m, uint32_t value)
{
	struct ixgbe *s = ixgbe_state(m);
	struct director_filter *f = director_find(s, model_reg(m, DIRECTOR_HASH));
	uint32_t done = value & ~(COMMAND | VALID);

	switch (value & COMMAND) {
	case COMMAND_ADD: director_add(m, value); break;
	case COMMAND_REMOVE:
		if (f != NULL)
			director_remove(s, f);
		break;
	case COMMAND_QUERY: done |= f != NULL ? VALID : 0; break;
	default: break;
	}
	if ((value & CLEAR) != 0)
		atomic_store(&s->director_n, 0);
	model_reg_set(m, DIRECTOR_COMMAND, done);
}

bool
ixgbe_filter_written(struct model *m, uint32_t offset, uint32_t value)
{
	if (offset == DIRECTOR_COMMAND) {
		director_command(m, value);
		return true;
	}
	if (offset == DIRECTOR) {
		atomic_store(&ixgbe_state(m)->director_n, 0);
		model_reg_set(m, offset, value | READY);
		return true;
	}
	return (offset >= DIRECTOR && offset < DIRECTOR_END) ||
		(offset >= SOURCES && offset < FILTERS_END) ||
		(offset >= ETHERTYPES && offset < ETHERTYPES + 4 * ETHERTYPE_FILTERS);
}
