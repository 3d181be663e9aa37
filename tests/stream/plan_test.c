/* The plan: topologies, queues, and which lcore gets which stream. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream/plan.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <string.h>

static struct plan_choice
choice(unsigned int ports, unsigned int lcores, unsigned int queues, enum plan_topology topology)
{
	struct plan_choice c = { .n_ports = ports,
		.use_ports = ports,
		.n_lcores = lcores,
		.use_lcores = lcores,
		.topology = topology,
		.n_rxq = queues,
		.n_txq = queues };
	unsigned int i;

	for (i = 0; i < ports; i++)
		c.ports[i] = (uint16_t)(i + 10);
	for (i = 0; i < lcores; i++)
		c.lcores[i] = i + 1;
	return c;
}

TEST(peers)
{
	static const struct {
		enum plan_topology topology;
		unsigned int n, peer[5];
	} rows[] = {
		{ PLAN_PAIRED, 2, { 1, 0 } },
		{ PLAN_PAIRED, 5, { 1, 0, 3, 2, 4 } },
		{ PLAN_PAIRED, 1, { 0 } },
		{ PLAN_CHAINED, 3, { 1, 2, 0 } },
		{ PLAN_CHAINED, 1, { 0 } },
		{ PLAN_LOOP, 3, { 0, 1, 2 } },
	};
	unsigned int r, i;

	for (r = 0; r < ARRAY_SIZE(rows); r++)
		for (i = 0; i < rows[r].n; i++)
			assert_int_equal(plan_peer(rows[r].topology, i, rows[r].n),
				rows[r].peer[i]);
}

/*
 * Streams as testpmd orders them: all ports of queue 0, then of queue 1; port numbers through the
 * list.
 */
TEST(routes_by_queue)
{
	struct plan_choice c = choice(2, 2, 2, PLAN_PAIRED);
	static const struct plan_stream expected[] = {
		{ 10, 0, 11, 0, 1 },
		{ 11, 0, 10, 0, 1 },
		{ 10, 1, 11, 1, 2 },
		{ 11, 1, 10, 1, 2 },
	};
	struct plan p;
	struct err e;
	unsigned int i;

	err_clear(&e);
	assert_int_equal(plan_make(&p, &c, &e), 0);
	assert_int_equal(p.n_streams, 4);
	for (i = 0; i < 4; i++)
		assert_memory_equal(&p.streams[i], &expected[i], sizeof(expected[i]));
	plan_free(&p);
}

TEST(echo_leads_back)
{
	struct plan_choice c = choice(2, 1, 2, PLAN_PAIRED);
	struct plan p;
	struct err e;
	unsigned int i;

	c.echo = true;
	assert_int_equal(plan_make(&p, &c, &e), 0);
	assert_int_equal(p.n_streams, 4);
	for (i = 0; i < 4; i++) {
		assert_int_equal(p.streams[i].rx_port, p.streams[i].tx_port);
		assert_int_equal(p.streams[i].rx_queue, p.streams[i].tx_queue);
		assert_int_equal(p.streams[i].rx_port, 10 + i / 2);
	}
	plan_free(&p);
}

/*
 * Every stream on one lcore, neighbours together, the later lcores one more when there is a rest.
 */
TEST(dealing)
{
	static const struct {
		unsigned int ports, lcores, queues, n_lcores, each[4];
	} rows[] = {
		{ 2, 1, 1, 1, { 2 } },
		{ 2, 4, 1, 2, { 1, 1 } },
		{ 2, 3, 2, 3, { 1, 1, 2 } },
		{ 5, 2, 1, 2, { 2, 3 } },
		{ 4, 4, 4, 4, { 4, 4, 4, 4 } },
		{ 3, 4, 2, 4, { 1, 1, 2, 2 } },
	};
	unsigned int r, i, k, at;
	struct err e;

	for (r = 0; r < ARRAY_SIZE(rows); r++) {
		struct plan_choice c =
			choice(rows[r].ports, rows[r].lcores, rows[r].queues, PLAN_CHAINED);
		struct plan p;

		assert_int_equal(plan_make(&p, &c, &e), 0);
		assert_int_equal(p.n_lcores, rows[r].n_lcores);
		for (i = 0, at = 0; i < p.n_lcores; i++) {
			assert_int_equal(p.lcores[i].n, rows[r].each[i]);
			assert_int_equal(p.lcores[i].first, at);
			for (k = 0; k < p.lcores[i].n; k++)
				assert_int_equal(p.streams[at++].lcore, c.lcores[i]);
		}
		assert_int_equal(at, p.n_streams);
		plan_free(&p);
	}
}

