/* The engine ring_pipeline on one lcore: stages, modes, flows, and what is left when it stops. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "engines/ring/ring_setup.h"
#include "engines/ring/ring_worker.h"
#include "fixtures/engine_fixture.h"
#include "fixtures/ring_fixture.h"
#include "fixtures/tsc_script.h"
#include "stream/plan.h"

#include <rte_malloc.h>

#include <netinet/in.h>

extern const struct engine engine_ring_pipeline;

static const char *const modes[] = { "copy", "zc", "auto", "compressed" };

static void
put_numbered(uint32_t number)
{
	struct engine_fixture_frame f;

	engine_fixture_ether(&f, NULL, 0x9000);
	engine_fixture_add(&f, &number, sizeof(number));
	engine_fixture_put(f.bytes, f.n, 0);
}

/*
 * Bursts of all sizes around the smallest ring, in every mode: the same packets, in the same order.
 */
TEST(order)
{
	for (unsigned int mode = 0; mode < ARRAY_SIZE(modes); mode++) {
		uint32_t in = 0, out = 0, poll = 0;
		struct ring_pipeline *p;
		struct rte_mbuf *m;

		engine_fixture_set("pipeline-mode", modes[mode]);
		engine_fixture_set("pipeline-ring", "64");
		p = ring_fixture_begin(1, NULL);
		while (in < 2000) {
			for (unsigned int n = poll++ % 37; n-- > 0;)
				put_numbered(in++);
			ring_fixture_poll(p);
			for (; (m = engine_fixture_take()) != NULL; out++) {
				assert_memory_equal(rte_pktmbuf_mtod_offset(m, uint8_t *, 14), &out,
					4);
				rte_pktmbuf_free(m);
			}
		}
		assert_true(out > 1900);
		assert_true(p->workers[0].count.packets > 1900);
		ring_fixture_end(p);
	}
}

TEST(stages)
{
	static const struct {
		const char *stage;
		bool swapped;
	} rows[] = { { "none", false }, { "macswap", true }, { "busy", false } };

	for (unsigned int r = 0; r < ARRAY_SIZE(rows); r++) {
		struct ring_pipeline *p;
		struct engine_fixture_frame f, w;

		engine_fixture_set("pipeline-stage", rows[r].stage);
		engine_fixture_ether(&f, NULL, 0x9000);
		engine_fixture_add(&f, NULL, 50);
		w = f;
		if (rows[r].swapped) {
			memcpy(w.bytes, f.bytes + 6, 6);
			memcpy(w.bytes + 6, f.bytes, 6);
		}
		p = ring_fixture_begin(1, NULL);
		engine_fixture_put(f.bytes, f.n, 0);
		ring_fixture_poll(p);
		engine_fixture_expect(w.bytes, w.n);
		ring_fixture_end(p);
	}
}

/* A stage that costs so much takes that long. */
TSC_TEST(busy)
{
	struct ring_pipeline *p;

	engine_fixture_set("pipeline-stage", "busy");
	engine_fixture_set("pipeline-busy", "10000");
	p = ring_fixture_begin(1, NULL);
	for (uint32_t i = 0; i < 20; i++)
		put_numbered(i);
	tsc_script = (struct tsc_script){ .now = UINT64_MAX - 1000000, .step = 1000 };
	tsc_script_begin();
	ring_fixture_poll(p);
	tsc_script_end();
	/* When 20 packets are done, and looks until then. */
	assert_int_equal(tsc_script.readings, 1 + 200);
	p->busy_cycles = 0;
	ring_fixture_end(p);
}

static struct rte_mbuf *
flow_packet(unsigned int host, uint16_t port, uint16_t fragment)
{
	struct engine_fixture_frame f;

	engine_fixture_ether(&f, NULL, RTE_ETHER_TYPE_IPV4);
	engine_fixture_ip4(&f, IPPROTO_UDP, 0, 20);
	f.bytes[f.l3 + 15] = (uint8_t)host;
	f.bytes[f.l3 + 6] = (uint8_t)(fragment >> 8);
	f.bytes[f.l3 + 7] = (uint8_t)fragment;
	f.bytes[f.l4] = (uint8_t)(port >> 8);
	f.bytes[f.l4 + 1] = (uint8_t)port;
	return engine_fixture_packet(f.bytes, f.n, 0);
}

