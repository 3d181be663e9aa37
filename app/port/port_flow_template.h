/* Templates of rules and tables of them: what a driver prepares so that rules are made fast. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "flow/flow_rule.h"

#include <stdint.h>

struct err;
struct ports;

/*
 * Show what a driver has for queues of operations; give them to it: said.queues of them with said.queue, and
 * said.port. Errors of all: ENODEV, ENOENT, EEXIST, E2BIG; what the driver says, in testpmd's words. Thread:
 * control, all of this file.
 */
int port_flow_template_info(struct ports *ps, uint16_t id, struct err *e);
int port_flow_template_configure(struct ports *ps, uint16_t id, const struct flow_rule *rule,
	struct err *e);

/*
 * Make a template of rule's items, or of its actions with their masks; a table of templates,
 * said.number and said.other. JSON: {"number"}.
 */
int port_flow_template_pattern(struct ports *ps, uint16_t id, const struct flow_rule *rule,
	struct err *e);
int port_flow_template_actions(struct ports *ps, uint16_t id, const struct flow_rule *rule,
	struct err *e);
int port_flow_template_table(struct ports *ps, uint16_t id, const struct flow_rule *rule,
	struct err *e);
