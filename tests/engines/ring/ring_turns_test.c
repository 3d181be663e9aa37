/* The lcores of a pipeline take turns in an order that a seed gives, on one thread: I/O lcore and
 * workers poll a burst each, and workers also while the driver is in the middle of receiving or
 * sending. After each turn nothing is lost, at the end every packet came once, in its order. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "engines/ring/ring_state.h"
#include "engines/ring/ring_worker.h"
#include "fixtures/engine_fixture.h"
#include "fixtures/ring_fixture.h"
#include "fixtures/seed.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PORTS = 2, FLOWS = 8, PACKETS = 1000, TURNS = 1200, RING = 64, SEEDS = 100 };

/* What a packet carries behind its addresses. */
struct label {
	uint32_t port, flow, number;
};

/* A port that makes up what it receives, and knows what has to be sent by the other. */
struct end {
	uint32_t next[FLOWS];          /* to be received, per flow */
	uint32_t sent[FLOWS];          /* the number behind the last that was sent, per flow */
	bool seen[FLOWS][PACKETS + 1]; /* that was sent */
	uint32_t received, gone;       /* packets; gone: sent, or refused by the driver */
};

static struct world {
	uint64_t seed, random;
	struct ring_pipeline *p;
	struct end end[PORTS];
	bool order, nested, refuses;
	const char *mode, *sync, *spread, *stage, *full;
	unsigned int workers;
} w;

static uint32_t
dice(uint32_t sides)
{
	return seed_dice(&w.random, sides);
}

/*
 * A worker's turn. Where others put into the same ring it looks for room now: had they filled it since
 * its last look, it would wait for the I/O lcore, which has no turn meanwhile.
 */
static void
work(unsigned int k)
{
	struct ring_worker *worker = &w.p->workers[k];

	for (unsigned int i = 0; w.p->shared && i < worker->n_outs; i++)
		worker->outs[i].room = 0;
	ring_worker_poll(worker);
}

/* Workers poll while the I/O lcore is inside its driver. */
static void
meanwhile(void)
{
	if (w.nested)
		return;
	w.nested = true;
	for (unsigned int n = dice(4); n > 0; n--)
		work(dice(w.workers));
	w.nested = false;
}

static uint16_t
receive(unsigned int port, struct rte_mbuf **pkts, uint16_t max)
{
	struct end *e = &w.end[port];
	uint16_t n = 0, most = (uint16_t)(dice(3) == 0 ? 0 : dice(max + 1u));

	meanwhile();
	for (; n < most && e->received < PACKETS; n++, e->received++) {
		struct label l = { port, dice(FLOWS), 0 };
		struct rte_mbuf *m = rte_pktmbuf_alloc(engine_fixture_pool);
		char *bytes;

		assert_non_null(m);
		m->data_len = 14 + sizeof(l);
		m->pkt_len = m->data_len;
		bytes = rte_pktmbuf_mtod(m, char *);
		l.number = e->next[l.flow]++;
		memset(bytes, 0, 14);
		memcpy(bytes + 14, &l, sizeof(l));
		m->ol_flags |= RTE_MBUF_F_RX_RSS_HASH;
		m->hash.rss = l.flow * 0x01000193;
		pkts[n] = m;
	}
	meanwhile();
	return n;
}

static uint16_t
transmit(unsigned int port, struct rte_mbuf **pkts, uint16_t n)
{
	struct end *e = &w.end[PORTS - 1 - port];
	const uint16_t takes = w.refuses && dice(4) == 0 ? (uint16_t)dice(n + 1u) : n;

	for (uint16_t k = 0; k < n; k++) {
		const char *bytes = rte_pktmbuf_mtod(pkts[k], const char *);
		struct label l;

		memcpy(&l, bytes + 14, sizeof(l));
		assert_int_equal(l.port, PORTS - 1 - port);
		assert_true(l.flow < FLOWS && l.number < e->next[l.flow]);
		assert_false(e->seen[l.flow][l.number]);
		e->seen[l.flow][l.number] = k < takes;
		assert_true(!w.order || l.number >= e->sent[l.flow]);
		e->sent[l.flow] = l.number + (k < takes);
		e->gone++;
		if (k < takes)
			rte_pktmbuf_free(pkts[k]);
	}
	meanwhile();
	return takes;
}

ENGINE_FIXTURE_BURSTS(0)
ENGINE_FIXTURE_BURSTS(1)

/* Every ring begins shortly before its index is 0 again, and its slots, too. */
static void
plug(void)
{
	ENGINE_FIXTURE_PLUG(0);
	ENGINE_FIXTURE_PLUG(1);
	for (unsigned int i = 0; i < w.p->n_streams * w.p->n_workers; i++) {
		ring_fixture_index(w.p->in[i], UINT32_MAX - dice(4 * RING));
		ring_fixture_index(w.p->back[i], UINT32_MAX - dice(4 * RING));
	}
}

static const char *
one_of(const char *const *words, unsigned int n)
{
	return words[dice(n)];
}

