/* The search for the cheapest placement: some queues at a time are placed anew, the others stay. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/dma/dma_place.h"

#include "base/base.h"
#include "base/err.h"

#include <rte_common.h>

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

/* The largest difference that rounding makes. A lower cost is lower by more. */
#define ROUNDING 1e-9

/*
 * Choices that a search tries at most, apart from those of single queues. So many take 30 to 38 ms of an
 * Intel Xeon's time at 2.6 GHz (8 to 32 queues, 2 to 32 lcores, 2 to 8 engines, other programs beside it).
 * dma placement auto searches once or twice in each period, by default 1000 ms.
 */
enum { TRIES = 200000 };

/* At most this many queues are placed together: it bounds the stack. TRIES bounds the time. */
enum { TOGETHER = 32 };

struct search {
	const struct dma_queue *queue;
	unsigned int n, tries;
	struct dma_cost cost;           /* of now */
	double least;                   /* of best */
	const struct dma_queue **order; /* the largest load first */
	struct {
		struct dma_choice now, best;
	} of[]; /* by queue */
};

/*
 * True if another lcore of the same node can be tried instead: one that is used as much, or for the
 * last queue one that is used less.
 */
static bool
lcore_is_spare(const struct dma_cost *c, int lcore, bool last)
{
	for (int i = 0; i < (int)c->t->n_lcores; i++) {
		const double less = c->lcore[lcore] - c->lcore[i];

		if (c->t->lcore[i].node == c->t->lcore[lcore].node &&
			((i < lcore && fabs(less) < ROUNDING) || (last && less >= ROUNDING)))
			return true;
	}
	return false;
}

/* True if there are channels for both directions. */
static bool
has_channels(const struct dma_cost *cost, const struct dma_choice *c)
{
	const int rx = c->engine[DMA_RX], tx = c->engine[DMA_TX];

	return (rx == DMA_BY_CPU || cost->channels[rx] > 0) &&
		(tx == DMA_BY_CPU || cost->channels[tx] > (rx == tx ? 1u : 0u));
}

/*
 * Place n queues, which have no choice now, in all ways that may be cheaper than the best one, and
 * keep the cheapest. alone: all other queues have choices, and only one queue is placed.
 */
static void
branch(struct search *s, const struct dma_queue *const *queue, unsigned int n, bool alone)
{
	const struct dma_topology *t = s->cost.t;
	const unsigned int q = (unsigned int)(queue[0] - s->queue);
	const int given = queue[0]->lcore, engines = (int)t->n_engines;
	const double was = s->cost.total;
	struct dma_choice *c = &s->of[q].now;

	for (c->lcore = RTE_MAX(given, 0); c->lcore < (int)t->n_lcores; c->lcore++) {
		if (given >= 0 ? c->lcore > given : lcore_is_spare(&s->cost, c->lcore, n == 1))
			continue;
		for (int i = 0; i < (engines + 1) * (engines + 1); i++) {
			c->engine[DMA_RX] = i / (engines + 1) - 1;
			c->engine[DMA_TX] = i % (engines + 1) - 1;
			if (!has_channels(&s->cost, c))
				continue;
			if (!alone && s->tries++ >= TRIES)
				return;
			dma_cost_add(&s->cost, queue[0], c, 1);
			if (s->cost.total < s->least - ROUNDING && n > 1) {
				branch(s, queue + 1, n - 1, false);
			} else if (s->cost.total < s->least - ROUNDING) {
				s->least = s->cost.total;
				for (unsigned int k = 0; k < s->n; k++)
					s->of[k].best = s->of[k].now;
			}
			dma_cost_add(&s->cost, queue[0], c, -1);
			s->cost.total = was;
		}
	}
}

/* Place n queues anew, or with first for the first time. Returns whether that is cheaper. */
static bool
place(struct search *s, const struct dma_queue *const *queue, unsigned int n, bool first)
{
	const double was = s->least;

	for (unsigned int i = 0; i < n && !first; i++)
		dma_cost_add(&s->cost, queue[i], &s->of[queue[i] - s->queue].now, -1);
	if (first)
		s->least = DBL_MAX;
	branch(s, queue, n, n == 1);
	for (unsigned int i = 0; i < n; i++) {
		s->of[queue[i] - s->queue].now = s->of[queue[i] - s->queue].best;
		dma_cost_add(&s->cost, queue[i], &s->of[queue[i] - s->queue].now, 1);
	}
	return s->least < was;
}

