/* Rx queues that ports of one switch share: which group a queue is in, and which queues are one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct port;
struct rte_eth_rxconf;

/*
 * Put a queue into the group that --rxq-share gives its port, where the driver can share: queues
 * of the same number of so many ports that follow each other are one. Thread: control, all of this
 * file.
 */
void port_rx_share_conf(const struct port *p, uint16_t queue, struct rte_eth_rxconf *conf);

/* True when the two queues are one shared queue. */
bool port_rx_share_same(const struct port *a, uint16_t a_queue, const struct port *b,
	uint16_t b_queue);
