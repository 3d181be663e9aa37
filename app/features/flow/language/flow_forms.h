/* Actions whose words are more than fields with values; flow_outer.h has those with headers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_part.h"

/* Each reads the words of its action into conf, which is zeroed. As flow_read(). */
int flow_form_rss(struct words *r, const struct flow_part *part, struct flow_rule *rule, void *conf,
	struct err *e);
int flow_form_sample(struct words *r, const struct flow_part *part, struct flow_rule *rule,
	void *conf, struct err *e);
int flow_form_conntrack_update(struct words *r, const struct flow_part *part,
	struct flow_rule *rule, void *conf, struct err *e);
