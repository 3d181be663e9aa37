/* What a driver keeps for flow rules, by numbers of a port's own: indirect actions, templates,
 * tables, flex items. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_flow.h>

#include <stdbool.h>
#include <stdint.h>

struct err;
struct port;
struct ports;

/* What a driver tells aged: it gets a pointer to this, the first member of what has aged. */
enum port_flow_age { PORT_AGE_FLOW, PORT_AGE_INDIRECT };

enum port_flow_object_kind {
	PORT_INDIRECT,
	PORT_PATTERN_TEMPLATE,
	PORT_ACTIONS_TEMPLATE,
	PORT_TABLE,
	PORT_FLEX_ITEM,
	PORT_OBJECT_KINDS
};

struct port_object {
	enum port_flow_age age;
	uint32_t number;
	void *handle;              /* the driver's */
	struct port_object *next;  /* a lower number */
	int type;                  /* of an indirect action: enum rte_flow_action_type */
	struct rte_flow_attr attr; /* of a table, with so many templates */
	uint32_t n_patterns, n_actions;
};

/*
 * A new one, which has no handle yet, number FLOW_NO_ID: the next. NULL with e filled: EEXIST,
 * ENOSPC, ENOMEM. Thread: control, all of this file.
 */
struct port_object *port_flow_object_new(struct port *p, enum port_flow_object_kind kind,
	uint32_t number, struct err *e);

/* What the driver answered, as handle: says "... created", or drops it again and fails. */
int port_flow_object_made(struct ports *ps, struct port *p, enum port_flow_object_kind kind,
	struct port_object *o, void *handle, const struct rte_flow_error *error, struct err *e);

/* Take it out of its list; and free it. */
void port_flow_object_take(struct port *p, enum port_flow_object_kind kind, struct port_object *o);
void port_flow_object_drop(struct port *p, enum port_flow_object_kind kind, struct port_object *o);

/* The one of that number; NULL with e filled: ENOENT. */
struct port_object *port_flow_object_find(const struct port *p, enum port_flow_object_kind kind,
	uint32_t number, struct err *e);

/* Let the driver take n of them away; the first that fails ends it. */
int port_flow_object_destroy(struct ports *ps, uint16_t id, enum port_flow_object_kind kind,
	const uint32_t *number, uint32_t n, struct err *e);

/* Take all away before a port goes; what the driver says against it is shown. */
void port_flow_object_forget(struct ports *ps, struct port *p);
