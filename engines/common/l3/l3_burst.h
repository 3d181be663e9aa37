/* A burst over one more hop: parse all, look all up, rewrite all, each pass using what the one
 * before brought into the cache. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/common/l3/l3_paths.h"
#include "engines/common/pkt.h"

#include <stdbool.h>
#include <stdint.h>

/* Why a packet goes no further. */
enum l3_drop {
	L3_FINE,
	L3_NO_ROUTE,
	L3_EXPIRED,
	/* neither IPv4 nor IPv6, lengths that lie, a wrong header checksum */
	L3_MALFORMED,
};

/* The packets of a burst that are of one family. */
struct l3_family {
	uint16_t n, place[BURST_MAX]; /* in the burst */
	/* their headers of layer 3; NULL: across segments, to be looked for once more */
	uint8_t *l3[BURST_MAX];
	uint64_t hop[BURST_MAX]; /* of l3_paths.next; 0: none */
};

/* Not cleared but for the two n. */
struct l3_burst {
	struct l3_family v4, v6;
	/* what is looked up: addresses, or five-tuples */
	union {
		uint32_t addr[BURST_MAX];
		struct l3_flow4 flow[BURST_MAX];
	} key4;
	union {
		uint8_t addr[BURST_MAX][16];
		struct l3_flow6 flow[BURST_MAX];
	} key6;
};

/* The checksum over an IPv4 header, itself included, is right. */
static __rte_always_inline bool
l3_sum4_right(const uint8_t *p, unsigned int head)
{
	uint32_t word[5];
	uint64_t sum = 0;

	if (unlikely(head > sizeof(word)))
		return rte_raw_cksum(p, head) == 0xffff;
	memcpy(word, p, sizeof(word));
	for (unsigned int i = 0; i < RTE_DIM(word); i++)
		sum += word[i];
	/* Folding is a remainder; 0 itself cannot be, as a header has a version. */
	return sum % UINT16_MAX == 0;
}

/*
 * The IPv4 header of head bytes may be relied on. there: bytes at p, head or more; room: bytes from
 * p to the packet's end.
 */
static __rte_always_inline bool
l3_sound4(const struct rte_mbuf *m, const uint8_t *p, unsigned int head, unsigned int room)
{
	uint64_t sum = m->ol_flags & RTE_MBUF_F_RX_IP_CKSUM_MASK;
	unsigned int all = pkt_get16(p + 2);

	if (all < head || all > room)
		return false;
	return sum == RTE_MBUF_F_RX_IP_CKSUM_GOOD ||
		(sum != RTE_MBUF_F_RX_IP_CKSUM_BAD && l3_sum4_right(p, head));
}

/*
 * Note where a sound packet wants to go: l4: its header of layer 4, NULL: none that tells ports. l3:
 * as in struct l3_family.
 */
static __rte_always_inline void
l3_burst_note4(struct l3_burst *b, const uint8_t *p, const uint8_t *l4, uint8_t *l3, uint16_t place,
	bool exact)
{
	const uint16_t i = b->v4.n++;

	b->v4.place[i] = place;
	b->v4.l3[i] = l3;
	if (exact) {
		struct l3_flow4 *flow = &b->key4.flow[i];

		memcpy(flow->src, p + 12, 8);
		memset(&flow->sport, 0, 4);
		if (l4 != NULL)
			memcpy(&flow->sport, l4, 4);
		flow->proto = p[9];
	} else {
		memcpy(&b->key4.addr[i], p + 16, 4);
		b->key4.addr[i] = rte_be_to_cpu_32(b->key4.addr[i]);
	}
}

static __rte_always_inline void
l3_burst_note6(struct l3_burst *b, const uint8_t *p, const uint8_t *l4, uint8_t *l3, uint16_t place,
	bool exact)
{
	const uint16_t i = b->v6.n++;

	b->v6.place[i] = place;
	b->v6.l3[i] = l3;
	if (exact) {
		struct l3_flow6 *flow = &b->key6.flow[i];

		memcpy(flow->src, p + 8, 32);
		memset(&flow->sport, 0, 4);
		if (l4 != NULL)
			memcpy(&flow->sport, l4, 4);
		flow->proto = p[6];
		flow->none = 0;
	} else {
		memcpy(b->key6.addr[i], p + 24, 16);
	}
}

/* Whether a protocol's first four bytes are its ports: TCP, UDP, SCTP. */
static __rte_always_inline bool
l3_has_ports(uint8_t proto)
{
	return proto == 6 || proto == 17 || proto == 132;
}

