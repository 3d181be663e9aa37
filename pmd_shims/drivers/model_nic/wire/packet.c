/* Finds the parts of a packet that are used to choose a queue; Toeplitz hash. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/wire/packet.h"

#include <string.h>

enum {
	ETHERTYPE_AT = 12,
	IPV4 = 0x0800,
	IPV6 = 0x86dd,
	VLAN = 0x8100,
	VLAN_OUTER = 0x88a8,
	PROTOCOL_FRAGMENT = 44,
};

static unsigned
word(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static bool
transport(struct packet_parts *parts, const uint8_t *l4, const uint8_t *end)
{
	enum { PORTS_BYTES = 4, TAG_BYTES = 4 };

	if (parts->protocol != PROTOCOL_UDP && parts->protocol != PROTOCOL_TCP &&
		parts->protocol != PROTOCOL_SCTP)
		return true;
	parts->port[0] = l4;
	parts->port[1] = l4 + 2;
	if (parts->protocol != PROTOCOL_SCTP)
		return l4 + PORTS_BYTES <= end;
	parts->tag = l4 + PORTS_BYTES;
	return l4 + PORTS_BYTES + TAG_BYTES <= end;
}

static bool
ipv4(struct packet_parts *parts, const uint8_t *l3, const uint8_t *end)
{
	enum { HEADER = 20, FRAGMENT = 0x3fff };

	if (l3 + HEADER > end || l3[0] >> 4 != 4)
		return false;
	parts->address[0] = l3 + 12;
	parts->address[1] = l3 + 16;
	parts->address_len = 4;
	parts->protocol = l3[9];
	parts->fragment = (word(l3 + 6) & FRAGMENT) != 0;
	return parts->fragment || transport(parts, l3 + (l3[0] & 15) * 4, end);
}

static bool
ipv6(struct packet_parts *parts, const uint8_t *l3, const uint8_t *end)
{
	enum { HEADER = 40 };

	if (l3 + HEADER > end || l3[0] >> 4 != 6)
		return false;
	parts->address[0] = l3 + 8;
	parts->address[1] = l3 + 24;
	parts->address_len = 16;
	parts->protocol = l3[6];
	parts->fragment = l3[6] == PROTOCOL_FRAGMENT;
	return parts->fragment || transport(parts, l3 + HEADER, end);
}

bool
packet_parts_find(struct packet_parts *parts, const uint8_t *pkt, uint32_t len)
{
	const uint8_t *at = pkt + ETHERTYPE_AT, *end = pkt + len;

	memset(parts, 0, sizeof(*parts));
	while (at + 4 <= end && (word(at) == VLAN || word(at) == VLAN_OUTER))
		at += 4;
	if (at > pkt + ETHERTYPE_AT)
		parts->tag_control = word(pkt + ETHERTYPE_AT + 2);
	if (at + 2 > end)
		return false;
	parts->ethertype = word(at);
	return word(at) == IPV4    ? ipv4(parts, at + 2, end)
		: word(at) == IPV6 ? ipv6(parts, at + 2, end)
				   : false;
}

/* 32 bits of the key, from bit i on. */
static uint32_t
key_window(const uint8_t *key, unsigned i)
{
	uint64_t v = 0;

	for (unsigned k = 0; k < 5; k++)
		v = v << 8 | key[i / 8 + k];
	return (uint32_t)(v >> (8 - i % 8));
}

void
toeplitz_make(struct toeplitz *t, const uint8_t key[TOEPLITZ_KEY])
{
	for (unsigned i = 0; i < 2 * TOEPLITZ_BYTES; i++)
		for (unsigned v = 0; v < 16; v++) {
			uint32_t sum = 0;

			for (unsigned bit = 0; bit < 4; bit++)
				if ((v & 8 >> bit) != 0)
					sum ^= key_window(key, 4 * i + bit);
			t->table[i][v] = sum;
		}
}

uint32_t
toeplitz_hash(const struct toeplitz *t, const uint8_t *input, unsigned n)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum ^= t->table[2 * i][input[i] >> 4] ^ t->table[2 * i + 1][input[i] & 15];
	return sum;
}
