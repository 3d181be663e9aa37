/* The history of the program's mempools: an EAL timer samples the level of each, and the range per
 * second is kept for a minute. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/pool_history.h"

#include "base/base.h"
#include "base/err.h"
#include "memory/pool.h"

#include <rte_alarm.h>
#include <rte_common.h>
#include <rte_mempool.h>

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOOK_US 100000
#define POOLS_MAX 64

#define ROW(member) \
	.name = #member, .kind = STAT_GAUGE, .unit = "buffers", \
	.at = offsetof(struct pool_range, member)

static const struct stat_row rows[] = {
	{ ROW(low), .help = "lowest number of available buffers since creation or the last clear" },
	{ ROW(high),
		.help = "highest number of available buffers since creation or the last clear" },
	{ ROW(minute_low), .help = "lowest number of available buffers in the last minute" },
	{ ROW(minute_high), .help = "highest number of available buffers in the last minute" },
};

const struct stat_table pool_range_stats = { "pool", rows, ARRAY_SIZE(rows), false };

/* Identifies a pool; a recreated one with the same name and address counts as new if it differs. */
struct identity {
	const struct rte_mempool *mp;
	char name[RTE_MEMPOOL_NAMESIZE];
	uint32_t size, cache;
	int32_t ops;
};

struct watched {
	struct identity of;
	bool there; /* existed at the last sample */
	uint32_t low, high;
	uint64_t last_s; /* the latest second */
	struct pool_second second[POOL_HISTORY_SECONDS];
};

struct pool_history {
	const struct pools *pools;
	struct rte_mempool *const *received; /* one more pool, or NULL */
	pthread_mutex_t *guard;              /* protects pools and received */
	pthread_mutex_t lock;                /* protects the members below; innermost lock */
	unsigned int n;
	struct watched pool[POOLS_MAX];
};

/* Return monotonic seconds, offset so that subtracting a minute never underflows. */
static uint64_t
now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec + POOL_HISTORY_SECONDS;
}

static struct identity
identity_of(const struct rte_mempool *mp)
{
	struct identity id;

	memset(&id, 0, sizeof(id)); /* it is compared as bytes */
	id.mp = mp;
	memcpy(id.name, mp->name, sizeof(id.name));
	id.size = mp->size;
	id.cache = mp->cache_size;
	id.ops = mp->ops_index;
	return id;
}

/* Return the history of a pool, new if needed; NULL: too many pools. */
static struct watched *
watched_find(struct pool_history *h, const struct rte_mempool *mp)
{
	const struct identity id = identity_of(mp);
	unsigned int i = 0;

	while (i < h->n && h->pool[i].of.mp != mp)
		i++;
	if (i == POOLS_MAX)
		return NULL;
	if (i == h->n)
		h->n++;
	else if (memcmp(&h->pool[i].of, &id, sizeof(id)) == 0)
		return &h->pool[i];
	h->pool[i] = (struct watched){ .of = id, .low = UINT32_MAX };
	return &h->pool[i];
}

static struct pool_second *
slot(const struct watched *w, uint64_t s)
{
	return (struct pool_second *)(uintptr_t)&w->second[s % POOL_HISTORY_SECONDS];
}

/* Return the slot of a second, after clearing it and the skipped ones before it. */
static struct pool_second *
second_at(struct watched *w, uint64_t s)
{
	const uint64_t since = RTE_MIN(s - w->last_s, (uint64_t)POOL_HISTORY_SECONDS);

	for (uint64_t i = 0; i < since; i++)
		*slot(w, s - i) = (struct pool_second){ UINT32_MAX, 0 };
	w->last_s = s;
	return slot(w, s);
}

/* Add a sample of one pool. Lock held. */
static struct watched *
look(struct pool_history *h, const struct rte_mempool *mp, uint32_t available)
{
	struct watched *w = watched_find(h, mp);
	struct pool_second *second;

	if (w == NULL)
		return NULL;
	second = second_at(w, now_s());
	second->low = RTE_MIN(second->low, available);
	second->high = RTE_MAX(second->high, available);
	w->low = RTE_MIN(w->low, available);
	w->high = RTE_MAX(w->high, available);
	w->there = true;
	return w;
}

/* Sample all existing pools, and drop the history of others. */
static void
look_at_all(struct pool_history *h)
{
	pthread_mutex_lock(&h->lock);
	for (unsigned int i = 0; i < h->n; i++)
		h->pool[i].there = false;
	for (unsigned int i = 0; i <= POOL_MAX; i++) {
		const struct rte_mempool *mp = i < POOL_MAX ? pool_at(h->pools, i) : *h->received;

		if (mp != NULL)
			look(h, mp, rte_mempool_avail_count(mp));
	}
	for (unsigned int i = 0; i < h->n;)
		if (h->pool[i].there)
			i++;
		else
			h->pool[i] = h->pool[--h->n];
	pthread_mutex_unlock(&h->lock);
}

/*
 * Timer callback. Does not use rte_mempool_walk(), because rte_mempool_free() in another thread
 * removes list entries without the walk's lock. No sample is taken while pools may change. Thread:
 * EAL's interrupt thread.
 */
static void
due(void *history)
{
	struct pool_history *h = history;

	if (pthread_mutex_trylock(h->guard) == 0) {
		look_at_all(h);
		pthread_mutex_unlock(h->guard);
	}
	rte_eal_alarm_set(LOOK_US, due, h);
}

struct pool_history *
pool_history_new(const struct pools *pools, struct rte_mempool *const *received,
	pthread_mutex_t *guard, struct err *e)
{
	struct pool_history *h = calloc(1, sizeof(*h));
	int ret;

	if (h == NULL) {
		err_set(e, ENOMEM, "no memory for the history of pools");
		return NULL;
	}
	h->pools = pools;
	h->received = received;
	h->guard = guard;
	pthread_mutex_init(&h->lock, NULL);
	ret = rte_eal_alarm_set(LOOK_US, due, h);
	if (ret == 0)
		return h;
	err_set(e, -ret, "rte_eal_alarm_set: %s", strerror(-ret));
	free(h);
	return NULL;
}

void
pool_history_free(struct pool_history *h)
{
	if (h == NULL)
		return;
	rte_eal_alarm_cancel(due, h);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

bool
pool_history_read(struct pool_history *h, const struct rte_mempool *mp, struct pool_range *range,
	struct pool_second *second)
{
	const uint32_t available = rte_mempool_avail_count(mp);
	const struct watched *w;

	if (h == NULL)
		return false;
	pthread_mutex_lock(&h->lock);
	w = look(h, mp, available);
	if (w != NULL) {
		*range = (struct pool_range){ w->low, w->high, available, available };
		for (uint64_t i = 0; i < POOL_HISTORY_SECONDS; i++)
			second[i] = *slot(w, w->last_s - i);
	}
	pthread_mutex_unlock(&h->lock);
	for (unsigned int i = 0; w != NULL && i < POOL_HISTORY_SECONDS; i++) {
		range->minute_low = RTE_MIN(range->minute_low, second[i].low);
		range->minute_high = RTE_MAX(range->minute_high, second[i].high);
	}
	return w != NULL;
}

void
pool_history_clear(struct pool_history *h)
{
	if (h == NULL)
		return;
	pthread_mutex_lock(&h->lock);
	h->n = 0;
	pthread_mutex_unlock(&h->lock);
}
