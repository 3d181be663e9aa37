/* icmpecho: every answer byte for byte, every reason to give none, checksums against a full sum,
 * and hostile frames. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "engines/common/pkt.h"
#include "fixtures/engine_fixture.h"

#include <rte_random.h>

#include <netinet/ip_icmp.h>
#include <stdio.h>

extern const struct engine engine_icmpecho;

/* Of the ICMP packet: its IP header has the sum of both. */
static unsigned int
icmp_bytes(const struct engine_fixture_frame *f)
{
	return f->l3 + pkt_get16(f->bytes + f->l3 + 2) - f->l4;
}

/* The echo request that words say: its data are behind the word icmp, "pad" what is no part of it. */
static struct engine_fixture_frame
request(const char *line)
{
	struct engine_fixture_frame f = engine_fixture_words(line);
	rte_be16_t sum;

	memcpy(f.bytes + f.l4, (uint8_t[]){ ICMP_ECHO, 0, 0, 0 }, 4);
	sum = (rte_be16_t)~rte_raw_cksum(f.bytes + f.l4, icmp_bytes(&f));
	memcpy(f.bytes + f.l4 + 2, &sum, 2);
	return f;
}

/* The answer, its ICMP checksum from a full sum over it. */
static struct engine_fixture_frame
reply(const struct engine_fixture_frame *f)
{
	struct engine_fixture_frame w = *f;
	rte_be16_t sum;

	engine_fixture_swap(w.bytes, w.bytes + 6, 6);
	engine_fixture_swap(w.bytes + w.l3 + 12, w.bytes + w.l3 + 16, 4);
	memset(w.bytes + w.l4, 0, 4);
	sum = (rte_be16_t)~rte_raw_cksum(w.bytes + w.l4, icmp_bytes(f));
	memcpy(w.bytes + w.l4 + 2, &sum, 2);
	return w;
}

TEST(echo)
{
	static const char *const lines[] = { "eth ip4 icmp pad18", "eth ip4 icmp 56",
		"eth ip4 icmp 57 pad3", "eth vlan ip4 icmp 30", "eth qinq vlan ip4 icmp 31",
		"eth ip4o icmp 20", "eth vlan ip4a icmp 200" };
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_icmpecho));
	unsigned int n = 0;

	for (unsigned int r = 0; r < ARRAY_SIZE(lines); r++) {
		const struct engine_fixture_frame f = request(lines[r]), w = reply(&f);

		for (unsigned int cut = 0; cut < f.n && cut < 140; cut++, n++)
			engine_fixture_turn(s, f.bytes, f.n, cut, w.bytes);
	}
	assert_int_equal(engine_fixture_counted(s, "echo_replies"), n);
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
		static const char *const lines[] = { "eth ip4 icmp", "eth ip4 icmp 1",
			"eth ip4 icmp 2", "eth ip4 icmp 3", "eth ip4 icmp 4", "eth ip4 icmp 5" };
		struct engine_fixture_frame f = request(lines[rte_rand_max(ARRAY_SIZE(lines))]), w;
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
		w = reply(&f);
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

	for (unsigned int data = 1; data < 20; data++) {
		struct engine_fixture_frame f, w;
		char line[32];

		snprintf(line, sizeof(line), "eth ip4 icmp %u", data);
		f = request(line);
		memset(f.bytes + f.l4, 0, 8 + data);
		memcpy(f.bytes + f.l4, (uint8_t[]){ 8, 0, 0xf7, 0xff }, 4);
		w = reply(&f);
		assert_memory_equal(w.bytes + w.l4 + 2, "\xff\xff", 2);
		for (unsigned int cut = 0; cut < f.n; cut += 3)
			engine_fixture_turn(s, f.bytes, f.n, cut, w.bytes);
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
		struct engine_fixture_frame f = request("eth ip4 icmp 10");
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

static struct engine_fixture_frame
arp_request(const uint16_t *tags)
{
	static const uint8_t arp[28] = { 0, 1, 8, 0, 6, 4, 0, 1, 2, 6, 7, 8, 9, 10, 10, 0, 0, 1, 0,
		0, 0, 0, 0, 0, 10, 0, 0, 2 };
	struct engine_fixture_frame f;

	engine_fixture_ether(&f, tags, RTE_ETHER_TYPE_ARP);
	engine_fixture_add(&f, arp, sizeof(arp));
	return f;
}

TEST(arp)
{
	static const uint16_t tags[][3] = { { 0 }, { 0x8100 }, { 0x88a8, 0x8100 } };
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_icmpecho));

	for (unsigned int t = 0; t < ARRAY_SIZE(tags); t++) {
		struct engine_fixture_frame f = arp_request(tags[t]), w;

		memset(f.bytes, 0xff, 6);
		w = f;
		memcpy(w.bytes, f.bytes + 6, 6);
		memcpy(w.bytes + 6, &s->tx_end.mac, 6);
		w.bytes[w.l3 + 7] = 2;
		memcpy(w.bytes + w.l3 + 8, &s->tx_end.mac, 6);
		memcpy(w.bytes + w.l3 + 14, f.bytes + f.l3 + 24, 4);
		memcpy(w.bytes + w.l3 + 18, f.bytes + f.l3 + 8, 10);
		for (unsigned int cut = 0; cut < f.n; cut++)
			engine_fixture_turn(s, f.bytes, f.n, cut, w.bytes);
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
		struct engine_fixture_frame f = rows[r].arp ? arp_request(NULL)
							    : request("eth ip4 icmp");
		uint64_t before = engine_fixture_counted(s, rows[r].why);

		f.bytes[rows[r].at] = rows[r].byte;
		engine_fixture_put(f.bytes, f.n, 0);
		engine_fixture_poll(s);
		assert_null(engine_fixture_take());
		assert_int_equal(engine_fixture_counted(s, rows[r].why), before + 1);
	}
	assert_int_equal(s->count.absorbed, ARRAY_SIZE(rows));
	engine_fixture_end(s);
}

