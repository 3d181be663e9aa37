/* Filters of the XL710 with precedence over RSS: MAC and VLAN, EtherType, set by admin commands, and
 * flow director, set by descriptors. Source: Intel XL710 datasheet 7.1.7, 7.1.9, 7.4.9. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/model_life.h"
#include "pmd_shims/drivers/model_nic/ring.h"
#include "pmd_shims/drivers/model_nic/xl710/xl710_aq_priv.h"

#include <string.h>

enum {
	DIRECTOR_INPUT = 0x250000, /* PRTQF_FD_INSET: two words for each packet class */
	DIRECTOR_INPUT_END = 0x251000,
	DIRECTOR_CLEAR = 0x245d80, /* PFQF_CTL_1, bit 0 */
};

/*
 * A filter descriptor. It is followed by one with an example packet, in which source and
 * destination are exchanged relative to matching packets.
 */
enum { DESC_BYTES = 16, DESC_KIND = 15, KIND_FILTER = 8, CLASS_AT = 17, COMMAND_AT = 4 };
enum { COMMAND_ADD = 1, COMMAND_REMOVE = 2, DEST_AT = 7, DEST_DROP = 0, DEST_QUEUE = 1 };
enum { PACKET_BYTES = 512, PACKET_SHIFT = 34, PACKET_MASK = 0x3fff };

/* Get the fields that filters of a class compare. Returns false if one of them is not modelled. */
static bool
input_bits(const struct model *m, unsigned class, uint64_t *bits)
{
	uint32_t at = DIRECTOR_INPUT + 64 * class;

	*bits = (uint64_t)model_reg(m, at + 32) << 32 | model_reg(m, at);
	return (*bits & ~xl710_input_known()) == 0;
}

static int
by_ethertype(const struct xl710 *s, const struct packet_parts *p, const uint8_t *pkt)
{
	for (unsigned i = 0; i < XL710_ETHERTYPES; i++) {
		const struct ethertype_filter *f = &s->ethertype[i];
		uint32_t what = atomic_load(&f->what);

		if (what == 0 || (what & 0xffff) != p->ethertype ||
			((what & XL710_ETHERTYPE_ANY_MAC) == 0 &&
				memcmp(pkt, f->mac, sizeof(f->mac)) != 0))
			continue;
		return (what & XL710_ETHERTYPE_DROP) != 0 ? MODEL_QUEUE_DROP : f->queue;
	}
	return -1;
}

static int
by_director(const struct model *m, const struct packet_parts *p, unsigned class)
{
	const struct xl710 *s = xl710_state(m);
	uint8_t input[XL710_INPUT_BYTES];
	uint64_t bits;
	unsigned n;

	if (atomic_load(&s->director_n) == 0 || !input_bits(m, class, &bits))
		return -1;
	n = xl710_input_copy(p, bits, false, input);
	for (unsigned i = 0; i < atomic_load(&s->director_n); i++) {
		const struct xl710_director_filter *f = &s->director[i];

		if (f->class == class && f->bytes == n && memcmp(f->input, input, n) == 0)
			return f->queue;
	}
	return -1;
}

int
xl710_filter(const struct model *m, const struct packet_parts *p, unsigned class,
	const uint8_t *pkt)
{
	int queue = by_ethertype(xl710_state(m), p, pkt);

	return queue >= 0 ? queue : by_director(m, p, class);
}

/* Add, replace or remove the filter with this input. */
static void
director_learn(struct model *m, const struct xl710_director_filter *wanted, unsigned command)
{
	struct xl710 *s = xl710_state(m);
	unsigned n = atomic_load(&s->director_n), i = 0;

	while (i < n &&
		(s->director[i].class != wanted->class || s->director[i].bytes != wanted->bytes ||
			memcmp(s->director[i].input, wanted->input, wanted->bytes) != 0))
		i++;
	if (command == COMMAND_ADD && i < XL710_DIRECTOR_FILTERS) {
		s->director[i] = *wanted;
		atomic_store(&s->director_n, i == n ? n + 1 : n);
	} else if (command == COMMAND_REMOVE && i < n) {
		s->director[i] = s->director[n - 1];
		atomic_store(&s->director_n, n - 1);
	}
	atomic_fetch_add(&m->rss_generation, 1);
}

static void
director_read(struct model *m, const uint8_t *filter, const uint8_t *packet)
{
	uint64_t first = quad(filter), second = quad(filter + 8), bits;
	const uint8_t *pkt = (const uint8_t *)(uintptr_t)quad(packet);
	uint32_t len = (uint32_t)(quad(packet + 8) >> PACKET_SHIFT & PACKET_MASK);
	struct xl710_director_filter wanted = { .class = first >> CLASS_AT & 63 };
	struct packet_parts parts;
	unsigned dest = second >> DEST_AT & 3;

	packet_parts_find(&parts, pkt, len);
	if (!input_bits(m, wanted.class, &bits)) {
		model_log(m, 0,
			"flow director: class %u compares fields that are not modelled: %#llx",
			wanted.class, (unsigned long long)bits);
		return;
	}
	wanted.bytes = (uint16_t)xl710_input_copy(&parts, bits, true, wanted.input);
	wanted.queue = dest == DEST_DROP ? MODEL_QUEUE_DROP
		: dest == DEST_QUEUE     ? (int)(first & (MODEL_DATA_QUEUES - 1))
					 : -1;
	director_learn(m, &wanted, second >> COMMAND_AT & 7);
}

