/* Headers of captured packets: found in whole and in cut packets; addresses replaced with right
 * checksums. Each packet lies in its own piece of heap. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/replay/replay_headers.h"

#include "base/base.h"
#include "base/err.h"
#include "engines/common/pkt.h"
#include "fixtures/unit.h"

#include <rte_ip.h>
#include <rte_tcp.h>
#include <rte_udp.h>

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256 };

static const struct rte_ether_addr smac = { { 2, 0, 0, 0, 0, 1 } }, dmac = { { 2, 0, 0, 0, 0, 2 } };

struct packet {
	uint8_t bytes[MOST];
	uint32_t n;
};

static void
add(struct packet *p, const void *bytes, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		p->bytes[p->n++] = bytes != NULL ? ((const uint8_t *)bytes)[i] : (uint8_t)rand();
}

/* Ethernet with tags of VLANs, IP with random addresses, layer 4 with payload, checksums right. */
static struct packet
make(unsigned int tags, bool v6, uint8_t proto, unsigned int payload)
{
	static const uint8_t vlan[] = { 0x81, 0 };
	const uint8_t type[] = { v6 ? 0x86 : 0x08, v6 ? 0xdd : 0 };
	const unsigned int l4 = proto == IPPROTO_TCP ? sizeof(struct rte_tcp_hdr)
						     : sizeof(struct rte_udp_hdr);
	struct packet p = { 0 };
	uint32_t l3, at;
	uint16_t sum;

	add(&p, NULL, 12);
	for (unsigned int i = 0; i < tags; i++) {
		add(&p, vlan, 2);
		add(&p, NULL, 2);
	}
	add(&p, type, 2);
	l3 = p.n;
	if (v6) {
		struct rte_ipv6_hdr ip = { .vtc_flow = RTE_BE32(0x60000000),
			.payload_len = rte_cpu_to_be_16((uint16_t)(l4 + payload)),
			.proto = proto,
			.hop_limits = 9 };

		add(&p, &ip, sizeof(ip));
		for (at = l3 + 8; at < p.n; at++)
			p.bytes[at] = (uint8_t)rand();
	} else {
		struct rte_ipv4_hdr ip = { .version_ihl = RTE_IPV4_VHL_DEF,
			.total_length = rte_cpu_to_be_16((uint16_t)(sizeof(ip) + l4 + payload)),
			.time_to_live = 9,
			.next_proto_id = proto,
			.src_addr = (uint32_t)rand(),
			.dst_addr = (uint32_t)rand() };

		ip.hdr_checksum = rte_ipv4_cksum(&ip);
		add(&p, &ip, sizeof(ip));
	}
	at = p.n;
	add(&p, NULL, l4 + payload);
	if (proto == IPPROTO_UDP)
		p.bytes[at + 4] = 0, p.bytes[at + 5] = (uint8_t)(l4 + payload);
	at += proto == IPPROTO_TCP ? 16 : proto == IPPROTO_UDP ? 6 : 2;
	p.bytes[at] = p.bytes[at + 1] = 0;
	sum = v6 ? rte_ipv6_udptcp_cksum((void *)(p.bytes + l3), p.bytes + l3 + 40)
		 : rte_ipv4_udptcp_cksum((void *)(p.bytes + l3), p.bytes + l3 + 20);
	memcpy(p.bytes + at, &sum, sizeof(sum));
	return p;
}

static bool
right(const struct packet *p, unsigned int tags, bool v6)
{
	const void *l3 = p->bytes + 14 + 4 * tags;
	const struct rte_ipv4_hdr *ip = l3;

	return v6 ? rte_ipv6_udptcp_cksum_verify(l3, (const uint8_t *)l3 + 40) == 0
		  : rte_raw_cksum(ip, sizeof(*ip)) == 0xffff &&
			rte_ipv4_udptcp_cksum_verify(l3, (const uint8_t *)l3 + 20) == 0;
}

