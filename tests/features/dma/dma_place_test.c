/* Placements: chosen ones on one and two nodes, random ones against all that there are, patience. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/dma/dma_place.h"

#include "base/base.h"
#include "base/err.h"
#include "features/dma/dma_auto_priv.h"
#include "fixtures/seed.h"
#include "fixtures/unit.h"
#include "stream/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct dma_topology t;

static void
node(unsigned int id)
{
	t.node[id].there = true;
	t.node[id].memory_mib = UINT64_MAX;
}

static void
lcores(unsigned int first, unsigned int last, int on)
{
	for (unsigned int id = first; id <= last; id++)
		t.lcore[t.n_lcores++] = (struct dma_lcore){ id, on };
}

static void
engine(char name, int on, unsigned int channels, unsigned int used)
{
	t.engine[t.n_engines++] = (struct dma_engine){ .name = { name },
		.node = on,
		.channels = channels,
		.used = used };
}

/* A port with a load in each direction of each queue: megabytes per second, bytes per copy. */
static void
port(int on, unsigned int queues, double megabytes, double length)
{
	const uint16_t id = (uint16_t)t.n_ports;

	t.port[t.n_ports++] = (struct dma_port){ id, on, queues, { megabytes * 1e6, length } };
}

static int
clean(void **state)
{
	(void)state;
	memset(&t, 0, sizeof(t));
	return 0;
}

static const struct dma_queue *
queues(unsigned int *n)
{
	static struct dma_queue *all;

	free(all);
	all = dma_cost_queues(&t, n);
	return all;
}

/*
 * Places as a text: of each queue its lcore, then the engine's letter or '-' for the CPU, to receive
 * and to transmit; channels in order.
 */
static void
check(const char *want)
{
	char got[256] = "";
	struct dma_places p;
	unsigned int n;
	const struct dma_queue *q = queues(&n);
	struct err e;

	assert_int_equal(dma_place_all(&p, &t, q, n, NULL, &e), 0);
	assert_int_equal(p.n, 2 * n);
	for (unsigned int i = 0; i < p.n; i++) {
		const struct dma_place *at = &p.place[i];

		assert_int_equal(at->tx, i % 2);
		if (!at->tx)
			sprintf(got + strlen(got), "%s%u", i > 0 ? " " : "", t.lcore[at->lcore].id);
		sprintf(got + strlen(got), "%c",
			at->engine >= 0 ? t.engine[at->engine].name[0] : '-');
		if (at->engine >= 0)
			assert_in_range(at->channel, t.engine[at->engine].used,
				t.engine[at->engine].channels - 1);
	}
	assert_string_equal(got, want);
	assert_true(p.cost > 0);
	assert_float_equal(p.cost, dma_place_cost(&t, q, &p), 1e-6);
	dma_place_free(&p);
}

static void
two_nodes(unsigned int distance)
{
	node(0);
	node(1);
	t.node[0].distance[1] = t.node[1].distance[0] = (uint16_t)distance;
	lcores(1, 2, 0);
	lcores(5, 6, 1);
}

TEST(one_node)
{
	(void)state;
	node(0);
	lcores(1, 2, 0);
	engine('a', 0, 4, 0);
	port(0, 1, 1000, 2048);
	port(0, 1, 1000, 2048);
	check("1aa 2aa");
}

/* Each port is served on its own node, whatever the order. */
TEST(own_node)
{
	(void)state;
	two_nodes(0);
	engine('a', 0, 2, 0);
	engine('b', 1, 2, 0);
	port(1, 1, 1000, 2048);
	port(0, 1, 1000, 2048);
	check("5bb 1aa");
}

/* A port of node 1 that comes first does not take the last channel of node 0. */
TEST(last_channel)
{
	(void)state;
	two_nodes(0);
	engine('a', 0, 2, 1);
	port(1, 1, 1000, 2048);
	port(0, 1, 1000, 2048);
	check("5-- 1-a");
}

/* A port of an unknown node leaves the engine to a port that is near to it. */
TEST(known_first)
{
	(void)state;
	two_nodes(0);
	engine('a', 0, 2, 0);
	engine('b', 1, 2, 0);
	port(DMA_NODE_ANY, 1, 1000, 2048);
	port(0, 1, 1000, 2048);
	check("5bb 1aa");
}

