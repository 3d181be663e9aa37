/* Parsers of actions with more than fields and values; flow_outer.h has those with headers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_part.h"

/* Read the words of an action into conf, which must be zeroed. Errors: those of flow_read(). */
int flow_form_rss(struct words *r, const struct flow_part *part, struct flow_rule *rule, void *conf,
	struct err *e);
int flow_form_sample(struct words *r, const struct flow_part *part, struct flow_rule *rule,
	void *conf, struct err *e);
int flow_form_conntrack_update(struct words *r, const struct flow_part *part,
	struct flow_rule *rule, void *conf, struct err *e);
