/* Placement, queue by queue: of every engine and lcore that is free, the pair that costs least. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "dma/dma_place.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Per cent of a copy's time at twice a node's own distance, and of a queue's share of an lcore. */
enum { COST_ENGINE_LCORE = 66, COST_MEMORY = 13, COST_BUSY = 100 };

enum { OWNER_NONE = -1 };

struct state {
	const struct dma_topology *t;
	unsigned int load[RTE_MAX_LCORE]; /* queues of each lcore, by its place in the topology */
	int *owner[DMA_ENGINES];          /* the lcore of each channel, by its place */
	unsigned int users[DMA_ENGINES];  /* queues placed on each */
};

/* What a queue could get; lcore: its place in the topology. */
struct candidate {
	int engine, pool_node;
	unsigned int channel, lcore;
	bool shared;
	double cost;
};

static double
far(const struct dma_topology *t, int a, int b)
{
	return dma_topology_distance(t, a, b) / (double)DMA_DISTANCE_OWN - 1;
}

static int
engine_node(const struct dma_topology *t, int engine)
{
	return engine < 0 ? DMA_NODE_ANY : t->engine[engine].node;
}

/* A channel that an lcore may have; false: there is none, shared or not. */
static bool
channel_find(const struct state *s, unsigned int engine, unsigned int lcore, bool shared,
	unsigned int *channel)
{
	for (unsigned int i = s->t->engine[engine].used; i < s->t->engine[engine].channels; i++) {
		if (s->owner[engine][i] == (shared ? (int)lcore : OWNER_NONE)) {
			*channel = i;
			return true;
		}
	}
	return false;
}

/* The node for buffers: where memory is, and next to who uses them; with its cost. */
static int
pool_find(const struct dma_topology *t, int port, int lcore, int engine, double *cost)
{
	int found = lcore;
	double least = -1;

	for (int node = 0; node < DMA_NODES; node++) {
		double now = COST_MEMORY *
			(far(t, engine, node) + far(t, lcore, node) + far(t, port, node));

		if (!t->node[node].there || t->node[node].memory_mib == 0)
			continue;
		if (least < 0 || now < least || (now == least && node == port)) {
			least = now;
			found = node;
		}
	}
	*cost = least > 0 ? least : 0;
	return found;
}

static void
try(const struct state *s, int port, struct candidate c, struct candidate *best)
{
	const int lcore = s->t->lcore[c.lcore].node, engine = engine_node(s->t, c.engine);
	double memory;

	c.pool_node = pool_find(s->t, port, lcore, engine, &memory);
	c.cost = memory + COST_ENGINE_LCORE * far(s->t, engine, lcore) +
		COST_MEMORY * (far(s->t, engine, port) + far(s->t, lcore, port)) +
		COST_BUSY * s->load[c.lcore] + (c.engine >= 0 ? s->users[c.engine] : 0);
	if (best->cost < 0 || c.cost < best->cost)
		*best = c;
}

/* The best of all lcores with a channel that is free, else with a shared one, else without. */
static struct candidate
choose(const struct state *s, int port)
{
	struct candidate best = { .cost = -1 };

	for (unsigned int shared = 0; shared < 2 && best.cost < 0; shared++)
		for (unsigned int engine = 0; engine < s->t->n_engines; engine++)
			for (unsigned int lcore = 0; lcore < s->t->n_lcores; lcore++) {
				struct candidate c = { (int)engine, 0, 0, lcore, shared != 0, 0 };

				if (channel_find(s, engine, lcore, c.shared, &c.channel))
					try(s, port, c, &best);
			}
	if (best.cost >= 0)
		return best;
	for (unsigned int lcore = 0; lcore < s->t->n_lcores; lcore++)
		try(s, port, (struct candidate){ -1, 0, 0, lcore, false, 0 }, &best);
	return best;
}

/* Why nothing nearer was there: of what kind none is on the node, or all are taken. */
static void
reason(const struct state *s, const struct dma_port *port, struct dma_place *p)
{
	const struct dma_topology *t = s->t;
	const int engine = engine_node(t, p->engine);
	unsigned int there = 0;
	int n;

	if (p->engine < 0) {
		snprintf(p->reason, sizeof(p->reason), "%s: the CPU copies",
			t->n_engines == 0 ? "there is no engine" : "all channels are taken");
		return;
	}
	if (!p->remote) {
		n = snprintf(p->reason, sizeof(p->reason), "all on node %d", p->lcore_node);
	} else {
		n = snprintf(p->reason, sizeof(p->reason),
			"engine on node %d, lcore on node %d, buffers on node %d, port on node %d",
			engine, p->lcore_node, p->pool_node, port->node);
		for (unsigned int i = 0; i < t->n_engines; i++)
			there += t->engine[i].node == port->node;
		if (engine != port->node && port->node != DMA_NODE_ANY)
			n += snprintf(p->reason + n, sizeof(p->reason) - (size_t)n,
				there > 0 ? ": engines of node %d are taken"
					  : ": node %d has no engine",
				port->node);
	}
	if (p->shared)
		snprintf(p->reason + n, sizeof(p->reason) - (size_t)n,
			"; shared with other queues of the lcore");
}

