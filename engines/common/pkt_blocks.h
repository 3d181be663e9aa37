/* Raw mbufs for packets that engines make: out of contiguous blocks where the mempool driver has
 * them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/common/pkt.h"
#include "memory/pool_blocks.h"

#include <rte_branch_prediction.h>

#include <stdint.h>

/* The setting tx-blocks has a word for each. */
enum pkt_blocks_when { PKT_BLOCKS_AUTO, PKT_BLOCKS_OFF, PKT_BLOCKS_ON };

/*
 * Decide for a stream by its pool and the setting tx-blocks. auto: where lcores have no mempool
 * cache, as blocks come from behind it and what is freed stays in it. Thread: control.
 */
void pkt_blocks_open(struct pool_blocks *b, const struct stream *s);

/* As pkt_raw_get(), for a stream that takes blocks. */
uint16_t pkt_blocks_take(struct pool_blocks *b, struct rte_mbuf **pkts, uint16_t n);

/* Raw mbufs of the stream's pool, as pkt_raw_get() has them. Thread: the worker. */
static inline uint16_t
pkt_blocks_get(struct stream *s, struct pool_blocks *b, struct rte_mbuf **pkts, uint16_t n)
{
	if (likely(b->block == 0))
		return pkt_raw_get(s->pool, pkts, n);
	return pkt_blocks_take(b, pkts, n);
}
