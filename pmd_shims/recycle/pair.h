/* A Tx queue and the Rx queue that it feeds: loops that move mbufs from one to the other. They are
 * inlined together with the drivers' functions. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The problem: to move an mbuf is a load and a store, a few cycles. Calls through pointers for each
 * batch, and sizes that are known only at run time, cost as much again. But there are many drivers
 * and burst functions, and each may feed each.
 *
 * The idea: the loops below are written once, for functions and batches that they get as arguments,
 * and always inlined. pair_table.c compiles them for each pair of ends in pair_loops.h, with
 * constants for all arguments: the compiler leaves a copy of a fixed number of pointers. A pair
 * that has no row there runs the very loops with pointers (generic in recycle.c), so a missing row
 * costs cycles and nothing else.
 *
 * Mbufs move in batches that both ends can handle. What is usual is tested for a whole batch: all
 * mbufs of the Rx queue's pool, one reference, one segment (rearm_check.h). Only a batch that fails
 * goes mbuf by mbuf through pair.c. A batch is first armed and then taken from the Tx queue: in
 * between, an mbuf is in two arrays. Nobody sees that, since one lcore runs both queues. Between
 * two runs each mbuf is in one place: a Tx queue, an Rx queue, a pool, or the program.
 *
 * Which state a pair is in decides its loop, so that a run has no test for it: run_proof() while
 * its layout is proved, run_nothing() if it is refuted or another thread has the Tx queue, else one
 * of the loops. Only that the queues are still those that were bound is compared in each run.
 *
 * Why not mbuf by mbuf: drivers arm with vectors, in fixed batches. Why not all that were sent:
 * what waits in the NIC would wait longer, so a run ends after PAIR_BATCHES_MAX batches.
 *
 * Limits: a batch of the Rx queue is in [1, PAIR_BATCH_MAX]. One of the Tx queue is 1 (any number)
 * or a multiple of the Rx queue's. A run moves PAIR_BATCHES_MAX batches at most. pair_valid() has
 * what holds for a pair between two runs.
 */
#pragma once

#include "compat.h"
#include "pmd_shims/recycle/pool_blocks.h"
#include "pmd_shims/recycle/rearm_check.h"
#include "pmd_shims/recycle/shim.h"
#include "pmd_shims/recycle/watch.h"

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_lcore.h>
#include <rte_mempool.h>

#include <assert.h>

/* The queues that a loop is compiled for: their functions, and a layout of so many bytes. */
struct pair_end {
	const void *ops, *layout;
	size_t bytes;
};

/*
 * The loops of a pair. cache does not touch the Rx queue, so pairs of a Tx end share it.
 */
struct pair_row {
	const struct pair_end *rx, *tx;
	pair_run *ring, *window, *cache;
};

enum {
	PAIR_BATCHES_MAX = 8, /* batches per call, so that the burst functions are not delayed */
	PAIR_BATCH_MAX = 64,  /* mbufs armed at a time */
	PAIR_WAIT_MAX = 32,   /* a Tx batch waits for at most this many free slots */
};

struct recycle {
	/* Where ethdev has its current functions, for comparison with the bound ones. */
	const eth_rx_burst_t *rx_burst;
	const eth_tx_burst_t *tx_burst;
	/* the two ports and queues, and the queues' changes when the pair was bound */
	const struct watch *rx_port, *tx_port;
	struct watch_queue *rx_queue, *tx_queue;
	unsigned int rx_changes, tx_changes;
	bool claimed; /* the Tx queue is claimed for the lcore */
	bool barred;  /* another thread has claimed it; written by the lcore */
	struct shim_rx rx;
	struct shim_tx tx;
	pair_run *run;
	pair_run *proved; /* becomes run once both layouts are proved; NULL: no proof needed */
	pair_run *inner;  /* moves the mbufs if the Tx queue's driver copies packets */
	struct shim_proofs proofs;
	_Atomic(enum recycle_proof) proof; /* written by the lcore that runs the pair */
	enum zcfwd_recycle_mode mode;
	struct recycle_ends ends;
	struct recycle_count count;
	struct pool_blocks blocks;     /* mode ZCFWD_RECYCLE_MODE_BLOCKS: source of its mbufs */
	struct recycle_window *window; /* of the Rx queue; NULL: its ring is armed in full */
};

/* What holds for a bound pair between two runs. */
bool pair_valid(const struct recycle *r);

/*
 * An assertion on the path of packets: in builds with a sanitizer or without optimisation, since it
 * costs as much as the work.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
#define PAIR_ASSERT(condition) assert(condition)
#else
#define PAIR_ASSERT(condition) ((void)0)
#endif

/*
 * Arm a batch in which some mbufs cannot be armed: these are replaced by mbufs of the pool. If none
 * can be armed or the pool has too few, the whole batch goes to the pool. Returns mbufs moved. This
 * function and the two below take their struct by value so that the loops can keep it in registers.
 */
uint16_t pair_refill_mixed(struct recycle *r, struct shim_mbufs mbufs);

/*
 * Move sent mbufs whose number is not a batch of the Rx queue. Those without a free slot go to the
 * pool. Returns mbufs moved.
 */
uint16_t pair_move(struct recycle *r, struct shim_mbufs sent, uint16_t room);

/*
 * Return sent mbufs to their pools. Those with other references or of another pool are counted as
 * shared and foreign. Returns how many went to the Rx queue's pool.
 */
uint16_t pair_put(struct recycle *r, struct shim_mbufs mbufs);

