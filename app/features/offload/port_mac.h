/* MAC addresses of ports: own, additional, multicast, the peer's; promiscuous and all-multicast
 * mode. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct app;
struct args;
struct err;
struct ports;

/* Handlers of commands. Errors of all of them: -ENODEV; the driver's error. Thread: control. */

/* Change unicast addresses of <port>; <what>: add or remove <mac>, or set the port's own. */
int port_mac_change(struct app *app, const struct args *a, struct err *e);
/* Add or remove (<what>) a multicast <mac> that <port> receives. EADDRINUSE, EADDRNOTAVAIL. */
int port_mac_multicast(struct app *app, const struct args *a, struct err *e);
/* Set the destination <mac>, as text, of frames sent by <port>. EBUSY while forwarding. */
int port_mac_peer(struct app *app, const struct args *a, struct err *e);
/* Switch promiscuous mode; all-multicast mode, of <port> or PORT_ALL. */
int port_promiscuous(struct app *app, const struct args *a, struct err *e);
int port_allmulticast(struct app *app, const struct args *a, struct err *e);

/* Remove all multicast addresses. */
int port_mac_multicast_flush(struct ports *ps, uint16_t id, struct err *e);
/* Add <mac>, or all addresses, to the unicast hash filter of <port>, or remove it (<state>). */
int port_mac_hash(struct ports *ps, const struct args *a, struct err *e);