uint16_t
xl710_filters_take(struct model *m, struct ring *r)
{
	uint16_t n = (uint16_t)(handed(r, r->size) & ~1u);

	for (uint16_t i = 0; i < n; i += 2) {
		const uint8_t *filter = r->desc + (size_t)advanced(r, r->head, i) * DESC_BYTES;

		if ((quad(filter + 8) & DESC_KIND) == KIND_FILTER)
			director_read(m, filter,
				r->desc + (size_t)advanced(r, r->head, i + 1) * DESC_BYTES);
	}
	r->taken.plain = 0; /* they are read again for completion */
	return n;
}

bool
xl710_filter_written(struct model *m, uint32_t offset, uint32_t value)
{
	if (offset == DIRECTOR_CLEAR) {
		if ((value & 1) != 0) {
			/* The driver does not wait until the card has its filters. */
			model_filters_take(m);
			atomic_store(&xl710_state(m)->director_n, 0);
			atomic_fetch_add(&m->rss_generation, 1);
		}
		model_reg_set(m, offset, value & ~1u);
		return true;
	}
	return offset >= DIRECTOR_INPUT && offset < DIRECTOR_INPUT_END;
}

/* MAC and VLAN filters, and promiscuous modes, of the main VSI. A VSI for filters has none. */

enum { MAC_ANY_VLAN = 1 << 12, MAC_USED = 1 << 13, MAC_ELEMENT = 16, MAC_VLAN = 6, MAC_FLAGS = 8 };
enum { MAC_RESULT = 12, VLAN_MASK = 0xfff, VLAN_TYPE = 0x8100 };
enum { SEID_MASK = 0x3ff };

/* A filter as one number, which another thread can read at once. vlan: 0 (untagged) or an ID, or MAC_ANY_VLAN. */
static uint64_t
mac_key(const uint8_t mac[6], unsigned vlan)
{
	uint64_t key = 0;

	for (unsigned i = 0; i < 6; i++)
		key = key << 8 | mac[i];
	return key << 16 | MAC_USED | vlan;
}

/* The place of a filter, 0..XL710_MACS - 1; -1: there is none. */
static int
mac_find(const struct xl710 *s, uint64_t key)
{
	const unsigned n = atomic_load(&s->macs);

	for (unsigned i = 0; i < n; i++)
		if (atomic_load_explicit(&s->mac[i], memory_order_relaxed) == key)
			return (int)i;
	return -1;
}

/* Add a filter. Returns false if there is no room. */
static bool
mac_place(struct xl710 *s, uint64_t key)
{
	const unsigned n = atomic_load(&s->macs);
	int at = mac_find(s, key);

	if (at < 0)
		at = mac_find(s, 0);
	if (at < 0 && n == XL710_MACS)
		return false;
	if (at < 0)
		at = (int)n;
	atomic_store(&s->mac[at], key);
	if ((unsigned)at == n)
		atomic_store(&s->macs, n + 1);
	return true;
}

/* The list of a command, as long as its buffer, and for the main VSI or another one. */
static uint16_t
mac_list_check(const struct command *c, const uint8_t *buffer, bool *main)
{
	*main = (c->word[1] & SEID_MASK) == XL710_SEID;
	return buffer != NULL && c->word[0] * MAC_ELEMENT <= c->bytes ? AQ_OK : AQ_INVALID;
}

/* A filter of a list, by the flag that means any VLAN. */
static uint64_t
mac_read(const uint8_t *element, unsigned any_vlan)
{
	const unsigned vlan = (element[MAC_VLAN] | (unsigned)element[MAC_VLAN + 1] << 8) &
		VLAN_MASK;

	return mac_key(element, (element[MAC_FLAGS] & any_vlan) != 0 ? MAC_ANY_VLAN : vlan);
}

uint16_t
xl710_aq_mac_add(struct model *m, struct command *c, uint8_t *buffer)
{
	enum { ANY_VLAN = 4, PERFECT = 1, NO_ROOM = 0xff };
	bool main;
	uint16_t result = mac_list_check(c, buffer, &main);

	for (unsigned i = 0; result != AQ_INVALID && i < c->word[0]; i++) {
		uint8_t *element = buffer + (size_t)i * MAC_ELEMENT;
		const bool good = !main || mac_place(xl710_state(m), mac_read(element, ANY_VLAN));

		element[MAC_RESULT] = good ? PERFECT : NO_ROOM;
		result = good ? result : AQ_NO_SPACE;
	}
	return result;
}

