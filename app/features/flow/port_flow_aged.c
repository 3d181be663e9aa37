/* Show aged rules; destroy them one by one or through a queue. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/flow/port_flow_aged.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "features/flow/flow_priv.h"
#include "features/flow/port_flow.h"
#include "features/flow/port_flow_object.h"
#include "features/flow/port_flow_queue.h"
#include "port/port.h"

#include <rte_flow.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

enum { PULLS = 1000 }; /* number of pulls before giving up a queue */

/* Query of aged rules of a queue, NULL: of the port. destroy: destroy each rule when shown. */
struct asked {
	uint16_t port;
	const uint32_t *queue;
	bool destroy;
};

static int
ask(const struct asked *a, void **aged, uint32_t n, struct rte_flow_error *error)
{
	return a->queue != NULL ? rte_flow_get_q_aged_flows(a->port, *a->queue, aged, n, error)
				: rte_flow_get_aged_flows(a->port, aged, n, error);
}

/* Show an aged object. Returns its rule; NULL: it is an indirect action. */
static const struct port_flow *
one_show(struct out *o, const enum port_flow_age *age)
{
	const struct port_flow *f = (const void *)age;
	const struct port_object *action = (const void *)age;
	const bool is_rule = *age == PORT_AGE_FLOW;

	out_nest(o, NULL, OUT_OBJECT);
	out_str(o, "type", "%-20s\t", is_rule ? "Flow" : "Indirect action");
	out_u64(o, "number", "%" PRIu64, is_rule ? f->number : action->number);
	if (is_rule)
		out_text(o, "\t%" PRIu32 "\t%" PRIu32 "\t%c%c%c\t", f->rule.attr->group,
			f->rule.attr->priority, f->rule.attr->ingress ? 'i' : '-',
			f->rule.attr->egress ? 'e' : '-', f->rule.attr->transfer ? 't' : '-');
	out_text(o, "\n");
	out_unnest(o);
	return is_rule ? f : NULL;
}

/*
 * Show all aged objects; *any: whether there are some. Returns the numbers of aged rules, *n_rules
 * of them, which the caller frees; NULL with e filled.
 */
static uint64_t *
rules_show(struct ports *ps, const struct asked *a, uint32_t *n_rules, bool *any, struct err *e)
{
	struct rte_flow_error error = { 0 };
	int n = ask(a, NULL, 0, &error);
	uint64_t *rules = calloc(n > 0 ? (size_t)n : 1, sizeof(*rules));
	void **aged = calloc(n > 0 ? (size_t)n : 1, sizeof(*aged));

	*n_rules = 0;
	if (a->queue == NULL)
		out_text(ps->out, "Port %u total aged flows: %d\n", a->port, n);
	else if (n >= 0)
		out_text(ps->out, "Port %u queue %u total aged flows: %d\n", a->port, *a->queue, n);
	if (n > 0 && rules != NULL && aged != NULL)
		n = RTE_MIN(n, ask(a, aged, (uint32_t)n, &error));
	if (rules == NULL || aged == NULL)
		err_set(e, ENOMEM, "no memory for %d aged rules", n);
	else if (n < 0)
		port_flow_error_of(-n, &error, e);
	*any = n > 0;
	if (*any)
		out_text(ps->out, "%-20s\tID\tGroup\tPrio\tAttr\n", "Type");
	out_nest(ps->out, "aged", OUT_ARRAY);
	for (int i = 0; e->code == 0 && i < n; i++) {
		const struct port_flow *f = aged[i] != NULL ? one_show(ps->out, aged[i]) : NULL;

		if (f == NULL)
			continue;
		rules[*n_rules] = f->number;
		*n_rules += !a->destroy || port_flow_destroy(ps, a->port, f->number, e) == 0;
	}
	out_unnest(ps->out);
	free(aged);
	if (e->code == 0)
		return rules;
	free(rules);
	return NULL;
}

int
port_flow_aged(struct ports *ps, uint16_t id, bool destroy, struct err *e)
{
	const struct asked port = { .port = id, .destroy = destroy };
	uint32_t n;
	uint64_t *rules;
	bool any;

	if (port_find(ps, id, e) == NULL)
		return -e->code;
	rules = rules_show(ps, &port, &n, &any, e);
	if (rules == NULL)
		return -e->code;
	if (any)
		out_u64(ps->out, "destroyed", "\n%" PRIu64 " flows destroyed\n", destroy ? n : 0);
	free(rules);
	return -e->code;
}

/* Destroy rules, at most as many as fit into the queue, and wait for the completions. */
static int
queue_destroy(struct ports *ps, struct port *p, const struct port_flow_queue *q,
	const struct flow_rule *rules, struct err *e)
{
	uint32_t done = 0;
	unsigned int good;

	if (port_flow_queue_destroy(ps, q, rules, e) != 0)
		return -e->code;
	if (rte_flow_push(q->port, q->queue, NULL) < 0)
		return err_set(e, EIO, "Failed to push operations in the queue");
	for (unsigned int i = 0; i < PULLS && done < rules->said.n_numbers; i++) {
		int n = port_flow_queue_end(ps, p, q->queue, &good, e);

		if (n < 0)
			return n;
		done += (uint32_t)n;
	}
	return done == rules->said.n_numbers
		? 0
		: err_set(e, EAGAIN, "Queue #%u: %u of %u rules are not destroyed yet", q->queue,
			  rules->said.n_numbers - done, rules->said.n_numbers);
}

/* Destroy n rules in batches that fit into the queue. */
static int
queue_destroy_all(struct ports *ps, struct port *p, const struct port_flow_queue *q,
	const uint64_t *number, uint32_t n, struct err *e)
{
	const uint32_t most = RTE_MIN(port_flows(p)->queue_size, (uint32_t)FLOW_NUMBERS);
	struct flow_rule *rules = calloc(1, sizeof(*rules));

	if (rules == NULL)
		return err_set(e, ENOMEM, "no memory for flow rules");
	rules->said.postpone = 1;
	for (uint32_t i = 0; i < n && e->code == 0; i += rules->said.n_numbers) {
		rules->said.n_numbers = RTE_MIN(most, n - i);
		for (uint32_t k = 0; k < rules->said.n_numbers; k++)
			rules->said.number[k] = (uint32_t)number[i + k];
		queue_destroy(ps, p, q, rules, e);
	}
	free(rules);
	return -e->code;
}

int
port_flow_aged_queue(struct ports *ps, const struct port_flow_queue *q, bool destroy, struct err *e)
{
	const struct asked queue = { .port = q->port, .queue = &q->queue };
	struct port *p = port_find(ps, q->port, e);
	uint64_t *rules;
	uint32_t n;
	bool any;

	if (p == NULL)
		return -e->code;
	if (q->queue >= port_flows(p)->queues || port_flows(p)->queue_size == 0)
		return err_set(e, ENOENT, "Error: queue #%u is invalid", q->queue);
	rules = rules_show(ps, &queue, &n, &any, e);
	if (rules == NULL)
		return -e->code;
	if (!destroy)
		n = 0;
	if (queue_destroy_all(ps, p, q, rules, n, e) == 0 && any)
		out_u64(ps->out, "destroyed", "\n%" PRIu64 " flows destroyed\n", n);
	free(rules);
	return -e->code;
}
