/* Takes elements of a pool from contiguous blocks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/pool_blocks.h"

#include <rte_lcore.h>

/* The elements of a block; 1: the pool's driver has no blocks. */
static unsigned int
block_of(const struct rte_mempool *mp)
{
	const struct rte_mempool_ops *ops = rte_mempool_get_ops(mp->ops_index);
	struct rte_mempool_info info;

	if (ops->get_info == NULL || ops->dequeue_contig_blocks == NULL ||
		rte_mempool_ops_get_info(mp, &info) != 0)
		return 1;
	return RTE_MAX(info.contig_block_size, 1u);
}

void
pool_blocks_open(struct pool_blocks *b, struct rte_mempool *mp)
{
	const unsigned int block = block_of(mp);

	*b = (struct pool_blocks){ .pool = mp,
		.stride = mp->header_size + mp->elt_size + mp->trailer_size };
	b->block = block > 1 && block <= POOL_BLOCKS_MOST ? block : 0;
	if (mp->cache_size >= block)
		b->fill = mp->cache_size;
}

void
pool_blocks_close(struct pool_blocks *b)
{
	do {
		for (; b->left > 0; b->left--, b->next += b->stride)
			rte_mempool_put(b->pool, b->next);
	} while (b->n_ahead > 0 && pool_blocks_next(b, 1));
}

/* Get up to n blocks into ahead[]; n: 1..POOL_BLOCKS_AHEAD. Returns their number. */
static unsigned int
blocks_get(struct pool_blocks *b, unsigned int n)
{
	/* The call returns all n blocks or none. */
	if (rte_mempool_get_contig_blocks(b->pool, b->ahead, n) != 0) {
		if (n == 1 || rte_mempool_get_contig_blocks(b->pool, b->ahead, 1) != 0)
			return 0;
		n = 1;
	}
	shim_count(&b->count.contig_gets, 1);
	shim_count(&b->count.blocks, n);
	return n;
}

bool
pool_blocks_next(struct pool_blocks *b, uint16_t elements)
{
	if (b->n_ahead == 0) {
		b->n_ahead = blocks_get(b,
			RTE_MIN((elements + b->block - 1) / b->block,
				(unsigned int)POOL_BLOCKS_AHEAD));
		if (b->n_ahead == 0)
			return false;
	}
	b->next = b->ahead[--b->n_ahead];
	b->left = b->block;
	return true;
}

void
pool_blocks_fill(struct pool_blocks *b, uint16_t n)
{
	struct rte_mempool_cache *cache = rte_mempool_default_cache(b->pool, rte_lcore_id());
	void *objects[POOL_BLOCKS_MOST];
	unsigned int blocks;

	if (likely(cache == NULL || cache->len >= n))
		return;
	blocks = RTE_MIN((b->fill - cache->len) / b->block, (unsigned int)POOL_BLOCKS_AHEAD);
	if (blocks > 0)
		blocks = blocks_get(b, blocks);
	for (unsigned int i = 0; i < blocks; i++) {
		for (unsigned int k = 0; k < b->block; k++)
			objects[k] = RTE_PTR_ADD(b->ahead[i], k * b->stride);
		rte_mempool_generic_put(b->pool, objects, b->block, cache);
	}
	shim_count(&b->count.blocks_cached, blocks);
}

uint16_t
pool_blocks_take(struct pool_blocks *b, void **objects, uint16_t n)
{
	uint16_t got = 0;

	if (n <= b->fill) {
		pool_blocks_fill(b, n);
		return rte_mempool_get_bulk(b->pool, objects, n) == 0 ? n : 0;
	}
	for (uint16_t run; got < n; got += run) {
		uint8_t *first = pool_blocks_run(b, n - got, &run);

		if (unlikely(run == 0))
			break;
		for (uint16_t i = got; i < got + run; i++, first += b->stride)
			objects[i] = first;
	}
	return got;
}
