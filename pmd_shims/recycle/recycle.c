/* Mbuf recycling for any driver: finds the drivers' shims for two queues, binds the queues as a
 * pair and moves mbufs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/recycle.h"

#include "base/err.h"
#include "memory/pool_ops.h"
#include "pmd_shims/recycle/pair.h"
#include "pmd_shims/recycle/pair_compiled.h"

#include <rte_ethdev.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Refills a receive ring from contiguous blocks of its pool: a pair without a Tx queue. */

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
		const uint16_t room = r->rx.ops->room(&r->rx, 0);

		if (room == 0 ||
			!arm_blocks(r,
				r->rx.batch > 1 ? r->rx.batch : RTE_MIN(room, PAIR_BATCH_MAX)))
			break;
	}
	return 0;
}

/*
 * A pair_run for lcores with a mempool cache: the driver refills its ring from the cache, which is
 * filled with blocks before it runs out of mbufs. Returns 0, since no sent mbufs are moved.
 */
static uint16_t
run_fill(struct recycle *r)
{
	const uint16_t room = r->rx.ops->room(&r->rx, 0),
		       next = RTE_MIN(room, r->rx.batch > 1 ? r->rx.batch : PAIR_BATCH_MAX);

	if (room > 0)
		pool_blocks_fill(&r->blocks, RTE_MIN(next, r->blocks.fill));
	return 0;
}

/*
 * Complete a pair whose Rx queue is bound. Errors: ENOTSUP if the queue's pool has no contiguous
 * blocks of more than one mbuf. Thread: control.
 */
static int
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
	r->run = r->blocks.fill > 0 ? run_fill : run_blocks;
	snprintf(r->tx.path, sizeof(r->tx.path), "blocks of %u of %.32s", r->blocks.block,
		r->rx.pool->name);
	return 0;
}

/* Stands for the count of a port's queue set-ups if the caller does not count them. */
static const atomic_uint uncounted;

static inline unsigned int
now_of(const atomic_uint *set_ups)
{
	return atomic_load_explicit(set_ups, memory_order_relaxed);
}

static void
set_ups_note(struct recycle *r, const atomic_uint *set_ups)
{
	r->rx_set_ups = set_ups != NULL ? &set_ups[r->ends.rx_port] : &uncounted;
	r->tx_set_ups = set_ups != NULL ? &set_ups[r->ends.tx_port] : &uncounted;
	r->rx_bound = now_of(r->rx_set_ups);
	r->tx_bound = now_of(r->tx_set_ups);
}

/*
 * A queue that was set up again may have its old address. Set-ups by this program are counted; for
 * others the pool and the batch size are read from the queues.
 */
static inline bool
rx_stands(const struct recycle *r)
{
	return now_of(r->rx_set_ups) == r->rx_bound && *r->rx_burst == r->rx.burst &&
		*r->rxq == r->rx.rxq && (r->rx.pool_in == NULL || *r->rx.pool_in == r->rx.pool);
}

bool
recycle_rx_stands(const struct recycle *r)
{
	return rx_stands(r);
}

bool
recycle_stands(const struct recycle *r)
{
	return rx_stands(r) && now_of(r->tx_set_ups) == r->tx_bound &&
		*r->tx_burst == r->tx.burst && *r->txq == r->tx.txq &&
		(r->tx.sized_in == NULL || *r->tx.sized_in == r->tx.sized);
}

static uint16_t
run_ring(struct recycle *r)
{
	return pair_run_ring(r, r->rx.ops->room, r->rx.ops->arm, 0, r->tx.ops->sent,
		r->tx.ops->taken, 0, 0);
}

static uint16_t
run_window(struct recycle *r)
{
	return pair_run_window(r, r->rx.ops->hide, r->rx.ops->unhide, r->rx.ops->room,
		r->rx.ops->arm, 0, r->tx.ops->sent, r->tx.ops->taken, 0, 0);
}

static uint16_t
run_cache(struct recycle *r)
{
	return pair_run_cache(r, r->tx.ops->sent, r->tx.ops->taken, 0, 0);
}

/* Loops that call the queues' functions through pointers. */
static pair_run *const generic[] = { [RECYCLE_RING] = run_ring, [RECYCLE_CACHE] = run_cache };

static uint16_t
run_nothing(struct recycle *r)
{
	return 0;
}

/* Number of different states in which each queue has to agree with its layout. */
enum { PROOFS = 16 };

