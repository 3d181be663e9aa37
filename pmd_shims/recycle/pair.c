/* The slow path of recycling: batches of sent mbufs of which some cannot be armed, or whose number
 * does not match the Rx ring's batches. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/pair.h"

#include <rte_mbuf.h>
#include <rte_mempool.h>

bool
pair_valid(const struct recycle *r)
{
	const bool sends = r->mode != ZCFWD_RECYCLE_MODE_BLOCKS;
	const uint16_t rx = r->rx.batch, tx = r->tx.batch;

	if (r->run == NULL || r->rx_queue == NULL || r->tx_queue == NULL || r->rx.pool == NULL)
		return false;
	if (rx == 0 || rx > PAIR_BATCH_MAX || rx > r->rx.size)
		return false;
	if (sends && tx != 1 && (tx == 0 || tx % rx != 0))
		return false;
	return r->mode < ZCFWD_RECYCLE_MODE_OFF && !(r->claimed && r->barred) &&
		(r->window == NULL || r->mode == ZCFWD_RECYCLE_MODE_RING) &&
		(r->proof == RECYCLE_PROVED || r->proved != NULL);
}

/*
 * Release one sent segment. If it belongs to the Rx pool and has no other reference it is appended
 * to kept[0..max) at *n; further ones go back to the pool.
 */
static void
release_one(struct recycle *r, struct rte_mbuf *m, struct rte_mbuf **kept, uint16_t *n,
	uint16_t max)
{
	m = rte_pktmbuf_prefree_seg(m);
	if (m == NULL) {
		shim_count(&r->count.shared, 1);
	} else if (m->pool != r->rx.pool) {
		shim_count(&r->count.foreign, 1);
		rte_mempool_put(m->pool, m);
	} else if (*n < max) {
		kept[(*n)++] = m;
	} else {
		shim_count(&r->count.freed, 1);
		rte_mempool_put(m->pool, m);
	}
}

/*
 * Release sent mbufs, and for queues of packets all their segments. Up to mbufs->n of the Rx pool
 * are kept in kept[]. Returns how many.
 */
static uint16_t
release(struct recycle *r, const struct shim_mbufs *mbufs, struct rte_mbuf **kept)
{
	uint16_t n = 0;

	for (uint16_t i = 0; i < mbufs->n; i++) {
		struct rte_mbuf *m = shim_mbuf(mbufs, i), *next;

		for (; m != NULL; m = next) {
			next = r->tx.packets ? m->next : NULL;
			release_one(r, m, kept, &n, mbufs->n);
		}
	}
	return n;
}

uint16_t
pair_put(struct recycle *r, struct shim_mbufs mbufs)
{
	struct rte_mbuf *kept[PAIR_BATCH_MAX];
	uint16_t n, sum = 0;

	for (uint16_t i = 0; i < mbufs.n; i += PAIR_BATCH_MAX) {
		struct shim_mbufs some = mbufs;

		some.first = (const char *)mbufs.first + i * mbufs.stride;
		some.n = RTE_MIN(mbufs.n - i, PAIR_BATCH_MAX);
		n = release(r, &some, kept);
		if (n > 0)
			rte_mempool_put_bulk(r->rx.pool, (void *const *)kept, n);
		sum += n;
	}
	return sum;
}

uint16_t
pair_refill_mixed(struct recycle *r, struct shim_mbufs mbufs)
{
	struct rte_mbuf *kept[PAIR_BATCH_MAX];
	const struct shim_mbufs full = { .first = kept, .stride = sizeof(kept[0]), .n = mbufs.n };
	uint16_t n = release(r, &mbufs, kept), missing = mbufs.n - n;

	if (missing > 0 &&
		(n == 0 || rte_mempool_get_bulk(r->rx.pool, (void **)(kept + n), missing) != 0)) {
		if (n > 0)
			rte_mempool_put_bulk(r->rx.pool, (void *const *)kept, n);
		shim_count(&r->count.freed, n);
		r->rx.ops->park_dummy(&r->rx);
		return 0;
	}
	if (unlikely(!r->rx.ops->arm(&r->rx, &full, true))) {
		rte_mempool_put_bulk(r->rx.pool, (void *const *)kept, full.n);
		shim_count(&r->count.freed, n);
		r->rx.ops->park_dummy(&r->rx);
		return 0;
	}
	shim_count(&r->count.topped_up, missing);
	return n;
}

/* How many of n available mbufs to arm in one call. */
static uint16_t
step_of(const struct recycle *r, uint16_t n)
{
	return r->rx.batch > 1 ? r->rx.batch : RTE_MIN(n, PAIR_BATCH_MAX);
}

uint16_t
pair_move(struct recycle *r, struct shim_mbufs sent, uint16_t room)
{
	uint16_t usable = RTE_MIN(sent.n, room), done = 0, moved = 0;
	struct shim_mbufs part = { .first = sent.first, .stride = sent.stride };

	for (; done + r->rx.batch <= usable; done += part.n) {
		part.n = step_of(r, usable - done);
		moved += likely(pair_alone(r, r->tx.batch, &part, part.n) &&
				 r->rx.ops->arm(&r->rx, &part, false))
			? part.n
			: pair_refill_mixed(r, part);
		part.first = (const char *)part.first + part.n * part.stride;
	}
	if (done < sent.n) {
		part.n = sent.n - done;
		shim_count(&r->count.freed, pair_put(r, part));
	}
	return moved;
}
