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
 * Replace a started port's recycling callbacks: from now on rte_eth_recycle_mbufs() moves mbufs
 * into or out of the port only by served pairs. Call it after each start of the port, since ethdev
 * resets the callbacks. If the other port of a call is not taken, the two drivers' callbacks are
 * used as before. Errors: ENOTSUP before DPDK 23.11. Thread: control, as all functions of this
 * file, while no lcore calls rte_eth_recycle_mbufs() for the port.
 */
int recycle_ethdev_take(uint16_t port, struct err *e);

/* Restore the driver's callbacks; does nothing for a port that is not taken. */
void recycle_ethdev_leave(uint16_t port);

/*
 * Let rte_eth_recycle_mbufs() for the pair's two queues call recycle_run(r). The caller of
 * rte_eth_recycle_mbufs() passes what rte_eth_recycle_rx_queue_info_get() returned for the Rx
 * queue. Takes both ports. The caller keeps the pair and calls recycle_ethdev_drop() before
 * recycle_unbind() and after its ports were stopped. Errors, which change nothing: ENOTSUP before
 * DPDK 23.11, if the driver does not describe its Rx queue, or if a port was reconfigured since the
 * pair was bound; EEXIST if a pair of these two queues is served; ENOSPC.
 */
int recycle_ethdev_serve(struct recycle *r, struct err *e);

/* Stop serving the pair; nothing is moved between its queues then. Does nothing if not served. */
void recycle_ethdev_drop(const struct recycle *r);

/*
 * True if rte_eth_recycle_mbufs() would use the pair: both ports are taken and were not started
 * since. Thread: any.
 */
bool recycle_ethdev_serves(const struct recycle *r);
