/* Why pools and streams stay where they are: each reason of dma placement auto is provoked, and is said
 * once, by its words. The linker puts the functions named __wrap_* in the place of those of ports, of
 * the vhost driver and of the run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "features/dma/dma_auto_priv.h"
#include "fixtures/unit.h"
#include "memory/pool.h"
#include "pmd_shims/drivers/async_vhost/net_async_vhost.h"
#include "port/port.h"
#include "port/port_setup.h"
#include "run/run_move.h"
#include "stream/stream.h"

#include <rte_ethdev.h>
#include <rte_log.h>
#include <rte_mempool.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PORT = 7, TX_PORT = 9, FROM, TO, RING = 256, SETUPS = 4 };

static const int node_of[] = { [FROM] = 0, [TO] = 1 };

/* What the functions in the place of others answer; changed by a test. */
static struct world {
	struct port port, tx_port;
	struct port_queue rxq, txq;
	struct rte_mempool pool[2];
	bool node_1_has_none, gone, other_pool;
	unsigned int free_buffers;
	int16_t dma; /* of the queue */
	uint64_t in_flight;
	int setup_error, start_error, move_error;
	bool meanwhile; /* the lcores rest, and what is to be done meanwhile is */
	double us;
	unsigned int stops, starts, n_setups;
	int setup_node[SETUPS];

	struct ports ports;
	struct run run;
	struct plan_stream stream;
	struct stream *polled;
	struct dma_auto a;
	struct guest_queue queue, before;
	struct guest_queues qs;
	struct dma_queue placed;
	FILE *log;
	char *logged;
	size_t logged_n;
} w;

/* In the place of others. */

struct port *__wrap_port_at(const struct ports *, uint16_t);
struct rte_mempool *__wrap_pool_for(const struct pools *, int, unsigned int);
struct rte_mempool *__wrap_port_rx_pool(const struct port *, uint16_t, int);
int __wrap_port_setup_rxq(struct ports *, struct port *, uint16_t, struct err *);
int __wrap_net_async_vhost_virtqueue(uint16_t, uint16_t, bool, struct net_async_vhost_virtqueue *);
int __wrap_rte_eth_rx_queue_info_get(uint16_t, uint16_t, struct rte_eth_rxq_info *);
int __wrap_rte_eth_dev_stop(uint16_t);
int __wrap_rte_eth_dev_start(uint16_t);
unsigned int __wrap_rte_mempool_avail_count(const struct rte_mempool *);
int __wrap_run_move(struct run *, const unsigned int *, unsigned int, run_move_pause *, void *,
	double *, struct err *);

struct port *
__wrap_port_at(const struct ports *ps, uint16_t id)
{
	return id == TX_PORT ? &w.tx_port : w.gone ? NULL : &w.port;
}

struct rte_mempool *
__wrap_pool_for(const struct pools *p, int socket, unsigned int size)
{
	return &w.pool[w.node_1_has_none ? 0 : socket];
}

struct rte_mempool *
__wrap_port_rx_pool(const struct port *p, uint16_t queue, int socket)
{
	return &w.pool[p->rxq[queue].pool_socket - 1];
}

int
__wrap_port_setup_rxq(struct ports *ps, struct port *p, uint16_t queue, struct err *e)
{
	assert_int_equal(w.stops, w.starts + 1);
	assert_true(w.n_setups < SETUPS);
	w.setup_node[w.n_setups++] = p->rxq[queue].pool_socket - 1;
	return w.setup_error != 0 && w.n_setups == 1
		? err_set(e, w.setup_error, "port 7: no memory for a queue")
		: 0;
}

int
__wrap_net_async_vhost_virtqueue(uint16_t port, uint16_t queue, bool rx,
	struct net_async_vhost_virtqueue *to)
{
	memset(to, 0, sizeof(*to));
	to->dma = w.dma;
	to->stats.in_flight = w.in_flight;
	to->descriptors = RING;
	return 0;
}

