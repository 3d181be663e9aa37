/* Flow rules of ports: made, listed, asked, taken away, in testpmd's words; each has a number of
 * its port's own. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_rule.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct port;
struct ports;

/* What words of rules for that port are filled up with; FLOW_NO_PORT: they are only looked at. */
struct flow_defaults port_flow_defaults(const struct ports *ps, uint16_t id);

/*
 * Ask the driver whether it would take the rule; make it. JSON of the latter: {"flow": its number}.
 * Errors of all: ENODEV; what the driver says, in its own words and testpmd's. Thread: control, all
 * of this file.
 */
int port_flow_validate(struct ports *ps, uint16_t id, struct flow_rule *rule, struct err *e);
int port_flow_create(struct ports *ps, uint16_t id, struct flow_rule *rule, struct err *e);

/* Give a rule other actions, those of rule. ENOTSUP: this DPDK cannot. */
int port_flow_update(struct ports *ps, uint16_t id, uint64_t number, struct flow_rule *rule,
	struct err *e);

/* Take a rule away, all of a port. ENOENT there is no such rule. */
int port_flow_destroy(struct ports *ps, uint16_t id, uint64_t number, struct err *e);
int port_flow_flush(struct ports *ps, uint16_t id, struct err *e);

/* What an action of a rule knows: count, rss, age. ENOENT, ENOTSUP. */
int port_flow_query(struct ports *ps, uint16_t id, uint64_t number,
	const struct rte_flow_action *action, struct err *e);

/*
 * Show rules by group, priority and number; group: only that one's, NULL: all. JSON: {"flows":
 * [{"flow", "group", "priority", "ingress", "egress", "transfer", "items": [], "actions": []}]}.
 */
int port_flow_list(struct ports *ps, uint16_t id, const uint32_t *group, struct err *e);

/* Only what rules name comes in from now on, or all does again. */
int port_flow_isolate(struct ports *ps, uint16_t id, bool on, struct err *e);

/*
 * What the driver has of a rule, number NULL: of all, into a file of that name, NULL: with the
 * answers.
 */
int port_flow_dump(struct ports *ps, uint16_t id, const uint64_t *number, const char *path,
	struct err *e);
