/* Jobs in a list, the newest first. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_flow_job.h"

#include "base/err.h"
#include "port/port.h"
#include "port/port_flow_object.h"
#include "port/port_flow_priv.h"

#include <rte_flow.h>

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
	j->next = p->flow_jobs;
	p->flow_jobs = j;
	return j;
}

void
port_flow_job_free(struct port *p, struct port_flow_job *j)
{
	struct port_flow_job **at = &p->flow_jobs;

	while (*at != j)
		at = &(*at)->next;
	*at = j->next;
	free(j);
}

void
port_flow_job_forget(struct port *p)
{
	struct port_flow_job *j;

	while ((j = p->flow_jobs) != NULL) {
		if (j->kind == JOB_DESTROY)
			free(j->flow);
		if (j->kind == JOB_INDIRECT_DESTROY)
			free(j->object);
		port_flow_job_free(p, j);
	}
}

/* What became of an operation; a rule that was not made is none. */
static void
job_done(struct ports *ps, struct port *p, struct port_flow_job *j, bool well)
{
	struct port_flow **at = &p->flows;

	if (j->kind == JOB_QUERY && well)
		port_flow_indirect_show(ps->out, j->object->type, &j->stats);
	if (j->kind == JOB_CREATE && !well) {
		while (*at != j->flow)
			at = &(*at)->next;
		*at = j->flow->next;
		free(j->flow);
	}
	if (j->kind == JOB_DESTROY)
		free(j->flow);
	if (j->kind == JOB_INDIRECT && !well)
		port_flow_object_drop(p, PORT_INDIRECT, j->object);
	if (j->kind == JOB_INDIRECT_DESTROY)
		free(j->object);
	port_flow_job_free(p, j);
}

int
port_flow_job_pull(struct ports *ps, struct port *p, uint32_t queue, unsigned int *good,
	struct err *e)
{
	struct rte_flow_op_result *result = calloc(p->flow_queue_size + 1, sizeof(*result));
	struct rte_flow_error error = { 0 };
	int n;

	*good = 0;
	if (result == NULL)
		return err_set(e, ENOMEM, "no memory for %u results", p->flow_queue_size);
	n = rte_flow_pull(p->id, queue, result, (uint16_t)p->flow_queue_size, &error);
	for (int i = 0; i < n; i++) {
		const bool well = result[i].status == RTE_FLOW_OP_SUCCESS;

		*good += well;
		job_done(ps, p, result[i].user_data, well);
	}
	free(result);
	return n >= 0 ? n : err_set(e, -n, "Failed to pull a operation results");
}
