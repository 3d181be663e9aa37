/* A census of mempools: every object exactly once in its pool, counted one by one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct out;
struct rte_mempool;

/* Where the objects of a pool are. All but size is 0 in a whole pool. */
struct pool_census {
	uint64_t size;    /* objects that the pool was made of */
	uint64_t missing; /* neither in a cache nor in the mempool driver */
	uint64_t twice;   /* there more than once: freed again while free */
	uint64_t foreign; /* there, but not of this pool */
};

/*
 * Take every object out of the caches of all lcores and out of the mempool driver, one by one, find
 * it among those that the pool was made of, and put all back. False: no memory for it. No
 * process may use the pool meanwhile. Thread: control, lcores idle.
 */
bool pool_census(struct rte_mempool *mp, struct pool_census *c);

/* Whether each object is there exactly once. */
bool pool_census_whole(const struct pool_census *c);

/* What drivers are known to lose or free twice, and up to how many in all pools together. */
struct pool_known {
	uint64_t missing, twice;
	char why[256];
};

/*
 * Print a line for each pool of this EAL that is not whole, its mempool driver and the figures of its
 * census with it. Returns how many of them have more than what is known. As pool_census().
 */
unsigned int pool_check_all(const struct pool_known *known, struct out *out);
