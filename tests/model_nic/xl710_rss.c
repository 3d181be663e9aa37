/* RSS of the XL710: packet class, input, Toeplitz hash, table. Source: Intel XL710 datasheet 7.1.8; rte_thash.h agrees on the hash. */
#include "xl710.h"

#include <string.h>

enum {
	ETHERTYPE_AT = 12,
	IPV4 = 0x0800,
	IPV6 = 0x86dd,
	VLAN = 0x8100,
	VLAN_OUTER = 0x88a8,
	PROTOCOL_TCP = 6,
	PROTOCOL_UDP = 17,
	PROTOCOL_SCTP = 132,
	PROTOCOL_FRAGMENT = 44,
};

/* Where the parts of the input are in the packet. */
struct input {
	unsigned class;                            /* bit in HENA */
	const uint8_t *address[2], *port[2], *tag; /* ports NULL: the class has none; tag: SCTP's */
	unsigned address_len;
};

/* Bits of GLQF_HASH_INSET: source and destination. */
static const uint64_t ipv4_bits[2] = { UINT64_C(0x0001800000000000), UINT64_C(0x0000001800000000) };
static const uint64_t ipv6_bits[2] = { UINT64_C(0x0007f80000000000), UINT64_C(0x000007f800000000) };
static const uint64_t port_bits[2] = { UINT64_C(0x0000000400000000), UINT64_C(0x0000000200000000) };
static const uint64_t tag_bits = UINT64_C(0x0000000180000000);

enum class {
	IPV4_FIRST = 29, /* UDP unicast, UDP multicast, UDP, TCP SYN, TCP */
	IPV4_SCTP = 34,
	IPV4_OTHER = 35,
	IPV4_FRAGMENT = 36,
	IPV6_FIRST = 39,
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
	const uint64_t ports = port_bits[0] | port_bits[1], ethertype = 0x4000;

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
	chosen_set(m, L2, ethertype);
}

