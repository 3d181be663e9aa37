/* A port's state for flow rules, shared by the files of this folder. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_rule.h"
#include "port/port_feature.h"

#include <rte_flow.h>

#include <stdint.h>

struct err;
struct out;
struct port;
struct ports;

/* The context that a driver returns for an aged object: a pointer to the object's first member. */
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
	void *handle;                   /* from the driver */
	struct port_object *next;       /* has a lower number */
	int type;                       /* of an indirect action: enum rte_flow_action_type */
	struct rte_flow_attr attr;      /* of a table */
	uint32_t n_patterns, n_actions; /* templates of a table */
};

#define PORT_FLOW_TUNNELS 4 /* one of each type */

struct port_flow_job;

/* A port's state for flow rules. */
struct port_flows {
	struct port_flow *rules;                        /* newest first */
	struct port_object *objects[PORT_OBJECT_KINDS]; /* objects of the driver */
	struct port_flow_job *jobs;                     /* operations in its queues */
	uint32_t queues, queue_size;                    /* as configured */
	/* n_tunnels entries, newest last */
	struct port_flow_tunnel {
		uint32_t number;
		unsigned int type;
	} tunnel[PORT_FLOW_TUNNELS];
	unsigned int n_tunnels;
};

/* Destroys a port's rules when it stops, and its objects and jobs when it closes. */
extern const struct port_feature port_feature_flow;

/* The port's state. Thread: control, for all of this file. */
static inline struct port_flows *
port_flows(const struct port *p)
{
	return port_feature_state(p, &port_feature_flow);
}

/* A rule of a port. */
struct port_flow {
	enum port_flow_age age;
	uint64_t number;
	struct rte_flow *handle;
	struct port_flow *next;         /* the next older one */
	uint32_t n_actions;             /* number of actions templates in its table; 0: no table */
	struct rte_flow_conv_rule rule; /* copy for show; its data follows the struct */
};

/* Copy a rule, without a handle; NULL with e filled. */
struct port_flow *port_flow_copy(const struct rte_flow_attr *attr, const struct flow_rule *rule,
	struct err *e);

/* Copy f with its number, handle and list position, but the actions of rule; NULL with e filled. */
struct port_flow *port_flow_copy_with(const struct port_flow *f, const struct flow_rule *rule,
	struct err *e);

/* Number a rule and add it to the port's list. */
void port_flow_add(struct port *p, struct port_flow *f, struct rte_flow *handle);

/* The list pointer to the rule with this number; NULL with e filled. */
struct port_flow **port_flow_find(struct port *p, uint64_t number, struct err *e);

/* Make actions of type age report owner as their context. */
void port_flow_age_set(struct rte_flow_action *actions, enum port_flow_age *owner);

/* Show the query results of the actions count and age. */
void port_flow_count_show(struct out *o, const struct rte_flow_query_count *count);
void port_flow_age_show(struct out *o, const struct rte_flow_query_age *age);
