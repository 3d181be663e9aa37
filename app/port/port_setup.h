/* Derive a device's configuration from the settings, and configure the device and its queues. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_ethdev.h>

#include <stdbool.h>
#include <stdint.h>

struct err;
struct port;
struct ports;
struct rte_eth_rxconf;

/* Shared Rx queues of the ports of one switch: the group of a queue, and whether two queues are
 * the same. */

/* True if the two queues are one shared queue. */
bool port_rx_share_same(const struct port *a, uint16_t a_queue, const struct port *b,
	uint16_t b_queue);

/* Return the difference in bytes between frame length and MTU, as the device counts it. */
uint32_t port_setup_overhead(const struct port *p);

/* Return the RTE_ETH_RSS_* mask of the settings or of `port config all rss`. */
uint64_t port_setup_rss(const struct ports *ps);

/*
 * Copy the settings to conf and queues of a port, unless that was done before. Errors: ERANGE the
 * port does not support a setting; errors of the driver.
 */
int port_setup_prepare(struct ports *ps, struct port *p, struct err *e);

/*
 * Return a stopped port, prepared. Returns NULL with e filled: ENODEV; EBUSY the port is started
 * (testpmd refuses even to show some settings then); as port_setup_prepare().
 */
struct port *port_setup_stopped(struct ports *ps, uint16_t id, struct err *e);

/*
 * Store the RTE_ETH_LINK_SPEED_* bits of a speed in Mbit/s ("10000", "auto") and of a duplex
 * ("half", otherwise full). Errors: EINVAL; ENOSYS a speed that this DPDK release does not have.
 */
int port_setup_speed(const char *speed, const char *duplex, uint32_t *bits, struct err *e);

/* The numbers that all ports have in common, in the order of the words of port config all. */
enum port_number { PORT_RXQ, PORT_TXQ, PORT_RXD, PORT_TXD, PORT_NUMBERS };
struct port_number_row {
	const char *setting;
	bool rx, queues; /* queues: of queues per port, otherwise of descriptors per queue */
};
extern const struct port_number_row port_numbers[PORT_NUMBERS];

/*
 * Return -ERANGE, or -EINVAL for the alignment, with testpmd's message unless the port supports n
 * queues or descriptors.
 */
int port_setup_check(const struct port *p, enum port_number which, uint64_t n, struct err *e);

/*
 * Return -ERANGE unless the port supports LRO packets (offload tcp_lro) of that many bytes; 0, the
 * driver's choice, is always accepted.
 */
int port_setup_check_lro(const struct port *p, uint64_t bytes, struct err *e);

/* Configure the device unless its configuration is up to date. Port prepared and stopped. */
int port_setup_device(struct ports *ps, struct port *p, struct err *e);
/* Set up the queues of a configured device unless they are up to date. */
int port_setup_queues(struct ports *ps, struct port *p, struct err *e);
/*
 * Return -EOPNOTSUPP, with the list of supported mempool drivers in e, if the port's driver does
 * not support ops: some drivers support only their own mempool driver.
 */
int port_setup_pool_check(const struct port *p, const char *ops, struct err *e);

/* Set up one queue. Errors: of the driver; no pool. */
int port_setup_rxq(struct ports *ps, struct port *p, uint16_t queue, struct err *e);
int port_setup_txq(struct ports *ps, struct port *p, uint16_t queue, struct err *e);

/* Enable promiscuous mode, the default, once per port. Prints a warning if the driver fails. */
void port_setup_promiscuous(struct ports *ps, struct port *p);

/*
 * Fill conf and *descriptors (0: the driver's choice) with the values for the next setup of the
 * queue.
 */
void port_rxconf(const struct port *p, uint16_t queue, struct rte_eth_rxconf *conf,
	uint16_t *descriptors);
void port_txconf(const struct port *p, uint16_t queue, struct rte_eth_txconf *conf,
	uint16_t *descriptors);
