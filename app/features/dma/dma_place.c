/* The assignment of lcores, DMA channels and memory to queues: a local search for the least cost. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/dma/dma_place.h"

#include "base/base.h"
#include "base/err.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Parts of a copy's time that a remote engine or remote memory costs, at twice the local
 * distance. */
#define FAR_ENGINE 0.66
#define FAR_MEMORY 0.13

/* The largest difference that rounding makes. */
#define ROUNDING 1e-9

/* Costs that a search computes before it ends with what it has. */
enum { TRIES = 4000000 };

/* Starts of a search: queues placed in random orders or at random places. */
enum { STARTS = 32 };

enum { RX, TX, WAYS, CPU = -1 };

/* The place of a queue; lcore, engines: indices in the topology. */
struct spot {
	int lcore, engine[WAYS];
};
#define NOWHERE \
	{ \
		-1, \
		{ \
			CPU, CPU \
		} \
	}

struct search {
	const struct dma_topology *t;
	const struct dma_queue *queue;
	unsigned int n, tries;
	double lcore[RTE_MAX_LCORE], engine[DMA_ENGINES]; /* parts of their time in use */
	unsigned int channels[DMA_ENGINES];               /* free ones */
	struct spot *at;                                  /* by queue */
	unsigned int *order;                              /* queues, the largest load first */
	/* pool_find() of port, lcore and engine, each node + 1; plus 2; 0: not looked up yet */
	uint8_t pool[DMA_NODES + 1][DMA_NODES + 1][DMA_NODES + 1];
};

/* What a queue uses of its lcore and its engines. */
struct use {
	double lcore, engine[WAYS];
};

static double
crowd(double u)
{
	return u * u * u * u;
}

static double
far(const struct dma_topology *t, int a, int b)
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
pool_find(const struct dma_topology *t, int port, int lcore, int engine)
{
	int found = lcore;
	unsigned int least = UINT_MAX;

	for (int node = 0; node < DMA_NODES; node++) {
		const unsigned int now = dma_topology_distance(t, engine, node) +
			dma_topology_distance(t, lcore, node) +
			dma_topology_distance(t, port, node);

		if (!t->node[node].there || t->node[node].memory_mib == 0)
			continue;
		if (now < least || (now == least && node == port)) {
			least = now;
			found = node;
		}
	}
	return found;
}

static int
pool_of(struct search *s, int port, int lcore, int engine)
{
	uint8_t *known = &s->pool[port + 1][lcore + 1][engine + 1];

	if (*known == 0)
		*known = (uint8_t)(pool_find(s->t, port, lcore, engine) + 2);
	return *known - 2;
}

/* Add what one direction of a queue uses. */
static void
use_way(struct search *s, const struct dma_queue *q, const struct spot *at, int way, struct use *u)
{
	const struct dma_topology *t = s->t;
	const int lcore = t->lcore[at->lcore].node, engine = at->engine[way],
		  node = engine_node(t, engine), pool = pool_of(s, q->node, lcore, node);
	const struct dma_load *load = &q->load[way];
	double speed;

	if (load->bytes <= 0)
		return;
	if (engine == CPU) {
		u->lcore += load->bytes / DMA_PLACE_CPU_BYTES *
			(1 + FAR_MEMORY * (far(t, lcore, pool) + far(t, lcore, q->node)));
		return;
	}
	speed = (t->engine[engine].speed > 0 ? t->engine[engine].speed : DMA_PLACE_SPEED) * 1e6;
	u->lcore += load->bytes / load->length * DMA_PLACE_JOB_BYTES / DMA_PLACE_CPU_BYTES *
		(1 + FAR_ENGINE * far(t, lcore, node) + FAR_MEMORY * far(t, lcore, pool));
	u->engine[way] = load->bytes / speed *
		(1 + FAR_MEMORY * (far(t, node, pool) + far(t, node, q->node)));
}

static struct use
use_of(struct search *s, unsigned int q, const struct spot *at)
{
	struct use u = { 0 };

	use_way(s, &s->queue[q], at, RX, &u);
	use_way(s, &s->queue[q], at, TX, &u);
	return u;
}

/* What the waiting for a device costs more if its use grows from u by more. */
static double
growth(double u, double more)
{
	return crowd(u + more) - crowd(u);
}

