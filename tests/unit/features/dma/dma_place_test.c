/* Placements on topologies of one and two nodes, with engines for all, for some, for none. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/dma/dma_place.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/unit.h"

#include <stdio.h>
#include <string.h>

/* What a queue is to get; engine: a letter of its name, '-' for none. */
struct want {
	uint16_t port, queue;
	bool tx;
	char engine;
	unsigned int channel, lcore;
	int pool_node;
	bool remote;
};

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
	t.engine[t.n_engines++] = (struct dma_engine){ { name }, on, channels, used };
}

static void
port(uint16_t id, int on, unsigned int queues)
{
	t.port[t.n_ports++] = (struct dma_port){ id, on, queues };
}

static void
check(const char *world, const struct want *want, unsigned int n)
{
	struct dma_places p;
	struct err e;

	err_clear(&e);
	assert_int_equal(dma_place_all(&p, &t, &e), 0);
	assert_int_equal(p.n, n);
	for (unsigned int i = 0; i < n; i++) {
		const struct dma_place *got = &p.place[i];
		const char name = got->engine >= 0 ? t.engine[got->engine].name[0] : '-';

		if (got->port != want[i].port || got->queue != want[i].queue ||
			name != want[i].engine || got->channel != want[i].channel ||
			got->lcore != want[i].lcore || got->pool_node != want[i].pool_node ||
			got->tx != want[i].tx || got->remote != want[i].remote)
			fail_msg("%s: port %u queue %u %d: %c:%u lcore %u pool %d %d, %s", world,
				got->port, got->queue, got->tx, name, got->channel, got->lcore,
				got->pool_node, got->remote, got->reason);
		assert_true(got->reason[0] != '\0');
	}
	dma_place_free(&p);
}
#define CHECK(...) \
	check(__func__, (const struct want[]){ __VA_ARGS__ }, \
		ARRAY_SIZE(((const struct want[]){ __VA_ARGS__ })))

static int
clean(void **state)
{
	(void)state;
	memset(&t, 0, sizeof(t));
	return 0;
}

static void
one_node(void **state)
{
	(void)state;
	node(0);
	lcores(1, 2, 0);
	engine('a', 0, 2, 0);
	engine('b', 0, 2, 0);
	port(0, 0, 1);
	port(1, 0, 1);
	CHECK({ 0, 0, false, 'a', 0, 1, 0, false }, { 0, 0, true, 'b', 0, 1, 0, false },
		{ 1, 0, false, 'a', 1, 2, 0, false }, { 1, 0, true, 'b', 1, 2, 0, false });
}

/* Each port is served on its own node, whatever the order. */
static void
two_nodes(void **state)
{
	(void)state;
	node(0);
	node(1);
	lcores(1, 2, 0);
	lcores(5, 6, 1);
	engine('a', 0, 2, 0);
	engine('b', 1, 2, 0);
	port(0, 1, 1);
	port(1, 0, 1);
	CHECK({ 0, 0, false, 'b', 0, 5, 1, false }, { 0, 0, true, 'b', 1, 5, 1, false },
		{ 1, 0, false, 'a', 0, 1, 0, false }, { 1, 0, true, 'a', 1, 1, 0, false });
}

/* One that nobody knows the node of does not take what another is near to. */
static void
known_first(void **state)
{
	(void)state;
	node(0);
	node(1);
	lcores(1, 1, 0);
	lcores(5, 5, 1);
	engine('a', 0, 2, 0);
	engine('b', 1, 2, 0);
	port(0, DMA_NODE_ANY, 1);
	port(1, 0, 1);
	CHECK({ 0, 0, false, 'b', 0, 5, 1, false }, { 0, 0, true, 'b', 1, 5, 1, false },
		{ 1, 0, false, 'a', 0, 1, 0, false }, { 1, 0, true, 'a', 1, 1, 0, false });
}

/* Engines on one node only: the lcore goes with the engine, as that is what costs most when far. */
static void
engines_on_one(void **state)
{
	(void)state;
	node(0);
	node(1);
	t.node[0].distance[1] = t.node[1].distance[0] = 21;
	lcores(1, 2, 0);
	lcores(5, 6, 1);
	engine('a', 0, 4, 0);
	port(0, 0, 1);
	port(1, 1, 1);
	CHECK({ 0, 0, false, 'a', 0, 1, 0, false }, { 0, 0, true, 'a', 1, 1, 0, false },
		{ 1, 0, false, 'a', 2, 2, 0, true }, { 1, 0, true, 'a', 3, 2, 0, true });
}

