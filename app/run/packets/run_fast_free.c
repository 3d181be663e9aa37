/* Finds the pools whose packets reach each Tx queue, and restarts ports where they do not suit
 * mbuf_fast_free. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/packets/run_fast_free.h"

#include "base/err.h"
#include "base/out.h"
#include "engines/engine.h"
#include "memory/mbuf_readonly.h"
#include "memory/pool.h"
#include "port/port.h"
#include "port/port_life.h"
#include "port/port_queue.h"
#include "run/run.h"
#include "run/run_classes.h"
#include "stream/plan.h"

#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_mempool.h>

#include <errno.h>
#include <stdlib.h>

/*
 * A driver with mbuf_fast_free returns sent mbufs to their pool in batches, and takes the pool from
 * the first mbuf of a batch, or of the queue (COMPAT_TXQ_KEEPS_POOL). So mbufs of two pools in one Tx
 * ring end up in the wrong pool. A port that restarts frees each mbuf to its own pool.
 */

/* The pools whose packets a queue gets; of more than two, two. */
struct pools_of {
	const struct rte_mempool *pool[2];
	unsigned int n;
};

static void
add(struct pools_of *of, const struct rte_mempool *pool)
{
	if (pool == NULL || of->n == 2 || (of->n == 1 && of->pool[0] == pool))
		return;
	of->pool[of->n++] = pool;
}

/* Return the set of enum engine_sends of the run's engine. */
static unsigned int
sends_of(const struct run *r)
{
	if (r->engine->sends != NULL)
		return r->engine->sends(r->settings);
	return (r->engine->flags & ENGINE_MAKES) != 0 ? ENGINE_SENDS_TAKEN : ENGINE_SENDS_RECEIVED;
}

/* Add the pools of the packets that a stream sends, or others for it. */
static void
add_stream(const struct run *r, const struct plan_stream *s, struct pools_of *of)
{
	const struct engine *engine = r->engine;
	const unsigned int sends = sends_of(r);
	const struct port *p = port_at(r->ports, s->rx_port);
	const bool copies = engine->written != NULL && mbuf_readonly_lookup() != 0,
		   receives = (sends & ENGINE_SENDS_RECEIVED) != 0 && s->rx_queue < PORT_QUEUES_MAX;

	for (unsigned int i = 0; receives && i < PORT_POOLS_MAX; i++)
		add(of, p->rx_pools[s->rx_queue][i]);
	if (copies || (sends & ENGINE_SENDS_TAKEN) != 0)
		add(of, pool_for(r->pools, (int)rte_lcore_to_socket_id(s->lcore), 0));
}

/* The pools of a plan, found in one pass over its streams, of which a host has thousands. */
struct pools_map {
	enum engine_reach reach;
	struct pools_of run, lcore[RTE_MAX_LCORE];
	struct pools_of queue[RTE_MAX_ETHPORTS][PORT_QUEUES_MAX]; /* by Tx queue */
};

static void
add_all(struct pools_of *to, const struct pools_of *from)
{
	for (unsigned int i = 0; i < from->n; i++)
		add(to, from->pool[i]);
}

/* Return the map of a plan, to be freed; NULL: no memory. */
static struct pools_map *
pools_map(const struct run *r, const struct plan *plan, bool tx_first)
{
	struct pools_map *map = calloc(1, sizeof(*map));

	if (map == NULL)
		return NULL;
	map->reach = r->engine->reach != NULL ? r->engine->reach(r->settings) : ENGINE_REACH_OWN;
	for (unsigned int i = 0; i < plan->n_streams; i++) {
		const struct plan_stream *s = &plan->streams[i];
		struct pools_of *queue = &map->queue[s->tx_port][s->tx_queue], of = { .n = 0 };

		add_stream(r, s, &of);
		add_all(&map->run, &of);
		add_all(&map->lcore[s->lcore], &of);
		add_all(queue, &of);
		if (tx_first)
			add(queue, pool_for(r->pools, (int)rte_lcore_to_socket_id(s->lcore), 0));
	}
	return map;
}