/* What a queue without a place would cost at this one. */
static double
cost_more(struct search *s, unsigned int q, const struct spot *at)
{
	const struct use u = use_of(s, q, at);
	const int rx = at->engine[RX], tx = at->engine[TX];
	double cost = u.lcore + growth(s->lcore[at->lcore], u.lcore);

	s->tries++;
	if (rx != CPU && rx == tx)
		return cost + growth(s->engine[rx], u.engine[RX] + u.engine[TX]);
	cost += rx != CPU ? growth(s->engine[rx], u.engine[RX]) : 0;
	return cost + (tx != CPU ? growth(s->engine[tx], u.engine[TX]) : 0);
}

/* Enter a queue at a place, or with by = -1 take it away from there. */
static void
enter(struct search *s, unsigned int q, const struct spot *at, int by)
{
	const struct use u = use_of(s, q, at);

	s->lcore[at->lcore] += by * u.lcore;
	for (int way = RX; way < WAYS; way++)
		if (at->engine[way] != CPU) {
			s->engine[at->engine[way]] += by * u.engine[way];
			s->channels[at->engine[way]] -= (unsigned int)by;
		}
	if (by > 0)
		s->at[q] = *at;
}

static void
leave(struct search *s, unsigned int q)
{
	const struct spot at = s->at[q];

	enter(s, q, &at, -1);
}

/* Enter a queue. Returns what it costs. */
static double
put(struct search *s, unsigned int q, const struct spot *at)
{
	const double cost = cost_more(s, q, at);

	enter(s, q, at, 1);
	return cost;
}

/* True if another lcore of the same node is better in any case, since it is less used. */
static bool
lcore_is_worse(const struct search *s, int lcore)
{
	for (int i = 0; i < (int)s->t->n_lcores; i++)
		if (s->t->lcore[i].node == s->t->lcore[lcore].node &&
			(s->lcore[i] < s->lcore[lcore] ||
				(s->lcore[i] == s->lcore[lcore] && i < lcore)))
			return true;
	return false;
}

/* True if there are channels for both directions. */
static bool
has_channels(const struct search *s, const struct spot *at)
{
	const int rx = at->engine[RX], tx = at->engine[TX];

	return (rx == CPU || s->channels[rx] > 0) &&
		(tx == CPU || s->channels[tx] > (rx == tx ? 1u : 0u));
}

/*
 * The next place to consider for a queue without a place; at->lcore = -1: the first one. Of several
 * lcores of a node only the least used one is considered. Returns false if there are no more.
 */
static bool
next(const struct search *s, unsigned int q, struct spot *at)
{
	const int engines = (int)s->t->n_engines, lcores = (int)s->t->n_lcores,
		  given = s->queue[q].lcore;

	do {
		if (at->lcore >= 0 && ++at->engine[TX] < engines)
			continue;
		at->engine[TX] = CPU;
		if (at->lcore >= 0 && ++at->engine[RX] < engines)
			continue;
		at->engine[RX] = CPU;
		if (given >= 0 && at->lcore >= 0)
			return false;
		at->lcore = given >= 0 ? given : at->lcore + 1;
		while (given < 0 && at->lcore < lcores && lcore_is_worse(s, at->lcore))
			at->lcore++;
	} while (at->lcore < lcores && !has_channels(s, at));
	return at->lcore < lcores;
}

/* The cheapest place of a queue without a place. */
static struct spot
best_for(struct search *s, unsigned int q)
{
	struct spot best = NOWHERE, at = NOWHERE;
	double least = -1, cost;

	while (next(s, q, &at)) {
		cost = cost_more(s, q, &at);
		if (least < 0 || cost < least - ROUNDING) {
			least = cost;
			best = at;
		}
	}
	return best;
}

/* Place a queue anew. Returns false if that is not cheaper. */
static bool
again(struct search *s, unsigned int q)
{
	const struct spot was = s->at[q];
	struct spot at;

	leave(s, q);
	at = best_for(s, q);
	if (cost_more(s, q, &at) >= cost_more(s, q, &was) - ROUNDING)
		at = was;
	put(s, q, &at);
	return at.lcore != was.lcore || at.engine[RX] != was.engine[RX] ||
		at.engine[TX] != was.engine[TX];
}

/* Place two queues anew: a at each place in turn, then b. Returns false if that is not cheaper. */
static bool
again_both(struct search *s, unsigned int a, unsigned int b)
{
	struct spot best[2] = { s->at[a], s->at[b] }, at[2] = { NOWHERE, NOWHERE };
	double least, cost;
	bool changed = false;

	leave(s, a);
	leave(s, b);
	least = put(s, a, &best[0]);
	least += cost_more(s, b, &best[1]);
	leave(s, a);
	while (next(s, a, &at[0]) && s->tries < TRIES) {
		cost = put(s, a, &at[0]);
		at[1] = best_for(s, b);
		cost += cost_more(s, b, &at[1]);
		leave(s, a);
		if (cost < least - ROUNDING) {
			least = cost;
			memcpy(best, at, sizeof(best));
			changed = true;
		}
	}
	put(s, a, &best[0]);
	put(s, b, &best[1]);
	return changed;
}

