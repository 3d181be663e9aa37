/* Objects that a driver keeps for flow rules, numbered per port: indirect actions, templates,
 * tables, flex items. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/flow_priv.h"

#include <rte_flow.h>

#include <stdint.h>

struct err;
struct port;
struct port_flow;
struct port_object;
struct ports;

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
