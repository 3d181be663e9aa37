/* dma placement auto: a thread measures the load of the vhost queues with dmas=auto, and moves them
 * between DMA channels and the CPU while they are in use. At a start their streams get lcores. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "features/dma/dma_guests.h"
#include "features/dma/dma_place.h"
#include "features/dma/dma_topology.h"
#include "pmd_shims/drivers/async_vhost/net_async_vhost.h"
#include "port/dma_devices.h"

#include <rte_cycles.h>
#include <rte_dmadev.h>
#include <rte_ethdev.h>
#include <rte_log.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	PERCENT = 10, /* by which a new placement has to be cheaper */
	PERIODS = 3,  /* consecutive periods in which it has to be cheaper */
	TRY_MS = 10,  /* between two attempts to move a queue */
	STUCK = 100,  /* attempts in which an engine completes no copy before it counts as broken */
	UNPOLLED = 10 /* attempts if it completed all copies, but no lcore polls the queue */
};

struct dma_auto {
	struct ports *ports;
	struct run *run;
	unsigned int period_ms;
	bool file;                  /* only the engines of base are used */
	struct dma_topology base;   /* of the setting dma-topology, when the command was entered */
	struct dma_topology now;    /* with the engines and ports of this period */
	int16_t dma[DMA_ENGINES];   /* of the engines in now */
	struct guest_queues before; /* of the last period */
	struct dma_patience patience;
	struct engine {
		int16_t dma;
		char name[DMA_NAME_BYTES];
		bool taken, broken;
	} engine[RTE_DMADEV_DEFAULT_MAX]; /* each that was used so far */
	unsigned int n_engines;
	char why[sizeof(((struct err *)NULL)->text)]; /* the last failure of the planner */

	bool on; /* the thread exists */
	pthread_t thread;
	pthread_mutex_t lock; /* protects stop */
	pthread_cond_t wake;
	bool stop;
};

#define report(level, ...) \
	rte_log(RTE_LOG_##level, RTE_LOGTYPE_USER1, \
		RTE_FMT("zcfwd: dma placement: " RTE_FMT_HEAD(__VA_ARGS__, ) "\n", \
			RTE_FMT_TAIL(__VA_ARGS__, )))

/* Wait. Returns false if the thread is to end. */
static bool
wait_ms(struct dma_auto *a, unsigned int ms)
{
	struct timespec until;
	bool stop;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)(ms % 1000) * 1000000;
	until.tv_sec += ms / 1000 + until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&a->lock);
	while (!a->stop && pthread_cond_timedwait(&a->wake, &a->lock, &until) != ETIMEDOUT)
		;
	stop = a->stop;
	pthread_mutex_unlock(&a->lock);
	return !stop;
}

