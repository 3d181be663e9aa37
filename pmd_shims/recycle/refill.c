/* Refills a receive ring from contiguous blocks of its pool: a pair without a Tx queue. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/refill.h"

#include "base/err.h"
#include "memory/pool_ops.h"
#include "pmd_shims/recycle/pair.h"

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <errno.h>
#include <stdio.h>

/*
 * Take the missing mbufs one by one from the pool if it has no whole block. Returns false if there
 * are not enough: all were returned to the pool, and the free slots point to dummies so that the
 * burst function finds no stale mbuf.
 */
static bool
top_up(struct recycle *r, struct rte_mbuf **mbufs, uint16_t got, uint16_t n)
{
	if (rte_mempool_get_bulk(r->rx.pool, (void **)(mbufs + got), n - got) != 0) {
		if (got > 0)
			rte_mempool_put_bulk(r->rx.pool, (void *const *)mbufs, got);
		r->rx.ops->park_dummy(&r->rx);
		return false;
	}
	counter_add(&r->count.topped_up, n - got);
	return true;
}

/*
 * Arm n mbufs, or none. Mbufs of a pool need no check: one reference, one segment, no next.
 */
static bool
arm_blocks(struct recycle *r, uint16_t n)
{
	shim_rx_arm_blocks *const armed = r->rx.ops->arm_blocks;
	struct rte_mbuf *mbufs[PAIR_BATCH_MAX];
	const struct shim_mbufs all = { .first = mbufs, .stride = sizeof(mbufs[0]), .n = n };
	const uint16_t got = armed != NULL ? armed(&r->rx, &r->blocks, mbufs)
					   : pool_blocks_take(&r->blocks, (void **)mbufs, n);

	/* If the pool is empty, the driver counts the failed refill as usual. */
	if (unlikely(got < n) && !top_up(r, mbufs, got, n))
		return false;
	if (armed == NULL || unlikely(got < n))
		r->rx.ops->arm(&r->rx, &all, true);
	counter_add(&r->count.from_blocks, got);
	return true;
}

/* A pair_run: fill the free slots from blocks. Returns 0, since no sent mbufs are moved. */
static uint16_t
run_blocks(struct recycle *r)
{
	for (unsigned int i = 0; i < PAIR_BATCHES_MAX; i++) {
		const uint16_t room = r->rx.ops->room(&r->rx);

		if (room == 0 ||
			!arm_blocks(r,
				r->rx.batch > 1 ? r->rx.batch : RTE_MIN(room, PAIR_BATCH_MAX)))
			break;
	}
	return 0;
}

int
refill_open(struct recycle *r, struct err *e)
{
	const struct rte_eth_fp_ops *ops = &rte_eth_fp_ops[r->ends.rx_port];

	pool_blocks_open(&r->blocks, r->rx.pool);
	if (r->blocks.block == 0)
		return err_set(e, ENOTSUP,
			"pool %s: its driver, %s, has no contiguous blocks of such mbufs: see \"show mempool\"",
			r->rx.pool->name, pool_ops_name(r->rx.pool));
	r->rx_burst = &ops->rx_pkt_burst;
	r->rxq = &ops->rxq.data[r->ends.rx_queue];
	/* There is no Tx queue that could change. */
	r->tx_burst = &r->tx.burst;
	r->txq = &r->tx.txq;
	r->run = run_blocks;
	snprintf(r->tx.path, sizeof(r->tx.path), "blocks of %u of %.32s", r->blocks.block,
		r->rx.pool->name);
	return 0;
}
