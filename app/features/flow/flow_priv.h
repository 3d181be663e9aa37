/* What the files of flow rules share: what a port has for them. */
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
	void *handle;                   /* the driver's */
	struct port_object *next;       /* a lower number */
	int type;                       /* of an indirect action: enum rte_flow_action_type */
	struct rte_flow_attr attr;      /* of a table */
	uint32_t n_patterns, n_actions; /* templates of a table */
};

#define PORT_FLOW_TUNNELS 4 /* types of tunnels that flow rules know */

struct port_flow_job;

/* What a port has for flow rules. */
struct port_flows {
	struct port_flow *rules;                        /* the newest first */
	struct port_object *objects[PORT_OBJECT_KINDS]; /* what its driver keeps for them */
	struct port_flow_job *jobs;                     /* in its queues of operations */
	uint32_t queues, queue_size;                    /* of operations, as configured */
	/* n_tunnels of them, the newest last */
	struct port_flow_tunnel {
		uint32_t number;
		unsigned int type;
	} tunnel[PORT_FLOW_TUNNELS];
	unsigned int n_tunnels;
};

/* Rules, objects and jobs of a port go with it. */
extern const struct port_feature port_feature_flow;

/* Thread: control, all of this file. */
static inline struct port_flows *
port_flows(const struct port *p)
{
	return port_feature_state(p, &port_feature_flow);
}

/* One rule that a driver has. */
struct port_flow {
	enum port_flow_age age;
	uint64_t number;
	struct rte_flow *handle;
	struct port_flow *next;         /* made before it */
	uint32_t n_actions;             /* templates of actions in its table; 0: it has none */
	struct rte_flow_conv_rule rule; /* a copy for show, in what follows */
};

/* A copy of a rule that has no handle yet; NULL with e filled. */
struct port_flow *port_flow_copy(const struct rte_flow_attr *attr, const struct flow_rule *rule,
	struct err *e);

/* The same of a rule as it was, its number, handle and place, with others' actions. */
struct port_flow *port_flow_copy_with(const struct port_flow *f, const struct flow_rule *rule,
	struct err *e);

/* Give it a number and its place among the port's rules. */
void port_flow_add(struct port *p, struct port_flow *f, struct rte_flow *handle);

/* Where the list leads to the rule of that number; NULL with e filled. */
struct port_flow **port_flow_find(struct port *p, uint64_t number, struct err *e);

/* Let actions of a kind age tell that owner. */
void port_flow_age_set(struct rte_flow_action *actions, enum port_flow_age *owner);

/* Show what actions count and age know. */
void port_flow_count_show(struct out *o, const struct rte_flow_query_count *count);
void port_flow_age_show(struct out *o, const struct rte_flow_query_age *age);