uint16_t
xl710_aq_mac_remove(struct model *m, struct command *c, uint8_t *buffer)
{
	enum { ANY_VLAN = 8, FAILED = 0xff };
	struct xl710 *s = xl710_state(m);
	bool main;
	uint16_t result = mac_list_check(c, buffer, &main);

	for (unsigned i = 0; result != AQ_INVALID && i < c->word[0]; i++) {
		uint8_t *element = buffer + (size_t)i * MAC_ELEMENT;
		const int at = main ? mac_find(s, mac_read(element, ANY_VLAN)) : -1;

		if (at >= 0)
			atomic_store(&s->mac[at], 0);
		element[MAC_RESULT] = at >= 0 || !main ? 0 : FAILED;
		result = at >= 0 || !main ? result : AQ_NO_ENTRY;
	}
	return result;
}

uint16_t
xl710_aq_promiscuous(struct model *m, struct command *c, uint8_t *buffer)
{
	struct xl710 *s = xl710_state(m);
	const uint16_t flags = c->word[0], valid = c->word[1];

	if ((c->word[2] & SEID_MASK) == XL710_SEID)
		atomic_store(&s->promiscuous,
			(uint16_t)((atomic_load(&s->promiscuous) & ~valid) | (flags & valid)));
	return AQ_OK;
}

bool
xl710_accepts(const struct model *m, const uint8_t *pkt, uint32_t len)
{
	enum { UNICAST = 1, MULTICAST = 2, BROADCAST = 4, DEFAULT = 8, ALL_VLANS = 16 };
	static const uint8_t broadcast[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	const struct xl710 *s = xl710_state(m);
	const uint16_t promiscuous = atomic_load_explicit(&s->promiscuous, memory_order_relaxed);
	const unsigned kind = memcmp(pkt, broadcast, 6) == 0 ? BROADCAST
		: (pkt[0] & 1) != 0                          ? MULTICAST
							     : UNICAST;
	unsigned vlan = 0;
	uint64_t key;

	if ((promiscuous & (kind | DEFAULT)) != 0)
		return true;
	if (len >= 16 && pkt[12] == VLAN_TYPE >> 8 && pkt[13] == (VLAN_TYPE & 0xff))
		vlan = ((unsigned)pkt[14] << 8 | pkt[15]) & VLAN_MASK;
	key = mac_key(pkt, 0);
	for (unsigned i = 0; i < atomic_load_explicit(&s->macs, memory_order_relaxed); i++) {
		const uint64_t differs = atomic_load_explicit(&s->mac[i], memory_order_relaxed) ^
			key;

		if (differs == MAC_ANY_VLAN || differs == vlan ||
			((promiscuous & ALL_VLANS) != 0 && differs <= VLAN_MASK))
			return true;
	}
	return false;
}

void
xl710_filters_reset(struct model *m)
{
	struct xl710 *s = xl710_state(m);

	atomic_store(&s->director_n, 0);
	for (unsigned i = 0; i < XL710_ETHERTYPES; i++)
		atomic_store(&s->ethertype[i].what, 0);
	atomic_store(&s->promiscuous, 0);
	for (unsigned i = 0; i < XL710_MACS; i++)
		atomic_store_explicit(&s->mac[i], 0, memory_order_relaxed);
	atomic_store(&s->macs, 0);
	mac_place(s, mac_key(m->mac, 0));
}

/* Add or remove a control packet filter: MAC address, EtherType, flags, VSI, queue. */
uint16_t
xl710_aq_ethertype(struct model *m, struct command *c, uint8_t *buffer)
{
	enum { ADD = 0x025a, TYPE_WORD = 3, FLAGS_WORD = 4, QUEUE_WORD = 6 };
	enum { ANY_MAC = 1, DROP = 2, TRANSMIT = 8 };
	struct xl710 *s = xl710_state(m);
	uint32_t what = c->word[TYPE_WORD];
	unsigned i = 0;

	if ((c->word[FLAGS_WORD] & TRANSMIT) != 0)
		return AQ_OK; /* filters for sent packets are not modelled */
	what |= (c->word[FLAGS_WORD] & ANY_MAC) != 0 ? XL710_ETHERTYPE_ANY_MAC : 0;
	while (i < XL710_ETHERTYPES &&
		(atomic_load(&s->ethertype[i].what) & 0xffff) != (what & 0xffff))
		i++;
	if (c->opcode != ADD) {
		if (i == XL710_ETHERTYPES)
			return AQ_NO_ENTRY;
		atomic_store(&s->ethertype[i].what, 0);
		atomic_fetch_add(&m->rss_generation, 1);
		return AQ_OK;
	}
	for (i = 0; i < XL710_ETHERTYPES && atomic_load(&s->ethertype[i].what) != 0;)
		i++;
	if (i == XL710_ETHERTYPES)
		return AQ_NO_SPACE;
	memcpy(s->ethertype[i].mac, c->byte, sizeof(s->ethertype[i].mac));
	s->ethertype[i].queue = c->word[QUEUE_WORD] & (MODEL_DATA_QUEUES - 1);
	what |= (c->word[FLAGS_WORD] & DROP) != 0 ? XL710_ETHERTYPE_DROP : 0;
	atomic_store(&s->ethertype[i].what, what);
	atomic_fetch_add(&m->rss_generation, 1);
	return AQ_OK;
}
