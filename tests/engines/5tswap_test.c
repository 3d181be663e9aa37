/* 5tswap: what is exchanged in which packets, that checksums stay right, and that nothing lies
 * beyond a packet's end. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "fixtures/engine_fixture.h"

#include <rte_random.h>
#include <rte_tcp.h>

#include <netinet/in.h>

extern const struct engine engine_5tswap;

static void
swap(uint8_t *a, uint8_t *b, unsigned int n)
{
	uint8_t x[16];

	memcpy(x, a, n);
	memcpy(a, b, n);
	memcpy(b, x, n);
}

static void
ip6(struct engine_fixture_frame *f, uint8_t proto, unsigned int payload)
{
	uint8_t ip[40] = { 0x60, 1, 2, 3, (uint8_t)(payload >> 8), (uint8_t)payload, proto, 64 };
	unsigned int i;

	for (i = 8; i < sizeof(ip); i++)
		ip[i] = (uint8_t)(i * 5);
	engine_fixture_add(f, ip, sizeof(ip));
	f->l4 = f->n;
	engine_fixture_add(f, NULL, payload);
}

/* How a frame is built, and what is to be exchanged in it besides the MAC addresses. */
static const struct row {
	const char *name;
	uint16_t tags[9];
	uint16_t type;
	uint8_t version; /* of the IP header that is built; 0: none */
	uint8_t proto, options;
	uint16_t fragment;
	bool ips, ports;
} rows[] = {
	{ .name = "UDP",
		.type = 0x0800,
		.version = 4,
		.proto = IPPROTO_UDP,
		.ips = true,
		.ports = true },
	{ .name = "TCP",
		.type = 0x0800,
		.version = 4,
		.proto = IPPROTO_TCP,
		.ips = true,
		.ports = true },
	{ .name = "SCTP", .type = 0x0800, .version = 4, .proto = IPPROTO_SCTP, .ips = true },
	{ .name = "ICMP", .type = 0x0800, .version = 4, .proto = IPPROTO_ICMP, .ips = true },
	{ .name = "options",
		.type = 0x0800,
		.version = 4,
		.proto = IPPROTO_UDP,
		.options = 4,
		.ips = true,
		.ports = true },
	{ .name = "all options",
		.type = 0x0800,
		.version = 4,
		.proto = IPPROTO_TCP,
		.options = 40,
		.ips = true,
		.ports = true },
	{ .name = "VLAN",
		.tags = { 0x8100 },
		.type = 0x0800,
		.version = 4,
		.proto = IPPROTO_UDP,
		.ips = true,
		.ports = true },
	{ .name = "QinQ",
		.tags = { 0x88a8, 0x8100 },
		.type = 0x0800,
		.version = 4,
		.proto = IPPROTO_TCP,
		.ips = true,
		.ports = true },
	{ .name = "8 tags",
		.tags = { 0x8100, 0x8100, 0x8100, 0x8100, 0x8100, 0x8100, 0x8100, 0x8100 },
		.type = 0x0800,
		.version = 4,
		.proto = IPPROTO_UDP,
		.ips = true,
		.ports = true },
	{ .name = "first fragment",
		.type = 0x0800,
		.version = 4,
		.proto = IPPROTO_UDP,
		.fragment = 0x2000,
		.ips = true,
		.ports = true },
	{ .name = "later fragment",
		.type = 0x0800,
		.version = 4,
		.proto = IPPROTO_UDP,
		.fragment = 0x2001,
		.ips = true },
	{ .name = "last fragment",
		.type = 0x0800,
		.version = 4,
		.proto = IPPROTO_UDP,
		.fragment = 0x00b9,
		.ips = true },
	{ .name = "UDP6",
		.type = 0x86dd,
		.version = 6,
		.proto = IPPROTO_UDP,
		.ips = true,
		.ports = true },
	{ .name = "TCP6",
		.tags = { 0x8100 },
		.type = 0x86dd,
		.version = 6,
		.proto = IPPROTO_TCP,
		.ips = true,
		.ports = true },
	{ .name = "ICMP6", .type = 0x86dd, .version = 6, .proto = IPPROTO_ICMPV6, .ips = true },
	{ .name = "ARP", .type = 0x0806 },
	{ .name = "6 called 4", .type = 0x0800, .version = 6, .proto = IPPROTO_UDP },
	{ .name = "4 called 6", .type = 0x86dd, .version = 4, .proto = IPPROTO_UDP },
};

static struct engine_fixture_frame
built(const struct row *row)
{
	struct engine_fixture_frame f;

	engine_fixture_ether(&f, row->tags, row->type);
	if (row->version == 4)
		engine_fixture_ip4(&f, row->proto, row->options, 24);
	else if (row->version == 6)
		ip6(&f, row->proto, 24);
	else
		engine_fixture_add(&f, NULL, 46);
	if (row->version == 4) {
		f.bytes[f.l3 + 6] = (uint8_t)(row->fragment >> 8);
		f.bytes[f.l3 + 7] = (uint8_t)row->fragment;
	}
	return f;
}

