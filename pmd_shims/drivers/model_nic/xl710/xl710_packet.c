/* Packets of the XL710: RSS, descriptors, interrupts. Source: Intel XL710 datasheet 7.1.8, 8.3, 8.4; rte_thash.h agrees on the hash. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/ring_tx.h"
#include "pmd_shims/drivers/model_nic/xl710/xl710_aq_priv.h"
#include "pmd_shims/drivers/model_nic/xl710/xl710_priv.h"

#include <string.h>

/* Bits of GLQF_HASH_INSET: source and destination. */
static const uint64_t ipv4_bits[2] = { UINT64_C(0x0001800000000000), UINT64_C(0x0000001800000000) };
static const uint64_t ipv6_bits[2] = { UINT64_C(0x0007f80000000000), UINT64_C(0x000007f800000000) };
static const uint64_t port_bits[2] = { UINT64_C(0x0000000400000000), UINT64_C(0x0000000200000000) };
static const uint64_t tag_bits = UINT64_C(0x0000000180000000);
static const uint64_t vlan_bits = UINT64_C(0x0080000000000000);
static const uint64_t ethertype_bits = 0x4000; /* the one after all VLAN tags */

enum class {
	IPV4_FIRST = 29, /* UDP unicast, UDP multicast, UDP, TCP SYN, TCP */
	IPV4_UDP = 31,
	IPV4_SCTP = 34,
	IPV4_OTHER = 35,
	IPV4_FRAGMENT = 36,
	IPV6_FIRST = 39,
	IPV6_UDP = 41,
	IPV6_SCTP = 44,
	IPV6_OTHER = 45,
	IPV6_FRAGMENT = 46,
	L2 = 63,
};

static void
chosen_set(struct model *m, unsigned class, uint64_t bits)
{
	model_reg_set(m, XL710_HASH_INPUT + 8 * class, (uint32_t)bits);
	model_reg_set(m, XL710_HASH_INPUT + 8 * class + 4, (uint32_t)(bits >> 32));
}

void
xl710_rss_reset(struct model *m)
{
	const uint64_t ipv4 = ipv4_bits[0] | ipv4_bits[1], ipv6 = ipv6_bits[0] | ipv6_bits[1];
	const uint64_t ports = port_bits[0] | port_bits[1];

	for (unsigned class = IPV4_FIRST; class < IPV4_SCTP; class ++)
		chosen_set(m, class, ipv4 | ports);
	chosen_set(m, IPV4_SCTP, ipv4 | ports | tag_bits);
	chosen_set(m, IPV4_OTHER, ipv4);
	chosen_set(m, IPV4_FRAGMENT, ipv4);
	for (unsigned class = IPV6_FIRST; class < IPV6_SCTP; class ++)
		chosen_set(m, class, ipv6 | ports);
	chosen_set(m, IPV6_SCTP, ipv6 | ports | tag_bits);
	chosen_set(m, IPV6_OTHER, ipv6);
	chosen_set(m, IPV6_FRAGMENT, ipv6);
	chosen_set(m, L2, ethertype_bits);
}

/*
 * The class of a packet, which is its bit in HENA. Relative to the class of UDP that of TCP is 2
 * higher, SCTP 3, all other protocols 4, fragments 5, for both IPv4 and IPv6.
 */
static unsigned
class_of(const struct packet_parts *p)
{
	unsigned udp = p->address_len == 4 ? IPV4_UDP : IPV6_UDP;

	if (p->address_len == 0)
		return L2;
	if (p->fragment)
		return udp + 5;
	switch (p->protocol) {
	case PROTOCOL_UDP: return udp;
	case PROTOCOL_TCP: return udp + 2;
	case PROTOCOL_SCTP: return udp + 3;
	default: return udp + 4;
	}
}

uint64_t
xl710_input_known(void)
{
	return ipv4_bits[0] | ipv4_bits[1] | ipv6_bits[0] | ipv6_bits[1] | port_bits[0] |
		port_bits[1] | tag_bits | vlan_bits | ethertype_bits;
}