/* A pipeline of this seed. */
static void
open_seed(uint64_t seed)
{
	static const char *const modes[] = { "copy", "zc", "compressed" },
				 *const spreads[] = { "queue", "flow", "any" },
				 *const stages[] = { "none", "macswap" },
				 *const fulls[] = { "wait", "drop" };

	memset(&w, 0, sizeof(w));
	w.seed = w.random = seed;
	w.mode = one_of(modes, ARRAY_SIZE(modes));
	w.spread = one_of(spreads, ARRAY_SIZE(spreads));
	w.stage = one_of(stages, ARRAY_SIZE(stages));
	w.full = one_of(fulls, ARRAY_SIZE(fulls));
	w.sync = strcmp(w.spread, "any") == 0 || dice(2) == 0 ? "hts" : "single";
	w.workers = 1 + dice(3);
	w.refuses = dice(2) == 0;
	w.order = strcmp(w.spread, "any") != 0 || w.workers == 1;
	engine_fixture_set("pipeline-mode", w.mode);
	engine_fixture_set("pipeline-spread", w.spread);
	engine_fixture_set("pipeline-stage", w.stage);
	engine_fixture_set("pipeline-full", w.full);
	engine_fixture_set("pipeline-sync", w.sync);
	engine_fixture_set("pipeline-ring", "64"); /* RING */
	w.p = ring_fixture_begin(w.workers, NULL);
	w.p->io->own = NULL;
	for (unsigned int i = 0; i < w.p->n_streams; i++)
		w.p->streams[i]->burst = (uint16_t)(1 + dice(48));
	for (unsigned int k = 0; k < w.workers; k++)
		w.p->workers[k].burst = (uint16_t)(1 + dice(48));
	plug();
}

/* Rings are copied to or not, as mode auto changes it all the time. */
static void
change(void)
{
	const bool in = dice(2) == 0, back = dice(2) == 0;

	atomic_store(&w.p->io->zero_copy_in, in);
	atomic_store(&w.p->io->zero_copy_back, back);
	for (unsigned int i = 0; i < w.p->n_streams * w.p->n_workers; i++) {
		if (w.p->in[i] != NULL)
			atomic_store(&w.p->in[i]->zero_copy, in);
		if (w.p->back[i] != NULL)
			atomic_store(&w.p->back[i]->zero_copy, back);
	}
}

/* Packets in the rings that a stream's packets take. */
static unsigned int
on_the_way(unsigned int stream)
{
	unsigned int n = 0;

	for (unsigned int k = 0; k < w.workers; k++) {
		const struct ring_link *in = *ring_in(w.p, stream, k),
				       *back = *ring_back(w.p, stream, k);

		if (in != NULL && in->owner == in)
			n += rte_ring_count(in->ring);
		if (back != NULL && back->owner == back)
			n += rte_ring_count(back->ring);
	}
	return n;
}

/* Each packet was sent, dropped and counted, or is in a ring; each buffer in the pool or in one. */
static void
law(void)
{
	unsigned int out = 0;

	for (unsigned int i = 0; i < w.p->n_streams; i++) {
		const struct stream_count *c = &w.p->streams[i]->count;

		out += on_the_way(i);
		assert_int_equal(c->rx, w.end[i].received);
		assert_int_equal(c->tx + c->tx_dropped, w.end[i].gone);
		assert_int_equal(c->rx, c->tx + c->tx_dropped + c->absorbed + on_the_way(i));
	}
	assert_int_equal(rte_mempool_avail_count(engine_fixture_pool) + out, ENGINE_FIXTURE_MBUFS);
}

static void
turn(bool receiving)
{
	if (dice(w.workers + 1) == 0)
		ring_io_poll(w.p->io, receiving);
	else
		work(dice(w.workers));
	law();
}

static void
run_seed(uint64_t seed)
{
	unsigned int i, left;

	open_seed(seed);
	for (i = 0; i < TURNS; i++) {
		if (strcmp(w.mode, "copy") != 0 && dice(32) == 0)
			change();
		turn(true);
	}
	for (i = 0, left = 1; left > 0; i++) {
		assert_true(i < 20000);
		turn(false);
		left = on_the_way(0) + on_the_way(1);
	}
	for (i = 0; i < PORTS; i++) {
		const struct stream_count *c = &w.p->streams[i]->count;
		const struct end *e = &w.end[i];
		uint64_t seen = 0;

		for (unsigned int f = 0; f < FLOWS; f++)
			for (uint32_t n = 0; n < e->next[f]; n++)
				seen += e->seen[f][n];
		assert_int_equal(seen, c->tx);
		assert_true(strcmp(w.full, "wait") != 0 || c->absorbed == 0);
		assert_true(e->received > 0);
		w.end[i].received = PACKETS;
	}
	if (w.workers == 1)
		w.p->io->own = w.p->workers;
	w.nested = true;
	ring_fixture_end(w.p);
	w.p = NULL;
}

TEST(turns)
{
	const uint64_t n = seed_count(SEEDS);

	for (uint64_t i = 0; i < n; i++)
		run_seed(test_seed + i);
}

/* Says which seed it was, and what that stands for, when a test has not come to its end. */
static int
told(void **state)
{
	if (w.p != NULL)
		print_message(
			"# red: ZCFWD_TEST_SEED=%" PRIu64
			" ZCFWD_TEST_SEEDS=1: mode %s, sync %s, spread %s, stage %s, full %s, %u workers\n",
			w.seed, w.mode, w.sync, w.spread, w.stage, w.full, w.workers);
	return 0;
}

TESTS(.setup = ring_fixture_open, .teardown = engine_fixture_close, .before = ring_fixture_defaults,
	.after = told);
