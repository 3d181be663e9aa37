/* VLAN offloads of ports: strip, filter and insert tags in hardware. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct app;
struct args;
struct err;
struct ports;

/* Handlers of commands. */

/* Switch a receive VLAN offload of <port>; <what>: strip, filter, extend or qinq_strip. */
int port_vlan_offload(struct app *app, const struct args *a, struct err *e);
/* Switch VLAN stripping of one queue; <where>: port and queue. */
int port_vlan_stripq(struct app *app, const struct args *a, struct err *e);
/* Add <vlan> (0..4095), or all, to the VLAN filter of <port>, or remove it (<what>). */
int port_vlan_filter(struct app *app, const struct args *a, struct err *e);
int port_vlan_filter_all(struct app *app, const struct args *a, struct err *e);
/*
 * Set the tags <vlan> and optionally <outer> that the hardware inserts into transmitted frames,
 * 0..65535: the VLAN in the lower twelve bits, the priority above. <port> must be stopped.
 */
int port_vlan_insert(struct app *app, const struct args *a, struct err *e);

/* Insert no tags into the frames of a stopped port. */
int port_vlan_insert_off(struct ports *ps, uint16_t id, struct err *e);

/* Set the EtherType <tpid> (0..65535) of inner or outer (<which>) tags of <port>. */
int port_vlan_tpid(struct ports *ps, const struct args *a, struct err *e);
/*
 * Insert a tag <vlan> (priority in its upper four bits) into all frames that <port> transmits, or
 * stop it (<state>).
 */
int port_vlan_pvid(struct ports *ps, const struct args *a, struct err *e);