unsigned
xl710_input_copy(const struct packet_parts *in, uint64_t chosen, bool answer, uint8_t *to)
{
	const uint64_t *address_bits = in->address_len == 4 ? ipv4_bits : ipv6_bits;
	unsigned n = 0;

	if ((chosen & vlan_bits) != 0) {
		to[n++] = (uint8_t)(in->tag_control >> 8);
		to[n++] = (uint8_t)in->tag_control;
	}
	for (unsigned i = 0; i < 2; i++)
		if (in->address_len != 0 && (chosen & address_bits[i]) != 0) {
			memcpy(to + n, in->address[i ^ answer], in->address_len);
			n += in->address_len;
		}
	for (unsigned i = 0; i < 2; i++)
		if (in->port[i] != NULL && (chosen & port_bits[i]) != 0) {
			memcpy(to + n, in->port[i ^ answer], 2);
			n += 2;
		}
	if (in->tag != NULL && (chosen & tag_bits) != 0) {
		memcpy(to + n, in->tag, 4);
		n += 4;
	}
	if (in->address_len == 0 && (chosen & ethertype_bits) != 0) {
		to[n++] = (uint8_t)(in->ethertype >> 8);
		to[n++] = (uint8_t)in->ethertype;
	}
	return n;
}

static bool
hash_is_symmetric(const struct model *m, unsigned class)
{
	return (model_reg(m, XL710_PORT_HASH) & model_reg(m, XL710_SYMMETRIC + 4 * class) & 1) != 0;
}

static void
exchange(const uint8_t **pair)
{
	const uint8_t *first = pair[0];

	pair[0] = pair[1];
	pair[1] = first;
}

/* Let both directions of a flow have the same fields: the smaller address and the smaller port first. */
static void
parts_sort(struct packet_parts *in, uint64_t chosen)
{
	const uint64_t *address_bits = in->address_len == 4 ? ipv4_bits : ipv6_bits;

	if ((chosen & address_bits[0]) != 0 && (chosen & address_bits[1]) != 0 &&
		memcmp(in->address[0], in->address[1], in->address_len) > 0)
		exchange(in->address);
	if (in->port[0] != NULL && (chosen & port_bits[0]) != 0 && (chosen & port_bits[1]) != 0 &&
		memcmp(in->port[0], in->port[1], 2) > 0)
		exchange(in->port);
}

/* The exclusive or of the words of 4 bytes in network order; the last one is filled with 0. */
static uint32_t
xor_hash(const uint8_t *input, unsigned n)
{
	uint32_t hash = 0;

	for (unsigned i = 0; i < n; i++)
		hash ^= (uint32_t)input[i] << (24 - 8 * (i % 4));
	return hash;
}

/* The hash of a packet's chosen fields by the function that the driver has set. */
static uint32_t
hash_of(struct model *m, struct packet_parts in, unsigned class)
{
	enum { TOEPLITZ = 2 };
	struct xl710 *s = xl710_state(m);
	const uint64_t chosen = model_reg(m, XL710_HASH_INPUT + 8 * class) |
		(uint64_t)model_reg(m, XL710_HASH_INPUT + 8 * class + 4) << 32;
	uint8_t input[XL710_INPUT_BYTES];
	unsigned n;

	if (hash_is_symmetric(m, class))
		parts_sort(&in, chosen);
	n = xl710_input_copy(&in, chosen, false, input);
	if ((model_reg(m, XL710_HASH_KIND) & TOEPLITZ) == 0)
		return xor_hash(input, n);
	return toeplitz_hash(rss_toeplitz(m, &s->hash, XL710_HKEY, XL710_HKEY_WORDS, XL710_ARRAY),
		input, n);
}

uint16_t
xl710_rss(struct model *m, const uint8_t *pkt, uint32_t len, uint32_t *hash)
{
	const uint32_t table_512 = 1 << 16;
	struct xl710 *s = xl710_state(m);
	uint32_t entry, queue;
	uint64_t enabled = model_reg(m, XL710_HENA) |
		(uint64_t)model_reg(m, XL710_HENA + XL710_ARRAY) << 32;
	struct packet_parts in;
	unsigned class;
	int filtered;

	*hash = 0;
	if (!packet_parts_find(&in, pkt, len))
		in.address_len = 0; /* an incomplete IP header must not be used */
	class = class_of(&in);
	filtered = xl710_filter(m, &in, class, pkt);
	if (in.address_len == 0 || (enabled >> class & 1) == 0)
		return filtered >= 0 ? (uint16_t)filtered : 0;
	*hash = hash_of(m, in, class);
	if (filtered >= 0)
		return (uint16_t)filtered;
	entry = *hash & ((model_reg(m, XL710_FILTER_CONTROL) & table_512) != 0 ? 511 : 127);
	queue = model_reg(m, XL710_HLUT + entry / 4 * XL710_ARRAY) >> entry % 4 * 8 & 0x3f;
	queue &= atomic_load(&s->rss_queues) - 1u;
	return (uint16_t)(queue < MODEL_DATA_QUEUES ? queue : 0);
}

