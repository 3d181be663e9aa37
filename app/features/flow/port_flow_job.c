/* A port's list of jobs, newest first. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/flow/port_flow_job.h"

#include "base/err.h"
#include "features/flow/flow_priv.h"
#include "port/port.h"

#include <errno.h>
#include <stdlib.h>

struct port_flow_job *
port_flow_job_new(struct port *p, enum port_flow_job_kind kind, struct err *e)
{
	struct port_flow_job *j = calloc(1, sizeof(*j));

	if (j == NULL) {
		err_set(e, ENOMEM, "no memory for an operation on flow rules");
		return NULL;
	}
	j->kind = kind;
	j->next = port_flows(p)->jobs;
	port_flows(p)->jobs = j;
	return j;
}

void
port_flow_job_free(struct port *p, struct port_flow_job *j)
{
	struct port_flow_job **at = &port_flows(p)->jobs;

	while (*at != j)
		at = &(*at)->next;
	*at = j->next;
	free(j);
}

void
port_flow_job_forget(struct port *p)
{
	struct port_flow_job *j;

	while ((j = port_flows(p)->jobs) != NULL) {
		if (j->kind == JOB_DESTROY)
			free(j->flow);
		if (j->kind == JOB_INDIRECT_DESTROY)
			free(j->object);
		port_flow_job_free(p, j);
	}
}

void
port_flow_job_rule(struct port *p, const struct port_flow *was, struct port_flow *now)
{
	for (struct port_flow_job *j = port_flows(p)->jobs; j != NULL; j = j->next)
		if (j->kind == JOB_CREATE && j->flow == was)
			j->flow = now;
}

void
port_flow_job_object_gone(struct port *p, const struct port_object *o)
{
	for (struct port_flow_job *j = port_flows(p)->jobs; j != NULL; j = j->next)
		if (j->kind != JOB_INDIRECT_DESTROY && j->object == o)
			j->object = NULL;
}
