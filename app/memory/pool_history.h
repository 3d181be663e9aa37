/* How full the program's mempools were: a timer of EAL's looks at each, and what it saw is kept,
 * second by second for a minute. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/stat.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct err;
struct pool_history;
struct pools;
struct rte_mempool;

/* Elements of a pool that were available, caches' too, whenever somebody looked. */
struct pool_range {
	uint64_t low, high; /* since the pool is there, or since pool_history_clear() */
	uint64_t minute_low, minute_high;
};

/* Its rows. */
extern const struct stat_table pool_range_stats;

#define POOL_HISTORY_SECONDS 60

/* What was seen within one second; low above high: nobody looked. */
struct pool_second {
	uint32_t low, high;
};

/*
 * Begin to look at these pools and *received (NULL: none), ten times a second, while guard can be
 * had. Free with pool_history_free(). NULL with e filled: ENOMEM; what rte_eal_alarm_set() says.
 * Thread: control.
 */
struct pool_history *pool_history_new(const struct pools *pools,
	struct rte_mempool *const *received, pthread_mutex_t *guard, struct err *e);

/* NULL is fine. Thread: control. */
void pool_history_free(struct pool_history *h);

/*
 * Look at the pool now, and tell what was seen of it. second: POOL_HISTORY_SECONDS of them, the
 * current one first. False: nothing is kept, as h is NULL or there are more than 64 pools. Thread:
 * any, while the pool stays.
 */
bool pool_history_read(struct pool_history *h, const struct rte_mempool *mp,
	struct pool_range *range, struct pool_second *second);

/* Forget what was seen of all pools. h NULL is fine. Thread: any. */
void pool_history_clear(struct pool_history *h);
