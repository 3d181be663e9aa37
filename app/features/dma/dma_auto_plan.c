/* dma placement auto: the load of the queues since the last period, and the channel that each direction
 * gets. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "features/dma/dma_auto_priv.h"
#include "pmd_shims/drivers/async_vhost/net_async_vhost.h"
#include "port/dma_devices.h"

#include <rte_dmadev.h>
#include <rte_ethdev.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct dma_load dma_plan_assumed = { DMA_LOAD_MEGABYTES * 1e6, DMA_LOAD_LENGTH };

struct dma_auto_engine *
dma_plan_engine(struct dma_auto *a, const char *name, bool make)
{
	struct dma_auto_engine made = { 0 };
	unsigned int i = 0;

	while (i < a->n_engines && strcmp(a->engine[i].name, name) != 0)
		i++;
	if (i == a->n_engines) {
		if (!make || i == ARRAY_SIZE(a->engine))
			return NULL;
		made.dma = -1;
		snprintf(made.name, sizeof(made.name), "%s", name);
		a->engine[a->n_engines++] = made;
	}
	return &a->engine[i];
}

bool
dma_plan_broken(struct dma_auto *a, int16_t dma)
{
	const struct dma_auto_engine *engine = dma_plan_engine(a, dma_devices_name(dma), false);

	return engine != NULL && engine->broken;
}

/* Add a DMA device to the topology of this period, with the properties that base has of it. */
static void
add_engine(struct dma_auto *a, int16_t dma)
{
	struct dma_topology *t = &a->now;
	struct dma_engine *to = &t->engine[t->n_engines];
	struct rte_dma_info info;
	unsigned int i = 0;

	if (t->n_engines == DMA_ENGINES || !dma_devices_free(dma) || dma_plan_broken(a, dma) ||
		rte_dma_info_get(dma, &info) != 0)
		return;
	while (i < a->base.n_engines && strcmp(a->base.engine[i].name, info.dev_name) != 0)
		i++;
	if (i < a->base.n_engines)
		*to = a->base.engine[i];
	else if (a->file)
		return;
	else
		*to = (struct dma_engine){ .node = dma_devices_node(dma) };
	snprintf(to->name, sizeof(to->name), "%s", info.dev_name);
	to->channels = info.max_vchans;
	to->used = 0;
	a->dma[t->n_engines++] = dma;
}

/* The node of a guest's memory; that of its port while there is no guest. */
static int
guest_node(uint16_t port)
{
	struct net_async_vhost_guest guest;

	return net_async_vhost_guest(port, &guest) == 0 && guest.node >= 0
		? guest.node
		: rte_eth_dev_socket_id(port);
}

/* The node of a port: that of the file in dma-topology, or else of its guest, if the file has such a node. */
static int
port_node(const struct dma_auto *a, uint16_t port)
{
	const struct dma_topology *t = &a->base;
	int node;

	for (unsigned int k = 0; k < t->n_ports && a->file; k++)
		if (t->port[k].id == port)
			return t->port[k].node;
	node = guest_node(port);
	return !a->file || (node >= 0 && node < DMA_NODES && t->node[node].there) ? node
										  : DMA_NODE_ANY;
}

/* Do not use engines any more that were stopped while a guest left them. */
static void
lost_give_up(struct dma_auto *a, const struct guest_queues *qs)
{
	for (unsigned int i = 0; i < GUEST_WAYS * qs->n; i++) {
		const struct guest_queue *q = &qs->queue[i / GUEST_WAYS];
		const struct guest_way *w = &q->way[i % GUEST_WAYS];
		struct dma_auto_engine *engine;

		if (!w->lost || dma_plan_broken(a, w->at.dma))
			continue;
		engine = dma_plan_engine(a, dma_devices_name(w->at.dma), true);
		if (engine == NULL)
			continue;
		engine->broken = true;
		report(ERR,
			GUEST_WAY ": DMA device %s did not complete its copies and was stopped: no "
				  "queue gets it before \"dma placement auto\" is entered again",
			GUEST_WAY_OF(q, i % GUEST_WAYS), engine->name);
	}
}