static void
place(struct state *s, const struct dma_port *port, unsigned int queue, struct dma_place *p)
{
	const struct candidate c = choose(s, port->node);
	const struct dma_topology *t = s->t;
	const int lcore = t->lcore[c.lcore].node, engine = engine_node(t, c.engine);

	*p = (struct dma_place){ port->id, (uint16_t)queue, c.engine, c.channel,
		t->lcore[c.lcore].id, lcore, c.pool_node, c.shared,
		far(t, engine, lcore) + far(t, engine, c.pool_node) + far(t, lcore, c.pool_node) +
				far(t, engine, port->node) + far(t, lcore, port->node) >
			0,
		"" };
	reason(s, port, p);
	s->load[c.lcore]++;
	if (c.engine >= 0) {
		s->users[c.engine]++;
		s->owner[c.engine][c.channel] = (int)c.lcore;
	}
}

/*
 * Queue 0 of all ports, then queue 1: who is short of engines has each port served. Of one round,
 * those first that have a node to be near to.
 */
static void
place_round(struct state *s, unsigned int queue, bool known, struct dma_places *p)
{
	struct dma_place *at = p->place;

	for (unsigned int i = 0; i < s->t->n_ports; i++) {
		const struct dma_port *port = &s->t->port[i];

		if (queue < port->queues && (port->node != DMA_NODE_ANY) == known)
			place(s, port, queue, at + queue);
		at += port->queues;
	}
}

static bool
state_open(struct state *s, const struct dma_topology *t)
{
	memset(s, 0, sizeof(*s));
	s->t = t;
	for (unsigned int i = 0; i < t->n_engines; i++) {
		s->owner[i] = malloc((t->engine[i].channels + 1) * sizeof(int));
		if (s->owner[i] == NULL)
			return false;
		for (unsigned int k = 0; k < t->engine[i].channels; k++)
			s->owner[i][k] = OWNER_NONE;
	}
	return true;
}

static void
state_close(struct state *s)
{
	for (unsigned int i = 0; i < s->t->n_engines; i++)
		free(s->owner[i]);
}

int
dma_place_all(struct dma_places *p, const struct dma_topology *t, struct err *e)
{
	unsigned int most = 0;
	struct state s;

	*p = (struct dma_places){ 0 };
	if (t->n_lcores == 0 || t->n_ports == 0)
		return err_set(e, EINVAL, "there is nothing to place: %s",
			t->n_ports == 0 ? "no ports" : "no lcores");
	for (unsigned int i = 0; i < t->n_ports; i++) {
		p->n += t->port[i].queues;
		most = RTE_MAX(most, t->port[i].queues);
	}
	p->place = calloc(p->n, sizeof(*p->place));
	if (state_open(&s, t) && p->place != NULL) {
		for (unsigned int queue = 0; queue < most; queue++) {
			place_round(&s, queue, true, p);
			place_round(&s, queue, false, p);
		}
	} else {
		dma_place_free(p);
		err_set(e, ENOMEM, "no memory to place %u queues", p->n);
	}
	state_close(&s);
	return p->place != NULL ? 0 : -e->code;
}

void
dma_place_free(struct dma_places *p)
{
	free(p->place);
	p->place = NULL;
}

static void
one_show(struct out *o, const struct dma_topology *t, const struct dma_place *p)
{
	char engine[DMA_NAME_BYTES + 16];

	if (p->engine >= 0)
		snprintf(engine, sizeof(engine), "%s:%u", t->engine[p->engine].name, p->channel);
	else
		snprintf(engine, sizeof(engine), "none");
	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "port", "%-5" PRIu64, p->port);
	out_u64(o, "queue", "%-6" PRIu64, p->queue);
	out_text(o, "%-22s", engine);
	if (p->engine >= 0) {
		out_str(o, "engine", NULL, t->engine[p->engine].name);
		out_u64(o, "channel", NULL, p->channel);
		out_i64(o, "engine_node", NULL, t->engine[p->engine].node);
	}
	out_u64(o, "lcore", " %-6" PRIu64, p->lcore);
	out_i64(o, "lcore_node", NULL, p->lcore_node);
	out_i64(o, "pool_node", "%-5" PRId64, p->pool_node);
	out_bool(o, "remote", "%s: ", p->remote, "remote", "local");
	out_bool(o, "shared", NULL, p->shared, "", "");
	out_str(o, "reason", "%s\n", p->reason);
	out_unnest(o);
}

void
dma_place_show(struct out *o, const struct dma_topology *t, const struct dma_places *p)
{
	out_text(o, "port queue engine                 lcore  pool\n");
	out_nest(o, "placement", OUT_ARRAY);
	for (unsigned int i = 0; i < p->n; i++)
		one_show(o, t, &p->place[i]);
	out_unnest(o);
	for (unsigned int i = 0; i < p->n; i++)
		if (p->place[i].remote)
			out_warn(o, "port %u queue %u is remote: %s\n", p->place[i].port,
				p->place[i].queue, p->place[i].reason);
}
