/* Operations on rules passed to the driver as jobs, and the templates and tables that prepare them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/flow/port_flow_queue.h"

#include "base/err.h"
#include "base/out.h"
#include "compat.h"
#include "features/flow/flow_priv.h"
#include "features/flow/port_flow_indirect.h"
#include "features/flow/port_flow_object.h"
#include "port/port.h"

#include <rte_flow.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

/* Resources of the flow engine, templates, tables. */

enum { QUEUES_MAX = 256 }; /* maximum number of queues of a port */

int
port_flow_template_info(struct ports *ps, uint16_t id, struct err *e)
{
	struct rte_flow_port_info port = { 0 };
	struct rte_flow_queue_info queue = { 0 };
	struct rte_flow_error error = { 0 };
	struct out *o = ps->out;

	if (port_find(ps, id, e) == NULL)
		return -e->code;
	if (rte_flow_info_get(id, &port, &queue, &error) != 0)
		return port_flow_error(&error, e);
	out_text(o, "Flow engine resources on port %u:\n", id);
	out_u64(o, "queues", "Number of queues: %" PRIu64 "\n", port.max_nb_queues);
	out_u64(o, "queue_size", "Size of queues: %" PRIu64 "\n", queue.max_size);
	out_u64(o, "counters", "Number of counters: %" PRIu64 "\n", port.max_nb_counters);
	out_u64(o, "aging_objects", "Number of aging objects: %" PRIu64 "\n",
		port.max_nb_aging_objects);
	out_u64(o, "meters", "Number of meter actions: %" PRIu64 "\n", port.max_nb_meters);
	return 0;
}

int
port_flow_template_configure(struct ports *ps, uint16_t id, const struct flow_rule *rule,
	struct err *e)
{
	const struct rte_flow_queue_attr *queue[QUEUES_MAX];
	const uint32_t n = rule->said.queues;
	struct port *p = port_find(ps, id, e);
	struct rte_flow_error error = { 0 };

	if (p == NULL)
		return -e->code;
	if (n > QUEUES_MAX)
		return err_set(e, E2BIG, "%u queues of flow rules: expected at most %d", n,
			QUEUES_MAX);
	for (uint32_t i = 0; i < n; i++)
		queue[i] = &rule->said.queue;
	if (rte_flow_configure(id, &rule->said.port, (uint16_t)n, queue, &error) != 0)
		return port_flow_error(&error, e);
	port_flows(p)->queues = n;
	port_flows(p)->queue_size = rule->said.queue.size;
	out_say(ps->out, "Configure flows on port %u: number of queues %u with %u elements\n", id,
		n, port_flows(p)->queue_size);
	return 0;
}

int
port_flow_template_pattern(struct ports *ps, uint16_t id, const struct flow_rule *rule,
	struct err *e)
{
	const struct rte_flow_attr *a = &rule->said.attr;
	const struct rte_flow_pattern_template_attr attr = {
		.relaxed_matching = rule->said.relaxed,
		.ingress = a->ingress,
		.egress = a->egress,
		.transfer = a->transfer,
	};
	struct port *p = port_find(ps, id, e);
	struct rte_flow_error error = { 0 };
	struct port_object *o;

	o = p != NULL ? port_flow_object_new(p, PORT_PATTERN_TEMPLATE, rule->said.id, e) : NULL;
	if (o == NULL)
		return -e->code;
	return port_flow_object_made(ps, p, PORT_PATTERN_TEMPLATE, o,
		rte_flow_pattern_template_create(id, &attr, rule->item, &error), &error, e);
}

int
port_flow_template_actions(struct ports *ps, uint16_t id, const struct flow_rule *rule,
	struct err *e)
{
	const struct rte_flow_attr *a = &rule->said.attr;
	const struct rte_flow_actions_template_attr attr = {
		.ingress = a->ingress,
		.egress = a->egress,
		.transfer = a->transfer,
	};
	struct port *p = port_find(ps, id, e);
	struct rte_flow_error error = { 0 };
	struct port_object *o;

	if (rule->n_actions != rule->n_masks)
		return err_set(e, EINVAL, "%u actions with %u masks: expected one mask per action",
			rule->n_actions, rule->n_masks);
	o = p != NULL ? port_flow_object_new(p, PORT_ACTIONS_TEMPLATE, rule->said.id, e) : NULL;
	if (o == NULL)
		return -e->code;
	return port_flow_object_made(ps, p, PORT_ACTIONS_TEMPLATE, o,
		rte_flow_actions_template_create(id, &attr, rule->action, rule->mask, &error),
		&error, e);
}

/* Look up the handles of templates by their numbers. */
static int
handles_find(const struct port *p, enum port_flow_object_kind kind, const uint32_t *number,
	uint32_t n, void **handle, struct err *e)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct port_object *o = port_flow_object_find(p, kind, number[i], e);

		if (o == NULL)
			return -e->code;
		handle[i] = o->handle;
	}
	return 0;
}

