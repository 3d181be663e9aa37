/* Commands of flow rules, with testpmd's words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/grammar/grammar.h"
#include "flow/flow_read.h"
#include "port/port_flow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Read a rule; the caller frees it. NULL with e filled. */
static struct flow_rule *
rule_read(const struct app *app, const struct args *a, struct err *e)
{
	const struct arg *text = arg_find(a, "rule");
	const struct flow_defaults defaults = port_flow_defaults(&app->ports);
	struct flow_rule *rule = calloc(1, sizeof(*rule));
	struct flow_reader r;

	if (rule == NULL) {
		err_set(e, ENOMEM, "no memory for a flow rule");
		return NULL;
	}
	flow_reader_open(&r, text->text, (size_t)text->column);
	if (flow_read(&r, &defaults, rule, e) == 0 && r.n > 0)
		flow_reader_fail(&r, EINVAL, "the rule has ended", e);
	flow_reader_close(&r);
	if (e->code == 0)
		return rule;
	free(rule);
	return NULL;
}

static int
rule_check(struct app *app, const struct args *a, struct err *e)
{
	free(rule_read(app, a, e));
	return -e->code;
}

static uint16_t
port_of(const struct args *a)
{
	return (uint16_t)arg_u64(a, "port", 0);
}

static int
flow_validate(struct app *app, const struct args *a, struct err *e)
{
	struct flow_rule *rule = rule_read(app, a, e);
	int ret = rule != NULL ? port_flow_validate(&app->ports, port_of(a), rule, e) : -e->code;

	free(rule);
	return ret;
}

static int
flow_create(struct app *app, const struct args *a, struct err *e)
{
	struct flow_rule *rule = rule_read(app, a, e);
	int ret = rule != NULL ? port_flow_create(&app->ports, port_of(a), rule, e) : -e->code;

	free(rule);
	return ret;
}

static int
flow_destroy(struct app *app, const struct args *a, struct err *e)
{
	static const char *const names[] = { "number", "second", "third", "fourth" };
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names) && arg_given(a, names[i]); i++)
		if (port_flow_destroy(&app->ports, port_of(a), arg_u64(a, names[i], 0), e) != 0)
			ret = -e->code;
	return ret;
}

static int
flow_flush(struct app *app, const struct args *a, struct err *e)
{
	return port_flow_flush(&app->ports, port_of(a), e);
}

static int
flow_query(struct app *app, const struct args *a, struct err *e)
{
	static const enum rte_flow_action_type types[] = { RTE_FLOW_ACTION_TYPE_COUNT,
		RTE_FLOW_ACTION_TYPE_RSS, RTE_FLOW_ACTION_TYPE_AGE };
	const struct rte_flow_action_count count = { 0 };
	const struct rte_flow_action action = { types[arg_u64(a, "action", 0)], &count };

	return port_flow_query(&app->ports, port_of(a), arg_u64(a, "number", 0), &action, e);
}

static int
flow_list(struct app *app, const struct args *a, struct err *e)
{
	const uint32_t group = (uint32_t)arg_u64(a, "number", 0);

	return port_flow_list(&app->ports, port_of(a), arg_given(a, "number") ? &group : NULL, e);
}

static int
flow_isolate(struct app *app, const struct args *a, struct err *e)
{
	return port_flow_isolate(&app->ports, port_of(a), arg_u64(a, "on", 0) % 2 != 0, e);
}

static int
flow_dump(struct app *app, const struct args *a, struct err *e)
{
	const uint64_t number = arg_u64(a, "number", 0);

	return port_flow_dump(&app->ports, port_of(a), arg_given(a, "number") ? &number : NULL,
		arg_str(a, "file", NULL), e);
}

static int
flow_aged(struct app *app, const struct args *a, struct err *e)
{
	return port_flow_aged(&app->ports, port_of(a), arg_given(a, "destroy"), e);
}

#define NUMBER "0..18446744073709551615"

static const struct cmd_row rows[] = {
	{ "flow validate <port:port> <rule:flow>", flow_validate,
		"ask a port's driver whether it would take a rule", NULL, NULL, rule_check },
	{ "flow create <port:port> <rule:flow>", flow_create, "make a rule, which gets a number",
		NULL, NULL, rule_check },
	{ "flow destroy <port:port> rule <number:uint " NUMBER "> [rule <second:uint " NUMBER
	  ">] [rule <third:uint " NUMBER ">] [rule <fourth:uint " NUMBER ">]",
		flow_destroy, "take rules away", NULL },
	{ "flow flush <port:port>", flow_flush, "take all rules of a port away", "flow flush 0" },
	{ "flow query <port:port> <number:uint " NUMBER "> <action:word count|rss|age>", flow_query,
		"what an action of a rule knows", NULL },
	{ "flow list <port:port> [group <number:uint 0..4294967295>]", flow_list,
		"rules of a port by group, priority and number", "flow list 0" },
	{ "flow isolate <port:port> <on:word 0|1|false|true|no|yes|off|on>", flow_isolate,
		"let only what rules name come in, or all again", NULL },
	{ "flow dump <port:port> all [<file:file>]", flow_dump,
		"what the driver has of all rules of a port", NULL },
	{ "flow dump <port:port> rule <number:uint " NUMBER "> [<file:file>]", flow_dump,
		"what the driver has of a rule", NULL },
	{ "flow aged <port:port> [destroy]", flow_aged,
		"rules that nothing has hit for longer than their action age says", NULL },
};

const struct cmd_table cmds_flow = { "flow", "flow rules", rows, ARRAY_SIZE(rows) };
