/* flowgen: the flows in order, clones in groups, received packets absorbed, bad settings
 * refused. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "base/setting.h"
#include "engines/common/pkt.h"
#include "fixtures/engine_fixture.h"

#include <stdlib.h>

extern const struct engine engine_flowgen;

static int
defaults(void **state)
{
	engine_fixture_reset("txpkts");
	engine_fixture_reset("flowgen-flows");
	engine_fixture_reset("flowgen-clones");
	return 0;
}

/* Check a packet against what testpmd sends; returns its destination. */
static uint32_t
check(const struct rte_mbuf *m, unsigned int bytes)
{
	static const uint8_t ether[] = { 0, 1, 2, 3, 4, 1, 0, 1, 2, 3, 4, 0, 8, 0 };
	const struct pkt_udp *p = rte_pktmbuf_mtod(m, const struct pkt_udp *);

	rte_mbuf_sanity_check(m, 1);
	assert_int_equal(m->pkt_len, bytes);
	assert_int_equal(m->data_len, bytes);
	assert_memory_equal(p, ether, sizeof(ether));
	assert_int_equal(p->ip.version_ihl, 0x45);
	assert_int_equal(p->ip.next_proto_id, IPPROTO_UDP);
	assert_int_equal(p->ip.time_to_live, 64);
	assert_int_equal(rte_ipv4_cksum(&p->ip), 0);
	assert_int_equal(rte_be_to_cpu_16(p->ip.total_length), bytes - 14);
	assert_int_equal(p->ip.src_addr, RTE_BE32(RTE_IPV4(10, 254, 0, 0)));
	assert_int_equal(p->udp.src_port, RTE_BE16(1000));
	assert_int_equal(p->udp.dst_port, RTE_BE16(1001));
	assert_int_equal(rte_be_to_cpu_16(p->udp.dgram_len), bytes - 34);
	return rte_be_to_cpu_32(p->ip.dst_addr);
}

/*
 * The frame check sequence is part of the length; destinations go round from 10.253.0.0 on, and the
 * checksum holds where the address carries from byte to byte.
 */
TEST(flows)
{
	static const struct {
		const char *flows, *lengths;
		unsigned int burst, packets, bytes;
	} rows[] = { { "1", "50,50", 32, 2000, 96 }, { "2", "50,50", 32, 2000, 96 },
		{ "33", "50,50", 32, 2000, 96 }, { "1024", "50,50", 32, 2000, 96 },
		{ "2147483647", "50,50", 32, 2000, 96 }, { "70000", "64", 500, 70000, 60 } };

	for (unsigned int r = 0; r < ARRAY_SIZE(rows); r++) {
		const unsigned long n = strtoul(rows[r].flows, NULL, 10);
		struct stream *s;

		engine_fixture_set("flowgen-flows", rows[r].flows);
		engine_fixture_set("txpkts", rows[r].lengths);
		s = engine_fixture_begin(engine_fixture_stream(&engine_flowgen));
		s->burst = (uint16_t)rows[r].burst;
		for (unsigned int i = 0; i < rows[r].packets; i++) {
			struct rte_mbuf *m;

			if (i % rows[r].burst == 0)
				engine_fixture_poll(s);
			m = engine_fixture_take();
			assert_int_equal(check(m, rows[r].bytes), RTE_IPV4(10, 253, 0, 0) + i % n);
			rte_pktmbuf_free(m);
		}
		engine_fixture_end(s);
	}
}

TEST(absorbs)
{
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_flowgen));
	struct engine_fixture_frame f;
	int i;

	engine_fixture_ether(&f, NULL, 0x9000);
	for (i = 0; i < 40; i++)
		engine_fixture_put(f.bytes, f.n, 3);
	engine_fixture_poll(s);
	engine_fixture_poll(s);
	assert_int_equal(s->count.rx, 40);
	assert_int_equal(s->count.absorbed, 40);
	assert_int_equal(s->count.made, 64);
	engine_fixture_end(s);
}

/*
 * Each packet and its clones are one mbuf; the next packet is the next flow; a burst cuts the last
 * group short.
 */