/* What is to come of the first n bytes of that frame. */
static struct engine_fixture_frame
wanted(const struct row *row, const struct engine_fixture_frame *f, unsigned int n)
{
	struct engine_fixture_frame w = *f;
	bool ips = row->ips && n >= f->l3 + (row->version == 4 ? 20U : 40U);

	w.n = n;
	if (n >= 12)
		swap(w.bytes, w.bytes + 6, 6);
	if (ips && row->version == 4)
		swap(w.bytes + w.l3 + 12, w.bytes + w.l3 + 16, 4);
	if (ips && row->version == 6)
		swap(w.bytes + w.l3 + 8, w.bytes + w.l3 + 24, 16);
	if (ips && row->ports && n >= f->l4 + 4U)
		swap(w.bytes + w.l4, w.bytes + w.l4 + 2, 2);
	return w;
}

/* Whole, cut short after every byte, and in segments of every length. */
TEST(table)
{
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_5tswap));
	unsigned int r, n, cut;

	for (r = 0; r < ARRAY_SIZE(rows); r++) {
		struct engine_fixture_frame f = built(&rows[r]), w;

		for (n = 1; n <= f.n; n++) {
			for (cut = 0; cut < n && cut < 70;
				cut = n < f.n && cut == 0 ? 7 : cut + 1) {
				w = wanted(&rows[r], &f, n);
				engine_fixture_put(f.bytes, n, cut);
				engine_fixture_poll(s);
				engine_fixture_expect(w.bytes, n);
			}
		}
	}
	engine_fixture_end(s);
}

/*
 * A header length of less than 20 bytes names no place for ports: the whole IP header is left
 * alone.
 */
TEST(header_too_short)
{
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_5tswap));
	struct engine_fixture_frame f = built(&rows[0]), w;
	uint8_t words;

	for (words = 0; words < 5; words++) {
		f.bytes[f.l3] = 0x40 | words;
		w = f;
		swap(w.bytes, w.bytes + 6, 6);
		engine_fixture_put(f.bytes, f.n, 0);
		engine_fixture_poll(s);
		engine_fixture_expect(w.bytes, w.n);
	}
	engine_fixture_end(s);
}

/* IP, UDP and TCP checksums that were right are right afterwards. */
TEST(checksums)
{
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_5tswap));
	unsigned int r;

	for (r = 0; r < ARRAY_SIZE(rows); r++) {
		struct engine_fixture_frame f = built(&rows[r]);
		struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)(f.bytes + f.l3);
		uint8_t *l4 = f.bytes + f.l4;
		struct rte_mbuf *m;

		if (!rows[r].ports || rows[r].version != 4 || rows[r].fragment != 0)
			continue;
		ip->hdr_checksum = 0;
		ip->hdr_checksum = rte_ipv4_cksum(ip);
		memset(l4 + (rows[r].proto == IPPROTO_UDP ? 6 : 16), 0, 2);
		*(rte_be16_t *)(l4 + (rows[r].proto == IPPROTO_UDP ? 6 : 16)) =
			rte_ipv4_udptcp_cksum(ip, l4);
		engine_fixture_put(f.bytes, f.n, 0);
		engine_fixture_poll(s);
		m = engine_fixture_take();
		ip = rte_pktmbuf_mtod_offset(m, struct rte_ipv4_hdr *, f.l3);
		assert_int_equal(rte_raw_cksum(ip, rte_ipv4_hdr_len(ip)), 0xffff);
		assert_int_equal(rte_ipv4_udptcp_cksum_verify(ip,
					 rte_pktmbuf_mtod_offset(m, void *, f.l4)),
			0);
		rte_pktmbuf_free(m);
	}
	engine_fixture_end(s);
}

/* An empty segment at the end does not hide the headers before it. */
TEST(empty_segment)
{
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_5tswap));
	struct engine_fixture_frame f = built(&rows[0]), w = wanted(&rows[0], &f, f.n);
	struct rte_mbuf *m = engine_fixture_packet(f.bytes, f.n, 0);

	assert_int_equal(rte_pktmbuf_chain(m, rte_pktmbuf_alloc(engine_fixture_pool)), 0);
	assert_int_equal(rte_eth_tx_burst(FIXTURE_IN, 0, &m, 1), 1);
	engine_fixture_poll(s);
	engine_fixture_expect(w.bytes, w.n);
	engine_fixture_end(s);
}

/*
 * Whatever the bytes are: doing it twice brings them back, and the sum over all of them never
 * changes.
 */
TEST(twice)
{
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_5tswap));
	static const uint16_t types[] = { 0x0800, 0x0800, 0x86dd, 0x8100, 0x88a8, 0x0806 };
	unsigned int i, k, n;

	for (i = 0; i < 20000; i++) {
		uint8_t bytes[160];
		struct rte_mbuf *m;
		uint16_t type = types[rte_rand_max(ARRAY_SIZE(types))];

		n = 1 + (unsigned int)rte_rand_max(sizeof(bytes));
		for (k = 0; k < n; k++)
			bytes[k] = (uint8_t)rte_rand();
		if (n >= 15) {
			bytes[12] = (uint8_t)(type >> 8);
			bytes[13] = (uint8_t)type;
			bytes[14] = type == 0x86dd ? 0x60 : (bytes[14] & 0xf) | 0x40;
		}
		engine_fixture_put(bytes, n, (unsigned int)rte_rand_max(n));
		engine_fixture_poll(s);
		m = engine_fixture_take();
		assert_int_equal(rte_eth_tx_burst(FIXTURE_IN, 0, &m, 1), 1);
		engine_fixture_poll(s);
		engine_fixture_expect(bytes, n);
	}
	engine_fixture_end(s);
}

TESTS(.setup = engine_fixture_open, .teardown = engine_fixture_close);
