/* Turn settings into a device's configuration, and configure the device and its queues by it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_ethdev.h>

#include <stdint.h>

struct err;
struct port;
struct ports;

/* Bytes of a frame beside its MTU, as the device counts them. */
uint32_t port_setup_overhead(const struct port *p);

/* RTE_ETH_RSS_* that the settings or `port config all rss` ask of ports with several queues. */
uint64_t port_setup_rss(const struct ports *ps);

/*
 * Take the settings over into conf and queues of a port that was not prepared yet; else nothing.
 * ERANGE for a setting that the port cannot, what the driver said.
 */
int port_setup_prepare(struct ports *ps, struct port *p, struct err *e);

/*
 * The port, prepared and stopped. NULL with e filled: ENODEV; EBUSY for a started one, as testpmd,
 * which does not even show some settings of it; as port_setup_prepare().
 */
struct port *port_setup_stopped(struct ports *ps, uint16_t id, struct err *e);

/* ERANGE in testpmd's words unless the port could have n of what: "rxq", "txq", "rxd" or "txd". */
int port_setup_check(const struct port *p, const char *what, uint64_t n, struct err *e);

/*
 * ERANGE unless packets joined in hardware (offload tcp_lro) may have so many bytes; 0: the
 * driver's choice.
 */
int port_setup_check_lro(const struct port *p, uint64_t bytes, struct err *e);

/* Configure the device unless that is done. Port prepared and stopped. */
int port_setup_device(struct ports *ps, struct port *p, struct err *e);
/* Set the queues of a configured device up unless that is done. */
int port_setup_queues(struct ports *ps, struct port *p, struct err *e);
/*
 * Refuse a mempool driver that the port's driver does not take: some take only their own. EOPNOTSUPP
 * with the names of those that it does take.
 */
int port_setup_pool_check(const struct port *p, const char *ops, struct err *e);

/* Set one queue up. */
int port_setup_rxq(struct ports *ps, struct port *p, uint16_t queue, struct err *e);
int port_setup_txq(struct ports *ps, struct port *p, uint16_t queue, struct err *e);

/* Promiscuous mode is the default: switch it on, once. A driver that cannot is warned about. */
void port_setup_promiscuous(struct ports *ps, struct port *p);

/*
 * A queue's configuration as the next set-up would use it, and its descriptors, 0: the driver's
 * choice.
 */
void port_rxconf(const struct port *p, uint16_t queue, struct rte_eth_rxconf *conf,
	uint16_t *descriptors);
void port_txconf(const struct port *p, uint16_t queue, struct rte_eth_txconf *conf,
	uint16_t *descriptors);

/* Descriptors of a queue by the settings of now: the driver's default where they leave it to it. */
uint16_t port_setup_descriptors(const struct port *p, bool rx, uint16_t queue);

/*
 * Rx and Tx descriptors of all queues of all ports, by the settings of now: what the pools must
 * hold.
 */
uint64_t port_descriptors(const struct ports *ps);