/* Frames cut after every byte: nothing is read past an end, nothing is answered. */
TEST(cut_short)
{
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_icmpecho));
	const struct engine_fixture_frame frames[] = { request("eth vlan ip4o icmp 20"),
		arp_request(NULL) };
	unsigned int i, n, sent = 0;

	for (i = 0; i < ARRAY_SIZE(frames); i++) {
		for (n = 1; n < frames[i].n; n++, sent++) {
			engine_fixture_put(frames[i].bytes, n, n % 11);
			engine_fixture_poll(s);
			assert_null(engine_fixture_take());
		}
	}
	assert_int_equal(engine_fixture_counted(s, "malformed"), sent);
	engine_fixture_end(s);
}

/*
 * So many tags that the headers go beyond the bytes that are looked at when they lie across
 * segments.
 */
TEST(many_tags)
{
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_icmpecho));
	char line[256] = "eth ";
	struct engine_fixture_frame f, w;

	for (unsigned int i = 0; i < 31; i++) {
		strcpy(line + 4 + 5 * i, "vlan ip4 icmp 20");
		f = request(line);
		line[9 + 5 * i] = '\0';
		w = reply(&f);
		engine_fixture_put(f.bytes, f.n, 0);
		engine_fixture_put(f.bytes, f.n, 50);
		engine_fixture_poll(s);
		engine_fixture_expect(w.bytes, w.n);
		if (f.l4 + 8 <= PKT_HEAD_MAX)
			engine_fixture_expect(w.bytes, w.n);
		assert_null(engine_fixture_take());
	}
	assert_int_equal(engine_fixture_counted(s, "malformed"), s->count.absorbed);
	engine_fixture_end(s);
}

/* Good frames with a few bytes replaced by noise: every packet is counted once. */
TEST(hostile)
{
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_icmpecho));
	static const char *const tags[] = { "", "vlan " }, *const ips[] = { "ip4", "ip4o", "ip4a" };
	unsigned int n, i, k;
	struct engine_fixture_frame f;
	uint64_t sum = 0;
	char line[32];

	for (i = 0; i < 30000; i++) {
		snprintf(line, sizeof(line), "eth %s%s icmp %u", tags[i % 2], ips[i % 3],
			1 + i % 20);
		f = request(line);
		n = 1 + (unsigned int)rte_rand_max(f.n);
		for (k = 0; k < 3; k++)
			f.bytes[12 + rte_rand_max(f.n - 12)] = (uint8_t)rte_rand();
		engine_fixture_put(f.bytes, n, (unsigned int)rte_rand_max(n));
		if (i % 32 == 31)
			engine_fixture_poll(s);
		engine_fixture_drain();
	}
	engine_fixture_poll(s);
	for (i = 0; i < engine_icmpecho.n_counters; i++)
		sum += s->count.named[i];
	assert_int_equal(s->count.rx, 30000);
	assert_int_equal(sum, s->count.rx);
	engine_fixture_end(s);
}

TESTS(.setup = engine_fixture_open, .teardown = engine_fixture_close);