static unsigned
word(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

/* The class of UDP; TCP's is 2 further on, SCTP's 3, that of all other protocols 4: for IPv4 and IPv6 alike. */
static bool
transport(struct input *in, const uint8_t *l4, const uint8_t *end, unsigned protocol, unsigned udp)
{
	enum { TCP = 2, SCTP = 3, OTHER = 4, PORTS_BYTES = 4, TAG_BYTES = 4 };

	in->class = udp + OTHER;
	if (protocol != PROTOCOL_UDP && protocol != PROTOCOL_TCP && protocol != PROTOCOL_SCTP)
		return true;
	in->port[0] = l4;
	in->port[1] = l4 + 2;
	in->class = udp + (protocol == PROTOCOL_TCP ? TCP : 0);
	if (protocol != PROTOCOL_SCTP)
		return l4 + PORTS_BYTES <= end;
	in->class = udp + SCTP;
	in->tag = l4 + PORTS_BYTES;
	return l4 + PORTS_BYTES + TAG_BYTES <= end;
}

static bool
ipv4(struct input *in, const uint8_t *l3, const uint8_t *end)
{
	enum { HEADER = 20, UDP = 31, FRAGMENT = 0x3fff };

	if (l3 + HEADER > end || l3[0] >> 4 != 4)
		return false;
	in->address[0] = l3 + 12;
	in->address[1] = l3 + 16;
	in->address_len = 4;
	in->class = IPV4_FRAGMENT;
	return (word(l3 + 6) & FRAGMENT) != 0 ||
		transport(in, l3 + (l3[0] & 15) * 4, end, l3[9], UDP);
}

static bool
ipv6(struct input *in, const uint8_t *l3, const uint8_t *end)
{
	enum { HEADER = 40, UDP = 41 };

	if (l3 + HEADER > end || l3[0] >> 4 != 6)
		return false;
	in->address[0] = l3 + 8;
	in->address[1] = l3 + 24;
	in->address_len = 16;
	in->class = IPV6_FRAGMENT;
	return l3[6] == PROTOCOL_FRAGMENT || transport(in, l3 + HEADER, end, l3[6], UDP);
}

static bool
input_find(struct input *in, const uint8_t *pkt, uint32_t len)
{
	const uint8_t *at = pkt + ETHERTYPE_AT, *end = pkt + len;

	memset(in, 0, sizeof(*in));
	while (at + 4 <= end && (word(at) == VLAN || word(at) == VLAN_OUTER))
		at += 4;
	if (at + 2 > end)
		return false;
	return word(at) == IPV4    ? ipv4(in, at + 2, end)
		: word(at) == IPV6 ? ipv6(in, at + 2, end)
				   : false;
}

/* What the driver chose of it for this class, most significant first. Returns bytes. */
static unsigned
input_copy(const struct model *m, const struct input *in, uint8_t *to)
{
	uint32_t at = XL710_HASH_INPUT + 8 * in->class;
	uint64_t chosen = model_reg(m, at) | (uint64_t)model_reg(m, at + 4) << 32;
	const uint64_t *address_bits = in->address_len == 4 ? ipv4_bits : ipv6_bits;
	unsigned n = 0;

	for (unsigned i = 0; i < 2; i++)
		if ((chosen & address_bits[i]) != 0) {
			memcpy(to + n, in->address[i], in->address_len);
			n += in->address_len;
		}
	for (unsigned i = 0; i < 2; i++)
		if (in->port[i] != NULL && (chosen & port_bits[i]) != 0) {
			memcpy(to + n, in->port[i], 2);
			n += 2;
		}
	if (in->tag != NULL && (chosen & tag_bits) != 0) {
		memcpy(to + n, in->tag, 4);
		n += 4;
	}
	return n;
}

/* The 32 bits of the key from bit i on. */
static uint32_t
key_window(const uint8_t *key, unsigned i)
{
	uint64_t v = 0;

	for (unsigned k = 0; k < 5; k++)
		v = v << 8 | key[i / 8 + k];
	return (uint32_t)(v >> (8 - i % 8));
}

static void
table_make(const struct model *m, struct xl710_hash *h)
{
	uint8_t key[4 * XL710_HKEY_WORDS];

	for (unsigned i = 0; i < XL710_HKEY_WORDS; i++) {
		uint32_t v = model_reg(m, XL710_HKEY + i * XL710_ARRAY);

		memcpy(key + 4 * (size_t)i, &v, 4);
	}
	for (unsigned i = 0; i < 2 * XL710_HASH_BYTES; i++)
		for (unsigned v = 0; v < 16; v++) {
			uint32_t sum = 0;

			for (unsigned bit = 0; bit < 4; bit++)
				if ((v & 8 >> bit) != 0)
					sum ^= key_window(key, 4 * i + bit);
			h->table[i][v] = sum;
		}
}

static uint32_t
toeplitz(const struct xl710_hash *h, const uint8_t *input, unsigned n)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum ^= h->table[2 * i][input[i] >> 4] ^ h->table[2 * i + 1][input[i] & 15];
	return sum;
}

uint16_t
xl710_rss(struct model *m, const uint8_t *pkt, uint32_t len, uint32_t *hash)
{
	const uint32_t table_512 = 1 << 16;
	struct xl710 *s = xl710_state(m);
	uint32_t generation = atomic_load(&m->rss_generation) + 1, entry, queue;
	uint64_t enabled = model_reg(m, XL710_HENA) |
		(uint64_t)model_reg(m, XL710_HENA + XL710_ARRAY) << 32;
	uint8_t input[XL710_HASH_BYTES];
	struct input in;

	*hash = 0;
	if (!input_find(&in, pkt, len) || (enabled >> in.class & 1) == 0)
		return 0;
	if (s->hash.generation != generation) {
		table_make(m, &s->hash);
		s->hash.generation = generation;
	}
	*hash = toeplitz(&s->hash, input, input_copy(m, &in, input));
	entry = *hash & ((model_reg(m, XL710_FILTER_CONTROL) & table_512) != 0 ? 511 : 127);
	queue = model_reg(m, XL710_HLUT + entry / 4 * XL710_ARRAY) >> entry % 4 * 8 & 0x3f;
	queue &= atomic_load(&s->rss_queues) - 1u;
	return (uint16_t)(queue < MODEL_DATA_QUEUES ? queue : 0);
}
