/* Where the headers of a packet lie: Ethernet, VLAN tags, IP, UDP/TCP/SCTP and one tunnel; never past the packet's end. */
#pragma once

#include <rte_mbuf.h>

#include <stdbool.h>
#include <stdint.h>

/* One IP layer and what it carries. Offsets and lengths in bytes, offsets from the packet's first byte. */
struct pkt_net {
	uint16_t l3_off;   /* the IP header, or where the search for one ended */
	uint16_t l4_off;   /* what follows that header and its options or extension headers */
	uint16_t l4_bytes; /* from l4_off to the end that the headers name; inside the packet */
	uint8_t version;   /* 4 or 6; 0: no sound IP header, then l4_off is l3_off and the rest 0 */
	uint8_t proto;     /* IPPROTO_*: what l4_off is */
	uint8_t l4_len; /* length of a sound UDP, TCP or SCTP header; 0: none, or out of reach (a fragment) */
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
 * Find the first IP layer: to->inner; no tunnel is looked for. Headers may lie across segments.
 * A header counts as sound when it is complete, names its own version, and names an end inside the packet. Up to
 * 8 VLAN tags (0x8100, 0x88a8) and 8 IPv6 extension headers are passed; fragments and IPv6 packets on a source route
 * with hops to go have no l4_len. Thread: any. Cannot fail. Source: RFC 791, 8200, 768, 9293, 9260.
 */
void pkt_parse(struct pkt_layers *to, const struct rte_mbuf *m);

/*
 * Look for a tunnel in what pkt_parse() found: GTP-U, VXLAN-GPE, VXLAN, GENEVE by UDP destination port, GRE (NVGRE),
 * IP in IP. When there is one, the layer found so far becomes to->outer, and to->inner is what the tunnel carries
 * (version 0: no IP). Thread: any. Returns whether there is one; to is as it was when not.
 * Source: RFC 7348, draft-ietf-nvo3-vxlan-gpe, RFC 8926, 2784, 2890, 7637, 2003, 4213, 3GPP TS 29.281.
 */
bool pkt_parse_tunnel(struct pkt_layers *to, const struct rte_mbuf *m,
	const struct pkt_tunnel_ports *ports);
