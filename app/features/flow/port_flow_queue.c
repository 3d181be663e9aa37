/* Pass operations to the driver as jobs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/flow/port_flow_queue.h"

#include "base/err.h"
#include "base/out.h"
#include "compat.h"
#include "features/flow/flow_priv.h"
#include "features/flow/port_flow_error.h"
#include "features/flow/port_flow_indirect.h"
#include "features/flow/port_flow_job.h"
#include "features/flow/port_flow_object.h"
#include "port/port.h"

#include <rte_flow.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* The port of a queue, which must exist; NULL with e filled. */
static struct port *
queue_find(const struct ports *ps, const struct port_flow_queue *q, struct err *e)
{
	struct port *p = port_find(ps, q->port, e);

	if (p == NULL || q->queue < port_flows(p)->queues)
		return p;
	err_set(e, ENOENT, "Queue #%u is invalid", q->queue);
	return NULL;
}

/* The port of a queue, for an operation that needs a DPDK release; NULL with e filled. */
static struct port *
queue_find_since(const struct ports *ps, const struct port_flow_queue *q, unsigned int year,
	unsigned int month, const char *words, struct err *e)
{
	return port_flow_since(year, month, words, e) == 0 ? queue_find(ps, q, e) : NULL;
}

static int
template_check(const char *name, uint8_t index, uint32_t n, struct err *e)
{
	return index < n
		? 0
		: err_set(e, ENOENT,
			  "%s template index #%u is invalid, %u templates present in the table",
			  name, index, n);
}

int
port_flow_queue_create(struct ports *ps, const struct port_flow_queue *q, bool postpone,
	uint32_t table, const uint8_t templates[2], struct flow_rule *rule, struct err *e)
{
	const struct rte_flow_op_attr attr = { .postpone = postpone };
	struct port *p = queue_find(ps, q, e);
	const struct port_object *t = p != NULL ? port_flow_object_find(p, PORT_TABLE, table, e)
						: NULL;
	struct rte_flow_error error = { 0 };
	struct port_flow_job *job;
	struct rte_flow *handle;
	struct port_flow *f;

	if (t == NULL || template_check("Pattern", templates[0], t->n_patterns, e) != 0 ||
		template_check("Actions", templates[1], t->n_actions, e) != 0)
		return -e->code;
	f = port_flow_copy(&t->attr, rule, e);
	if (f == NULL)
		return -e->code;
	job = port_flow_job_new(p, JOB_CREATE, e);
	if (job == NULL) {
		free(f);
		return -e->code;
	}
	job->flow = f;
	port_flow_age_set(rule->action, &f->age);
	handle = rte_flow_async_create(q->port, q->queue, &attr, t->handle, rule->item,
		templates[0], rule->action, templates[1], job, &error);
	if (handle == NULL) {
		port_flow_error(&error, e);
		free(f);
		port_flow_job_free(p, job);
		return -e->code;
	}
	f->n_actions = t->n_actions;
	port_flow_add(p, f, handle);
	out_u64(ps->out, "flow", "Flow rule #%" PRIu64 " creation enqueued\n", f->number);
	return 0;
}

int
port_flow_queue_update(struct ports *ps, const struct port_flow_queue *q, bool postpone,
	uint32_t number, uint8_t template, struct flow_rule *rule, struct err *e)
{
	const struct rte_flow_op_attr attr = { .postpone = postpone };
	struct port *p = queue_find_since(ps, q, 23, 7, "flow queue update", e);
	struct port_flow **at = p != NULL ? port_flow_find(p, number, e) : NULL, *changed;
	struct rte_flow_error error = { 0 };
	struct port_flow_job *job;

	if (at == NULL || template_check("Actions", template, (*at)->n_actions, e) != 0)
		return -e->code;
	changed = port_flow_copy_with(*at, rule, e);
	if (changed == NULL)
		return -e->code;
	/* This job frees the old copy of the rule. */
	job = port_flow_job_new(p, JOB_DESTROY, e);
	if (job == NULL) {
		free(changed);
		return -e->code;
	}
	port_flow_age_set(rule->action, &changed->age);
	if (compat_flow_async_actions_update(q->port, q->queue, &attr, changed->handle,
		    rule->action, template, job, &error) != 0) {
		port_flow_error(&error, e);
		free(changed);
		job->kind = JOB_OTHER;
		port_flow_job_free(p, job);
		return -e->code;
	}
	job->flow = *at;
	*at = changed;
	port_flow_job_rule(p, job->flow, changed);
	out_say(ps->out, "Flow rule #%" PRIu64 " update enqueued\n", changed->number);
	return 0;
}

