/* A census of mempools: check that every object is exactly once in its pool. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct out;
struct rte_mempool;

/* The result of a census. All members except size are 0 in a correct pool. */
struct pool_census {
	uint64_t size;    /* number of objects of the pool */
	uint64_t missing; /* objects neither in a cache nor in the mempool driver */
	uint64_t twice;   /* objects found more than once: freed twice */
	uint64_t foreign; /* found objects that do not belong to the pool */
};

/*
 * Take every object from the mempool driver and from all lcores' caches, look it up among the
 * pool's objects, and put all back. Returns false without memory. No process may use the pool
 * meanwhile. Thread: control, while lcores are idle.
 */
bool pool_census(struct rte_mempool *mp, struct pool_census *c);

/* Return whether each object was found exactly once. */
bool pool_census_whole(const struct pool_census *c);

/* Known faults of drivers: the maximum of lost and twice freed buffers in all pools together. */
struct pool_known {
	uint64_t missing, twice;
	char why[256];
};

/*
 * Take a census of all pools of this EAL and print a line for each incorrect one. Returns the
 * number of pools with more faults than the known ones. Thread: as pool_census().
 */
unsigned int pool_check_all(const struct pool_known *known, struct out *out);