void
dma_plan_topology(struct dma_auto *a, const struct guest_queues *qs)
{
	struct dma_topology *t = &a->now;

	lost_give_up(a, qs);
	memcpy(t, &a->base, sizeof(*t));
	t->n_engines = t->n_ports = 0;
	for (int16_t dma = rte_dma_next_dev(0); dma >= 0;
		dma = rte_dma_next_dev((int16_t)(dma + 1)))
		add_engine(a, dma);
	for (unsigned int i = 0; i < qs->n; i++) {
		const uint16_t id = qs->queue[i].port;

		if (i == 0 || qs->queue[i - 1].port != id)
			t->port[t->n_ports++] =
				(struct dma_port){ .id = id, .node = port_node(a, id) };
	}
}

/*
 * The lcore that polls a queue of a port on a node in a plan, or that will with lcore[i] for stream i: an
 * index in the topology; -1: none of these. A queue has one lcore here. If one stream receives from it
 * and another one sends to it, it is the lcore that is away from the node: else that stream would
 * seem to be where the other one is, and never move.
 */
static int
lcore_of(const struct dma_topology *t, const struct plan *plan, const unsigned int *lcore,
	const struct guest_queue *q, int node)
{
	int found = -1;

	for (unsigned int i = 0; i < plan->n_streams; i++) {
		const struct plan_stream *s = &plan->streams[i];

		if ((s->rx_port != q->port || s->rx_queue != q->queue) &&
			(s->tx_port != q->port || s->tx_queue != q->queue))
			continue;
		for (unsigned int k = 0; k < t->n_lcores; k++)
			if (t->lcore[k].id == (lcore != NULL ? lcore[i] : s->lcore) &&
				(found < 0 || t->lcore[found].node == node))
				found = (int)k;
	}
	return found;
}

/* Leave the lcores of the run in the topology, unless it has none of them. */
static void
lcores_of_run(struct dma_topology *t, const struct plan *plan)
{
	struct dma_lcore kept[RTE_MAX_LCORE];
	unsigned int n = 0;

	for (unsigned int i = 0; i < t->n_lcores; i++)
		for (unsigned int k = 0; k < plan->n_lcores; k++)
			if (plan->lcores[k].lcore == t->lcore[i].id)
				kept[n++] = t->lcore[i];
	if (n > 0) {
		memcpy(t->lcore, kept, n * sizeof(*kept));
		t->n_lcores = n;
	}
}

/* The node of the packets that a run sends to a guest; -1: unknown. */
static int
pool_sent(const struct run *r, const struct guest_queue *q)
{
	for (unsigned int i = 0; r->streams != NULL && i < r->plan.n_streams; i++) {
		const struct plan_stream *s = &r->plan.streams[i];

		if (s->tx_port == q->port && s->tx_queue == q->queue &&
			r->streams[i]->rx_pool != NULL)
			return r->streams[i]->rx_pool->socket_id;
	}
	return DMA_NODE_ANY;
}

const struct guest_queue *
dma_plan_before(const struct dma_auto *a, const struct guest_queue *q)
{
	for (unsigned int i = 0; i < a->before.n; i++)
		if (a->before.queue[i].port == q->port && a->before.queue[i].queue == q->queue)
			return &a->before.queue[i];
	return NULL;
}

