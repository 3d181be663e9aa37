/* Chooses the worker for a packet's flow by the NIC's RSS hash, or by a software hash over the same
 * fields. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct rte_mbuf;

/*
 * Store in which[k] the worker, 0..n_workers-1, for pkts[k]; all packets of a flow get the same
 * worker. n_workers: 1..256.
 */
void ring_flow_workers(struct rte_mbuf *const *pkts, uint16_t n, unsigned int n_workers,
	uint8_t *which);
