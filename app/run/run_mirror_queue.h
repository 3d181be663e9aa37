/* A queue of a mirror: what one receive queue gives, once more, by one transmit queue. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"
#include "base/err.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

struct rte_eth_rxtx_callback;
struct rte_mempool;

/* received == sent + no_mbuf + full + segments. Written by the queue's lcore alone, never reset. */
struct run_mirror_count {
	counter received; /* packets that the mirrored queue gave */
	counter sent;     /* that the mirror's port took */
	/*
	 * Dropped: none in the pool; the transmit queue took no more; it takes no several segments.
	 */
	counter no_mbuf, full, segments;
};

/* The same at one moment. */
struct run_mirror_sum {
	uint64_t received, sent, no_mbuf, full, segments;
};

struct run_mirror_queue {
	/* Fixed before the run. */
	alignas(CACHE_PAIR) uint16_t rx_port;
	uint16_t rx_queue, tx_port, tx_queue;
	unsigned int lcore; /* that uses both queues */
	bool clones;        /* else copies, and why has the reason */
	bool mark;          /* the driver forgets that buffers are external */
	bool segments;      /* the transmit queue sends packets of several */
	struct rte_mempool *pool;
	const struct rte_eth_rxtx_callback *callback; /* NULL: not at work */
	char why[sizeof(((struct err *)0)->text)];
	struct run_mirror_sum base; /* what clear remembered; the control thread's */

	alignas(CACHE_PAIR) struct run_mirror_count count;
};

/*
 * Begin to mirror, before the queue's lcore receives. Errors: ENOTSUP DPDK without callbacks,
 * ENOMEM. Thread: control.
 */
int run_mirror_queue_open(struct run_mirror_queue *mq, struct err *e);

/* End it, when no lcore receives any more. Thread: control. */
void run_mirror_queue_close(struct run_mirror_queue *mq);

/* What it did until now. Thread: any. */
struct run_mirror_sum run_mirror_queue_read(const struct run_mirror_queue *mq);
