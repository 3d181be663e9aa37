/* A pair whose mbufs DPDK's own rte_eth_recycle_mbufs() moves, for comparison. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct err;
struct recycle;

/* Whether this DPDK has the function: 0, or ENOTSUP before 23.11. Thread: any, all of this file. */
int pair_ethdev_there(struct err *e);

/*
 * Let rte_eth_recycle_mbufs() run a pair whose queues are found. force: whatever is known of the
 * drivers' callbacks, and of the queues; else the shims bound these, and callbacks that are known to
 * be wrong for them are refused. Errors: ENOTSUP, ENOMEM. recycle_unbind()
 * frees what it keeps.
 */
int pair_ethdev_bind(struct recycle *r, bool force, struct err *e);
