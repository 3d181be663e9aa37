/* Makes the headers of flows, and says where a packet's length is in them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/traffic_head.h"

#include "base/base.h"
#include "engines/measure/probe.h"

#include <rte_byteorder.h>

#include <stddef.h>
#include <string.h>

#define VXLAN_PORT 4789
#define VXLAN_SPORT_FIRST 49152 /* RFC 7348, section 5: the outer source port is of the flow */

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

/* Write the last n bytes of a field's value. */
static void
field_write(const struct traffic *t, unsigned int f, const uint64_t value[], uint8_t *at,
	unsigned int n)
{
	uint8_t wide[16];

	memcpy(wide, t->range[f].first, sizeof(wide));
	traffic_wide_add(wide, value[f]);
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
ether_write(const struct traffic *t, const uint64_t value[], const struct rte_ether_addr *smac,
	const struct rte_ether_addr *dmac, bool outermost, bool ip6, uint8_t *at)
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
	return put16(at, ip6 ? RTE_ETHER_TYPE_IPV6 : RTE_ETHER_TYPE_IPV4);
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
	uint8_t dscp[1] = { 0 }, *addresses_at = at + bytes - 2 * n;
	uint16_t sum;

	if (t->range[TRAFFIC_DSCP].count > 0)
		field_write(t, TRAFFIC_DSCP, value, dscp, 1);
	memset(at, 0, bytes);
	if (ip6) {
		at[0] = (uint8_t)(6 << 4 | dscp[0] >> 2);
		at[1] = (uint8_t)(dscp[0] << 6);
		at[6] = proto;
		at[7] = (uint8_t)t->ttl;
	} else {
		at[0] = RTE_IPV4_VHL_DEF;
		at[1] = (uint8_t)(dscp[0] << 2);
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

/* Write the header of layer 4; its checksum's field has the sum without the length. */
static void
l4_write(const struct traffic *t, const uint64_t value[], uint32_t flow, uint32_t pseudo,
	uint8_t *at)
{
	const unsigned int bytes = traffic_l4_bytes(t);
	uint8_t *sum_at = at + 6;
	uint32_t sum;
	uint16_t folded;

	memset(at, 0, bytes);
	if (traffic_has_ports(t)) {
		field_write(t, TRAFFIC_SPORT, value, at, 2);
		field_write(t, TRAFFIC_DPORT, value, at + 2, 2);
	}
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

void
traffic_head(const struct traffic *t, uint32_t flow, const struct rte_ether_addr *smac,
	const struct rte_ether_addr *dmac, uint8_t *head)
{
	uint64_t value[TRAFFIC_FIELDS] = { 0 };
	uint32_t pseudo;

	values(t, flow, value);
	if (t->vxlan) {
		head = ether_write(t, value, smac, dmac, true, t->outer_ip6, head);
		head = ip_write(t, value, TRAFFIC_OUTER_SRC, TRAFFIC_OUTER_DST, t->outer_ip6,
			IPPROTO_UDP, head, &pseudo);
		head = put16(head,
			VXLAN_SPORT_FIRST + traffic_mix(flow) % (65536 - VXLAN_SPORT_FIRST));
		head = put16(head, VXLAN_PORT);
		memset(head, 0, 4); /* the length; checksum 0: none (RFC 7348, RFC 6935) */
		head += 4;
		*head++ = 0x08; /* the VNI is valid */
		memset(head, 0, 3);
		head += 3;
		*head++ = (uint8_t)(t->vni >> 16);
		head = put16(head, t->vni & 0xffff);
		*head++ = 0;
	}
	head = ether_write(t, value, smac, dmac, !t->vxlan, t->ip6, head);
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
	unsigned int n = 0, at = traffic_outer_bytes(t) + sizeof(struct rte_ether_hdr);
	struct traffic_patch l4;

	if (t->vxlan) {
		const unsigned int udp = traffic_outer_bytes(t) -
			(unsigned int)(sizeof(struct rte_udp_hdr) + sizeof(struct rte_vxlan_hdr));

		patches[n++] = ip_patch(t->outer_ip6, udp - traffic_ip_bytes(t->outer_ip6));
		patches[n++] = (struct traffic_patch){ .length_at = (uint16_t)(udp + 4),
			.before = (uint16_t)udp };
	}
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
