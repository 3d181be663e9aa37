/* Indirect actions of a port: made once, used by rules, changed and asked under their numbers. */
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
 * Make one of rule's first action; change that of a number. JSON of the former: {"number"}. Errors
 * of all: ENODEV, ENOENT, EEXIST; what the driver says, in testpmd's words. Thread: control, all of
 * this file.
 */
int port_flow_indirect_create(struct ports *ps, uint16_t id, struct flow_rule *rule, struct err *e);
int port_flow_indirect_update(struct ports *ps, uint16_t id, uint32_t number,
	const struct flow_rule *rule, struct err *e);

/* Take n away. */
int port_flow_indirect_destroy(struct ports *ps, uint16_t id, const uint32_t *number, uint32_t n,
	struct err *e);

/* Show what count, age and conntrack know. ENOTSUP: another action. */
int port_flow_indirect_query(struct ports *ps, uint16_t id, uint32_t number, struct err *e);

/*
 * Change one and show what it knows, in one, whichever is to be first. ENOTSUP: this DPDK cannot.
 */
int port_flow_indirect_query_update(struct ports *ps, uint16_t id, uint32_t number,
	bool update_first, const struct flow_rule *rule, struct err *e);

/* Show what one of that type, enum rte_flow_action_type, has told. */
void port_flow_indirect_show(struct out *o, int type, const union port_flow_indirect_stats *f);

/* What the driver is given for a change of an action of that type; mark: room for it. */
const void *port_flow_indirect_change(int type, const struct rte_flow_action *action,
	struct rte_flow_update_meter_mark *mark);
