/* Actions that add or remove a tunnel header, using the presets. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_part.h"
#include "features/flow/language/flow_presets.h"

struct err;

/* Build packet headers from items and their values. */

/*
 * Concatenate the headers of items[0..n). Values come from spec, or without spec from the item's
 * default mask. Types of next headers are filled in from the next item. h is written only on
 * success. ENOTSUP: an item is not a header; EINVAL, E2BIG. Thread: control.
 */
int flow_headers_build(const struct rte_flow_item *items, unsigned int n, struct flow_headers *h,
	struct err *e);

/* Fill struct rte_flow_action_vxlan_encap or _nvgre_encap (same layout) with items of the
 * preset. */
int flow_outer_items(struct words *r, const struct flow_part *part, struct flow_rule *rule,
	void *conf, struct err *e);

/* Fill struct rte_flow_action_raw_encap or _raw_decap with the bytes of the part's preset. */
int flow_outer_bytes(struct words *r, const struct flow_part *part, struct flow_rule *rule,
	void *conf, struct err *e);

/* Fill struct rte_flow_action_raw_encap or _raw_decap from "set raw_encap|raw_decap": "index N"
 * (default 0). */
int flow_outer_raw(struct words *r, const struct flow_part *part, struct flow_rule *rule,
	void *conf, struct err *e);