/* A far engine does not beat the CPU below the length that is published, and does above it. */
TEST(far_engine)
{
	(void)state;
	two_nodes(0);
	t.n_lcores = 2;
	engine('b', 1, 2, 0);
	port(0, 1, 500, 2048);
	check("1--");
	t.port[0].load.length = 3072;
	check("1bb");
	t.port[0].load.length = 1024;
	t.engine[0].node = 0;
	check("1--");
	t.port[0].load.length = 2048;
	check("1bb");
}

/* An engine that others keep busy does not beat the CPU, nor one that is slower than the load. */
TEST(busy_engine)
{
	(void)state;
	node(0);
	lcores(1, 1, 0);
	engine('a', 0, 2, 0);
	port(0, 1, 1000, 4096);
	check("1aa");
	t.engine[0].busy = 90;
	check("1--");
	t.engine[0].busy = 0;
	t.engine[0].speed = 900;
	check("1--");
	t.engine[0].speed = 3000;
	check("1-a");
}

/* The channels go to the queues with the longest copies, whichever comes first. */
TEST(most_to_gain)
{
	(void)state;
	node(0);
	lcores(1, 3, 0);
	engine('a', 0, 2, 0);
	port(0, 1, 1000, 2048);
	port(0, 1, 1000, 16384);
	port(0, 1, 1000, 3072);
	check("1-- 2aa 3--");
}

/* Fast and slow engine: each load is where it fits. */
TEST(speeds)
{
	(void)state;
	node(0);
	lcores(1, 2, 0);
	engine('s', 0, 2, 0);
	engine('f', 0, 2, 0);
	t.engine[0].speed = 1000;
	t.engine[1].speed = 8000;
	port(0, 1, 100, 8192);
	port(0, 1, 2000, 8192);
	check("2ss 1ff");
}

/* Queues are divided by load, not by number. */
TEST(loads)
{
	(void)state;
	node(0);
	lcores(1, 2, 0);
	port(0, 1, 1000, 1500);
	port(0, 1, 3000, 1500);
	port(0, 1, 1000, 1500);
	port(0, 1, 1000, 1500);
	check("2-- 1-- 2-- 2--");
}

/* A queue whose lcore is given stays there. */
TEST(given_lcore)
{
	struct dma_queue q;
	struct dma_places p;
	struct err e;
	unsigned int n;

	(void)state;
	two_nodes(0);
	port(0, 1, 1000, 1500);
	q = *queues(&n);
	q.lcore = 3;
	assert_int_equal(dma_place_all(&p, &t, &q, 1, NULL, &e), 0);
	assert_int_equal(p.place[0].lcore, 3);
	dma_place_free(&p);
}

TEST(all_taken)
{
	(void)state;
	node(0);
	lcores(1, 1, 0);
	engine('a', 0, 2, 2);
	engine('b', 0, 0, 0);
	engine('c', 0, 2, 1);
	port(0, 1, 1000, 4096);
	check("1-c");
}

/* Buffers are where memory is. */
TEST(no_memory)
{
	struct dma_places p;
	struct err e;
	unsigned int n;
	const struct dma_queue *q;

	(void)state;
	two_nodes(0);
	t.node[0].memory_mib = 0;
	port(0, 1, 1000, 1500);
	q = queues(&n);
	assert_int_equal(dma_place_all(&p, &t, q, n, NULL, &e), 0);
	assert_int_equal(p.place[0].pool_node, 1);
	dma_place_free(&p);
}

/* What is there is kept if nothing is cheaper, also if it is one of several that cost as much. */
TEST(present)
{
	struct dma_places was, now;
	struct err e;
	unsigned int n;
	const struct dma_queue *q;

	(void)state;
	node(0);
	lcores(1, 1, 0);
	engine('a', 0, 2, 0);
	engine('b', 0, 2, 0);
	port(0, 1, 1000, 4096);
	q = queues(&n);
	assert_int_equal(dma_place_all(&was, &t, q, n, NULL, &e), 0);
	assert_true(was.place[0].engine != was.place[1].engine);
	was.place[0].engine = !was.place[0].engine;
	was.place[1].engine = !was.place[1].engine;
	assert_int_equal(dma_place_all(&now, &t, q, n, &was, &e), 0);
	assert_int_equal(now.place[0].engine, was.place[0].engine);
	assert_int_equal(now.place[1].engine, was.place[1].engine);
	dma_place_free(&now);
	/* An engine that has no channels any more: the CPU copies, or the other engine. */
	t.engine[was.place[0].engine].channels = 0;
	assert_int_equal(dma_place_all(&now, &t, q, n, &was, &e), 0);
	assert_true(now.place[0].engine != was.place[0].engine);
	dma_place_free(&now);
	dma_place_free(&was);
}

