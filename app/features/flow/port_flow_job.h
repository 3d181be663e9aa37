/* What a port's queues of operations have to do: a job for each, whose address comes back with what became of
 * it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_flow.h>

#include <stdint.h>

struct err;
struct port;
struct port_flow;
struct port_object;

/* What an indirect action tells of itself. */
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
	struct port_flow *flow;     /* of JOB_CREATE, NULL: gone; of JOB_DESTROY, which owns it */
	struct port_object *object; /* of the others, NULL: gone; JOB_INDIRECT_DESTROY owns it */
	union port_flow_indirect_stats stats;
	struct port_flow_job *next; /* given before it */
};

/* A job of a port, in its list; NULL with e filled: ENOMEM. Thread: control, all of this file. */
struct port_flow_job *port_flow_job_new(struct port *p, enum port_flow_job_kind kind,
	struct err *e);

/* Take it out of the list and free it, not what it is about. */
void port_flow_job_free(struct port *p, struct port_flow_job *j);

/* A rule that a job is to make is another one now, NULL: gone; an object goes. */
void port_flow_job_rule(struct port *p, const struct port_flow *was, struct port_flow *now);
void port_flow_job_object_gone(struct port *p, const struct port_object *o);

/* Forget what nobody has pulled, before a port goes. */
void port_flow_job_forget(struct port *p);
