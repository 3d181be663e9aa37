/* Finds the base address for pointers that are compressed to 32-bit words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/ring_compress.h"

#include "base/err.h"

#include <rte_mempool.h>

#include <inttypes.h>

struct reach {
	uintptr_t begin, end;
};

static void
chunk_add(struct rte_mempool *pool, void *to, struct rte_mempool_memhdr *chunk, unsigned int i)
{
	struct reach *all = to;
	uintptr_t at = (uintptr_t)chunk->addr;

	all->begin = RTE_MIN(all->begin, at);
	all->end = RTE_MAX(all->end, at + chunk->len);
}

/* All packet pools count: drivers can have their own, and one port's Tx can be another's Rx. */
static void
pool_add(struct rte_mempool *pool, void *to)
{
	if (pool->private_data_size >= sizeof(struct rte_pktmbuf_pool_private) &&
		pool->elt_size >= sizeof(struct rte_mbuf))
		rte_mempool_mem_iter(pool, chunk_add, to);
}

int
ring_compress_base(uintptr_t *base, struct err *e)
{
	struct reach all = { UINTPTR_MAX, 0 };

	rte_mempool_walk(pool_add, &all);
	all.begin = RTE_ALIGN_FLOOR(all.begin, (uintptr_t)RTE_CACHE_LINE_MIN_SIZE);
	if (all.end - all.begin > RING_COMPRESS_BYTES)
		return err_set(e, ERANGE,
			"pipeline-mode compressed: packet pools span %" PRIu64
			" GiB of addresses, at most %" PRIu64
			" are supported; use \"set pipeline mode\" with auto, copy or zc",
			(uint64_t)(all.end - all.begin) >> 30, RING_COMPRESS_BYTES >> 30);
	*base = all.begin;
	return 0;
}
