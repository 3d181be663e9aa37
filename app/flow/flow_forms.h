/* Actions whose words are more than fields with values: rss, color. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "flow/flow_part.h"
#include "flow/flow_reader.h"
#include "flow/flow_rule.h"

/* Read the words of such an action into its struct, which is zeroed. As flow_read(). */
int flow_form_read(struct flow_reader *r, const struct flow_part *part,
	const struct flow_defaults *defaults, struct flow_rule *rule, void *conf, struct err *e);
