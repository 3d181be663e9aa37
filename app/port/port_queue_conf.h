/* What a queue will be set up with: the port's settings, and what was asked of the queue itself. */
#pragma once

#include <rte_ethdev.h>

#include <stdint.h>

struct port;
struct ports;

/*
 * A queue's configuration as the next set-up would use it, and its descriptors, 0: the driver's
 * choice.
 */
void port_rxconf(const struct port *p, uint16_t queue, struct rte_eth_rxconf *conf,
	uint16_t *descriptors);
void port_txconf(const struct port *p, uint16_t queue, struct rte_eth_txconf *conf,
	uint16_t *descriptors);

/*
 * Rx and Tx descriptors of all queues of all ports, by the settings of now: what the pools must
 * hold.
 */
uint64_t port_descriptors(const struct ports *ps);
