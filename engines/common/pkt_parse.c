/* Parses packet headers. Each is read only after its length was checked, so malformed packets are
 * harmless. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/pkt_parse.h"

#include <rte_branch_prediction.h>
#include <rte_byteorder.h>
#include <rte_ether.h>
#include <rte_geneve.h>
#include <rte_gtp.h>
#include <rte_ip.h>
#include <rte_sctp.h>
#include <rte_tcp.h>
#include <rte_udp.h>
#include <rte_vxlan.h>

#include <netinet/in.h>
#include <string.h>

#define VLAN_TAGS_MAX 8
#define IPV6_EXTENSIONS_MAX 8
#define GTP_EXTENSIONS_MAX 8
#define HEADERS_END_MAX 4096 /* headers beyond these bytes are ignored, so offsets fit uint16_t */
#define GTP_USER_DATA 0xff   /* message type that carries a packet */

#define GRE_CHECKSUM 0x8000
#define GRE_KEY 0x2000
#define GRE_SEQUENCE 0x1000
#define GRE_UNKNOWN \
	(0xffff & ~(GRE_CHECKSUM | GRE_KEY | GRE_SEQUENCE)) /* with these the layout differs */

struct gre_header {
	rte_be16_t flags, ethertype;
};

/* The first 8 bytes of the IPv6 extension headers that are skipped. */
struct ipv6_extension {
	uint8_t next, length; /* length: in units of 8 bytes, without the first 8 */
	union {
		/* fragment header: offset in units of 8 bytes, two bits, more fragments */
		rte_be16_t offset_more;
		struct {
			uint8_t routing_type, segments_left;
		};
	};
	uint8_t rest[4];
};

/* The slow path: copy bytes that are not all in the first segment, which also aligns them. */
static __rte_noinline const void *
far(const struct rte_mbuf *m, uint32_t off, uint32_t n, void *copy)
{
	const void *p = rte_pktmbuf_read(m, off, n, copy);

	return p == NULL || p == copy ? p : memcpy(copy, p, n);
}

/*
 * n bytes at off, in place or copied; NULL if they extend past end, which is in the packet.
 */
static inline const void *
at(const struct rte_mbuf *m, uint32_t off, uint32_t n, uint32_t end, void *copy)
{
	if (unlikely(off + n > end))
		return NULL;
	if (unlikely(off + n > m->data_len))
		return far(m, off, n, copy);
	return rte_pktmbuf_mtod_offset(m, const void *, off);
}

/* Parse the UDP, TCP or SCTP header of a layer whose other fields are set. */
static inline void
parse_l4(struct pkt_net *net, const struct rte_mbuf *m)
{
	uint32_t end = (uint32_t)net->l4_off + net->l4_bytes;

	if (net->proto == IPPROTO_UDP) {
		struct rte_udp_hdr copy;
		const struct rte_udp_hdr *udp = at(m, net->l4_off, sizeof(copy), end, &copy);
		uint16_t length = udp != NULL ? rte_be_to_cpu_16(udp->dgram_len) : 0;

		if (unlikely(length < sizeof(copy) || length > net->l4_bytes))
			return;
		if (unlikely(length < net->l4_bytes)) {
			net->plain = false;
			net->l4_bytes = length;
		}
		net->l4_len = sizeof(copy);
	} else if (net->proto == IPPROTO_TCP) {
		struct rte_tcp_hdr copy;
		const struct rte_tcp_hdr *tcp = at(m, net->l4_off, sizeof(copy), end, &copy);
		uint8_t length = tcp != NULL ? (tcp->data_off & 0xf0) >> 2 : 0;

		if (length >= sizeof(copy) && length <= net->l4_bytes)
			net->l4_len = length;
	} else if (net->proto == IPPROTO_SCTP) {
		if (net->l4_bytes >= sizeof(struct rte_sctp_hdr))
			net->l4_len = sizeof(struct rte_sctp_hdr);
	}
}

static inline void
parse_ipv4(struct pkt_net *net, const struct rte_mbuf *m, uint32_t end)
{
	struct rte_ipv4_hdr copy;
	const struct rte_ipv4_hdr *ip = at(m, net->l3_off, sizeof(copy), end, &copy);
	uint16_t length, total;

	if (unlikely(ip == NULL || ip->version_ihl >> 4 != 4))
		return;
	length = rte_ipv4_hdr_len(ip);
	total = rte_be_to_cpu_16(ip->total_length);
	if (unlikely(
		    length < sizeof(copy) || total < length || net->l3_off + (uint32_t)total > end))
		return;
	net->version = 4;
	net->proto = ip->next_proto_id;
	net->plain = true;
	net->l4_off = net->l3_off + length;
	net->l4_bytes = total - length;
	net->fragment = (ip->fragment_offset &
				RTE_BE16(RTE_IPV4_HDR_MF_FLAG | RTE_IPV4_HDR_OFFSET_MASK)) != 0;
	if (likely(!net->fragment))
		parse_l4(net, m);
}

