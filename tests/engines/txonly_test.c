/* txonly: packets byte by byte as set, in any segments; bad settings are refused. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "base/setting.h"
#include "engines/common/pkt.h"
#include "fixtures/engine_fixture.h"
#include "fixtures/tsc_script.h"

#include <rte_mbuf_dyn.h>

#include <stdlib.h>

extern const struct engine engine_txonly;

static bool has_clock;

/* The clock of a port that has one; the fixture's ports do not. */
int
rte_eth_read_clock(uint16_t port, uint64_t *clock)
{
	static uint64_t now = 1000000;

	*clock = now++;
	return has_clock ? 0 : -ENOTSUP;
}

static int
defaults(void **state)
{
	static const char *const names[] = { "txpkts", "txsplit", "txtimes", "txonly-multi-flow",
		"txonly-flows", "tx-ip", "tx-udp", "txonly-rate" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		engine_fixture_reset(names[i]);
	has_clock = false;
	return 0;
}

/* Check a packet's headers against each other; returns it as one piece in copy. */
static const struct pkt_udp *
check(const struct rte_mbuf *m, unsigned int bytes, uint8_t *copy)
{
	const struct pkt_udp *p = rte_pktmbuf_read(m, 0, bytes, copy);

	assert_int_equal(m->pkt_len, bytes);
	rte_mbuf_sanity_check(m, 1);
	assert_int_equal(p->ether.ether_type, RTE_BE16(RTE_ETHER_TYPE_IPV4));
	assert_int_equal(p->ip.version_ihl, 0x45);
	assert_int_equal(p->ip.next_proto_id, IPPROTO_UDP);
	assert_int_equal(p->ip.time_to_live, 64);
	assert_int_equal(rte_raw_cksum(&p->ip, sizeof(p->ip)), 0xffff);
	assert_int_equal(rte_be_to_cpu_16(p->ip.total_length), bytes - 14);
	assert_int_equal(rte_be_to_cpu_16(p->udp.dgram_len), bytes - 34);
	assert_int_equal(p->udp.dgram_cksum, 0);
	return p;
}

/* As testpmd sends them, and with other addresses and ports. */
TEST(headers)
{
	static const struct {
		const char *ip, *udp; /* NULL: the defaults */
		rte_be32_t src, dst;
		rte_be16_t from, to;
	} rows[] = {
		{ NULL, NULL, RTE_BE32(0xc6120001), RTE_BE32(0xc6120002), RTE_BE16(9),
			RTE_BE16(9) },
		{ "1.2.3.4,255.254.253.252", "65535,0", RTE_BE32(0x01020304), RTE_BE32(0xfffefdfc),
			RTE_BE16(65535), 0 },
	};

	for (unsigned int r = 0; r < ARRAY_SIZE(rows); r++) {
		struct stream *s;

		if (rows[r].ip != NULL) {
			engine_fixture_set("tx-ip", rows[r].ip);
			engine_fixture_set("tx-udp", rows[r].udp);
		}
		s = engine_fixture_begin(engine_fixture_stream(&engine_txonly));
		engine_fixture_poll(s);
		for (int i = 0; i < 32; i++) {
			struct rte_mbuf *m = engine_fixture_take();
			uint8_t copy[64];
			const struct pkt_udp *p = check(m, 64, copy);

			assert_memory_equal(&p->ether.dst_addr, &s->tx_end.peer, 6);
			assert_memory_equal(&p->ether.src_addr, &s->tx_end.mac, 6);
			assert_int_equal(p->ip.src_addr, rows[r].src);
			assert_int_equal(p->ip.dst_addr, rows[r].dst);
			assert_int_equal(p->udp.src_port, rows[r].from);
			assert_int_equal(p->udp.dst_port, rows[r].to);
			assert_int_equal(m->nb_segs, 1);
			assert_int_equal(m->ol_flags, 0);
			rte_pktmbuf_free(m);
		}
		assert_null(engine_fixture_take());
		assert_int_equal(s->count.made, 32);
		engine_fixture_end(s);
	}
}

/* Headers that lie across segments of all sorts. */
TEST(segments)
{
	static const char *const rows[] = { "42", "2048", "64,128", "1,1,1,39", "14,20,8",
		"13,1,19,9", "30,2,3,5,7,11", "2048,2048,1" };
	uint16_t lengths[PKT_SEGS_MAX];
	uint8_t copy[8192];
	unsigned int r, i;

	for (r = 0; r < ARRAY_SIZE(rows); r++) {
		int n = pkt_text_lengths(rows[r], lengths, NULL), k;
		unsigned int bytes = 0;
		struct stream *s;

		engine_fixture_set("txpkts", rows[r]);
		s = engine_fixture_begin(engine_fixture_stream(&engine_txonly));
		for (k = 0; k < n; k++)
			bytes += lengths[k];
		engine_fixture_poll(s);
		for (i = 0; i < 32; i++) {
			struct rte_mbuf *m = engine_fixture_take(), *segment = m;

			check(m, bytes, copy);
			assert_int_equal(m->nb_segs, n);
			for (k = 0; k < n; k++, segment = segment->next)
				assert_int_equal(segment->data_len, lengths[k]);
			assert_null(segment);
			rte_pktmbuf_free(m);
		}
		engine_fixture_end(s);
	}
}

/* Segments in number by chance: all numbers come, each with the lengths that belong to it. */
TEST(random_split)
{
	struct rte_mbuf *m;
	unsigned int seen[4] = { 0 }, i;
	uint8_t copy[512];
	struct stream *s;

	engine_fixture_set("txpkts", "50,60,70");
	engine_fixture_set("txsplit", "rand");
	s = engine_fixture_begin(engine_fixture_stream(&engine_txonly));
	for (i = 0; i < 8; i++)
		engine_fixture_poll(s);
	for (i = 0; i < 8 * 32; i++) {
		m = engine_fixture_take();
		assert_true(m->nb_segs >= 1 && m->nb_segs <= 3);
		seen[m->nb_segs]++;
		check(m, m->nb_segs == 1 ? 50 : m->nb_segs == 2 ? 110 : 180, copy);
		rte_pktmbuf_free(m);
	}
	assert_true(seen[1] > 40 && seen[2] > 40 && seen[3] > 40);
	engine_fixture_end(s);
}

/*
 * Source ports go round, also in packets of segments; those that the port did not take come again.
 */
TEST(flows)
{
	static const char *const lengths[] = { "64", "20,44" };
	unsigned int r, i, next;
	struct rte_mbuf *m;
	uint8_t copy[64];

	for (r = 0; r < ARRAY_SIZE(lengths); r++) {
		struct stream *s;

		engine_fixture_set("txonly-multi-flow", "on");
		engine_fixture_set("txonly-flows", "5");
		engine_fixture_set("txpkts", lengths[r]);
		s = engine_fixture_begin(engine_fixture_stream(&engine_txonly));
		s->lcore = 0x107;
		for (i = 0; i < 40; i++)
			engine_fixture_poll(s);
		assert_int_equal(s->count.tx, 1023);
		assert_int_equal(s->count.tx_dropped, 40 * 32 - 1023);
		for (i = 0, next = 0; (m = engine_fixture_take()) != NULL;
			i++, next = (next + 1) % 5) {
			assert_int_equal(check(m, 64, copy)->udp.src_port,
				rte_cpu_to_be_16((uint16_t)((0xc0 + next) << 8 | 7)));
			rte_pktmbuf_free(m);
			if (i == 1000)
				engine_fixture_poll(s);
		}
		assert_int_equal(i, 1023 + 32);
		engine_fixture_end(s);
	}
}

/* A pool that runs dry in the middle of a packet: what fits is sent, nothing is lost. */
TEST(dry_pool)
{
	static const char *const rows[] = { "64", "30,30", "20,20,20,20,20,20,20" };
	unsigned int r, left;

	for (r = 0; r < ARRAY_SIZE(rows); r++) {
		for (left = 0; left < 40; left++) {
			struct rte_mbuf **held = calloc(ENGINE_FIXTURE_MBUFS, sizeof(*held));
			unsigned int n = ENGINE_FIXTURE_MBUFS - left;
			struct stream *s;

			engine_fixture_set("txpkts", rows[r]);
			s = engine_fixture_begin(engine_fixture_stream(&engine_txonly));
			assert_int_equal(rte_pktmbuf_alloc_bulk(engine_fixture_pool, held, n), 0);
			engine_fixture_poll(s);
			assert_int_equal(s->count.tx, s->count.made);
			if (r == 0)
				assert_int_equal(s->count.made, RTE_MIN(left, 32u));
			engine_fixture_drain();
			rte_pktmbuf_free_bulk(held, n);
			free(held);
			engine_fixture_end(s);
		}
	}
}

TEST(tags)
{
	struct stream *s = engine_fixture_stream(&engine_txonly);
	struct rte_mbuf *m;

	s->tx_end.offloads = RTE_ETH_TX_OFFLOAD_VLAN_INSERT | RTE_ETH_TX_OFFLOAD_QINQ_INSERT;
	engine_fixture_begin(s);
	engine_fixture_poll(s);
	m = engine_fixture_take();
	assert_int_equal(m->ol_flags, RTE_MBUF_F_TX_VLAN | RTE_MBUF_F_TX_QINQ);
	assert_int_equal(m->vlan_tci, s->tx_end.vlan);
	assert_int_equal(m->vlan_tci_outer, s->tx_end.vlan_outer);
	rte_pktmbuf_free(m);
	engine_fixture_end(s);
}

/*
 * Departure times: gaps as set, the first packet of a burst after the longer one, told in the
 * packet as well.
 */
TEST(times)
{
	static const uint64_t gaps[2][4] = { { 1000, 0, 0, 0 }, { 1000, 10, 10, 10 } };
	int offset, row, i, k;
	uint64_t flag, last = 0, time;
	uint8_t copy[64];

	assert_int_equal(rte_mbuf_dyn_tx_timestamp_register(&offset, &flag), 0);
	has_clock = true;
	for (row = 0; row < 2; row++) {
		struct stream *s = engine_fixture_stream(&engine_txonly);
		struct rte_mbuf *m;

		engine_fixture_set("txtimes", row == 0 ? "1000,0" : "1000,10");
		engine_fixture_set("txpkts", "40,24");
		s->burst = 4;
		s->tx_queue = 0;
		s->tx_end.offloads = RTE_ETH_TX_OFFLOAD_SEND_ON_TIMESTAMP;
		engine_fixture_begin(s);
		for (i = 0; i < 3; i++) {
			engine_fixture_poll(s);
			for (k = 0; k < 4; k++) {
				const uint8_t *p = (const uint8_t *)check(m = engine_fixture_take(),
							   64, copy) +
					42;

				assert_memory_equal(p, "\xbe\xef\xc0\xde", 4);
				assert_int_equal(pkt_get16(p + 4), k);
				assert_int_equal(pkt_get16(p + 6), 0);
				memcpy(&time, p + 8, 8);
				time = rte_be_to_cpu_64(time);
				assert_int_equal(m->ol_flags & flag, gaps[row][k] != 0 ? flag : 0);
				if (gaps[row][k] == 0)
					assert_int_equal(time, 0);
				else if (i > 0 || k > 0)
					assert_int_equal(time, last + gaps[row][k]);
				if (gaps[row][k] != 0) {
					assert_int_equal(*RTE_MBUF_DYNFIELD(m, offset, uint64_t *),
						time);
					last = time;
				}
				rte_pktmbuf_free(m);
			}
		}
		assert_int_equal(s->count.named[0], 0);
		engine_fixture_end(s);
	}
}

/* Times that the port cannot keep: packets go out without, and are counted as such. */
TEST(no_times)
{
	struct stream *s = engine_fixture_stream(&engine_txonly);
	uint8_t copy[64];
	struct rte_mbuf *m;

	engine_fixture_set("txtimes", "1000,10");
	s->tx_end.offloads = RTE_ETH_TX_OFFLOAD_SEND_ON_TIMESTAMP;
	engine_fixture_begin(s);
	engine_fixture_poll(s);
	check(m = engine_fixture_take(), 64, copy);
	assert_int_equal(m->ol_flags, 0);
	rte_pktmbuf_free(m);
	assert_int_equal(s->count.named[0], 32);
	engine_fixture_end(s);
}

/* Lengths that do not fit the pool or each other are refused at start. */
TEST(refusals)
{
	struct stream *s;
	struct err e;

	engine_fixture_set("txpkts", "64,2049");
	e = engine_fixture_refusal(engine_fixture_stream(&engine_txonly));
	assert_non_null(strstr(e.text, "segment of 2049 bytes: expected 1..2048"));
	engine_fixture_set("txpkts", "41,200");
	engine_fixture_set("txsplit", "rand");
	e = engine_fixture_refusal(engine_fixture_stream(&engine_txonly));
	assert_non_null(strstr(e.text,
		"expected at least 42 bytes in the first segment with txsplit rand"));
	defaults(NULL);
	engine_fixture_set("txpkts", "57");
	engine_fixture_set("txtimes", "5,0");
	has_clock = true;
	s = engine_fixture_stream(&engine_txonly);
	s->tx_end.offloads = RTE_ETH_TX_OFFLOAD_SEND_ON_TIMESTAMP;
	e = engine_fixture_refusal(s);
	assert_non_null(strstr(e.text, "expected at least 58 bytes with txtimes"));
}

/* Packets that go out with a poll. */
static unsigned int
paced(struct stream *s)
{
	tsc_script_begin();
	engine_fixture_poll(s);
	tsc_script_end();
	return engine_fixture_drain();
}

/* A packet when it is due, not one cycle before; a late poll makes up for a burst at most. */
TSC_TEST(rate)
{
	const uint64_t hz = rte_get_tsc_hz(), gap = (hz + 999) / 1000;
	unsigned int sum = 0;
	struct stream *s;

	engine_fixture_set("txonly-rate", "1000");
	tsc_script = (struct tsc_script){ .now = UINT64_MAX - hz / 2 }; /* 0 again meanwhile */
	tsc_script_begin();
	s = engine_fixture_begin(engine_fixture_stream(&engine_txonly));
	tsc_script_end();
	assert_int_equal(paced(s), 0);
	tsc_script.now += gap - 1;
	assert_int_equal(paced(s), 0);
	tsc_script.now += 1;
	assert_int_equal(paced(s), 1);
	assert_int_equal(paced(s), 0);
	for (unsigned int i = 0; i < 300; i++) { /* 3 s */
		tsc_script.now += hz / 100;
		sum += paced(s);
	}
	assert_in_range(sum, 2999, 3000);
	tsc_script.now += hz;
	assert_int_equal(paced(s), 32);
	assert_int_equal(paced(s), 0);
	engine_fixture_end(s);
}

/* The streams of a port share its rate, the first ones what is over; those of other ports have theirs. */
TSC_TEST(rate_shared)
{
	static const unsigned int due[] = { 501, 1001, 500 };
	const uint64_t hz = rte_get_tsc_hz();
	struct stream *all[RTE_DIM(due)];

	engine_fixture_set("txonly-rate", "1001");
	tsc_script = (struct tsc_script){ .now = hz };
	tsc_script_begin();
	for (unsigned int i = 0; i < RTE_DIM(due); i++)
		all[i] = engine_fixture_stream(&engine_txonly);
	all[1]->tx_port = FIXTURE_IN;
	for (unsigned int i = 0; i < RTE_DIM(due); i++) {
		all[i]->siblings = all;
		all[i]->n_siblings = RTE_DIM(due);
		all[i]->index = i;
		engine_fixture_begin(all[i]);
	}
	tsc_script_end();
	all[1]->tx_port = FIXTURE_OUT; /* where paced() looks */
	for (unsigned int i = 0; i < RTE_DIM(due); i++) {
		unsigned int sum = 0;

		for (tsc_script.now = hz; tsc_script.now < 2 * hz;) {
			tsc_script.now = RTE_MIN(tsc_script.now + hz / 100, 2 * hz);
			sum += paced(all[i]);
		}
		assert_int_equal(sum, due[i]);
	}
	for (unsigned int i = 0; i < RTE_DIM(due); i++)
		engine_fixture_end(all[i]);
}

TESTS(.setup = engine_fixture_open, .teardown = engine_fixture_close, .before = defaults);
