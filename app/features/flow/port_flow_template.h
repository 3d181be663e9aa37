/* Templates of rules and tables of templates: a driver prepares them to create rules quickly. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_rule.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Show a driver's resources for queues of operations; configure said.queues queues with said.queue
 * and said.port. Errors of all functions: ENODEV, ENOENT, EEXIST, E2BIG; the driver's error, in
 * testpmd's words. Thread: control, for all of this file.
 */
int port_flow_template_info(struct ports *ps, uint16_t id, struct err *e);
int port_flow_template_configure(struct ports *ps, uint16_t id, const struct flow_rule *rule,
	struct err *e);

/*
 * Create a template of rule's items, or of its actions and masks; create a table of the templates
 * said.number and said.other. JSON: {"number"}.
 */
int port_flow_template_pattern(struct ports *ps, uint16_t id, const struct flow_rule *rule,
	struct err *e);
int port_flow_template_actions(struct ports *ps, uint16_t id, const struct flow_rule *rule,
	struct err *e);
int port_flow_template_table(struct ports *ps, uint16_t id, const struct flow_rule *rule,
	struct err *e);

/* Resize a resizable table to a number of rules; complete this after its rules were moved. */
int port_flow_template_resize(struct ports *ps, uint16_t id, uint32_t table, uint32_t rules,
	struct err *e);
int port_flow_template_resized(struct ports *ps, uint16_t id, uint32_t table, struct err *e);

/*
 * Show the NIC's hash for a packet with rule's items: for a table and the index of one of its
 * pattern templates; for a tunnel header's source port or NVGRE flow ID. JSON: {"hash"}.
 */
int port_flow_template_hash(struct ports *ps, uint16_t id, uint32_t table, uint8_t pattern,
	const struct flow_rule *rule, struct err *e);
int port_flow_template_encap_hash(struct ports *ps, uint16_t id, bool source_port,
	const struct flow_rule *rule, struct err *e);

/* Set the actions for packets that no rule of a group matches. */
int port_flow_template_miss(struct ports *ps, uint16_t id, const struct rte_flow_attr *group,
	const struct flow_rule *rule, struct err *e);
