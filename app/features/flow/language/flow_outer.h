/* Actions that put the header of a tunnel before packets, or take it away, as presets have it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_part.h"
#include "features/flow/language/flow_presets.h"

/* struct rte_flow_action_vxlan_encap and _nvgre_encap, which are one: items, from the preset. */
int flow_outer_items(struct words *r, const struct flow_part *part, struct flow_rule *rule,
	void *conf, struct err *e);

/* struct rte_flow_action_raw_encap or _raw_decap: bytes, from the preset of the part's name. */
int flow_outer_bytes(struct words *r, const struct flow_part *part, struct flow_rule *rule,
	void *conf, struct err *e);

/* The same from a list of headers: "index N", the first without. */
int flow_outer_raw(struct words *r, const struct flow_part *part, struct flow_rule *rule,
	void *conf, struct err *e);
