/* Mirrored ports in an order that a seed gives: polls of two streams, and of the cards, which send what
 * they have taken when it is their turn. Each packet is forwarded and mirrored once, or counted; what
 * is sent is what came, though original and clone share their data; each buffer comes back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "fixtures/engine_fixture.h"
#include "fixtures/seed.h"
#include "run/run_mirror.h"

#include <rte_ethdev.h>
#include <rte_malloc.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PORTS = 2, TURNS = 1000, SEEDS = 100, TX_RING = 128, MIRROR_MBUFS = 127, BYTES = 60 };

extern const struct engine engine_io, engine_macswap;

/* A port that makes up what it receives, and keeps what it was given until it is sent. */
struct end {
	uint32_t received;
	struct rte_mbuf *ring[TX_RING];
	unsigned int n;
	/* per port that received: the number behind the last sent, of the forwarded and the mirrored */
	uint32_t next[PORTS][2];
	uint64_t sent[PORTS][2];
};

static struct world {
	uint64_t seed, random;
	bool clones, running;
	struct stream *stream[PORTS];
	struct run_mirror_queue *mirror[PORTS]; /* by receiving port */
	struct end end[PORTS];
} w;

static struct rte_mempool *mirror_pool;

static uint32_t
dice(uint32_t sides)
{
	return seed_dice(&w.random, sides);
}

static void
fill(uint8_t *bytes, uint32_t port, uint32_t number)
{
	for (unsigned int i = 0; i < BYTES; i++)
		bytes[i] = (uint8_t)(number * 31 + i);
	bytes[0] = bytes[6] = 2;
	memcpy(bytes + 14, &port, sizeof(port));
	memcpy(bytes + 18, &number, sizeof(number));
}

static uint16_t
receive(uint16_t port, struct rte_mbuf **pkts, uint16_t max)
{
	const uint16_t n = (uint16_t)dice(max + 1u);

	for (uint16_t i = 0; i < n; i++) {
		pkts[i] = rte_pktmbuf_alloc(engine_fixture_pool);
		assert_non_null(pkts[i]);
		fill((uint8_t *)rte_pktmbuf_append(pkts[i], BYTES), port, w.end[port].received++);
	}
	return n;
}

static uint16_t
transmit(uint16_t port, struct rte_mbuf **pkts, uint16_t n)
{
	struct end *e = &w.end[port];
	const uint16_t takes = RTE_MIN(n, TX_RING - e->n);

	memcpy(e->ring + e->n, pkts, takes * sizeof(*pkts));
	e->n += takes;
	return takes;
}

ENGINE_FIXTURE_BURSTS(0)
ENGINE_FIXTURE_BURSTS(1)

/* The card sends the oldest packets: they say what was received, macswap's with both addresses swapped. */
static void
card(uint16_t port, unsigned int n)
{
	struct end *e = &w.end[port];

	for (unsigned int i = 0; i < n; i++) {
		const bool mirrored = e->ring[i]->pool == mirror_pool;
		const uint8_t *bytes = rte_pktmbuf_mtod(e->ring[i], const uint8_t *);
		uint8_t expected[BYTES];
		uint32_t from, number;

		memcpy(&from, bytes + 14, sizeof(from));
		memcpy(&number, bytes + 18, sizeof(number));
		assert_true(from < PORTS && number < w.end[from].received);
		fill(expected, from, number);
		if (!mirrored && !w.clones)
			engine_fixture_swap(expected, expected + 6, 6);
		assert_int_equal(e->ring[i]->pkt_len, BYTES);
		assert_memory_equal(bytes, expected, BYTES);
		assert_true(number >= e->next[from][mirrored]);
		e->next[from][mirrored] = number + 1;
		e->sent[from][mirrored]++;
		rte_pktmbuf_free(e->ring[i]);
	}
	e->n -= n;
	memmove(e->ring, e->ring + n, e->n * sizeof(*e->ring));
}

