/* rte_eth_recycle_mbufs() of DPDK 23.11 and newer, carried out by pairs of recycle.h instead of the
 * drivers' own callbacks. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/recycle.h"

#include <stdbool.h>
#include <stdint.h>

struct err;

enum { RECYCLE_ETHDEV_MAX = 64 }; /* pairs at a time */

/*
 * From now on rte_eth_recycle_mbufs() moves nothing out of this started port, and nothing into it,
 * but by pairs that are served; its driver's callbacks, which may be of functions that no longer
 * run, are put aside. To be called after each start of the port: ethdev forgets. Where the other
 * port is not taken, its driver's callback and this driver's go on as before. Errors: ENOTSUP
 * before DPDK 23.11. Thread: control, all of this file; while no lcore calls
 * rte_eth_recycle_mbufs() for the port.
 */
int recycle_ethdev_take(uint16_t port, struct err *e);

/* The driver's callbacks are back, if it had any; a port that is not taken is fine. */
void recycle_ethdev_leave(uint16_t port);

/*
 * From now on rte_eth_recycle_mbufs() for the pair's two queues, with what
 * rte_eth_recycle_rx_queue_info_get() said of its Rx queue, is recycle_run(r), and returns the
 * mbufs moved. Takes both ports. The pair stays the caller's: recycle_ethdev_drop() it before
 * recycle_unbind(), and after its ports were stopped. Errors: ENOTSUP as above, for drivers that do
 * not tell of their Rx queue, and for a pair that stands no longer; EEXIST when a pair of these two
 * queues is served, ENOSPC. Nothing is changed then.
 */
int recycle_ethdev_serve(struct recycle *r, struct err *e);

/* No longer: nothing is moved between its queues now. A pair that is not served is fine. */
void recycle_ethdev_drop(const struct recycle *r);

/*
 * Whether rte_eth_recycle_mbufs() would be carried out by the pair: both ports are taken and were
 * not started since. Thread: any.
 */
bool recycle_ethdev_serves(const struct recycle *r);
