/* The assignment of lcores, DMA channels and memory to queues at a low cost, and at the least one for a
 * few queues. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/dma/dma_place.h"

#include "base/base.h"
#include "base/err.h"

#include <rte_common.h>

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Parts of a copy's time that a remote engine or remote memory costs at twice the local distance:
 * the largest ones that Intel published for CBDMA on a Xeon 8180 (doc/published.md).
 */
#define REMOTE_ENGINE 0.66
#define REMOTE_MEMORY 0.13

/* The largest difference that rounding makes. A lower cost is lower by more. */
#define ROUNDING 1e-9

/*
 * Choices that a search tries at most, in about 20 ms: dma placement auto searches in each period. A
 * search tries at least all choices of one queue, fewer than 140,000 on 32 nodes with 64 engines.
 */
enum { TRIES = 200000 };

/* Queues that are tried together at most, which limits the stack. TRIES ends a search of so many. */
enum { TOGETHER = 32 };

enum { RX, TX, WAYS, CPU = -1 };

/* What serves a queue: indices in the topology. */
struct choice {
	int lcore, engine[WAYS];
};
static const struct choice no_choice = { -1, { CPU, CPU } };

struct search {
	const struct dma_topology *t;
	const struct dma_queue *queue;
	unsigned int n, tries;
	double lcore[RTE_MAX_LCORE], engine[DMA_ENGINES]; /* parts of their time in use */
	unsigned int channels[DMA_ENGINES];               /* free ones */
	double cost, least;                               /* of now, of best */
	const struct dma_queue **order;                   /* the largest load first */
	struct {
		struct choice now, best;
		double alone; /* least cost without other queues */
	} of[];               /* by queue */
};

/* The price of waiting for an lcore or an engine that is in use for the part u of its time. */
static double
waiting(double u)
{
	return u * u * u * u;
}

/* 0: the same node; 1: twice the distance of a node to itself. */
static double
remoteness(const struct dma_topology *t, int a, int b)
{
	return dma_topology_distance(t, a, b) / (double)DMA_DISTANCE_OWN - 1;
}

static int
engine_node(const struct dma_topology *t, int engine)
{
	return engine == CPU ? DMA_NODE_ANY : t->engine[engine].node;
}

/* The node with memory that is nearest to port, lcore and engine. */
static int
pool_nearest(const struct dma_topology *t, int port, int lcore, int engine)
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
		if (now < least || (now == least && node == port)) {
			least = now;
			found = node;
		}
	}
	return found;
}

/* The parts of their time that one direction of a queue uses of its lcore and its engine. */
static void
usage(const struct dma_topology *t, const struct dma_queue *q, int way, const struct choice *c,
	double *lcore_use, double *engine_use)
{
	const struct dma_load *load = &q->load[way];
	const int engine = c->engine[way], node = engine_node(t, engine),
		  lcore = t->lcore[c->lcore].node, pool = pool_nearest(t, q->node, lcore, node);
	double speed;

	*lcore_use = *engine_use = 0;
	if (load->bytes <= 0)
		return;
	if (engine == CPU) {
		const double remote = remoteness(t, lcore, pool) + remoteness(t, lcore, q->node);

		*lcore_use = load->bytes / DMA_PLACE_CPU_BYTES * (1 + REMOTE_MEMORY * remote);
		return;
	}
	speed = (t->engine[engine].speed > 0 ? t->engine[engine].speed : DMA_PLACE_SPEED) * 1e6;
	*lcore_use = load->bytes / load->length * DMA_PLACE_JOB_BYTES / DMA_PLACE_CPU_BYTES *
		(1 + REMOTE_ENGINE * remoteness(t, lcore, node) +
			REMOTE_MEMORY * remoteness(t, lcore, pool));
	*engine_use = load->bytes / speed *
		(1 + REMOTE_MEMORY * (remoteness(t, node, pool) + remoteness(t, node, q->node)));
}

/* Change the use of an lcore or an engine, and the cost. */
static void
use(struct search *s, double *part, double more)
{
	s->cost += waiting(*part + more) - waiting(*part);
	*part += more;
}

/* Assign a queue, or with sign = -1 take its choice away. */
static void
account(struct search *s, unsigned int q, const struct choice *c, int sign)
{
	double lcore, engine;

	for (int way = RX; way < WAYS; way++) {
		usage(s->t, &s->queue[q], way, c, &lcore, &engine);
		s->cost += sign * lcore;
		use(s, &s->lcore[c->lcore], sign * lcore);
		if (c->engine[way] == CPU)
			continue;
		use(s, &s->engine[c->engine[way]], sign * engine);
		s->channels[c->engine[way]] -= (unsigned int)sign;
	}
}

static void
assign(struct search *s, unsigned int q, struct choice c)
{
	account(s, q, &c, 1);
	s->of[q].now = c;
}

static void
unassign(struct search *s, unsigned int q)
{
	account(s, q, &s->of[q].now, -1);
}

