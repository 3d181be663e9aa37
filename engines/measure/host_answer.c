/* What a port with addresses answers: ARP, neighbour solicitations, ICMP and ICMPv6 echo requests. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/host_answer.h"

#include "engines/common/answer.h"
#include "engines/common/pkt.h"

#include <rte_arp.h>

#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <string.h>

#define HOP_LIMIT_ECHO 64
#define HOP_LIMIT_ND 255 /* RFC 4861, section 7.1.1: so the sender is on the link */

/* Offsets in an IPv6 header. */
enum { IP6_LENGTH = 4, IP6_NEXT = 6, IP6_HOPS = 7, IP6_SRC = 8, IP6_DST = 24, IP6_BYTES = 40 };

/* The packet that is examined. */
struct request {
	struct rte_mbuf *m;
	uint8_t *frame;
	unsigned int n, l3;
	const struct hosts *hosts;
	uint16_t port;
	const struct rte_ether_addr *own; /* the port's, or that of the host which is asked for */
};

/* Find the host of an address, and take its MAC address. */
static bool
is_host(struct request *r, bool ip6, const uint8_t *bytes)
{
	const struct host_address *host = hosts_find(r->hosts, r->port, ip6, bytes);

	if (host != NULL && !rte_is_zero_ether_addr(&host->mac))
		r->own = &host->mac;
	return host != NULL;
}

/* Return whether the frame is for the MAC address of the host. Call is_host() before. */
static bool
to_own(const struct request *r)
{
	return memcmp(r->frame, r->own, RTE_ETHER_ADDR_LEN) == 0;
}

static bool
arp_answer(struct request *r)
{
	const struct rte_ether_hdr *ether = (const struct rte_ether_hdr *)r->frame;
	const struct rte_arp_hdr *arp = (const struct rte_arp_hdr *)(r->frame + r->l3);
	uint8_t asked[4], asker[4];

	if (r->n - r->l3 < sizeof(*arp))
		return false;
	memcpy(asked, &arp->arp_data.arp_tip, sizeof(asked));
	memcpy(asker, &arp->arp_data.arp_sip, sizeof(asker));
	/* Who announces an address asks nothing. */
	return memcmp(asked, asker, sizeof(asked)) != 0 && is_host(r, false, asked) &&
		(to_own(r) || rte_is_broadcast_ether_addr(&ether->dst_addr)) &&
		answer_made(answer_make(r->m, r->own));
}

static bool
ip4_answer(struct request *r)
{
	struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)(r->frame + r->l3);
	uint8_t to[4];
	unsigned int total;

	if (r->n - r->l3 < sizeof(*ip) || ip->version_ihl != RTE_IPV4_VHL_DEF)
		return false;
	total = rte_be_to_cpu_16(ip->total_length);
	memcpy(to, &ip->dst_addr, sizeof(to));
	if (total < sizeof(*ip) || total > r->n - r->l3 || ip->src_addr == 0 ||
		!is_host(r, false, to) || !to_own(r) ||
		rte_raw_cksum(ip, sizeof(*ip)) != UINT16_MAX ||
		rte_raw_cksum(ip + 1, total - sizeof(*ip)) != UINT16_MAX ||
		!answer_made(answer_make(r->m, r->own)))
		return false;
	ip->time_to_live = HOP_LIMIT_ECHO;
	ip->hdr_checksum = 0;
	ip->hdr_checksum = rte_ipv4_cksum(ip);
	return true;
}

/* Set the ICMPv6 checksum, whose pseudo header has the packet's addresses. */
static void
sum_set(uint8_t *ip, uint8_t *icmp)
{
	uint16_t sum;

	memset(icmp + 2, 0, 2);
	sum = rte_ipv6_udptcp_cksum((struct rte_ipv6_hdr *)ip, icmp);
	memcpy(icmp + 2, &sum, sizeof(sum));
}

/* Send the frame back to the one that sent it. */
static void
macs_return(const struct request *r)
{
	memcpy(r->frame, r->frame + RTE_ETHER_ADDR_LEN, RTE_ETHER_ADDR_LEN);
	memcpy(r->frame + RTE_ETHER_ADDR_LEN, r->own, RTE_ETHER_ADDR_LEN);
}

static bool
echo6_answer(struct request *r, uint8_t *ip, unsigned int payload)
{
	uint8_t *icmp = ip + IP6_BYTES, own[16];

	if (payload < 8 || icmp[1] != 0 || IN6_IS_ADDR_UNSPECIFIED(ip + IP6_SRC) ||
		!is_host(r, true, ip + IP6_DST) || !to_own(r))
		return false;
	memcpy(own, ip + IP6_DST, sizeof(own));
	memcpy(ip + IP6_DST, ip + IP6_SRC, sizeof(own));
	memcpy(ip + IP6_SRC, own, sizeof(own));
	ip[IP6_HOPS] = HOP_LIMIT_ECHO;
	icmp[0] = ICMP6_ECHO_REPLY;
	sum_set(ip, icmp);
	macs_return(r);
	return true;
}

/* Return whether a solicitation went to its target, or to the group of nodes with such an address. */
static bool
nd_reaches(const struct request *r, const uint8_t *ip, const uint8_t *target)
{
	static const uint8_t group[13] = { 0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff };
	const uint8_t *to = ip + IP6_DST;

	if (memcmp(to, target, 16) == 0)
		return to_own(r) && !IN6_IS_ADDR_UNSPECIFIED(ip + IP6_SRC);
	return memcmp(to, group, sizeof(group)) == 0 && memcmp(to + 13, target + 13, 3) == 0 &&
		(to_own(r) ||
			(r->frame[0] == 0x33 && r->frame[1] == 0x33 &&
				memcmp(r->frame + 2, to + 12, 4) == 0));
}

