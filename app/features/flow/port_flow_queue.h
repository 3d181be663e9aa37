/* Operations on rules and indirect actions in a port's queues (enqueue, push, pull results), and the templates that prepare them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_rule.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct port;
struct ports;

/* A queue of a port. */
struct port_flow_queue {
	uint16_t port;
	uint32_t queue;
};

/*
 * Enqueue the creation of a rule in a table; templates: indexes within the table. The rule is in
 * the port's list immediately. JSON: {"flow"}. Errors of all functions: ENODEV; ENOENT no such
 * queue, table, template, rule or action; the driver's error, in testpmd's words. Thread: control,
 * for all of this file.
 */
int port_flow_queue_create(struct ports *ps, const struct port_flow_queue *q, bool postpone,
	uint32_t table, const uint8_t templates[2], struct flow_rule *rule, struct err *e);

/*
 * Enqueue an update of a rule's actions, by the index of the actions template in its table; enqueue
 * its move in a resized table. ENOTSUP needs DPDK 23.07; 24.03.
 */
int port_flow_queue_update(struct ports *ps, const struct port_flow_queue *q, bool postpone,
	uint32_t number, uint8_t template, struct flow_rule *rule, struct err *e);
int port_flow_queue_update_resized(struct ports *ps, const struct port_flow_queue *q,
	uint32_t number, struct err *e);

/* Enqueue the destruction of the rules said.number. */
int port_flow_queue_destroy(struct ports *ps, const struct port_flow_queue *q,
	const struct flow_rule *rule, struct err *e);

/* Enqueue operations on indirect actions. JSON of create: {"number"}. */
int port_flow_queue_indirect_create(struct ports *ps, const struct port_flow_queue *q,
	struct flow_rule *rule, struct err *e);
int port_flow_queue_indirect_update(struct ports *ps, const struct port_flow_queue *q,
	uint32_t number, const struct flow_rule *rule, struct err *e);
int port_flow_queue_indirect_destroy(struct ports *ps, const struct port_flow_queue *q,
	const struct flow_rule *rule, struct err *e);
int port_flow_queue_indirect_query(struct ports *ps, const struct port_flow_queue *q,
	uint32_t number, bool postpone, struct err *e);

/* Enqueue an update and query in one operation, in either order. ENOTSUP needs DPDK 23.03. */
int port_flow_queue_indirect_query_update(struct ports *ps, const struct port_flow_queue *q,
	uint32_t number, bool update_first, const struct flow_rule *rule, struct err *e);

/* Submit the enqueued operations to the NIC. */
int port_flow_queue_push(struct ports *ps, const struct port_flow_queue *q, struct err *e);

/* Collect results and show those of queries. JSON: {"operations", "failed", "succeeded"}. */
int port_flow_queue_pull(struct ports *ps, const struct port_flow_queue *q, struct err *e);

/*
 * Collect results and print only those of queries. Returns their number, or -errno; *good: the
 * number of successes. Rules and actions that were not created are removed.
 */
int port_flow_queue_end(struct ports *ps, struct port *p, uint32_t queue, unsigned int *good,
	struct err *e);

/* Templates of rules and tables of templates: a driver prepares them to create rules quickly. */

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
