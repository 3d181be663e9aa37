/* MAC addresses of ports: own, additional, multicast, the peer's; promiscuous and all-multicast
 * mode. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;
struct rte_ether_addr;

/* Unicast addresses, at once; what: "add", "remove", or "set" for the port's own. */
int port_mac_change(struct ports *ps, uint16_t id, const char *what,
	const struct rte_ether_addr *mac, struct err *e);
/* Multicast addresses that the port receives, at once. EADDRINUSE, EADDRNOTAVAIL. */
int port_mac_multicast(struct ports *ps, uint16_t id, bool add, const struct rte_ether_addr *mac,
	struct err *e);
/* Receive none of them any more, at once. */
int port_mac_multicast_flush(struct ports *ps, uint16_t id, struct err *e);
/*
 * Let unicast frames to an address through the port's hash filter, or no longer; mac NULL: to all
 * of them. At once.
 */
int port_mac_hash(struct ports *ps, uint16_t id, const struct rte_ether_addr *mac, bool on,
	struct err *e);
/* Where frames sent from the port go; text: "02:00:00:00:00:01". Not while forwarding. */
int port_mac_peer(struct ports *ps, uint16_t id, const char *text, struct err *e);

/* Receive everything; receive all multicast. Port or PORT_ALL. */
int port_promiscuous(struct ports *ps, uint16_t id, bool on, struct err *e);
int port_allmulticast(struct ports *ps, uint16_t id, bool on, struct err *e);