/* The load of a direction since the last period; in the first one, the load that is assumed. */
static struct dma_load
load_of(const struct dma_auto *a, const struct guest_queues *qs, struct guest_queue *q, int way)
{
	const struct dma_load none = { 0, 1 };
	const double seconds = (double)(qs->tsc - a->before.tsc) / a->ports->tsc_hz;
	const struct guest_queue *before = dma_plan_before(a, q);
	struct guest_way *now = &q->way[way];
	uint64_t bytes, packets;

	if (before != NULL)
		now->load = before->way[way].load;
	if (!now->engines)
		return none;
	if (a->before.queue == NULL)
		return dma_plan_assumed;
	if (before == NULL || now->packets <= before->way[way].packets ||
		now->bytes <= before->way[way].bytes)
		return none;
	bytes = now->bytes - before->way[way].bytes;
	packets = now->packets - before->way[way].packets;
	now->load.bytes = (double)bytes / seconds;
	now->load.length = RTE_MIN((double)bytes / (double)packets, (double)q->room);
	return now->load;
}

struct dma_queue *
dma_plan_queues(const struct dma_auto *a, const struct guest_queues *qs)
{
	struct dma_queue *to = calloc(qs->n, sizeof(*to));

	for (unsigned int i = 0; to != NULL && i < qs->n; i++) {
		to[i] = (struct dma_queue){ .port = qs->queue[i].port,
			.queue = qs->queue[i].queue,
			.node = DMA_NODE_ANY,
			.lcore = -1 };
		for (unsigned int k = 0; k < a->now.n_ports; k++)
			if (a->now.port[k].id == to[i].port)
				to[i].node = a->now.port[k].node;
	}
	return to;
}

struct dma_queue *
dma_plan_loads(struct dma_auto *a, struct guest_queues *qs)
{
	struct dma_queue *to = dma_plan_queues(a, qs);

	pthread_mutex_lock(&a->run->lock);
	if (a->run->running)
		lcores_of_run(&a->now, &a->run->plan);
	for (unsigned int i = 0; to != NULL && i < qs->n; i++) {
		struct guest_queue *q = &qs->queue[i];

		to[i].lcore = a->run->running
			? lcore_of(&a->now, &a->run->plan, NULL, q, to[i].node)
			: -1;
		q->polled = to[i].lcore >= 0;
		if (q->polled)
			q->pool[GUEST_TX] = pool_sent(a->run, q);
		to[i].lcore = RTE_MAX(to[i].lcore, 0);
		for (int way = GUEST_RX; way < GUEST_WAYS; way++)
			to[i].load[way] = load_of(a, qs, &qs->queue[i], way);
	}
	pthread_mutex_unlock(&a->run->lock);
	return to;
}

unsigned int *
dma_plan_lcores(const struct dma_auto *a, const struct guest_queues *qs,
	const struct dma_queue *queue, struct dma_queue *moved, unsigned int *n)
{
	struct run *r = a->run;
	struct plan plan = { 0 };
	unsigned int *lcore = NULL;
	bool other = false;
	struct err e;

	pthread_mutex_lock(&r->lock);
	if (r->running && r->n_runs != a->fixed && a->rest == 0) {
		plan = r->plan;
		plan.streams = calloc(plan.n_streams, sizeof(*plan.streams));
		lcore = calloc(plan.n_streams, sizeof(*lcore));
		if (plan.streams != NULL)
			memcpy(plan.streams, r->plan.streams,
				plan.n_streams * sizeof(*plan.streams));
	}
	pthread_mutex_unlock(&r->lock);
	for (unsigned int i = 0; i < qs->n; i++) {
		moved[i] = queue[i];
		moved[i].lcore = -1;
	}
	err_clear(&e);
	if (lcore != NULL && plan.streams != NULL &&
		dma_streams_place(lcore, &plan, &a->now, moved, qs->n, &e) == 0)
		for (unsigned int i = 0; i < qs->n; i++) {
			moved[i].lcore = RTE_MAX(lcore_of(&a->now, &plan, lcore, &qs->queue[i],
							 queue[i].node),
				0);
			other = other || moved[i].lcore != queue[i].lcore;
		}
	*n = plan.n_streams;
	free(plan.streams);
	if (other)
		return lcore;
	free(lcore);
	return NULL;
}

