/* MAC addresses of ports: own, additional, multicast, the peer's; promiscuous and all-multicast
 * mode. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;
struct rte_ether_addr;

/* Change unicast addresses; what: "add", "remove", or "set" for the port's own. */
int port_mac_change(struct ports *ps, uint16_t id, const char *what,
	const struct rte_ether_addr *mac, struct err *e);
/* Add or remove a multicast address that the port receives. EADDRINUSE, EADDRNOTAVAIL. */
int port_mac_multicast(struct ports *ps, uint16_t id, bool add, const struct rte_ether_addr *mac,
	struct err *e);
/* Remove all multicast addresses. */
int port_mac_multicast_flush(struct ports *ps, uint16_t id, struct err *e);
/*
 * Add an address to the port's unicast hash filter, or remove it; mac NULL: all addresses.
 */
int port_mac_hash(struct ports *ps, uint16_t id, const struct rte_ether_addr *mac, bool on,
	struct err *e);
/* Set the destination of frames sent by the port; text: "02:00:00:00:00:01". Not while
 * forwarding. */
int port_mac_peer(struct ports *ps, uint16_t id, const char *text, struct err *e);

/* Switch promiscuous mode; all-multicast mode. id: a port or PORT_ALL. */
int port_promiscuous(struct ports *ps, uint16_t id, bool on, struct err *e);
int port_allmulticast(struct ports *ps, uint16_t id, bool on, struct err *e);