int
port_flow_queue_update_resized(struct ports *ps, const struct port_flow_queue *q, uint32_t number,
	struct err *e)
{
	const struct rte_flow_op_attr attr = { 0 };
	struct port *p = queue_find_since(ps, q, 24, 3, "flow queue update_resized", e);
	struct port_flow **at = p != NULL ? port_flow_find(p, number, e) : NULL;
	struct port_flow_job *job = at != NULL ? port_flow_job_new(p, JOB_OTHER, e) : NULL;
	struct rte_flow_error error = { 0 };

	if (job == NULL)
		return -e->code;
	if (compat_flow_update_resized(q->port, q->queue, &attr, (*at)->handle, job, &error) != 0) {
		port_flow_error(&error, e);
		port_flow_job_free(p, job);
	}
	return -e->code;
}

static int
rule_destroy(struct ports *ps, struct port *p, const struct port_flow_queue *q, bool postpone,
	uint64_t number, struct err *e)
{
	const struct rte_flow_op_attr attr = { .postpone = postpone };
	struct port_flow **at = port_flow_find(p, number, e);
	struct rte_flow_error error = { 0 };
	struct port_flow_job *job;

	job = at != NULL ? port_flow_job_new(p, JOB_DESTROY, e) : NULL;
	if (job == NULL)
		return -e->code;
	if (rte_flow_async_destroy(q->port, q->queue, &attr, (*at)->handle, job, &error) != 0) {
		port_flow_error(&error, e);
		job->kind = JOB_OTHER;
		port_flow_job_free(p, job);
		return -e->code;
	}
	job->flow = *at;
	*at = job->flow->next;
	port_flow_job_rule(p, job->flow, NULL);
	out_say(ps->out, "Flow rule #%" PRIu64 " destruction enqueued\n", number);
	return 0;
}

int
port_flow_queue_destroy(struct ports *ps, const struct port_flow_queue *q,
	const struct flow_rule *rule, struct err *e)
{
	struct port *p = queue_find(ps, q, e);

	for (uint32_t i = 0; p != NULL && i < rule->said.n_numbers; i++)
		if (rule_destroy(ps, p, q, rule->said.postpone, rule->said.number[i], e) != 0)
			break;
	return -e->code;
}

int
port_flow_queue_indirect_create(struct ports *ps, const struct port_flow_queue *q,
	struct flow_rule *rule, struct err *e)
{
	const struct rte_flow_op_attr attr = { .postpone = rule->said.postpone };
	const struct rte_flow_indir_action_conf conf = { .ingress = rule->said.attr.ingress,
		.egress = rule->said.attr.egress,
		.transfer = rule->said.attr.transfer };
	struct port *p = queue_find(ps, q, e);
	struct port_object *o = p != NULL ? port_flow_object_new(p, PORT_INDIRECT, rule->said.id, e)
					  : NULL;
	struct port_flow_job *job = o != NULL ? port_flow_job_new(p, JOB_INDIRECT, e) : NULL;
	struct rte_flow_error error = { 0 };