int
__wrap_rte_eth_rx_queue_info_get(uint16_t port, uint16_t queue, struct rte_eth_rxq_info *info)
{
	memset(info, 0, sizeof(*info));
	info->mp = w.other_pool ? NULL : &w.pool[0];
	return 0;
}

int
__wrap_rte_eth_dev_stop(uint16_t port)
{
	w.stops++;
	return 0;
}

int
__wrap_rte_eth_dev_start(uint16_t port)
{
	w.starts++;
	return w.start_error;
}

unsigned int
__wrap_rte_mempool_avail_count(const struct rte_mempool *mp)
{
	return w.free_buffers;
}

int
__wrap_run_move(struct run *r, const unsigned int *lcore, unsigned int n, run_move_pause *meanwhile,
	void *context, double *us, struct err *e)
{
	*us = w.us;
	if (w.move_error != 0)
		return err_set(e, w.move_error, "lcore 3 waits for a full Tx ring");
	return meanwhile != NULL ? meanwhile(context, e) : 0;
}

/* The world of a test: a queue of a guest on node 1, which the placement has there but for its pool. */

static void
begin(void)
{
	memset(&w, 0, sizeof(w));
	pthread_mutex_init(&w.ports.reading, NULL);
	pthread_mutex_init(&w.run.lock, NULL);
	for (int i = 0; i < 2; i++) {
		snprintf(w.pool[i].name, sizeof(w.pool[i].name), "mb_pool_%d", i);
		w.pool[i].socket_id = i;
	}
	w.free_buffers = RING;
	w.dma = -1;
	w.port.state = PORT_STARTED;
	w.port.rxq = &w.rxq;
	w.tx_port.txq = &w.txq;
	w.stream = (struct plan_stream){ .rx_port = PORT, .tx_port = TX_PORT, .lcore = 3 };
	w.run.running = true;
	w.run.n_runs = 5;
	w.run.plan.streams = &w.stream;
	w.run.plan.n_streams = 1;
	w.polled = calloc(1, sizeof(*w.polled));
	w.polled->rx_port = PORT;
	w.run.streams = &w.polled;
	w.a = (struct dma_auto){ .ports = &w.ports, .run = &w.run };
	w.a.now.node[0].there = w.a.now.node[1].there = true;
	w.a.now.node[0].memory_mib = w.a.now.node[1].memory_mib = 1024;
	w.a.now.lcore[0] = (struct dma_lcore){ 3, 1 };
	w.a.now.n_lcores = 1;
	w.queue = (struct guest_queue){ .port = PORT, .polled = true, .pool_to = -1 };
	for (int i = 0; i < GUEST_WAYS; i++)
		w.queue.way[i].at = w.queue.way[i].to = (struct dma_channel){ -1, 0 };
	w.before = w.queue;
	w.before.away = DMA_PERIODS - 1;
	w.a.before = (struct guest_queues){ .queue = &w.before, .n = 1 };
	w.qs = (struct guest_queues){ .queue = &w.queue, .n = 1 };
	w.placed = (struct dma_queue){ .port = PORT, .node = 1 };
	w.log = open_memstream(&w.logged, &w.logged_n);
	rte_openlog_stream(w.log);
}

static void
end(void)
{
	rte_openlog_stream(NULL);
	fclose(w.log);
	free(w.logged);
	free(w.polled);
}

/* The whole log of the test. */
static void
check_said(const char *line)
{
	fflush(w.log);
	assert_string_equal(w.logged, line);
}

/* The next period: what was found now is what was. */
static void
period(void)
{
	w.before = w.queue;
	w.queue.pool_to = -1;
	w.queue.said = false;
	dma_memory_plan(&w.a, &w.qs, &w.placed);
}

static void
no_pool(void)
{
	w.node_1_has_none = true;
}

static void
other_pool(void)
{
	w.other_pool = true;
}

