/* Commands for flow rules, in testpmd's syntax. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/commands/types_app.h"
#include "cmdline/grammar/grammar.h"
#include "features/flow/cmd_flow.h"
#include "features/flow/language/flow_actions.h"
#include "features/flow/language/flow_items.h"
#include "features/flow/language/flow_read.h"
#include "features/flow/port_flow.h"
#include "features/flow/port_flow_aged.h"
#include "features/flow/port_flow_tunnel.h"

#include <errno.h>
#include <stdlib.h>

static int
rule_check(struct app *app, const struct args *a, struct err *e)
{
	return cmd_flow_check(app, a, &flow_phrase_rule, e);
}

static int
rules_check(struct app *app, const struct args *a, struct err *e)
{
	return cmd_flow_check(app, a, &flow_phrase_rules, e);
}

static int
flow_validate(struct app *app, const struct args *a, struct err *e)
{
	struct flow_rule *rule = cmd_flow_read(app, a, arg_port(a), &flow_phrase_rule, e);
	int ret = rule != NULL ? port_flow_validate(&app->ports, arg_port(a), rule, e) : -e->code;

	free(rule);
	return ret;
}

static int
flow_create(struct app *app, const struct args *a, struct err *e)
{
	struct flow_rule *rule = cmd_flow_read(app, a, arg_port(a), &flow_phrase_rule, e);
	int ret = rule != NULL ? port_flow_create(&app->ports, arg_port(a), rule, e) : -e->code;

	free(rule);
	return ret;
}

static int
flow_destroy(struct app *app, const struct args *a, struct err *e)
{
	struct flow_rule *rule = cmd_flow_read_numbers(app, a, arg_port(a), &flow_phrase_rules, e);
	int ret = 0;

	if (rule == NULL)
		return -e->code;
	for (uint32_t i = 0; i < rule->said.n_numbers; i++)
		if (port_flow_destroy(&app->ports, arg_port(a), rule->said.number[i], e) != 0)
			ret = -e->code;
	free(rule);
	return ret;
}

static int
flow_query(struct app *app, const struct args *a, struct err *e)
{
	static const enum rte_flow_action_type types[] = { RTE_FLOW_ACTION_TYPE_COUNT,
		RTE_FLOW_ACTION_TYPE_RSS, RTE_FLOW_ACTION_TYPE_AGE };
	const struct rte_flow_action_count count = { 0 };
	const struct rte_flow_action action = { types[arg_u64(a, "action", 0)], &count };

	return port_flow_query(&app->ports, arg_port(a), arg_u64(a, "number", 0), &action, e);
}

static int
flow_list(struct app *app, const struct args *a, struct err *e)
{
	const uint32_t group = (uint32_t)arg_u64(a, "number", 0);

	return port_flow_list(&app->ports, arg_port(a), arg_given(a, "number") ? &group : NULL, e);
}

static int
flow_isolate(struct app *app, const struct args *a, struct err *e)
{
	return port_flow_isolate(&app->ports, arg_port(a), arg_u64(a, "on", 0) % 2 != 0, e);
}

static int
flow_dump(struct app *app, const struct args *a, struct err *e)
{
	const uint64_t number = arg_u64(a, "number", 0);

	return port_flow_dump(&app->ports, arg_port(a), arg_given(a, "number") ? &number : NULL,
		arg_str(a, "file", NULL), e);
}

static int
flow_aged(struct app *app, const struct args *a, struct err *e)
{
	return port_flow_aged(&app->ports, arg_port(a), arg_given(a, "destroy"), e);
}

static int
flow_update(struct app *app, const struct args *a, struct err *e)
{
	struct flow_rule *rule = cmd_flow_read(app, a, arg_port(a), &flow_phrase_update, e);
	int ret = rule != NULL
		? port_flow_update(&app->ports, arg_port(a), arg_u64(a, "number", 0), rule, e)
		: -e->code;

	free(rule);
	return ret;
}

static int
tunnel_create(struct app *app, const struct args *a, struct err *e)
{
	return port_flow_tunnel_create(&app->ports, arg_port(a), arg_str(a, "type", ""), e);
}

static int
tunnel_destroy(struct app *app, const struct args *a, struct err *e)
{
	return port_flow_tunnel_destroy(&app->ports, arg_port(a), (uint32_t)arg_u64(a, "number", 0),
		e);
}

static int
flex_create(struct app *app, const struct args *a, struct err *e)
{
	return port_flow_flex_create(&app->ports, arg_port(a), (uint32_t)arg_u64(a, "number", 0),
		arg_str(a, "file", ""), e);
}

static int
flex_destroy(struct app *app, const struct args *a, struct err *e)
{
	return port_flow_flex_destroy(&app->ports, arg_port(a), (uint32_t)arg_u64(a, "number", 0),
		e);
}

static int
words_show(struct app *app, const struct args *a, struct err *e)
{
	if (arg_given(a, "items"))
		flow_show(app->out, "items", flow_items, flow_items_n);
	else
		flow_show(app->out, "actions", flow_actions, flow_actions_n);
	return 0;
}

#define NUMBER "0..18446744073709551615"

static const struct cmd_row rows[] = {
	{ "flow validate <port:port> <words:flow rule>", flow_validate,
		"check whether a port's driver accepts a rule", NULL, NULL, rule_check },
	{ "flow create <port:port> <words:flow rule>", flow_create,
		"create a rule and print its number", NULL, NULL, rule_check },
	{ "flow update <port:port> <number:uint " NUMBER "> <words:flow update>", flow_update,
		"replace the actions of a rule: actions ACTION [/ ACTION ...] / end; needs DPDK 23.07",
		NULL },
	{ "flow destroy <port:port> <words:flow rules>", flow_destroy,
		"destroy rules: rule N [rule N ...]", NULL, NULL, rules_check },
	{ "flow flush <port:port>", arg_on_port, "destroy all rules of a port", "flow flush 0",
		ARG_ON_PORT(port_flow_flush) },
	{ "flow query <port:port> <number:uint " NUMBER "> <action:word count|rss|age>", flow_query,
		"query an action of a rule: its counters, RSS configuration or age", NULL },
	{ "flow list <port:port> [group <number:uint 0..4294967295>]", flow_list,
		"list the rules of a port by group, priority and number", "flow list 0" },
	{ "flow isolate <port:port> <on:word 0|1|false|true|no|yes|off|on>", flow_isolate,
		"receive only the traffic that rules match, or all traffic again", NULL },
	{ "flow dump <port:port> all [<file:file>]", flow_dump,
		"dump the driver's data of all rules of a port", NULL },
	{ "flow dump <port:port> rule <number:uint " NUMBER "> [<file:file>]", flow_dump,
		"dump the driver's data of a rule", NULL },
	{ "flow aged <port:port> [destroy]", flow_aged,
		"list rules without a hit for longer than their action age allows; destroy: and destroy them",
		NULL },
	{ "flow tunnel create <port:port> type <type:word vxlan|gre|nvgre|geneve>", tunnel_create,
		"create a tunnel object, used in rules by tunnel_set and tunnel_match",
		"flow tunnel create 0 type vxlan" },
	{ "flow tunnel destroy <port:port> id <number:uint 0..4294967295>", tunnel_destroy,
		"destroy a tunnel object", NULL },
	{ "flow tunnel list <port:port>", arg_on_port, "list the tunnel objects of a port",
		"flow tunnel list 0", ARG_ON_PORT(port_flow_tunnel_list) },
	{ "flow flex_item create <port:port> <number:uint 0..7> <file:file>", flex_create,
		"create a flex item: a custom header for rules to match, described by a JSON file",
		NULL },
	{ "flow flex_item destroy <port:port> <number:uint 0..7>", flex_destroy,
		"destroy a flex item", NULL },
	{ "show port <port:port> flow transfer proxy", arg_on_port,
		"show the port that manages the transfer rules of a port's switch", NULL,
		ARG_ON_PORT(port_flow_tunnel_proxy) },
	{ "show flow (items|actions)", words_show,
		"list the items or actions of rules and their fields", "show flow items" },
};

const struct cmd_table cmds_flow = { "flow", "flow rules", rows, ARRAY_SIZE(rows) };
