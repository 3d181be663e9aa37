/* Bonding ports of net_bonding; the members start and stop with the bonding port. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_ether.h>

#include <stdbool.h>
#include <stdint.h>

struct err;
struct port_feature;
struct ports;

/*
 * Create a bonding port without members, stopped. mode: 0..6. JSON: {"device", "port"}. Errors of
 * all functions: -ENODEV; -ENOTSUP net_bonding is missing, or the port has another driver; the
 * driver's error, in testpmd's words. Thread: control, for all of this file.
 */
int port_bond_create(struct ports *ps, uint8_t mode, uint8_t socket, struct err *e);

/*
 * Add or remove a member. This changes the bonding port's capabilities. A member does not forward;
 * the bonding port starts and stops it.
 */
int port_bond_member(struct ports *ps, uint16_t id, uint16_t member, bool add, struct err *e);

enum port_bond_op {
	PORT_BOND_MODE,       /* mode; the port must be stopped */
	PORT_BOND_PRIMARY,    /* member */
	PORT_BOND_POLICY,     /* 0 l2, 1 l2 and l3, 2 l3 and l4 */
	PORT_BOND_PERIOD,     /* ms between checks of the members' links */
	PORT_BOND_AGGREGATOR, /* 0 bandwidth, 1 count, 2 stable */
};

/* Change one property. Further error: -EBUSY the port must be stopped first. */
int port_bond_do(struct ports *ps, uint16_t id, enum port_bond_op op, uint32_t value,
	struct err *e);

/* Set the MAC address of the bonding port. */
int port_bond_mac(struct ports *ps, uint16_t id, const struct rte_ether_addr *mac, struct err *e);

/* Use separate queues for LACP packets, or not. Further error: -EBUSY the port is started. */
int port_bond_dedicated(struct ports *ps, uint16_t id, bool on, struct err *e);

/*
 * Show the configuration; JSON: {"mode", "policy", "aggregator", "members": [], "active": [],
 * "primary"}, without keys that the mode does not have. Show LACP; JSON: {"port", periods in ms,
 * "members": [{...}]}.
 */
int port_bond_show(struct ports *ps, uint16_t id, struct err *e);
int port_bond_lacp_show(struct ports *ps, uint16_t id, struct err *e);

/* Starts and stops members with their bonding port, and releases them when it closes. */
extern const struct port_feature port_feature_bond;
