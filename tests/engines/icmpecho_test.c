/* icmpecho: every answer byte for byte, every reason to give none, checksums against a full sum,
 * and hostile frames. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "engines/common/pkt.h"
#include "fixtures/engine_fixture.h"

#include <rte_random.h>

#include <netinet/ip_icmp.h>

extern const struct engine engine_icmpecho;

static uint64_t
counted(const struct stream *s, const char *name)
{
	size_t i;

	for (i = 0; i < engine_icmpecho.n_counters; i++)
		if (strcmp(engine_icmpecho.counters[i].name, name) == 0)
			return s->count.named[i];
	fail_msg("no counter %s", name);
	return 0;
}

/* An echo request with that much data behind the ICMP header. */
static struct engine_fixture_frame
request(const uint16_t *tags, unsigned int options, unsigned int data)
{
	struct engine_fixture_frame f;
	rte_be16_t sum;

	engine_fixture_ether(&f, tags, RTE_ETHER_TYPE_IPV4);
	engine_fixture_ip4(&f, IPPROTO_ICMP, options, 8 + data);
	memcpy(f.bytes + f.l4, (uint8_t[]){ ICMP_ECHO, 0, 0, 0 }, 4);
	sum = (rte_be16_t)~rte_raw_cksum(f.bytes + f.l4, 8 + data);
	memcpy(f.bytes + f.l4 + 2, &sum, 2);
	return f;
}

static void
swap(uint8_t *a, uint8_t *b, unsigned int n)
{
	uint8_t x[16];

	memcpy(x, a, n);
	memcpy(a, b, n);
	memcpy(b, x, n);
}

/* The answer, its ICMP checksum from a full sum over it. */
static struct engine_fixture_frame
reply(const struct engine_fixture_frame *f, unsigned int bytes)
{
	struct engine_fixture_frame w = *f;
	rte_be16_t sum;

	swap(w.bytes, w.bytes + 6, 6);
	swap(w.bytes + w.l3 + 12, w.bytes + w.l3 + 16, 4);
	memset(w.bytes + w.l4, 0, 4);
	sum = (rte_be16_t)~rte_raw_cksum(w.bytes + w.l4, bytes);
	memcpy(w.bytes + w.l4 + 2, &sum, 2);
	return w;
}

TEST(echo)
{
	static const struct {
		uint16_t tags[3];
		unsigned int options, data, pad;
	} rows[] = {
		{ { 0 }, 0, 0, 18 },
		{ { 0 }, 0, 56, 0 },
		{ { 0 }, 0, 57, 3 },
		{ { 0x8100 }, 0, 30, 0 },
		{ { 0x88a8, 0x8100 }, 0, 31, 0 },
		{ { 0 }, 4, 20, 0 },
		{ { 0x8100 }, 40, 200, 0 },
	};
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_icmpecho));
	unsigned int r, cut, n = 0;

	for (r = 0; r < ARRAY_SIZE(rows); r++) {
		struct engine_fixture_frame f =
			request(rows[r].tags, rows[r].options, rows[r].data);
		struct engine_fixture_frame w = reply(&f, 8 + rows[r].data);

		engine_fixture_add(&f, NULL, rows[r].pad);
		engine_fixture_add(&w, NULL, rows[r].pad);
		for (cut = 0; cut < f.n && cut < 140; cut++, n++) {
			engine_fixture_put(f.bytes, f.n, cut);
			engine_fixture_poll(s);
			engine_fixture_expect(w.bytes, w.n);
		}
	}
	assert_int_equal(counted(s, "echo_replies"), n);
	assert_int_equal(s->count.tx, n);
	engine_fixture_end(s);
}

/*
 * The sum of the reply is what a full sum gives, for whatever data, and as wrong as the request's
 * when that was wrong.
 */
