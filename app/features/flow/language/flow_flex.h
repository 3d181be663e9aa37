/* Description of a flex item, a custom header, read from a file. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_rule.h"

#include <rte_flow.h>

struct err;

enum { FLOW_FLEX_SAMPLES = 16, FLOW_FLEX_LINKS = 16 }; /* testpmd's limits */

struct flow_flex {
	struct rte_flow_item_flex_conf conf; /* points to the following members */
	struct rte_flow_item_flex_field sample[FLOW_FLEX_SAMPLES];
	struct rte_flow_item_flex_link input[FLOW_FLEX_LINKS], output[FLOW_FLEX_LINKS];
	struct flow_rule items; /* of the links */
};

/*
 * Read testpmd's JSON, {"next_header": {"field_mode": "FIELD_MODE_FIXED", "field_size": 32},
 * "sample_data": [...], "input_link": [{"item": "eth type is 0x8942", "next": 1}], ...}, into f,
 * which must be zeroed. EINVAL, E2BIG with line and column. Thread: control.
 */
int flow_flex_read(const char *text, const struct flow_defaults *defaults, struct flow_flex *f,
	struct err *e);