/* Place single queues and pairs of queues anew while this lowers the cost. */
static void
improve(struct search *s)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (unsigned int q = 0; q < s->n && s->tries < TRIES; q++)
			changed |= again(s, q);
		for (unsigned int a = 0; a < s->n; a++)
			for (unsigned int b = 0; b < s->n && s->tries < TRIES; b++)
				if (a != b)
					changed |= again_both(s, a, b);
	}
}

static void
begin(struct search *s)
{
	memset(s->lcore, 0, sizeof(s->lcore));
	for (unsigned int i = 0; i < s->t->n_engines; i++) {
		s->engine[i] = s->t->engine[i].busy / 100.0;
		s->channels[i] = s->t->engine[i].channels - s->t->engine[i].used;
	}
}

static double
bytes(const struct dma_queue *q)
{
	return q->load[RX].bytes + q->load[TX].bytes;
}

/* Sort queues: the largest load first. Those on unknown nodes, which are near to all, are last. */
static void
sort(struct search *s)
{
	unsigned int *order = s->order;

	for (unsigned int i = 0; i < s->n; i++) {
		const struct dma_queue *q = &s->queue[i];
		unsigned int k = i;

		for (; k > 0; k--) {
			const struct dma_queue *before = &s->queue[order[k - 1]];
			const bool known = q->node != DMA_NODE_ANY;

			if (known == (before->node != DMA_NODE_ANY) ? bytes(q) <= bytes(before)
								    : !known)
				break;
			order[k] = order[k - 1];
		}
		order[k] = i;
	}
}

static uint32_t
pick(uint32_t *seed, unsigned int n)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % n;
}

/* A random place for a queue without a place. */
static struct spot
some_place(const struct search *s, unsigned int q, uint32_t *seed)
{
	const struct spot cpu = NOWHERE;
	struct spot at;

	at.lcore = s->queue[q].lcore >= 0 ? s->queue[q].lcore : (int)pick(seed, s->t->n_lcores);
	at.engine[RX] = (int)pick(seed, s->t->n_engines + 1) - 1;
	at.engine[TX] = (int)pick(seed, s->t->n_engines + 1) - 1;
	if (!has_channels(s, &at))
		memcpy(at.engine, cpu.engine, sizeof(at.engine));
	return at;
}

/* Place all queues one by one, at the cheapest place or at a random one. */
static void
from_nothing(struct search *s, bool cheapest, uint32_t *seed)
{
	begin(s);
	for (unsigned int i = 0; i < s->n; i++) {
		const unsigned int q = s->order[i];
		const struct spot at = cheapest ? best_for(s, q) : some_place(s, q, seed);

		put(s, q, &at);
	}
}

/* Exchange queues of the order. */
static void
shuffle(struct search *s, uint32_t *seed)
{
	for (unsigned int i = s->n; i > 1; i--) {
		unsigned int *last = &s->order[i - 1], *other = &s->order[pick(seed, i)];
		const unsigned int was = *last;

		*last = *other;
		*other = was;
	}
}

/* Place all queues where a placement has them. Where there is no channel any more, the CPU copies. */
static void
from_places(struct search *s, const struct dma_place *place)
{
	begin(s);
	for (unsigned int q = 0; q < s->n; q++) {
		const struct dma_place *p = &place[WAYS * q];
		struct spot at = { (int)p[RX].lcore, { p[RX].engine, p[TX].engine } };

		for (int way = RX; way < WAYS; way++)
			if (at.engine[way] != CPU &&
				s->channels[at.engine[way]] <
					1u + (way == TX && at.engine[RX] == at.engine[TX]))
				at.engine[way] = CPU;
		put(s, q, &at);
	}
}

/* The cost of the present places. */
static double
total(struct search *s)
{
	double cost = 0;

	for (unsigned int q = 0; q < s->n; q++)
		cost += use_of(s, q, &s->at[q]).lcore;
	for (unsigned int i = 0; i < s->t->n_lcores; i++)
		cost += crowd(s->lcore[i]);
	for (unsigned int i = 0; i < s->t->n_engines; i++)
		cost += crowd(s->engine[i]) - crowd(s->t->engine[i].busy / 100.0);
	return cost;
}

