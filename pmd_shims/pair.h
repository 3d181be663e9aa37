/* A Tx queue and the Rx queue that it feeds: loops that move mbufs from one to the other, inlined
 * around each driver's functions. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "memory/pool_blocks.h"
#include "pmd_shims/rearm_check.h"
#include "pmd_shims/recycle_ends.h"
#include "pmd_shims/shim.h"

#include <rte_branch_prediction.h>
#include <rte_lcore.h>
#include <rte_mempool.h>

enum {
	PAIR_BATCHES_MAX = 8,  /* per call: the burst functions want their time too */
	PAIR_BATCH_MAX = 64,   /* mbufs armed in one go */
	PAIR_ANY = UINT16_MAX, /* in place of a batch: any number */
};

struct recycle {
	/* What ethdev calls now, to be compared with what was bound. */
	const eth_rx_burst_t *rx_burst;
	const eth_tx_burst_t *tx_burst;
	void *const *rxq, *const *txq;
	struct shim_rx rx;
	struct shim_tx tx;
	pair_run *run;
	enum recycle_mode mode;
	struct recycle_ends ends;
	struct recycle_count count;
	struct pool_blocks blocks; /* mode RECYCLE_CONTIG: all of its mbufs are of these */
};

/*
 * Arm a batch of which some mbufs may not be armed: the pool gives others for them. When it has
 * none, the batch goes to the pool. Returns mbufs moved.
 */
uint16_t pair_refill_mixed(struct recycle *r, const struct shim_mbufs *mbufs);

/*
 * Sent mbufs that do not come in the receive queue's batches. sent->n is cut to what was taken,
 * where the transmit queue lets go of single ones; else what finds no room goes to the pool.
 * Returns mbufs moved.
 */
uint16_t pair_move(struct recycle *r, struct shim_mbufs *sent, uint16_t room);

/*
 * From ring to ring. The functions as in shim_rx_ops and shim_tx_ops, batch: mbufs that both queues
 * handle at a time, PAIR_ANY: as many as there are and as there is room for, 0: not known here.
 * Returns mbufs moved.
 */
static __rte_always_inline uint16_t
pair_run_ring(struct recycle *r, shim_rx_room *room_of, shim_rx_arm *arm, shim_tx_sent *sent_of,
	shim_tx_taken *taken, uint16_t batch)
{
	uint16_t moved = 0;

	for (unsigned int i = 0; i < PAIR_BATCHES_MAX; i++) {
		uint16_t room = room_of(&r->rx);
		struct shim_mbufs sent;

		if (room == 0)
			break;
		sent = sent_of(&r->tx);
		if (sent.n == 0)
			break;
		if (batch == PAIR_ANY) {
			room = RTE_MIN(room, PAIR_BATCH_MAX);
			sent.n = RTE_MIN(sent.n, room);
		}
		/* batch rather than sent.n where they are equal: it is a constant. */
		if (likely(batch == PAIR_ANY || (batch != 0 && sent.n == batch)))
			moved += likely(arm(&r->rx, &sent, false))
				? (batch == PAIR_ANY ? sent.n : batch)
				: pair_refill_mixed(r, &sent);
		else
			moved += pair_move(r, &sent, room);
		taken(&r->tx, &sent);
	}
	return moved;
}

/*
 * The same through the lcore's mempool cache: sent mbufs are put on its top, and what is on top is
 * armed, which is what was put. One copy of the pointers more than from ring to ring, and none of
 * the mempool's functions. What the cache has afterwards is what it had: its array has to have room.
 */
static __rte_always_inline uint16_t
pair_run_cache(struct recycle *r, shim_rx_room *room_of, shim_rx_arm *arm, shim_tx_sent *sent_of,
	shim_tx_taken *taken, uint16_t batch)
{
	struct rte_mempool_cache *cache = rte_mempool_default_cache(r->rx.pool, rte_lcore_id());
	uint16_t moved = 0;

	for (unsigned int i = 0; i < PAIR_BATCHES_MAX && cache != NULL; i++) {
		struct shim_mbufs top = { .first = &cache->objs[cache->len],
			.stride = sizeof(void *),
			.n = batch },
				  sent;
		uint16_t room = room_of(&r->rx);

		if (room == 0)
			break;
		sent = sent_of(&r->tx);
		if (sent.n == 0)
			break;
		if (likely(batch != 0 && sent.n == batch &&
			    cache->len + batch <= RTE_DIM(cache->objs))) {
			for (uint16_t j = 0; j < batch; j++)
				cache->objs[cache->len + j] =
					*(void *const *)(const void *)((const char *)sent.first +
						j * sent.stride);
			moved += likely(arm(&r->rx, &top, false)) ? batch
								  : pair_refill_mixed(r, &top);
		} else {
			moved += pair_move(r, &sent, room);
		}
		taken(&r->tx, &sent);
	}
	return moved;
}