/* Return the pools whose packets the Tx queue of a stream gets. */
static struct pools_of
pools_of(const struct pools_map *map, const struct plan_stream *to)
{
	struct pools_of of = { .n = 0 };

	if (map->reach == ENGINE_REACH_RUN)
		of = map->run;
	else if (map->reach == ENGINE_REACH_LCORE)
		of = map->lcore[to->lcore];
	add_all(&of, &map->queue[to->tx_port][to->tx_queue]);
	return of;
}

/* Return whether a run switched the offload of the port, or of some of its queues, off. */
static bool
is_off(const struct port *p)
{
	bool off = p->fast_free_off;

	for (unsigned int q = 0; q < p->n_txq; q++)
		off |= p->txq[q].fast_free_off;
	return off;
}

/* Return whether a queue has the offload, or would have it but for an earlier run. */
static bool
has_fast_free(const struct port *p, uint16_t queue)
{
	const struct port_queue *q = &p->txq[queue];

	return p->fast_free_off || q->fast_free_off ||
		((p->conf.txmode.offloads | q->offloads) & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE) != 0;
}

/* Move the offload between its place in *offloads and *off. */
static void
bit_move(uint64_t *offloads, bool *off, bool on)
{
	const uint64_t fast_free = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;

	if (on) {
		*offloads |= *off ? fast_free : 0;
		*off = false;
	} else {
		*off = *off || (*offloads & fast_free) != 0;
		*offloads &= ~fast_free;
	}
}

/* Switch the offload of a port and its queues off for now, or on where it was. */
static void
offload_switch(struct port *p, bool on)
{
	bit_move(&p->conf.txmode.offloads, &p->fast_free_off, on);
	for (unsigned int q = 0; q < p->n_queues; q++)
		bit_move(&p->txq[q].offloads, &p->txq[q].fast_free_off, on);
	p->configured = false;
}

/* What a port needs before the run. */
enum need { NOTHING, EMPTY, ON, OFF };

struct needs {
	enum need need;
	uint16_t queue; /* for which */
	const struct rte_mempool *pool[2];
};

/* A need that counts more replaces others: without the offload, rings need not be empty. */
static void
need_add(struct needs *all, enum need need, uint16_t queue, const struct rte_mempool *a,
	const struct rte_mempool *b)
{
	if (need > all->need)
		*all = (struct needs){ need, queue, { a, b } };
}

/* Return whether packets of the port are mirrored to another that p is. */
static bool
gets_mirrored(const struct run *r, const struct port *p)
{
	bool any = false;

	for (unsigned int i = 0; i < RTE_MAX_ETHPORTS; i++)
		any |= r->mirror.target[i].on && r->mirror.target[i].to == p->id;
	return any && (r->engine->flags & ENGINE_NO_RX) == 0;
}

/* A mirror may choose any queue that no stream sends by. */
static void
mirrors_need(const struct run *r, const struct plan *plan, const struct port *p, struct needs *all)
{
	for (uint16_t q = 0; gets_mirrored(r, p) && q < p->n_txq; q++) {
		bool own = false;

		for (unsigned int i = 0; i < plan->n_streams; i++)
			own |= plan->streams[i].tx_port == p->id && plan->streams[i].tx_queue == q;
		if (!own && has_fast_free(p, q) && p->txq[q].sent != NULL &&
			p->txq[q].sent != r->mirror.pool)
			need_add(all, EMPTY, q, p->txq[q].sent, r->mirror.pool);
	}
}