static void
rewrite(struct packet *p, const struct replay_rewrite *r)
{
	uint8_t *piece = malloc(p->n);
	struct replay_headers h;

	assert_non_null(piece);
	memcpy(piece, p->bytes, p->n);
	replay_headers_find(piece, p->n, &h);
	replay_headers_rewrite(piece, p->n, &h, r, &smac, &dmac);
	memcpy(p->bytes, piece, p->n);
	free(piece);
}

/* A random prefix of any depth, for each end. */
static void
prefix_draw(struct replay_prefix *p, unsigned int bits)
{
	p->depth = (uint8_t)((unsigned int)rand() % (bits + 1));
	for (unsigned int i = 0; i < 16; i++)
		p->bytes[i] = (uint8_t)(i * 8 + 8 <= p->depth ? rand()
				: i * 8 < p->depth            ? rand() & 0xff00 >> p->depth % 8
							      : 0);
}

static unsigned int
bit(const uint8_t *bytes, unsigned int i)
{
	return bytes[i / 8] >> (7 - i % 8) & 1;
}

/* The first bits are the prefix, the others stay; so does everything else but the checksums. */
TEST(prefixes)
{
	static const uint8_t protos[] = { IPPROTO_TCP, IPPROTO_UDP, IPPROTO_ICMPV6 };

	for (unsigned int i = 0; i < 100000; i++) {
		const unsigned int tags = i % 3;
		const bool v6 = i % 2;
		const uint8_t proto = protos[(unsigned int)rand() % (v6 ? 3 : 2)];
		struct packet p = make(tags, v6, proto, i % 50), before = p;
		const unsigned int bytes = v6 ? 16 : 4, at = 14 + 4 * tags + (v6 ? 8 : 12);
		struct replay_rewrite r = { .mac = i % 5 == 0 };

		assert_true(right(&p, tags, v6));
		for (unsigned int end = 0; end < REPLAY_ENDS; end++) {
			prefix_draw(&r.v4[end], 32);
			prefix_draw(&r.v6[end], 128);
		}
		rewrite(&p, &r);
		assert_true(right(&p, tags, v6));
		for (unsigned int end = 0; end < REPLAY_ENDS; end++) {
			const struct replay_prefix *prefix = v6 ? &r.v6[end] : &r.v4[end];
			const uint8_t *address = p.bytes + at + end * bytes;
			uint8_t *old = before.bytes + at + end * bytes;

			for (unsigned int k = 0; k < 8 * bytes; k++)
				assert_int_equal(bit(address, k),
					bit(k < prefix->depth ? prefix->bytes : old, k));
			memcpy(old, address, bytes);
		}
		if (r.mac) {
			assert_memory_equal(p.bytes, &dmac, 6);
			assert_memory_equal(p.bytes + 6, &smac, 6);
			memcpy(before.bytes, p.bytes, 12);
		}
		if (!v6)
			memcpy(before.bytes + at - 2, p.bytes + at - 2, 2);
		memcpy(before.bytes + at + 2 * bytes, p.bytes + at + 2 * bytes, 20);
		assert_memory_equal(p.bytes, before.bytes, p.n);
	}
}

/*
 * A UDP checksum of 0 means none over IPv4, and stays; it is never the result, which 0xffff is in its
 * place: one of all values of 16 bits of the address leads there.
 */
TEST(udp_zero)
{
	const struct packet with = make(0, false, IPPROTO_UDP, 4);
	struct replay_rewrite r = { .v4 = { [REPLAY_SRC] = { .depth = 16 } } };
	unsigned int all_ones = 0;

	for (unsigned int i = 0; i <= UINT16_MAX; i++) {
		struct packet p = with, without = with;

		r.v4[REPLAY_SRC].bytes[0] = (uint8_t)(i >> 8);
		r.v4[REPLAY_SRC].bytes[1] = (uint8_t)i;
		rewrite(&p, &r);
		assert_int_not_equal(pkt_get16(p.bytes + 40), 0);
		all_ones += pkt_get16(p.bytes + 40) == 0xffff;
		without.bytes[40] = without.bytes[41] = 0;
		rewrite(&without, &r);
		assert_int_equal(pkt_get16(without.bytes + 40), 0);
	}
	assert_in_range(all_ones, 1, 2);
}

