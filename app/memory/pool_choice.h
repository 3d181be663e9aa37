/* Choose the mempool driver of the packet pools when the user did not: ask the drivers of the ports
 * that will receive into them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "memory/pool_memory.h"

#include <rte_mempool.h>

#include <stdbool.h>
#include <stdint.h>

enum { POOL_CHOICE_WHY = 160 };

/* A mempool driver, and why it was chosen. */
struct pool_choice {
	char ops[RTE_MEMPOOL_OPS_NAMESIZE];
	char why[POOL_CHOICE_WHY];
	bool by_ports; /* the ports' answers led to another driver than the default */
};

/* The pools for which to choose, and their users. */
struct pool_choice_ask {
	const char *setting;  /* of mbuf-pool-ops */
	const uint16_t *port; /* ports that will receive into the pools: port[0..n_ports) */
	unsigned int n_ports;
	const uint16_t *sizes; /* of buffers, 0: no pool: sizes[0..n_sizes) */
	unsigned int n_sizes;
	enum pool_alloc how;
};

/*
 * Choose the mempool driver of pools. The setting is the choice, unless it is "default"; then EAL's
 * --mbuf-pool-ops-name is. Otherwise every port is asked about every driver that has locks and can
 * make such pools (rte_eth_dev_pool_ops_supported()). Of those that all ports support, the one that most ports
 * prefer is chosen. Ties go to EAL's default, then to the first in the order of pool_ops_at(). If
 * no port prefers one, EAL's default remains, unless a port does not support it; then the first
 * driver that all support. If there is no such driver, EAL's default remains, and the ports that do
 * not support it are refused when they start. Thread: control.
 */
void pool_choose(const struct pool_choice_ask *ask, struct pool_choice *choice);
