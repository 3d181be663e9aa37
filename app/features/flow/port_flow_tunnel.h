/* Tunnels that drivers know for rules: what they add to a rule that a tunnel ends at, or that follows it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_rule.h"

#include <stdint.h>

struct err;
struct ports;

/*
 * Make a tunnel of a type: vxlan, gre, nvgre, geneve; there is one of each, which keeps its number. JSON: {"tunnel"}.
 * ENODEV, EINVAL. Thread: control, all of this file.
 */
int port_flow_tunnel_create(struct ports *ps, uint16_t id, const char *type, struct err *e);

/* Take one away: ENOENT. Show them; JSON: {"tunnels": [{"tunnel", "type"}]}. */
int port_flow_tunnel_destroy(struct ports *ps, uint16_t id, uint32_t number, struct err *e);
int port_flow_tunnel_list(struct ports *ps, uint16_t id, struct err *e);

/* What a driver has put before a rule's actions and items. */
struct port_flow_tunnel_parts {
	struct rte_flow_action *action;
	struct rte_flow_item *item;
	uint32_t n_actions, n_items;
};

/*
 * Put them before, where rule says tunnel_set or tunnel_match; the driver gets them back, once the rule
 * is made. ENOENT no such tunnel; E2BIG; what the driver says, none then is to be given back.
 */
int port_flow_tunnel_add(struct ports *ps, uint16_t id, struct flow_rule *rule,
	struct port_flow_tunnel_parts *parts, struct err *e);
void port_flow_tunnel_release(uint16_t id, struct port_flow_tunnel_parts *parts);

/* Show which port manages rules between the ports of a switch. */
int port_flow_tunnel_proxy(struct ports *ps, uint16_t id, struct err *e);
