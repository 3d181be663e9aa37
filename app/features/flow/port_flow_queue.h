/* Operations on rules and indirect actions that wait in a port's queues: given, pushed, and what became of
 * them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_rule.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct port;
struct ports;

/* Where an operation goes. */
struct port_flow_queue {
	uint16_t port;
	uint32_t queue;
};

/*
 * Queue a rule of a table, by the numbers that its templates have in there. It is in the port's
 * list at once. JSON: {"flow"}. Errors of all: ENODEV; ENOENT no such queue, table, template, rule,
 * action; what the driver says, in testpmd's words. Thread: control, all of this file.
 */
int port_flow_queue_create(struct ports *ps, const struct port_flow_queue *q, bool postpone,
	uint32_t table, const uint8_t templates[2], struct flow_rule *rule, struct err *e);

/*
 * Queue that a rule of a table gets other actions, by the number that their template has in there;
 * that it moves into the room that its resized table has. ENOTSUP: this DPDK cannot.
 */
int port_flow_queue_update(struct ports *ps, const struct port_flow_queue *q, bool postpone,
	uint32_t number, uint8_t template, struct flow_rule *rule, struct err *e);
int port_flow_queue_update_resized(struct ports *ps, const struct port_flow_queue *q,
	uint32_t number, struct err *e);

/* Queue that rules go, said.number. */
int port_flow_queue_destroy(struct ports *ps, const struct port_flow_queue *q,
	const struct flow_rule *rule, struct err *e);

/* Queue the like for indirect actions. JSON of the first: {"number"}. */
int port_flow_queue_indirect_create(struct ports *ps, const struct port_flow_queue *q,
	struct flow_rule *rule, struct err *e);
int port_flow_queue_indirect_update(struct ports *ps, const struct port_flow_queue *q,
	uint32_t number, const struct flow_rule *rule, struct err *e);
int port_flow_queue_indirect_destroy(struct ports *ps, const struct port_flow_queue *q,
	const struct flow_rule *rule, struct err *e);
int port_flow_queue_indirect_query(struct ports *ps, const struct port_flow_queue *q,
	uint32_t number, bool postpone, struct err *e);

/* Queue a change and a question in one, whichever is to be first. ENOTSUP: this DPDK cannot. */
int port_flow_queue_indirect_query_update(struct ports *ps, const struct port_flow_queue *q,
	uint32_t number, bool update_first, const struct flow_rule *rule, struct err *e);

/* Hand to the NIC what waits. */
int port_flow_queue_push(struct ports *ps, const struct port_flow_queue *q, struct err *e);

/* Take what is done, and show answers of queries. JSON: {"operations", "failed", "succeeded"}. */
int port_flow_queue_pull(struct ports *ps, const struct port_flow_queue *q, struct err *e);

/*
 * The same, without a word but answers: how many there were, or -errno; *good: how many went well.
 * What was not made is dropped.
 */
int port_flow_queue_end(struct ports *ps, struct port *p, uint32_t queue, unsigned int *good,
	struct err *e);