int
port_flow_template_table(struct ports *ps, uint16_t id, const struct flow_rule *rule, struct err *e)
{
	const struct flow_said *said = &rule->said;
	struct rte_flow_template_table_attr attr = { .flow_attr = said->attr,
		.nb_flows = said->flows };
	void *patterns[FLOW_NUMBERS], *actions[FLOW_NUMBERS];
	struct port *p = port_find(ps, id, e);
	struct rte_flow_error error = { 0 };
	struct port_object *o;

	if (p == NULL ||
		handles_find(p, PORT_PATTERN_TEMPLATE, said->number, said->n_numbers, patterns,
			e) != 0 ||
		handles_find(p, PORT_ACTIONS_TEMPLATE, said->other, said->n_others, actions, e) !=
			0)
		return -e->code;
	if (said->resizable && port_flow_since(24, 3, "resizable", e) != 0)
		return -e->code;
	compat_flow_table_special(&attr, said->resizable);
	o = port_flow_object_new(p, PORT_TABLE, said->id, e);
	if (o == NULL)
		return -e->code;
	o->attr = said->attr;
	o->n_patterns = said->n_numbers;
	o->n_actions = said->n_others;
	return port_flow_object_made(ps, p, PORT_TABLE, o,
		rte_flow_template_table_create(id, &attr,
			(struct rte_flow_pattern_template **)patterns, (uint8_t)said->n_numbers,
			(struct rte_flow_actions_template **)actions, (uint8_t)said->n_others,
			&error),
		&error, e);
}

static struct rte_flow_template_table *
table_find(const struct ports *ps, uint16_t id, uint32_t number, struct err *e)
{
	const struct port *p = port_find(ps, id, e);
	const struct port_object *o = p != NULL ? port_flow_object_find(p, PORT_TABLE, number, e)
						: NULL;

	return o != NULL ? o->handle : NULL;
}

int
port_flow_template_resize(struct ports *ps, uint16_t id, uint32_t table, uint32_t rules,
	struct err *e)
{
	struct rte_flow_template_table *t;
	struct rte_flow_error error = { 0 };

	if (port_flow_since(24, 3, "flow template_table resize", e) != 0)
		return -e->code;
	t = table_find(ps, id, table, e);
	if (t == NULL)
		return -e->code;
	return compat_flow_table_resize(id, t, rules, &error) == 0 ? 0 : port_flow_error(&error, e);
}

int
port_flow_template_resized(struct ports *ps, uint16_t id, uint32_t table, struct err *e)
{
	struct rte_flow_template_table *t;
	struct rte_flow_error error = { 0 };

	if (port_flow_since(24, 3, "flow template_table resize_complete", e) != 0)
		return -e->code;
	t = table_find(ps, id, table, e);
	if (t == NULL)
		return -e->code;
	return compat_flow_table_resize_complete(id, t, &error) == 0 ? 0
								     : port_flow_error(&error, e);
}

int
port_flow_template_hash(struct ports *ps, uint16_t id, uint32_t table, uint8_t pattern,
	const struct flow_rule *rule, struct err *e)
{
	struct rte_flow_template_table *t;
	struct rte_flow_error error = { 0 };
	uint32_t hash = 0;

	if (port_flow_since(23, 11, "flow hash", e) != 0)
		return -e->code;
	t = table_find(ps, id, table, e);
	if (t == NULL)
		return -e->code;
	if (compat_flow_table_hash(id, t, rule->item, pattern, &hash, &error) != 0)
		return port_flow_error(&error, e);
	out_u64(ps->out, "hash", "Hash results 0x%" PRIx64 "\n", hash);
	return 0;
}

int
port_flow_template_encap_hash(struct ports *ps, uint16_t id, bool source_port,
	const struct flow_rule *rule, struct err *e)
{
	struct rte_flow_error error = { 0 };
	uint8_t bytes[2] = { 0 };
	uint16_t hash;

	if (port_flow_since(24, 3, "flow hash encap", e) != 0 || port_find(ps, id, e) == NULL)
		return -e->code;
	if (compat_flow_encap_hash(id, rule->item, source_port, bytes, &error) != 0)
		return port_flow_error(&error, e);
	memcpy(&hash, bytes, sizeof(hash));
	out_u64(ps->out, "hash", "encap hash result %#" PRIx64 "\n", source_port ? hash : bytes[0]);
	return 0;
}

int
port_flow_template_miss(struct ports *ps, uint16_t id, const struct rte_flow_attr *group,
	const struct flow_rule *rule, struct err *e)
{
	struct rte_flow_error error = { 0 };

	if (port_flow_since(23, 11, "flow group", e) != 0 || port_find(ps, id, e) == NULL)
		return -e->code;
	if (compat_flow_group_miss(id, group, rule->action, &error) != 0)
		return port_flow_error(&error, e);
	out_say(ps->out, "Group #%u set miss actions succeeded\n", group->group);
	return 0;
}