/* A wrong checksum stays wrong. */
TEST(wrong_sum)
{
	const struct replay_rewrite r = { .v4 = { { { 99 }, 8 }, { { 98 }, 8 } } };

	for (unsigned int i = 0; i < 1000; i++) {
		struct packet p = make(0, false, IPPROTO_TCP, 9);

		p.bytes[14 + 20 + 16] ^= 1;
		rewrite(&p, &r);
		assert_false(right(&p, 0, false));
	}
}

/* Of packets that end anywhere, and of random bytes, nothing beyond the end is read or written. */
TEST(cut)
{
	const struct replay_rewrite r = { .mac = true,
		.v4 = { { { 9 }, 30 }, { { 8 }, 30 } },
		.v6 = { { { 9 }, 99 }, { { 8 }, 99 } } };

	for (unsigned int i = 0; i < 300000; i++) {
		struct packet p = make(i % 3, i % 2, i % 5 == 0 ? IPPROTO_TCP : IPPROTO_UDP, 9);
		struct replay_headers h;
		uint8_t *piece;

		/* Extension headers, lengths and fragments by chance. */
		for (unsigned int k = 0; k < i % 4; k++)
			p.bytes[12 + (unsigned int)rand() % (p.n - 12)] = (uint8_t)rand();
		if (i % 7 == 0)
			p.bytes[20] = (uint8_t[]){ 0, 43, 44, 51, 60 }[i % 5];
		p.n = 17 + (unsigned int)rand() % (p.n - 16);
		piece = malloc(p.n);
		assert_non_null(piece);
		memcpy(piece, p.bytes, p.n);
		replay_headers_find(piece, p.n, &h);
		replay_headers_flow(piece, p.n, &h);
		free(piece);
		rewrite(&p, &r);
	}
}

/* Packets of a flow have one number, those of others mostly another one; fragments have no ports. */
TEST(flows)
{
	uint32_t first = 0;
	unsigned int same = 0;

	for (unsigned int i = 0; i < 1000; i++) {
		struct packet p = make(i % 3, i % 2, IPPROTO_UDP, 20),
			      other = make(0, i % 2, IPPROTO_UDP, 3);
		const unsigned int l3 = 14 + 4 * (i % 3), l4 = l3 + (i % 2 ? 40 : 20);
		struct replay_headers h, g;
		uint32_t flow;

		replay_headers_find(p.bytes, p.n, &h);
		assert_int_equal(h.version, i % 2 ? 6 : 4);
		assert_int_equal(h.tags, i % 3);
		assert_int_equal(h.l4_at, l4);
		flow = replay_headers_flow(p.bytes, p.n, &h);
		/* the tuple with another payload */
		memcpy(other.bytes + 14, p.bytes + l3, l4 - l3 + 4);
		replay_headers_find(other.bytes, other.n, &g);
		assert_int_equal(replay_headers_flow(other.bytes, other.n, &g), flow);
		other.bytes[14 + l4 - l3]++;
		assert_int_not_equal(replay_headers_flow(other.bytes, other.n, &g), flow);
		same += flow % 4 == first % 4;
		first = i == 0 ? flow : first;
		if (i % 2 == 0) {
			p.bytes[l3 + 6] = 0x20; /* more fragments */
			replay_headers_find(p.bytes, p.n, &h);
			assert_true(h.fragment && h.l4_at == l4);
			flow = replay_headers_flow(p.bytes, p.n, &h);
			p.bytes[l4]++;
			assert_int_equal(replay_headers_flow(p.bytes, p.n, &h), flow);
			p.bytes[l3 + 6] = 0;
			p.bytes[l3 + 7] = 5; /* the last one */
			replay_headers_find(p.bytes, p.n, &h);
			assert_true(h.fragment && h.l4_at == 0);
			assert_int_equal(replay_headers_flow(p.bytes, p.n, &h), flow);
		}
	}
	assert_in_range(same, 150, 350);
}
