/* Create, list, query and destroy flow rules of ports, with testpmd's messages; rules are numbered
 * per port. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_rule.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct port;
struct ports;

/* Defaults and lookups for reading rules of a port; id FLOW_NO_PORT: check syntax only. */
struct flow_defaults port_flow_defaults(const struct ports *ps, uint16_t id);

/*
 * Check whether the driver accepts a rule; create it, JSON: {"flow": number}. Errors of all
 * functions: ENODEV; the driver's error, in its own words and testpmd's. Thread: control, for all
 * of this file.
 */
int port_flow_validate(struct ports *ps, uint16_t id, struct flow_rule *rule, struct err *e);
int port_flow_create(struct ports *ps, uint16_t id, struct flow_rule *rule, struct err *e);

/* Replace a rule's actions by those of rule. ENOENT; ENOTSUP needs DPDK 23.07. */
int port_flow_update(struct ports *ps, uint16_t id, uint64_t number, struct flow_rule *rule,
	struct err *e);

/* Destroy one rule; destroy all rules of a port. ENOENT no such rule. */
int port_flow_destroy(struct ports *ps, uint16_t id, uint64_t number, struct err *e);
int port_flow_flush(struct ports *ps, uint16_t id, struct err *e);

/* Query and show a rule's action: count, rss or age. ENOENT, ENOTSUP. */
int port_flow_query(struct ports *ps, uint16_t id, uint64_t number,
	const struct rte_flow_action *action, struct err *e);

/*
 * List rules by group, priority and number; group: only this one, NULL: all. JSON: {"flows":
 * [{"flow", "group", "priority", "ingress", "egress", "transfer", "items": [], "actions": []}]}.
 */
int port_flow_list(struct ports *ps, uint16_t id, const uint32_t *group, struct err *e);

/* Restrict reception to traffic that rules match, or lift the restriction. */
int port_flow_isolate(struct ports *ps, uint16_t id, bool on, struct err *e);

/*
 * Dump the driver's data of a rule (number NULL: of all rules) to a file (path NULL: to the
 * output).
 */
int port_flow_dump(struct ports *ps, uint16_t id, const uint64_t *number, const char *path,
	struct err *e);

/* Flex items of a port: custom headers for flow rules to match. */

/*
 * Create flex item number 0..7 from a file; destroy one. ENODEV, EEXIST, ENOENT; an error in the
 * file; the driver's error. Thread: control.
 */
int port_flow_flex_create(struct ports *ps, uint16_t id, uint32_t number, const char *path,
	struct err *e);
int port_flow_flex_destroy(struct ports *ps, uint16_t id, uint32_t number, struct err *e);
