/* Mbuf recycling for any driver: finds the drivers' shims for two queues, binds the queues as a
 * pair and moves mbufs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/recycle.h"

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
	shim_count(&r->count.topped_up, n - got);
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
	if ((armed == NULL || unlikely(got < n)) && !r->rx.ops->arm(&r->rx, &all, true)) {
		rte_mempool_put_bulk(r->rx.pool, (void *const *)mbufs, n);
		r->rx.ops->park_dummy(&r->rx);
		return false;
	}
	shim_count(&r->count.from_blocks, got);
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
refill_open(struct recycle *r, struct zcfwd_recycle_error *e)
{
	const struct rte_eth_fp_ops *ops = &rte_eth_fp_ops[r->ends.rx_port];

	pool_blocks_open(&r->blocks, r->rx.pool);
	if (r->blocks.block == 0)
		return shim_refuse(e, ZCFWD_RECYCLE_POOL,
			"pool %s: its driver, %s, has no contiguous blocks of such mbufs",
			r->rx.pool->name, rte_mempool_get_ops(r->rx.pool->ops_index)->name);
	r->rx_burst = &ops->rx_pkt_burst;
	/* There is no Tx queue that could change. */
	r->tx_burst = &r->tx.burst;
	r->run = r->blocks.fill > 0 ? run_fill : run_blocks;
	snprintf(r->tx.path, sizeof(r->tx.path), "blocks of %u of %.32s", r->blocks.block,
		r->rx.pool->name);
	return 0;
}

static inline bool
rx_stands(const struct recycle *r)
{
	return watch_stands(r->rx_port) && watch_changes(r->rx_queue) == r->rx_changes &&
		*r->rx_burst == r->rx.burst;
}

/* True if both queues are still those that were bound. */
static inline bool
both_stand(const struct recycle *r)
{
	return rx_stands(r) && watch_stands(r->tx_port) &&
		watch_changes(r->tx_queue) == r->tx_changes && *r->tx_burst == r->tx.burst;
}

bool
recycle_rx_stands(const struct recycle *r)
{
	return rx_stands(r);
}

bool
recycle_stands(const struct recycle *r)
{
	return !r->barred && both_stand(r);
}

static uint16_t
run_nothing(struct recycle *r)
{
	return 0;
}

bool
recycle_claim(struct recycle *r, void *thread)
{
	assert(pair_valid(r) && !r->claimed);
	if (r->mode == ZCFWD_RECYCLE_MODE_BLOCKS)
		return true;
	r->claimed = !r->barred && watch_claim(r->tx_queue, thread);
	if (r->claimed)
		return true;
	/* recycle_run() does not test it: a barred pair has a loop of its own, until it is freed. */
	r->barred = true;
	r->run = run_nothing;
	return false;
}

