/* Makes the headers of flows, and says where a packet's length is in them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/traffic/traffic_head.h"

#include "base/base.h"
#include "engines/measure/probe.h"
#include "engines/measure/traffic/traffic_range.h"
#include "engines/measure/traffic/traffic_raw.h"

#include <rte_arp.h>
#include <rte_byteorder.h>

#include <stddef.h>
#include <string.h>

#define SPORT_FIRST 49152 /* RFC 7348, section 5: the outer source port is of the flow */
#define ETHER_TYPE_FLOW_CONTROL 0x8808
#define BTH_BYTES 12
#define ARP_BYTES 28
#define PFC_BYTES 20 /* opcode, classes, eight times */

/* Values of a flow's fields. */

/*
 * A permutation of 0..n-1, by the key: a Feistel network over an even number of bits, repeated until
 * the result is below n.
 */
static uint64_t
permuted(uint64_t i, uint64_t n, uint64_t key)
{
	unsigned int half = 1;
	uint64_t mask;

	while (UINT64_C(1) << 2 * half < n)
		half++;
	mask = (UINT64_C(1) << half) - 1;
	do {
		uint64_t left = i >> half, right = i & mask;

		for (unsigned int round = 0; round < 4; round++) {
			const uint64_t next = left ^
				(traffic_mix(key + (right << 8 | round)) & mask);

			left = right;
			right = next;
		}
		i = left << half | right;
	} while (i >= n);
	return i;
}

/*
 * The values of a flow's five-tuple. Flows with equal counting fields differ in the random ones,
 * because these are a permutation of the flows' numbers.
 */
static void
tuple_values(const struct traffic *t, uint32_t flow, uint64_t value[TRAFFIC_FIELDS])
{
	const unsigned int last = traffic_has_ports(t) ? TRAFFIC_DPORT : TRAFFIC_DST;
	uint64_t rest = flow, random = 1, counting = 1, drawn, key;
	bool own[TRAFFIC_FIELDS] = { false };

	for (unsigned int f = TRAFFIC_SRC; t->together && f <= last; f++)
		value[f] = flow % t->range[f].count;
	if (t->together)
		return;
	for (unsigned int f = TRAFFIC_SRC; f <= last; f++) {
		const struct traffic_range *r = &t->range[f];

		if (!r->random) {
			value[f] = rest % r->count;
			rest /= r->count;
			counting = RTE_MIN(counting * r->count, TRAFFIC_COUNT_MAX);
		} else if (random < PROBE_FLOWS_MAX) {
			random *= r->count;
			own[f] = true;
		}
	}
	key = traffic_mix((uint64_t)t->seed << 32 | flow % counting);
	drawn = random > 1 ? permuted(rest % random, random, key) : 0;
	for (unsigned int f = TRAFFIC_SRC; f <= last; f++) {
		const struct traffic_range *r = &t->range[f];

		if (!r->random)
			continue;
		if (own[f]) {
			value[f] = drawn % r->count;
			drawn /= r->count;
		} else {
			value[f] = traffic_mix(key + ((uint64_t)f << 32) + flow) % r->count;
		}
	}
}

static void
values(const struct traffic *t, uint32_t flow, uint64_t value[TRAFFIC_FIELDS])
{
	tuple_values(t, flow, value);
	for (unsigned int f = TRAFFIC_DPORT + 1; f < TRAFFIC_FIELDS; f++) {
		const struct traffic_range *r = &t->range[f];

		if (r->count > 0)
			value[f] =
				(r->random ? traffic_mix((uint64_t)t->seed << 32 | f << 24 | flow)
					   : flow) %
				r->count;
	}
}

/* The value of a range of numbers that makes no flows. which: for random ones. */
static uint32_t
number_of(const struct traffic *t, const struct traffic_range *r, unsigned int which, uint32_t flow)
{
	const uint64_t i = r->random ? traffic_mix((uint64_t)t->seed << 32 | which << 24 | flow)
				     : flow;
	uint8_t wide[16];

	traffic_range_value(t, r, i % r->count, wide);
	return (uint32_t)wide[12] << 24 | (uint32_t)wide[13] << 16 | (uint32_t)wide[14] << 8 |
		wide[15];
}

