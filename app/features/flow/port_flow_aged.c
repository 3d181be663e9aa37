/* Show aged rules and destroy them one by one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "features/flow/flow_priv.h"
#include "features/flow/port_flow.h"
#include "port/port.h"

#include <rte_flow.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static int
ask(const struct port_flow_aged *a, void **aged, uint32_t n, struct rte_flow_error *error)
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

uint64_t *
port_flow_aged_show(struct ports *ps, const struct port_flow_aged *a, uint32_t *n_rules, bool *any,
	struct err *e)
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
port_flow_aged_port(struct app *app, const struct args *a, struct err *e)
{
	const struct port_flow_aged port = { .port = arg_port(a),
		.destroy = arg_given(a, "destroy") };
	struct ports *ps = &app->ports;
	uint32_t n;
	uint64_t *rules;
	bool any;

	if (port_find(ps, port.port, e) == NULL)
		return -e->code;
	rules = port_flow_aged_show(ps, &port, &n, &any, e);
	if (rules == NULL)
		return -e->code;
	if (any)
		out_u64(ps->out, "destroyed", "\n%" PRIu64 " flows destroyed\n",
			port.destroy ? n : 0);
	free(rules);
	return 0;
}
