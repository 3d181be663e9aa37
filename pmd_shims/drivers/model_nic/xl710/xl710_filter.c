/* Filters of the XL710 with precedence over RSS: EtherType, set by admin command, and flow
 * director, set by descriptors. Source: Intel XL710 datasheet 7.1.7, 7.1.9. */
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

void
xl710_filters_reset(struct model *m)
{
	struct xl710 *s = xl710_state(m);

	atomic_store(&s->director_n, 0);
	for (unsigned i = 0; i < XL710_ETHERTYPES; i++)
		atomic_store(&s->ethertype[i].what, 0);
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
