/* Flow rules: a port's state, its objects, and the commands' reading of their words; for the files of
 * this folder. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/language/flow_phrase.h"
#include "features/flow/language/flow_rule.h"
#include "port/port_feature.h"

#include <rte_flow.h>

#include <stdbool.h>
#include <stdint.h>

struct app;
struct err;
struct out;
struct port;
struct port_flow;
struct port_flow_job;
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

/* Has the presets; destroys a port's rules when it stops, and its objects and jobs when it closes. */
extern const struct port_feature port_feature_flow;

/* The presets of all ports. Thread: control, for all of this file. */
static inline struct flow_presets *
port_flow_presets(const struct ports *ps)
{
	return port_feature_shared(ps, &port_feature_flow);
}

/* The port's state. */
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

/* Objects that a driver keeps for flow rules, numbered per port: indirect actions, templates, tables, flex items. */

/* Jobs: one for each operation in a port's queues. The driver returns the job's address with the
 * result. */

/* Query result of an indirect action. */
union port_flow_indirect_stats {
	struct rte_flow_query_count count;
	struct rte_flow_query_age age;
	struct rte_flow_action_conntrack conntrack;
};

enum port_flow_job_kind {
	JOB_CREATE,
	JOB_DESTROY,
	JOB_INDIRECT,
	JOB_INDIRECT_DESTROY,
	JOB_QUERY,
	JOB_OTHER
};

struct port_flow_job {
	enum port_flow_job_kind kind;
	struct port_flow *flow;     /* JOB_CREATE, NULL: destroyed; JOB_DESTROY owns it */
	struct port_object *object; /* other jobs, NULL: destroyed; JOB_INDIRECT_DESTROY owns it */
	union port_flow_indirect_stats stats;
	struct port_flow_job *next; /* the next older one */
};

/* Add a job to a port's list; NULL with e filled: ENOMEM. Thread: control, for all of this file. */
struct port_flow_job *port_flow_job_new(struct port *p, enum port_flow_job_kind kind,
	struct err *e);

/* Remove a job from the list and free it, but not its rule or object. */
void port_flow_job_free(struct port *p, struct port_flow_job *j);

/* Update jobs after a rule was replaced by now (NULL: destroyed), or an object was destroyed. */
void port_flow_job_rule(struct port *p, const struct port_flow *was, struct port_flow *now);
void port_flow_job_object_gone(struct port *p, const struct port_object *o);

/* Free all jobs that were not pulled, before a port closes. */
void port_flow_job_forget(struct port *p);

/* Errors of drivers for flow rules. */

/*
 * Fill e with the driver's error in testpmd's format. port_flow_error() takes the code from
 * rte_errno; port_flow_error_of() takes it as a positive errno. Returns -code. Thread: control.
 */
int port_flow_error(const struct rte_flow_error *error, struct err *e);
int port_flow_error_of(int code, const struct rte_flow_error *error, struct err *e);

/* Returns 0 if this DPDK is at least this release, else -ENOTSUP with e: "WORDS needs DPDK ...". */
int port_flow_since(unsigned int year, unsigned int month, const char *words, struct err *e);

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

/* Indirect actions of a port: shared by rules, updated and queried by number. */

union port_flow_indirect_stats;

/* Show a query's result; type: enum rte_flow_action_type. */
void port_flow_indirect_show(struct out *o, int type, const union port_flow_indirect_stats *f);

/* The driver's argument for an update of an action of this type; mark: storage for it. */
const void *port_flow_indirect_change(int type, const struct rte_flow_action *action,
	struct rte_flow_update_meter_mark *mark);

/* Tunnel offload: items and actions that a driver adds to rules with tunnel_set or tunnel_match. */

/*
 * Create a tunnel of a type: vxlan, gre, nvgre or geneve. If there is one of this type already,
 * return it. JSON: {"tunnel"}. ENODEV, EINVAL. Thread: control, for all of this file.
 */
int port_flow_tunnel_create(struct app *app, const struct args *a, struct err *e);

/* Destroy a tunnel, ENOENT; list all, JSON: {"tunnels": [{"tunnel", "type"}]}. */
int port_flow_tunnel_destroy(struct app *app, const struct args *a, struct err *e);
int port_flow_tunnel_list(struct ports *ps, uint16_t id, struct err *e);

/* The driver's actions and items in front of a rule's own. */
struct port_flow_tunnel_parts {
	struct rte_flow_action *action;
	struct rte_flow_item *item;
	uint32_t n_actions, n_items;
};

/*
 * Add the driver's parts to a rule with tunnel_set or tunnel_match; release them once the rule is
 * created. ENOENT no such tunnel; E2BIG; the driver's error. After an error there is nothing to
 * release.
 */
int port_flow_tunnel_add(struct ports *ps, uint16_t id, struct flow_rule *rule,
	struct port_flow_tunnel_parts *parts, struct err *e);
void port_flow_tunnel_release(uint16_t id, struct port_flow_tunnel_parts *parts);

/* Show the port that manages the transfer rules of a port's switch. */
int port_flow_tunnel_proxy(struct ports *ps, uint16_t id, struct err *e);

/* Aged rules: without a hit for longer than their action age allows. */

/* Query of aged rules of a queue, NULL: of the port. destroy: destroy each rule when shown. */
struct port_flow_aged {
	uint16_t port;
	const uint32_t *queue;
	bool destroy;
};

/*
 * Show all aged rules and indirect actions; *any: whether there are some. JSON: {"aged": [{"type",
 * "number"}]}. Returns the numbers of aged rules, *n_rules of them, which the caller frees; NULL
 * with e filled: the driver's error. Thread: control, for all of this file.
 */
uint64_t *port_flow_aged_show(struct ports *ps, const struct port_flow_aged *a, uint32_t *n_rules,
	bool *any, struct err *e);

/* Handler: show those of a port; destroy: also destroy the rules. JSON: also {"destroyed"}. */
int port_flow_aged_port(struct app *app, const struct args *a, struct err *e);

/* Commands for flow rules: reading the rest of their lines. */

/* Data of a row whose argument "words", the rest of the line, is a phrase. */
struct cmd_flow {
	const struct flow_phrase *phrase;
	/* Executes the command with the words as read. */
	int (*run)(struct app *app, const struct args *a, struct flow_rule *rule, struct err *e);
	/* The phrase ends with the numbers of objects to destroy, at least one. run gets them
	 * sorted, newest (largest) first. */
	bool numbers;
	enum port_flow_object_kind kind; /* for cmd_flow_destroy() */
};
#define CMD_FLOW(...) \
	&(const struct cmd_flow) \
	{ \
		__VA_ARGS__ \
	}

/* The handler of such rows, and their check: read the words only. Thread: control. */
int cmd_flow_run(struct app *app, const struct args *a, struct err *e);
int cmd_flow_check(struct app *app, const struct args *a, struct err *e);

/* For run: destroy the port's objects of the row's kind, up to the first that fails. */
int cmd_flow_destroy(struct app *app, const struct args *a, struct flow_rule *rule, struct err *e);

/*
 * Read the words for a port or FLOW_NO_PORT. The caller frees the result; NULL with e filled.
 * Thread: control.
 */
struct flow_rule *cmd_flow_read(const struct app *app, const struct args *a, uint16_t port,
	struct err *e);
