/* Elements of a pool's contiguous blocks, one by one: what is left of the block that was taken last
 * is kept for the next time. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include <stdbool.h>
#include <stdint.h>

struct rte_mempool;

enum { POOL_BLOCKS_AHEAD = 16 };

/* One lcore's own. All zero: there are no blocks. */
struct pool_blocks {
	struct rte_mempool *pool;
	uint32_t stride;    /* bytes from element to element */
	unsigned int block; /* elements of one; 0: none are taken */
	unsigned int left;
	uint8_t *next; /* of those that are left */
	unsigned int n_ahead;
	void *ahead[POOL_BLOCKS_AHEAD]; /* blocks that were had with the last one */
};

/* Take blocks of the pool, where its driver has any of more than one element. Thread: control. */
void pool_blocks_open(struct pool_blocks *b, struct rte_mempool *mp);

/* Put back what is left. Thread: control, when the lcore has stopped; also without open. */
void pool_blocks_close(struct pool_blocks *b);

/*
 * The next block, when there is nothing left of the last one; those that so many elements need are
 * taken together. False: the pool has none.
 */
bool pool_blocks_next(struct pool_blocks *b, uint16_t elements);

/*
 * Up to most elements that lie side by side, stride bytes apart. Returns the first; NULL and n 0
 * where the pool has no whole block. Thread: the lcore.
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
 * Up to n elements, at rising addresses within a block. Returns how many: fewer than n where the
 * pool has no whole block, while it may have single elements still. Thread: the lcore.
 */
uint16_t pool_blocks_take(struct pool_blocks *b, void **objects, uint16_t n);
