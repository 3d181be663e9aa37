/* What a driver keeps for flow rules, by numbers of a port's own: indirect actions, templates,
 * tables, flex items. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/flow_priv.h"

#include <rte_flow.h>

#include <stdint.h>

struct err;
struct port;
struct ports;

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