/*
 * Skip the IPv6 extension headers at net->l4_off. Returns whether the checksum of the payload can
 * be verified here: not in a fragment, nor with a source route that has segments left (the checksum
 * is over the final destination address).
 */
static bool
pass_extensions(struct pkt_net *net, const struct rte_mbuf *m)
{
	uint32_t off = net->l4_off, end = off + net->l4_bytes;
	bool reachable = true;

	for (unsigned int i = 0; i < IPV6_EXTENSIONS_MAX; i++) {
		struct ipv6_extension copy;
		const struct ipv6_extension *extension;
		uint32_t length;
		bool fragment;

		if (net->proto != IPPROTO_HOPOPTS && net->proto != IPPROTO_ROUTING &&
			net->proto != IPPROTO_DSTOPTS && net->proto != IPPROTO_FRAGMENT)
			return reachable;
		extension = at(m, off, sizeof(copy), end, &copy);
		if (extension == NULL)
			return false;
		fragment = net->proto == IPPROTO_FRAGMENT;
		length = fragment ? sizeof(copy) : (extension->length + 1U) * 8;
		if (length > end - off)
			return false;
		if (net->proto == IPPROTO_ROUTING && extension->segments_left > 0)
			reachable = false;
		net->plain = false;
		net->proto = extension->next;
		off += length;
		net->l4_off = off;
		net->l4_bytes = end - off;
		/* An atomic fragment is a whole packet, RFC 6946. */
		net->fragment = fragment && (extension->offset_more & RTE_BE16(0xfff9)) != 0;
		if (net->fragment)
			return false;
	}
	return false;
}

static inline void
parse_ipv6(struct pkt_net *net, const struct rte_mbuf *m, uint32_t end)
{
	struct rte_ipv6_hdr copy;
	const struct rte_ipv6_hdr *ip = at(m, net->l3_off, sizeof(copy), end, &copy);
	uint16_t payload;

	if (unlikely(ip == NULL || (rte_be_to_cpu_32(ip->vtc_flow) >> 28) != 6))
		return;
	payload = rte_be_to_cpu_16(ip->payload_len);
	if (unlikely(net->l3_off + sizeof(copy) + payload > end))
		return;
	net->version = 6;
	net->proto = ip->proto;
	net->plain = true;
	net->l4_off = net->l3_off + sizeof(copy);
	net->l4_bytes = payload;
	if (likely(pass_extensions(net, m)))
		parse_l4(net, m);
}

/* Parse the layer at off, of the given ethertype, which ends before end. */
static inline void
parse_ip(struct pkt_net *net, const struct rte_mbuf *m, uint32_t off, uint32_t end,
	rte_be16_t ethertype)
{
	*net = (struct pkt_net){ .l3_off = off, .l4_off = off };
	if (likely(ethertype == RTE_BE16(RTE_ETHER_TYPE_IPV4)))
		parse_ipv4(net, m, end);
	else if (ethertype == RTE_BE16(RTE_ETHER_TYPE_IPV6))
		parse_ipv6(net, m, end);
}

/* Parse an Ethernet header and VLAN tags at off, and the layer after them. */
static inline void
parse_ethernet(struct pkt_net *net, const struct rte_mbuf *m, uint32_t off, uint32_t end)
{
	struct rte_ether_hdr copy;
	const struct rte_ether_hdr *ether = at(m, off, sizeof(copy), end, &copy);
	rte_be16_t ethertype = ether != NULL ? ether->ether_type : 0;
	unsigned int tags = 0;

	if (likely(ether != NULL))
		off += sizeof(copy);
	while (unlikely(ethertype == RTE_BE16(RTE_ETHER_TYPE_VLAN) ||
		ethertype == RTE_BE16(RTE_ETHER_TYPE_QINQ))) {
		struct rte_vlan_hdr vlan_copy;
		const struct rte_vlan_hdr *vlan = at(m, off, sizeof(vlan_copy), end, &vlan_copy);

		ethertype = vlan != NULL && tags++ < VLAN_TAGS_MAX ? vlan->eth_proto : 0;
		if (ethertype != 0)
			off += sizeof(vlan_copy);
	}
	parse_ip(net, m, off, end, ethertype);
}