/*
 * Return whether the options of a solicitation are whole. Without a source address there must be none
 * with a link-layer address.
 */
static bool
nd_options(const uint8_t *at, unsigned int n, bool from_none)
{
	while (n > 0) {
		const unsigned int bytes = n >= 2 ? at[1] * 8u : 0;

		if (bytes == 0 || bytes > n || (from_none && at[0] == ND_OPT_SOURCE_LINKADDR))
			return false;
		at += bytes;
		n -= bytes;
	}
	return true;
}

static bool
nd_answer(struct request *r, uint8_t *ip, unsigned int payload)
{
	enum { FIXED = 24, ANSWER = FIXED + 8 };
	static const uint8_t all_nodes[16] = { 0xff, 2, [15] = 1 };
	static const uint8_t all_nodes_mac[] = { 0x33, 0x33, 0, 0, 0, 1 };
	uint8_t *icmp = ip + IP6_BYTES, *target = icmp + 8;
	const bool from_none = IN6_IS_ADDR_UNSPECIFIED(ip + IP6_SRC);
	const unsigned int bytes = r->l3 + IP6_BYTES + ANSWER;

	if (payload < FIXED || icmp[1] != 0 || ip[IP6_HOPS] != HOP_LIMIT_ND ||
		!is_host(r, true, target) || !nd_reaches(r, ip, target) ||
		!nd_options(icmp + FIXED, payload - FIXED, from_none))
		return false;
	memcpy(ip + IP6_DST, from_none ? all_nodes : ip + IP6_SRC, 16);
	memcpy(ip + IP6_SRC, target, 16);
	memcpy(ip + IP6_LENGTH, (uint8_t[]){ 0, ANSWER }, 2);
	icmp[0] = ND_NEIGHBOR_ADVERT;
	/* Flags: solicited, unless all nodes get it; override. */
	memcpy(icmp + 4, (uint8_t[]){ from_none ? 0x20 : 0x60, 0, 0, 0 }, 4);
	memcpy(icmp + FIXED, (uint8_t[]){ ND_OPT_TARGET_LINKADDR, 1 }, 2);
	memcpy(icmp + FIXED + 2, r->own, RTE_ETHER_ADDR_LEN);
	macs_return(r);
	if (from_none)
		memcpy(r->frame, all_nodes_mac, sizeof(all_nodes_mac));
	r->m->data_len = (uint16_t)bytes;
	r->m->pkt_len = bytes;
	sum_set(ip, icmp);
	return true;
}

static bool
ip6_answer(struct request *r)
{
	uint8_t *ip = r->frame + r->l3, *icmp = ip + IP6_BYTES;
	unsigned int payload;

	if (r->n - r->l3 < IP6_BYTES + 4 || ip[0] >> 4 != 6 || ip[IP6_NEXT] != IPPROTO_ICMPV6)
		return false;
	payload = pkt_get16(ip + IP6_LENGTH);
	if (payload < 4 || payload > r->n - r->l3 - IP6_BYTES || ip[IP6_SRC] == 0xff ||
		rte_is_multicast_ether_addr(
			(const struct rte_ether_addr *)(r->frame + RTE_ETHER_ADDR_LEN)) ||
		rte_ipv6_udptcp_cksum_verify((const struct rte_ipv6_hdr *)ip, icmp) != 0)
		return false;
	switch (icmp[0]) {
	case ICMP6_ECHO_REQUEST: return echo6_answer(r, ip, payload);
	case ND_NEIGHBOR_SOLICIT: return nd_answer(r, ip, payload);
	default: return false;
	}
}

bool
host_answer_make(struct rte_mbuf *m, const struct hosts *h, uint16_t port,
	const struct rte_ether_addr *own)
{
	struct request r = { .m = m,
		.frame = rte_pktmbuf_mtod(m, uint8_t *),
		.n = m->data_len,
		.hosts = h,
		.port = port,
		.own = own };
	uint16_t type;

	r.l3 = pkt_l3(r.frame, r.n, &type);
	if (r.l3 == 0)
		return false;
	switch (type) {
	case RTE_ETHER_TYPE_ARP: return arp_answer(&r);
	case RTE_ETHER_TYPE_IPV4: return ip4_answer(&r);
	case RTE_ETHER_TYPE_IPV6: return ip6_answer(&r);
	default: return false;
	}
}

bool
host_answer_may(struct rte_mbuf *m)
{
	struct pkt_head head;
	unsigned int l3;
	uint16_t type;

	pkt_head_open(&head, m);
	l3 = pkt_l3(head.bytes, head.n, &type);
	if (l3 == 0)
		return false;
	return type == RTE_ETHER_TYPE_ARP ||
		(type == RTE_ETHER_TYPE_IPV4 && head.n > l3 + 9 &&
			head.bytes[l3 + 9] == IPPROTO_ICMP) ||
		(type == RTE_ETHER_TYPE_IPV6 && head.n > l3 + IP6_NEXT &&
			head.bytes[l3 + IP6_NEXT] == IPPROTO_ICMPV6);
}
