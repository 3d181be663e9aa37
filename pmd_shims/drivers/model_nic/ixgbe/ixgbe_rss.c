/* RSS of 82599 and X540: type of packet, Toeplitz hash, redirection table of 128 entries. Source:
 * Intel 82599 datasheet 7.1.2.8. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/ixgbe/ixgbe_priv.h"

#include <string.h>

/* Types of hash as in a descriptor, and the bits of MRQC that enable them. */
enum type { TYPE_NONE, IPV4_TCP, IPV4, IPV6_TCP, IPV6 = 5, IPV4_UDP = 7, IPV6_UDP };

enum {
	HASH_ON = 1, /* value of four bits; all others divide the queues among pools */
	IPV4_TCP_BIT = 1 << 16,
	IPV4_BIT = 1 << 17,
	IPV6_BIT = 1 << 20,
	IPV6_TCP_BIT = 1 << 21,
	IPV4_UDP_BIT = 1 << 22,
	IPV6_UDP_BIT = 1 << 23,
};

static enum type
type_of(uint32_t control, bool v4, bool tcp, bool udp)
{
	if ((control & 15) != HASH_ON)
		return TYPE_NONE;
	if (tcp && (control & (v4 ? IPV4_TCP_BIT : IPV6_TCP_BIT)) != 0)
		return v4 ? IPV4_TCP : IPV6_TCP;
	if (udp && (control & (v4 ? IPV4_UDP_BIT : IPV6_UDP_BIT)) != 0)
		return v4 ? IPV4_UDP : IPV6_UDP;
	if ((control & (v4 ? IPV4_BIT : IPV6_BIT)) != 0)
		return v4 ? IPV4 : IPV6;
	return TYPE_NONE;
}

void
ixgbe_hash_types(struct model *m)
{
	uint32_t control = model_reg(m, IXGBE_HASH_CONTROL);
	uint64_t types = 0;

	for (unsigned i = 0; i < 16; i++) {
		unsigned flags = i * FRAME_IPV4;

		if ((flags & (FRAME_IPV4 | FRAME_IPV6)) != 0)
			types |= (uint64_t)type_of(control, (flags & FRAME_IPV4) != 0,
					 (flags & FRAME_TCP) != 0, (flags & FRAME_UDP) != 0)
				<< 4 * i;
	}
	atomic_store(&ixgbe_state(m)->hash_types, types);
}

/* Copy the fields that a type of hash covers to to. Returns their bytes. */
static unsigned
input_copy(const struct packet_parts *p, enum type type, uint8_t *to)
{
	unsigned n = p->address_len;

	memcpy(to, p->address[0], n);
	memcpy(to + n, p->address[1], n);
	if (type == IPV4 || type == IPV6)
		return 2 * n;
	memcpy(to + 2 * (size_t)n, p->port[0], 4);
	return 2 * n + 4;
}

uint16_t
ixgbe_rss(struct model *m, const uint8_t *pkt, uint32_t len, uint32_t *hash)
{
	struct ixgbe *s = ixgbe_state(m);
	const struct toeplitz *toeplitz;
	uint32_t entry;
	uint8_t input[TOEPLITZ_BYTES];
	struct packet_parts parts;
	enum type type;
	bool ip = packet_parts_find(&parts, pkt, len);
	int filtered;

	*hash = 0;
	if (!ip)
		parts.address_len = 0; /* an incomplete IP header must not be used */
	filtered = ixgbe_filter(m, &parts, pkt, len);
	if (!ip)
		return filtered >= 0 ? (uint16_t)filtered : 0;
	type = type_of(model_reg(m, IXGBE_HASH_CONTROL), parts.address_len == 4,
		!parts.fragment && parts.protocol == PROTOCOL_TCP,
		!parts.fragment && parts.protocol == PROTOCOL_UDP);
	if (type == TYPE_NONE)
		return filtered >= 0 ? (uint16_t)filtered : 0;
	toeplitz = rss_toeplitz(m, &s->hash, IXGBE_KEY, IXGBE_KEY_WORDS, 4);
	*hash = toeplitz_hash(toeplitz, input, input_copy(&parts, type, input));
	if (filtered >= 0)
		return (uint16_t)filtered;
	entry = *hash % (4 * IXGBE_TABLE_WORDS);
	return model_reg(m, IXGBE_TABLE + (entry & ~3u)) >> entry % 4 * 8 & (MODEL_DATA_QUEUES - 1);
}
