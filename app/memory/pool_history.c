/* How full the program's mempools were: a timer of EAL's looks at each, and what it saw is kept,
 * second by second for a minute. */
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
	{ ROW(low),
		.help = "fewest that were seen available, since the pool is there or was cleared" },
	{ ROW(high),
		.help = "most that were seen available, since the pool is there or was cleared" },
	{ ROW(minute_low), .help = "fewest that were seen available in the last minute" },
	{ ROW(minute_high), .help = "most that were seen available in the last minute" },
};

const struct stat_table pool_range_stats = { "pool", rows, ARRAY_SIZE(rows), false };

/* One made anew under the same name, at the same place, is another pool if it differs in kind. */
struct identity {
	const struct rte_mempool *mp;
	char name[RTE_MEMPOOL_NAMESIZE];
	uint32_t size, cache;
	int32_t ops;
};

struct watched {
	struct identity of;
	bool there; /* at the last look */
	uint32_t low, high;
	uint64_t last_s; /* the newest second */
	struct pool_second second[POOL_HISTORY_SECONDS];
};

struct pool_history {
	const struct pools *pools;
	struct rte_mempool *const *received; /* and a pool more, or NULL */
	pthread_mutex_t *guard;              /* of both */
	pthread_mutex_t lock;                /* of what follows; innermost */
	unsigned int n;
	struct watched pool[POOLS_MAX];
};

/* Seconds that never go back, and that never were within a minute of zero. */
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

/* That pool, new if need be; NULL: there are too many. */
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

/* The slot of a second, emptied with those that nobody looked in before. */
static struct pool_second *
second_at(struct watched *w, uint64_t s)
{
	const uint64_t since = RTE_MIN(s - w->last_s, (uint64_t)POOL_HISTORY_SECONDS);

	for (uint64_t i = 0; i < since; i++)
		*slot(w, s - i) = (struct pool_second){ UINT32_MAX, 0 };
	w->last_s = s;
	return slot(w, s);
}

/* Lock held. */
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

/* Look at all that are there, and forget the others. */
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
 * Not rte_mempool_walk(): rte_mempool_free() in another thread takes entries out of the list without
 * the lock under which that walks. While pools may change nobody looks. Thread: EAL's interrupts.
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
		err_set(e, ENOMEM, "no memory for how full pools were");
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
