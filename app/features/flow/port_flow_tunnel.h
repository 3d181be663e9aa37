/* Tunnel offload: items and actions that a driver adds to rules with tunnel_set or tunnel_match. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_rule.h"

#include <stdint.h>

struct app;
struct args;
struct err;
struct ports;

/*
 * Create a tunnel of a type: vxlan, gre, nvgre or geneve. If there is one of this type already,
 * return it. JSON: {"tunnel"}. ENODEV, EINVAL. Thread: control, for all of this file.
 */
int port_flow_tunnel_create(struct app *app, const struct args *a, struct err *e);

/* Destroy a tunnel, ENOENT; list all, JSON: {"tunnels": [{"tunnel", "type"}]}. */
int port_flow_tunnel_destroy(struct app *app, const struct args *a, struct err *e);
int port_flow_tunnel_list(struct ports *ps, uint16_t id, struct err *e);

/* The driver's actions and items in front of a rule's own. */
struct port_flow_tunnel_parts {
	struct rte_flow_action *action;
	struct rte_flow_item *item;
	uint32_t n_actions, n_items;
};

/*
 * Add the driver's parts to a rule with tunnel_set or tunnel_match; release them once the rule is
 * created. ENOENT no such tunnel; E2BIG; the driver's error. After an error there is nothing to
 * release.
 */
int port_flow_tunnel_add(struct ports *ps, uint16_t id, struct flow_rule *rule,
	struct port_flow_tunnel_parts *parts, struct err *e);
void port_flow_tunnel_release(uint16_t id, struct port_flow_tunnel_parts *parts);

/* Show the port that manages the transfer rules of a port's switch. */
int port_flow_tunnel_proxy(struct ports *ps, uint16_t id, struct err *e);
