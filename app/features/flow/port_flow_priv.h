/* What the files of flow rules share: rules of a port. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_rule.h"
#include "features/flow/port_flow_object.h"

#include <rte_flow.h>

#include <stdint.h>

struct err;
struct out;
struct port;
struct ports;

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
