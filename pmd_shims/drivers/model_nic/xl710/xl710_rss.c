/* RSS of the XL710: packet class, input, Toeplitz hash, redirection table. Source: Intel XL710
 * datasheet 7.1.8; rte_thash.h agrees on the hash. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/xl710/xl710_priv.h"

#include <string.h>

/* Bits of GLQF_HASH_INSET: source and destination. */
static const uint64_t ipv4_bits[2] = { UINT64_C(0x0001800000000000), UINT64_C(0x0000001800000000) };
static const uint64_t ipv6_bits[2] = { UINT64_C(0x0007f80000000000), UINT64_C(0x000007f800000000) };
static const uint64_t port_bits[2] = { UINT64_C(0x0000000400000000), UINT64_C(0x0000000200000000) };
static const uint64_t tag_bits = UINT64_C(0x0000000180000000);
static const uint64_t vlan_bits = UINT64_C(0x0080000000000000);
static const uint64_t ethertype_bits = 0x4000; /* the one after all VLAN tags */

enum class {
	IPV4_FIRST = 29, /* UDP unicast, UDP multicast, UDP, TCP SYN, TCP */
	IPV4_UDP = 31,
	IPV4_SCTP = 34,
	IPV4_OTHER = 35,
	IPV4_FRAGMENT = 36,
	IPV6_FIRST = 39,
	IPV6_UDP = 41,
	IPV6_SCTP = 44,
	IPV6_OTHER = 45,
	IPV6_FRAGMENT = 46,
	L2 = 63,
};

static void
chosen_set(struct model *m, unsigned class, uint64_t bits)
{
	model_reg_set(m, XL710_HASH_INPUT + 8 * class, (uint32_t)bits);
	model_reg_set(m, XL710_HASH_INPUT + 8 * class + 4, (uint32_t)(bits >> 32));
}

void
xl710_rss_reset(struct model *m)
{
	const uint64_t ipv4 = ipv4_bits[0] | ipv4_bits[1], ipv6 = ipv6_bits[0] | ipv6_bits[1];
	const uint64_t ports = port_bits[0] | port_bits[1];

	for (unsigned class = IPV4_FIRST; class < IPV4_SCTP; class ++)
		chosen_set(m, class, ipv4 | ports);
	chosen_set(m, IPV4_SCTP, ipv4 | ports | tag_bits);
	chosen_set(m, IPV4_OTHER, ipv4);
	chosen_set(m, IPV4_FRAGMENT, ipv4);
	for (unsigned class = IPV6_FIRST; class < IPV6_SCTP; class ++)
		chosen_set(m, class, ipv6 | ports);
	chosen_set(m, IPV6_SCTP, ipv6 | ports | tag_bits);
	chosen_set(m, IPV6_OTHER, ipv6);
	chosen_set(m, IPV6_FRAGMENT, ipv6);
	chosen_set(m, L2, ethertype_bits);
}

/*
 * The class of a packet, which is its bit in HENA. Relative to the class of UDP that of TCP is 2
 * higher, SCTP 3, all other protocols 4, fragments 5, for both IPv4 and IPv6.
 */
static unsigned
class_of(const struct packet_parts *p)
{
	unsigned udp = p->address_len == 4 ? IPV4_UDP : IPV6_UDP;

	if (p->address_len == 0)
		return L2;
	if (p->fragment)
		return udp + 5;
	switch (p->protocol) {
	case PROTOCOL_UDP: return udp;
	case PROTOCOL_TCP: return udp + 2;
	case PROTOCOL_SCTP: return udp + 3;
	default: return udp + 4;
	}
}

uint64_t
xl710_input_known(void)
{
	return ipv4_bits[0] | ipv4_bits[1] | ipv6_bits[0] | ipv6_bits[1] | port_bits[0] |
		port_bits[1] | tag_bits | vlan_bits | ethertype_bits;
}

unsigned
xl710_input_copy(const struct packet_parts *in, uint64_t chosen, bool answer, uint8_t *to)
{
	const uint64_t *address_bits = in->address_len == 4 ? ipv4_bits : ipv6_bits;
	unsigned n = 0;

	if ((chosen & vlan_bits) != 0) {
		to[n++] = (uint8_t)(in->tag_control >> 8);
		to[n++] = (uint8_t)in->tag_control;
	}
	for (unsigned i = 0; i < 2; i++)
		if (in->address_len != 0 && (chosen & address_bits[i]) != 0) {
			memcpy(to + n, in->address[i ^ answer], in->address_len);
			n += in->address_len;
		}
	for (unsigned i = 0; i < 2; i++)
		if (in->port[i] != NULL && (chosen & port_bits[i]) != 0) {
			memcpy(to + n, in->port[i ^ answer], 2);
			n += 2;
		}
	if (in->tag != NULL && (chosen & tag_bits) != 0) {
		memcpy(to + n, in->tag, 4);
		n += 4;
	}
	if (in->address_len == 0 && (chosen & ethertype_bits) != 0) {
		to[n++] = (uint8_t)(in->ethertype >> 8);
		to[n++] = (uint8_t)in->ethertype;
	}
	return n;
}

uint16_t
xl710_rss(struct model *m, const uint8_t *pkt, uint32_t len, uint32_t *hash)
{
	const uint32_t table_512 = 1 << 16;
	struct xl710 *s = xl710_state(m);
	const struct toeplitz *toeplitz;
	uint32_t entry, queue;
	uint64_t enabled = model_reg(m, XL710_HENA) |
		(uint64_t)model_reg(m, XL710_HENA + XL710_ARRAY) << 32;
	uint8_t input[XL710_INPUT_BYTES];
	struct packet_parts in;
	unsigned class;
	uint64_t chosen;
	int filtered;

	*hash = 0;
	if (!packet_parts_find(&in, pkt, len))
		in.address_len = 0; /* an incomplete IP header must not be used */
	class = class_of(&in);
	filtered = xl710_filter(m, &in, class, pkt);
	if (in.address_len == 0 || (enabled >> class & 1) == 0)
		return filtered >= 0 ? (uint16_t)filtered : 0;
	chosen = model_reg(m, XL710_HASH_INPUT + 8 * class) |
		(uint64_t)model_reg(m, XL710_HASH_INPUT + 8 * class + 4) << 32;
	toeplitz = rss_toeplitz(m, &s->hash, XL710_HKEY, XL710_HKEY_WORDS, XL710_ARRAY);
	*hash = toeplitz_hash(toeplitz, input, xl710_input_copy(&in, chosen, false, input));
	if (filtered >= 0)
		return (uint16_t)filtered;
	entry = *hash & ((model_reg(m, XL710_FILTER_CONTROL) & table_512) != 0 ? 511 : 127);
	queue = model_reg(m, XL710_HLUT + entry / 4 * XL710_ARRAY) >> entry % 4 * 8 & 0x3f;
	queue &= atomic_load(&s->rss_queues) - 1u;
	return (uint16_t)(queue < MODEL_DATA_QUEUES ? queue : 0);
}
