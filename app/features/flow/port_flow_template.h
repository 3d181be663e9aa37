/* Templates of rules and tables of them: what a driver prepares so that rules are made fast. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_rule.h"

#include <stdbool.h>
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

/* Make room in a table, that is resizable, for so many rules; end that, when old ones have moved. */
int port_flow_template_resize(struct ports *ps, uint16_t id, uint32_t table, uint32_t rules,
	struct err *e);
int port_flow_template_resized(struct ports *ps, uint16_t id, uint32_t table, struct err *e);

/*
 * What the NIC would compute of a packet with rule's items: its hash in a table, for the pattern
 * template of that place there; a tunnel's source port, or NVGRE's flow identifier. JSON: {"hash"}.
 */
int port_flow_template_hash(struct ports *ps, uint16_t id, uint32_t table, uint8_t pattern,
	const struct flow_rule *rule, struct err *e);
int port_flow_template_encap_hash(struct ports *ps, uint16_t id, bool source_port,
	const struct flow_rule *rule, struct err *e);

/* Let rule's actions be done with packets that no rule of a group takes. */
int port_flow_template_miss(struct ports *ps, uint16_t id, const struct rte_flow_attr *group,
	const struct flow_rule *rule, struct err *e);
