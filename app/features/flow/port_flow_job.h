/* Jobs: one for each operation in a port's queues. The driver returns the job's address with the
 * result. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_flow.h>

#include <stdint.h>

struct err;
struct port;
struct port_flow;
struct port_object;

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