	if (job == NULL) {
		if (o != NULL)
			port_flow_object_drop(p, PORT_INDIRECT, o);
		return -e->code;
	}
	job->object = o;
	o->type = (int)rule->action[0].type;
	port_flow_age_set(rule->action, &o->age);
	o->handle = rte_flow_async_action_handle_create(q->port, q->queue, &attr, &conf,
		rule->action, job, &error);
	if (o->handle == NULL) {
		port_flow_error(&error, e);
		port_flow_object_drop(p, PORT_INDIRECT, o);
		port_flow_job_free(p, job);
		return -e->code;
	}
	out_u64(ps->out, "number", "Indirect action #%" PRIu64 " creation queued\n", o->number);
	return 0;
}

int
port_flow_queue_indirect_update(struct ports *ps, const struct port_flow_queue *q, uint32_t number,
	const struct flow_rule *rule, struct err *e)
{
	const struct rte_flow_op_attr attr = { .postpone = rule->said.postpone };
	struct port *p = queue_find(ps, q, e);
	struct port_object *o = p != NULL ? port_flow_object_find(p, PORT_INDIRECT, number, e)
					  : NULL;
	struct port_flow_job *job = o != NULL ? port_flow_job_new(p, JOB_OTHER, e) : NULL;
	struct rte_flow_update_meter_mark mark;
	struct rte_flow_error error = { 0 };

	if (job == NULL)
		return -e->code;
	if (rte_flow_async_action_handle_update(q->port, q->queue, &attr, o->handle,
		    port_flow_indirect_change(o->type, rule->action, &mark), job, &error) != 0) {
		port_flow_error(&error, e);
		port_flow_job_free(p, job);
		return -e->code;
	}
	out_say(ps->out, "Indirect action #%u update queued\n", number);
	return 0;
}

static int
indirect_destroy(struct ports *ps, struct port *p, const struct port_flow_queue *q, bool postpone,
	uint32_t number, struct err *e)
{
	const struct rte_flow_op_attr attr = { .postpone = postpone };
	struct port_object *o = port_flow_object_find(p, PORT_INDIRECT, number, e);
	struct port_flow_job *job = o != NULL ? port_flow_job_new(p, JOB_OTHER, e) : NULL;
	struct rte_flow_error error = { 0 };

	if (job == NULL)
		return -e->code;
	if (rte_flow_async_action_handle_destroy(q->port, q->queue, &attr, o->handle, job,
		    &error) != 0) {
		port_flow_error(&error, e);
		port_flow_job_free(p, job);
		return -e->code;
	}
	port_flow_object_take(p, PORT_INDIRECT, o);
	job->kind = JOB_INDIRECT_DESTROY;
	job->object = o;
	out_say(ps->out, "Indirect action #%u destruction queued\n", number);
	return 0;
}

int
port_flow_queue_indirect_destroy(struct ports *ps, const struct port_flow_queue *q,
	const struct flow_rule *rule, struct err *e)
{
	struct port *p = queue_find(ps, q, e);

	for (uint32_t i = 0; p != NULL && i < rule->said.n_numbers; i++)
		if (indirect_destroy(ps, p, q, rule->said.postpone, rule->said.number[i], e) != 0)
			break;
	return -e->code;
}

int
port_flow_queue_indirect_query(struct ports *ps, const struct port_flow_queue *q, uint32_t number,
	bool postpone, struct err *e)
{
	const struct rte_flow_op_attr attr = { .postpone = postpone };
	struct port *p = queue_find(ps, q, e);
	struct port_object *o = p != NULL ? port_flow_object_find(p, PORT_INDIRECT, number, e)
					  : NULL;
	struct port_flow_job *job = o != NULL ? port_flow_job_new(p, JOB_QUERY, e) : NULL;
	struct rte_flow_error error = { 0 };

	if (job == NULL)
		return -e->code;
	job->object = o;
	if (rte_flow_async_action_handle_query(q->port, q->queue, &attr, o->handle, &job->stats,
		    job, &error) != 0) {
		port_flow_error(&error, e);
		port_flow_job_free(p, job);
		return -e->code;
	}
	out_say(ps->out, "Indirect action #%u update queued\n", number);
	return 0;
}

