/* Converts ARP and ICMP echo requests into their answers, in place. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/common/pkt.h"

#include <rte_arp.h>
#include <rte_ether.h>
#include <rte_mbuf.h>

#include <netinet/ip_icmp.h>
#include <stdbool.h>

/* What a packet was. The first two became answers; all others are unchanged. */
enum answer {
	ANSWER_ARP,
	ANSWER_ECHO,
	ANSWER_OTHER_TYPE, /* neither ARP nor IPv4 */
	ANSWER_OTHER_ARP,  /* no request for an IPv4 address on Ethernet */
	ANSWER_NOT_ECHO,   /* IPv4, but no ICMP echo request */
	ANSWER_FRAGMENT,
	ANSWER_BAD_SOURCE, /* a group address */
	ANSWER_MALFORMED,
	ANSWERS
};

/* Return whether the packet became an answer. */
static inline bool
answer_made(enum answer what)
{
	return what <= ANSWER_ECHO;
}

/*
 * Whether an IPv4 address, in network order, is a multicast address or 255.255.255.255.
 */
static inline bool
answer_is_group(rte_be32_t address)
{
	uint32_t a = rte_be_to_cpu_32(address);

	return a >> 28 == 0xe || a == UINT32_MAX;
}

/* Swap the MAC addresses. own: source if the destination was a group address. */
static inline void
answer_macs_return(struct rte_ether_hdr *ether, const struct rte_ether_addr *own)
{
	struct rte_ether_addr to = ether->src_addr;

	ether->src_addr = rte_is_multicast_ether_addr(&ether->dst_addr) ? *own : ether->dst_addr;
	ether->dst_addr = to;
}

/* Answer the ARP request at offset at in frame[0..n), for any address, as testpmd does. */
static inline enum answer
answer_arp(uint8_t *frame, unsigned int n, unsigned int at, const struct rte_ether_addr *own)
{
	struct rte_ether_hdr *ether = (struct rte_ether_hdr *)frame;
	struct rte_arp_hdr *arp = (struct rte_arp_hdr *)(frame + at);
	struct rte_arp_ipv4 *data = &arp->arp_data;
	rte_be32_t asked;

	if (n - at < sizeof(*arp))
		return ANSWER_MALFORMED;
	if (arp->arp_hardware != RTE_BE16(RTE_ARP_HRD_ETHER) ||
		arp->arp_protocol != RTE_BE16(RTE_ETHER_TYPE_IPV4) ||
		arp->arp_hlen != sizeof(data->arp_sha) || arp->arp_plen != sizeof(data->arp_sip) ||
		arp->arp_opcode != RTE_BE16(RTE_ARP_OP_REQUEST))
		return ANSWER_OTHER_ARP;
	if (rte_is_multicast_ether_addr(&ether->src_addr))
		return ANSWER_BAD_SOURCE;
	ether->dst_addr = ether->src_addr;
	ether->src_addr = *own;
	asked = data->arp_tip;
	arp->arp_opcode = RTE_BE16(RTE_ARP_OP_REPLY);
	data->arp_tha = data->arp_sha;
	data->arp_tip = data->arp_sip;
	data->arp_sha = *own;
	data->arp_sip = asked;
	return ANSWER_ARP;
}

/*
 * Update a checksum for a changed 16-bit word; wrong only if all words become 0. Source: RFC 1624,
 * equation 3.
 */
static inline rte_be16_t
answer_sum_replace(rte_be16_t sum, rte_be16_t from, rte_be16_t to)
{
	uint32_t x = (uint32_t)(uint16_t)~sum + (uint16_t)~from + to;

	x = (x & 0xffff) + (x >> 16);
	x = (x & 0xffff) + (x >> 16);
	return (rte_be16_t)~x;
}

/*
 * Swap the IP addresses. If the destination was a group address, the new source is an address next
 * to the requester's, as in testpmd.
 */
static inline void
answer_ips_return(struct rte_ipv4_hdr *ip)
{
	rte_be32_t to = ip->src_addr, from = ip->dst_addr;

	if (unlikely(answer_is_group(from))) {
		uint32_t asker = rte_be_to_cpu_32(to), net = asker & ~UINT32_C(3);
		rte_be32_t group = from;

		from = rte_cpu_to_be_32((asker & 3) == 1 ? net | 2 : net | 1);
		ip->hdr_checksum =
			answer_sum_replace(ip->hdr_checksum, (uint16_t)group, (uint16_t)from);
		ip->hdr_checksum = answer_sum_replace(ip->hdr_checksum, group >> 16, from >> 16);
	}
	ip->src_addr = from;
	ip->dst_addr = to;
}