/* No transmit queue is ever owned by two streams, whatever the counts. */
TEST(no_shared_queue)
{
	unsigned int rxq, txq, i, k;
	struct err e;

	for (rxq = 1; rxq < 5; rxq++) {
		for (txq = 1; txq < 5; txq++) {
			struct plan_choice c = choice(4, 3, rxq, PLAN_PAIRED);
			struct plan p;

			c.n_txq = txq;
			assert_int_equal(plan_make(&p, &c, &e), 0);
			assert_int_equal(p.n_streams, 4 * (rxq < txq ? rxq : txq));
			for (i = 0; i < p.n_streams; i++)
				for (k = 0; k < i; k++)
					assert_false(p.streams[i].tx_port == p.streams[k].tx_port &&
						p.streams[i].tx_queue == p.streams[k].tx_queue);
			plan_free(&p);
		}
	}
}

TEST(refusals)
{
	static const struct {
		unsigned int ports, lcores, queues;
		const char *word;
	} rows[] = {
		{ 0, 1, 1, "port" },
		{ 2, 0, 1, "lcore" },
		{ 2, 1, 0, "queue" },
	};
	unsigned int r;

	for (r = 0; r < ARRAY_SIZE(rows); r++) {
		struct plan_choice c =
			choice(rows[r].ports, rows[r].lcores, rows[r].queues, PLAN_PAIRED);
		struct plan p;
		struct err e;

		err_clear(&e);
		assert_int_equal(plan_make(&p, &c, &e), -EINVAL);
		assert_non_null(strstr(e.text, rows[r].word));
		plan_free(&p);
	}
}

/* Streams get other lcores; those of one are together, in their order. */
TEST(assigned)
{
	static const unsigned int lcore[] = { 3, 1, 3, 1 };
	static const struct plan_stream expected[] = {
		{ 10, 0, 11, 0, 3 },
		{ 10, 1, 11, 1, 3 },
		{ 11, 0, 10, 0, 1 },
		{ 11, 1, 10, 1, 1 },
	};
	struct plan_choice c = choice(2, 3, 2, PLAN_PAIRED);
	struct plan p;
	struct err e;

	err_clear(&e);
	assert_int_equal(plan_make(&p, &c, &e), 0);
	assert_int_equal(plan_assign(&p, lcore, &e), 0);
	assert_int_equal(p.n_streams, 4);
	for (unsigned int i = 0; i < 4; i++)
		assert_memory_equal(&p.streams[i], &expected[i], sizeof(expected[i]));
	assert_int_equal(p.n_lcores, 2);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(p.lcores[i].lcore, i == 0 ? 3 : 1);
		assert_int_equal(p.lcores[i].first, 2 * i);
		assert_int_equal(p.lcores[i].n, 2);
	}
	plan_free(&p);
}

/* Of two lcores with two streams each: what parts leave of them. */
TEST(kept)
{
	enum { WHOLE = PLAN_KEPT | PLAN_RECEIVES | PLAN_SENDS };
	static const struct {
		unsigned int parts[4], n_streams, n_lcores, lcore, n, idle;
		uint16_t rx_port, rx_queue; /* of the first stream that is left */
		bool tx_stopped;
	} rows[] = {
		{ { WHOLE, WHOLE, WHOLE, WHOLE }, 4, 2, 1, 2, 0, 10, 0, false },
		{ { 0, WHOLE, WHOLE, WHOLE }, 3, 2, 1, 1, 0, 11, 0, false },
		{ { 0, PLAN_SENDS, WHOLE, WHOLE }, 2, 1, 2, 2, 0, 10, 1, false },
		{ { PLAN_KEPT | PLAN_SENDS, WHOLE, 0, 0 }, 2, 1, 1, 2, 1, 11, 0, false },
		{ { PLAN_KEPT | PLAN_RECEIVES, PLAN_KEPT, 0, 0 }, 2, 1, 1, 2, 1, 10, 0, true },
		{ { 0, 0, 0, 0 }, 4, 0, 0, 0, 0, 10, 0, false },
	};

	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		struct plan_choice c = choice(2, 2, 2, PLAN_PAIRED);
		struct plan p;
		struct err e;

		err_clear(&e);
		c.n_helpers = 1;
		c.helpers[0] = 7;
		assert_int_equal(plan_make(&p, &c, &e), 0);
		assert_int_equal(plan_keep(&p, rows[r].parts, &e), 0);
		assert_int_equal(p.n_streams, rows[r].n_streams);
		assert_int_equal(p.n_lcores, rows[r].n_lcores);
		assert_int_equal(p.n_helpers, rows[r].n_lcores > 0);
		assert_int_equal(p.streams[0].rx_port, rows[r].rx_port);
		assert_int_equal(p.streams[0].rx_queue, rows[r].rx_queue);
		assert_int_equal(p.streams[0].tx_stopped, rows[r].tx_stopped);
		if (p.n_lcores > 0) {
			assert_int_equal(p.lcores[0].lcore, rows[r].lcore);
			assert_int_equal(p.lcores[0].first, 0);
			assert_int_equal(p.lcores[0].n, rows[r].n);
			assert_int_equal(p.lcores[0].idle, rows[r].idle);
		}
		plan_free(&p);
	}
}
