/* Which worker of a pipeline a packet's flow belongs to: by the NIC's RSS hash, or by one over
 * the same fields. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct rte_mbuf;

/*
 * which[k]: 0..n_workers-1 for each of pkts[0..n), equal for all packets of a flow. n_workers:
 * 1..256.
 */
void ring_flow_workers(struct rte_mbuf *const *pkts, uint16_t n, unsigned int n_workers,
	uint8_t *which);