static struct needs
needs_of(const struct run *r, const struct plan *plan, const struct port *p,
	const struct pools_map *map)
{
	struct needs all = { .need = NOTHING };
	const bool off = is_off(p);

	for (unsigned int i = 0; i < plan->n_streams; i++) {
		const struct plan_stream *s = &plan->streams[i];
		struct pools_of of;

		if (s->tx_port != p->id || s->tx_queue >= PORT_QUEUES_MAX ||
			!has_fast_free(p, s->tx_queue))
			continue;
		of = pools_of(map, s);
		if (off)
			need_add(&all, ON, s->tx_queue, NULL, NULL);
		if (of.n == 2)
			need_add(&all, OFF, s->tx_queue, of.pool[0], of.pool[1]);
		else if (of.n == 1 && p->txq[s->tx_queue].sent != NULL &&
			p->txq[s->tx_queue].sent != of.pool[0])
			need_add(&all, EMPTY, s->tx_queue, p->txq[s->tx_queue].sent, of.pool[0]);
	}
	mirrors_need(r, plan, p, &all);
	return all;
}

static void
say(const struct run *r, const struct port *p, const struct needs *needs)
{
	const struct rte_mempool *const *pool = needs->pool;

	if (needs->need == OFF)
		out_warn(r->out,
			"Port %u: mbuf_fast_free disabled: packets of pools %s and %s reach its queue %u\n",
			p->id, pool[0]->name, pool[1]->name, needs->queue);
	else if (needs->need == ON)
		out_warn(r->out,
			"Port %u: mbuf_fast_free enabled again: each queue sends packets of one pool\n",
			p->id);
	else
		out_warn(r->out,
			"Port %u: restarted to empty its queue %u: packets of pool %s may be in it, and mbuf_fast_free allows no packets of pool %s behind them\n",
			p->id, needs->queue, pool[0]->name,
			pool[1] != NULL ? pool[1]->name : "mirror");
}

static int
port_prepare(const struct run *r, const struct plan *plan, struct port *p,
	const struct pools_map *map, struct err *e)
{
	const struct needs needs = needs_of(r, plan, p, map);
	const bool off = is_off(p); /* before */
	struct err other;           /* discarded: the first failure is reported */
	int ret;

	if (needs.need == NOTHING || (needs.need == OFF && off))
		return 0;
	say(r, p, &needs);
	if (needs.need != EMPTY)
		offload_switch(p, needs.need == ON);
	ret = port_queue_restart(r->ports, p, e);
	if (ret != 0 && needs.need != EMPTY) {
		err_clear(&other);
		offload_switch(p, !off);
		port_start(r->ports, p->id, &other);
	}
	return ret;
}

void
run_fast_free_sent(const struct run *r, uint16_t port, uint16_t queue,
	const struct rte_mempool *pool)
{
	struct port *p = port_at(r->ports, port);

	if (p != NULL && queue < PORT_QUEUES_MAX)
		p->txq[queue].sent = pool;
}

int
run_fast_free_prepare(struct run *r, bool tx_first, struct err *e)
{
	struct pools_map *map = NULL;
	struct plan plan;
	int ret = run_plan(r, r->engine, &plan, e);

	if (ret != 0)
		return ret;
	ret = run_plan_started(r, tx_first, &plan, e);
	if (ret == 0)
		map = pools_map(r, &plan, tx_first);
	if (ret == 0 && map == NULL)
		ret = err_set(e, ENOMEM, "no memory for the pools of %u streams", plan.n_streams);
	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS && ret == 0; id++) {
		struct port *p = port_at(r->ports, id);

		if (p != NULL && p->state == PORT_STARTED && (r->engine->flags & ENGINE_NO_TX) == 0)
			ret = port_prepare(r, &plan, p, map, e);
	}
	for (unsigned int i = 0; i < plan.n_streams && ret == 0; i++) {
		const struct plan_stream *s = &plan.streams[i];
		const struct pools_of of = pools_of(map, s);

		if ((r->engine->flags & ENGINE_NO_TX) == 0 && of.n == 1)
			run_fast_free_sent(r, s->tx_port, s->tx_queue, of.pool[0]);
	}
	free(map);
	plan_free(&plan);
	return ret;
}
