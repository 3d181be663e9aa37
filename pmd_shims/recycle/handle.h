/* The handle of a receive queue: all pairs that feed it with sent mbufs. Control can replace them
 * while the lcore runs them, and the lcore itself can choose among them by where its packets go. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/recycle.h"
#include "pmd_shims/recycle/recycle_traffic.h"
#include "pmd_shims/recycle/recycle_window.h"

#include <rte_spinlock.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	RECYCLE_LOOK = 64,    /* polls between two reads of the clock, a power of two */
	RECYCLE_HISTORY = 16, /* changes kept, one of which may be incomplete */
};

/* One requested pair. pair: NULL if it was refused; reason and why tell. */
struct recycle_feed_pair {
	struct recycle_ends ends;
	struct recycle *pair;
	enum zcfwd_recycle_reason reason;
	char why[ZCFWD_RECYCLE_TEXT];
};

/* The last changes; change i is at i modulo RECYCLE_HISTORY. n: so far. Written by the lcore. */
struct recycle_history {
	shim_counter n;
	struct {
		shim_counter tsc, from, to;
	} change[RECYCLE_HISTORY];
};

/*
 * The layouts that pairs may use: the tables, and the rows of zcfwd_recycle_layouts(). tables_only: as in
 * struct zcfwd_recycle_options. Thread: any.
 */
struct shim_layouts recycle_layouts(bool tables_only);

struct recycle_pairs {
	unsigned int n, n_bound;
	/* pairs that the lcore runs; written by the lcore if it chooses among them */
	struct recycle *bound[ZCFWD_RECYCLE_FEEDING];
	bool watched; /* the lcore chooses, or there is a window */
	/* written by the lcore: it reads the clock once in RECYCLE_LOOK polls */
	unsigned int polls;
	/* packets sent by each pair's Tx queue, counted by the program; NULL: all pairs feed */
	const uint64_t *sent;
	struct recycle_traffic traffic; /* written by the lcore */
	struct recycle_history history;
	struct recycle_window window; /* of the Rx queue; written by the lcore */
	_Atomic(uint32_t) feeds;      /* bits: pairs that run; written by the lcore if it chooses */
	struct recycle_feed_pair pair[]; /* n of them */
};

/* The values of zcfwd_recycle_stats(). */
#define RECYCLE_VALUE(name, unit, help) uint64_t name;
struct recycle_total {
	ZCFWD_RECYCLE_STATS(RECYCLE_VALUE, RECYCLE_VALUE)
};

/*
 * A handle lets control change which Tx queues feed an Rx queue, while packets are forwarded.
 *
 * The problem: the lcore runs a handle before each burst, so a run that moves nothing may cost a
 * few instructions, and no lock. Control binds, adds and removes queues at the same time, which
 * allocates memory and reads the drivers' queues. A pair must not be freed while the lcore uses it,
 * and two threads must never arm one Rx queue.
 *
 * The idea: what a run needs is in one block, struct recycle_pairs, behind one pointer. Control
 * makes a new block aside and stores its address in `published`. The lcore compares that with
 * `used` in each run. If they differ, it leaves the old block (switch_to()) and stores the new
 * address in `used`. From then on nobody uses the old block: control adds its counts to
 * `before` and frees it. So a run costs two loads and a branch for it. Two pairs of memory orders:
 * publish() releases a complete block to zcfwd_recycle_run(), switch_to() releases the old block to
 * taken_up(). Weaker ones would let the lcore see a block before its content, or control free one
 * that is still read.
 *
 * Who may run it: the first run of a thread (begin()) makes the handle the owner of the Rx queue
 * and claims its Tx queues (watch.h), under the lock. `lcore` is the address of a variable of that
 * thread, so that later runs compare one pointer. Other threads get -EBUSY until
 * zcfwd_recycle_stop(). The lock is also held by control if it replaces a block that no lcore uses;
 * no other run takes it.
 *
 * Why not RCU of DPDK (rte_rcu_qsbr): programs would have to report quiescent states to a library
 * that they do not know; here a run of the handle is the report. Why not a lock per run: two atomic
 * operations per burst, for a change per hour.
 *
 * Limits: control is one thread at a time. It waits for the lcore for at most WAIT_MS, 1000 ms. If
 * the lcore does not run the handle in that time, the old block stays and the new one is never
 * freed, since the lcore may just be taking it up. Nothing checks that the lcore runs the handle no
 * more when zcfwd_recycle_stop() or zcfwd_recycle_destroy() is called. A block has n pairs, in
 * [0, ZCFWD_RECYCLE_FEEDING], or in [0, ZCFWD_RECYCLE_BOUND] if the lcore chooses among them. Of
 * these, n_bound run, in [0, ZCFWD_RECYCLE_FEEDING].
 */
struct zcfwd_recycle {
	_Atomic(void *) lcore;                     /* the thread that runs the handle; NULL: none */
	_Atomic(struct recycle_pairs *) published; /* written by control */
	/* written by the lcore, or by control while there is none, with the lock held */
	_Atomic(struct recycle_pairs *) used;
	bool paused;         /* written by the lcore */
	rte_spinlock_t lock; /* an lcore begins or stops, control changes pairs without one */
	struct recycle_total before; /* counts of replaced pairs; control only */
	struct watch_queue *rx;      /* whose owner the handle is */
	struct zcfwd_recycle_queue queue;
	struct zcfwd_recycle_options options; /* of the last zcfwd_recycle_bind() */
	int socket;
};

/* Add the counters of all pairs to *t. Thread: control. */
void recycle_pairs_add(struct recycle_total *t, const struct recycle_pairs *p);

/*
 * Choose the feeding pairs by the packets that each Tx queue has sent. now: TSC. Thread: the lcore
 * that owns the queues.
 */
void recycle_look(struct recycle_pairs *p, uint64_t now);
