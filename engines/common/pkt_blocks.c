/* Raw mbufs for packets that engines make: out of contiguous blocks where the mempool driver has
 * them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/pkt_blocks.h"

#include "base/setting.h"
#include "memory/pool_ops.h"

#include <rte_mempool.h>

void
pkt_blocks_open(struct pkt_blocks *b, const struct stream *s)
{
	const uint64_t when = setting_u64(s->settings, "tx-blocks");
	const unsigned int block = pool_ops_block(s->pool);

	*b = (struct pkt_blocks){ .pool = s->pool, .stride = pool_ops_stride(s->pool) };
	if (block > 1 && when != PKT_BLOCKS_OFF &&
		(when == PKT_BLOCKS_ON || s->pool->cache_size == 0))
		b->block = block;
}

void
pkt_blocks_close(struct pkt_blocks *b)
{
	for (; b->left > 0; b->left--, b->next += b->stride)
		rte_mempool_put(b->pool, b->next);
}

uint16_t
pkt_blocks_take(struct pkt_blocks *b, struct rte_mbuf **pkts, uint16_t n)
{
	uint16_t got = 0;

	while (got < n) {
		if (b->left == 0) {
			void *first;

			/* Buckets that are not whole still have single mbufs. */
			if (unlikely(rte_mempool_get_contig_blocks(b->pool, &first, 1) != 0))
				return (uint16_t)(got +
					pkt_raw_get(b->pool, pkts + got, (uint16_t)(n - got)));
			b->next = first;
			b->left = b->block;
		}
		for (; b->left > 0 && got < n; b->left--, b->next += b->stride)
			pkts[got++] = (struct rte_mbuf *)(void *)b->next;
	}
	return got;
}
