/* Counts how often the queues of a port were set up, stopped or started, and knows who uses them:
 * functions of the library stand in front of those of the port's driver. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/shim.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct recycle;
struct rte_eth_recycle_rxq_info;

/*
 * A watch sees that a queue has changed, so that a pair never touches memory of a queue that is
 * gone.
 *
 * The problem: a pair reads and writes two queues of drivers at offsets of their private structs.
 * If such a queue is set up again, or its port is closed, its memory belongs to somebody else.
 * ethdev tells nobody: it has events for ports that appear and vanish, and none for set-ups, starts
 * and stops. Addresses do not show it either, since a new queue often gets the memory, the pool and
 * the size of the old one.
 *
 * The idea: ethdev calls a port's driver through a table of functions, struct eth_dev_ops. The
 * watch copies it, puts functions of its own in the place of those that change queues, and lets the
 * port point to the copy. Each of them counts a change of its queues and calls the driver's
 * function. A pair has the counts of its binding, and compares them before each run: two loads. The
 * change is counted before the driver's function, so that an lcore that looks during it moves
 * nothing, and after it, so that a pair that was bound during it is never believed. A driver that
 * restores its own table, as some do in a reset, is noticed because the port no longer points to
 * the copy (watch_stands()). Its pairs move nothing until they are bound again, which watches the
 * port again.
 *
 * Who uses a queue is here too, since it belongs to a queue and not to a handle: the handle that
 * arms an Rx queue, and the thread that takes mbufs from a Tx queue.
 *
 * The plugin recycle.so has to see the same calls and to replace more functions. Two copies in
 * front of each other would have to go in the right order when a port is closed. So the watch is
 * the only one that changes a port's table, and calls the plugin (struct watch_hooks).
 *
 * Why not ask ethdev in each run: its queries are for control, and answer alike for a new queue.
 * Why not replace ethdev's functions by LD_PRELOAD: programs may be linked statically.
 *
 * Limits: struct rte_eth_dev and its table are private to DPDK. Their offsets come from
 * layout_rows.h, and laid_out() refuses a port whose table does not have functions there. A
 * secondary process has tables of its own and does not see what the primary does: recycling is
 * refused there. A driver that sets a queue up without a call of ethdev is not noticed. This is not
 * a lock: ports must not be stopped while an lcore uses their queues, as always. Numbers of queues
 * are in [0, RTE_MAX_QUEUES_PER_PORT); counts wrap at 2^32 changes of a queue.
 */

/* What a Tx queue had sent when a pair looked last; changes: of the queue then. */
struct watch_sent {
	uint64_t packets;
	unsigned int changes;
	uint16_t mbufs;
	bool known;
};

struct watch_queue {
	atomic_uint changes; /* set-ups, starts, stops; only increases */
	/* of an Rx queue: the handle that is run; of a Tx queue: the thread that runs its pairs */
	_Atomic(void *) owner;
	unsigned int claims;    /* of a Tx queue: bound pairs of that thread */
	struct watch_sent sent; /* of a Tx queue; written by that thread */
};

/* The calls of ethdev that hooks see; of a queue: only its set-up. */
enum watch_event { WATCH_SETUP, WATCH_START, WATCH_STOP, WATCH_RESET, WATCH_CLOSE };

/*
 * What the plugin recycle.so adds to a port: functions that are called before a call of ethdev reaches
 * the driver, and after it has returned. Thread: the caller's. There is no `after` of WATCH_CLOSE, which
 * ends the watch.
 */
struct watch_hooks {
	void (*before)(uint16_t port, enum watch_event event);
	void (*after)(uint16_t port, enum watch_event event);
	/* rte_eth_recycle_rx_queue_info_get(), once it is offered */
	void (*rxq_info)(uint16_t port, uint16_t queue, struct rte_eth_recycle_rxq_info *info);
	/* what rte_eth_recycle_mbufs() calls, of ethdev's types */
	const void *reuse, *refill;
};

/* A port. It exists as long as the process; written by control, but for changes and owners. */
struct watch {
	const void *_Atomic *ops;        /* where ethdev has the port's functions */
	const void *ours;                /* the library's, which are there while it watches */
	const void *theirs;              /* the driver's; NULL: the port is not watched */
	const struct watch_hooks *hooks; /* NULL: none */
	bool offered;                    /* hooks->rxq_info is in place */
	struct watch_queue rx[RTE_MAX_QUEUES_PER_PORT], tx[RTE_MAX_QUEUES_PER_PORT];
};