/*
 * Raise a vector if it is armed. Needs no lock against queue_interrupt(): accesses are sequentially
 * consistent, so one of both sides sees what the other one wrote.
 */
static void
raise_vector(struct model *m, unsigned vector)
{
	struct xl710_vector *v = &xl710_state(m)->vector[vector];

	atomic_store(&v->pending, true);
	if (atomic_exchange(&v->armed, false)) {
		atomic_store(&v->pending, false);
		model_interrupt_vector(m, vector);
	}
}

/* Raise a vector for packets of a queue. Thread: the one that moves frames. */
static void
queue_interrupt(struct model *m, unsigned vector)
{
	if (vector == 0)
		atomic_store(&xl710_state(m)->queue_cause, true);
	raise_vector(m, vector);
}

/* Receive descriptors of the XL710. Source: datasheet 8.3.2. */

/* Bits of the second quad word of an Rx write-back. */
#define RX_DONE UINT64_C(1)
#define RX_EOP (UINT64_C(1) << 1)
#define RX_TAG (UINT64_C(1) << 2)
#define RX_CHECKED (UINT64_C(1) << 3)
#define RX_HASH (UINT64_C(3) << 12)
#define RX_ERROR_MAC (UINT64_C(1) << 19)
#define RX_ERROR_L3 (UINT64_C(1) << 22)
#define RX_ERROR_L4 (UINT64_C(1) << 23)
enum { RX_TYPE = 30, RX_LENGTH = 38 };

static uint64_t
rx_word(unsigned flags)
{
	/* Packet types; bits 0..3 of the index: IPv4, IPv6, TCP, UDP. */
	static const uint8_t types[16] = { 1, 23, 89, 1, 1, 26, 92, 1, 1, 24, 90, 1, 1, 1, 1, 1 };
	uint64_t word = RX_DONE;

	/* Information about a packet is in its last descriptor. */
	if ((flags & FRAME_EOP) == 0)
		return word;
	word |= RX_EOP | (uint64_t)types[flags / FRAME_IPV4 & 15] << RX_TYPE;
	word |= (flags & (FRAME_IPV4 | FRAME_IPV6)) != 0 ? RX_CHECKED : 0;
	word |= (flags & FRAME_VLAN) != 0 ? RX_TAG : 0;
	word |= (flags & FRAME_RSS) != 0 ? RX_HASH : 0;
	word |= (flags & FRAME_BAD_L3) != 0 ? RX_ERROR_L3 : 0;
	word |= (flags & FRAME_BAD_L4) != 0 ? RX_ERROR_L4 : 0;
	word |= (flags & FRAME_ERROR) != 0 ? RX_ERROR_MAC : 0;
	return word;
}

void
xl710_tables_make(struct xl710 *s)
{
	for (unsigned i = 0; i < XL710_RX_WORDS; i++)
		s->rx_word[i] = rx_word(i);
	counts_lanes_make(&s->counts);
}

/* True if the ring is in the set. */
static inline bool
among_rings(const struct xl710_rings *set, const struct ring *r)
{
	return (atomic_load_explicit(&set->bits[r->index / 64], memory_order_relaxed) >>
			       r->index % 64 &
		       1) != 0;
}

static inline uint32_t
crc_bytes(const struct xl710 *s, const struct ring *r)
{
	return among_rings(&s->crc_stays, r) ? CRC_BYTES : 0;
}

uint16_t
xl710_rx_peek(struct model *m, struct ring *r, struct frame *f, uint16_t max)
{
	const struct xl710 *s = xl710_state(m);

	if (!atomic_load_explicit(&s->link_up, memory_order_relaxed))
		return 0;
	return rx_peek(r, crc_bytes(s, r), f, max);
}

static inline quads
write_back(const void *of, const struct frame *f, uint64_t len)
{
	const struct xl710 *s = of;

	return (quads){ (uint64_t)f->rss << 32 | (uint32_t)f->vlan << 16,
		s->rx_word[f->flags % XL710_RX_WORDS] | len << RX_LENGTH };
}