int
port_flow_queue_indirect_query_update(struct ports *ps, const struct port_flow_queue *q,
	uint32_t number, bool update_first, const struct flow_rule *rule, struct err *e)
{
	const struct rte_flow_op_attr attr = { .postpone = rule->said.postpone };
	struct port *p = queue_find_since(ps, q, 23, 3, "query_update", e);
	struct port_object *o = p != NULL ? port_flow_object_find(p, PORT_INDIRECT, number, e)
					  : NULL;
	struct port_flow_job *job = o != NULL ? port_flow_job_new(p, JOB_QUERY, e) : NULL;
	struct rte_flow_error error = { 0 };

	if (job == NULL)
		return -e->code;
	job->object = o;
	if (compat_flow_query_update(q->port, q->queue, &attr, o->handle, rule->action, &job->stats,
		    update_first, job, &error) != 0) {
		port_flow_error(&error, e);
		port_flow_job_free(p, job);
		return -e->code;
	}
	out_say(ps->out, "port-%u: indirect action #%u update-and-query queued\n", q->port, number);
	return 0;
}

int
port_flow_queue_push(struct ports *ps, const struct port_flow_queue *q, struct err *e)
{
	struct rte_flow_error error = { 0 };
	int ret;

	if (queue_find(ps, q, e) == NULL)
		return -e->code;
	ret = rte_flow_push(q->port, q->queue, &error);
	if (ret < 0)
		return err_set(e, -ret, "Failed to push operations in the queue");
	out_say(ps->out, "Queue #%u operations pushed\n", q->queue);
	return 0;
}

/* Handle the result of an operation; a rule that was not created is removed. */
static void
job_done(struct ports *ps, struct port *p, struct port_flow_job *j, bool well)
{
	struct port_flow **at = &port_flows(p)->rules;

	if (j->kind == JOB_QUERY && well && j->object != NULL)
		port_flow_indirect_show(ps->out, j->object->type, &j->stats);
	if (j->kind == JOB_CREATE && !well && j->flow != NULL) {
		while (*at != j->flow)
			at = &(*at)->next;
		*at = j->flow->next;
		free(j->flow);
	}
	if (j->kind == JOB_DESTROY)
		free(j->flow);
	if (j->kind == JOB_INDIRECT && !well && j->object != NULL)
		port_flow_object_drop(p, PORT_INDIRECT, j->object);
	if (j->kind == JOB_INDIRECT_DESTROY) {
		port_flow_job_object_gone(p, j->object);
		free(j->object);
	}
	port_flow_job_free(p, j);
}

int
port_flow_queue_end(struct ports *ps, struct port *p, uint32_t queue, unsigned int *good,
	struct err *e)
{
	struct rte_flow_op_result *result = calloc(port_flows(p)->queue_size + 1, sizeof(*result));
	struct rte_flow_error error = { 0 };
	int n;

	*good = 0;
	if (result == NULL)
		return err_set(e, ENOMEM, "no memory for %u results", port_flows(p)->queue_size);
	n = rte_flow_pull(p->id, queue, result, (uint16_t)port_flows(p)->queue_size, &error);
	for (int i = 0; i < n; i++) {
		const bool well = result[i].status == RTE_FLOW_OP_SUCCESS;

		*good += well;
		job_done(ps, p, result[i].user_data, well);
	}
	free(result);
	return n >= 0 ? n : err_set(e, -n, "Failed to pull a operation results");
}

int
port_flow_queue_pull(struct ports *ps, const struct port_flow_queue *q, struct err *e)
{
	struct port *p = queue_find(ps, q, e);
	unsigned int good;
	int n;

	if (p == NULL)
		return -e->code;
	n = port_flow_queue_end(ps, p, q->queue, &good, e);
	if (n < 0)
		return n;
	out_text(ps->out, "Queue #%u pulled ", q->queue);
	out_i64(ps->out, "operations", "%" PRId64 " operations ", n);
	out_i64(ps->out, "failed", "(%" PRId64 " failed, ", n - (int)good);
	out_i64(ps->out, "succeeded", "%" PRId64 " succeeded)\n", good);
	return 0;
}