/* Unassign all queues. */
static void
clear(struct search *s)
{
	s->cost = 0;
	memset(s->lcore, 0, sizeof(s->lcore));
	for (unsigned int i = 0; i < s->t->n_engines; i++) {
		s->engine[i] = s->t->engine[i].busy / 100.0;
		s->channels[i] = s->t->engine[i].channels - s->t->engine[i].used;
	}
}

/*
 * True if another lcore of the same node can be tried instead: one that is used as much, or for the
 * last queue one that is used less.
 */
static bool
lcore_is_spare(const struct search *s, int lcore, bool last)
{
	for (int i = 0; i < (int)s->t->n_lcores; i++) {
		const double less = s->lcore[lcore] - s->lcore[i];

		if (s->t->lcore[i].node == s->t->lcore[lcore].node &&
			((i < lcore && fabs(less) < ROUNDING) || (last && less >= ROUNDING)))
			return true;
	}
	return false;
}

/* True if there are channels for both directions. */
static bool
has_channels(const struct search *s, const struct choice *c)
{
	const int rx = c->engine[RX], tx = c->engine[TX];

	return (rx == CPU || s->channels[rx] > 0) &&
		(tx == CPU || s->channels[tx] > (rx == tx ? 1u : 0u));
}

/*
 * The next choice for an unassigned queue, after no_choice the first one; false: there are no more.
 * last: all other queues are assigned.
 */
static bool
next(const struct search *s, unsigned int q, bool last, struct choice *c)
{
	const int engines = (int)s->t->n_engines, lcores = (int)s->t->n_lcores,
		  given = s->queue[q].lcore;

	do {
		if (c->lcore >= 0 && ++c->engine[TX] < engines)
			continue;
		c->engine[TX] = CPU;
		if (c->lcore >= 0 && ++c->engine[RX] < engines)
			continue;
		c->engine[RX] = CPU;
		if (given >= 0 && c->lcore >= 0)
			return false;
		c->lcore = given >= 0 ? given : c->lcore + 1;
		while (given < 0 && c->lcore < lcores && lcore_is_spare(s, c->lcore, last))
			c->lcore++;
	} while (c->lcore < lcores && !has_channels(s, c));
	return c->lcore < lcores;
}

static unsigned int
number(const struct search *s, const struct dma_queue *queue)
{
	return (unsigned int)(queue - s->queue);
}

/* Keep the present choices if they are cheaper. */
static void
keep(struct search *s)
{
	if (s->cost >= s->least - ROUNDING)
		return;
	s->least = s->cost;
	for (unsigned int q = 0; q < s->n; q++)
		s->of[q].best = s->of[q].now;
}

/*
 * Try all choices for n unassigned queues, except where the cost with at least left for the queues
 * that follow is not below the least one.
 */
static void
branch(struct search *s, const struct dma_queue *const *queue, unsigned int n, double left)
{
	const unsigned int q = number(s, queue[0]);
	const double was = s->cost;
	struct choice c = no_choice;

	left -= s->of[q].alone;
	while (s->tries < TRIES && next(s, q, n == 1, &c)) {
		s->tries++;
		assign(s, q, c);
		if (n == 1)
			keep(s);
		else if (s->cost + left < s->least - ROUNDING)
			branch(s, queue + 1, n - 1, left);
		unassign(s, q);
		s->cost = was;
	}
}

/* Give n queues the cheapest choices. Returns false if they have them. */
static bool
choose(struct search *s, const struct dma_queue *const *queue, unsigned int n)
{
	const double was = s->least;
	double left = 0;

	for (unsigned int i = 0; i < n; i++) {
		unassign(s, number(s, queue[i]));
		left += s->of[number(s, queue[i])].alone;
	}
	branch(s, queue, n, left);
	for (unsigned int i = 0; i < n; i++)
		assign(s, number(s, queue[i]), s->of[number(s, queue[i])].best);
	return s->least < was;
}

/* Give single queues and pairs the cheapest choices until nothing gets cheaper, then the largest
 * queues together. */
static void
improve(struct search *s)
{
	bool cheaper = true;

	s->tries = 0;
	keep(s);
	while (cheaper) {
		cheaper = false;
		for (unsigned int i = 0; i < s->n; i++)
			cheaper |= choose(s, &s->order[i], 1);
		for (unsigned int i = 0; i < s->n; i++)
			for (unsigned int k = i + 1; k < s->n && s->tries < TRIES; k++)
				cheaper |= choose(s,
					(const struct dma_queue *[]){ s->order[i], s->order[k] },
					2);
	}
	if (s->n > 0)
		choose(s, s->order, RTE_MIN(s->n, (unsigned int)TOGETHER));
}

/* Give an unassigned queue the cheapest choice. */
static void
append(struct search *s, const struct dma_queue *queue)
{
	s->tries = 0;
	s->least = DBL_MAX;
	branch(s, &queue, 1, 0);
	assign(s, number(s, queue), s->of[number(s, queue)].best);
}

