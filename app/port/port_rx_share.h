/* Shared Rx queues of the ports of one switch: the group of a queue, and whether two queues are
 * the same. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct port;
struct rte_eth_rxconf;

/*
 * Put a queue into the share group that --rxq-share assigns to its port, if the driver supports
 * shared Rx queues: equal queue numbers of the consecutive ports of a group are one queue. Thread:
 * control, all of this file.
 */
void port_rx_share_conf(const struct port *p, uint16_t queue, struct rte_eth_rxconf *conf);

/* True if the two queues are one shared queue. */
bool port_rx_share_same(const struct port *a, uint16_t a_queue, const struct port *b,
	uint16_t b_queue);
