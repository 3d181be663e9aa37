/* The history of the program's mempools: an EAL timer samples the level of each, and the range per
 * second is kept for a minute. */
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

/* The lowest and highest sampled number of available elements, including those in caches. */
struct pool_range {
	uint64_t low, high; /* since the pool's creation or pool_history_clear() */
	uint64_t minute_low, minute_high;
};

/* The rows of struct pool_range. */
extern const struct stat_table pool_range_stats;

#define POOL_HISTORY_SECONDS 60

/* The range within one second; low above high: no sample. */
struct pool_second {
	uint32_t low, high;
};

/*
 * Begin to sample these pools and *received (may be NULL) ten times a second, whenever guard is
 * unlocked. Free with pool_history_free(). Returns NULL with e filled: ENOMEM; errors of
 * rte_eal_alarm_set(). Thread: control.
 */
struct pool_history *pool_history_new(const struct pools *pools,
	struct rte_mempool *const *received, pthread_mutex_t *guard, struct err *e);

/* Stop sampling and free the history; h may be NULL. Thread: control. */
void pool_history_free(struct pool_history *h);

/*
 * Sample the pool now, and read its history. second: array of POOL_HISTORY_SECONDS, the current
 * second first. Returns false if there is no history: h is NULL, or there are more than 64 pools.
 * Thread: any, while the pool exists.
 */
bool pool_history_read(struct pool_history *h, const struct rte_mempool *mp,
	struct pool_range *range, struct pool_second *second);

/* Clear the history of all pools; h may be NULL. Thread: any. */
void pool_history_clear(struct pool_history *h);