static void
improve(struct search *s)
{
	bool cheaper = true;

	while (cheaper) {
		cheaper = false;
		for (unsigned int i = 0; i < s->n; i++)
			cheaper |= place(s, &s->order[i], 1, false);
		for (unsigned int i = 0; i < s->n; i++)
			for (unsigned int k = i + 1; k < s->n && s->tries < TRIES; k++) {
				const struct dma_queue *const both[] = { s->order[i], s->order[k] };

				cheaper |= place(s, both, 2, false);
			}
	}
	if (s->n > 0)
		place(s, s->order, RTE_MIN(s->n, (unsigned int)TOGETHER), false);
}

static double
bytes_of(const struct dma_queue *q)
{
	return q->load[DMA_RX].bytes + q->load[DMA_TX].bytes;
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

/*
 * Begin with places, or place the queues one by one. Where there is no channel any more, the CPU
 * copies. free() it. NULL: no memory.
 */
static struct search *
search_new(const struct dma_topology *t, const struct dma_queue *queue, unsigned int n,
	const struct dma_place *present)
{
	struct search *s = calloc(1, sizeof(*s) + n * (sizeof(s->of[0]) + sizeof(s->order[0])));

	if (s == NULL)
		return NULL;
	s->queue = queue;
	s->n = n;
	s->order = (const struct dma_queue **)(void *)&s->of[n];
	dma_cost_clear(&s->cost, t);
	for (unsigned int q = 0; q < n; q++) {
		struct dma_choice *c = &s->of[q].now;

		s->order[q] = &queue[q];
		if (present == NULL)
			continue;
		*c = (struct dma_choice){ (int)present[DMA_WAYS * q].lcore,
			{ DMA_BY_CPU, DMA_BY_CPU } };
		for (unsigned int way = DMA_RX; way < DMA_WAYS; way++) {
			c->engine[way] = present[DMA_WAYS * q + way].engine;
			if (!has_channels(&s->cost, c))
				c->engine[way] = DMA_BY_CPU;
		}
		dma_cost_add(&s->cost, &queue[q], c, 1);
		s->of[q].best = *c;
	}
	s->least = s->cost.total;
	qsort(s->order, n, sizeof(s->order[0]), by_size);
	for (unsigned int i = 0; i < n && present == NULL; i++)
		place(s, &s->order[i], 1, true);
	return s;
}

static void
to_places(const struct search *s, struct dma_place *place)
{
	const struct dma_topology *t = s->cost.t;
	unsigned int users[DMA_ENGINES] = { 0 };

	for (unsigned int i = 0; i < DMA_WAYS * s->n; i++) {
		const struct dma_queue *q = &s->queue[i / DMA_WAYS];
		const struct dma_choice *c = &s->of[i / DMA_WAYS].best;
		const int engine = c->engine[i % DMA_WAYS];

		place[i] = (struct dma_place){ .port = q->port,
			.queue = q->queue,
			.tx = i % DMA_WAYS == DMA_TX,
			.engine = engine,
			.lcore = (unsigned int)c->lcore,
			.pool_node = dma_cost_pool(t, q->node, t->lcore[c->lcore].node,
				dma_cost_engine_node(t, engine), DMA_NODE_ANY) };
		if (engine != DMA_BY_CPU)
			place[i].channel = t->engine[engine].used + users[engine]++;
	}
}

int
dma_place_all(struct dma_places *p, const struct dma_topology *t, const struct dma_queue *queue,
	unsigned int n, const struct dma_places *present, struct err *e)
{
	struct search *s;

	*p = (struct dma_places){ .n = DMA_WAYS * n };
	err_clear(e);
	if (dma_topology_check(t, e) != 0)
		return -e->code;
	s = search_new(t, queue, n, present != NULL ? present->place : NULL);
	p->place = calloc(n, DMA_WAYS * sizeof(*p->place));
	if (s == NULL || p->place == NULL) {
		free(s);
		dma_place_free(p);
		return err_set(e, ENOMEM, "no memory to place %u queues", n);
	}
	improve(s);
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
	struct search *s = search_new(t, queue, p->n / DMA_WAYS, p->place);
	const double cost = s != NULL ? s->least : -1;

	free(s);
	return cost;
}
