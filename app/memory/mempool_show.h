/* All about a mempool of this process: level, caches, blocks, footprint. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/stat.h"

#include <stdint.h>

struct err;
struct out;
struct pool_history;
struct rte_mempool;

/* A pool at one moment. */
struct mempool_state {
	uint64_t size, available, in_use;
	uint64_t surplus;    /* available beyond size */
	uint64_t cached;     /* of the available ones, in lcores' caches */
	uint64_t cache_size; /* of one lcore */
	uint64_t block;      /* elements of a contiguous block; 1: there are none */
	uint64_t element_bytes, header_bytes, object_bytes, trailer_bytes;
	uint64_t memory_bytes, chunks;
	/* STAT_NONE where this DPDK does not count them */
	uint64_t contig_gets, contig_fails, get_fails;
};

/* Its rows. */
extern const struct stat_table mempool_stats;

/* Thread: any, while the pool stays. */
struct mempool_state mempool_state(const struct rte_mempool *mp);

/*
 * Answer `show mempool [NAME [block N]]`: one pool, or all of this process with name NULL. block:
 * also the buffer and the element that give contiguous blocks of so many; 0: not asked. JSON:
 * {"mempools":[{"name", "driver", "socket", rows, "seconds":[{"ago_s", "low", "high"}],
 * "lcores":[{"lcore", "cached"}]}], "wanted":{...}}. history: NULL where none is kept.
 * ENOENT: no such pool; ERANGE: no element gives such blocks.
 */
int mempool_show(const char *name, unsigned int block, struct pool_history *history,
	struct out *out, struct err *e);