static void
refused(const char *want)
{
	struct dma_places p;
	struct err e;
	unsigned int n;
	const struct dma_queue *q = queues(&n);

	assert_true(dma_place_all(&p, &t, q, n, NULL, &e) < 0);
	assert_string_equal(e.text, want);
	assert_null(p.place);
}

/* A description of what cannot be: each thing is named. */
TEST(bad)
{
	char said[64];

	(void)state;
	port(DMA_NODE_ANY, 1, 1000, 2048);
	refused("nothing to place: no lcores");
	clean(NULL);
	lcores(1, 1, DMA_NODE_ANY);
	refused("nothing to place: no ports");
	port(DMA_NODE_ANY, 1, 1000, 2048);
	engine('a', 3, 1, 0);
	refused("engine a is on node 3, which does not exist");
	t.engine[0].node = DMA_NODES;
	snprintf(said, sizeof(said), "engine a is on node %d, which does not exist", DMA_NODES);
	refused(said);
	t.engine[0].node = DMA_NODE_ANY;
	engine('a', DMA_NODE_ANY, 1, 0);
	refused("engine a is listed twice");
	t.engine[1].name[0] = 'b';
	t.engine[1].used = 2;
	refused("engine b: used 2: exceeds channels 1");
	t.n_engines = 0;
	t.lcore[0].node = 1;
	refused("lcore 1 is on node 1, which does not exist");
	t.lcore[0].node = DMA_NODE_ANY;
	t.port[0].node = -2;
	refused("port 0 is on node -2, which does not exist");
}

/* As many as fit. */
TEST(full)
{
	struct dma_places p;
	struct err e;
	unsigned int n;
	const struct dma_queue *q;

	(void)state;
	node(0);
	lcores(0, RTE_MAX_LCORE - 1, 0);
	for (unsigned int i = 0; i < DMA_ENGINES; i++)
		engine((char)('A' + i), 0, 32, i % 3);
	for (unsigned int i = 0; i < RTE_MAX_ETHPORTS; i++)
		port(0, 8, 100, 4096);
	q = queues(&n);
	assert_int_equal(dma_place_all(&p, &t, q, n, NULL, &e), 0);
	assert_int_equal(p.n, RTE_MAX_ETHPORTS * 16);
	for (unsigned int i = 0; i < p.n; i++)
		assert_true(p.place[i].engine >= 0);
	dma_place_free(&p);
}

/* Random machines: up to 3 nodes, lcores and engines, and 4 queues. */

static unsigned int
dice(uint64_t *seed, unsigned int least, unsigned int most)
{
	return least + seed_dice(seed, most - least + 1);
}

static void
machine(uint64_t *seed)
{
	const unsigned int nodes = dice(seed, 1, 3);
	const unsigned int all[] = { dice(seed, 1, 3), dice(seed, 0, 3), dice(seed, 1, 4) };

	clean(NULL);
	for (unsigned int i = 0; i < nodes; i++) {
		node(i);
		for (unsigned int k = 0; k < i; k++)
			t.node[i].distance[k] = t.node[k].distance[i] =
				(uint16_t)dice(seed, 11, 40);
	}
	for (unsigned int i = 0; i < all[0]; i++)
		lcores(i, i, (int)dice(seed, 0, nodes - 1));
	for (unsigned int i = 0; i < all[1]; i++) {
		engine((char)('a' + i), (int)dice(seed, 0, nodes - 1), dice(seed, 1, 3), 0);
		t.engine[i].used = dice(seed, 0, 1);
		t.engine[i].speed = dice(seed, 500, 12000);
		t.engine[i].busy = dice(seed, 0, 1) * dice(seed, 0, 100);
	}
	for (unsigned int i = 0; i < all[2]; i++)
		port((int)dice(seed, 0, nodes) - 1, 1, dice(seed, 10, 5000),
			dice(seed, 64, 1u << dice(seed, 8, 14)));
}