/* Give each queue the cheapest choice, the largest load first. */
static void
from_nothing(struct search *s)
{
	clear(s);
	for (unsigned int i = 0; i < s->n; i++)
		append(s, s->order[i]);
}

/* Give each queue what a placement has. Where there is no channel any more, the CPU copies. */
static void
from_places(struct search *s, const struct dma_place *place)
{
	clear(s);
	for (unsigned int q = 0; q < s->n; q++) {
		struct choice c = { (int)place[WAYS * q].lcore, { CPU, CPU } };

		for (int way = RX; way < WAYS; way++) {
			c.engine[way] = place[WAYS * q + (unsigned int)way].engine;
			if (!has_channels(s, &c))
				c.engine[way] = CPU;
		}
		assign(s, q, c);
	}
}

static void
to_places(const struct search *s, struct dma_place *place)
{
	const struct dma_topology *t = s->t;
	unsigned int users[DMA_ENGINES] = { 0 };

	for (unsigned int i = 0; i < WAYS * s->n; i++) {
		const struct dma_queue *q = &s->queue[i / WAYS];
		const struct choice *c = &s->of[i / WAYS].best;
		const int engine = c->engine[i % WAYS];

		place[i] = (struct dma_place){ .port = q->port,
			.queue = q->queue,
			.tx = i % WAYS == TX,
			.engine = engine,
			.lcore = (unsigned int)c->lcore,
			.pool_node = pool_nearest(t, q->node, t->lcore[c->lcore].node,
				engine_node(t, engine)) };
		if (engine != CPU)
			place[i].channel = t->engine[engine].used + users[engine]++;
	}
}

static double
bytes_of(const struct dma_queue *q)
{
	return q->load[RX].bytes + q->load[TX].bytes;
}

/* The largest load first. Queues on unknown nodes, which are near to all, are last. */
static int
by_size(const void *one, const void *other)
{
	const struct dma_queue *a = *(const struct dma_queue *const *)one,
			       *b = *(const struct dma_queue *const *)other;
	const bool unknown = a->node == DMA_NODE_ANY;

	if (unknown != (b->node == DMA_NODE_ANY))
		return unknown ? 1 : -1;
	if (bytes_of(a) != bytes_of(b))
		return bytes_of(a) > bytes_of(b) ? -1 : 1;
	return a < b ? -1 : 1;
}

struct dma_queue *
dma_place_queues(const struct dma_topology *t, unsigned int *n)
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

/* free() it. NULL: no memory. */
static struct search *
search_new(const struct dma_topology *t, const struct dma_queue *queue, unsigned int n)
{
	struct search *s = calloc(1, sizeof(*s) + n * (sizeof(s->of[0]) + sizeof(s->order[0])));

	if (s == NULL)
		return NULL;
	s->t = t;
	s->queue = queue;
	s->n = n;
	s->order = (const struct dma_queue **)(void *)&s->of[n];
	for (unsigned int q = 0; q < n; q++)
		s->order[q] = &queue[q];
	qsort(s->order, n, sizeof(s->order[0]), by_size);
	return s;
}

int
dma_place_all(struct dma_places *p, const struct dma_topology *t, const struct dma_queue *queue,
	unsigned int n, const struct dma_places *present, struct err *e)
{
	struct search *s;

	*p = (struct dma_places){ 0 };
	err_clear(e);
	if (dma_topology_check(t, e) != 0)
		return -e->code;
	s = search_new(t, queue, n);
	p->place = calloc(n, WAYS * sizeof(*p->place));
	if (s == NULL || p->place == NULL) {
		free(s);
		dma_place_free(p);
		return err_set(e, ENOMEM, "no memory to place %u queues", n);
	}
	for (unsigned int q = 0; q < n; q++) {
		clear(s);
		append(s, &queue[q]);
		s->of[q].alone = s->cost;
	}
	if (present != NULL)
		from_places(s, present->place);
	else
		from_nothing(s);
	s->least = DBL_MAX;
	improve(s);
	p->n = WAYS * n;
	p->cost = s->least;
	to_places(s, p->place);
	free(s);
	return 0;
}

void
dma_place_free(struct dma_places *p)
{
	free(p->place);
	p->place = NULL;
}

double
dma_place_cost(const struct dma_topology *t, const struct dma_queue *queue,
	const struct dma_places *p)
{
	struct search *s = search_new(t, queue, p->n / WAYS);
	double cost;

	if (s == NULL)
		return -1;
	from_places(s, p->place);
	cost = s->cost;
	free(s);
	return cost;
}

bool
dma_place_adopt(struct dma_patience *p, double present, double proposed)
{
	const double gain = present - proposed;

	if (gain <= DMA_PLACE_NOTHING || gain * 100 <= present * p->percent) {
		p->seen = 0;
		return false;
	}
	if (++p->seen < p->periods)
		return false;
	p->seen = 0;
	return true;
}
