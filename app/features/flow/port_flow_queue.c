/* Operations on rules and indirect actions in a port's queues: enqueue, push, pull results. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "compat.h"
#include "features/flow/flow_priv.h"
#include "port/port.h"

#include <rte_flow.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/*
 * Errors of all commands: ENODEV; ENOENT no such queue, table, template, rule or action; the
 * driver's error, in testpmd's words. Thread: control, for all of this file.
 */

static uint32_t
queue_of(const struct args *a)
{
	return (uint32_t)arg_u64(a, "queue", 0);
}

/* The port of a queue, which must exist; NULL with e filled. */
static struct port *
queue_find(struct app *app, const struct args *a, struct err *e)
{
	struct port *p = port_find(&app->ports, arg_port(a), e);

	if (p == NULL || queue_of(a) < port_flows(p)->queues)
		return p;
	err_set(e, ENOENT, "Queue #%u is invalid", queue_of(a));
	return NULL;
}

static bool
is_postponed(const struct args *a)
{
	return arg_u64(a, "postpone", 0) % 2 != 0;
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

/* Free the job of an operation that the driver refused. Fills e with the driver's error. */
static int
job_refused(struct port *p, struct port_flow_job *j, const struct rte_flow_error *error,
	struct err *e)
{
	port_flow_error(error, e);
	port_flow_job_free(p, j);
	return -e->code;
}

/* Enqueue the creation of a rule in a table. It is in the port's list at once. JSON: {"flow"}. */
static int
rule_create(struct app *app, const struct args *a, struct flow_rule *rule, struct err *e)
{
	const struct rte_flow_op_attr attr = { .postpone = is_postponed(a) };
	/* indexes within the table */
	const uint8_t pattern = (uint8_t)arg_u64(a, "pattern", 0);
	const uint8_t actions = (uint8_t)arg_u64(a, "actions", 0);
	struct port *p = queue_find(app, a, e);
	const struct port_object *t;
	struct rte_flow_error error = { 0 };
	struct port_flow_job *job;
	struct rte_flow *handle;
	struct port_flow *f;

	if (p == NULL)
		return -e->code;
	t = port_flow_object_find(p, PORT_TABLE, (uint32_t)arg_u64(a, "table", 0), e);
	if (t == NULL || template_check("Pattern", pattern, t->n_patterns, e) != 0 ||
		template_check("Actions", actions, t->n_actions, e) != 0)
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
	handle = rte_flow_async_create(p->id, queue_of(a), &attr, t->handle, rule->item, pattern,
		rule->action, actions, job, &error);
	if (handle == NULL) {
		free(f);
		return job_refused(p, job, &error, e);
	}
	f->n_actions = t->n_actions;
	port_flow_add(p, f, handle);
	out_u64(app->ports.out, "flow", "Flow rule #%" PRIu64 " creation enqueued\n", f->number);
	return 0;
}

/* Enqueue an update of a rule's actions. ENOTSUP needs DPDK 23.07. */
static int
rule_update(struct app *app, const struct args *a, struct flow_rule *rule, struct err *e)
{
	const struct rte_flow_op_attr attr = { .postpone = is_postponed(a) };
	const uint8_t template = (uint8_t)arg_u64(a, "actions", 0); /* index within the table */
	struct rte_flow_error error = { 0 };
	struct port_flow **at, *changed;
	struct port_flow_job *job;
	struct port *p;

	if (port_flow_since(23, 7, "flow queue update", e) != 0)
		return -e->code;
	p = queue_find(app, a, e);
	if (p == NULL)
		return -e->code;
	at = port_flow_find(p, (uint32_t)arg_u64(a, "number", 0), e);
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
	if (compat_flow_async_actions_update(p->id, queue_of(a), &attr, changed->handle,
		    rule->action, template, job, &error) != 0) {
		free(changed);
		return job_refused(p, job, &error, e);
	}
	job->flow = *at;
	*at = changed;
	port_flow_job_rule(p, job->flow, changed);
	out_say(app->ports.out, "Flow rule #%" PRIu64 " update enqueued\n", changed->number);
	return 0;
}

/* Enqueue the move of a rule in a resized table. ENOTSUP needs DPDK 24.03. */
static int
rule_update_resized(struct app *app, const struct args *a, struct err *e)
{
	const struct rte_flow_op_attr attr = { 0 };
	struct rte_flow_error error = { 0 };
	struct port_flow_job *job;
	struct port_flow **at;
	struct port *p;

	if (port_flow_since(24, 3, "flow queue update_resized", e) != 0)
		return -e->code;
	p = queue_find(app, a, e);
	if (p == NULL)
		return -e->code;
	at = port_flow_find(p, (uint32_t)arg_u64(a, "number", 0), e);
	if (at == NULL)
		return -e->code;
	job = port_flow_job_new(p, JOB_OTHER, e);
	if (job == NULL)
		return -e->code;
	if (compat_flow_update_resized(p->id, queue_of(a), &attr, (*at)->handle, job, &error) != 0)
		return job_refused(p, job, &error, e);
	return 0;
}

static int
rule_destroy(struct ports *ps, struct port *p, uint32_t queue, bool postpone, uint64_t number,
	struct err *e)
{
	const struct rte_flow_op_attr attr = { .postpone = postpone };
	struct port_flow **at = port_flow_find(p, number, e);
	struct rte_flow_error error = { 0 };
	struct port_flow_job *job;

	if (at == NULL)
		return -e->code;
	job = port_flow_job_new(p, JOB_DESTROY, e);
	if (job == NULL)
		return -e->code;
	if (rte_flow_async_destroy(p->id, queue, &attr, (*at)->handle, job, &error) != 0)
		return job_refused(p, job, &error, e);
	job->flow = *at;
	*at = job->flow->next;
	port_flow_job_rule(p, job->flow, NULL);
	out_say(ps->out, "Flow rule #%" PRIu64 " destruction enqueued\n", number);
	return 0;
}

/* Enqueue the destruction of the rules said.number, up to the first that fails. */
static int
rules_enqueue_destroy(struct ports *ps, struct port *p, uint32_t queue,
	const struct flow_rule *rules, struct err *e)
{
	for (uint32_t i = 0; i < rules->said.n_numbers; i++)
		if (rule_destroy(ps, p, queue, rules->said.postpone, rules->said.number[i], e) != 0)
			return -e->code;
	return 0;
}

static int
rules_destroy(struct app *app, const struct args *a, struct flow_rule *rules, struct err *e)
{
	struct port *p = queue_find(app, a, e);

	if (p == NULL)
		return -e->code;
	return rules_enqueue_destroy(&app->ports, p, queue_of(a), rules, e);
}

/* Enqueue the creation of an indirect action. JSON: {"number"}. */
static int
indirect_create(struct app *app, const struct args *a, struct flow_rule *rule, struct err *e)
{
	const struct rte_flow_op_attr attr = { .postpone = rule->said.postpone };
	const struct rte_flow_indir_action_conf conf = { .ingress = rule->said.attr.ingress,
		.egress = rule->said.attr.egress,
		.transfer = rule->said.attr.transfer };
	struct port *p = queue_find(app, a, e);
	struct rte_flow_error error = { 0 };
	struct port_flow_job *job;
	struct port_object *o;

	if (p == NULL)
		return -e->code;
	o = port_flow_object_new(p, PORT_INDIRECT, rule->said.id, e);
	if (o == NULL)
		return -e->code;
	job = port_flow_job_new(p, JOB_INDIRECT, e);
	if (job == NULL) {
		port_flow_object_drop(p, PORT_INDIRECT, o);
		return -e->code;
	}
	job->object = o;
	o->type = (int)rule->action[0].type;
	port_flow_age_set(rule->action, &o->age);
	o->handle = rte_flow_async_action_handle_create(p->id, queue_of(a), &attr, &conf,
		rule->action, job, &error);
	if (o->handle == NULL) {
		port_flow_error(&error, e);
		port_flow_object_drop(p, PORT_INDIRECT, o);
		port_flow_job_free(p, job);
		return -e->code;
	}
	out_u64(app->ports.out, "number", "Indirect action #%" PRIu64 " creation queued\n",
		o->number);
	return 0;
}

/* The indirect action of the line, which its job refers to; NULL with e filled. */
static struct port_object *
action_find(const struct port *p, const struct args *a, struct err *e)
{
	return port_flow_object_find(p, PORT_INDIRECT, (uint32_t)arg_u64(a, "number", 0), e);
}

static int
indirect_update(struct app *app, const struct args *a, struct flow_rule *rule, struct err *e)
{
	const struct rte_flow_op_attr attr = { .postpone = rule->said.postpone };
	struct port *p = queue_find(app, a, e);
	struct rte_flow_update_meter_mark mark;
	struct rte_flow_error error = { 0 };
	struct port_flow_job *job;
	struct port_object *o;

	if (p == NULL)
		return -e->code;
	o = action_find(p, a, e);
	if (o == NULL)
		return -e->code;
	job = port_flow_job_new(p, JOB_OTHER, e);
	if (job == NULL)
		return -e->code;
	if (rte_flow_async_action_handle_update(p->id, queue_of(a), &attr, o->handle,
		    port_flow_indirect_change(o->type, rule->action, &mark), job, &error) != 0)
		return job_refused(p, job, &error, e);
	out_say(app->ports.out, "Indirect action #%u update queued\n", o->number);
	return 0;
}

static int
indirect_destroy(struct app *app, const struct args *a, struct port *p, bool postpone,
	uint32_t number, struct err *e)
{
	const struct rte_flow_op_attr attr = { .postpone = postpone };
	struct port_object *o = port_flow_object_find(p, PORT_INDIRECT, number, e);
	struct rte_flow_error error = { 0 };
	struct port_flow_job *job;

	if (o == NULL)
		return -e->code;
	job = port_flow_job_new(p, JOB_OTHER, e);
	if (job == NULL)
		return -e->code;
	if (rte_flow_async_action_handle_destroy(p->id, queue_of(a), &attr, o->handle, job,
		    &error) != 0)
		return job_refused(p, job, &error, e);
	port_flow_object_take(p, PORT_INDIRECT, o);
	job->kind = JOB_INDIRECT_DESTROY;
	job->object = o;
	out_say(app->ports.out, "Indirect action #%u destruction queued\n", number);
	return 0;
}

static int
indirects_destroy(struct app *app, const struct args *a, struct flow_rule *rule, struct err *e)
{
	struct port *p = queue_find(app, a, e);

	if (p == NULL)
		return -e->code;
	for (uint32_t i = 0; i < rule->said.n_numbers; i++)
		if (indirect_destroy(app, a, p, rule->said.postpone, rule->said.number[i], e) != 0)
			return -e->code;
	return 0;
}

static int
indirect_query(struct app *app, const struct args *a, struct err *e)
{
	const struct rte_flow_op_attr attr = { .postpone = is_postponed(a) };
	struct port *p = queue_find(app, a, e);
	struct rte_flow_error error = { 0 };
	struct port_flow_job *job;
	struct port_object *o;

	if (p == NULL)
		return -e->code;
	o = action_find(p, a, e);
	if (o == NULL)
		return -e->code;
	job = port_flow_job_new(p, JOB_QUERY, e);
	if (job == NULL)
		return -e->code;
	job->object = o;
	if (rte_flow_async_action_handle_query(p->id, queue_of(a), &attr, o->handle, &job->stats,
		    job, &error) != 0)
		return job_refused(p, job, &error, e);
	out_say(app->ports.out, "Indirect action #%u update queued\n", o->number);
	return 0;
}

/* Enqueue an update and query in one operation, in either order. ENOTSUP needs DPDK 23.03. */
static int
indirect_query_update(struct app *app, const struct args *a, struct flow_rule *rule, struct err *e)
{
	const struct rte_flow_op_attr attr = { .postpone = rule->said.postpone };
	struct rte_flow_error error = { 0 };
	struct port_flow_job *job;
	struct port_object *o;
	struct port *p;

	if (port_flow_since(23, 3, "query_update", e) != 0)
		return -e->code;
	p = queue_find(app, a, e);
	if (p == NULL)
		return -e->code;
	o = action_find(p, a, e);
	if (o == NULL)
		return -e->code;
	job = port_flow_job_new(p, JOB_QUERY, e);
	if (job == NULL)
		return -e->code;
	job->object = o;
	if (compat_flow_query_update(p->id, queue_of(a), &attr, o->handle, rule->action,
		    &job->stats, arg_is(a, "mode", "update_first"), job, &error) != 0)
		return job_refused(p, job, &error, e);
	out_say(app->ports.out, "port-%u: indirect action #%u update-and-query queued\n", p->id,
		o->number);
	return 0;
}

/* Submit the enqueued operations to the NIC. */
static int
push(struct app *app, const struct args *a, struct err *e)
{
	struct port *p = queue_find(app, a, e);
	struct rte_flow_error error = { 0 };
	int ret;

	if (p == NULL)
		return -e->code;
	ret = rte_flow_push(p->id, queue_of(a), &error);
	if (ret < 0)
		return err_set(e, -ret, "Failed to push operations in the queue");
	out_say(app->ports.out, "Queue #%u operations pushed\n", queue_of(a));
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

/*
 * Collect results and print only those of queries. Returns their number, or -errno; *good: the
 * number of successes. Rules and actions that were not created are removed.
 */
static int
results_pull(struct ports *ps, struct port *p, uint32_t queue, unsigned int *good, struct err *e)
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

/* Collect results and show those of queries. JSON: {"operations", "failed", "succeeded"}. */
static int
pull(struct app *app, const struct args *a, struct err *e)
{
	struct out *o = app->ports.out;
	struct port *p = queue_find(app, a, e);
	unsigned int good;
	int n;

	if (p == NULL)
		return -e->code;
	n = results_pull(&app->ports, p, queue_of(a), &good, e);
	if (n < 0)
		return n;
	out_text(o, "Queue #%u pulled ", queue_of(a));
	out_i64(o, "operations", "%" PRId64 " operations ", n);
	out_i64(o, "failed", "(%" PRId64 " failed, ", n - (int)good);
	out_i64(o, "succeeded", "%" PRId64 " succeeded)\n", good);
	return 0;
}

enum { PULLS = 1000 }; /* number of pulls before giving up a queue */

/* Destroy rules, at most as many as fit into the queue, and wait for the completions. */
static int
queue_destroy(struct ports *ps, struct port *p, uint32_t queue, const struct flow_rule *rules,
	struct err *e)
{
	uint32_t done = 0;
	unsigned int good;

	if (rules_enqueue_destroy(ps, p, queue, rules, e) != 0)
		return -e->code;
	if (rte_flow_push(p->id, queue, NULL) < 0)
		return err_set(e, EIO, "Failed to push operations in the queue");
	for (unsigned int i = 0; i < PULLS && done < rules->said.n_numbers; i++) {
		int n = results_pull(ps, p, queue, &good, e);

		if (n < 0)
			return n;
		done += (uint32_t)n;
	}
	return done == rules->said.n_numbers
		? 0
		: err_set(e, EAGAIN, "Queue #%u: %u of %u rules are not destroyed yet", queue,
			  rules->said.n_numbers - done, rules->said.n_numbers);
}

/* Destroy n rules in batches that fit into the queue. */
static int
queue_destroy_all(struct ports *ps, struct port *p, uint32_t queue, const uint64_t *number,
	uint32_t n, struct err *e)
{
	const uint32_t most = RTE_MIN(port_flows(p)->queue_size, (uint32_t)FLOW_NUMBERS);
	struct flow_rule *rules = calloc(1, sizeof(*rules));
	int ret = 0;

	if (rules == NULL)
		return err_set(e, ENOMEM, "no memory for flow rules");
	rules->said.postpone = 1;
	for (uint32_t i = 0; i < n && ret == 0; i += rules->said.n_numbers) {
		rules->said.n_numbers = RTE_MIN(most, n - i);
		for (uint32_t k = 0; k < rules->said.n_numbers; k++)
			rules->said.number[k] = (uint32_t)number[i + k];
		ret = queue_destroy(ps, p, queue, rules, e);
	}
	free(rules);
	return ret;
}

/* Show the aged rules of a queue; destroy: also destroy them. JSON: {"aged": [], "destroyed"}. */
static int
aged_show(struct app *app, const struct args *a, struct err *e)
{
	const uint32_t number = (uint32_t)arg_u64(a, "queue", 0);
	const struct port_flow_aged queue = { .port = arg_port(a), .queue = &number };
	struct ports *ps = &app->ports;
	struct port *p = port_find(ps, queue.port, e);
	uint64_t *rules;
	uint32_t n;
	bool any;
	int ret;

	if (p == NULL)
		return -e->code;
	if (number >= port_flows(p)->queues || port_flows(p)->queue_size == 0)
		return err_set(e, ENOENT, "Error: queue #%u is invalid", number);
	rules = port_flow_aged_show(ps, &queue, &n, &any, e);
	if (rules == NULL)
		return -e->code;
	if (!arg_given(a, "destroy"))
		n = 0;
	ret = queue_destroy_all(ps, p, number, rules, n, e);
	if (ret == 0 && any)
		out_u64(ps->out, "destroyed", "\n%" PRIu64 " flows destroyed\n", n);
	free(rules);
	return ret;
}

#define U32 "uint 0..4294967295"
#define QUEUE "<queue:" U32 ">"
#define ONOFF "word 0|1|false|true|no|yes|off|on"

static const struct cmd_row rows[] = {
	{ "flow queue <port:port> create " QUEUE " template_table <table:" U32
	  "> pattern_template <pattern:uint 0..255> actions_template <actions:uint 0..255> "
	  "postpone <postpone:" ONOFF "> <words:flow queued>",
		cmd_flow_run,
		"enqueue the creation of a rule in a table: pattern ITEM ... / end actions ACTION ... / end",
		NULL, CMD_FLOW(&flow_phrase_queued, rule_create), cmd_flow_check },
	{ "flow queue <port:port> destroy " QUEUE " <words:flow queued_rules>", cmd_flow_run,
		"enqueue the destruction of rules: [postpone on|off] rule N [rule N ...]", NULL,
		CMD_FLOW(&flow_phrase_queued_rules, rules_destroy, true), cmd_flow_check },
	{ "flow queue <port:port> update " QUEUE " rule <number:" U32
	  "> actions_template <actions:uint 0..255> postpone <postpone:" ONOFF
	  "> <words:flow queued>",
		cmd_flow_run,
		"enqueue an update of a rule's actions: pattern ITEM ... / end actions ACTION ... / end, with the "
		"unchanged pattern; needs DPDK 23.07",
		NULL, CMD_FLOW(&flow_phrase_queued, rule_update), cmd_flow_check },
	{ "flow queue <port:port> update_resized " QUEUE " rule <number:" U32 ">",
		rule_update_resized,
		"enqueue the move of a rule in a resized table; needs DPDK 24.03", NULL },
	{ "flow queue <port:port> aged " QUEUE " [destroy]", aged_show,
		"list the aged rules of a queue; destroy: and destroy them", NULL },
	{ "flow queue <port:port> indirect_action " QUEUE " create <words:flow queued_indirect>",
		cmd_flow_run,
		"enqueue the creation of an indirect action: [action_id N] "
		"[ingress] [egress] [transfer] "
		"[postpone on|off] action ACTION / end",
		NULL, CMD_FLOW(&flow_phrase_queued_indirect, indirect_create) },
	{ "flow queue <port:port> indirect_action " QUEUE " update <number:" U32
	  "> <words:flow queued_action>",
		cmd_flow_run,
		"enqueue an update of an indirect action: [postpone on|off] action ACTION / end",
		NULL, CMD_FLOW(&flow_phrase_queued_action, indirect_update) },
	{ "flow queue <port:port> indirect_action " QUEUE " destroy <words:flow queued_actions>",
		cmd_flow_run,
		"enqueue the destruction of indirect actions: [postpone on|off] action_id N [action_id N ...]",
		NULL, CMD_FLOW(&flow_phrase_queued_actions, indirects_destroy, true),
		cmd_flow_check },
	{ "flow queue <port:port> indirect_action " QUEUE " query <number:" U32
	  "> [postpone <postpone:" ONOFF ">]",
		indirect_query,
		"enqueue a query of an indirect action; \"flow pull\" prints the answer", NULL },
	{ "flow queue <port:port> indirect_action " QUEUE " query_update <number:" U32
	  "> mode <mode:word query_first|update_first> <words:flow queued_action>",
		cmd_flow_run,
		"enqueue an update and query of an indirect action: [postpone on|off] action ACTION / end; needs "
		"DPDK 23.03",
		NULL, CMD_FLOW(&flow_phrase_queued_action, indirect_query_update) },
	{ "flow push <port:port> queue " QUEUE, push,
		"submit the pending operations of a queue to the NIC", NULL },
	{ "flow pull <port:port> queue " QUEUE, pull,
		"collect the results of completed operations from a queue", NULL },
};

const struct cmd_table cmds_flow_queue = { "flow", "flow rules", rows, ARRAY_SIZE(rows), CMD_FLOW };