/* Write the last n bytes of a field's value. */
static void
field_write(const struct traffic *t, unsigned int f, const uint64_t value[], uint8_t *at,
	unsigned int n)
{
	uint8_t wide[16];

	traffic_range_value(t, &t->range[f], value[f], wide);
	memcpy(at, wide + sizeof(wide) - n, n);
}

/* Headers. */

static uint8_t *
put16(uint8_t *at, unsigned int value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
	return at + 2;
}

/* Write the two addresses and the type, with the tags in between. */
static uint8_t *
ether_write(const struct traffic *t, const uint64_t value[], uint32_t flow,
	const struct rte_ether_addr *smac, const struct rte_ether_addr *dmac, bool outermost,
	unsigned int type, uint8_t *at)
{
	static const struct {
		enum traffic_field field;
		unsigned int type;
	} tags[] = { { TRAFFIC_QINQ, RTE_ETHER_TYPE_QINQ }, { TRAFFIC_VLAN, RTE_ETHER_TYPE_VLAN } };

	memcpy(at, dmac, 6);
	memcpy(at + 6, smac, 6);
	if (t->range[TRAFFIC_DMAC].count > 0)
		field_write(t, TRAFFIC_DMAC, value, at, 6);
	if (t->range[TRAFFIC_SMAC].count > 0)
		field_write(t, TRAFFIC_SMAC, value, at + 6, 6);
	at += 12;
	for (size_t i = 0; outermost && i < ARRAY_SIZE(tags); i++)
		if (t->range[tags[i].field].count > 0) {
			at = put16(at, tags[i].type);
			field_write(t, tags[i].field, value, at, 2);
			at += 2;
		}
	if (!outermost || t->n_labels == 0)
		return put16(at, type);
	at = put16(at, RTE_ETHER_TYPE_MPLS);
	for (unsigned int i = 0; i < t->n_labels; i++) {
		const uint32_t label = number_of(t, &t->labels[i], TRAFFIC_FIELDS + 1, flow);

		/* 20 bits, 3 of the traffic class, whether it is the last one, the TTL. */
		at = put16(at, label >> 4);
		at = put16(at, (label & 0xf) << 12 | (i + 1 == t->n_labels) << 8 | t->ttl);
	}
	return at;
}

static unsigned int
ip_type(bool ip6)
{
	return ip6 ? RTE_ETHER_TYPE_IPV6 : RTE_ETHER_TYPE_IPV4;
}

/*
 * Write an IP header without the length; its checksum's field has the sum of the others. Returns
 * where the next header begins; *pseudo: the sum of the pseudo header without the length.
 */
static uint8_t *
ip_write(const struct traffic *t, const uint64_t value[], unsigned int src, unsigned int dst,
	bool ip6, uint8_t proto, uint8_t *at, uint32_t *pseudo)
{
	const unsigned int n = ip6 ? 16 : 4, bytes = traffic_ip_bytes(ip6);
	uint8_t dscp[1] = { 0 }, ecn[1] = { 0 }, *addresses_at = at + bytes - 2 * n;
	uint16_t sum;

	if (t->range[TRAFFIC_DSCP].count > 0)
		field_write(t, TRAFFIC_DSCP, value, dscp, 1);
	if (t->range[TRAFFIC_ECN].count > 0)
		field_write(t, TRAFFIC_ECN, value, ecn, 1);
	memset(at, 0, bytes);
	if (ip6) {
		at[0] = (uint8_t)(6 << 4 | dscp[0] >> 2);
		at[1] = (uint8_t)(dscp[0] << 6 | ecn[0] << 4);
		at[6] = proto;
		at[7] = (uint8_t)t->ttl;
	} else {
		at[0] = RTE_IPV4_VHL_DEF;
		at[1] = (uint8_t)(dscp[0] << 2 | ecn[0]);
		at[8] = (uint8_t)t->ttl;
		at[9] = proto;
	}
	field_write(t, src, value, addresses_at, n);
	field_write(t, dst, value, addresses_at + n, n);
	*pseudo = rte_raw_cksum(addresses_at, 2 * n) + (uint32_t)rte_cpu_to_be_16(proto);
	if (!ip6) {
		sum = rte_raw_cksum(at, bytes);
		memcpy(at + offsetof(struct rte_ipv4_hdr, hdr_checksum), &sum, sizeof(sum));
	}
	return at + bytes;
}