static void
to_places(struct search *s, struct dma_place *place)
{
	const struct dma_topology *t = s->t;
	unsigned int users[DMA_ENGINES] = { 0 };

	for (unsigned int i = 0; i < WAYS * s->n; i++) {
		const struct dma_queue *q = &s->queue[i / WAYS];
		const struct spot *at = &s->at[i / WAYS];
		const int engine = at->engine[i % WAYS];

		place[i] = (struct dma_place){ .port = q->port,
			.queue = q->queue,
			.tx = i % WAYS == TX,
			.engine = engine,
			.lcore = (unsigned int)at->lcore,
			.pool_node = pool_of(s, q->node, t->lcore[at->lcore].node,
				engine_node(t, engine)) };
		if (engine != CPU)
			place[i].channel = t->engine[engine].used + users[engine]++;
	}
}

/* Improve the present places, and keep them in p if they are cheaper. */
static void
keep_cheaper(struct search *s, struct dma_places *p)
{
	double cost;

	improve(s);
	cost = total(s);
	if (p->cost >= 0 && cost >= p->cost - ROUNDING)
		return;
	p->cost = cost;
	to_places(s, p->place);
}

static bool
node_is(const struct dma_topology *t, int node)
{
	return node == DMA_NODE_ANY || (node >= 0 && node < DMA_NODES && t->node[node].there);
}

/* Refuse a topology of things that cannot be. */
static int
check(const struct dma_topology *t, struct err *e)
{
	if (t->n_lcores == 0 || t->n_ports == 0)
		return err_set(e, EINVAL, "nothing to place: %s",
			t->n_ports == 0 ? "no ports" : "no lcores");
	for (unsigned int i = 0; i < t->n_lcores; i++)
		if (!node_is(t, t->lcore[i].node))
			return err_set(e, EINVAL, "lcore %u is on node %d, which does not exist",
				t->lcore[i].id, t->lcore[i].node);
	for (unsigned int i = 0; i < t->n_engines; i++) {
		if (!node_is(t, t->engine[i].node))
			return err_set(e, EINVAL, "engine %s is on node %d, which does not exist",
				t->engine[i].name, t->engine[i].node);
		if (t->engine[i].used > t->engine[i].channels)
			return err_set(e, EINVAL, "engine %s: used %u: exceeds channels %u",
				t->engine[i].name, t->engine[i].used, t->engine[i].channels);
		for (unsigned int k = 0; k < i; k++)
			if (strcmp(t->engine[i].name, t->engine[k].name) == 0)
				return err_set(e, EINVAL, "engine %s is listed twice",
					t->engine[i].name);
	}
	for (unsigned int i = 0; i < t->n_ports; i++)
		if (!node_is(t, t->port[i].node))
			return err_set(e, EINVAL, "port %u is on node %d, which does not exist",
				t->port[i].id, t->port[i].node);
	return 0;
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

static void
search_free(struct search *s)
{
	free(s->at);
	free(s->order);
	free(s);
}

/* NULL: no memory. */
static struct search *
search_new(const struct dma_topology *t, const struct dma_queue *queue, unsigned int n)
{
	struct search *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->t = t;
	s->queue = queue;
	s->n = n;
	s->at = calloc(n, sizeof(*s->at));
	s->order = calloc(n, sizeof(*s->order));
	if (s->at != NULL && s->order != NULL)
		return s;
	search_free(s);
	return NULL;
}

int
dma_place_all(struct dma_places *p, const struct dma_topology *t, const struct dma_queue *queue,
	unsigned int n, const struct dma_places *present, struct err *e)
{
	struct search *s;
	uint32_t seed = 1; /* always the same starts */

	*p = (struct dma_places){ 0 };
	err_clear(e);
	if (check(t, e) != 0)
		return -e->code;
	s = search_new(t, queue, n);
	p->place = calloc(n, WAYS * sizeof(*p->place));
	if (s == NULL || p->place == NULL) {
		if (s != NULL)
			search_free(s);
		dma_place_free(p);
		return err_set(e, ENOMEM, "no memory to place %u queues", n);
	}
	p->n = WAYS * n;
	p->cost = -1;
	if (present != NULL) {
		from_places(s, present->place);
		keep_cheaper(s, p);
	}
	sort(s);
	for (unsigned int i = 0; i < STARTS && (i == 0 || s->tries < TRIES); i++) {
		from_nothing(s, i % 2 == 0, &seed);
		keep_cheaper(s, p);
		shuffle(s, &seed);
	}
	search_free(s);
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
	cost = total(s);
	search_free(s);
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