void
pkt_parse(struct pkt_layers *to, const struct rte_mbuf *m)
{
	to->tunnel = 0;
	to->gre_sum_off = 0;
	parse_ethernet(&to->inner, m, 0, m->pkt_len);
}

/*
 * The result of parsing a tunnel header: offset and type of its payload; ethertype TEB means an
 * Ethernet frame.
 */
struct tunnel {
	uint64_t flag; /* RTE_MBUF_F_TX_TUNNEL_*; 0: not a tunnel */
	uint32_t off;
	rte_be16_t ethertype; /* 0: not parsed */
	uint16_t gre_sum_off;
};

/* The EtherType for the IP version in the byte at off; 0: none. */
static rte_be16_t
ip_type(const struct rte_mbuf *m, uint32_t off, uint32_t end)
{
	uint8_t copy;
	const uint8_t *first = at(m, off, 1, end, &copy);

	switch (first != NULL ? *first >> 4 : 0) {
	case 4: return RTE_BE16(RTE_ETHER_TYPE_IPV4);
	case 6: return RTE_BE16(RTE_ETHER_TYPE_IPV6);
	default: return 0;
	}
}

/*
 * Parse GTP-U with user data, skipping optional words and extension headers. Signalling messages
 * are not tunnels.
 */
static void
read_gtp(struct tunnel *tunnel, const struct rte_mbuf *m, uint32_t off, uint32_t end)
{
	struct rte_gtp_hdr copy;
	const struct rte_gtp_hdr *gtp = at(m, off, sizeof(copy), end, &copy);
	struct rte_gtp_hdr_ext_word word_copy;
	const struct rte_gtp_hdr_ext_word *word;
	bool options, extensions;
	uint8_t next;

	if (gtp == NULL || gtp->msg_type != GTP_USER_DATA)
		return;
	options = gtp->e || gtp->s || gtp->pn;
	extensions = gtp->e;
	off += sizeof(copy);
	if (options) {
		word = at(m, off, sizeof(word_copy), end, &word_copy);
		if (word == NULL)
			return;
		off += sizeof(word_copy);
		next = extensions ? word->next_ext : 0;
		for (unsigned int i = 0; next != 0; i++) {
			uint8_t byte_copy;
			const uint8_t *length = at(m, off, 1, end, &byte_copy), *type;
			uint32_t bytes = length != NULL ? *length * 4U : 0;

			type = bytes > 0 ? at(m, off + bytes - 1, 1, end, &byte_copy) : NULL;
			if (type == NULL || i == GTP_EXTENSIONS_MAX)
				return;
			next = *type;
			off += bytes;
		}
	}
	*tunnel = (struct tunnel){ RTE_MBUF_F_TX_TUNNEL_GTP, off, ip_type(m, off, end), 0 };
}

static void
read_vxlan_gpe(struct tunnel *tunnel, const struct rte_mbuf *m, uint32_t off, uint32_t end)
{
	static const rte_be16_t ethertypes[] = {
		RTE_BE16(RTE_ETHER_TYPE_IPV4), /* 0 is reserved; IPv4 as in testpmd */
		[RTE_VXLAN_GPE_TYPE_IPV4] = RTE_BE16(RTE_ETHER_TYPE_IPV4),
		[RTE_VXLAN_GPE_TYPE_IPV6] = RTE_BE16(RTE_ETHER_TYPE_IPV6),
		[RTE_VXLAN_GPE_TYPE_ETH] = RTE_BE16(RTE_ETHER_TYPE_TEB),
	};
	struct rte_vxlan_gpe_hdr copy;
	const struct rte_vxlan_gpe_hdr *gpe = at(m, off, sizeof(copy), end, &copy);

	if (gpe != NULL && gpe->proto < RTE_DIM(ethertypes))
		*tunnel = (struct tunnel){ RTE_MBUF_F_TX_TUNNEL_VXLAN_GPE, off + sizeof(copy),
			ethertypes[gpe->proto], 0 };
}

static void
read_vxlan(struct tunnel *tunnel, uint32_t off, uint32_t end)
{
	if (off + sizeof(struct rte_vxlan_hdr) <= end)
		*tunnel = (struct tunnel){ RTE_MBUF_F_TX_TUNNEL_VXLAN,
			off + sizeof(struct rte_vxlan_hdr), RTE_BE16(RTE_ETHER_TYPE_TEB), 0 };
}

