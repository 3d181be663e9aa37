/* Routes a burst: parse all packets, look up all, rewrite all. Each pass finds in the cache what
 * the previous one loaded. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/stat.h"
#include "engines/common/l3/l3_tables.h"
#include "engines/common/pkt.h"

#include <stdbool.h>
#include <stdint.h>

/* Why a packet is dropped. */
enum l3_drop {
	L3_FINE,
	L3_NO_ROUTE,
	L3_EXPIRED,
	/* not IP, bad length fields or a bad header checksum */
	L3_MALFORMED,
};

/* The packets of a burst that are IPv4, or those that are IPv6. */
struct l3_family {
	uint16_t n;
	uint16_t place[BURST_MAX]; /* index in the burst */
	/* IP headers; NULL: it spans segments, so it has to be gathered again */
	uint8_t *l3[BURST_MAX];
	uint64_t hop[BURST_MAX]; /* index in l3_paths.next; 0: no route */
};

/* Only the two members n have to be set to 0 before use. */
struct l3_burst {
	struct l3_family v4, v6;
	/* lookup keys: addresses or five-tuples */
	union {
		uint32_t addr[BURST_MAX];
		struct l3_flow4 flow[BURST_MAX];
	} key4;
	union {
		uint8_t addr[BURST_MAX][16];
		struct l3_flow6 flow[BURST_MAX];
	} key6;
};

/* Whether the checksum of an IPv4 header is right. */
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
	/* Folding equals a remainder; sum is not 0, because a header has a version. */
	return sum % UINT16_MAX == 0;
}

/*
 * Whether the IPv4 header of head bytes at p is valid. room: bytes from p to the packet's end.
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
 * Add the lookup key of a valid packet. p: IP header. l4: ports, NULL: none. l3: see struct
 * l3_family.
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

/* l3_burst_add() for any packet. */
enum l3_drop l3_burst_add_any(struct l3_burst *b, struct rte_mbuf *m, uint16_t place, bool exact);

/*
 * Check the packet at index place of the burst and add its lookup key. exact: five-tuple instead of
 * destination address. Returns L3_FINE or why it has to be dropped. Thread: any.
 */
static __rte_always_inline enum l3_drop
l3_burst_add(struct l3_burst *b, struct rte_mbuf *m, uint16_t place, bool exact)
{
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *), *p = frame + RTE_ETHER_HDR_LEN;
	uint16_t type;

	/* Nearly all packets: no tags, no options, headers in one segment. */
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

/* Look up all packets: set their hops. */
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
 * Rewrite a frame for its next hop: MAC addresses, TTL, checksum. It was valid, with a TTL above 1,
 * and has its IP header at p.
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
	/* RFC 1624, equation 3, for a word that decreases by 0x0100. */
	p[8]--;
	memcpy(&word, p + 10, sizeof(word));
	sum = (uint32_t)word + RTE_BE16(0x0100);
	word = (uint16_t)(sum + (sum >= UINT16_MAX));
	memcpy(p + 10, &word, sizeof(word));
}

/* l3_rewrite() for headers that span segments. */
void l3_rewrite_gathered(struct rte_mbuf *m, const struct l3_next *next, bool v6);

/* Rewrite a packet for its next hop and set its Tx flags. l3: see struct l3_family. */
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

/* Counter rows of engines that route packets. */

/* Dropped packets, in the order of enum l3_drop. */
#define L3_DROP_ROWS \
	{ .name = "no_route", \
		.label = "No-route", \
		.help = "packets dropped: no matching route", \
		.part = STAT_DROPPED }, \
		{ .name = "expired", \
			.label = "Expired", \
			.help = "packets dropped: TTL or hop limit exceeded", \
			.part = STAT_DROPPED }, \
	{ \
		.name = "malformed", .label = "Malformed", \
		.help = "packets dropped: not IP, bad length fields or bad header checksum", \
		.part = STAT_DROPPED \
	}

/* Dropped packets of engines whose lcores own the Tx queues that they use. */
#define L3_NO_TX_QUEUE_ROW \
	{ \
		.name = "no_tx_queue", .label = "No-TX-queue", \
		.help = "packets dropped because the lcore has no Tx queue on the route's port", \
		.part = STAT_DROPPED \
	}

/* Packets received and sent by different streams. */
#define L3_MOVE_ROWS \
	{ \
		.name = "routed_out", \
		.help = "packets received by this stream and routed to a port of another stream" \
	}, \
	{ \
		.name = "routed_in", \
		.help = "packets received by another stream and routed to this stream's port", \
		.part = STAT_MOVED \
	}