/* Batch sizes of the two ends of a pair; 1: any number. Compile-time constants if known. */
struct pair_batches {
	uint16_t rx, tx;
};

/*
 * Get the sent mbufs to move into room free slots; n is 0 if there is no complete batch for the end
 * that needs batches. stride: of the Tx queue's mbufs, 0 if not known at compile time.
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

/* How many mbufs both ends handle at a time: a constant if one of them needs batches. */
static __rte_always_inline uint16_t
pair_n(struct pair_batches b, const struct shim_mbufs *sent)
{
	return b.rx != 1 ? b.rx : b.tx != 1 ? b.tx : sent->n;
}

/* True if the sent mbufs are exactly what both ends handle at a time. */
static __rte_always_inline bool
pair_fits(struct pair_batches b, const struct shim_mbufs *sent, uint16_t room)
{
	return b.tx == 1 || (sent->n == pair_n(b, sent) && (b.rx != 1 || sent->n <= room));
}

/* rx, tx: batch sizes known at compile time; 0: use those of the queues. */
static __rte_always_inline struct pair_batches
pair_batches(const struct recycle *r, uint16_t rx, uint16_t tx)
{
	return (struct pair_batches){ rx != 0 ? rx : r->rx.batch, tx != 0 ? tx : r->tx.batch };
}

/*
 * Make sent segments single mbufs, as the driver does before it frees them. A Tx queue with one
 * slot per segment returns segments whose next is set although nb_segs is 1, since only a
 * packet's first segment has the number of segments. rearm_check.h cannot detect that: next is in
 * the second cache line of an mbuf. Tx queues with one slot per packet do not need this, since
 * there nb_segs is 1 only if next is NULL. Returns false if a segment has another reference: it may
 * be dropped at any time, so the batch has to be released mbuf by mbuf.
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
 * Move mbufs from ring to ring until shut slots or less are free. room_of, arm, sent_of, taken: functions
 * of shim_rx_ops and shim_tx_ops. rx_batch, tx_batch, stride: constants, 0 if not known at compile
 * time. Returns mbufs moved.
 */
static __rte_always_inline uint16_t
pair_fill(struct recycle *r, shim_rx_room *room_of, shim_rx_arm *arm, uint16_t rx_batch,
	shim_tx_sent *sent_of, shim_tx_taken *taken, uint16_t tx_batch, size_t stride,
	uint16_t shut)
{
	const struct pair_batches b = pair_batches(r, rx_batch, tx_batch);
	uint16_t moved = 0;

	for (unsigned int i = 0; i < PAIR_BATCHES_MAX; i++) {
		uint16_t room = room_of(&r->rx, shut);
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

/* Move mbufs from ring to ring, as pair_fill(), until the Rx ring is armed in full. */
static __rte_always_inline uint16_t
pair_run_ring(struct recycle *r, shim_rx_room *room_of, shim_rx_arm *arm, uint16_t rx_batch,
	shim_tx_sent *sent_of, shim_tx_taken *taken, uint16_t tx_batch, size_t stride)
{
	return pair_fill(r, room_of, arm, rx_batch, sent_of, taken, tx_batch, stride, 0);
}

/*
 * As pair_run_ring(), until the window is armed. The driver does not see the free slots behind the
 * window. hide, unhide: functions of shim_rx_ops.
 */
static __rte_always_inline uint16_t
pair_run_window(struct recycle *r, shim_rx_hide *hide, shim_rx_unhide *unhide,
	shim_rx_room *room_of, shim_rx_arm *arm, uint16_t rx_batch, shim_tx_sent *sent_of,
	shim_tx_taken *taken, uint16_t tx_batch, size_t stride)
{
	struct recycle_window *const w = r->window;
	uint16_t moved;

	w->until_check -= unhide(&r->rx, &w->hidden);
	moved = pair_fill(r, room_of, arm, rx_batch, sent_of, taken, tx_batch, stride, w->shut);
	w->open = hide(&r->rx, &w->hidden);
	return moved;
}

/*
 * Write n of the mbufs to objs[0..n). Returns true if they can be put into the Rx queue's pool
 * unchanged; with fast free the first one's pool decides, as in drivers. Since DPDK 26.03 fast free
 * is allowed for packets of several segments too. That is safe here: functions that send such
 * packets are refused (Intel), have no fast free (virtio), or have one slot per segment (mlx5), for
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
 * Put sent mbufs directly into the lcore's mempool cache, as DPDK's patches for a zero-copy mempool
 * cache proposed: pointers are copied once, from the Tx ring into the cache, and the Rx queue's
 * driver takes them from there when it refills. While the cache is full, sent mbufs remain in the
 * Tx ring until the driver frees them because it needs their slots. Batches with mbufs that cannot
 * go into the cache are released by the mempool's functions. Returns mbufs put into cache and pool.
 */
static __rte_always_inline uint16_t
pair_run_cache(struct recycle *r, shim_tx_sent *sent_of, shim_tx_taken *taken, uint16_t tx_batch,
	size_t stride)
{
	struct rte_mempool_cache *cache = rte_mempool_default_cache(r->rx.pool, rte_lcore_id());
	const uint16_t batch = tx_batch != 0 ? tx_batch : r->tx.batch;
	uint16_t moved = 0;

	for (unsigned int i = 0; i < PAIR_BATCHES_MAX && cache != NULL; i++) {
		const uint32_t most = compat_cache_limit(cache);
		uint16_t room = most - RTE_MIN(cache->len, most);
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