/* An lcore that is free on the other node is better than one that is shared. */
static void
busy_lcore(void **state)
{
	(void)state;
	node(0);
	node(1);
	lcores(1, 1, 0);
	lcores(5, 5, 1);
	engine('a', 0, 4, 0);
	port(0, 0, 2);
	CHECK({ 0, 0, false, 'a', 0, 1, 0, false }, { 0, 0, true, 'a', 1, 1, 0, false },
		{ 0, 1, false, 'a', 2, 5, 0, true }, { 0, 1, true, 'a', 3, 5, 0, true });
}

/* Nodes four times as far: now the lcore is shared. */
static void
far_lcore(void **state)
{
	(void)state;
	node(0);
	node(1);
	t.node[0].distance[1] = t.node[1].distance[0] = 40;
	lcores(1, 1, 0);
	lcores(5, 5, 1);
	engine('a', 0, 4, 0);
	port(0, 0, 2);
	CHECK({ 0, 0, false, 'a', 0, 1, 0, false }, { 0, 0, true, 'a', 1, 1, 0, false },
		{ 0, 1, false, 'a', 2, 1, 0, false }, { 0, 1, true, 'a', 3, 1, 0, false });
}

/* More ports than engines: the first queue of every port comes before the second of any. */
static void
more_queues_than_channels(void **state)
{
	(void)state;
	node(0);
	lcores(1, 2, 0);
	engine('a', 0, 3, 0);
	port(0, 0, 2);
	port(1, 0, 1);
	CHECK({ 0, 0, false, 'a', 0, 1, 0, false }, { 0, 0, true, 'a', 1, 1, 0, false },
		{ 0, 1, false, '-', 0, 1, 0, false }, { 0, 1, true, '-', 0, 1, 0, false },
		{ 1, 0, false, 'a', 2, 2, 0, false }, { 1, 0, true, '-', 0, 2, 0, false });
}

/* What others have is not to be had: the CPU copies. */
static void
all_taken(void **state)
{
	(void)state;
	node(0);
	lcores(1, 1, 0);
	engine('a', 0, 2, 2);
	engine('b', 0, 0, 0);
	engine('c', 0, 2, 1);
	port(0, 0, 1);
	CHECK({ 0, 0, false, 'c', 1, 1, 0, false }, { 0, 0, true, '-', 0, 1, 0, false });
}

static void
no_engine(void **state)
{
	(void)state;
	node(0);
	lcores(1, 2, 0);
	port(0, 0, 2);
	CHECK({ 0, 0, false, '-', 0, 1, 0, false }, { 0, 0, true, '-', 0, 1, 0, false },
		{ 0, 1, false, '-', 0, 2, 0, false }, { 0, 1, true, '-', 0, 2, 0, false });
}

/* Buffers are where memory is. */
static void
no_memory(void **state)
{
	(void)state;
	node(0);
	node(1);
	t.node[0].memory_mib = 0;
	lcores(1, 1, 0);
	engine('a', 0, 2, 0);
	port(0, 0, 1);
	CHECK({ 0, 0, false, 'a', 0, 1, 1, true }, { 0, 0, true, 'a', 1, 1, 1, true });
}

static void
nothing(void **state)
{
	struct dma_places p;
	struct err e;

	(void)state;
	port(0, DMA_NODE_ANY, 1);
	assert_true(dma_place_all(&p, &t, &e) < 0);
	assert_string_equal(e.text, "nothing to place: no lcores");
	clean(NULL);
	lcores(1, 1, 0);
	assert_true(dma_place_all(&p, &t, &e) < 0);
	assert_string_equal(e.text, "nothing to place: no ports");
}

/* As many as fit. */
static void
full(void **state)
{
	struct dma_places p;
	struct err e;

	(void)state;
	node(0);
	lcores(0, RTE_MAX_LCORE - 1, 0);
	for (unsigned int i = 0; i < DMA_ENGINES; i++)
		engine('a', 0, 32, i % 3);
	for (unsigned int i = 0; i < RTE_MAX_ETHPORTS; i++)
		port((uint16_t)i, 0, 8);
	assert_int_equal(dma_place_all(&p, &t, &e), 0);
	assert_int_equal(p.n, RTE_MAX_ETHPORTS * 16);
	for (unsigned int i = 0; i < p.n; i++)
		assert_true(p.place[i].engine >= 0);
	dma_place_free(&p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(one_node, clean),
		cmocka_unit_test_setup(two_nodes, clean),
		cmocka_unit_test_setup(known_first, clean),
		cmocka_unit_test_setup(engines_on_one, clean),
		cmocka_unit_test_setup(busy_lcore, clean),
		cmocka_unit_test_setup(far_lcore, clean),
		cmocka_unit_test_setup(more_queues_than_channels, clean),
		cmocka_unit_test_setup(all_taken, clean),
		cmocka_unit_test_setup(no_engine, clean),
		cmocka_unit_test_setup(no_memory, clean),
		cmocka_unit_test_setup(nothing, clean),
		cmocka_unit_test_setup(full, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
