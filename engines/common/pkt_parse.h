/* Parse packet headers: offsets of Ethernet, VLAN tags, IP, UDP/TCP/SCTP and one tunnel, never past
 * the packet's end. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_branch_prediction.h>
#include <rte_byteorder.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_mbuf.h>
#include <rte_udp.h>

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * One IP layer and what it carries. Offsets and lengths in bytes, offsets from the packet's first
 * byte.
 */
struct pkt_net {
	uint16_t l3_off;   /* the IP header, or where the search for one ended */
	uint16_t l4_off;   /* what follows that header and its options or extension headers */
	uint16_t l4_bytes; /* from l4_off to the end that the headers name; inside the packet */
	uint8_t version;   /* 4 or 6; 0: no sound IP header, then l4_off is l3_off and the rest 0 */
	uint8_t proto;     /* IPPROTO_*: what l4_off is */
	/* length of a sound UDP, TCP or SCTP header; 0: none, or out of reach (a fragment) */
	uint8_t l4_len;
	bool fragment;
	bool plain; /* no extension headers, UDP length as IP's: hardware reads it as we do */
};

struct pkt_layers {
	struct pkt_net outer; /* around the tunnel; only when there is one */
	struct pkt_net inner; /* the layer inside the tunnel; without a tunnel the only one */
	uint64_t tunnel;      /* RTE_MBUF_F_TX_TUNNEL_*; 0: no tunnel */
	uint16_t gre_sum_off; /* the checksum of a GRE header that has one; 0: none */
};

/* UDP destination ports of tunnels that the operator may move, in host order. */
struct pkt_tunnel_ports {
	uint16_t vxlan_gpe, geneve;
};

/*
 * Find the first IP layer: to->inner; no tunnel is looked for. Headers may lie across segments. A
 * header counts as sound when it is complete, names its own version, and names an end inside the
 * packet. Up to 8 VLAN tags (0x8100, 0x88a8) and 8 IPv6 extension headers are passed; fragments and
 * IPv6 packets on a source route with hops to go have no l4_len. Thread: any. Cannot fail. Source:
 * RFC 791, 8200, 768, 9293, 9260.
 */
void pkt_parse(struct pkt_layers *to, const struct rte_mbuf *m);

/*
 * The most usual packet alone, for loops that cannot afford a call: untagged Ethernet, IPv4 without
 * options, whole, UDP whose length is IP's, headers in the first segment. Fills *net as pkt_parse()
 * would and returns true; false: not such a packet, *net is unspecified, ask pkt_parse(). Thread:
 * any.
 */
static __rte_always_inline bool
pkt_parse_usual(struct pkt_net *net, const struct rte_mbuf *m)
{
	enum { L3 = sizeof(struct rte_ether_hdr), L4 = L3 + sizeof(struct rte_ipv4_hdr) };
	const struct rte_ether_hdr *ether = rte_pktmbuf_mtod(m, const struct rte_ether_hdr *);
	const struct rte_ipv4_hdr *ip = rte_pktmbuf_mtod_offset(m, const struct rte_ipv4_hdr *, L3);
	const struct rte_udp_hdr *udp = rte_pktmbuf_mtod_offset(m, const struct rte_udp_hdr *, L4);
	uint16_t total, bytes;

	if (unlikely(m->data_len < L4 + sizeof(*udp)) ||
		ether->ether_type != RTE_BE16(RTE_ETHER_TYPE_IPV4) ||
		ip->version_ihl != RTE_IPV4_VHL_DEF || ip->next_proto_id != IPPROTO_UDP ||
		(ip->fragment_offset & RTE_BE16(RTE_IPV4_HDR_MF_FLAG | RTE_IPV4_HDR_OFFSET_MASK)) !=
			0)
		return false;
	total = rte_be_to_cpu_16(ip->total_length);
	bytes = total - sizeof(*ip);
	if (unlikely(total < sizeof(*ip) + sizeof(*udp) || (uint32_t)L3 + total > m->pkt_len ||
		    udp->dgram_len != rte_cpu_to_be_16(bytes)))
		return false;
	*net = (struct pkt_net){
		.l3_off = L3,
		.l4_off = L4,
		.l4_bytes = bytes,
		.version = 4,
		.proto = IPPROTO_UDP,
		.l4_len = sizeof(*udp),
		.plain = true,
	};
	return true;
}

/*
 * Look for a tunnel in what pkt_parse() found: GTP-U, VXLAN-GPE, VXLAN, GENEVE by UDP destination
 * port, GRE (NVGRE), IP in IP. When there is one, the layer found so far becomes to->outer, and
 * to->inner is what the tunnel carries (version 0: no IP). Thread: any. Returns whether there is
 * one; to is as it was when not. Source: RFC 7348, draft-ietf-nvo3-vxlan-gpe, RFC 8926, 2784, 2890,
 * 7637, 2003, 4213, 3GPP TS 29.281.
 */
bool pkt_parse_tunnel(struct pkt_layers *to, const struct rte_mbuf *m,
	const struct pkt_tunnel_ports *ports);