static void
few_buffers(void)
{
	w.free_buffers = RING - 1;
}

static void
fast_free(void)
{
	w.tx_port.conf.txmode.offloads = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
}

/* A pool that may not move stays. The reason is said in the third period, and never again. */
TEST(test_pool_stays)
{
	static const struct {
		void (*fault)(void);
		const char *why;
	} cases[] = {
		{ no_pool, "node 1 has no packet pool" },
		{ other_pool, "the port does not receive into a packet pool" },
		{ few_buffers,
			"mb_pool_1 has 255 free buffers, fewer than the guest's ring (256)" },
		{ fast_free,
			"port 9 frees what it sends to one pool (mbuf_fast_free): \"stop\" and \"start\" let it move" },
	};
	char line[256];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		begin();
		cases[i].fault();
		w.before.away = 0;
		for (unsigned int k = 1; k < DMA_PERIODS; k++) {
			dma_memory_plan(&w.a, &w.qs, &w.placed);
			assert_int_equal(w.queue.away, k);
			w.before.away = k;
			check_said("");
		}
		dma_memory_plan(&w.a, &w.qs, &w.placed);
		snprintf(line, sizeof(line),
			"zcfwd: dma placement: port 7 queue 0: its pool stays on node 0: %s\n",
			cases[i].why);
		check_said(line);
		for (unsigned int k = 0; k < 2 * DMA_PERIODS; k++) {
			period();
			assert_int_equal(w.queue.pool_to, -1);
		}
		check_said(line);
		assert_int_equal(w.stops, 0);
		end();
	}
}

/* Without a fault, and with as many buffers as the guest's ring, it is to move, and nothing is said. */
TEST(test_pool_may_move)
{
	begin();
	dma_memory_plan(&w.a, &w.qs, &w.placed);
	assert_int_equal(w.queue.pool_to, node_of[TO]);
	assert_true(dma_memory_moves(&w.qs, PORT));
	assert_false(dma_memory_moves(&w.qs, TX_PORT));
	check_said("");
	/* Not while pools rest, and not for a queue without an lcore. */
	w.a.pools_rest = 1;
	period();
	assert_int_equal(w.queue.pool_to, -1);
	w.a.pools_rest = 0;
	w.queue.polled = false;
	period();
	assert_int_equal(w.queue.pool_to, -1);
	end();
}

static void
gone(void)
{
	w.gone = true;
}

static void
stopped(void)
{
	w.port.state = PORT_STOPPED;
}

static void
engine_copies(void)
{
	w.dma = 0;
}

static void
in_flight(void)
{
	w.in_flight = 1;
}

static void
setup_fails(void)
{
	w.setup_error = ENOMEM;
}

static void
start_fails(void)
{
	w.start_error = -EIO;
}

static void
lcore_waits(void)
{
	w.move_error = EBUSY;
	w.us = 6000;
}

static void
run_ends(void)
{
	w.move_error = ENOENT;
}

/*
 * A move that fails is given up with one line, and the port has the pool that it had. restarts: the
 * port was stopped for it.
 */
