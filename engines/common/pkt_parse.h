/* Parses packet headers: Ethernet, VLAN tags, IP, UDP/TCP/SCTP and one tunnel, never past the
 * packet's end. */
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
 * One IP layer and its payload. Offsets and lengths are in bytes; offsets are from the packet's
 * first byte.
 */
struct pkt_net {
	uint16_t l3_off;   /* the IP header, or where the search for one ended */
	uint16_t l4_off;   /* after the IP header with options or extension headers */
	uint16_t l4_bytes; /* from l4_off to the end by the headers' lengths; in the packet */
	uint8_t version;   /* 4 or 6; 0: no valid IP header, then l4_off is l3_off and the rest 0 */
	uint8_t proto;     /* IPPROTO_* of the payload at l4_off */
	/* length of a valid UDP, TCP or SCTP header; 0: none, or not usable (in a fragment) */
	uint8_t l4_len;
	bool fragment;
	bool plain; /* no extension headers, UDP length equal to IP's: hardware parses it alike */
};

struct pkt_layers {
	struct pkt_net outer; /* the layer around the tunnel; valid only with a tunnel */
	struct pkt_net inner; /* the layer inside the tunnel; without a tunnel the only one */
	uint64_t tunnel;      /* RTE_MBUF_F_TX_TUNNEL_*; 0: no tunnel */
	uint16_t gre_sum_off; /* offset of the checksum in a GRE header; 0: none */
};

/* Configurable UDP destination ports of tunnels, in host order. */
struct pkt_tunnel_ports {
	uint16_t vxlan_gpe, geneve;
};

/*
 * Parse the first IP layer into to->inner, without looking for a tunnel. Headers may span segments.
 * A header is valid if it is complete, has the right version, and its lengths end in the packet. Up
 * to 8 VLAN tags (0x8100, 0x88a8) and 8 IPv6 extension headers are skipped. l4_len is 0 for
 * fragments and for IPv6 source routes with segments left. Thread: any. Cannot fail. Source: RFC
 * 791, 8200, 768, 9293, 9260.
 */
void pkt_parse(struct pkt_layers *to, const struct rte_mbuf *m);

/* The end of the last header that was found: UDP, TCP or SCTP, else IP, else Ethernet. */
static inline uint32_t
pkt_parse_end(const struct pkt_layers *layers)
{
	return (uint32_t)layers->inner.l4_off + layers->inner.l4_len;
}

/*
 * An inline parser for the most usual packet: untagged Ethernet, unfragmented IPv4 without options,
 * UDP with a length equal to IP's, headers in the first segment. Fills in *net as pkt_parse() does
 * and returns true. Returns false for other packets, with *net unspecified; then use pkt_parse().
 * Thread: any.
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
 * Look for a tunnel in the layer from pkt_parse(): GTP-U, VXLAN-GPE, VXLAN, GENEVE by UDP
 * destination port, GRE (NVGRE), IP in IP. If there is one, that layer becomes to->outer, to->inner
 * is the tunnel's payload (version 0: not IP), and the result is true. Otherwise to is not changed.
 * Thread: any. Source: RFC 7348, draft-ietf-nvo3-vxlan-gpe, RFC 8926, 2784, 2890, 7637, 2003, 4213,
 * 3GPP TS 29.281.
 */
bool pkt_parse_tunnel(struct pkt_layers *to, const struct rte_mbuf *m,
	const struct pkt_tunnel_ports *ports);
