/* Indirect actions of a port: shared by rules, updated and queried by number. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_rule.h"

#include <rte_flow.h>

#include <stdbool.h>
#include <stdint.h>

struct err;
struct out;
struct ports;
union port_flow_indirect_stats;

/*
 * Create an indirect action from rule's first action, JSON: {"number"}; update one by number.
 * Errors of all functions: ENODEV, ENOENT, EEXIST; the driver's error, in testpmd's words. Thread:
 * control, for all of this file.
 */
int port_flow_indirect_create(struct ports *ps, uint16_t id, struct flow_rule *rule, struct err *e);
int port_flow_indirect_update(struct ports *ps, uint16_t id, uint32_t number,
	const struct flow_rule *rule, struct err *e);

/* Destroy n indirect actions. */
int port_flow_indirect_destroy(struct ports *ps, uint16_t id, const uint32_t *number, uint32_t n,
	struct err *e);

/* Query and show an action count, age or conntrack. ENOTSUP other actions. */
int port_flow_indirect_query(struct ports *ps, uint16_t id, uint32_t number, struct err *e);

/*
 * Update and query in one operation, in either order. ENOTSUP needs DPDK 23.03.
 */
int port_flow_indirect_query_update(struct ports *ps, uint16_t id, uint32_t number,
	bool update_first, const struct flow_rule *rule, struct err *e);

/* Show a query's result; type: enum rte_flow_action_type. */
void port_flow_indirect_show(struct out *o, int type, const union port_flow_indirect_stats *f);

/* The driver's argument for an update of an action of this type; mark: storage for it. */
const void *port_flow_indirect_change(int type, const struct rte_flow_action *action,
	struct rte_flow_update_meter_mark *mark);