void
dma_plan_watch(const struct dma_auto *a, struct guest_queues *qs)
{
	for (unsigned int i = 0; i < GUEST_WAYS * qs->n; i++) {
		struct guest_queue *q = &qs->queue[i / GUEST_WAYS];
		const struct guest_queue *before = dma_plan_before(a, q);
		const struct guest_way *was = before != NULL ? &before->way[i % GUEST_WAYS] : NULL;
		struct guest_way *now = &q->way[i % GUEST_WAYS];

		if (was != NULL && dma_guests_same(was->at, now->at) && now->in_flight > 0 &&
			was->in_flight == now->in_flight && was->packets == now->packets &&
			!dma_guests_idle(now->at))
			now->stuck = was->stuck + 1;
	}
}

int
dma_plan_index(const struct dma_auto *a, struct dma_channel c)
{
	for (unsigned int i = 0; c.dma >= 0 && i < a->now.n_engines; i++)
		if (a->dma[i] == c.dma)
			return (int)i;
	return -1;
}

/* True if an engine may copy for a direction in the next period too. */
static bool
may_keep(const struct dma_auto *a, const struct guest_way *w)
{
	return dma_plan_index(a, w->at) >= 0 &&
		w->stuck * a->period_ms < DMA_STUCK_TRIES * DMA_TRY_MS;
}

struct dma_places
dma_plan_present(const struct dma_auto *a, const struct guest_queues *qs,
	const struct dma_queue *queue)
{
	struct dma_places p = { .place = calloc(qs->n, GUEST_WAYS * sizeof(*p.place)),
		.n = GUEST_WAYS * qs->n };

	for (unsigned int i = 0; p.place != NULL && i < p.n; i++) {
		const struct dma_queue *q = &queue[i / GUEST_WAYS];

		const struct guest_way *w = &qs->queue[i / GUEST_WAYS].way[i % GUEST_WAYS];

		p.place[i] = (struct dma_place){ .port = q->port,
			.queue = q->queue,
			.tx = i % GUEST_WAYS == GUEST_TX,
			.engine = dma_plan_index(a, w->at),
			.channel = w->at.vchan,
			.lcore = (unsigned int)q->lcore,
			.pool_node = qs->queue[i / GUEST_WAYS].pool[i % GUEST_WAYS] };
	}
	return p;
}

/* A channel of an engine that no direction gets, if possible one that none has now. */
static struct dma_channel
free_channel(const struct dma_auto *a, struct guest_queues *qs, int engine)
{
	struct dma_channel c = { a->dma[engine], 0 }, found = { -1, 0 };

	for (; c.vchan < a->now.engine[engine].channels; c.vchan++) {
		if (dma_guests_owner(qs, c, true) != NULL)
			continue;
		if (dma_guests_owner(qs, c, false) == NULL)
			return c;
		found = c;
	}
	return found;
}

void
dma_plan_choose(const struct dma_auto *a, struct guest_queues *qs, const struct dma_queue *queue,
	const struct dma_places *adopted)
{
	for (int pass = 0; pass < 3; pass++)
		for (unsigned int i = 0; i < GUEST_WAYS * qs->n; i++) {
			struct guest_way *w = &qs->queue[i / GUEST_WAYS].way[i % GUEST_WAYS];
			const bool idle = queue[i / GUEST_WAYS].load[i % GUEST_WAYS].bytes <= 0;
			const int engine = adopted == NULL ? dma_plan_index(a, w->at)
							   : adopted->place[i].engine;
			const bool keeps = may_keep(a, w) &&
				(idle || engine == dma_plan_index(a, w->at));

			if (pass == 0 && keeps && !idle)
				w->to = w->at;
			else if (pass == 1 && !keeps && !idle && engine >= 0)
				w->to = free_channel(a, qs, engine);
			else if (pass == 2 && keeps && idle &&
				dma_guests_owner(qs, w->at, true) == NULL)
				w->to = w->at;
		}
}