TEST(echo_sums)
{
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_icmpecho));
	unsigned int i, k;

	for (i = 0; i < 30000; i++) {
		struct engine_fixture_frame f = request(NULL, 0, (unsigned int)rte_rand_max(6)), w;
		uint16_t error = i % 3 == 0 ? (uint16_t)rte_rand_max(0xfffe) : 0;
		unsigned int bytes = f.n - f.l4;
		const uint8_t *got;
		rte_be16_t sum;
		struct rte_mbuf *m;

		/* Few different bytes, so that sums of 0 and 0xffff come up. */
		for (k = 4; k < bytes; k++)
			f.bytes[f.l4 + k] = (uint8_t[]){ 0, 0, 0xff, 0xf7, 8, 1 }[rte_rand_max(6)];
		memset(f.bytes + f.l4 + 2, 0, 2);
		sum = (rte_be16_t)~rte_raw_cksum(f.bytes + f.l4, bytes);
		w = reply(&f, bytes);
		sum = error == 0 ? sum : (rte_be16_t)(sum ^ error);
		memcpy(f.bytes + f.l4 + 2, &sum, 2);
		engine_fixture_put(f.bytes, f.n, (unsigned int)rte_rand_max(f.n));
		engine_fixture_poll(s);
		if (error == 0) {
			engine_fixture_expect(w.bytes, w.n);
			continue;
		}
		m = engine_fixture_take();
		got = rte_pktmbuf_read(m, 0, f.n, w.bytes);
		assert_int_not_equal(rte_raw_cksum(got + w.l4, bytes), 0xffff);
		rte_pktmbuf_free(m);
	}
	engine_fixture_end(s);
}

/* A reply of nothing but zeros has the checksum 0xffff; RFC 1624's formula alone says 0. */
TEST(echo_of_zeros)
{
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_icmpecho));
	unsigned int data, cut;

	for (data = 0; data < 20; data++) {
		struct engine_fixture_frame f = request(NULL, 0, data), w;

		memset(f.bytes + f.l4, 0, 8 + data);
		memcpy(f.bytes + f.l4, (uint8_t[]){ 8, 0, 0xf7, 0xff }, 4);
		w = reply(&f, 8 + data);
		assert_memory_equal(w.bytes + w.l4 + 2, "\xff\xff", 2);
		for (cut = 0; cut < f.n; cut += 3) {
			engine_fixture_put(f.bytes, f.n, cut);
			engine_fixture_poll(s);
			engine_fixture_expect(w.bytes, w.n);
		}
	}
	engine_fixture_end(s);
}

/*
 * Pings of groups and of everybody: the answer comes from a neighbour of who asks, the IP checksum
 * is right.
 */
TEST(echo_to_groups)
{
	static const struct {
		uint32_t asker, group, from;
	} rows[] = {
		{ RTE_IPV4(10, 1, 2, 5), RTE_IPV4(224, 0, 0, 1), RTE_IPV4(10, 1, 2, 6) },
		{ RTE_IPV4(10, 1, 2, 6), RTE_IPV4(224, 0, 0, 1), RTE_IPV4(10, 1, 2, 5) },
		{ RTE_IPV4(10, 1, 2, 4), RTE_IPV4(239, 255, 255, 255), RTE_IPV4(10, 1, 2, 5) },
		{ RTE_IPV4(10, 1, 2, 7), RTE_IPV4(255, 255, 255, 255), RTE_IPV4(10, 1, 2, 5) },
		{ RTE_IPV4(10, 1, 2, 7), RTE_IPV4(223, 255, 255, 255),
			RTE_IPV4(223, 255, 255, 255) },
		{ RTE_IPV4(10, 1, 2, 7), RTE_IPV4(240, 0, 0, 1), RTE_IPV4(240, 0, 0, 1) },
	};
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_icmpecho));
	unsigned int r;

	for (r = 0; r < ARRAY_SIZE(rows); r++) {
		struct engine_fixture_frame f = request(NULL, 0, 10);
		struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)(f.bytes + f.l3);
		struct rte_mbuf *m;

		memcpy(f.bytes, (uint8_t[]){ 1, 0, 0x5e, 0, 0, 1 }, 6);
		ip->src_addr = rte_cpu_to_be_32(rows[r].asker);
		ip->dst_addr = rte_cpu_to_be_32(rows[r].group);
		ip->hdr_checksum = 0;
		ip->hdr_checksum = rte_ipv4_cksum(ip);
		engine_fixture_put(f.bytes, f.n, 0);
		engine_fixture_poll(s);
		m = engine_fixture_take();
		ip = rte_pktmbuf_mtod_offset(m, struct rte_ipv4_hdr *, f.l3);
		assert_int_equal(rte_be_to_cpu_32(ip->src_addr), rows[r].from);
		assert_int_equal(rte_be_to_cpu_32(ip->dst_addr), rows[r].asker);
		assert_int_equal(rte_raw_cksum(ip, sizeof(*ip)), 0xffff);
		assert_memory_equal(rte_pktmbuf_mtod(m, uint8_t *), f.bytes + 6, 6);
		assert_memory_equal(rte_pktmbuf_mtod(m, uint8_t *) + 6, &s->tx_end.mac, 6);
		rte_pktmbuf_free(m);
	}
	engine_fixture_end(s);
}

