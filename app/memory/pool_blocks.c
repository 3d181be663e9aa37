/* Take elements of a pool one by one from contiguous blocks, keeping the rest of the last block for
 * later. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/pool_blocks.h"

#include "memory/pool_ops.h"

#include <rte_branch_prediction.h>
#include <rte_mempool.h>

void
pool_blocks_open(struct pool_blocks *b, struct rte_mempool *mp)
{
	const unsigned int block = pool_ops_block(mp);

	*b = (struct pool_blocks){ .pool = mp, .stride = pool_ops_stride(mp) };
	b->block = block > 1 ? block : 0;
}

void
pool_blocks_close(struct pool_blocks *b)
{
	do {
		for (; b->left > 0; b->left--, b->next += b->stride)
			rte_mempool_put(b->pool, b->next);
	} while (b->n_ahead > 0 && pool_blocks_next(b, 1));
}

bool
pool_blocks_next(struct pool_blocks *b, uint16_t elements)
{
	if (b->n_ahead == 0) {
		const unsigned int n = RTE_MIN((elements + b->block - 1) / b->block,
			(unsigned int)POOL_BLOCKS_AHEAD);

		/* The call returns all n blocks or none. */
		if (rte_mempool_get_contig_blocks(b->pool, b->ahead, n) == 0)
			b->n_ahead = n;
		else if (n > 1 && rte_mempool_get_contig_blocks(b->pool, b->ahead, 1) == 0)
			b->n_ahead = 1;
		else
			return false;
	}
	b->next = b->ahead[--b->n_ahead];
	b->left = b->block;
	return true;
}

uint16_t
pool_blocks_take(struct pool_blocks *b, void **objects, uint16_t n)
{
	uint16_t got = 0;

	for (uint16_t run; got < n; got += run) {
		uint8_t *first = pool_blocks_run(b, n - got, &run);

		if (unlikely(run == 0))
			break;
		for (uint16_t i = got; i < got + run; i++, first += b->stride)
			objects[i] = first;
	}
	return got;
}