/* The least cost of all placements that have enough channels, queue q and those after it. */
static double
least_of_all(const struct dma_queue *queue, struct dma_places *p, unsigned int q,
	unsigned int *channels)
{
	struct dma_place *rx = &p->place[2 * q], *tx = rx + 1;
	double least = -1;

	if (2 * q == p->n)
		return dma_place_cost(&t, queue, p);
	for (unsigned int lcore = 0; lcore < t.n_lcores; lcore++)
		for (int i = -1; i < (int)t.n_engines; i++)
			for (int k = -1; k < (int)t.n_engines; k++) {
				double cost;

				if ((i >= 0 && channels[i] == 0) ||
					(k >= 0 && channels[k] < 1u + (i == k)))
					continue;
				rx->lcore = tx->lcore = lcore;
				rx->engine = i;
				tx->engine = k;
				if (i >= 0)
					channels[i]--;
				if (k >= 0)
					channels[k]--;
				cost = least_of_all(queue, p, q + 1, channels);
				if (least < 0 || cost < least)
					least = cost;
				if (i >= 0)
					channels[i]++;
				if (k >= 0)
					channels[k]++;
			}
	return least;
}

/* Placements that a search through all of them would visit, or more. */
static double
placements(unsigned int n)
{
	double all = 1;

	for (unsigned int i = 0; i < n; i++)
		all *= t.n_lcores * (t.n_engines + 1.0) * (t.n_engines + 1.0);
	return all;
}

/*
 * 1,000 machines: at most 5 % above the least cost of all placements. The places are those that were
 * found, the cost is computed anew, and no engine has more users than channels.
 */
TEST(near_the_least)
{
	double sum = 0, worst = 0;
	uint64_t seed = test_seed;
	unsigned int machines = 0, exact = 0;

	(void)state;
	while (machines < 1000) {
		unsigned int channels[DMA_ENGINES], n;
		struct dma_places found, all;
		const struct dma_queue *q;
		struct err e;
		double cost, least;

		machine(&seed);
		q = queues(&n);
		if (placements(n) > 20000)
			continue;
		machines++;
		assert_int_equal(dma_place_all(&found, &t, q, n, NULL, &e), 0);
		for (unsigned int i = 0; i < t.n_engines; i++) {
			unsigned int users = 0;

			channels[i] = t.engine[i].channels - t.engine[i].used;
			for (unsigned int k = 0; k < found.n; k++)
				users += found.place[k].engine == (int)i;
			assert_true(users <= channels[i]);
		}
		cost = dma_place_cost(&t, q, &found);
		all = found;
		least = least_of_all(q, &all, 0, channels);
		dma_place_free(&found);
		if (cost > least * 1.05 || cost < least * (1 - 1e-9))
			fail_msg("machine %u: cost %f, least %f", machines, cost, least);
		exact += cost <= least * (1 + 1e-9);
		sum += cost / least - 1;
		worst = cost / least - 1 > worst ? cost / least - 1 : worst;
	}
	print_message("# 1000 machines: mean gap %.4f %%, largest %.2f %%, %u at the least cost\n",
		sum / 10, worst * 100, exact);
}

/* Two queues for one channel. Their loads vary by noise percent around 1000 and second. Returns how
 * often the placement changes in 1000 periods. */
static unsigned int
changes(struct dma_patience *patience, uint64_t *seed, unsigned int noise, double second)
{
	struct dma_places p = { 0 }, next;
	unsigned int n, changed = 0;
	struct dma_queue *q;
	struct err e;

	q = dma_cost_queues(&t, &n);
	for (unsigned int i = 0; i < 1000; i++) {
		for (unsigned int k = 0; k < n; k++)
			q[k].load[0].bytes = (k == 0 ? 1000 : second) * 1e4 *
				dice(seed, 100 - noise, 100 + noise);
		assert_int_equal(dma_place_all(&next, &t, q, n, p.place != NULL ? &p : NULL, &e),
			0);
		if (p.place != NULL &&
			!dma_cost_adopt(patience, dma_place_cost(&t, q, &p), next.cost)) {
			dma_place_free(&next);
			continue;
		}
		changed += p.place != NULL;
		dma_place_free(&p);
		p = next;
	}
	dma_place_free(&p);
	free(q);
	return changed;
}