TEST(test_move_fails)
{
	static const struct {
		void (*fault)(void);
		const char *line;
		unsigned int restarts, rest;
		int node; /* of the pool that was set up last; -1: none was */
	} cases[] = {
		{ gone, "port 7: its pools stay: the port is gone\n", 0, 0, -1 },
		{ stopped, "port 7: its pools stay: the port is gone\n", 0, 0, -1 },
		{ engine_copies, "port 7: its pools stay: packets are in flight\n", 0, 0, -1 },
		{ in_flight, "port 7: its pools stay: packets are in flight\n", 0, 0, -1 },
		{ setup_fails, "port 7: its pools stay: port 7: no memory for a queue\n", 1, 0, 0 },
		{ start_fails,
			"port 7: its pools stay: the port does not start again: Input/output error\n",
			1, 0, 1 },
		{ lcore_waits, "port 7: its pools stay: lcore 3 waits for a full Tx ring\n", 0,
			DMA_REST, -1 },
		{ run_ends, NULL, 0, 0, -1 },
	};
	char line[256];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		begin();
		w.queue.pool_to = node_of[TO];
		cases[i].fault();
		dma_memory_move(&w.a, &w.qs);
		snprintf(line, sizeof(line), "zcfwd: dma placement: %s", cases[i].line);
		check_said(cases[i].line != NULL ? line : "");
		assert_int_equal(w.stops, cases[i].restarts);
		assert_int_equal(w.starts, cases[i].restarts);
		assert_int_equal(w.a.pools_rest, cases[i].rest);
		assert_int_equal(w.queue.pool[GUEST_RX], node_of[FROM]);
		if (cases[i].node >= 0)
			assert_int_equal(w.setup_node[w.n_setups - 1], cases[i].node);
		else
			assert_int_equal(w.n_setups, 0);
		/* The next attempt says nothing more. */
		w.n_setups = 0;
		dma_memory_move(&w.a, &w.qs);
		check_said(cases[i].line != NULL ? line : "");
		end();
	}
}

/* One line has the nodes and the pause. */
TEST(test_moves)
{
	begin();
	w.queue.pool_to = node_of[TO];
	w.us = 120;
	dma_memory_move(&w.a, &w.qs);
	check_said(
		"zcfwd: dma placement: port 7 queue 0: packets from the guest go to the pool of node 1, before 0; lcores paused for 120 us\n");
	assert_int_equal(w.queue.pool[GUEST_RX], node_of[TO]);
	assert_int_equal(w.n_setups, 1);
	assert_int_equal(w.setup_node[0], node_of[TO]);
	assert_ptr_equal(w.polled->rx_pool, &w.pool[1]);
	/* A channel of another queue of the port: it does not move, and waits for the next period. */
	w.queue.pool[GUEST_RX] = node_of[FROM];
	w.queue.way[GUEST_TX].at.dma = 0;
	dma_memory_move(&w.a, &w.qs);
	assert_int_equal(w.stops, 1);
	end();
}

/* Streams that stay: the reason is said once, until they have moved. */
TEST(test_streams_stay)
{
	static const struct {
		int error;
		const char *line;
		bool fixed;
		double us;
		unsigned int rest;
	} cases[] = {
		{ ENOTSUP, "streams keep their lcores: lcore 3 waits for a full Tx ring\n", true, 0,
			0 },
		{ EBUSY, "streams keep their lcores: lcore 3 waits for a full Tx ring\n", false,
			6000, DMA_REST },
		{ EBUSY, "streams keep their lcores: lcore 3 waits for a full Tx ring\n", false, 20,
			0 },
		{ ENOMEM, "streams keep their lcores: no memory\n", false, 0, 0 },
		{ ENOENT, NULL, false, 0, 0 },
	};
	const unsigned int lcore = 5;
	char line[512];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		begin();
		w.move_error = cases[i].error;
		w.us = cases[i].us;
		snprintf(line, sizeof(line), "%s%s", "zcfwd: dma placement: ", cases[i].line);
		for (unsigned int k = 0; k < 3; k++) {
			assert_false(dma_memory_streams(&w.a, &lcore, 1));
			check_said(cases[i].line != NULL ? line : "");
			assert_true(w.a.waits);
			assert_int_equal(w.a.fixed, cases[i].fixed ? w.run.n_runs : 0);
			assert_int_equal(w.a.rest, cases[i].rest);
		}
		w.move_error = 0;
		w.us = 30;
		assert_true(dma_memory_streams(&w.a, &lcore, 1));
		assert_false(w.a.waits);
		fflush(w.log);
		assert_non_null(strstr(w.logged,
			"stream of port 7 queue 0 to port 9 queue 0: lcore 5, before 3; lcores paused for 30 us\n"));
		end();
	}
}
