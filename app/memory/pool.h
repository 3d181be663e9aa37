/* Packet pools: one per NUMA socket and buffer size, sized by ports, queues and memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/setting.h"
#include "base/stat.h"
#include "memory/pool_memory.h"

#include <rte_mempool.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct out;
struct settings;

#define POOL_SIZES_MAX 8 /* different --mbuf-size values */
#define POOL_OWN_MAX 16  /* pools of queues that have a mempool driver of their own */
/* What pool_at() counts. */
#define POOL_MAX (RTE_MAX_NUMA_NODES * POOL_SIZES_MAX + POOL_OWN_MAX)

/* What the settings ask of all pools. */
struct pool_config {
	unsigned int n_sizes; /* buffer sizes asked for, 1..POOL_SIZES_MAX; 0: no pools */
	uint16_t sizes[POOL_SIZES_MAX];
	uint64_t n, least; /* buffers of each pool; that will do when memory is short */
	unsigned int cache;
	enum pool_alloc how;
	bool scattered; /* no-iova-contig */
	char ops[RTE_MEMPOOL_OPS_NAMESIZE];
};

/* All zero before the first pool_create_all(). */
struct pools {
	struct pool_config config;
	struct rte_mempool *pool[RTE_MAX_NUMA_NODES][POOL_SIZES_MAX];
	/* of the first buffer size, by other mempool drivers; stay until all pools are made anew */
	_Atomic(struct rte_mempool *) own[POOL_OWN_MAX];
	struct pool_areas areas;
};

/* What the ports want of the pools, for the automatic size (--total-num-mbufs=0). */
struct pool_need {
	unsigned int ports, lcores;
	uint64_t descriptors; /* Rx and Tx descriptors of all queues of all ports */
};

/*
 * The fewest buffers that such ports and lcores can run with, and the number that an automatic size
 * aims at.
 */
uint64_t pool_least(const struct pool_need *need, unsigned int cache);
uint64_t pool_wanted(const struct pool_need *need, unsigned int cache);

/*
 * Create the pools of every socket in use. Says one line per pool as testpmd does ("create a new
 * mbuf pool <mb_pool_0>..."). Fails with ENOMEM and one line that tells how much is missing and
 * what to change; EINVAL for sizes that cannot be. Thread: control. Settings read: total-num-mbufs,
 * mbuf-size, mbcache, mbuf-pool-ops, mp-alloc.
 */
int pool_create_all(struct pools *p, const struct settings *settings, const struct pool_need *need,
	struct out *out, struct err *e);

/*
 * Make all pools anew as the settings now say; nobody may know them any more. EBUSY while buffers are
 * out; else as pool_create_all(), and the pools are again as they were.
 */
int pool_renew_all(struct pools *p, const struct settings *settings, const struct pool_need *need,
	struct out *out, struct err *e);

/*
 * The pool for a socket (any pool when that socket has none) and buffer size number; NULL when
 * there is none at all.
 */
struct rte_mempool *pool_for(const struct pools *p, int socket, unsigned int size);

/*
 * The pool of the first buffer size on a socket whose mempool driver is ops, whatever the settings
 * say; made when it is asked for the first time, as large as the others. *mp := NULL when it fails:
 * ENOMEM; ENOSPC for too many; what ops and size do not fit. Thread: control.
 */
int pool_own(struct pools *p, const char *ops, int socket, struct rte_mempool **mp, struct out *out,
	struct err *e);

/* The same if it was made; NULL: not yet. Thread: any, while the pools stay. */
struct rte_mempool *pool_own_find(const struct pools *p, const char *ops, int socket);

/* Pool i of all there are, 0..POOL_MAX-1, with holes: NULL. Thread: any, while the pools stay. */
struct rte_mempool *pool_at(const struct pools *p, unsigned int i);

/* How full a pool is now: mbufs. */
struct pool_level {
	uint64_t size, available;
};

/* Its rows. */
extern const struct stat_table pool_stats;

/* The level of a pool. Thread: any, while the pool stays. */
struct pool_level pool_level(const struct rte_mempool *mp);

/*
 * Answer `show pool`: per pool name, size, available, in use, element size, socket, and what is
 * available beyond the size. JSON: {"pools":[...]}. received: the pool that ports receive into instead, or NULL.
 */
void pool_show(const struct pools *p, const struct rte_mempool *received, struct out *out);

/* Free the pools and their memory; nobody may hold one of their buffers. */
void pool_free_all(struct pools *p);

/* The settings of this file, for settings_add(). */
extern const struct setting pool_settings[];
extern const size_t pool_settings_n;