/*
 * Write the second halves of n descriptors, which have the inner one of two stripped tags. The driver
 * reads them once rx_give() has written the first halves.
 */
static void
second_tags_give(struct ring *r, const struct frame *f, uint16_t n)
{
	enum { HALF = 16, TAG_PRESENT = 1, TAG_AT = 48 };

	for (uint16_t i = 0; i < n; i++) {
		const uint64_t second = (f[i].flags & (FRAME_VLAN_INNER | FRAME_EOP)) ==
				(FRAME_VLAN_INNER | FRAME_EOP)
			? TAG_PRESENT | (uint64_t)f[i].vlan_inner << TAG_AT
			: 0;

		memcpy(r->desc + (size_t)advanced(r, r->head, i) * r->desc_size + HALF, &second,
			sizeof(second));
	}
}

void
xl710_rx_give(struct model *m, struct ring *r, const struct frame *f, uint16_t n)
{
	struct xl710 *s = xl710_state(m);

	if (atomic_load_explicit(&s->second_tags, memory_order_relaxed) && r->desc_size == 32)
		second_tags_give(r, f, n);
	rx_give(r, &s->counts, crc_bytes(s, r), write_back, s, f, n);
	if (among_rings(&s->rx_interrupts, r))
		queue_interrupt(m, atomic_load(&s->rx_vector[r->index]));
}

/* Transmit descriptors of the XL710. Source: datasheet 8.4.2. */

/* Bits of the second quad word of a Tx descriptor. */
#define TX_KIND UINT64_C(0xf)
#define TX_EOP (UINT64_C(1) << 4)
#define TX_REPORT (UINT64_C(1) << 5)
#define TX_TAG (UINT64_C(1) << 7)
#define TX_DUMMY (UINT64_C(1) << 8)
#define TX_OFFLOADS (UINT64_C(0x3f) << 8)
enum { TX_DATA = 0, TX_CONTEXT = 1, TX_DONE = 15 };
enum { TX_L2_WORDS = 16, TX_L3_DWORDS = 23, TX_L4_DWORDS = 30, TX_BYTES = 34, TX_TAG_AT = 48 };
#define CONTEXT_TSO (UINT64_C(1) << 4)
enum { CONTEXT_MSS = 50, OUTER_KIND = 3, OUTER_IPV4_SUM = 3 };

/* Headers of a tunnel between the outer MAC header and the inner IP header are added to l2_len. */
static inline void
context_read(struct tx_context *contexts, uint64_t first, uint64_t second)
{
	contexts[0] = (struct tx_context){
		.mss = (second & CONTEXT_TSO) != 0 ? (uint16_t)(second >> CONTEXT_MSS & 0x3fff) : 0,
		.l2_len = (uint16_t)((first >> 2 & 0x3f) * 4 + (first >> 12 & 0x7f) * 2),
		.flags = (first & OUTER_KIND) == OUTER_IPV4_SUM ? FRAME_CSUM_OUTER : 0,
	};
}

static inline void
offloads_read(struct frame *f, uint64_t second, const struct tx_context *contexts)
{
	static const uint16_t l3[4] = { 0, FRAME_IPV6, FRAME_IPV4, FRAME_IPV4 | FRAME_CSUM_L3 };
	static const uint16_t l4[4] = { 0, FRAME_TCP | FRAME_CSUM_L4, 0,
		FRAME_UDP | FRAME_CSUM_L4 };

	f->flags |= l3[second >> 9 & 3] | l4[second >> 12 & 3] | contexts[0].flags;
	f->l2_len = (uint16_t)((second >> TX_L2_WORDS & 0x7f) * 2 + contexts[0].l2_len);
	f->l3_len = (uint16_t)((second >> TX_L3_DWORDS & 0x7f) * 4);
	f->l4_len = (uint16_t)((second >> TX_L4_DWORDS & 0xf) * 4);
	f->mss = contexts[0].mss;
	if ((second & TX_TAG) != 0) {
		f->flags |= FRAME_VLAN;
		f->vlan = (uint16_t)(second >> TX_TAG_AT);
	}
}

/* The NIC writes the whole descriptor at once; only the type means something. */
static inline void
done(uint8_t *desc)
{
	*(volatile quads *)(volatile void *)desc = (quads){ 0, TX_DONE };
}

