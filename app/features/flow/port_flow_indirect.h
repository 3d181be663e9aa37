/* Indirect actions of a port: shared by rules, updated and queried by number. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_rule.h"

#include <rte_flow.h>

#include <stdbool.h>
#include <stdint.h>

struct out;
union port_flow_indirect_stats;

/* Show a query's result; type: enum rte_flow_action_type. */
void port_flow_indirect_show(struct out *o, int type, const union port_flow_indirect_stats *f);

/* The driver's argument for an update of an action of this type; mark: storage for it. */
const void *port_flow_indirect_change(int type, const struct rte_flow_action *action,
	struct rte_flow_update_meter_mark *mark);