static const uint8_t arp_request[28] = { 0, 1, 8, 0, 6, 4, 0, 1, 2, 6, 7, 8, 9, 10, 10, 0, 0, 1, 0,
	0, 0, 0, 0, 0, 10, 0, 0, 2 };

TEST(arp)
{
	static const uint16_t tags[][3] = { { 0 }, { 0x8100 }, { 0x88a8, 0x8100 } };
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_icmpecho));
	unsigned int t, cut;

	for (t = 0; t < ARRAY_SIZE(tags); t++) {
		struct engine_fixture_frame f, w;

		engine_fixture_ether(&f, tags[t], RTE_ETHER_TYPE_ARP);
		memset(f.bytes, 0xff, 6);
		engine_fixture_add(&f, arp_request, sizeof(arp_request));
		w = f;
		memcpy(w.bytes, f.bytes + 6, 6);
		memcpy(w.bytes + 6, &s->tx_end.mac, 6);
		w.bytes[w.l3 + 7] = 2;
		memcpy(w.bytes + w.l3 + 8, &s->tx_end.mac, 6);
		memcpy(w.bytes + w.l3 + 14, f.bytes + f.l3 + 24, 4);
		memcpy(w.bytes + w.l3 + 18, f.bytes + f.l3 + 8, 10);
		for (cut = 0; cut < f.n; cut++) {
			engine_fixture_put(f.bytes, f.n, cut);
			engine_fixture_poll(s);
			engine_fixture_expect(w.bytes, w.n);
		}
	}
	engine_fixture_end(s);
}

/* One byte changed in a frame that would be answered: the counter that says why it is not. */
TEST(reasons)
{
	static const struct {
		bool arp;
		unsigned int at;
		uint8_t byte;
		const char *why;
	} rows[] = {
		{ true, 12, 0x86, "other_type" },
		{ true, 15, 6, "other_arp" }, /* hardware */
		{ true, 16, 9, "other_arp" }, /* protocol */
		{ true, 18, 8, "other_arp" }, /* length of its addresses */
		{ true, 19, 16, "other_arp" },
		{ true, 21, 2, "other_arp" }, /* a reply */
		{ true, 6, 3, "bad_source" },
		{ false, 13, 6, "other_arp" },
		{ false, 13, 1, "other_type" },
		{ false, 14, 0x65, "malformed" }, /* IP version */
		{ false, 14, 0x44, "malformed" }, /* header length */
		{ false, 14, 0x4f, "malformed" }, /* header longer than the packet */
		{ false, 16, 1, "malformed" },    /* packet longer than the frame */
		{ false, 17, 19, "malformed" },   /* packet shorter than its header */
		{ false, 17, 27, "malformed" },   /* no room for ICMP */
		{ false, 20, 0x20, "fragment" },
		{ false, 21, 1, "fragment" },
		{ false, 23, IPPROTO_UDP, "not_echo" },
		{ false, 34, ICMP_ECHOREPLY, "not_echo" },
		{ false, 35, 1, "not_echo" },
		{ false, 26, 224, "bad_source" },
		{ false, 6, 1, "bad_source" },
	};
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_icmpecho));
	unsigned int r;

	for (r = 0; r < ARRAY_SIZE(rows); r++) {
		struct engine_fixture_frame f = request(NULL, 0, 0);
		uint64_t before = counted(s, rows[r].why);

		if (rows[r].arp) {
			engine_fixture_ether(&f, NULL, RTE_ETHER_TYPE_ARP);
			engine_fixture_add(&f, arp_request, sizeof(arp_request));
		}
		f.bytes[rows[r].at] = rows[r].byte;
		engine_fixture_put(f.bytes, f.n, 0);
		engine_fixture_poll(s);
		assert_null(engine_fixture_take());
		assert_int_equal(counted(s, rows[r].why), before + 1);
	}
	assert_int_equal(s->count.absorbed, ARRAY_SIZE(rows));
	engine_fixture_end(s);
}