void
recycle_unclaim(struct recycle *r)
{
	if (r->claimed)
		watch_unclaim(r->tx_queue);
	r->claimed = false;
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
static pair_run *const generic
	[] = { [ZCFWD_RECYCLE_MODE_RING] = run_ring, [ZCFWD_RECYCLE_MODE_CACHE] = run_cache };

/*
 * Count the packets that the driver copied into descriptors since a pair of the Tx queue looked last: no
 * mbuf was kept for them. The queue may feed several pairs, so its last state is not the pair's. With
 * packets of several segments some are not counted. Nothing is counted if the driver's statistics were
 * reset meanwhile.
 */
static void
inlined_count(struct recycle *r)
{
	struct watch_sent *const last = &r->tx_queue->sent;
	struct watch_sent now = { .changes = r->tx_changes, .known = true };
	uint16_t kept;

	r->tx.ops->given(&r->tx, &now.packets, &now.mbufs);
	kept = now.mbufs - last->mbufs;
	if (last->known && last->changes == now.changes && now.packets > last->packets + kept)
		shim_count(&r->count.inlined, now.packets - last->packets - kept);
	*last = now;
}

/* A pair_run for a Tx queue whose driver copies packets into descriptors. */
static uint16_t
run_inlined(struct recycle *r)
{
	inlined_count(r);
	return r->inner(r);
}

/* The loop of a pair: run, with the count of copied packets if there are any. */
static pair_run *
run_of(struct recycle *r, pair_run *run)
{
	if (r->tx.inlines == NULL)
		return run;
	r->inner = run;
	return run_inlined;
}

/*
 * The proof: a layout that was never run with this release has to agree with the running queues.
 *
 * The problem: rows of releases that were run are known to be right. For a newer release of a
 * series, and for rows of a file, offsets are only likely. A comparison at binding sees one state,
 * in which many fields have equal values, such as 0 in a queue that was just started. A wrong
 * offset may point to a field that has the right value just then.
 *
 * The idea: let the drivers work, and compare after each burst, without writing. A shim knows what
 * holds between two bursts: counts that add up around the ring, slots that have mbufs of the pool,
 * descriptors that have the addresses of these mbufs, a register that has the last count. A
 * comparison is of value only if the state is a new one, and if all fields that could take each
 * other's place have different values: SHIM_AGREED. PROOFS of these are needed of each queue, and
 * the first contradiction refutes the layout for as long as the pair exists. An offset that is
 * wrong and survives would have to name memory that changes as the right field does, and then it
 * does no harm in these states.
 *
 * Why not packets of our own, for a proof at once: they would leave on the wire. Why not debug
 * information: packages have none.
 *
 * Limits: a queue without traffic stays RECYCLE_PROVING and moves nothing. States that need an
 * error of the card are not seen. The proof is of fields that the shim reads; others do not matter
 * to it. Mode ZCFWD_RECYCLE_MODE_BLOCKS proves the Rx queue alone.
 */
/* Number of different states in which each queue has to agree with its layout. */
enum { PROOFS = 16 };

bool
shim_proofs_enough(uint8_t proofs)
{
	return proofs >= PROOFS;
}

enum recycle_proof
shim_proofs_add(struct shim_proofs *p, enum shim_proof rx, enum shim_proof tx)
{
	if (rx == SHIM_WRONG || tx == SHIM_WRONG)
		return RECYCLE_REFUTED;
	p->rx = (uint8_t)RTE_MIN(p->rx + (rx == SHIM_AGREED), PROOFS);
	p->tx = (uint8_t)RTE_MIN(p->tx + (tx == SHIM_AGREED), PROOFS);
	return p->rx == PROOFS && p->tx == PROOFS ? RECYCLE_PROVED : RECYCLE_PROVING;
}

/*
 * Runs in place of a pair's loop while a layout has to be proved: moves nothing and compares the
 * queues with their layouts until both have agreed PROOFS times.
 */
static uint16_t
run_proof(struct recycle *r)
{
	const bool sends = r->mode != ZCFWD_RECYCLE_MODE_BLOCKS;
	/* A queue that has agreed is not compared again: the other one may send nothing for long. */
	const enum shim_proof rx = shim_proofs_enough(r->proofs.rx) ? SHIM_AGREED
								    : r->rx.ops->prove(&r->rx),
			      tx = !sends || shim_proofs_enough(r->proofs.tx)
		? SHIM_AGREED
		: r->tx.ops->prove(&r->tx);
	const enum recycle_proof proof = shim_proofs_add(&r->proofs, rx, tx);

	if (proof == RECYCLE_PROVING)
		return 0;
	r->run = proof == RECYCLE_PROVED ? r->proved : run_nothing;
	r->proof = proof;
	return 0;
}

uint16_t
recycle_run(struct recycle *r)
{
	uint16_t moved;

	PAIR_ASSERT(pair_valid(r));
	if (unlikely(!both_stand(r)))
		return 0;
	moved = r->run(r);
	if (moved > 0)
		shim_count(&r->count.moved, moved);
	return moved;
}

/* Find the shim of a port's driver. info: of the port, filled. */
static const struct shim_driver *
driver_of(uint16_t port, struct rte_eth_dev_info *info, struct zcfwd_recycle_error *e)
{
	const struct shim_driver *driver;

	if (!shim_processor()) {
		shim_refuse(e, ZCFWD_RECYCLE_PROCESSOR,
			"the drivers' vector functions for this processor have not been verified");
		return NULL;
	}
	if (rte_eth_dev_info_get(port, info) != 0) {
		shim_refuse(e, ZCFWD_RECYCLE_NO_QUEUE, "port %u: no such port", port);
		return NULL;
	}
	driver = shim_driver_of(info->driver_name);
	if (driver == NULL)
		shim_refuse(e, ZCFWD_RECYCLE_DRIVER, "port %u: driver %s cannot be paired", port,
			info->driver_name);
	return driver;
}

int
recycle_supports(uint16_t port, const struct shim_layouts *known, struct zcfwd_recycle_error *e)
{
	const struct shim_driver *driver;
	struct zcfwd_recycle_error own;
	struct rte_eth_dev_info info;
	struct shim_laid laid;

	if (e == NULL)
		e = &own;
	if (watch_possible(known, e) != 0)
		return -e->code;
	driver = driver_of(port, &info, e);
	for (size_t i = 0; driver != NULL && i < RTE_DIM(driver->tables); i++)
		if (driver->tables[i] != NULL &&
			shim_layout_find(known, driver->tables[i], &laid, e) == NULL)
			driver = NULL;
	return driver != NULL ? 0 : -e->code;
}

/* Find the shim of a watched port's driver; check that the port is started and has the queue. */
static const struct shim_driver *
driver_of_queue(uint16_t port, uint16_t queue, bool rx, struct zcfwd_recycle_error *e)
{
	struct rte_eth_dev_info info;
	const struct shim_driver *const driver = driver_of(port, &info, e);

	if (driver == NULL)
		return NULL;
	if (queue >= (rx ? info.nb_rx_queues : info.nb_tx_queues)) {
		shim_refuse(e, ZCFWD_RECYCLE_NO_QUEUE, "port %u: no %s queue %u", port,
			rx ? "receive" : "transmit", queue);
		return NULL;
	}
	if (!watch_started(port)) {
		shim_refuse(e, ZCFWD_RECYCLE_STOPPED, "port %u is stopped: start it first", port);
		return NULL;
	}
	return driver;
}

static int
bind_rx(struct shim_rx *rx, struct zcfwd_recycle_error *e)
{
	const struct shim_driver *driver = driver_of_queue(rx->port, rx->queue, true, e);

	if (driver == NULL)
		return -e->code;
	rx->rxq = rte_eth_fp_ops[rx->port].rxq.data[rx->queue];
	rx->burst = rte_eth_fp_ops[rx->port].rx_pkt_burst;
	return driver->rx_bind(rx, e);
}

static int
bind_tx(struct shim_tx *tx, struct zcfwd_recycle_error *e)
{
	const struct shim_driver *driver = driver_of_queue(tx->port, tx->queue, false, e);

	if (driver == NULL)
		return -e->code;
	tx->txq = rte_eth_fp_ops[tx->port].txq.data[tx->queue];
	tx->burst = rte_eth_fp_ops[tx->port].tx_pkt_burst;
	return driver->tx_bind(tx, e);
}

/* Check whether the mode can be used for a pair whose queues are bound. */
static int
mode_check(const struct recycle *r, struct zcfwd_recycle_error *e)
{
	if ((r->tx.batch != 1 && r->tx.batch % r->rx.batch != 0) || r->rx.batch > PAIR_BATCH_MAX)
		return shim_refuse(e, ZCFWD_RECYCLE_SIZES,
			"port %u sends in batches of %u: expected a multiple of %u, the batch that port %u receives in",
			r->tx.port, r->tx.batch, r->rx.batch, r->rx.port);
	if (r->mode != ZCFWD_RECYCLE_MODE_RING && r->rx.pool->cache_size == 0)
		return shim_refuse(e, ZCFWD_RECYCLE_POOL,
			"port %u: pool %s has no cache to go through", r->rx.port,
			r->rx.pool->name);
	if (r->mode == ZCFWD_RECYCLE_MODE_CACHE && r->tx.caches)
		return shim_refuse(e, ZCFWD_RECYCLE_MODE,
			"port %u: %s with fast free returns whole batches to the mempool cache itself: nothing to gain",
			r->tx.port, r->tx.path);
	return 0;
}

/* Bind a pair that is run by the loops of pair.h. */
static int
bind_own(struct recycle *r, struct zcfwd_recycle_error *e)
{
	if (bind_rx(&r->rx, e) != 0 || bind_tx(&r->tx, e) != 0 || mode_check(r, e) != 0)
		return -e->code;
	/* Drivers with one slot per segment check each one even with fast free. */
	r->tx.fast_free = shim_fast_free(&r->tx) && !r->tx.segments;
	r->tx.wanted = r->tx.batch == 1 ? r->rx.batch : 1;
	if (r->tx.list_size > 0) {
		r->tx.list = rte_malloc_socket("recycle_list",
			r->tx.list_size * sizeof(r->tx.list[0]), 0,
			rte_eth_dev_socket_id(r->ends.rx_port));
		if (r->tx.list == NULL)
			return shim_refuse(e, ZCFWD_RECYCLE_MEMORY, "no memory to pair queues");
	}
	r->run = pair_compiled(&r->rx, &r->tx, r->mode, false);
	r->run = run_of(r, r->run != NULL ? r->run : generic[r->mode]);
	r->rx_burst = &rte_eth_fp_ops[r->ends.rx_port].rx_pkt_burst;
	r->tx_burst = &rte_eth_fp_ops[r->ends.tx_port].tx_pkt_burst;
	return 0;
}

/* Bind a receive queue that is refilled from blocks of its pool; the transmit queue is not used. */
static int
bind_blocks(struct recycle *r, struct zcfwd_recycle_error *e)
{
	return bind_rx(&r->rx, e) != 0 ? -e->code : refill_open(r, e);
}

/* Watch the two queues, and then bind them, so that a change meanwhile is seen. */
static int
ends_bind(struct recycle *r, const struct shim_layouts *known, struct zcfwd_recycle_error *e)
{
	const bool blocks = r->mode == ZCFWD_RECYCLE_MODE_BLOCKS;
	struct watch *rx = watch_entry(r->ends.rx_port, e),
		     *tx = rx == NULL || blocks ? rx : watch_entry(r->ends.tx_port, e);

	if (tx == NULL || watch_port(rx, r->ends.rx_port, known, e) != 0 ||
		(!blocks && watch_port(tx, r->ends.tx_port, known, e) != 0))
		return -e->code;
	if (r->ends.rx_queue >= RTE_MAX_QUEUES_PER_PORT ||
		r->ends.tx_queue >= RTE_MAX_QUEUES_PER_PORT)
		return shim_refuse(e, ZCFWD_RECYCLE_NO_QUEUE, "queue %u: expected at most %u",
			RTE_MAX(r->ends.rx_queue, r->ends.tx_queue), RTE_MAX_QUEUES_PER_PORT - 1);
	r->rx_port = rx;
	r->tx_port = tx;
	r->rx_queue = &rx->rx[r->ends.rx_queue];
	r->tx_queue = blocks ? r->rx_queue : &tx->tx[r->ends.tx_queue];
	r->rx_changes = watch_changes(r->rx_queue);
	r->tx_changes = watch_changes(r->tx_queue);
	if ((blocks ? bind_blocks(r, e) : bind_own(r, e)) != 0)
		return -e->code;
	return recycle_stands(r)
		? 0
		: shim_refuse(e, ZCFWD_RECYCLE_CHANGED,
			  "port %u or %u: its queues changed while they were bound",
			  r->ends.rx_port, r->ends.tx_port);
}

struct recycle *
recycle_bind(const struct recycle_ends *ends, enum zcfwd_recycle_mode mode,
	const struct shim_layouts *known, struct zcfwd_recycle_error *e)
{
	struct recycle *r = rte_zmalloc_socket("recycle", sizeof(*r), SHIM_CACHE_PAIR,
		shim_socket(ends->rx_port));
	struct zcfwd_recycle_error own = { 0 };

	if (r == NULL) {
		shim_refuse(e, ZCFWD_RECYCLE_MEMORY, "no memory to pair queues");
		return NULL;
	}
	r->ends = *ends;
	r->mode = mode;
	r->rx = (struct shim_rx){ .port = ends->rx_port, .queue = ends->rx_queue, .known = known };
	r->tx = (struct shim_tx){ .port = ends->tx_port, .queue = ends->tx_queue, .known = known };
	if (ends_bind(r, known, e != NULL ? e : &own) != 0) {
		recycle_unbind(r);
		return NULL;
	}
	r->rx.known = r->tx.known = NULL;
	if (r->rx.laid.by != SHIM_BY_TABLE || r->tx.laid.by != SHIM_BY_TABLE) {
		r->proved = r->run;
		r->run = run_proof;
		r->proof = RECYCLE_PROVING;
	}
	assert(pair_valid(r));
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

	assert(pair_valid(r) && r->mode == ZCFWD_RECYCLE_MODE_RING && !r->barred);
	run = run_of(r, run != NULL ? run : run_window);
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
	recycle_unclaim(r);
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

enum zcfwd_recycle_reason
recycle_reason(const struct recycle *r, const char **text)
{
	const struct shim_rx *rx = &r->rx;

	if (r->barred) {
		*text = "another thread runs pairs of the transmit queue";
		return ZCFWD_RECYCLE_BUSY;
	}
	if (!recycle_stands(r)) {
		*text = "a queue was set up, stopped or started since it was bound";
		return ZCFWD_RECYCLE_CHANGED;
	}
	if (r->proof == RECYCLE_REFUTED) {
		*text = "wrong layout for these queues";
		return ZCFWD_RECYCLE_LAYOUT;
	}
	*text = rx->ops->closed != NULL ? rx->ops->closed(rx) : NULL;
	if (*text != NULL)
		return ZCFWD_RECYCLE_POOL;
	*text = r->tx.inlines;
	if (*text != NULL)
		return ZCFWD_RECYCLE_FUNCTION;
	*text = "";
	return ZCFWD_RECYCLE_FINE;
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