static unsigned int
l4_bytes(const struct traffic *t)
{
	if (t->proto == IPPROTO_TCP)
		return sizeof(struct rte_tcp_hdr);
	return (unsigned int)sizeof(struct rte_udp_hdr) + (t->rocev2 ? BTH_BYTES : 0);
}

/*
 * Write the base transport header of InfiniBand: a send of one packet on a reliable connection. Its
 * packet sequence number is 0, and there is no invariant CRC, since the probe has its place.
 */
static void
bth_write(const struct traffic *t, uint8_t *at)
{
	at[0] = 0x04;
	put16(at + 2, UINT16_MAX); /* the default partition */
	at[5] = (uint8_t)(t->qp >> 16);
	put16(at + 6, t->qp & 0xffff);
}

/* Write the header of layer 4; its checksum's field has the sum without the length. */
static void
l4_write(const struct traffic *t, const uint64_t value[], uint32_t flow, uint32_t pseudo,
	uint8_t *at)
{
	const unsigned int bytes = l4_bytes(t);
	uint8_t *sum_at = at + 6;
	uint32_t sum;
	uint16_t folded;

	memset(at, 0, bytes);
	if (traffic_has_ports(t)) {
		field_write(t, TRAFFIC_SPORT, value, at, 2);
		field_write(t, TRAFFIC_DPORT, value, at + 2, 2);
	}
	if (t->rocev2)
		bth_write(t, at + sizeof(struct rte_udp_hdr));
	if (t->proto == IPPROTO_TCP) {
		at[12] = (uint8_t)(bytes / 4 << 4);
		at[13] = RTE_TCP_ACK_FLAG;
		put16(at + 14, UINT16_MAX);
		sum_at = at + 16;
	} else if (!traffic_has_ports(t)) {
		/* an echo request, of which the identifier is the flow's number */
		at[0] = t->proto == IPPROTO_ICMP ? 8 : 128;
		put16(at + 4, flow & 0xffff);
		sum_at = at + 2;
		if (t->proto == IPPROTO_ICMP)
			pseudo = 0;
	}
	sum = rte_raw_cksum(at, bytes) + pseudo;
	sum = (sum & 0xffff) + (sum >> 16);
	folded = (uint16_t)((sum & 0xffff) + (sum >> 16));
	memcpy(sum_at, &folded, sizeof(folded));
}

/* The tunnels: what transports them, and their own header. */

static uint8_t *
vxlan_write(const struct traffic *t, uint32_t id, uint8_t *at)
{
	*at = 0x08; /* the VNI is valid */
	at[4] = (uint8_t)(id >> 16);
	put16(at + 5, id & 0xffff);
	return at + 8;
}

static uint8_t *
gre_write(const struct traffic *t, uint32_t id, uint8_t *at)
{
	put16(at + 2, ip_type(t->ip6));
	return at + 4;
}

static uint8_t *
gtpu_write(const struct traffic *t, uint32_t id, uint8_t *at)
{
	at[0] = 0x30; /* version 1, GTP */
	at[1] = 0xff; /* a user's packet */
	put16(at + 4, id >> 16);
	put16(at + 6, id & 0xffff);
	return at + 8;
}

/* A routing header (RFC 8754); its list begins with the last segment. */
static uint8_t *
srv6_write(const struct traffic *t, uint32_t id, uint8_t *at)
{
	const unsigned int n = t->n_segments;

	at[0] = t->ip6 ? IPPROTO_IPV6 : IPPROTO_IPIP;
	at[1] = (uint8_t)(2 * n);
	at[2] = 4;
	at[3] = at[4] = (uint8_t)(n - 1);
	at += 8;
	for (unsigned int i = 0; i < n; i++, at += 16)
		memcpy(at, t->segments[n - 1 - i], 16);
	return at;
}