/* A flow stays with one worker, flows spread over all; the NIC's hash counts before the packet. */
TEST(flows)
{
	unsigned int count[3] = { 0 };
	uint8_t which[2];

	for (unsigned int host = 0; host < 16; host++)
		for (uint16_t port = 0; port < 16; port++) {
			struct rte_mbuf *pkts[2] = { flow_packet(host, port, 0),
				flow_packet(host, port, 0) };

			ring_flow_workers(pkts, 2, 3, which);
			assert_int_equal(which[0], which[1]);
			assert_true(which[0] <= 2);
			count[which[0]]++;
			pkts[0]->ol_flags |= RTE_MBUF_F_RX_RSS_HASH;
			pkts[0]->hash.rss = host * 16u + port;
			pkts[1]->ol_flags |= RTE_MBUF_F_RX_RSS_HASH;
			pkts[1]->hash.rss = host * 16u + port;
			ring_flow_workers(pkts, 2, 3, which);
			assert_int_equal(which[0], which[1]);
			rte_pktmbuf_free(pkts[0]);
			rte_pktmbuf_free(pkts[1]);
		}
	for (unsigned int i = 0; i < 3; i++)
		assert_true(count[i] >= 256 / 3 - 40 && count[i] <= 256 / 3 + 40);
}

/*
 * What has no ports where others have them goes by its addresses alone, whatever it is; short ones
 * too.
 */
TEST(flows_odd)
{
	struct rte_mbuf *pkts[2] = { flow_packet(1, 7, 0x2000), flow_packet(1, 9, 0x00b9) };
	static const uint8_t bytes[60] = { 1, 2, 3, 4 };
	uint8_t which[2];

	ring_flow_workers(pkts, 2, 200, which);
	assert_int_equal(which[0], which[1]);
	rte_pktmbuf_free(pkts[0]);
	rte_pktmbuf_free(pkts[1]);
	for (unsigned int n = 1; n < sizeof(bytes); n++) {
		pkts[0] = engine_fixture_packet(bytes, n, 0);
		ring_flow_workers(pkts, 1, 7, which);
		assert_true(which[0] <= 6);
		rte_pktmbuf_free(pkts[0]);
	}
}

/*
 * Spread by flow: nothing is lost on the way to workers, and what those never took is counted at
 * the end.
 */
TEST(left)
{
	struct ring_pipeline *p;
	uint64_t in = 0;

	engine_fixture_set("pipeline-spread", "flow");
	p = ring_fixture_begin(3, NULL);
	for (unsigned int i = 0; i < 60; i++) {
		struct rte_mbuf *m = flow_packet(i, 1, 0);

		assert_int_equal(rte_eth_tx_burst(FIXTURE_IN, 0, &m, 1), 1);
	}
	p->io[0].own = NULL;
	ring_fixture_poll(p);
	ring_fixture_poll(p);
	assert_int_equal(p->streams[0]->count.rx, 60);
	for (unsigned int k = 0; k < 3; k++) {
		assert_true(rte_ring_count((*ring_in(p, 0, k))->ring) > 0);
		in += rte_ring_count((*ring_in(p, 0, k))->ring);
	}
	assert_int_equal(in, 60);
	ring_setup_end(p->streams[0]);
	assert_int_equal(p->streams[0]->count.named[RING_LEFT], 60);
	ring_fixture_end(p);
}

/* Rings that are full: drop, with the law and a counter. */
TEST(drop)
{
	for (unsigned int spread = 0; spread < 2; spread++) {
		struct ring_pipeline *p;

		engine_fixture_set("pipeline-spread", spread == 0 ? "queue" : "flow");
		engine_fixture_set("pipeline-full", "drop");
		engine_fixture_set("pipeline-ring", "64");
		p = ring_fixture_begin(1, NULL);
		p->io[0].own = NULL;
		for (uint32_t i = 0; i < 200; i++)
			put_numbered(i);
		for (unsigned int i = 0; i < 10; i++)
			ring_fixture_poll(p);
		assert_int_equal(p->streams[0]->count.rx, 200);
		assert_int_equal(p->streams[0]->count.named[RING_FULL], 137);
		p->io[0].own = &p->workers[0];
		ring_fixture_end(p);
	}
}

