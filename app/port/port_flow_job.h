/* What a port's queues of operations have to do: a job for each, whose address comes back with what became of
 * it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "port/port_flow_indirect.h"

#include <stdint.h>

struct err;
struct port;
struct port_flow;
struct port_object;
struct ports;

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
	struct port_flow *flow;     /* of JOB_CREATE and JOB_DESTROY, which owns it */
	struct port_object *object; /* of the others; JOB_INDIRECT_DESTROY owns it */
	union port_flow_indirect_stats stats;
	struct port_flow_job *next; /* given before it */
};

/* A job of a port, in its list; NULL with e filled: ENOMEM. Thread: control, all of this file. */
struct port_flow_job *port_flow_job_new(struct port *p, enum port_flow_job_kind kind,
	struct err *e);

/* Take it out of the list and free it, not what it is about. */
void port_flow_job_free(struct port *p, struct port_flow_job *j);

/*
 * Take results of a queue and end their jobs; answers of queries are shown, what was not made is dropped.
 * good: how many went well. Returns how many there were, or -errno.
 */
int port_flow_job_pull(struct ports *ps, struct port *p, uint32_t queue, unsigned int *good,
	struct err *e);

/* Forget what nobody has pulled, before a port goes. */
void port_flow_job_forget(struct port *p);
