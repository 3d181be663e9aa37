/* Raw mbufs for packets that engines make: out of contiguous blocks where the mempool driver has
 * them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/common/pkt.h"

#include <rte_branch_prediction.h>

#include <stdint.h>

/* The setting tx-blocks has a word for each. */
enum pkt_blocks_when { PKT_BLOCKS_AUTO, PKT_BLOCKS_OFF, PKT_BLOCKS_ON };

/* What a stream has of the block that it took last; its worker's own. All zero: no blocks. */
struct pkt_blocks {
	struct rte_mempool *pool;
	uint32_t stride;    /* bytes from mbuf to mbuf */
	unsigned int block; /* mbufs of one; 0: none are taken */
	unsigned int left;
	uint8_t *next; /* of those that are left */
};

/*
 * Decide for a stream by its pool and the setting tx-blocks. auto: where lcores have no mempool
 * cache, as blocks come from behind it and what is freed stays in it. Thread: control.
 */
void pkt_blocks_open(struct pkt_blocks *b, const struct stream *s);

/* Put back what is left. Thread: control, when the worker has stopped; also without open. */
void pkt_blocks_close(struct pkt_blocks *b);

/* As pkt_raw_get(), for a stream that takes blocks. */
uint16_t pkt_blocks_take(struct pkt_blocks *b, struct rte_mbuf **pkts, uint16_t n);

/* Raw mbufs of the stream's pool, as pkt_raw_get() has them. Thread: the worker. */
static inline uint16_t
pkt_blocks_get(struct stream *s, struct pkt_blocks *b, struct rte_mbuf **pkts, uint16_t n)
{
	if (likely(b->block == 0))
		return pkt_raw_get(s->pool, pkts, n);
	return pkt_blocks_take(b, pkts, n);
}
