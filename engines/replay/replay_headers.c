/* Finds the headers of captured packets, of which the end may be cut off, and replaces addresses. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/replay/replay_headers.h"

#include "engines/common/pkt.h"

#include <rte_arp.h>
#include <rte_icmp.h>
#include <rte_ip.h>
#include <rte_jhash.h>
#include <rte_tcp.h>
#include <rte_udp.h>

#include <netinet/in.h>
#include <stddef.h>
#include <string.h>

#define EXTENSIONS_MAX 8
#define ICMPV6_SUM_AT 2
#define DCCP_SUM_AT 6

static void
ip4_find(const uint8_t *p, uint32_t n, uint32_t at, struct replay_headers *h)
{
	const unsigned int bytes = n >= at + sizeof(struct rte_ipv4_hdr) ? (p[at] & 15) * 4u : 0;
	uint16_t fragment;

	if (bytes < sizeof(struct rte_ipv4_hdr) || p[at] >> 4 != 4)
		return;
	h->version = 4;
	h->src_at = (uint16_t)(at + offsetof(struct rte_ipv4_hdr, src_addr));
	h->dst_at = (uint16_t)(at + offsetof(struct rte_ipv4_hdr, dst_addr));
	h->sum_at = (uint16_t)(at + offsetof(struct rte_ipv4_hdr, hdr_checksum));
	h->proto = p[at + offsetof(struct rte_ipv4_hdr, next_proto_id)];
	fragment = pkt_get16(p + at + offsetof(struct rte_ipv4_hdr, fragment_offset));
	h->fragment = (fragment & (RTE_IPV4_HDR_MF_FLAG | RTE_IPV4_HDR_OFFSET_MASK)) != 0;
	if ((fragment & RTE_IPV4_HDR_OFFSET_MASK) == 0)
		h->l4_at = (uint16_t)(at + bytes);
}

/* Skip the extension headers of IPv6 at `at`. */
static void
extensions_skip(const uint8_t *p, uint32_t n, uint32_t at, struct replay_headers *h)
{
	for (unsigned int i = 0; i < EXTENSIONS_MAX; i++) {
		const uint8_t proto = h->proto;

		if (proto != IPPROTO_HOPOPTS && proto != IPPROTO_ROUTING &&
			proto != IPPROTO_DSTOPTS && proto != IPPROTO_FRAGMENT &&
			proto != IPPROTO_AH) {
			h->l4_at = (uint16_t)at;
			return;
		}
		if (n < at + 8)
			return;
		h->proto = p[at];
		if (proto == IPPROTO_ROUTING && p[at + 3] > 0)
			h->routed = true;
		if (proto == IPPROTO_FRAGMENT) {
			/* An atomic fragment is a whole packet, RFC 6946. */
			h->fragment |= (pkt_get16(p + at + 2) & 0xfff9) != 0;
			if ((pkt_get16(p + at + 2) & 0xfff8) != 0)
				return;
			at += 8;
		} else if (proto == IPPROTO_AH) {
			at += (p[at + 1] + 2u) * 4;
		} else {
			at += (p[at + 1] + 1u) * 8;
		}
		if (at > UINT16_MAX)
			return;
	}
}

static void
ip6_find(const uint8_t *p, uint32_t n, uint32_t at, struct replay_headers *h)
{
	if (n < at + sizeof(struct rte_ipv6_hdr) || p[at] >> 4 != 6)
		return;
	h->version = 6;
	h->src_at = (uint16_t)(at + offsetof(struct rte_ipv6_hdr, src_addr));
	h->dst_at = (uint16_t)(at + offsetof(struct rte_ipv6_hdr, dst_addr));
	h->proto = p[at + offsetof(struct rte_ipv6_hdr, proto)];
	extensions_skip(p, n, at + (uint32_t)sizeof(struct rte_ipv6_hdr), h);
}

static void
arp_find(const uint8_t *p, uint32_t n, uint32_t at, struct replay_headers *h)
{
	if (n < at + sizeof(struct rte_arp_hdr) || pkt_get16(p + at) != RTE_ARP_HRD_ETHER ||
		pkt_get16(p + at + 2) != RTE_ETHER_TYPE_IPV4 || p[at + 4] != 6 || p[at + 5] != 4)
		return;
	h->arp = true;
	h->src_at = (uint16_t)(at + offsetof(struct rte_arp_hdr, arp_data) +
		offsetof(struct rte_arp_ipv4, arp_sip));
	h->dst_at = (uint16_t)(at + offsetof(struct rte_arp_hdr, arp_data) +
		offsetof(struct rte_arp_ipv4, arp_tip));
}

void
replay_headers_find(const uint8_t *p, uint32_t n, struct replay_headers *h)
{
	uint16_t type = 0;
	const unsigned int at = pkt_l3(p, n, &type);

	*h = (struct replay_headers){ 0 };
	if (at == 0)
		return;
	h->tags = (uint8_t)RTE_MIN((at - RTE_ETHER_HDR_LEN) / 4, 255u);
	/* More tags than a packet can have: nothing in it is known. */
	if (at > 256)
		return;
	if (type == RTE_ETHER_TYPE_IPV4)
		ip4_find(p, n, at, h);
	else if (type == RTE_ETHER_TYPE_IPV6)
		ip6_find(p, n, at, h);
	else if (type == RTE_ETHER_TYPE_ARP)
		arp_find(p, n, at, h);
}