/* Frames cut after every byte: nothing is read past an end, nothing is answered. */
TEST(cut_short)
{
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_icmpecho));
	struct engine_fixture_frame frames[] = { request((uint16_t[]){ 0x8100, 0 }, 8, 20),
		request(NULL, 0, 0) };
	unsigned int i, n, sent = 0;

	engine_fixture_ether(&frames[1], NULL, RTE_ETHER_TYPE_ARP);
	engine_fixture_add(&frames[1], arp_request, sizeof(arp_request));
	for (i = 0; i < ARRAY_SIZE(frames); i++) {
		for (n = 1; n < frames[i].n; n++, sent++) {
			engine_fixture_put(frames[i].bytes, n, n % 11);
			engine_fixture_poll(s);
			assert_null(engine_fixture_take());
		}
	}
	assert_int_equal(counted(s, "malformed"), sent);
	engine_fixture_end(s);
}

/*
 * So many tags that the headers go beyond the bytes that are looked at when they lie across
 * segments.
 */
TEST(many_tags)
{
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_icmpecho));
	uint16_t tags[32] = { 0 };
	struct engine_fixture_frame f, w;
	unsigned int i;

	for (i = 0; i < 31; i++) {
		tags[i] = 0x8100;
		f = request(tags, 0, 20);
		w = reply(&f, 28);
		engine_fixture_put(f.bytes, f.n, 0);
		engine_fixture_put(f.bytes, f.n, 50);
		engine_fixture_poll(s);
		engine_fixture_expect(w.bytes, w.n);
		if (f.l4 + 8 <= PKT_HEAD_MAX)
			engine_fixture_expect(w.bytes, w.n);
		assert_null(engine_fixture_take());
	}
	assert_int_equal(counted(s, "malformed"), s->count.absorbed);
	engine_fixture_end(s);
}

/* Good frames with a few bytes replaced by noise: every packet is counted once. */
TEST(hostile)
{
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_icmpecho));
	unsigned int n, i, k;
	struct engine_fixture_frame f;
	uint64_t sum = 0;
	struct rte_mbuf *m;

	for (i = 0; i < 30000; i++) {
		f = request(i % 2 ? (uint16_t[]){ 0x8100, 0 } : NULL, 4 * (i % 11), i % 20);
		n = 1 + (unsigned int)rte_rand_max(f.n);
		for (k = 0; k < 3; k++)
			f.bytes[12 + rte_rand_max(f.n - 12)] = (uint8_t)rte_rand();
		engine_fixture_put(f.bytes, n, (unsigned int)rte_rand_max(n));
		if (i % 32 == 31)
			engine_fixture_poll(s);
		while ((m = engine_fixture_take()) != NULL)
			rte_pktmbuf_free(m);
	}
	engine_fixture_poll(s);
	for (i = 0; i < engine_icmpecho.n_counters; i++)
		sum += s->count.named[i];
	assert_int_equal(s->count.rx, 30000);
	assert_int_equal(sum, s->count.rx);
	engine_fixture_end(s);
}

TESTS(.setup = engine_fixture_open, .teardown = engine_fixture_close);
