/* A pair whose mbufs are moved by DPDK's rte_eth_recycle_mbufs(), for comparison. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct err;
struct recycle;

/*
 * Check that this DPDK has rte_eth_recycle_mbufs(). Returns 0, or -ENOTSUP before 23.11. Thread:
 * any.
 */
int pair_ethdev_there(struct err *e);

/*
 * Run a pair by rte_eth_recycle_mbufs(). force: ignore known bugs of the drivers' callbacks, and
 * queues that the shims do not know; otherwise callbacks with a known bug are refused. Errors:
 * ENOTSUP, ENOMEM. recycle_unbind() frees what this allocates. Thread: any.
 */
int pair_ethdev_bind(struct recycle *r, bool force, struct err *e);
