/* Bonding ports: one port of several, by net_bonding; members start and stop with it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_ether.h>

#include <stdbool.h>
#include <stdint.h>

struct err;
struct port_feature;
struct ports;

/*
 * Make a bonding port without members, stopped. mode: 0..6. JSON: {"device", "port"}. Errors of all:
 * -ENODEV; -ENOTSUP net_bonding is not there, or another driver's port; what it returned, in
 * testpmd's words. Thread: control, all of this file.
 */
int port_bond_create(struct ports *ps, uint8_t mode, uint8_t socket, struct err *e);

/*
 * Add a member or take it away. What the bonding port can changes with it; a member leaves
 * forwarding, and its port is started and stopped by the other.
 */
int port_bond_member(struct ports *ps, uint16_t id, uint16_t member, bool add, struct err *e);

enum port_bond_op {
	PORT_BOND_MODE,       /* mode; port stopped */
	PORT_BOND_PRIMARY,    /* member */
	PORT_BOND_POLICY,     /* 0 l2, 1 l2 and l3, 2 l3 and l4 */
	PORT_BOND_PERIOD,     /* ms between looks at members' links */
	PORT_BOND_AGGREGATOR, /* 0 bandwidth, 1 count, 2 stable */
};

/* Do it. Errors as above, and -EBUSY a port that is not stopped. */
int port_bond_do(struct ports *ps, uint16_t id, enum port_bond_op op, uint32_t value,
	struct err *e);

/* The MAC address of all of it. */
int port_bond_mac(struct ports *ps, uint16_t id, const struct rte_ether_addr *mac, struct err *e);

/* Queues of their own for LACP's packets; port stopped. */
int port_bond_dedicated(struct ports *ps, uint16_t id, bool on, struct err *e);

/*
 * JSON: {"mode", "policy", "aggregator", "members": [], "active": [], "primary"}, what of it the
 * mode has; of LACP: {"port", its periods in ms, "members": [{...}]}.
 */
int port_bond_show(struct ports *ps, uint16_t id, struct err *e);
int port_bond_lacp_show(struct ports *ps, uint16_t id, struct err *e);

/* Members start and stop with their port; when it closes they are ports again. */
extern const struct port_feature port_feature_bond;
