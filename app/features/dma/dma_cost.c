/* The cost of lcores, DMA channels and memory that serve queues: pure functions of topology and
 * load. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/dma/dma_cost.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/*
 * Parts of a copy's time that a remote engine or remote memory costs at twice the local distance:
 * the largest ones that Intel published for CBDMA on a Xeon 8180 (doc/published.md).
 */
#define REMOTE_ENGINE 0.66
#define REMOTE_MEMORY 0.13

/*
 * The price of waiting for an lcore or an engine that is in use for the part u of its time. There is no
 * source for the exponent, and little depends on it (doc/vhost-dma.md, "The cost").
 */
static double
waiting(double u)
{
	return u * u * u * u;
}

struct dma_queue *
dma_cost_queues(const struct dma_topology *t, unsigned int *n)
{
	struct dma_queue *queue;
	unsigned int all = 0;

	for (unsigned int i = 0; i < t->n_ports; i++)
		all += t->port[i].queues;
	queue = calloc(all, sizeof(*queue));
	*n = 0;
	for (unsigned int i = 0; queue != NULL && i < t->n_ports; i++)
		for (unsigned int k = 0; k < t->port[i].queues; k++)
			queue[(*n)++] = (struct dma_queue){ t->port[i].id, (uint16_t)k,
				t->port[i].node, -1, { t->port[i].load, t->port[i].load } };
	return queue;
}

/* 0: the same node; 1: twice the distance of a node to itself. */
static double
remoteness(const struct dma_topology *t, int a, int b)
{
	return dma_topology_distance(t, a, b) / (double)DMA_DISTANCE_OWN - 1;
}

int
dma_cost_engine_node(const struct dma_topology *t, int engine)
{
	return engine == DMA_BY_CPU ? DMA_NODE_ANY : t->engine[engine].node;
}

int
dma_cost_pool(const struct dma_topology *t, int port, int lcore, int engine, int present)
{
	int found = lcore;
	unsigned int least = UINT_MAX;

	for (int node = 0; node < DMA_NODES; node++) {
		unsigned int now;

		if (!t->node[node].there || t->node[node].memory_mib == 0)
			continue;
		now = dma_topology_distance(t, engine, node) +
			dma_topology_distance(t, lcore, node) +
			dma_topology_distance(t, port, node);
		if (now < least ||
			(now == least && (node == present || (node == port && found != present)))) {
			least = now;
			found = node;
		}
	}
	return found;
}

double
dma_cost_cpu_speed(const struct dma_topology *t)
{
	return t->cpu_speed > 0 ? t->cpu_speed * 1e6 : DMA_COST_CPU_BYTES;
}

double
dma_cost_speed(const struct dma_engine *engine)
{
	return (engine->speed > 0 ? engine->speed : DMA_COST_SPEED) * 1e6;
}

double
dma_cost_job(const struct dma_topology *t, int engine)
{
	const double ns = t->engine[engine].job_ns;

	return ns > 0 ? ns * 1e-9 : DMA_COST_JOB_BYTES / dma_cost_cpu_speed(t);
}

/* The parts of their time that one direction of a queue uses of its lcore and its engine. */
static void
usage(const struct dma_topology *t, const struct dma_queue *q, int way, const struct dma_choice *c,
	double *lcore_use, double *engine_use)
{
	const struct dma_load *load = &q->load[way];
	const int engine = c->engine[way], node = dma_cost_engine_node(t, engine),
		  lcore = t->lcore[c->lcore].node,
		  pool = dma_cost_pool(t, q->node, lcore, node, DMA_NODE_ANY);

	*lcore_use = *engine_use = 0;
	if (load->bytes <= 0)
		return;
	if (engine == DMA_BY_CPU) {
		const double remote = remoteness(t, lcore, pool) + remoteness(t, lcore, q->node);

		*lcore_use = load->bytes / dma_cost_cpu_speed(t) * (1 + REMOTE_MEMORY * remote);
		return;
	}
	*lcore_use = load->bytes / load->length * dma_cost_job(t, engine) *
		(1 + REMOTE_ENGINE * remoteness(t, lcore, node) +
			REMOTE_MEMORY * remoteness(t, lcore, pool));
	*engine_use = load->bytes / dma_cost_speed(&t->engine[engine]) *
		(1 + REMOTE_MEMORY * (remoteness(t, node, pool) + remoteness(t, node, q->node)));
}

/* Change the use of an lcore or an engine, and the cost. */
static void
use(struct dma_cost *c, double *part, double more)
{
	c->total += waiting(*part + more) - waiting(*part);
	*part += more;
}

void
dma_cost_clear(struct dma_cost *c, const struct dma_topology *t)
{
	c->t = t;
	c->total = 0;
	memset(c->lcore, 0, sizeof(c->lcore));
	for (unsigned int i = 0; i < t->n_engines; i++) {
		c->engine[i] = t->engine[i].busy / 100.0;
		c->channels[i] = t->engine[i].channels - t->engine[i].used;
	}
}

void
dma_cost_add(struct dma_cost *c, const struct dma_queue *q, const struct dma_choice *choice,
	int sign)
{
	double lcore, engine;

	for (int way = DMA_RX; way < DMA_WAYS; way++) {
		usage(c->t, q, way, choice, &lcore, &engine);
		c->total += sign * lcore;
		use(c, &c->lcore[choice->lcore], sign * lcore);
		if (choice->engine[way] == DMA_BY_CPU)
			continue;
		use(c, &c->engine[choice->engine[way]], sign * engine);
		c->channels[choice->engine[way]] -= (unsigned int)sign;
	}
}

bool
dma_cost_adopt(struct dma_patience *p, double present, double proposed)
{
	const double gain = present - proposed;

	if (gain <= DMA_COST_NOTHING || gain * 100 <= present * p->percent) {
		p->seen = 0;
		return false;
	}
	if (++p->seen < p->periods)
		return false;
	p->seen = 0;
	return true;
}
