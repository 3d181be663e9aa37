/* port mirror RX TX: send a port's received packets on another port too, independent of the
 * engine. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"
#include "base/err.h"
#include "stream/frame_limit.h"

#include <rte_config.h>

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

struct args;
struct plan;
struct rte_eth_rxtx_callback;
struct rte_mempool;
struct run;
struct run_mirror_queue;

/* A mirror's queue: send the packets of one receive queue on one transmit queue too. */

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
	/* mark of read-only data: set on clones and originals, removed from copies; 0: none */
	uint64_t readonly;
	struct rte_mempool *pool;
	struct frame_limit frame; /* of the transmit queue; longer packets are dropped */
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

/*
 * port mirror <rx> <tx>: from the next start on, mirror port rx to port tx, instead of its former
 * target. EBUSY while forwarding; ENODEV; EINVAL: the same port twice. Thread: control, for all of this file.
 */
int run_mirror_set(struct run *r, const struct args *a, struct err *e);

/* port mirror <rx> off: stop mirroring a port. EBUSY while forwarding; ENOENT: it is not mirrored. */
int run_mirror_off(struct run *r, const struct args *a, struct err *e);

/*
 * Find a transmit queue that no other lcore uses for each mirrored receive queue of the plan, and
 * decide between clones and copies. The queues of the last run are unchanged. ENETDOWN: the target
 * port is not started; ENOSPC: other lcores use all its queues; ENOTSUP: the engine has no mbufs;
 * ENOMEM.
 */
int run_mirror_prepare(struct run *r, const struct plan *plan, struct err *e);

/*
 * Start the prepared mirrors, before the workers. Errors: as run_mirror_queue_open(); then nothing
 * is mirrored.
 */
int run_mirror_begin(struct run *r, struct err *e);

/* Let the mirrors' statistics count from now on. */
void run_mirror_clear(struct run *r);

/* Stop the mirrors, after the workers. */
void run_mirror_end(struct run *r);

/* Free queues and pool, after the ports are closed. */
void run_mirror_close(struct run *r);