/* A run of a number of packets: those that workers still have when it is reached are sent, too. */
TEST(limit)
{
	for (unsigned int mode = 0; mode < ARRAY_SIZE(modes); mode++) {
		atomic_llong left_of_run = 40;
		struct ring_pipeline *p;
		struct rte_mbuf *m;
		struct stream *s;
		uint32_t out = 0;

		engine_fixture_set("pipeline-mode", modes[mode]);
		p = ring_fixture_begin(1, NULL);
		s = p->streams[0];
		s->limit = (struct stream_limit){ .left = &left_of_run, .burst = s->burst };
		atomic_fetch_or(&s->timed, STREAM_TIMED_LIMIT);
		p->io[0].own = NULL;
		for (uint32_t i = 0; i < 100; i++)
			put_numbered(i);
		for (unsigned int i = 0; i < 4; i++)
			ring_io_poll(p->io, true);
		assert_int_equal(s->count.rx, 64);
		while (ring_worker_poll(&p->workers[0]) > 0)
			;
		while (ring_io_poll(p->io, false) > 0)
			;
		for (; (m = engine_fixture_take()) != NULL; out++)
			rte_pktmbuf_free(m);
		assert_int_equal(out, 64);
		atomic_fetch_and(&s->timed, ~(unsigned int)STREAM_TIMED_LIMIT);
		p->io[0].own = &p->workers[0];
		ring_fixture_end(p);
	}
}

static struct plan_choice
choice(unsigned int lcores)
{
	struct plan_choice c = { .n_lcores = lcores,
		.use_lcores = lcores,
		.use_ports = 2,
		.n_ports = 2,
		.n_rxq = 1,
		.n_txq = 1 };

	for (unsigned int i = 0; i < lcores; i++)
		c.lcores[i] = i + 10;
	return c;
}

/* Half of the lcores do I/O, though no more than there are streams; one does both. */
TEST(split)
{
	static const struct {
		unsigned int lcores, io, workers, first_worker;
	} rows[] = { { 1, 1, 1, 10 }, { 2, 1, 1, 11 }, { 3, 1, 2, 11 }, { 4, 2, 2, 12 },
		{ 9, 2, 7, 12 } };
	struct err e = { 0 };

	for (unsigned int r = 0; r < ARRAY_SIZE(rows); r++) {
		struct plan_choice c = choice(rows[r].lcores);

		assert_int_equal(ring_split(engine_fixture_settings, &c, &e), 0);
		assert_int_equal(c.use_lcores, rows[r].io);
		assert_int_equal(c.n_helpers, rows[r].workers);
		assert_int_equal(c.helpers[0], rows[r].first_worker);
	}
}

TEST(split_refusals)
{
	static const struct {
		const char *io, *workers, *sync, *words;
	} rows[] = {
		{ "0", "0", "single", "main lcore" },
		{ "7", "0", "single", "lcore 7 is not enabled" },
		{ "", "1", "single", "pipeline-workers is set, but pipeline-io is not" },
		{ "1", "", "single", "pipeline-io is set, but pipeline-workers is not" },
		{ "", "", "hts", "lcore 10 cannot do I/O and work" },
	};

	for (unsigned int r = 0; r < ARRAY_SIZE(rows); r++) {
		struct plan_choice c = choice(1);
		struct err e = { 0 };

		engine_fixture_set("pipeline-io", rows[r].io);
		engine_fixture_set("pipeline-workers", rows[r].workers);
		engine_fixture_set("pipeline-sync", rows[r].sync);
		assert_int_not_equal(ring_split(engine_fixture_settings, &c, &e), 0);
		assert_non_null(strstr(e.text, rows[r].words));
	}
}

TESTS(.setup = ring_fixture_open, .teardown = engine_fixture_close,
	.before = ring_fixture_defaults);
