/* A mirror's queue: send the packets of one receive queue on one transmit queue too. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"
#include "base/err.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

struct rte_eth_rxtx_callback;
struct rte_mempool;

/* received == sent + no_mbuf + full + segments. Written by the queue's lcore, never reset. */
struct run_mirror_count {
	counter received; /* packets received from the mirrored queue */
	counter sent;     /* packets sent to the mirror's port */
	/*
	 * Packets dropped because the pool was empty, the Tx ring was full, or the Tx queue does
	 * not support multiple segments.
	 */
	counter no_mbuf, full, segments;
};

/* A copy of struct run_mirror_count. */
struct run_mirror_sum {
	uint64_t received, sent, no_mbuf, full, segments;
};

struct run_mirror_queue {
	/* Fixed before the run. */
	alignas(CACHE_PAIR) uint16_t rx_port;
	uint16_t rx_queue, tx_port, tx_queue;
	unsigned int lcore; /* uses both queues */
	bool clones;        /* else copies, for the reason in why */
	bool mark;          /* the Rx driver drops the flag for external buffers */
	bool segments;      /* the transmit queue supports multiple segments */
	struct rte_mempool *pool;
	const struct rte_eth_rxtx_callback *callback; /* NULL: not active */
	char why[sizeof(((struct err *)0)->text)];
	struct run_mirror_sum base; /* counters at the last clear; written by control */

	alignas(CACHE_PAIR) struct run_mirror_count count;
};

/*
 * Begin to mirror, before the queue's lcore receives. ENOTSUP: DPDK was built without Rx callbacks;
 * ENOMEM. Thread: control.
 */
int run_mirror_queue_open(struct run_mirror_queue *mq, struct err *e);

/* Stop mirroring, after the lcores. Thread: control. */
void run_mirror_queue_close(struct run_mirror_queue *mq);

/* Read the counters. Thread: any. */
struct run_mirror_sum run_mirror_queue_read(const struct run_mirror_queue *mq);
