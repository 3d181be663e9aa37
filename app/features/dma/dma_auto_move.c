/* dma placement auto: move the directions of queues between DMA channels and the CPU while they are in
 * use. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "features/dma/dma_auto_priv.h"
#include "pmd_shims/drivers/async_vhost/net_async_vhost.h"
#include "port/dma_devices.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
	UNPOLLED = 10 /* attempts if an engine completed all copies, but no lcore polls the queue */
};

bool
dma_move_wait(struct dma_auto *a, unsigned int ms)
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

const char *
dma_move_channel_name(struct dma_channel c)
{
	return c.dma < 0 ? "the CPU" : dma_devices_name(c.dma);
}

/* Do not use an engine any more. */
static void
give_up(struct dma_auto *a, const char *name)
{
	struct dma_auto_engine *engine = dma_plan_engine(a, name, true);

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
	give_up(a, dma_move_channel_name(from));
	if (ret == 0)
		report(ERR,
			GUEST_WAY
			": DMA device %s does not work: the CPU makes its copies of %" PRIu64
			" packets and all later ones",
			GUEST_WAY_OF(q, way), dma_move_channel_name(from), left);
	else
		report(ERR,
			GUEST_WAY ": DMA device %s does not work: its copies of %" PRIu64
				  " packets are not completed: %s",
			GUEST_WAY_OF(q, way), dma_move_channel_name(from), left,
			ret == -ENOTSUP ? "it is not a dma_adaptive" : strerror(-ret));
}

/*
 * Let the CPU copy for a direction of a queue, once its copies in flight are complete. If they are
 * not, it keeps its channel, and the next period tries again. Other queues and "dma placement off" wait
 * meanwhile, so a slow engine does not have all the time that it needs.
 */
static void
retreat(struct dma_auto *a, struct guest_queue *q, int way)
{
	const struct dma_channel from = q->way[way].at, cpu = { -1, 0 };
	uint64_t left, least = UINT64_MAX;
	unsigned int tries = 0, all = 0;

	while (try(a, q, way, cpu, &left) == -EAGAIN) {
		tries = left < least ? 0 : tries + 1;
		least = RTE_MIN(left, least);
		if (tries >= UNPOLLED && (dma_plan_broken(a, from.dma) || dma_guests_idle(from)))
			return; /* it has to be polled */
		if (tries >= DMA_STUCK_TRIES)
			lose(a, q, way, left);
		if (++all == DMA_TRIES) {
			report(ERR,
				GUEST_WAY ": DMA device %s is slow: it keeps %" PRIu64
					  " packets after %u s",
				GUEST_WAY_OF(q, way), dma_move_channel_name(from), left,
				DMA_TRIES * DMA_TRY_MS / 1000);
			return;
		}
		if (!dma_move_wait(a, DMA_TRY_MS))
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
	struct dma_auto_engine *engine = dma_plan_engine(a, name, true);
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
	const char *name = a->now.engine[dma_plan_index(a, to)].name;
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
			struct dma_auto_engine *engine = &a->engine[i];
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

void
dma_move_all(struct dma_auto *a, struct guest_queues *qs)
{
	bool stop = false;

	for (unsigned int i = 0; i < GUEST_WAYS * qs->n; i++) {
		const struct guest_way *w = &qs->queue[i / GUEST_WAYS].way[i % GUEST_WAYS];

		if (w->at.dma >= 0 &&
			(!dma_guests_same(w->at, w->to) ||
				dma_memory_moves(qs, qs->queue[i / GUEST_WAYS].port)))
			retreat(a, &qs->queue[i / GUEST_WAYS], (int)(i % GUEST_WAYS));
	}
	dma_memory_move(a, qs);
	for (unsigned int i = 0; i < GUEST_WAYS * qs->n; i++) {
		const struct guest_way *w = &qs->queue[i / GUEST_WAYS].way[i % GUEST_WAYS];
		const struct guest_way *has = w->to.dma >= 0 ? dma_guests_owner(qs, w->to, false)
							     : NULL;

		stop = stop || !dma_move_wait(a, 0);
		if (!stop && w->to.dma >= 0 && !dma_plan_broken(a, w->to.dma) &&
			(has == NULL || (has == w && w->leaving)))
			advance(a, &qs->queue[i / GUEST_WAYS], (int)(i % GUEST_WAYS));
	}
	release(a);
}