static void
read_geneve(struct tunnel *tunnel, const struct rte_mbuf *m, uint32_t off, uint32_t end)
{
	struct rte_geneve_hdr copy;
	const struct rte_geneve_hdr *geneve = at(m, off, sizeof(copy), end, &copy);
	rte_be16_t ethertype;

	if (geneve == NULL)
		return;
	/* 0 means IPv4 too, as in testpmd. */
	ethertype = geneve->proto != 0 ? geneve->proto : RTE_BE16(RTE_ETHER_TYPE_IPV4);
	off += sizeof(copy) + geneve->opt_len * 4U;
	if (off > end ||
		(ethertype != RTE_BE16(RTE_ETHER_TYPE_IPV4) &&
			ethertype != RTE_BE16(RTE_ETHER_TYPE_IPV6) &&
			ethertype != RTE_BE16(RTE_ETHER_TYPE_TEB)))
		return;
	*tunnel = (struct tunnel){ RTE_MBUF_F_TX_TUNNEL_GENEVE, off, ethertype, 0 };
}

static void
read_gre(struct tunnel *tunnel, const struct rte_mbuf *m, uint32_t off, uint32_t end)
{
	struct gre_header copy;
	const struct gre_header *gre = at(m, off, sizeof(copy), end, &copy);
	uint16_t flags = gre != NULL ? rte_be_to_cpu_16(gre->flags) : GRE_UNKNOWN;
	uint32_t bytes = sizeof(copy);

	if ((flags & GRE_UNKNOWN) != 0)
		return;
	if (gre->ethertype != RTE_BE16(RTE_ETHER_TYPE_IPV4) &&
		gre->ethertype != RTE_BE16(RTE_ETHER_TYPE_IPV6) &&
		gre->ethertype != RTE_BE16(RTE_ETHER_TYPE_TEB))
		return;
	for (uint16_t bit = GRE_SEQUENCE; bit != 0; bit <<= 1)
		bytes += (flags & bit) != 0 ? 4 : 0;
	if (off + bytes <= end)
		*tunnel = (struct tunnel){ RTE_MBUF_F_TX_TUNNEL_GRE, off + bytes, gre->ethertype,
			(flags & GRE_CHECKSUM) != 0 ? off + sizeof(copy) : 0 };
}

static void
read_udp_tunnel(struct tunnel *tunnel, const struct rte_mbuf *m, uint32_t off, uint32_t end,
	const struct pkt_tunnel_ports *ports)
{
	struct rte_udp_hdr copy;
	const struct rte_udp_hdr *udp = at(m, off, sizeof(copy), end, &copy);
	uint16_t port = rte_be_to_cpu_16(udp->dst_port);

	off += sizeof(copy);
	if (port == RTE_GTPU_UDP_PORT)
		read_gtp(tunnel, m, off, end);
	else if (port == ports->vxlan_gpe)
		read_vxlan_gpe(tunnel, m, off, end);
	else if (port == RTE_VXLAN_DEFAULT_PORT)
		read_vxlan(tunnel, off, end);
	else if (port == ports->geneve)
		read_geneve(tunnel, m, off, end);
}

bool
pkt_parse_tunnel(struct pkt_layers *to, const struct rte_mbuf *m,
	const struct pkt_tunnel_ports *ports)
{
	const struct pkt_net *net = &to->inner;
	uint32_t off = net->l4_off, end = off + net->l4_bytes;
	struct tunnel tunnel = { 0 };

	if (net->version == 0 || net->fragment || to->tunnel != 0)
		return false;
	if (net->proto == IPPROTO_UDP && net->l4_len > 0)
		read_udp_tunnel(&tunnel, m, off, end, ports);
	else if (net->proto == IPPROTO_GRE)
		read_gre(&tunnel, m, off, end);
	else if ((net->proto == IPPROTO_IPIP || net->proto == IPPROTO_IPV6) &&
		ip_type(m, off, end) != 0)
		tunnel = (struct tunnel){ RTE_MBUF_F_TX_TUNNEL_IPIP, off, ip_type(m, off, end), 0 };
	if (tunnel.flag == 0 || tunnel.off > HEADERS_END_MAX)
		return false;
	to->outer = to->inner;
	to->tunnel = tunnel.flag;
	to->gre_sum_off = tunnel.gre_sum_off;
	if (tunnel.ethertype == RTE_BE16(RTE_ETHER_TYPE_TEB))
		parse_ethernet(&to->inner, m, tunnel.off, end);
	else
		parse_ip(&to->inner, m, tunnel.off, end, tunnel.ethertype);
	return true;
}