uint32_t
replay_headers_flow(const uint8_t *p, uint32_t n, const struct replay_headers *h)
{
	const uint32_t words = h->version == 6 ? 8 : 2; /* of two addresses */
	uint32_t ports = 0, addresses[8];

	if (h->version == 0)
		return 0;
	if (!h->fragment && h->l4_at != 0 && n >= h->l4_at + 4u &&
		(h->proto == IPPROTO_TCP || h->proto == IPPROTO_UDP || h->proto == IPPROTO_SCTP))
		memcpy(&ports, p + h->l4_at, sizeof(ports));
	memcpy(addresses, p + h->src_at, 4 * words);
	return rte_jhash_2words(ports, h->proto, rte_jhash_32b(addresses, words, 0));
}

/* The sum of bytes as 16-bit words in memory order, before carries are folded. */
static uint32_t
sum_of(const uint8_t *p, unsigned int n)
{
	uint32_t sum = 0;

	for (unsigned int i = 0; i < n; i += 2) {
		uint16_t word;

		memcpy(&word, p + i, sizeof(word));
		sum += word;
	}
	return sum;
}

/*
 * Correct a checksum, as bytes that it is over are replaced: old and new are their sums. Source: RFC
 * 1624, equation 3. optional: 0 means that there is none, so that 0xffff is sent in its place.
 */
static void
sum_correct(uint8_t *at, uint32_t old, uint32_t new, bool optional)
{
	uint16_t stored;
	uint64_t sum;

	memcpy(&stored, at, sizeof(stored));
	if (optional && stored == 0)
		return;
	/* 0xffff * 16 is a multiple of 0xffff, so that the difference is not negative. */
	sum = (uint64_t)(uint16_t)~stored + (UINT64_C(0xffff) * 16 - old) + new;
	while (sum >> 16 != 0)
		sum = (sum & 0xffff) + (sum >> 16);
	stored = (uint16_t)~sum;
	if (optional && stored == 0)
		stored = UINT16_MAX;
	memcpy(at, &stored, sizeof(stored));
}

/* Where the checksum of layer 4 is, which includes the addresses; 0: there is none. */
static uint32_t
l4_sum_at(const struct replay_headers *h)
{
	if (h->l4_at == 0)
		return 0;
	switch (h->proto) {
	case IPPROTO_TCP: return h->l4_at + (uint32_t)offsetof(struct rte_tcp_hdr, cksum);
	case IPPROTO_UDP:
	case IPPROTO_UDPLITE: return h->l4_at + (uint32_t)offsetof(struct rte_udp_hdr, dgram_cksum);
	case IPPROTO_DCCP: return h->l4_at + DCCP_SUM_AT;
	case IPPROTO_ICMPV6: return h->version == 6 ? h->l4_at + ICMPV6_SUM_AT : 0;
	default: return 0;
	}
}

/* Replace the first bits of an address. */
static void
prefix_put(uint8_t *address, const struct replay_prefix *prefix)
{
	const unsigned int whole = prefix->depth / 8, rest = prefix->depth % 8;

	memcpy(address, prefix->bytes, whole);
	if (rest > 0) {
		const uint8_t mask = (uint8_t)(0xff00 >> rest);

		address[whole] =
			(uint8_t)((address[whole] & ~mask) | (prefix->bytes[whole] & mask));
	}
}

void
replay_headers_rewrite(uint8_t *p, uint32_t n, const struct replay_headers *h,
	const struct replay_rewrite *r, const struct rte_ether_addr *smac,
	const struct rte_ether_addr *dmac)
{
	const struct replay_prefix *prefixes = h->version == 6 ? r->v6 : r->v4;
	const unsigned int address = h->version == 6 ? 16 : 4;
	const uint16_t ends[REPLAY_ENDS] = { h->src_at, h->dst_at };
	const uint32_t l4_sum = l4_sum_at(h);

	if (r->mac) {
		memcpy(p, dmac, RTE_ETHER_ADDR_LEN);
		memcpy(p + RTE_ETHER_ADDR_LEN, smac, RTE_ETHER_ADDR_LEN);
	}
	for (unsigned int end = 0; (h->version != 0 || h->arp) && end < REPLAY_ENDS; end++) {
		uint8_t *at = p + ends[end];
		const uint32_t old = sum_of(at, address);
		uint32_t new;

		prefix_put(at, &prefixes[end]);
		new = sum_of(at, address);
		if (old == new)
			continue;
		if (h->version == 4)
			sum_correct(p + h->sum_at, old, new, false);
		if (l4_sum != 0 && l4_sum + 2 <= n && !(end == REPLAY_DST && h->routed))
			sum_correct(p + l4_sum, old, new,
				h->proto == IPPROTO_UDP || h->proto == IPPROTO_UDPLITE);
	}
}
