/* dma placement auto: the queues that the planner gets, with their lcores and nodes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "features/dma/dma_auto_priv.h"
#include "fixtures/unit.h"

#include <pthread.h>
#include <stdlib.h>

enum { PORT = 7 };

/* A queue is placed for the lcore that receives from it, or that transmits to it. */
TEST(test_lcores)
{
	static const struct {
		struct plan_stream stream;
		int lcore; /* index in the topology */
	} cases[] = {
		{ { .rx_port = PORT, .rx_queue = 1, .tx_port = 0, .lcore = 5 }, 1 },
		{ { .rx_port = 0, .rx_queue = 0, .tx_port = PORT, .tx_queue = 1, .lcore = 5 }, 1 },
		{ { .rx_port = 0, .rx_queue = 0, .tx_port = PORT, .tx_queue = 1, .lcore = 3 }, 0 },
		/* other queues, other ports, and an lcore that is not in the topology */
		{ { .rx_port = 0, .rx_queue = 1, .tx_port = PORT, .tx_queue = 0, .lcore = 5 }, 0 },
		{ { .rx_port = 0, .rx_queue = 1, .tx_port = 0, .tx_queue = 1, .lcore = 5 }, 0 },
		{ { .rx_port = 0, .rx_queue = 0, .tx_port = PORT, .tx_queue = 1, .lcore = 9 }, 0 },
	};
	static struct app app;
	struct run *r = &app.run;
	struct dma_auto a = { .ports = &app.ports,
		.run = r,
		.now = { .lcore = { { 3, 0 }, { 5, 0 } }, .n_lcores = 2 } };
	struct guest_queue queue = { .port = PORT, .queue = 1 };
	struct guest_queues qs = { .queue = &queue, .n = 1 };

	pthread_mutex_init(&r->lock, NULL);
	app.ports.tsc_hz = 1e6;
	r->running = true;
	r->plan.n_streams = 1;
	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct plan_stream stream = cases[i].stream;
		struct dma_queue *loads;

		r->plan.streams = &stream;
		loads = dma_plan_loads(&a, &qs);
		assert_non_null(loads);
		assert_int_equal(loads[0].lcore, cases[i].lcore);
		free(loads);
	}
	r->plan.streams = NULL;
}

/* Two lcores: that away from the port's node counts, in whatever order; with both away, the first. */
TEST(test_two_lcores)
{
	static const struct {
		unsigned int receives, sends;
		int node, lcore; /* of the port; index in the topology */
	} cases[] = { { 3, 5, 1, 0 }, { 5, 3, 1, 0 }, { 3, 5, 0, 1 }, { 5, 3, 0, 1 },
		{ 5, 3, 2, 1 }, { 3, 3, 1, 0 } };
	static struct app app;
	struct run *r = &app.run;
	struct guest_queue queue = { .port = PORT, .queue = 1 };
	struct guest_queues qs = { .queue = &queue, .n = 1 };

	pthread_mutex_init(&r->lock, NULL);
	r->running = true;
	r->plan.n_streams = 2;
	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct plan_stream streams[] = {
			{ .rx_port = PORT,
				.rx_queue = 1,
				.tx_port = 0,
				.lcore = cases[i].receives },
			{ .rx_port = 0, .tx_port = PORT, .tx_queue = 1, .lcore = cases[i].sends },
		};
		struct dma_auto a = { .ports = &app.ports,
			.run = r,
			.now = { .lcore = { { 3, 0 }, { 5, 1 } },
				.n_lcores = 2,
				.port = { { .id = PORT, .node = cases[i].node } },
				.n_ports = 1 } };
		struct dma_queue *loads;

		r->plan.streams = streams;
		loads = dma_plan_loads(&a, &qs);
		assert_non_null(loads);
		assert_int_equal(loads[0].lcore, cases[i].lcore);
		free(loads);
	}
}

/* Each queue has the node of its port, though there are more queues than ports. */
TEST(test_nodes)
{
	struct dma_auto a = {
		.now = { .port = { { .id = PORT, .node = 2 }, { .id = PORT + 1, .node = 1 } },
			.n_ports = 2 }
	};
	struct guest_queue queue[] = { { .port = PORT, .queue = 0 }, { .port = PORT, .queue = 1 },
		{ .port = PORT + 1, .queue = 0 } };
	const int node[ARRAY_SIZE(queue)] = { 2, 2, 1 };
	struct guest_queues qs = { .queue = queue, .n = ARRAY_SIZE(queue) };
	struct dma_queue *to = dma_plan_queues(&a, &qs);

	assert_non_null(to);
	for (unsigned int i = 0; i < ARRAY_SIZE(queue); i++) {
		assert_int_equal(to[i].port, queue[i].port);
		assert_int_equal(to[i].queue, queue[i].queue);
		assert_int_equal(to[i].node, node[i]);
		assert_int_equal(to[i].lcore, -1);
	}
	free(to);
}
