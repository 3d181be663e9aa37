/* Gets uninitialised mbufs for created packets, in contiguous blocks if the mempool driver has
 * them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/common/pkt.h"
#include "memory/pool_blocks.h"

#include <rte_branch_prediction.h>

#include <stdint.h>

/* The choices of the setting tx-blocks. */
enum pkt_blocks_when { PKT_BLOCKS_AUTO, PKT_BLOCKS_OFF, PKT_BLOCKS_ON };

/*
 * Decide whether a stream uses blocks, by its pool and the setting tx-blocks. auto: only if lcores
 * have no mempool cache, because blocks bypass the cache while freed mbufs remain in it. Thread:
 * control.
 */
void pkt_blocks_open(struct pool_blocks *b, const struct stream *s);

/* pkt_raw_get() for a stream that uses blocks. */
uint16_t pkt_blocks_take(struct pool_blocks *b, struct rte_mbuf **pkts, uint16_t n);

/* pkt_raw_get() from the stream's pool, in blocks if decided so. Thread: the worker. */
static inline uint16_t
pkt_blocks_get(struct stream *s, struct pool_blocks *b, struct rte_mbuf **pkts, uint16_t n)
{
	if (likely(b->block == 0))
		return pkt_raw_get(s->pool, pkts, n);
	return pkt_blocks_take(b, pkts, n);
}