/* l3_burst_add() for all that a packet may be. */
enum l3_drop l3_burst_add_any(struct l3_burst *b, struct rte_mbuf *m, uint16_t place, bool exact);

/*
 * Note where the packet at that place of the burst wants to go. exact: by its five-tuple. Returns
 * why it cannot. Thread: any.
 */
static __rte_always_inline enum l3_drop
l3_burst_add(struct l3_burst *b, struct rte_mbuf *m, uint16_t place, bool exact)
{
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *), *p = frame + RTE_ETHER_HDR_LEN;
	uint16_t type;

	/* Nearly all: no tags, no options, the headers in one segment. */
	if (unlikely(m->data_len < RTE_ETHER_HDR_LEN + 24u))
		return l3_burst_add_any(b, m, place, exact);
	memcpy(&type, frame + 12, sizeof(type));
	if (likely(type == RTE_BE16(RTE_ETHER_TYPE_IPV4) && p[0] == RTE_IPV4_VHL_DEF)) {
		if (unlikely(!l3_sound4(m, p, 20, m->pkt_len - RTE_ETHER_HDR_LEN)))
			return L3_MALFORMED;
		if (unlikely(p[8] <= 1))
			return L3_EXPIRED;
		if (exact && (pkt_get16(p + 6) & RTE_IPV4_HDR_OFFSET_MASK) != 0)
			return l3_burst_add_any(b, m, place, exact);
		l3_burst_note4(b, p, l3_has_ports(p[9]) ? p + 20 : NULL, p, place, exact);
		return L3_FINE;
	}
	if (unlikely(type != RTE_BE16(RTE_ETHER_TYPE_IPV6) || p[0] >> 4 != 6 ||
		    m->data_len < RTE_ETHER_HDR_LEN + 44u ||
		    RTE_ETHER_HDR_LEN + 40u + pkt_get16(p + 4) > m->pkt_len || p[7] <= 1))
		return l3_burst_add_any(b, m, place, exact);
	l3_burst_note6(b, p, l3_has_ports(p[6]) ? p + 40 : NULL, p, place, exact);
	return L3_FINE;
}

/* Look all up. */
static __rte_always_inline void
l3_burst_lookup(struct l3_burst *b, const struct l3_tables *t)
{
	if (t->lookup == L3_EXACT) {
		if (b->v4.n > 0)
			l3_exact_v4(&t->exact, b->key4.flow, b->v4.hop, b->v4.n);
		if (b->v6.n > 0)
			l3_exact_v6(&t->exact, b->key6.flow, b->v6.hop, b->v6.n);
		return;
	}
	if (b->v4.n > 0)
		l3_tables_v4(t, b->key4.addr, b->v4.hop, b->v4.n);
	if (b->v6.n > 0)
		l3_tables_v6(t, b->key6.addr, b->v6.hop, b->v6.n);
}

/*
 * Over one more hop: frame[0..) with layer 3 at p was sound and had hops left when it was parsed.
 */
static __rte_always_inline void
l3_rewrite(uint8_t *frame, uint8_t *p, const struct l3_next *next, bool v6)
{
	uint32_t sum;
	uint16_t word;

	memcpy(frame, &next->macs, sizeof(next->macs));
	if (v6) {
		p[7]--;
		return;
	}
	/* RFC 1624, equation 3, for a word that becomes 0x0100 less. */
	p[8]--;
	memcpy(&word, p + 10, sizeof(word));
	sum = (uint32_t)word + RTE_BE16(0x0100);
	word = (uint16_t)(sum + (sum >= UINT16_MAX));
	memcpy(p + 10, &word, sizeof(word));
}

/* The same for a head across segments. */
void l3_rewrite_gathered(struct rte_mbuf *m, const struct l3_next *next, bool v6);

/* Send a packet of the burst on its way. l3: as in struct l3_family. */
static __rte_always_inline void
l3_send_on(struct rte_mbuf *m, uint8_t *l3, const struct l3_next *next, bool v6)
{
	if (likely(l3 != NULL))
		l3_rewrite(rte_pktmbuf_mtod(m, uint8_t *), l3, next, v6);
	else
		l3_rewrite_gathered(m, next, v6);
	pkt_mark(m, next->flags);
	if (unlikely(next->flags != 0)) {
		m->vlan_tci = next->end->vlan;
		m->vlan_tci_outer = next->end->vlan_outer;
	}
}
