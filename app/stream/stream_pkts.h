/* Sum up the bytes of a burst, and free a burst. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <stdint.h>

/* Return the bytes of pkts[0..n), including all segments. */
static inline uint64_t
stream_bytes(struct rte_mbuf *const *pkts, uint16_t n)
{
	uint64_t bytes = 0;

	for (uint16_t i = 0; i < n; i++)
		bytes += pkts[i]->pkt_len;
	return bytes;
}

/*
 * Free pkts[0..n), in bulk while they have one segment and the same pool, as received bursts do.
 * The array is overwritten. Thread: an lcore.
 */
static __rte_always_inline void
stream_free(struct rte_mbuf **pkts, uint16_t n)
{
	struct rte_mempool *pool = n > 0 ? pkts[0]->pool : NULL;
	uint16_t i, ready = 0;

	for (i = 0; i < n && likely(pkts[i]->nb_segs == 1 && pkts[i]->pool == pool); i++) {
		struct rte_mbuf *m = rte_pktmbuf_prefree_seg(pkts[i]);

		if (likely(m != NULL))
			pkts[ready++] = m;
	}
	if (likely(ready > 0))
		rte_mempool_put_bulk(pool, (void *const *)pkts, ready);
	if (unlikely(i < n))
		rte_pktmbuf_free_bulk(pkts + i, n - i);
}
