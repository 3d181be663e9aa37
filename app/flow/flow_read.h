/* Flow rules from testpmd's words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "flow/flow_reader.h"
#include "flow/flow_rule.h"

struct err;

/*
 * Read "[group N] [priority N] [ingress] [egress] [transfer] pattern ITEM [/ ITEM] / end actions
 * ACTION [/ ACTION] / end" into rule, zeroed. EINVAL, ERANGE, E2BIG at the word. Thread: control.
 */
int flow_read(struct flow_reader *r, const struct flow_defaults *defaults, struct flow_rule *rule,
	struct err *e);

/* Read "ACTION [/ ACTION] / end", or "end" alone, into the rule's actions. Errors as above. */
int flow_read_actions(struct flow_reader *r, const struct flow_defaults *defaults,
	struct flow_rule *rule, struct err *e);
