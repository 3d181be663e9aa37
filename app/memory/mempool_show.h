/* Show a mempool of this process: level, caches, blocks, footprint. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/stat.h"

#include <stdint.h>

struct err;
struct out;
struct pool_history;
struct rte_mempool;

/* The state of a mempool at one moment. */
struct mempool_state {
	uint64_t size, available, in_use;
	uint64_t surplus;    /* available beyond size */
	uint64_t cached;     /* available elements in lcores' caches */
	uint64_t cache_size; /* per lcore */
	uint64_t block;      /* elements per contiguous block; 1: no blocks */
	uint64_t element_bytes, header_bytes, object_bytes, trailer_bytes;
	uint64_t memory_bytes, chunks;
	/* STAT_NONE if this DPDK does not count them */
	uint64_t contig_gets, contig_fails, get_fails;
};

/* The rows of struct mempool_state. */
extern const struct stat_table mempool_stats;

/* Read the state of a mempool. Thread: any, while the mempool exists. */
struct mempool_state mempool_state(const struct rte_mempool *mp);

/*
 * Answer `show mempool [NAME [block N]]`: one mempool, or all of this process if name is NULL.
 * block: also print the buffer and element sizes that give contiguous blocks of that many; 0: no.
 * JSON: {"mempools":[{"name", "driver", "socket", rows, "seconds":[{"ago_s", "low", "high"}],
 * "lcores":[{"lcore", "cached"}]}], "wanted":{...}}. history: may be NULL. ENOENT: no such mempool;
 * ERANGE: no element size gives such blocks.
 */
int mempool_show(const char *name, unsigned int block, struct pool_history *history,
	struct out *out, struct err *e);
