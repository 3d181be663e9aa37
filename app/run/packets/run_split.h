/* Remove empty segments of received packets, where a port splits packets behind a header. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct port;
struct rte_eth_rxtx_callback;
struct run;

/*
 * A receive queue that splits packets. A NIC leaves the first segment empty if a packet has no such
 * header, and the last one if it has nothing behind it. Engines look for headers in the first segment,
 * and a NIC may stop at an empty Tx descriptor. An Rx callback, so that loops of other queues have no
 * code for it.
 */
struct run_split_queue {
	uint16_t port, queue;
	uint64_t own; /* bits of ol_flags that describe a segment, not the packet */
	const struct rte_eth_rxtx_callback *callback; /* NULL: not active */
};

/* Return whether a receive queue was set up to split packets. */
bool run_split_splits(const struct port *p, uint16_t queue);

/*
 * Begin on all receive queues of the run's streams that split packets, before their lcores receive.
 * Errors: ENOTSUP: DPDK was built without Rx callbacks; ENOMEM; then it is active nowhere. Thread:
 * control, for all of this file.
 */
int run_split_begin(struct run *r, struct err *e);

/* End it, after the workers. */
void run_split_end(struct run *r);