/* The entry of a DMA device; NULL: there is no entry, and with make no room for one. */
static struct engine *
engine_of(struct dma_auto *a, const char *name, bool make)
{
	struct engine made = { 0 };
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

static bool
is_broken(struct dma_auto *a, int16_t dma)
{
	const struct engine *engine = engine_of(a, dma_devices_name(dma), false);

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

	if (t->n_engines == DMA_ENGINES || !dma_devices_free(dma) || is_broken(a, dma) ||
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

/* Fill the topology of this period. The caller holds ports.reading. */
static void
read_topology(struct dma_auto *a, const struct guest_queues *qs)
{
	struct dma_topology *t = &a->now;

	memcpy(t, &a->base, sizeof(*t));
	t->n_engines = t->n_ports = 0;
	for (int16_t dma = rte_dma_next_dev(0); dma >= 0;
		dma = rte_dma_next_dev((int16_t)(dma + 1)))
		add_engine(a, dma);
	for (unsigned int i = 0; i < qs->n; i++) {
		const uint16_t id = qs->queue[i].port;
		unsigned int k = 0;

		if (i > 0 && qs->queue[i - 1].port == id)
			continue;
		while (k < a->base.n_ports && a->base.port[k].id != id)
			k++;
		t->port[t->n_ports++] = (struct dma_port){ .id = id,
			.node = k < a->base.n_ports ? a->base.port[k].node
				: a->file           ? DMA_NODE_ANY
						    : rte_eth_dev_socket_id(id) };
	}
}

/* The lcore that polls a queue, an index in the topology; 0 if none does. The caller holds run.lock. */
static int
lcore_of(const struct dma_auto *a, const struct guest_queue *q)
{
	const struct run *r = a->run;

	for (unsigned int i = 0; r->running && i < r->plan.n_streams; i++) {
		const struct plan_stream *s = &r->plan.streams[i];

		if ((s->rx_port != q->port || s->rx_queue != q->queue) &&
			(s->tx_port != q->port || s->tx_queue != q->queue))
			continue;
		for (unsigned int k = 0; k < a->now.n_lcores; k++)
			if (a->now.lcore[k].id == s->lcore)
				return (int)k;
	}
	return 0;
}

static const struct dma_load assumed = { DMA_LOAD_MEGABYTES * 1e6, DMA_LOAD_LENGTH };

/* A queue in the last period; NULL: there was none. */
static const struct guest_queue *
queue_before(const struct dma_auto *a, const struct guest_queue *q)
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
	const double seconds = (double)(qs->tsc - a->before.tsc) / (double)rte_get_tsc_hz();
	const struct guest_queue *before = queue_before(a, q);
	struct guest_way *now = &q->way[way];
	uint64_t bytes, packets;

	if (before != NULL)
		now->load = before->way[way].load;
	if (!now->engines)
		return none;
	if (a->before.queue == NULL)
		return assumed;
	if (before == NULL || now->packets <= before->way[way].packets ||
		now->bytes <= before->way[way].bytes)
		return none;
	bytes = now->bytes - before->way[way].bytes;
	packets = now->packets - before->way[way].packets;
	now->load.bytes = (double)bytes / seconds;
	now->load.length = RTE_MIN((double)bytes / (double)packets, (double)q->room);
	return now->load;
}

/* The planner's queues, of any lcore and without a load. NULL: no memory. */
static struct dma_queue *
to_place(const struct dma_auto *a, const struct guest_queues *qs)
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

/* The planner's queues, with their lcores and loads. NULL: no memory. */
static struct dma_queue *
loads(struct dma_auto *a, struct guest_queues *qs)
{
	struct dma_queue *to = to_place(a, qs);

	pthread_mutex_lock(&a->run->lock);
	for (unsigned int i = 0; to != NULL && i < qs->n; i++) {
		to[i].lcore = lcore_of(a, &qs->queue[i]);
		for (int way = GUEST_RX; way < GUEST_WAYS; way++)
			to[i].load[way] = load_of(a, qs, &qs->queue[i], way);
	}
	pthread_mutex_unlock(&a->run->lock);
	return to;
}

/* Count the periods without progress of each direction's copies in flight. */
static void
watch(const struct dma_auto *a, struct guest_queues *qs)
{
	for (unsigned int i = 0; i < GUEST_WAYS * qs->n; i++) {
		struct guest_queue *q = &qs->queue[i / GUEST_WAYS];
		const struct guest_queue *before = queue_before(a, q);
		const struct guest_way *was = before != NULL ? &before->way[i % GUEST_WAYS] : NULL;
		struct guest_way *now = &q->way[i % GUEST_WAYS];

		if (was != NULL && dma_guests_same(was->at, now->at) && now->in_flight > 0 &&
			was->in_flight == now->in_flight && was->packets == now->packets &&
			!dma_guests_idle(now->at))
			now->stuck = was->stuck + 1;
	}
}

/* The engine of a channel, an index in the topology of this period; -1: the CPU or none of these. */
static int
index_of(const struct dma_auto *a, struct dma_channel c)
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
	return index_of(a, w->at) >= 0 && w->stuck * a->period_ms < STUCK * TRY_MS;
}

/* The present placement in the planner's form. place NULL: no memory. */
static struct dma_places
present(const struct dma_auto *a, const struct guest_queues *qs, const struct dma_queue *queue)
{
	struct dma_places p = { .place = calloc(qs->n, GUEST_WAYS * sizeof(*p.place)),
		.n = GUEST_WAYS * qs->n };

	for (unsigned int i = 0; p.place != NULL && i < p.n; i++) {
		const struct dma_queue *q = &queue[i / GUEST_WAYS];

		p.place[i] = (struct dma_place){ .port = q->port,
			.queue = q->queue,
			.tx = i % GUEST_WAYS == GUEST_TX,
			.engine = index_of(a, qs->queue[i / GUEST_WAYS].way[i % GUEST_WAYS].at),
			.lcore = (unsigned int)q->lcore };
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

/*
 * Choose channels: a direction keeps its channel if it keeps its engine. One without load keeps its
 * channel unless another needs it. adopted: NULL: only leave engines that may not be used any more.
 */
static void
choose(const struct dma_auto *a, struct guest_queues *qs, const struct dma_queue *queue,
	const struct dma_places *adopted)
{
	for (int pass = 0; pass < 3; pass++)
		for (unsigned int i = 0; i < GUEST_WAYS * qs->n; i++) {
			struct guest_way *w = &qs->queue[i / GUEST_WAYS].way[i % GUEST_WAYS];
			const bool idle = queue[i / GUEST_WAYS].load[i % GUEST_WAYS].bytes <= 0;
			const int engine = adopted == NULL ? index_of(a, w->at)
							   : adopted->place[i].engine;
			const bool keeps = may_keep(a, w) && (idle || engine == index_of(a, w->at));

			if (pass == 0 && keeps && !idle)
				w->to = w->at;
			else if (pass == 1 && !keeps && !idle && engine >= 0)
				w->to = free_channel(a, qs, engine);
			else if (pass == 2 && keeps && idle &&
				dma_guests_owner(qs, w->at, true) == NULL)
				w->to = w->at;
		}
}

static const char *
channel_name(struct dma_channel c)
{
	return c.dma < 0 ? "the CPU" : dma_devices_name(c.dma);
}

/* Do not use an engine any more. */
static void
give_up(struct dma_auto *a, const char *name)
{
	struct engine *engine = engine_of(a, name, true);

	if (engine != NULL)
		engine->broken = true;
}

/* One attempt to move a direction of a queue to a channel; *left: packets in flight. */
static int
try(struct dma_auto *a, const struct guest_queue *q, int way, struct dma_channel to, uint64_t *left)
{
	struct net_async_vhost_virtqueue v;
	int ret;

	pthread_mutex_lock(&a->ports->reading);
	ret = net_async_vhost_move(q->port, q->queue, way == GUEST_RX, to.dma, to.vchan);
	*left = ret == -EAGAIN &&
			net_async_vhost_virtqueue(q->port, q->queue, way == GUEST_RX, &v) == 0
		? v.stats.in_flight
		: 0;
	pthread_mutex_unlock(&a->ports->reading);
	return ret;
}

/* The engine of a direction of a queue does not work any more. */
static void
lose(struct dma_auto *a, const struct guest_queue *q, int way, uint64_t left)
{
	const struct dma_channel from = q->way[way].at;
	int ret;

	pthread_mutex_lock(&a->ports->reading);
	ret = net_async_vhost_engine_lost(from.dma);
	pthread_mutex_unlock(&a->ports->reading);
	give_up(a, channel_name(from));
	if (ret == 0)
		report(ERR,
			GUEST_WAY
			": DMA device %s does not work: the CPU makes its copies of %" PRIu64
			" packets and all later ones",
			GUEST_WAY_OF(q, way), channel_name(from), left);
	else
		report(ERR,
			GUEST_WAY ": DMA device %s does not work: its copies of %" PRIu64
				  " packets are not completed: %s",
			GUEST_WAY_OF(q, way), channel_name(from), left,
			ret == -ENOTSUP ? "it is not a dma_adaptive" : strerror(-ret));
}

/*
 * Let the CPU copy for a direction of a queue, once its copies in flight are complete. If they are
 * not, it keeps its channel, and the next period tries again.
 */
static void
retreat(struct dma_auto *a, struct guest_queue *q, int way)
{
	const struct dma_channel from = q->way[way].at, cpu = { -1, 0 };
	uint64_t left, least = UINT64_MAX;
	unsigned int tries = 0;

	while (try(a, q, way, cpu, &left) == -EAGAIN) {
		tries = left < least ? 0 : tries + 1;
		least = RTE_MIN(left, least);
		if (tries >= UNPOLLED && (is_broken(a, from.dma) || dma_guests_idle(from)))
			return; /* it has to be polled */
		if (tries >= STUCK)
			lose(a, q, way, left);
		if (!wait_ms(a, TRY_MS))
			return;
	}
	q->way[way].at = cpu;
	if (q->way[way].to.dma < 0)
		report(NOTICE, GUEST_WAY ": the CPU", GUEST_WAY_OF(q, way));
}

/* Start an engine for its first queue. Its number may belong to another device by now. */
static int
take(struct dma_auto *a, int16_t dma, const char *name)
{
	struct engine *engine = engine_of(a, name, true);
	int ret;

	if (strcmp(dma_devices_name(dma), name) != 0 || engine == NULL)
		return -ENODEV;
	if (engine->taken)
		return 0;
	ret = net_async_vhost_engine_take(dma);
	engine->taken = ret == 0;
	engine->dma = dma;
	return ret;
}

static void
advance(struct dma_auto *a, const struct guest_queue *q, int way)
{
	const struct dma_channel to = q->way[way].to;
	const char *name = a->now.engine[index_of(a, to)].name;
	uint64_t left;
	int ret;

	pthread_mutex_lock(&a->ports->reading);
	ret = take(a, to.dma, name);
	pthread_mutex_unlock(&a->ports->reading);
	if (ret != 0) {
		report(ERR, GUEST_WAY ": cannot start DMA device %s: %s: the CPU copies",
			GUEST_WAY_OF(q, way), name, strerror(-ret));
		give_up(a, name);
	} else if (try(a, q, way, to, &left) == 0) {
		report(NOTICE, GUEST_WAY ": %s/%u", GUEST_WAY_OF(q, way), name, to.vchan);
	}
}

/* Stop engines that no queue uses. */
static void
release(struct dma_auto *a)
{
	struct guest_queues qs;

	pthread_mutex_lock(&a->ports->reading);
	if (dma_guests_read(&qs))
		for (unsigned int i = 0; i < a->n_engines; i++) {
			struct engine *engine = &a->engine[i];
			bool used = !engine->taken;

			for (unsigned int k = 0; k < GUEST_WAYS * qs.n; k++)
				used |= qs.queue[k / GUEST_WAYS].way[k % GUEST_WAYS].at.dma ==
					engine->dma;
			if (used)
				continue;
			net_async_vhost_engine_release(engine->dma);
			engine->taken = false;
		}
	pthread_mutex_unlock(&a->ports->reading);
	dma_guests_free(&qs);
}

/* Move all directions to the chosen channels. Channels are left before others get them. */
static void
apply(struct dma_auto *a, struct guest_queues *qs)
{
	bool stop = false;

	for (unsigned int i = 0; i < GUEST_WAYS * qs->n; i++) {
		const struct guest_way *w = &qs->queue[i / GUEST_WAYS].way[i % GUEST_WAYS];

		if (w->at.dma >= 0 && !dma_guests_same(w->at, w->to))
			retreat(a, &qs->queue[i / GUEST_WAYS], (int)(i % GUEST_WAYS));
	}
	for (unsigned int i = 0; i < GUEST_WAYS * qs->n; i++) {
		const struct guest_way *w = &qs->queue[i / GUEST_WAYS].way[i % GUEST_WAYS];
		const struct guest_way *has = w->to.dma >= 0 ? dma_guests_owner(qs, w->to, false)
							     : NULL;

		stop = stop || !wait_ms(a, 0);
		if (!stop && w->to.dma >= 0 && !is_broken(a, w->to.dma) &&
			(has == NULL || (has == w && w->leaving)))
			advance(a, &qs->queue[i / GUEST_WAYS], (int)(i % GUEST_WAYS));
	}
	release(a);
}

/* Compare the cheapest placement with the present one, and move queues. */
static void
plan(struct dma_auto *a, struct guest_queues *qs, const struct dma_queue *queue)
{
	struct dma_places now = present(a, qs, queue), best;
	struct err e;
	double cost;
	bool adopt;

	if (now.place == NULL)
		return;
	err_clear(&e);
	if (dma_place_all(&best, &a->now, queue, qs->n, &now, &e) == 0) {
		cost = dma_place_cost(&a->now, queue, &now);
		adopt = a->before.queue == NULL || dma_place_adopt(&a->patience, cost, best.cost);
		choose(a, qs, queue, adopt ? &best : NULL);
		apply(a, qs);
		dma_place_free(&best);
	} else if (strcmp(e.text, a->why) != 0) {
		report(ERR, "%s", e.text);
		snprintf(a->why, sizeof(a->why), "%s", e.text);
	}
	dma_place_free(&now);
}

static void
period(struct dma_auto *a)
{
	struct dma_queue *queue;
	struct guest_queues qs;
	bool there;

	pthread_mutex_lock(&a->ports->reading);
	there = dma_guests_read(&qs);
	read_topology(a, &qs);
	pthread_mutex_unlock(&a->ports->reading);
	queue = there && qs.n > 0 ? loads(a, &qs) : NULL;
	if (queue != NULL) {
		watch(a, &qs);
		plan(a, &qs, queue);
	}
	free(queue);
	dma_guests_free(&a->before);
	a->before = qs;
}

static void *
place(void *arg)
{
	struct dma_auto *a = arg;

	do
		period(a);
	while (wait_ms(a, a->period_ms));
	return NULL;
}

static void
halt(struct dma_auto *a)
{
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_signal(&a->wake);
	pthread_mutex_unlock(&a->lock);
	if (a->on)
		pthread_join(a->thread, NULL);
	a->stop = a->on = false;
}

static int
go(struct dma_auto *a, struct err *e)
{
	const int ret = pthread_create(&a->thread, NULL, place, a);

	a->on = ret == 0;
	return ret == 0
		? 0
		: err_set(e, ret, "dma placement: cannot create a thread: %s", strerror(ret));
}

/* End the thread; then the CPU copies for all queues, except those with copies in flight. */
static void
off(struct dma_auto *a)
{
	struct guest_queues qs;

	halt(a);
	pthread_mutex_lock(&a->ports->reading);
	if (!dma_guests_read(&qs))
		qs.n = 0;
	pthread_mutex_unlock(&a->ports->reading);
	apply(a, &qs);
	dma_guests_free(&qs);
	dma_guests_free(&a->before);
}

static void
end(struct app *app)
{
	struct dma_auto *a = app->placement.state;
	uint16_t port;

	off(a);
	/* Received packets that no lcore took kept some engines in use; stopped ports drop them. */
	RTE_ETH_FOREACH_DEV(port)
		if (net_async_vhost_is(port))
			rte_eth_dev_stop(port);
	off(a);
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->wake);
	free(a);
}

/* Choose the lcores of a run's streams by topology and by the loads of the last run. */
static int
assign(void *context, const struct plan_choice *c, struct plan *plan, struct err *e)
{
	struct dma_auto *a = context;
	struct dma_topology *t = &a->now;
	struct dma_queue *queue = NULL;
	bool measured = false;
	struct guest_queues qs;
	unsigned int *lcore;

	if (!a->on)
		return 0;
	halt(a); /* its state is used here */
	lcore = calloc(plan->n_streams, sizeof(*lcore));
	pthread_mutex_lock(&a->ports->reading);
	if (dma_guests_read(&qs) && qs.n > 0) {
		read_topology(a, &qs);
		queue = to_place(a, &qs);
	}
	pthread_mutex_unlock(&a->ports->reading);
	t->n_lcores = 0;
	for (unsigned int i = 0; i < c->use_lcores; i++)
		for (unsigned int k = 0; k < a->base.n_lcores; k++)
			if (a->base.lcore[k].id == c->lcores[i])
				t->lcore[t->n_lcores++] = a->base.lcore[k];
	for (unsigned int i = 0; queue != NULL && i < GUEST_WAYS * qs.n; i++) {
		const struct guest_queue *before = queue_before(a, &qs.queue[i / GUEST_WAYS]);

		queue[i / GUEST_WAYS].load[i % GUEST_WAYS] = before != NULL
			? before->way[i % GUEST_WAYS].load
			: (struct dma_load){ 0, 1 };
		measured = measured || queue[i / GUEST_WAYS].load[i % GUEST_WAYS].bytes > 0;
	}
	for (unsigned int i = 0; !measured && queue != NULL && i < GUEST_WAYS * qs.n; i++)
		queue[i / GUEST_WAYS].load[i % GUEST_WAYS] = assumed;
	if (queue != NULL && t->n_lcores == 0)
		err_set(e, EINVAL, "the topology has no forwarding lcore");
	else if (queue != NULL && lcore != NULL &&
		dma_place_streams(lcore, plan, t, queue, qs.n, e) == 0)
		plan_assign(plan, lcore, e);
	if (e->code != 0)
		report(ERR, "%s: streams are divided evenly among the lcores", e->text);
	err_clear(e);
	free(queue);
	dma_guests_free(&qs);
	free(lcore);
	return go(a, e);
}

/* The state of the program's placement, created if needed. NULL: no memory. */
static struct dma_auto *
state_of(struct app *app)
{
	struct dma_auto *a = app->placement.state;
	pthread_condattr_t monotonic;

	if (a != NULL)
		return a;
	a = calloc(1, sizeof(*a));
	if (a == NULL)
		return NULL;
	a->ports = &app->ports;
	a->run = &app->run;
	pthread_mutex_init(&a->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&a->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	app->placement.state = a;
	app->placement.end = end;
	app->run.assign = assign;
	app->run.assign_context = a;
	app->ports.dma_queues_add = dma_guests_add;
	return a;
}

/* Errors: ENODEV no port has dmas=auto; those of the topology; ENOMEM. Thread: control. */
static int
placement_auto(struct app *app, const struct args *args, struct err *e)
{
	struct dma_auto *a = state_of(app);
	struct guest_queues qs;
	unsigned int n;

	if (a == NULL)
		return err_set(e, ENOMEM, "no memory for a placement");
	pthread_mutex_lock(&app->ports.reading);
	n = dma_guests_read(&qs) ? qs.n : 0;
	pthread_mutex_unlock(&app->ports.reading);
	dma_guests_free(&qs);
	if (n == 0)
		return err_set(e, ENODEV,
			"no port with dmas=auto is configured: add one with --vdev net_async_vhost0,iface=SOCKET,dmas=auto");
	if (a->on)
		off(a);
	if (dma_topology_read(&a->base, app->settings, e) != 0)
		return -e->code;
	a->file = strcmp(setting_text(app->settings, "dma-topology"), DMA_TOPOLOGY_HERE) != 0;
	a->period_ms = (unsigned int)setting_u64(app->settings, "dma-placement-period");
	a->patience = (struct dma_patience){ PERCENT, PERIODS, 0 };
	a->why[0] = '\0';
	for (unsigned int i = 0; i < a->n_engines; i++)
		a->engine[i].broken = false;
	return go(a, e);
}

static int
placement_off(struct app *app, const struct args *args, struct err *e)
{
	struct dma_auto *a = app->placement.state;
	struct guest_queues qs;

	if (a == NULL)
		return err_set(e, EALREADY, "dma placement was never on");
	off(a);
	pthread_mutex_lock(&a->ports->reading);
	if (!dma_guests_read(&qs))
		qs.n = 0;
	pthread_mutex_unlock(&a->ports->reading);
	for (unsigned int i = 0; i < GUEST_WAYS * qs.n; i++) {
		const struct guest_queue *q = &qs.queue[i / GUEST_WAYS];
		const struct guest_way *w = &q->way[i % GUEST_WAYS];

		if (w->at.dma >= 0)
			out_warn(app->out,
				GUEST_WAY
				": %s has %" PRIu64
				" packets in flight: \"start\", then enter this command again\n",
				GUEST_WAY_OF(q, i % GUEST_WAYS), channel_name(w->at), w->in_flight);
	}
	dma_guests_free(&qs);
	return 0;
}

static const struct cmd_row rows[] = {
	{ "dma placement auto", placement_auto,
		"assign DMA channels to the queues of ports with dmas=auto by topology and load, again when the load changes",
		NULL },
	{ "dma placement off", placement_off,
		"release the DMA channels of queues of ports with dmas=auto; the CPU copies",
		NULL },
};

const struct cmd_table cmds_dma_auto = { "dma_auto", "DMA engines", rows, ARRAY_SIZE(rows) };
