/* Copy read-only data of received packets where the engine writes, between the driver and the
 * engine. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct rte_eth_rxtx_callback;
struct run;
struct stream;

/*
 * The step of one stream: an Rx callback, because engines then need no code for read-only data,
 * and without the callback their loops are the same as if there were no such data.
 */
struct run_writable_queue {
	struct stream *stream;
	uint64_t readonly; /* the mark, see memory/mbuf_readonly.h; not 0 */
	bool segments;     /* all Tx queues of the run support multiple segments */
	const struct rte_eth_rxtx_callback *callback; /* NULL: not active */
};

/*
 * Begin to copy, before the stream's lcore receives. ENOTSUP: DPDK was built without Rx callbacks;
 * ENOMEM. Thread: control.
 */
int run_writable_queue_open(struct run_writable_queue *q, struct err *e);

/* Stop copying, after the lcore. Thread: control. */
void run_writable_queue_close(struct run_writable_queue *q);

/*
 * Begin to copy in all streams of the run, if its engine writes and data may be marked. Call this
 * before the workers, after everything that marks data is initialised. Errors: those of
 * run_writable_queue_open(); then nothing is copied. Thread: control.
 */
int run_writable_begin(struct run *r, struct err *e);

/* Stop copying, after the workers. Thread: control. */
void run_writable_end(struct run *r);