TEST(clones)
{
	static const struct {
		const char *clones;
		unsigned int burst, packets;
	} rows[] = { { "0", 32, 32 }, { "1", 32, 16 }, { "2", 32, 11 }, { "31", 32, 1 },
		{ "100", 32, 1 }, { "3", 1, 1 }, { "65535", 512, 1 }, { "1", 511, 256 } };
	unsigned int r, i, turn;

	for (r = 0; r < ARRAY_SIZE(rows); r++) {
		unsigned int group = (unsigned int)strtoul(rows[r].clones, NULL, 10) + 1, flow = 0;
		struct stream *s;

		engine_fixture_set("flowgen-clones", rows[r].clones);
		s = engine_fixture_begin(engine_fixture_stream(&engine_flowgen));
		s->burst = (uint16_t)rows[r].burst;
		for (turn = 0; turn < 2; turn++) {
			const struct rte_mbuf *first = NULL;

			engine_fixture_poll(s);
			assert_int_equal(rte_mempool_in_use_count(engine_fixture_pool),
				rows[r].packets);
			for (i = 0; i < rows[r].burst; i++) {
				struct rte_mbuf *m = engine_fixture_take();

				if (i % group == 0)
					first = m;
				assert_ptr_equal(m, first);
				assert_int_equal(check(m, 60),
					RTE_IPV4(10, 253, 0, 0) + flow + i / group);
				rte_pktmbuf_free(m);
			}
			flow += rows[r].packets;
			assert_null(engine_fixture_take());
		}
		engine_fixture_end(s);
	}
}

/* Packets that the port does not take: their flows come again, with and without clones. */
TEST(short_transmit)
{
	unsigned int group, i;

	for (group = 1; group <= 3; group++) {
		char word[2] = { (char)('0' + group - 1), '\0' };
		uint32_t last = 0, dst;
		struct rte_mbuf *m;
		struct stream *s;

		engine_fixture_set("flowgen-clones", word);
		engine_fixture_set("flowgen-flows", "7");
		s = engine_fixture_begin(engine_fixture_stream(&engine_flowgen));
		for (i = 0; i < 40; i++)
			engine_fixture_poll(s);
		assert_int_equal(s->count.tx, 1023);
		assert_int_equal(s->count.tx_dropped, 40 * 32 - 1023);
		while ((m = engine_fixture_take()) != NULL) {
			last = check(m, 60) - RTE_IPV4(10, 253, 0, 0);
			rte_pktmbuf_free(m);
		}
		engine_fixture_poll(s);
		m = engine_fixture_take();
		dst = check(m, 60) - RTE_IPV4(10, 253, 0, 0);
		assert_int_equal(dst, (last + 1) % 7);
		rte_pktmbuf_free(m);
		engine_fixture_end(s);
	}
}

TEST(dry_pool)
{
	struct rte_mbuf *held[ENGINE_FIXTURE_MBUFS];
	unsigned int left;

	engine_fixture_set("flowgen-clones", "1");
	for (left = 0; left < 20; left++) {
		struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_flowgen));

		assert_int_equal(rte_pktmbuf_alloc_bulk(engine_fixture_pool, held,
					 ENGINE_FIXTURE_MBUFS - left),
			0);
		engine_fixture_poll(s);
		assert_int_equal(s->count.made, RTE_MIN(2 * left, 32u));
		rte_pktmbuf_free_bulk(held, ENGINE_FIXTURE_MBUFS - left);
		engine_fixture_end(s);
	}
}

TEST(refusals)
{
	struct stream *s = engine_fixture_stream(&engine_flowgen);
	struct err e;

	engine_fixture_set("flowgen-clones", "3");
	s->tx_end.offloads = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
	e = engine_fixture_refusal(s);
	assert_non_null(strstr(e.text,
		"flowgen-clones 3: clones are not possible with mbuf_fast_free on port 1"));
	engine_fixture_set("txpkts", "45");
	e = engine_fixture_refusal(engine_fixture_stream(&engine_flowgen));
	assert_non_null(strstr(e.text, "packet of 45 bytes: expected 46..2052"));
	engine_fixture_set("txpkts", "2000,53");
	e = engine_fixture_refusal(engine_fixture_stream(&engine_flowgen));
	assert_non_null(strstr(e.text, "packet of 2053 bytes: expected 46..2052"));
	engine_fixture_set("txpkts", "2000,52");
	engine_fixture_end(engine_fixture_begin(engine_fixture_stream(&engine_flowgen)));
	err_clear(&e);
	assert_int_equal(setting_parse(engine_fixture_settings, "flowgen-flows", "0", &e), -ERANGE);
	assert_int_equal(setting_parse(engine_fixture_settings, "flowgen-flows", "2147483648", &e),
		-ERANGE);
	assert_int_equal(setting_parse(engine_fixture_settings, "flowgen-clones", "65536", &e),
		-ERANGE);
}

TESTS(.setup = engine_fixture_open, .teardown = engine_fixture_close, .before = defaults);