/*
 * Runs in place of a pair's loop while a layout has to be proved: moves nothing and compares the
 * queues with their layouts until both have agreed PROOFS times.
 */
static uint16_t
run_proof(struct recycle *r)
{
	const bool sends = r->mode != RECYCLE_CONTIG;
	const enum shim_proof rx = r->rx.ops->prove(&r->rx),
			      tx = sends ? r->tx.ops->prove(&r->tx) : SHIM_AGREED;

	if (rx == SHIM_WRONG || tx == SHIM_WRONG) {
		r->run = run_nothing;
		r->proof = RECYCLE_REFUTED;
		return 0;
	}
	r->rx_proofs = (uint8_t)RTE_MIN(r->rx_proofs + (rx == SHIM_AGREED), PROOFS);
	r->tx_proofs = (uint8_t)RTE_MIN(r->tx_proofs + (tx == SHIM_AGREED), PROOFS);
	if (r->rx_proofs == PROOFS && r->tx_proofs == PROOFS) {
		r->run = r->proved;
		r->proof = RECYCLE_PROVED;
	}
	return 0;
}

uint16_t
recycle_run(struct recycle *r)
{
	uint16_t moved;

	if (unlikely(!recycle_stands(r)))
		return 0;
	moved = r->run(r);
	if (moved > 0)
		counter_add(&r->count.moved, moved);
	return moved;
}

/* Find the shim of a started port's driver; check that the port has the queue. */
static const struct shim_driver *
driver_of(uint16_t port, uint16_t queue, bool rx, struct err *e)
{
	const struct shim_driver *driver;
	struct rte_eth_dev_info info;

	if (!shim_processor()) {
		err_set(e, ENOTSUP,
			"the drivers' vector functions for this processor have not been verified");
		return NULL;
	}
	if (!rte_eth_dev_is_valid_port(port) || rte_eth_dev_info_get(port, &info) != 0) {
		err_set(e, EINVAL, "port %u: no such port", port);
		return NULL;
	}
	if (queue >= (rx ? info.nb_rx_queues : info.nb_tx_queues)) {
		err_set(e, EINVAL, "port %u: no %s queue %u", port, rx ? "receive" : "transmit",
			queue);
		return NULL;
	}
	driver = shim_driver_of(info.driver_name);
	if (driver == NULL)
		err_set(e, ENOTSUP, "port %u: driver %s cannot be paired", port, info.driver_name);
	return driver;
}

static int
bind_rx(struct shim_rx *rx, struct err *e)
{
	const struct shim_driver *driver = driver_of(rx->port, rx->queue, true, e);

	if (driver == NULL)
		return -e->code;
	rx->rxq = rte_eth_fp_ops[rx->port].rxq.data[rx->queue];
	rx->burst = rte_eth_fp_ops[rx->port].rx_pkt_burst;
	return driver->rx_bind(rx, e);
}

static int
bind_tx(struct shim_tx *tx, struct err *e)
{
	const struct shim_driver *driver = driver_of(tx->port, tx->queue, false, e);

	if (driver == NULL)
		return -e->code;
	tx->txq = rte_eth_fp_ops[tx->port].txq.data[tx->queue];
	tx->burst = rte_eth_fp_ops[tx->port].tx_pkt_burst;
	return driver->tx_bind(tx, e);
}

/* Check whether the mode can be used for a pair whose queues are bound. */
static int
mode_check(const struct recycle *r, struct err *e)
{
	if ((r->tx.batch != 1 && r->tx.batch % r->rx.batch != 0) || r->rx.batch > PAIR_BATCH_MAX)
		return err_set(e, ENOTSUP,
			"port %u sends in batches of %u: expected a multiple of %u, the batch that port %u receives in",
			r->tx.port, r->tx.batch, r->rx.batch, r->rx.port);
	if (r->mode != RECYCLE_RING && r->rx.pool->cache_size == 0)
		return err_set(e, ENOTSUP, "port %u: pool %s has no cache to go through",
			r->rx.port, r->rx.pool->name);
	if (r->mode == RECYCLE_CACHE && r->tx.caches)
		return err_set(e, ENOTSUP,
			"port %u: %s with fast free returns whole batches to the mempool cache itself: nothing to gain",
			r->tx.port, r->tx.path);
	return 0;
}

