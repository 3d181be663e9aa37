/* Commands for placements: show which lcore, DMA channel and memory each queue is to use. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "features/dma/dma_auto.h"
#include "features/dma/dma_place.h"
#include "features/dma/dma_speeds.h"
#include "features/dma/dma_topology.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static bool
differ(int a, int b)
{
	return a != DMA_NODE_ANY && b != DMA_NODE_ANY && a != b;
}

/* A placement with the nodes that it joins. */
struct shown {
	const struct dma_place *p;
	int port, lcore, engine; /* nodes */
	bool remote;             /* they and the memory are not all on one node */
	char reason[192];
};

/* Why the CPU copies. */
static const char *
cpu_reason(const struct dma_topology *t, const struct dma_places *all, bool idle)
{
	unsigned int free = 0, placed = 0;

	if (idle)
		return "no packets";
	for (unsigned int i = 0; i < t->n_engines; i++)
		free += t->engine[i].channels - t->engine[i].used;
	for (unsigned int i = 0; i < all->n; i++)
		placed += all->place[i].engine >= 0;
	if (placed < free)
		return "cheaper than a channel";
	return t->n_engines == 0 ? "no engine" : "all channels are in use";
}

/* Explain a placement: which parts are remote, and whether the node has no engine or none free. */
static void
explain(const struct dma_topology *t, const struct dma_places *all, bool idle, struct shown *s)
{
	unsigned int there = 0;
	int n;

	if (s->p->engine < 0) {
		snprintf(s->reason, sizeof(s->reason), "%s: the CPU copies",
			cpu_reason(t, all, idle));
		return;
	}
	if (!s->remote) {
		snprintf(s->reason, sizeof(s->reason), "all on node %d", s->lcore);
		return;
	}
	n = snprintf(s->reason, sizeof(s->reason),
		"engine on node %d, lcore on node %d, buffers on node %d, port on node %d",
		s->engine, s->lcore, s->p->pool_node, s->port);
	for (unsigned int i = 0; i < t->n_engines; i++)
		there += t->engine[i].node == s->port;
	if (differ(s->engine, s->port))
		snprintf(s->reason + n, sizeof(s->reason) - (size_t)n,
			there > 0 ? ": engines of node %d are in use or busy"
				  : ": node %d has no engine",
			s->port);
}

/* Placement i of all. */
static struct shown
shown(const struct dma_topology *t, const struct dma_queue *queue, const struct dma_places *all,
	unsigned int i)
{
	const struct dma_queue *q = &queue[i / 2];
	const struct dma_place *p = &all->place[i];
	const int pool = p->pool_node;
	struct shown s = { p, q->node, t->lcore[p->lcore].node, DMA_NODE_ANY, false, "" };

	if (p->engine >= 0)
		s.engine = t->engine[p->engine].node;
	s.remote = differ(s.engine, s.lcore) || differ(s.engine, pool) || differ(s.lcore, pool) ||
		differ(s.engine, s.port) || differ(s.lcore, s.port);
	explain(t, all, q->load[i % 2].bytes <= 0, &s);
	return s;
}

static void
one_show(struct out *o, const struct dma_topology *t, const struct shown *s)
{
	const struct dma_place *p = s->p;
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
	out_u64(o, "lcore", " %-6" PRIu64, t->lcore[p->lcore].id);
	out_i64(o, "lcore_node", NULL, s->lcore);
	out_i64(o, "pool_node", "%-5" PRId64, p->pool_node);
	out_bool(o, "remote", "%s: ", s->remote, "remote", "local");
	out_str(o, "reason", "%s\n", s->reason);
	out_unnest(o);
}

/*
 * JSON: {"placement": [{"port", "queue", "engine", ...}], "acts", "cost", "cost_cpu"}. cpu: the cost if
 * the CPU makes all copies.
 */
static void
places_show(struct out *o, const struct dma_topology *t, const struct dma_queue *queue,
	const struct dma_places *p, bool acts, double cpu)
{
	out_text(o, "port queue engine                 lcore  pool\n");
	out_nest(o, "placement", OUT_ARRAY);
	for (unsigned int i = 0; i < p->n; i++) {
		const struct shown s = shown(t, queue, p, i);

		one_show(o, t, &s);
	}
	out_unnest(o);
	out_bool(o, "acts", "%s", acts, "in force (dma placement auto), ", "a proposal, ");
	out_f64(o, "cost", "cost: %.3f lcores", p->cost);
	out_f64(o, "cost_cpu", ", if the CPU makes all copies: %.3f\n", cpu);
	dma_speeds_say(t, o);
	for (unsigned int i = 0; i < p->n; i++) {
		const struct shown s = shown(t, queue, p, i);

		if (s.remote)
			out_warn(o, "port %u queue %u %s is remote: %s\n", s.p->port, s.p->queue,
				s.p->tx ? "tx" : "rx", s.reason);
	}
}

/* Show the placement in force, or without one the cheapest. */
static int
place_and_show(struct out *o, struct dma_topology *t, const struct dma_queue *queue, unsigned int n,
	const struct dma_places *present, struct err *e)
{
	const unsigned int engines = t->n_engines;
	struct dma_places p, cpu;

	t->n_engines = 0;
	if (dma_place_all(&cpu, t, queue, n, NULL, e) != 0)
		return -e->code;
	t->n_engines = engines;
	if (present != NULL) {
		places_show(o, t, queue, present, true, cpu.cost);
	} else if (dma_place_all(&p, t, queue, n, NULL, e) == 0) {
		places_show(o, t, queue, &p, false, cpu.cost);
		dma_place_free(&p);
	}
	dma_place_free(&cpu);
	return -e->code;
}

static int
show_placement(struct app *app, const struct args *a, struct err *e)
{
	struct dma_topology *t = malloc(sizeof(*t));
	struct dma_queue *queue = NULL;
	struct dma_places present = { 0 };
	unsigned int n;

	if (t == NULL)
		return err_set(e, ENOMEM, "no memory for a topology");
	if (dma_auto_present(app, t, &queue, &n, &present)) {
		place_and_show(app->out, t, queue, n, &present, e);
		dma_place_free(&present);
	} else if (dma_topology_read(t, app->settings, e) == 0) {
		queue = dma_cost_queues(t, &n);
		if (queue == NULL)
			err_set(e, ENOMEM, "no memory to place queues");
		else
			place_and_show(app->out, t, queue, n, NULL, e);
	}
	free(queue);
	free(t);
	return -e->code;
}

static const struct cmd_row rows[] = {
	{ "show dma placement", show_placement,
		"show the DMA channel or the CPU, the lcore and the memory node of each queue of each port, with the reason: those in force while dma placement auto acts, else those at the least cost",
		"show dma placement", .shows = true },
};

const struct cmd_table cmds_placement = { "placement", "the nearest DMA engines", rows,
	ARRAY_SIZE(rows), CMD_DMA };
