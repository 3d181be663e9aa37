/* Commands for indirect actions of flow rules. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/commands/types_app.h"
#include "cmdline/grammar/grammar.h"
#include "features/flow/cmd_flow.h"
#include "features/flow/port_flow_indirect.h"

#include <stdlib.h>

static int
indirect_create(struct app *app, const struct args *a, struct err *e)
{
	struct flow_rule *rule = cmd_flow_read(app, a, arg_port(a), &flow_phrase_indirect, e);
	int ret = rule != NULL ? port_flow_indirect_create(&app->ports, arg_port(a), rule, e)
			       : -e->code;

	free(rule);
	return ret;
}

static int
indirect_update(struct app *app, const struct args *a, struct err *e)
{
	struct flow_rule *rule = cmd_flow_read(app, a, arg_port(a), &flow_phrase_action, e);
	int ret = rule != NULL ? port_flow_indirect_update(&app->ports, arg_port(a),
					 (uint32_t)arg_u64(a, "number", 0), rule, e)
			       : -e->code;

	free(rule);
	return ret;
}

static int
indirect_destroy(struct app *app, const struct args *a, struct err *e)
{
	struct flow_rule *rule =
		cmd_flow_read_numbers(app, a, arg_port(a), &flow_phrase_actions, e);
	int ret = rule != NULL ? port_flow_indirect_destroy(&app->ports, arg_port(a),
					 rule->said.number, rule->said.n_numbers, e)
			       : -e->code;

	free(rule);
	return ret;
}

static int
indirect_query(struct app *app, const struct args *a, struct err *e)
{
	return port_flow_indirect_query(&app->ports, arg_port(a), (uint32_t)arg_u64(a, "number", 0),
		e);
}

static int
indirect_query_update(struct app *app, const struct args *a, struct err *e)
{
	struct flow_rule *rule = cmd_flow_read(app, a, arg_port(a), &flow_phrase_action, e);
	int ret = rule != NULL ? port_flow_indirect_query_update(&app->ports, arg_port(a),
					 (uint32_t)arg_u64(a, "number", 0),
					 arg_is(a, "mode", "update_first"), rule, e)
			       : -e->code;

	free(rule);
	return ret;
}

static int
create_check(struct app *app, const struct args *a, struct err *e)
{
	return cmd_flow_check(app, a, &flow_phrase_indirect, e);
}

static int
update_check(struct app *app, const struct args *a, struct err *e)
{
	return cmd_flow_check(app, a, &flow_phrase_action, e);
}

#define NUMBER "<number:uint 0..4294967295>"

static const struct cmd_row rows[] = {
	{ "flow indirect_action <port:port> create <words:flow indirect>", indirect_create,
		"create an action that rules use by number: [action_id N] [ingress] [egress] [transfer] "
		"action ACTION / end",
		NULL, NULL, create_check },
	{ "flow indirect_action <port:port> update " NUMBER " <words:flow action>", indirect_update,
		"update an indirect action: action ACTION / end", NULL, NULL, update_check },
	{ "flow indirect_action <port:port> destroy <words:flow actions>", indirect_destroy,
		"destroy indirect actions: action_id N [action_id N ...]", NULL },
	{ "flow indirect_action <port:port> query " NUMBER, indirect_query,
		"query an indirect action count, age or conntrack", NULL },
	{ "flow indirect_action <port:port> query_update " NUMBER
	  " mode <mode:word query_first|update_first> <words:flow action>",
		indirect_query_update,
		"update and query an indirect action in one operation: action ACTION / end; needs DPDK 23.03",
		NULL, NULL, update_check },
};

const struct cmd_table cmds_flow_indirect = { "flow", "flow rules", rows, ARRAY_SIZE(rows) };
