/* Keep the promise of the offload mbuf_fast_free: all packets in a Tx ring are of one pool. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct rte_mempool;
struct run;

/*
 * Before a run, restart ports so that no Tx queue with mbuf_fast_free gets packets of two pools:
 *
 * - Without mbuf_fast_free, if the run sends packets of several pools by one of the port's queues.
 * - With mbuf_fast_free again, if it was switched off for an earlier run and this one needs not.
 * - Unchanged, to empty the Tx rings, if packets of an earlier run are of another pool.
 *
 * Prints a line per restarted port. tx_first: the run begins with packets that are created. Errors:
 * those of run_plan() and of the ports; then a port's offloads are as before. Thread: control, for
 * all of this file.
 */
int run_fast_free_prepare(struct run *r, bool tx_first, struct err *e);

/* Record that packets of the pool may be in the ring of a queue until its port restarts. */
void run_fast_free_sent(const struct run *r, uint16_t port, uint16_t queue,
	const struct rte_mempool *pool);