static void
open_seed(uint64_t seed)
{
	memset(&w, 0, sizeof(w));
	w.seed = w.random = seed;
	w.running = true;
	w.clones = dice(2) == 0;
	for (uint16_t p = 0; p < PORTS; p++) {
		struct run_mirror_queue *mq = rte_zmalloc(NULL, sizeof(*mq), CACHE_PAIR);
		struct stream *s = engine_fixture_stream(w.clones ? &engine_io : &engine_macswap);
		struct err e = { 0 };

		s->rx_port = p;
		s->tx_port = s->tx_end.port = 1 - p;
		s->burst = (uint16_t)(1 + dice(64));
		w.stream[p] = engine_fixture_begin(s);
		assert_non_null(mq);
		mq->rx_port = p;
		mq->tx_port = (uint16_t)dice(PORTS);
		mq->clones = w.clones;
		mq->segments = true;
		mq->pool = mirror_pool;
		w.mirror[p] = mq;
		assert_int_equal(run_mirror_queue_open(mq, &e), 0);
	}
	ENGINE_FIXTURE_PLUG(0);
	ENGINE_FIXTURE_PLUG(1);
}

/* Every packet was given to a card or is counted; every buffer of the mirrors is in a ring or the pool. */
static void
law(void)
{
	unsigned int out = 0, of_mirrors = 0;

	for (uint16_t p = 0; p < PORTS; p++) {
		const struct stream_count *c = &w.stream[p]->count;
		const struct run_mirror_sum m = run_mirror_queue_read(w.mirror[p]);

		assert_int_equal(c->rx, w.end[p].received);
		assert_int_equal(c->rx, c->tx + c->tx_dropped);
		assert_int_equal(m.received, w.end[p].received);
		assert_int_equal(m.received, m.sent + m.no_mbuf + m.full);
		for (unsigned int i = 0; i < w.end[p].n; i++)
			of_mirrors += w.end[p].ring[i]->pool == mirror_pool;
		out += w.end[p].n;
	}
	assert_int_equal(rte_mempool_in_use_count(mirror_pool), of_mirrors);
	assert_true(rte_mempool_in_use_count(engine_fixture_pool) <= out);
}

static void
run_seed(uint64_t seed)
{
	open_seed(seed);
	for (unsigned int i = 0; i < TURNS; i++) {
		const uint16_t port = (uint16_t)dice(PORTS);

		if (dice(3) == 0)
			engine_fixture_poll(w.stream[port]);
		else
			card(port, dice(w.end[port].n + 1));
		law();
	}
	for (uint16_t p = 0; p < PORTS; p++)
		card(p, w.end[p].n);
	law();
	for (uint16_t p = 0; p < PORTS; p++) {
		const struct run_mirror_sum m = run_mirror_queue_read(w.mirror[p]);

		assert_true(w.end[p].received > 0);
		assert_int_equal(w.end[0].sent[p][false] + w.end[1].sent[p][false],
			w.stream[p]->count.tx);
		assert_int_equal(w.end[0].sent[p][true] + w.end[1].sent[p][true], m.sent);
		run_mirror_queue_close(w.mirror[p]);
		rte_free(w.mirror[p]);
		free(w.stream[p]->state);
		rte_free(w.stream[p]);
	}
	assert_int_equal(rte_mempool_in_use_count(engine_fixture_pool), 0);
	w.running = false;
}

TEST(turns)
{
	const uint64_t n = seed_count(SEEDS);

	for (uint64_t i = 0; i < n; i++)
		run_seed(test_seed + i);
}

/* The seed of a run that has not come to its end. */
static int
told(void **state)
{
	if (w.running)
		print_message("# red: ZCFWD_TEST_SEED=%" PRIu64 " ZCFWD_TEST_SEEDS=1: %s\n", w.seed,
			w.clones ? "clones" : "copies");
	return 0;
}

static int
open_pools(void **state)
{
	engine_fixture_open(state);
	mirror_pool = rte_pktmbuf_pool_create("mirror", MIRROR_MBUFS, 0, 0,
		RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	return mirror_pool != NULL ? 0 : -1;
}

TESTS(.setup = open_pools, .teardown = engine_fixture_close, .after = told);