#define ETHDEV_FIELDS(F) \
	F(rx_burst, 8, "struct rte_eth_dev: receive function") \
	F(data, 8, "struct rte_eth_dev: what processes share") \
	F(ops, 8, "struct rte_eth_dev: functions of the driver") \
	F(reuse, 8, "struct rte_eth_dev: rte_eth_recycle_mbufs(), Tx") \
	F(refill, 8, "struct rte_eth_dev: rte_eth_recycle_mbufs(), Rx") \
	F(port_bytes, 0, "bytes of struct rte_eth_dev") \
	F(port, 0, "struct rte_eth_dev_data: number of the port") \
	F(rx_queues, 0, "struct rte_eth_dev_data: Rx queues") \
	F(tx_queues, 0, "struct rte_eth_dev_data: Tx queues") \
	F(ops_bytes, 0, "bytes of struct eth_dev_ops, which has the others") \
	F(dev_start, 0, "function") \
	F(dev_stop, 0, "function") \
	F(dev_close, 0, "function") \
	F(dev_reset, 0, "function") \
	F(rx_queue_setup, 0, "function") \
	F(rx_queue_release, 0, "function") \
	F(rx_queue_start, 0, "function") \
	F(rx_queue_stop, 0, "function") \
	F(tx_queue_setup, 0, "function") \
	F(tx_queue_release, 0, "function") \
	F(tx_queue_start, 0, "function") \
	F(tx_queue_stop, 0, "function") \
	F(recycle_rxq_info_get, 0, "function")

struct ethdev_layout {
	struct shim_releases releases;
	ETHDEV_FIELDS(SHIM_FIELD)
};

enum { ETHDEV_ROWS(SHIM_ROW_ID) };

/* Its rows by release. */
extern const struct shim_table watch_table;

/*
 * The entry of a port, which is not watched yet. Returns NULL with e filled: NO_QUEUE: there is no
 * such port; MEMORY. Thread: control, for all of this file unless stated otherwise.
 */
struct watch *watch_entry(uint16_t port, struct zcfwd_recycle_error *e);

/* Whether ports can be watched in this process, with this DPDK. Errors: PROCESS, RELEASE. */
int watch_possible(const struct shim_layouts *known, struct zcfwd_recycle_error *e);

/* Watch a port from now on. Errors: PROCESS, RELEASE, LAYOUT, MEMORY. */
int watch_port(struct watch *w, uint16_t port, const struct shim_layouts *known,
	struct zcfwd_recycle_error *e);

/*
 * For the plugin recycle.so, which is of the same build; programs must not use it. In the library's map
 * these two are in a section of their own.
 * Watch a port, also in a secondary process, with hooks, which must live as long as the process: the
 * driver's own functions for recycling are out of place from now on. Call it again after a reset, in
 * which a driver may restore its functions. port: a number that ethdev gave. Errors: RELEASE, LAYOUT, MEMORY.
 */
#pragma GCC visibility push(default)
int zcfwd_recycle_hook(uint16_t port, const struct watch_hooks *hooks,
	struct zcfwd_recycle_error *e);

/* Let rte_eth_recycle_rx_queue_info_get() succeed for a port with hooks. */
void zcfwd_recycle_offer(uint16_t port);
#pragma GCC visibility pop

/* True if a watched port is started. */
bool watch_started(uint16_t port);

/* The number of changes of a queue. Thread: any. */
static inline unsigned int
watch_changes(const struct watch_queue *q)
{
	return atomic_load_explicit(&q->changes, memory_order_acquire);
}

/* True if the port is still watched: its driver was neither closed nor replaced. Thread: any. */
static inline bool
watch_stands(const struct watch *w)
{
	return atomic_load_explicit(w->ops, memory_order_relaxed) == w->ours;
}

/*
 * Claim a Tx queue for the thread that runs a pair of it. Returns false if another thread has it.
 * Thread: the lcore.
 */
bool watch_claim(struct watch_queue *q, void *thread);

/* Undo watch_claim(). Thread: the lcore, or control when the lcore runs the pair no more. */
void watch_unclaim(struct watch_queue *q);
