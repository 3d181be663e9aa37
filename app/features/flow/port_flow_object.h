/* Objects that a driver keeps for flow rules, numbered per port: indirect actions, templates,
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
 * Add an object without a handle; number FLOW_NO_ID: choose the next one. NULL with e filled:
 * EEXIST, ENOSPC, ENOMEM. Thread: control, for all of this file.
 */
struct port_object *port_flow_object_new(struct port *p, enum port_flow_object_kind kind,
	uint32_t number, struct err *e);

/* Complete an object with the driver's handle: print "... created"; handle NULL: free it and
 * fail. */
int port_flow_object_made(struct ports *ps, struct port *p, enum port_flow_object_kind kind,
	struct port_object *o, void *handle, const struct rte_flow_error *error, struct err *e);

/* Remove an object from its list; remove and free it. */
void port_flow_object_take(struct port *p, enum port_flow_object_kind kind, struct port_object *o);
void port_flow_object_drop(struct port *p, enum port_flow_object_kind kind, struct port_object *o);

/* Find an object by number; NULL with e filled: ENOENT. */
struct port_object *port_flow_object_find(const struct port *p, enum port_flow_object_kind kind,
	uint32_t number, struct err *e);

/* Destroy n objects, up to the first that fails. */
int port_flow_object_destroy(struct ports *ps, uint16_t id, enum port_flow_object_kind kind,
	const uint32_t *number, uint32_t n, struct err *e);

/* Destroy all objects before a port closes; a driver's error is only shown. */
void port_flow_object_forget(struct ports *ps, struct port *p);