/* Bind a pair that is run by the loops of pair.h. */
static int
bind_own(struct recycle *r, struct err *e)
{
	if (bind_rx(&r->rx, e) != 0 || bind_tx(&r->tx, e) != 0 || mode_check(r, e) != 0)
		return -e->code;
	/* Drivers with one slot per segment check each one even with fast free. */
	r->tx.fast_free = shim_fast_free(&r->tx) && !r->tx.segments;
	r->tx.wanted = r->tx.batch == 1 ? r->rx.batch : 1;
	if (r->tx.list_size > 0) {
		r->tx.list = rte_malloc("recycle_list", r->tx.list_size * sizeof(r->tx.list[0]), 0);
		if (r->tx.list == NULL)
			return err_set(e, ENOMEM, "no memory to pair queues");
	}
	r->run = pair_compiled(&r->rx, &r->tx, r->mode, false);
	if (r->run == NULL)
		r->run = generic[r->mode];
	r->rx_burst = &rte_eth_fp_ops[r->ends.rx_port].rx_pkt_burst;
	r->rxq = &rte_eth_fp_ops[r->ends.rx_port].rxq.data[r->ends.rx_queue];
	r->tx_burst = &rte_eth_fp_ops[r->ends.tx_port].tx_pkt_burst;
	r->txq = &rte_eth_fp_ops[r->ends.tx_port].txq.data[r->ends.tx_queue];
	return 0;
}

/* Bind a receive queue that is refilled from blocks of its pool; the transmit queue is not used. */
static int
bind_blocks(struct recycle *r, struct err *e)
{
	return bind_rx(&r->rx, e) != 0 ? -e->code : refill_open(r, e);
}

struct recycle *
recycle_bind(const struct recycle_ends *ends, enum recycle_mode mode,
	const struct shim_layouts *known, struct err *e)
{
	struct recycle *r = rte_zmalloc("recycle", sizeof(*r), CACHE_PAIR);
	int ret;

	if (r == NULL) {
		err_set(e, ENOMEM, "no memory to pair queues");
		return NULL;
	}
	r->ends = *ends;
	r->mode = mode;
	set_ups_note(r, known != NULL ? known->set_ups : NULL);
	r->rx = (struct shim_rx){ .port = ends->rx_port, .queue = ends->rx_queue, .known = known };
	r->tx = (struct shim_tx){ .port = ends->tx_port, .queue = ends->tx_queue, .known = known };
	if (mode == RECYCLE_CONTIG)
		ret = bind_blocks(r, e);
	else
		ret = bind_own(r, e);
	if (ret != 0) {
		recycle_unbind(r);
		return NULL;
	}
	if (r->rx.laid.by != SHIM_BY_TABLE || r->tx.laid.by != SHIM_BY_TABLE) {
		r->proved = r->run;
		r->run = run_proof;
		r->proof = RECYCLE_PROVING;
	}
	return r;
}

uint16_t
recycle_in_flight(const struct recycle *r)
{
	return recycle_stands(r) ? r->tx.ops->held(&r->tx) : 0;
}

void
recycle_window_use(struct recycle *r, struct recycle_window *w)
{
	pair_run *run = pair_compiled(&r->rx, &r->tx, r->mode, true);

	if (run == NULL)
		run = run_window;
	r->window = w;
	if (r->proof == RECYCLE_PROVED)
		r->run = run;
	else
		r->proved = run;
}

void
recycle_rest(struct recycle *r)
{
	pool_blocks_close(&r->blocks);
}

void
recycle_unbind(struct recycle *r)
{
	if (r == NULL)
		return;
	recycle_rest(r);
	rte_free(r->tx.list);
	rte_free(r);
}

const struct recycle_count *
recycle_count(const struct recycle *r)
{
	return &r->count;
}

const struct pool_blocks_count *
recycle_blocks_count(const struct recycle *r)
{
	return &r->blocks.count;
}

const struct recycle_ends *
recycle_ends(const struct recycle *r)
{
	return &r->ends;
}

const char *
recycle_rx_layout(const struct recycle *r)
{
	return shim_layout_by_name(r->rx.laid.by);
}

const char *
recycle_tx_layout(const struct recycle *r)
{
	return shim_layout_by_name(r->tx.laid.by);
}

enum recycle_proof
recycle_proof(const struct recycle *r)
{
	return r->proof;
}

const char *
recycle_closed(const struct recycle *r)
{
	const struct shim_rx *rx = &r->rx;

	if (rx->ops->closed == NULL || !recycle_stands(r))
		return NULL;
	return rx->ops->closed(rx);
}

const char *
recycle_rx_path(const struct recycle *r)
{
	return r->rx.path;
}

const char *
recycle_tx_path(const struct recycle *r)
{
	return r->tx.path;
}
