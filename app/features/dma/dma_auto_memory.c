/* dma placement auto: move the pools of packets from guests to other nodes, and streams to other lcores,
 * while no lcore polls. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "features/dma/dma_auto_priv.h"
#include "memory/pool.h"
#include "pmd_shims/drivers/async_vhost/net_async_vhost.h"
#include "port/port.h"
#include "port/port_setup.h"
#include "run/run_move.h"

#include <rte_ethdev.h>
#include <rte_mempool.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A pause that must not be repeated in each period of a second: 0.1 % of it. */
enum { LONG_US = 1000 };

/* The pool on a node; NULL: the node has none. */
static struct rte_mempool *
pool_on(const struct dma_auto *a, int node)
{
	struct rte_mempool *mp = pool_for(a->ports->pools, node, 0);

	return mp != NULL && mp->socket_id == node ? mp : NULL;
}

/* The port that frees sent packets of the queue to one pool only; -1: none. */
static int
frees_to_one_pool(const struct dma_auto *a, const struct guest_queue *q)
{
	const struct run *r = a->run;
	int found = -1;

	pthread_mutex_lock(&a->run->lock);
	for (unsigned int i = 0; r->running && i < r->plan.n_streams; i++) {
		const struct plan_stream *s = &r->plan.streams[i];
		const struct port *tx = port_at(a->ports, s->tx_port);

		if (s->rx_port == q->port && s->rx_queue == q->queue && tx != NULL &&
			((tx->conf.txmode.offloads | tx->txq[s->tx_queue].offloads) &
				RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0)
			found = s->tx_port;
	}
	pthread_mutex_unlock(&a->run->lock);
	return found;
}

/* Return why the pool of a queue cannot move to a node, with e filled; 0: it can. */
static int
pool_check(const struct dma_auto *a, const struct guest_queue *q, int node, struct err *e)
{
	const struct rte_mempool *mp = pool_on(a, node);
	struct net_async_vhost_virtqueue v;
	struct rte_eth_rxq_info info;
	int tx;

	if (mp == NULL)
		return err_set(e, ENOENT, "node %d has no packet pool", node);
	if (rte_eth_rx_queue_info_get(q->port, q->queue, &info) != 0 ||
		info.mp != pool_on(a, q->pool[GUEST_RX]))
		return err_set(e, ENOTSUP, "the port does not receive into a packet pool");
	if (net_async_vhost_virtqueue(q->port, q->queue, true, &v) == 0 &&
		rte_mempool_avail_count(mp) < v.descriptors)
		return err_set(e, ENOBUFS,
			"%s has %u free buffers, fewer than the guest's ring (%u)", mp->name,
			rte_mempool_avail_count(mp), v.descriptors);
	tx = frees_to_one_pool(a, q);
	if (tx >= 0)
		return err_set(e, ENOTSUP,
			"port %d frees what it sends to one pool (mbuf_fast_free): \"stop\" and \"start\" let it move",
			tx);
	return 0;
}

void
dma_memory_plan(struct dma_auto *a, struct guest_queues *qs, const struct dma_queue *queue)
{
	for (unsigned int i = 0; i < qs->n; i++) {
		struct guest_queue *q = &qs->queue[i];
		const struct guest_queue *before = dma_plan_before(a, q);
		const int engine = dma_plan_index(a, q->way[GUEST_RX].to),
			  node = dma_cost_pool(&a->now, queue[i].node,
				  a->now.lcore[queue[i].lcore].node,
				  dma_cost_engine_node(&a->now, engine), q->pool[GUEST_RX]);
		struct err e;

		q->said = before != NULL && before->said; /* reported once for each command */
		if (!q->polled || q->pool[GUEST_RX] < 0 || node == q->pool[GUEST_RX])
			continue;
		q->away = 1 + (before != NULL ? before->away : 0);
		if (q->away < DMA_PERIODS || a->pools_rest > 0)
			continue;
		err_clear(&e);
		if (pool_check(a, q, node, &e) == 0)
			q->pool_to = node;
		else if (!q->said)
			report(ERR, "port %u queue %u: its pool stays on node %d: %s", q->port,
				q->queue, q->pool[GUEST_RX], e.text);
		q->said = q->said || q->pool_to < 0;
	}
}

bool
dma_memory_moves(const struct guest_queues *qs, uint16_t port)
{
	for (unsigned int i = 0; i < qs->n; i++)
		if (qs->queue[i].port == port && qs->queue[i].pool_to >= 0)
			return true;
	return false;
}

/* The move of the pools of a port. */
struct pools_move {
	struct dma_auto *a;
	const struct guest_queues *qs;
	uint16_t port;
};

/* Set up the queues of a stopped port whose pools move, with the new ones or again with the old. */
static int
queues_setup(const struct pools_move *m, struct port *p, bool again, struct err *e)
{
	int ret = 0;

	for (unsigned int i = 0; i < m->qs->n && ret == 0; i++) {
		const struct guest_queue *q = &m->qs->queue[i];

		if (q->port != m->port || q->pool_to < 0)
			continue;
		p->rxq[q->queue].pool_socket = 1 + (again ? q->pool[GUEST_RX] : q->pool_to);
		ret = port_setup_rxq(m->a->ports, p, q->queue, e);
	}
	return ret;
}

/* Whether an engine has copies of packets from the port's guest. */
static bool
is_copying(const struct pools_move *m)
{
	struct net_async_vhost_virtqueue v;

	for (unsigned int i = 0; i < m->qs->n; i++)
		if (m->qs->queue[i].port == m->port &&
			net_async_vhost_virtqueue(m->port, m->qs->queue[i].queue, true, &v) == 0 &&
			(v.dma >= 0 || v.stats.in_flight > 0))
			return true;
	return false;
}

/*
 * A stopped port leaves packets of its guest in the guest's ring, so none is lost. No lcore polls, and
 * the caller holds the run's lock.
 */
static int
pools_switch(void *context, struct err *e)
{
	const struct pools_move *m = context;
	struct ports *ps = m->a->ports;
	struct run *r = m->a->run;
	struct port *p;
	struct err other;
	int ret, started;

	pthread_mutex_lock(&ps->reading);
	p = port_at(ps, m->port);
	if (p == NULL || p->state != PORT_STARTED)
		ret = err_set(e, ENODEV, "the port is gone");
	else if (is_copying(m))
		ret = err_set(e, EBUSY, "packets are in flight");
	else
		ret = 0;
	if (ret == 0) {
		rte_eth_dev_stop(m->port);
		ret = queues_setup(m, p, false, e);
		err_clear(&other);
		if (ret != 0)
			queues_setup(m, p, true, &other);
		started = rte_eth_dev_start(m->port);
		if (started != 0)
			ret = err_set(e, -started, "the port does not start again: %s",
				strerror(-started));
	}
	for (unsigned int i = 0; ret == 0 && i < r->plan.n_streams; i++)
		if (r->streams[i]->rx_port == m->port)
			r->streams[i]->rx_pool =
				port_rx_pool(p, r->streams[i]->rx_queue, p->socket);
	pthread_mutex_unlock(&ps->reading);
	return ret;
}

static bool
is_on_cpu(const struct guest_queues *qs, uint16_t port)
{
	for (unsigned int i = 0; i < GUEST_WAYS * qs->n; i++)
		if (qs->queue[i / GUEST_WAYS].port == port &&
			qs->queue[i / GUEST_WAYS].way[i % GUEST_WAYS].at.dma >= 0)
			return false;
	return true;
}

void
dma_memory_move(struct dma_auto *a, struct guest_queues *qs)
{
	for (unsigned int i = 0; i < qs->n; i++) {
		const uint16_t port = qs->queue[i].port;
		struct pools_move m = { a, qs, port };
		double us = 0;
		struct err e;
		int ret;

		if ((i > 0 && qs->queue[i - 1].port == port) || !dma_memory_moves(qs, port) ||
			!is_on_cpu(qs, port))
			continue;
		err_clear(&e);
		ret = run_move(a->run, NULL, 0, pools_switch, &m, &us, &e);
		if (ret == -EBUSY && us > LONG_US)
			a->pools_rest = DMA_REST;
		if (ret != 0 && ret != -ENOENT && !qs->queue[i].said) {
			report(ERR, "port %u: its pools stay: %s", port, e.text);
			qs->queue[i].said = true;
		}
		for (unsigned int k = i; ret == 0 && k < qs->n && qs->queue[k].port == port; k++) {
			struct guest_queue *q = &qs->queue[k];

			if (q->pool_to < 0)
				continue;
			report(NOTICE,
				"port %u queue %u: packets from the guest go to the pool of node %d, before %d; lcores paused for %.0f us",
				port, q->queue, q->pool_to, q->pool[GUEST_RX], us);
			q->pool[GUEST_RX] = q->pool_to;
			q->away = 0;
		}
	}
}

void
dma_memory_announce(struct dma_auto *a, const struct guest_queues *qs)
{
	for (unsigned int i = 0; i < RTE_MAX_NUMA_NODES * qs->n; i++) {
		const struct guest_queue *q = &qs->queue[i / RTE_MAX_NUMA_NODES];
		const struct port *p = port_at(a->ports, q->port);
		struct rte_mempool *mp = pool_on(a, (int)(i % RTE_MAX_NUMA_NODES));
		unsigned int k = 0;

		if (p == NULL || p->rx_pools == NULL || mp == NULL)
			continue;
		while (k < PORT_POOLS_MAX && p->rx_pools[q->queue][k] != NULL &&
			p->rx_pools[q->queue][k] != mp)
			k++;
		if (k < PORT_POOLS_MAX)
			p->rx_pools[q->queue][k] = mp;
	}
}

bool
dma_memory_streams(struct dma_auto *a, const unsigned int *lcore, unsigned int n)
{
	struct plan_stream *was = calloc(n, sizeof(*was));
	double us = 0;
	struct err e;
	int ret = was != NULL ? 0 : -ENOMEM;

	err_clear(&e);
	pthread_mutex_lock(&a->run->lock);
	if (ret == 0 && n == a->run->plan.n_streams)
		memcpy(was, a->run->plan.streams, n * sizeof(*was));
	pthread_mutex_unlock(&a->run->lock);
	if (ret == 0)
		ret = run_move(a->run, lcore, n, NULL, NULL, &us, &e);
	for (unsigned int i = 0; ret == 0 && i < n; i++)
		if (was[i].lcore != lcore[i])
			report(NOTICE,
				"stream of port %u queue %u to port %u queue %u: lcore %u, before %u; lcores paused for %.0f us",
				was[i].rx_port, was[i].rx_queue, was[i].tx_port, was[i].tx_queue,
				lcore[i], was[i].lcore, us);
	if (ret == -ENOTSUP)
		a->fixed = a->run->n_runs;
	else if (ret == -EBUSY && us > LONG_US)
		a->rest = DMA_REST;
	if (ret != 0 && ret != -ENOENT && !a->waits)
		report(ERR, "streams keep their lcores: %s", ret == -ENOMEM ? "no memory" : e.text);
	a->waits = ret != 0;
	free(was);
	return ret == 0;
}