/*
 * The checksum of the reply to an echo request with ICMP header icmp, whose bytes after the
 * checksum are rest bytes of m at offset at. It is computed incrementally, so it is correct only if
 * the request's was. A reply of only zeros is the one case that RFC 1624's formula gets wrong.
 */
static inline rte_be16_t
answer_reply_sum(const struct rte_icmp_hdr *icmp, const struct rte_mbuf *m, unsigned int at,
	unsigned int rest)
{
	rte_be16_t sum = answer_sum_replace(icmp->icmp_cksum, RTE_BE16(ICMP_ECHO << 8),
		RTE_BE16(ICMP_ECHOREPLY << 8));
	uint16_t raw;

	if (unlikely(sum == 0) && rte_raw_cksum_mbuf(m, at, rest, &raw) == 0 && raw == 0)
		sum = 0xffff;
	return sum;
}

/* Answer an echo request in IPv4 at offset at of frame[0..n), the first segment of m. */
static inline enum answer
answer_echo(struct rte_mbuf *m, uint8_t *frame, unsigned int n, unsigned int at,
	const struct rte_ether_addr *own)
{
	struct rte_ether_hdr *ether = (struct rte_ether_hdr *)frame;
	struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)(frame + at);
	struct rte_icmp_hdr *icmp;
	unsigned int head, total;

	if (n - at < sizeof(*ip))
		return ANSWER_MALFORMED;
	head = (ip->version_ihl & 0xfu) * 4;
	total = rte_be_to_cpu_16(ip->total_length);
	if (ip->version_ihl >> 4 != 4 || head < sizeof(*ip) || total < head ||
		at + total > m->pkt_len)
		return ANSWER_MALFORMED;
	if (ip->next_proto_id != IPPROTO_ICMP)
		return ANSWER_NOT_ECHO;
	if ((ip->fragment_offset & RTE_BE16(RTE_IPV4_HDR_MF_FLAG | RTE_IPV4_HDR_OFFSET_MASK)) != 0)
		return ANSWER_FRAGMENT;
	if (total < head + sizeof(*icmp) || n - at < head + sizeof(*icmp))
		return ANSWER_MALFORMED;
	icmp = (struct rte_icmp_hdr *)(frame + at + head);
	if (icmp->icmp_type != ICMP_ECHO || icmp->icmp_code != 0)
		return ANSWER_NOT_ECHO;
	if (answer_is_group(ip->src_addr) || rte_is_multicast_ether_addr(&ether->src_addr))
		return ANSWER_BAD_SOURCE;
	at += head + offsetof(struct rte_icmp_hdr, icmp_ident);
	total -= head + offsetof(struct rte_icmp_hdr, icmp_ident);
	icmp->icmp_cksum = answer_reply_sum(icmp, m, at, total);
	icmp->icmp_type = ICMP_ECHOREPLY;
	answer_ips_return(ip);
	answer_macs_return(ether, own);
	return ANSWER_ECHO;
}

/*
 * Convert a request for any IPv4 address into its answer in place, as testpmd does. Checksums are
 * changed incrementally and not checked. m: writable up to PKT_HEAD_MAX bytes, and in its whole first
 * segment. own: the port's address. Thread: any. Source: RFC 826, 792, 1624.
 */
static inline enum answer
answer_make(struct rte_mbuf *m, const struct rte_ether_addr *own)
{
	enum answer verdict;
	struct pkt_head head;
	unsigned int at;
	uint16_t type;

	pkt_head_open(&head, m);
	at = pkt_l3(head.bytes, head.n, &type);
	if (unlikely(at == 0))
		return ANSWER_MALFORMED;
	if (likely(type == RTE_ETHER_TYPE_IPV4))
		verdict = answer_echo(m, head.bytes, head.n, at, own);
	else if (type == RTE_ETHER_TYPE_ARP)
		verdict = answer_arp(head.bytes, head.n, at, own);
	else
		verdict = ANSWER_OTHER_TYPE;
	if (answer_made(verdict))
		pkt_head_close(&head, m);
	return verdict;
}
