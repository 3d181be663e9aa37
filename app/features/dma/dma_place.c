/* Placement, queue by queue: the cheapest pair of an engine with a free channel and an lcore. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/dma/dma_place.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"

#include <rte_common.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Costs in percent of a copy's time: engine remote from lcore and memory remote, both at twice the
 * local distance; an lcore shared with one more queue. */
enum { COST_ENGINE_LCORE = 66, COST_MEMORY = 13, COST_BUSY = 100 };

enum { LCORE_ANY = -1 };

struct state {
	const struct dma_topology *t;
	unsigned int load[RTE_MAX_LCORE]; /* queues of each lcore, by its index in the topology */
	unsigned int users[DMA_ENGINES];  /* channels assigned, per engine */
};

/* A possible placement of a queue; lcore: index in the topology. */
struct candidate {
	int engine, pool_node;
	unsigned int lcore;
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

/* The cheapest node with memory for buffers that port, lcore and engine use; with its cost. */
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
		COST_BUSY * s->load[c.lcore] +
		(c.engine >= 0 ? (double)s->users[c.engine] / s->t->engine[c.engine].channels : 0);
	if (best->cost < 0 || c.cost < best->cost)
		*best = c;
}

static bool
has_channel(const struct state *s, unsigned int engine)
{
	return s->t->engine[engine].used + s->users[engine] < s->t->engine[engine].channels;
}

/* The best of all lcores, or only this one, with an engine that has a free channel; else without an
 * engine. */
static struct candidate
choose(const struct state *s, int port, int only)
{
	const unsigned int first = only == LCORE_ANY ? 0 : (unsigned int)only,
			   end = only == LCORE_ANY ? s->t->n_lcores : first + 1;
	struct candidate best = { .cost = -1 };

	for (unsigned int engine = 0; engine < s->t->n_engines; engine++)
		for (unsigned int lcore = first; lcore < end && has_channel(s, engine); lcore++)
			try(s, port, (struct candidate){ (int)engine, 0, lcore, 0 }, &best);
	if (best.cost >= 0)
		return best;
	for (unsigned int lcore = first; lcore < end; lcore++)
		try(s, port, (struct candidate){ -1, 0, lcore, 0 }, &best);
	return best;
}

/* Explain a placement: which parts are remote, and whether the node has no engine or none free. */
static void
reason(const struct state *s, const struct dma_port *port, struct dma_place *p)
{
	const struct dma_topology *t = s->t;
	const int engine = engine_node(t, p->engine);
	unsigned int there = 0;
	int n;

	if (p->engine < 0) {
		snprintf(p->reason, sizeof(p->reason), "%s: the CPU copies",
			t->n_engines == 0 ? "no engine" : "all channels are in use");
		return;
	}
	if (!p->remote) {
		snprintf(p->reason, sizeof(p->reason), "all on node %d", p->lcore_node);
	} else {
		n = snprintf(p->reason, sizeof(p->reason),
			"engine on node %d, lcore on node %d, buffers on node %d, port on node %d",
			engine, p->lcore_node, p->pool_node, port->node);
		for (unsigned int i = 0; i < t->n_engines; i++)
			there += t->engine[i].node == port->node;
		if (engine != port->node && port->node != DMA_NODE_ANY)
			snprintf(p->reason + n, sizeof(p->reason) - (size_t)n,
				there > 0 ? ": all engines of node %d are in use"
					  : ": node %d has no engine",
				port->node);
	}
}

/* Place one direction of a queue. Returns the index of its lcore. */
static int
place_one(struct state *s, const struct dma_port *port, const struct dma_place *as, int only,
	struct dma_place *p)
{
	const struct candidate c = choose(s, port->node, only);
	const struct dma_topology *t = s->t;
	const int lcore = t->lcore[c.lcore].node, engine = engine_node(t, c.engine);

	*p = *as;
	p->engine = c.engine;
	p->lcore = t->lcore[c.lcore].id;
	p->lcore_node = lcore;
	p->pool_node = c.pool_node;
	p->remote = far(t, engine, lcore) + far(t, engine, c.pool_node) +
			far(t, lcore, c.pool_node) + far(t, engine, port->node) +
			far(t, lcore, port->node) >
		0;
	reason(s, port, p);
	if (c.engine >= 0)
		p->channel = t->engine[c.engine].used + s->users[c.engine]++;
	return (int)c.lcore;
}

static void
place(struct state *s, const struct dma_port *port, unsigned int queue, struct dma_place *p)
{
	const struct dma_place rx = { .port = port->id, .queue = (uint16_t)queue },
			       tx = { .port = port->id, .queue = (uint16_t)queue, .tx = true };
	const int lcore = place_one(s, port, &rx, LCORE_ANY, &p[0]);

	place_one(s, port, &tx, lcore, &p[1]);
	s->load[lcore]++;
}

/*
 * Place one queue of every port, so that each port gets its share of scarce engines. In each round
 * ports with a known NUMA node come first.
 */
static void
place_round(struct state *s, unsigned int queue, bool known, struct dma_places *p)
{
	struct dma_place *at = p->place;

	for (unsigned int i = 0; i < s->t->n_ports; i++) {
		const struct dma_port *port = &s->t->port[i];

		if (queue < port->queues && (port->node != DMA_NODE_ANY) == known)
			place(s, port, queue, at + 2 * queue);
		at += 2 * port->queues;
	}
}

int
dma_place_all(struct dma_places *p, const struct dma_topology *t, struct err *e)
{
	unsigned int most = 0;
	struct state s = { .t = t };

	*p = (struct dma_places){ 0 };
	if (t->n_lcores == 0 || t->n_ports == 0)
		return err_set(e, EINVAL, "nothing to place: %s",
			t->n_ports == 0 ? "no ports" : "no lcores");
	for (unsigned int i = 0; i < t->n_ports; i++) {
		p->n += 2 * t->port[i].queues;
		most = RTE_MAX(most, t->port[i].queues);
	}
	p->place = calloc(p->n, sizeof(*p->place));
	if (p->place == NULL)
		return err_set(e, ENOMEM, "no memory to place %u queues", p->n);
	for (unsigned int queue = 0; queue < most; queue++) {
		place_round(&s, queue, true, p);
		place_round(&s, queue, false, p);
	}
	return 0;
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
	out_u64(o, "queue", "%-3" PRIu64, p->queue);
	out_str(o, "direction", "%-3s", p->tx ? "tx" : "rx");
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
			out_warn(o, "port %u queue %u %s is remote: %s\n", p->place[i].port,
				p->place[i].queue, p->place[i].tx ? "tx" : "rx",
				p->place[i].reason);
}