static const struct tunnel {
	uint8_t proto;        /* of the outer IP header */
	uint16_t port;        /* destination port of UDP; 0: no UDP */
	unsigned int bytes;   /* of its own header, without segments */
	bool ether;           /* it transports frames of Ethernet */
	unsigned int counted; /* where its own length is; 0: it has none */
	/* write its own header, which is zero, and return its end; id: VNI or TEID */
	uint8_t *(*write)(const struct traffic *t, uint32_t id, uint8_t *at);
} tunnels[TRAFFIC_TUNNELS] = {
	[TRAFFIC_VXLAN] = { IPPROTO_UDP, 4789, 8, true, 0, vxlan_write },
	[TRAFFIC_GRE] = { IPPROTO_GRE, 0, 4, false, 0, gre_write },
	[TRAFFIC_GTPU] = { IPPROTO_UDP, 2152, 8, false, 2, gtpu_write },
	[TRAFFIC_SRV6] = { IPPROTO_ROUTING, 0, 8, false, 0, srv6_write },
};

static unsigned int
udp_bytes(const struct tunnel *tunnel)
{
	return tunnel->port != 0 ? sizeof(struct rte_udp_hdr) : 0;
}

/* Where the outermost header behind Ethernet begins. */
static unsigned int
outer_at(const struct traffic *t)
{
	const unsigned int tags =
		(t->range[TRAFFIC_VLAN].count > 0) + (t->range[TRAFFIC_QINQ].count > 0);

	return (unsigned int)sizeof(struct rte_ether_hdr) + 4 * (tags + t->n_labels);
}

/* Where the header behind the innermost Ethernet begins. */
static unsigned int
inner_at(const struct traffic *t)
{
	const struct tunnel *tunnel = &tunnels[t->tunnel];

	if (t->tunnel == TRAFFIC_NO_TUNNEL)
		return outer_at(t);
	return outer_at(t) + traffic_ip_bytes(t->outer_ip6) + udp_bytes(tunnel) + tunnel->bytes +
		(t->tunnel == TRAFFIC_SRV6 ? 16 * t->n_segments : 0) +
		(tunnel->ether ? (unsigned int)sizeof(struct rte_ether_hdr) : 0);
}

unsigned int
traffic_head_bytes(const struct traffic *t)
{
	switch (t->kind) {
	case TRAFFIC_ARP: return inner_at(t) + ARP_BYTES;
	case TRAFFIC_PFC: return inner_at(t) + PFC_BYTES;
	case TRAFFIC_RAW: return t->n_raw;
	default: return inner_at(t) + traffic_ip_bytes(t->ip6) + l4_bytes(t);
	}
}

/* Write the headers of the tunnel behind the outermost Ethernet. Returns their end. */
static uint8_t *
tunnel_write(const struct traffic *t, const uint64_t value[], uint32_t flow, uint8_t *at)
{
	const struct tunnel *tunnel = &tunnels[t->tunnel];
	uint8_t *ip = at;
	uint32_t pseudo;

	at = ip_write(t, value, TRAFFIC_OUTER_SRC, TRAFFIC_OUTER_DST, t->outer_ip6, tunnel->proto,
		at, &pseudo);
	if (t->tunnel == TRAFFIC_SRV6)
		memcpy(ip + 24, t->segments[0], 16);
	if (tunnel->port != 0) {
		at = put16(at,
			(unsigned int)(SPORT_FIRST + traffic_mix(flow) % (65536 - SPORT_FIRST)));
		at = put16(at, tunnel->port);
		memset(at, 0, 4); /* the length; checksum 0: none (RFC 7348, RFC 6935) */
		at += 4;
	}
	memset(at, 0, tunnel->bytes);
	return tunnel->write(t,
		t->tunnel_id.count > 0 ? number_of(t, &t->tunnel_id, TRAFFIC_FIELDS, flow) : 0, at);
}

/* Write an ARP request for the flow's destination. */
static void
arp_write(const struct traffic *t, const uint64_t value[], const uint8_t *smac, uint8_t *at)
{
	memset(at, 0, ARP_BYTES);
	put16(at, RTE_ARP_HRD_ETHER);
	put16(at + 2, RTE_ETHER_TYPE_IPV4);
	at[4] = 6;
	at[5] = 4;
	put16(at + 6, RTE_ARP_OP_REQUEST);
	memcpy(at + 8, smac, 6);
	field_write(t, TRAFFIC_SRC, value, at + 14, 4);
	field_write(t, TRAFFIC_DST, value, at + 24, 4);
}

/* Write a pause of classes (IEEE 802.1Qbb). */
static void
pfc_write(const struct traffic *t, uint8_t *at)
{
	at = put16(at, 0x0101);
	at = put16(at, t->pfc_classes);
	for (unsigned int class = 0; class < 8; class ++)
		at = put16(at, (t->pfc_classes >> class & 1) != 0 ? t->pfc_quanta : 0);
}