/* Loads that vary by 30 % do not make the placement change, though without patience they would. */
TEST(noise)
{
	struct dma_patience none = { 0, 1, 0 }, some = { 10, 5, 0 };
	uint64_t seed = test_seed;

	(void)state;
	node(0);
	lcores(1, 2, 0);
	engine('a', 0, 1, 0);
	port(0, 1, 1000, 8192);
	port(0, 1, 1000, 8192);
	assert_true(changes(&none, &seed, 30, 1000) > 100);
	assert_true(changes(&some, &seed, 30, 1000) <= 1);
	assert_true(changes(&some, &seed, 30, 3000) <= 1);
}

/* A gain has to last for all periods, one after another, and to be more than the percentage. */
TEST(patience)
{
	struct dma_patience p = { 10, 3, 0 };

	(void)state;
	for (unsigned int round = 0; round < 2; round++) {
		assert_false(dma_cost_adopt(&p, 1, 0.85));
		assert_false(dma_cost_adopt(&p, 1, 0.85));
		assert_true(dma_cost_adopt(&p, 1, 0.85));
	}
	assert_false(dma_cost_adopt(&p, 1, 0.85));
	assert_false(dma_cost_adopt(&p, 1, 0.85));
	assert_false(dma_cost_adopt(&p, 1, 0.9)); /* as much is not more */
	assert_false(dma_cost_adopt(&p, 1, 0.85));
	assert_false(dma_cost_adopt(&p, 1, 0.85));
	assert_true(dma_cost_adopt(&p, 1, 0.85));
	for (unsigned int i = 0; i < 10; i++) /* too little to matter */
		assert_false(dma_cost_adopt(&p, DMA_COST_NOTHING, 0));
}

/* The lcores of streams from and to the n ports of guests, by number; port 9 is none. */
static void
check_streams(struct plan_stream *stream, unsigned int n_streams, const char *want)
{
	const struct plan plan = { .streams = stream, .n_streams = n_streams };
	unsigned int lcore[8], n;
	const struct dma_queue *q = queues(&n);
	char got[sizeof(lcore) / sizeof(*lcore) + 1] = "";
	struct err e;

	assert_int_equal(dma_streams_place(lcore, &plan, &t, q, n, &e), 0);
	for (unsigned int i = 0; i < n_streams; i++)
		got[i] = (char)('0' + lcore[i]);
	assert_string_equal(got, want);
}

/* Streams are on their guests' nodes; on a node, the least loaded lcore gets the next one. */
TEST(streams)
{
	struct plan_stream both[] = { { 9, 0, 0, 0, 1 }, { 0, 0, 9, 0, 1 }, { 9, 1, 1, 0, 1 },
		{ 1, 0, 9, 1, 1 } };
	struct plan_stream one_way[] = { { 9, 0, 0, 0, 1 }, { 9, 0, 1, 0, 1 }, { 9, 0, 2, 0, 1 },
		{ 9, 0, 9, 0, 1 } };
	struct plan_stream none[] = { { 9, 0, 9, 1, 3 }, { 9, 1, 9, 0, 2 } };

	node(0);
	node(1);
	lcores(1, 2, 0);
	lcores(3, 4, 1);
	engine('a', 1, 2, 0);
	engine('b', 0, 2, 0);
	port(1, 1, 1000, 8192);
	port(0, 1, 1000, 8192);
	check_streams(both, 4, "3412");
	check_streams(none, 2, "32");
	/* The largest load has an lcore of its own, and the two others share one. */
	clean(NULL);
	node(0);
	lcores(1, 2, 0);
	port(0, 1, 100, 2048);
	port(0, 1, 900, 2048);
	port(0, 1, 200, 2048);
	check_streams(one_way, 3, "212");
	/* One without a guest comes last. */
	check_streams(one_way, 4, "2122");
}

TESTS(.before = clean);
