/* A Tx queue and the Rx queue that it feeds: loops that move mbufs from one to the other, inlined
 * around each driver's functions. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "memory/pool_blocks.h"
#include "pmd_shims/recycle/rearm_check.h"
#include "pmd_shims/recycle/recycle_ends.h"
#include "pmd_shims/recycle/shim.h"

#include <rte_branch_prediction.h>
#include <rte_lcore.h>
#include <rte_mempool.h>

enum {
	PAIR_BATCHES_MAX = 8, /* per call: the burst functions want their time too */
	PAIR_BATCH_MAX = 64,  /* mbufs armed in one go */
	PAIR_WAIT_MAX = 32,   /* for so much room whole batches wait */
};

struct recycle {
	/* What ethdev calls now, to be compared with what was bound. */
	const eth_rx_burst_t *rx_burst;
	const eth_tx_burst_t *tx_burst;
	void *const *rxq, *const *txq;
	/* how often the queues of the two ports were set up, and at the bind */
	const atomic_uint *rx_set_ups, *tx_set_ups;
	unsigned int rx_bound, tx_bound;
	struct shim_rx rx;
	struct shim_tx tx;
	pair_run *run;
	pair_run *proved; /* run, once both queues proved their layouts; NULL: they need not */
	uint8_t rx_proofs, tx_proofs;
	_Atomic(enum recycle_proof) proof; /* written by the lcore that runs the pair */
	enum recycle_mode mode;
	void *upstream; /* pair_ethdev.c's own */
	struct recycle_ends ends;
	struct recycle_count count;
	struct pool_blocks blocks; /* mode RECYCLE_CONTIG: all of its mbufs are of these */
};

/*
 * What is rare comes by value, so that the loops below keep theirs out of memory.
 *
 * Arm a batch of which some mbufs may not be armed: the pool gives others for them. When it has
 * none, the batch goes to the pool. Returns mbufs moved.
 */
uint16_t pair_refill_mixed(struct recycle *r, struct shim_mbufs mbufs);

/*
 * Sent mbufs that do not come in the receive queue's batches: what finds no room goes to the pool.
 * Returns mbufs moved.
 */
uint16_t pair_move(struct recycle *r, struct shim_mbufs sent, uint16_t room);

/*
 * Sent mbufs to their pools, by the mempool's functions; what was not to be given up is counted.
 * Returns how many the receive queue's pool got.
 */
uint16_t pair_put(struct recycle *r, struct shim_mbufs mbufs);

/* What the two ends of a pair handle at a time; 1: any number. Constants where they are known. */
struct pair_batches {
	uint16_t rx, tx;
};

/*
 * Sent mbufs to be moved into so much room, or none: where one end takes any number and the other
 * batches, what makes no batch waits. stride: as they have it, 0: not known here.
 */
static __rte_always_inline struct shim_mbufs
pair_sent(struct recycle *r, shim_tx_sent *sent_of, struct pair_batches b, size_t stride,
	uint16_t room)
{
	uint16_t most = RTE_MIN(room, PAIR_BATCH_MAX);
	struct shim_mbufs sent;

	if (room < (b.rx == 1 ? RTE_MIN(b.tx, PAIR_WAIT_MAX) : b.rx))
		return (struct shim_mbufs){ .n = 0 };
	sent = sent_of(&r->tx);
	if (stride != 0)
		sent.stride = stride;
	if (b.tx == 1 && b.rx == 1)
		sent.n = RTE_MIN(sent.n, most);
	else if (b.tx == 1)
		sent.n = sent.n < b.rx ? 0 : b.rx;
	return sent;
}

/* How many mbufs both ends handle in one go: a constant where one of them takes batches. */
static __rte_always_inline uint16_t
pair_n(struct pair_batches b, const struct shim_mbufs *sent)
{
	return b.rx != 1 ? b.rx : b.tx != 1 ? b.tx : sent->n;
}

/* Whether the sent mbufs are so many. */
static __rte_always_inline bool
pair_fits(struct pair_batches b, const struct shim_mbufs *sent, uint16_t room)
{
	return b.tx == 1 || (sent->n == pair_n(b, sent) && (b.rx != 1 || sent->n <= room));
}

/* rx, tx: of compiled ends, 0: as the queues say. */
static __rte_always_inline struct pair_batches
pair_batches(const struct recycle *r, uint16_t rx, uint16_t tx)
{
	return (struct pair_batches){ rx != 0 ? rx : r->rx.batch, tx != 0 ? tx : r->tx.batch };
}

/*
 * Make sent segments single mbufs, as the driver does before it frees them. A Tx queue with one slot
 * for each segment of a packet hands out segments whose next is set, whatever nb_segs says: only a
 * packet's first segment has their number. rearm_check.h does not see that, since next lies in
 * the second cache line of an mbuf, which no other Tx queue needs: one slot for each packet means
 * that nb_segs is 1 only where next is NULL. Returns false if anyone else holds one of them: such a
 * segment may lose its other holder at any moment, so that the batch has to be released one by one.
 */
static __rte_always_inline bool
pair_alone(const struct recycle *r, uint16_t tx_batch, const struct shim_mbufs *mbufs, uint16_t n)
{
	if (tx_batch != 1 || likely(!r->tx.segments))
		return true;
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *m = shim_mbuf(mbufs, i);

		if (unlikely(rte_mbuf_refcnt_read(m) != 1))
			return false;
		if (m->next != NULL)
			m->next = NULL;
		if (m->nb_segs != 1)
			m->nb_segs = 1;
	}
	return true;
}