void
traffic_head(const struct traffic *t, uint32_t flow, const struct rte_ether_addr *smac,
	const struct rte_ether_addr *dmac, uint8_t *head)
{
	static const struct rte_ether_addr pause = { { 0x01, 0x80, 0xc2, 0x00, 0x00, 0x01 } };
	uint64_t value[TRAFFIC_FIELDS] = { 0 };
	uint8_t *const frame = head;
	uint32_t pseudo;

	if (t->kind == TRAFFIC_RAW) {
		traffic_raw_head(t, flow, head);
		return;
	}
	values(t, flow, value);
	if (t->kind == TRAFFIC_ARP) {
		head = ether_write(t, value, flow, smac, dmac, true, RTE_ETHER_TYPE_ARP, head);
		arp_write(t, value, frame + 6, head);
		return;
	}
	if (t->kind == TRAFFIC_PFC) {
		pfc_write(t,
			ether_write(t, value, flow, smac, &pause, true, ETHER_TYPE_FLOW_CONTROL,
				head));
		return;
	}
	head = ether_write(t, value, flow, smac, dmac, true,
		ip_type(t->tunnel != TRAFFIC_NO_TUNNEL ? t->outer_ip6 : t->ip6), head);
	if (t->tunnel != TRAFFIC_NO_TUNNEL)
		head = tunnel_write(t, value, flow, head);
	if (tunnels[t->tunnel].ether)
		head = ether_write(t, value, flow, smac, dmac, false, ip_type(t->ip6), head);
	head = ip_write(t, value, TRAFFIC_SRC, TRAFFIC_DST, t->ip6, t->proto, head, &pseudo);
	l4_write(t, value, flow, pseudo, head);
}

/* The patch of an IP header that begins at. */
static struct traffic_patch
ip_patch(bool ip6, unsigned int at)
{
	if (ip6)
		return (struct traffic_patch){ .length_at = (uint16_t)(at + 4),
			.before = (uint16_t)(at + sizeof(struct rte_ipv6_hdr)) };
	return (struct traffic_patch){ .length_at = (uint16_t)(at + 2),
		.before = (uint16_t)at,
		.sum_at = (uint16_t)(at + offsetof(struct rte_ipv4_hdr, hdr_checksum)),
		.times = 1 };
}

unsigned int
traffic_patches(const struct traffic *t, struct traffic_patch *patches)
{
	const struct tunnel *tunnel = &tunnels[t->tunnel];
	unsigned int n = 0, at = outer_at(t);
	struct traffic_patch l4;

	if (t->kind == TRAFFIC_RAW)
		return traffic_raw_patches(t, patches);
	if (t->kind != TRAFFIC_IP)
		return 0;
	if (t->tunnel != TRAFFIC_NO_TUNNEL) {
		patches[n++] = ip_patch(t->outer_ip6, at);
		at += traffic_ip_bytes(t->outer_ip6);
		if (tunnel->port != 0)
			patches[n++] = (struct traffic_patch){ .length_at = (uint16_t)(at + 4),
				.before = (uint16_t)at };
		at += udp_bytes(tunnel);
		if (tunnel->counted != 0)
			patches[n++] = (struct traffic_patch){ .length_at = (uint16_t)(at +
								       tunnel->counted),
				.before = (uint16_t)(at + tunnel->bytes) };
	}
	at = inner_at(t);
	patches[n++] = ip_patch(t->ip6, at);
	at += traffic_ip_bytes(t->ip6);
	l4 = (struct traffic_patch){ .before = (uint16_t)at };
	switch (t->proto) {
	case IPPROTO_UDP:
		l4.length_at = (uint16_t)(at + 4);
		l4.sum_at = (uint16_t)(at + 6);
		l4.times = 2;
		l4.udp = true;
		break;
	case IPPROTO_TCP:
		l4.sum_at = (uint16_t)(at + 16);
		l4.times = 1;
		break;
	case IPPROTO_ICMPV6:
		l4.sum_at = (uint16_t)(at + 2);
		l4.times = 1;
		break;
	default: l4.sum_at = (uint16_t)(at + 2); break;
	}
	patches[n++] = l4;
	return n;
}
