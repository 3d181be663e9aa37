/* Gets uninitialised mbufs for created packets, in contiguous blocks if the mempool driver has
 * them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/pkt_blocks.h"

#include "base/setting.h"

#include <rte_mempool.h>

void
pkt_blocks_open(struct pool_blocks *b, const struct stream *s)
{
	const uint64_t when = setting_u64(s->settings, "tx-blocks");

	*b = (struct pool_blocks){ 0 };
	if (when == PKT_BLOCKS_ON || (when == PKT_BLOCKS_AUTO && s->pool->cache_size == 0))
		pool_blocks_open(b, s->pool);
}

uint16_t
pkt_blocks_take(struct pool_blocks *b, struct rte_mbuf **pkts, uint16_t n)
{
	const uint16_t got = pool_blocks_take(b, (void **)pkts, n);

	/* Incomplete buckets have single mbufs but no blocks. */
	return likely(got == n)
		? n
		: (uint16_t)(got + pkt_raw_get(b->pool, pkts + got, (uint16_t)(n - got)));
}