/*
 * From ring to ring. The functions as in shim_rx_ops and shim_tx_ops; rx_batch, tx_batch, stride:
 * constants, 0: not known here. Returns mbufs moved.
 */
static __rte_always_inline uint16_t
pair_run_ring(struct recycle *r, shim_rx_room *room_of, shim_rx_arm *arm, uint16_t rx_batch,
	shim_tx_sent *sent_of, shim_tx_taken *taken, uint16_t tx_batch, size_t stride)
{
	const struct pair_batches b = pair_batches(r, rx_batch, tx_batch);
	uint16_t moved = 0;

	for (unsigned int i = 0; i < PAIR_BATCHES_MAX; i++) {
		uint16_t room = room_of(&r->rx);
		struct shim_mbufs sent = pair_sent(r, sent_of, b, stride, room);

		if (sent.n == 0)
			break;
		if (likely(pair_fits(b, &sent, room)))
			moved += likely(pair_alone(r, b.tx, &sent, sent.n) &&
					 arm(&r->rx, &sent, false))
				? pair_n(b, &sent)
				: pair_refill_mixed(r, sent);
		else
			moved += pair_move(r, sent, room);
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
pair_run_zc_cache(struct recycle *r, shim_rx_room *room_of, shim_rx_arm *arm, uint16_t rx_batch,
	shim_tx_sent *sent_of, shim_tx_taken *taken, uint16_t tx_batch, size_t stride)
{
	struct rte_mempool_cache *cache = rte_mempool_default_cache(r->rx.pool, rte_lcore_id());
	const struct pair_batches b = pair_batches(r, rx_batch, tx_batch);
	uint16_t moved = 0;

	for (unsigned int i = 0; i < PAIR_BATCHES_MAX && cache != NULL; i++) {
		uint16_t room = room_of(&r->rx);
		struct shim_mbufs sent = pair_sent(r, sent_of, b, stride, room);
		struct shim_mbufs top = { .first = &cache->objs[cache->len],
			.stride = sizeof(void *),
			.n = pair_n(b, &sent) };

		if (sent.n == 0)
			break;
		if (likely(pair_fits(b, &sent, room) &&
			    cache->len + top.n <= RTE_DIM(cache->objs))) {
			for (uint16_t j = 0; j < top.n; j++)
				cache->objs[cache->len + j] = shim_mbuf(&sent, j);
			moved +=
				likely(pair_alone(r, b.tx, &top, top.n) && arm(&r->rx, &top, false))
				? top.n
				/* What is released may go to the cache, over what is on its top. */
				: pair_refill_mixed(r, sent);
		} else {
			moved += pair_move(r, sent, room);
		}
		taken(&r->tx, &sent);
	}
	return moved;
}

/*
 * Write n of the mbufs to objs[0..n). Returns whether the Rx queue's pool may have them as they are:
 * with fast free the first one's pool decides, as in drivers. Since DPDK 26.03 fast free is
 * allowed for packets of several segments too. They never come here unseen: functions that send
 * them are refused (Intel's), have no fast free (virtio's), or have slots for segments (mlx5's), for
 * which fast_free is not set and pair_alone() was called.
 */
static __rte_always_inline bool
pair_write(const struct recycle *r, void **objs, const struct shim_mbufs *mbufs, uint16_t n)
{
	struct rearm_check check = rearm_check_begin(r->rx.pool);

	if (r->tx.fast_free) {
		for (uint16_t i = 0; i < n; i++)
			objs[i] = shim_mbuf(mbufs, i);
		return shim_mbuf(mbufs, 0)->pool == r->rx.pool;
	}
	for (uint16_t i = 0; i < n; i++) {
		struct rte_mbuf *m = shim_mbuf(mbufs, i);

		rearm_check_mbuf(&check, m);
		objs[i] = m;
	}
	return rearm_check_passed(&check);
}

/*
 * As DPDK's patches for a mempool cache without copies proposed: sent mbufs are written once, from
 * the Tx ring to where the lcore's mempool cache has room for them, and stay there until somebody
 * takes them, as the Rx queue's driver does when it refills. While the cache is full they wait in
 * the Tx ring, where the driver frees them when it needs their slots. Batches with mbufs that do
 * not belong there go by the mempool's functions. Returns mbufs that cache and pool got.
 */
static __rte_always_inline uint16_t
pair_run_cache(struct recycle *r, shim_tx_sent *sent_of, shim_tx_taken *taken, uint16_t tx_batch,
	size_t stride)
{
	struct rte_mempool_cache *cache = rte_mempool_default_cache(r->rx.pool, rte_lcore_id());
	const uint16_t batch = tx_batch != 0 ? tx_batch : r->tx.batch;
	uint16_t moved = 0;

	for (unsigned int i = 0; i < PAIR_BATCHES_MAX && cache != NULL; i++) {
		uint16_t room = cache->flushthresh - RTE_MIN(cache->len, cache->flushthresh);
		struct shim_mbufs sent =
			pair_sent(r, sent_of, (struct pair_batches){ batch, batch }, stride, room);
		uint16_t n = batch == 1 ? sent.n : batch;

		if (sent.n == 0)
			break;
		if (likely(sent.n == n && pair_alone(r, batch, &sent, n) &&
			    pair_write(r, &cache->objs[cache->len], &sent, n))) {
			cache->len += n;
			moved += n;
		} else {
			moved += pair_put(r, sent);
		}
		taken(&r->tx, &sent);
	}
	return moved;
}