/* TX_DUMMY marks packets for the filter engine, which are not sent. */
static const struct tx_format format = {
	.kind = TX_KIND,
	.data = TX_DATA,
	.context = TX_CONTEXT,
	.eop = TX_EOP,
	.report = TX_REPORT,
	.silent = TX_DUMMY,
	.offloads = TX_TAG | TX_OFFLOADS,
	.length_at = TX_BYTES,
	.length_mask = 0x3fff,
	.context_read = context_read,
	.offloads_read = offloads_read,
	.done = done,
};

uint16_t
xl710_tx_take(struct model *m, struct ring *r, struct frame *f, uint16_t max, uint16_t *descs)
{
	*descs = 0;
	if (r->data_queue < 0) { /* the ring carries filters, no traffic */
		*descs = xl710_filters_take(m, r);
		return 0;
	}
	return tx_take(&format, m, r, &xl710_state(m)->counts, f, max, descs);
}

void
xl710_tx_done(struct model *m, struct ring *r, uint16_t descs)
{
	struct xl710 *s = xl710_state(m);

	tx_done(&format, r, &s->counts, descs);
	if (s->tx_head[r->index] != NULL)
		__atomic_store_n(s->tx_head[r->index], r->head, __ATOMIC_RELEASE);
	if (among_rings(&s->tx_interrupts, r))
		queue_interrupt(m, atomic_load(&s->tx_vector[r->index]));
}

uint8_t *
xl710_buffer(const struct ring *r, uint16_t i, bool rx)
{
	return tx_buffer(&format, r, i, rx);
}

/* Interrupts of the XL710, vector 0, and events of its admin queue. Source: Intel XL710 datasheet
 * 7.5, 7.10. */

enum { COMMANDS_MAX = 0x3ff }; /* maximum size of a ring */

void
xl710_cause(struct model *m, uint32_t cause)
{
	model_reg_set(m, XL710_INT_CAUSE, model_reg(m, XL710_INT_CAUSE) | cause | 1);
	raise_vector(m, 0);
}

void
xl710_vector_control(struct model *m, unsigned vector, uint32_t value)
{
	const uint32_t enable = 1, software = 1 << 2, leave_enable = UINT32_C(1) << 31;
	struct xl710_vector *v = &xl710_state(m)->vector[vector];

	if ((value & leave_enable) == 0)
		atomic_store(&v->armed, (value & enable) != 0);
	if ((value & software) != 0 || atomic_load(&v->pending))
		raise_vector(m, vector);
}

void
xl710_queue_cause(struct model *m, unsigned queue, bool rx, uint32_t value)
{
	const uint32_t vector = value & 0xff, enable = UINT32_C(1) << 30;
	struct xl710 *s = xl710_state(m);

	if (queue >= MODEL_QUEUES_MAX)
		return;
	atomic_store(rx ? &s->rx_vector[queue] : &s->tx_vector[queue],
		(uint8_t)(vector < XL710_VECTORS ? vector : 0));
	xl710_ring_mark(rx ? &s->rx_interrupts : &s->tx_interrupts, queue,
		(value & enable) != 0 && vector < XL710_VECTORS);
}

struct command *
xl710_aq_ring(const struct model *m, uint32_t low, uint32_t high, uint32_t length, uint32_t *size)
{
	const uint32_t enabled = UINT32_C(1) << 31;
	uint64_t address = (uint64_t)model_reg(m, high) << 32 | model_reg(m, low);

	*size = model_reg(m, length) & COMMANDS_MAX;
	if ((model_reg(m, length) & enabled) == 0 || *size == 0)
		return NULL;
	return (struct command *)(uintptr_t)address;
}

bool
xl710_aq_event(struct model *m, const struct command *event)
{
	uint32_t size, head = model_reg(m, XL710_ARQ_HEAD), tail = model_reg(m, XL710_ARQ_TAIL);
	struct command *events =
		xl710_aq_ring(m, XL710_ARQ_LOW, XL710_ARQ_HIGH, XL710_ARQ_LEN, &size);

	/* If head and tail are equal the driver has provided no buffer. */
	if (events == NULL || head >= size || head == tail)
		return false;
	events[head] = *event;
	model_reg_set(m, XL710_ARQ_HEAD, head + 1 == size ? 0 : head + 1);
	xl710_cause(m, XL710_CAUSE_ADMIN);
	return true;
}
