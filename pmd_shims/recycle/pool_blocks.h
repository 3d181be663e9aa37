/* Takes elements of a pool from contiguous blocks. If lcores have no mempool cache, the rest of the
 * last block is kept for later. Otherwise blocks fill the cache. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/shim.h"

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_mempool.h>

#include <stdbool.h>
#include <stdint.h>

enum {
	POOL_BLOCKS_AHEAD = 16,
	POOL_BLOCKS_MOST = 256, /* elements of a block; pools with larger ones have none */
};

/* Counts of blocks, written by the lcore. */
struct pool_blocks_count {
	ZCFWD_RECYCLE_BLOCK_COUNTERS(SHIM_COUNTER)
};

/* Private to one lcore. All zero: no blocks. */
struct pool_blocks {
	struct rte_mempool *pool;
	uint32_t stride;    /* bytes from element to element */
	unsigned int block; /* elements per block; 0: do not use blocks */
	/* elements up to which blocks fill the lcore's mempool cache; 0: no cache, or too small */
	unsigned int fill;
	unsigned int left; /* unused elements of the current block */
	uint8_t *next;     /* the first of them */
	unsigned int n_ahead;
	void *ahead[POOL_BLOCKS_AHEAD]; /* further blocks taken in advance */
	struct pool_blocks_count count; /* written by the lcore */
};

/* Use blocks of the pool, if its driver has blocks of more than one element. Thread: control. */
void pool_blocks_open(struct pool_blocks *b, struct rte_mempool *mp);

/* Put unused elements back; *b may be all zero. Thread: control, after the lcore has stopped. */
void pool_blocks_close(struct pool_blocks *b);

/*
 * Begin the next block, after the current one is used up; take the blocks for that many elements at
 * once. False: the pool has no block.
 */
bool pool_blocks_next(struct pool_blocks *b, uint16_t elements);

/*
 * Take up to `most` elements that are stride bytes apart. Returns the first and sets *n; NULL and 0
 * if the pool has no whole block. Thread: the lcore.
 */
static inline uint8_t *
pool_blocks_run(struct pool_blocks *b, uint16_t most, uint16_t *n)
{
	uint8_t *first;

	if (b->left == 0 && unlikely(!pool_blocks_next(b, most))) {
		*n = 0;
		return NULL;
	}
	first = b->next;
	*n = (uint16_t)RTE_MIN(b->left, (unsigned int)most);
	b->left -= *n;
	b->next += *n * b->stride;
	return first;
}

/*
 * If the lcore's mempool cache has fewer than n elements, put blocks into it, as many as it holds
 * without being flushed. n: at most b->fill. Thread: the lcore.
 */
void pool_blocks_fill(struct pool_blocks *b, uint16_t n);

/*
 * Take up to n elements: from the lcore's mempool cache, which is filled with blocks, or with
 * ascending addresses within a block. Returns their number: fewer than n if the pool has no whole
 * block, although it may still have single elements. Thread: the lcore.
 */
uint16_t pool_blocks_take(struct pool_blocks *b, void **objects, uint16_t n);
