/* Packet pools: one per NUMA socket and buffer size, sized by ports, queues and memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"
#include "base/setting.h"
#include "base/stat.h"
#include "memory/pool_choice.h"
#include "memory/pool_memory.h"

#include <rte_mempool.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct out;
struct rte_mempool;
struct settings;

#define POOL_SIZES_MAX 8 /* different --mbuf-size values */
#define POOL_OWN_MAX 16  /* pools of queues with another mempool driver */
/* The number of pools that pool_at() can return. */
#define POOL_MAX (RTE_MAX_NUMA_NODES * POOL_SIZES_MAX + POOL_OWN_MAX)

/* The configuration of all pools. */
struct pool_config {
	unsigned int n_sizes; /* number of buffer sizes, 1..POOL_SIZES_MAX; 0: no pools */
	uint16_t sizes[POOL_SIZES_MAX];
	uint64_t n, least; /* buffers of each pool; smallest acceptable number */
	unsigned int cache;
	enum pool_alloc how;
	bool scattered;            /* no-iova-contig */
	struct pool_choice choice; /* mempool driver */
};

/* All zero before the first pool_create_all(). */
struct pools {
	struct pool_config config;
	struct rte_mempool *pool[RTE_MAX_NUMA_NODES][POOL_SIZES_MAX];
	/*
	 * of the first buffer size, with other mempool drivers; kept until all pools are recreated
	 */
	_Atomic(struct rte_mempool *) own[POOL_OWN_MAX];
	struct pool_areas areas;
};

/*
 * What ports and lcores need from the pools, for the automatic size (--total-num-mbufs=0) and the
 * mempool driver.
 */
struct pool_need {
	uint16_t port
		[RTE_MAX_ETHPORTS]; /* ports that will receive into the pools: port[0..n_ports) */
	unsigned int n_ports, lcores;
	uint64_t descriptors; /* Rx and Tx descriptors of all queues of all ports */
};

/*
 * Return the smallest number of buffers with which such ports and lcores work, and the number that
 * an automatic size uses.
 */
uint64_t pool_least(const struct pool_need *need, unsigned int cache);
uint64_t pool_wanted(const struct pool_need *need, unsigned int cache);

/*
 * Create the pools of every used socket, and print testpmd's line for each ("create a new mbuf pool
 * <mb_pool_0>..."). ENOMEM: e says how much is missing and what to change; EINVAL, ERANGE: bad
 * sizes. Thread: control. Settings: total-num-mbufs, mbuf-size, mbcache, mbuf-pool-ops, mp-alloc.
 */
int pool_create_all(struct pools *p, const struct settings *settings, const struct pool_need *need,
	struct out *out, struct err *e);

/*
 * Recreate all pools from the current settings; no pointer to them may remain in use. EBUSY:
 * buffers are in use; else as pool_create_all(). After an error the former pools are recreated.
 */
int pool_renew_all(struct pools *p, const struct settings *settings, const struct pool_need *need,
	struct out *out, struct err *e);

/*
 * Return the pool of a socket (any pool if that socket has none) and buffer size number; NULL if
 * there is none.
 */
struct rte_mempool *pool_for(const struct pools *p, int socket, unsigned int size);

/*
 * Get the pool of the first buffer size on a socket with mempool driver ops, regardless of the
 * settings; create it if needed, as large as the others. *mp becomes NULL after an error: ENOMEM;
 * ENOSPC: too many; as pool_memory_create(). Thread: control.
 */
int pool_own(struct pools *p, const char *ops, int socket, struct rte_mempool **mp, struct out *out,
	struct err *e);

/*
 * Return a pool that pool_own() created before; NULL: there is none. Thread: any, while the pools
 * exist.
 */
struct rte_mempool *pool_own_find(const struct pools *p, const char *ops, int socket);

/*
 * Return why a pool has its mempool driver, a text of p's; NULL: the pool is not of p. Thread:
 * control.
 */
const char *pool_why(const struct pools *p, const struct rte_mempool *mp);

/* Return pool i, 0..POOL_MAX-1; NULL: there is no pool i. Thread: any, while the pools exist. */
struct rte_mempool *pool_at(const struct pools *p, unsigned int i);

/* The level of a pool: its size and available mbufs. */
struct pool_level {
	uint64_t size, available;
};

/* The rows of struct pool_level. */
extern const struct stat_table pool_stats;

/* Read the level of a pool. Thread: any, while the pool exists. */
struct pool_level pool_level(const struct rte_mempool *mp);

/*
 * Answer `show pool`: name, size, available, in use, element size and socket of each pool, its
 * mempool driver and the reason, and the number of buffers available beyond the size. JSON: {"pools":[...]}. received: the pool that ports
 * receive into instead, or NULL.
 */
void pool_show(const struct pools *p, const struct rte_mempool *received, struct out *out);

/* Free the pools and their memory; no buffer may be in use. */
void pool_free_all(struct pools *p);

/* The settings of this file, for settings_add(). */
extern const struct setting_table pool_settings;

/* Test whether an lcore can get buffers from a pool: the mempool driver bucket may keep them for
 * other lcores. */

/*
 * Return whether the lcore gets no buffer from a pool that has contiguous blocks and free buffers.
 * The lcore tries it itself; false if it is not idle. Thread: control.
 */
bool pool_probe_starved(struct rte_mempool *mp, unsigned int lcore);
