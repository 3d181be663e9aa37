/* Commands for templates of flow rules and for queues of operations on rules. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/commands/types_app.h"
#include "cmdline/grammar/grammar.h"
#include "features/flow/cmd_flow.h"
#include "features/flow/port_flow_aged.h"
#include "features/flow/port_flow_object.h"
#include "features/flow/port_flow_queue.h"

#include <stdlib.h>

static struct port_flow_queue
flow_queue_of(const struct args *a)
{
	return (struct port_flow_queue){ arg_port(a), (uint32_t)arg_u64(a, "queue", 0) };
}

/* A row that creates or configures something from the rest of its line. */
struct make_row {
	const struct flow_phrase *phrase;
	int (*make)(struct ports *ps, uint16_t id, const struct flow_rule *rule, struct err *e);
};

/* A row that destroys things: through a queue, or objects of a kind. */
struct destroy_row {
	const struct flow_phrase *phrase;
	int (*queue)(struct ports *ps, const struct port_flow_queue *q,
		const struct flow_rule *rule, struct err *e);
	enum port_flow_object_kind kind;
};

/* Works for make_row and destroy_row: phrase is the first member of both. */
static int
check(struct app *app, const struct args *a, struct err *e)
{
	const struct flow_phrase *const *phrase = a->data;

	return cmd_flow_check(app, a, *phrase, e);
}

static int
queued_check(struct app *app, const struct args *a, struct err *e)
{
	return cmd_flow_check(app, a, &flow_phrase_queued, e);
}

static int
make(struct app *app, const struct args *a, struct err *e)
{
	const struct make_row *row = a->data;
	struct flow_rule *rule = cmd_flow_read(app, a, arg_port(a), row->phrase, e);
	int ret = rule != NULL ? row->make(&app->ports, arg_port(a), rule, e) : -e->code;

	free(rule);
	return ret;
}

static int
destroy(struct app *app, const struct args *a, struct err *e)
{
	const struct destroy_row *row = a->data;
	const struct port_flow_queue q = flow_queue_of(a);
	struct flow_rule *rule = cmd_flow_read_numbers(app, a, arg_port(a), row->phrase, e);
	int ret;

	if (rule == NULL)
		return -e->code;
	ret = row->queue != NULL ? row->queue(&app->ports, &q, rule, e)
				 : port_flow_object_destroy(&app->ports, arg_port(a), row->kind,
					   rule->said.number, rule->said.n_numbers, e);
	free(rule);
	return ret;
}

static int
rule_create(struct app *app, const struct args *a, struct err *e)
{
	const struct port_flow_queue q = flow_queue_of(a);
	const uint8_t templates[] = { (uint8_t)arg_u64(a, "pattern", 0),
		(uint8_t)arg_u64(a, "actions", 0) };
	struct flow_rule *rule = cmd_flow_read(app, a, q.port, &flow_phrase_queued, e);
	int ret = rule != NULL
		? port_flow_queue_create(&app->ports, &q, arg_u64(a, "postpone", 0) % 2 != 0,
			  (uint32_t)arg_u64(a, "table", 0), templates, rule, e)
		: -e->code;

	free(rule);
	return ret;
}

static int
rule_update(struct app *app, const struct args *a, struct err *e)
{
	const struct port_flow_queue q = flow_queue_of(a);
	struct flow_rule *rule = cmd_flow_read(app, a, q.port, &flow_phrase_queued, e);
	int ret = rule != NULL
		? port_flow_queue_update(&app->ports, &q, arg_u64(a, "postpone", 0) % 2 != 0,
			  (uint32_t)arg_u64(a, "number", 0), (uint8_t)arg_u64(a, "actions", 0),
			  rule, e)
		: -e->code;

	free(rule);
	return ret;
}

static int
rule_update_resized(struct app *app, const struct args *a, struct err *e)
{
	const struct port_flow_queue q = flow_queue_of(a);

	return port_flow_queue_update_resized(&app->ports, &q, (uint32_t)arg_u64(a, "number", 0),
		e);
}

static int
table_resize(struct app *app, const struct args *a, struct err *e)
{
	return port_flow_template_resize(&app->ports, arg_port(a), (uint32_t)arg_u64(a, "table", 0),
		(uint32_t)arg_u64(a, "rules", 0), e);
}

static int
table_resized(struct app *app, const struct args *a, struct err *e)
{
	return port_flow_template_resized(&app->ports, arg_port(a),
		(uint32_t)arg_u64(a, "table", 0), e);
}

/* Show the hash for a table if the line names one, else for a tunnel header. */
static int
hash_show(struct app *app, const struct args *a, struct err *e)
{
	struct flow_rule *rule = cmd_flow_read(app, a, arg_port(a), &flow_phrase_matched, e);
	int ret;

	if (rule == NULL)
		return -e->code;
	ret = arg_given(a, "table") ? port_flow_template_hash(&app->ports, arg_port(a),
					      (uint32_t)arg_u64(a, "table", 0),
					      (uint8_t)arg_u64(a, "pattern", 0), rule, e)
				    : port_flow_template_encap_hash(&app->ports, arg_port(a),
					      arg_is(a, "field", "hash_field_sport"), rule, e);
	free(rule);
	return ret;
}

static int
group_miss(struct app *app, const struct args *a, struct err *e)
{
	const struct rte_flow_attr group = { .group = (uint32_t)arg_u64(a, "group", 0),
		.ingress = arg_given(a, "ingress"),
		.egress = arg_given(a, "egress"),
		.transfer = arg_given(a, "transfer") };
	struct flow_rule *rule = cmd_flow_read(app, a, arg_port(a), &flow_phrase_missed, e);
	int ret = rule != NULL ? port_flow_template_miss(&app->ports, arg_port(a), &group, rule, e)
			       : -e->code;

	free(rule);
	return ret;
}

static int
indirect_query_update(struct app *app, const struct args *a, struct err *e)
{
	const struct port_flow_queue q = flow_queue_of(a);
	struct flow_rule *rule = cmd_flow_read(app, a, q.port, &flow_phrase_queued_action, e);
	int ret = rule != NULL ? port_flow_queue_indirect_query_update(&app->ports, &q,
					 (uint32_t)arg_u64(a, "number", 0),
					 arg_is(a, "mode", "update_first"), rule, e)
			       : -e->code;

	free(rule);
	return ret;
}

static int
indirect_create(struct app *app, const struct args *a, struct err *e)
{
	const struct port_flow_queue q = flow_queue_of(a);
	struct flow_rule *rule = cmd_flow_read(app, a, q.port, &flow_phrase_queued_indirect, e);
	int ret = rule != NULL ? port_flow_queue_indirect_create(&app->ports, &q, rule, e)
			       : -e->code;

	free(rule);
	return ret;
}

static int
indirect_update(struct app *app, const struct args *a, struct err *e)
{
	const struct port_flow_queue q = flow_queue_of(a);
	struct flow_rule *rule = cmd_flow_read(app, a, q.port, &flow_phrase_queued_action, e);
	int ret = rule != NULL ? port_flow_queue_indirect_update(&app->ports, &q,
					 (uint32_t)arg_u64(a, "number", 0), rule, e)
			       : -e->code;

	free(rule);
	return ret;
}

static int
indirect_query(struct app *app, const struct args *a, struct err *e)
{
	const struct port_flow_queue q = flow_queue_of(a);

	return port_flow_queue_indirect_query(&app->ports, &q, (uint32_t)arg_u64(a, "number", 0),
		arg_u64(a, "postpone", 0) % 2 != 0, e);
}

static int
aged_show(struct app *app, const struct args *a, struct err *e)
{
	const struct port_flow_queue q = flow_queue_of(a);

	return port_flow_aged_queue(&app->ports, &q, arg_given(a, "destroy"), e);
}

static int
push(struct app *app, const struct args *a, struct err *e)
{
	const struct port_flow_queue q = flow_queue_of(a);

	return port_flow_queue_push(&app->ports, &q, e);
}

static int
pull(struct app *app, const struct args *a, struct err *e)
{
	const struct port_flow_queue q = flow_queue_of(a);

	return port_flow_queue_pull(&app->ports, &q, e);
}

#define U32 "uint 0..4294967295"
#define QUEUE "<queue:" U32 ">"
#define ONOFF "word 0|1|false|true|no|yes|off|on"
#define MAKE(...) \
	&(const struct make_row) \
	{ \
		__VA_ARGS__ \
	}
#define DESTROY(...) \
	&(const struct destroy_row) \
	{ \
		__VA_ARGS__ \
	}
#define SIDES "[ingress] [egress] [transfer] "

static const struct cmd_row rows[] = {
	{ "flow info <port:port>", arg_on_port, "show a port's resources for flow rule queues",
		NULL, ARG_ON_PORT(port_flow_template_info) },
	{ "flow configure <port:port> [<words:flow configure>]", make,
		"configure flow rule queues: queues_number N, queues_size N, counters_number N, aging_counters_number N, "
		"meters_number N, conn_tracks_number N, flags N",
		NULL, MAKE(&flow_phrase_configure, port_flow_template_configure), check },
	{ "flow pattern_template <port:port> create <words:flow pattern>", make,
		"create a pattern template: [pattern_template_id N] [relaxed on|off] " SIDES
		"template ITEM [/ ITEM ...] / end",
		NULL, MAKE(&flow_phrase_pattern, port_flow_template_pattern), check },
	{ "flow pattern_template <port:port> destroy <words:flow patterns>", destroy,
		"destroy pattern templates: pattern_template N [pattern_template N ...]", NULL,
		DESTROY(&flow_phrase_patterns, .kind = PORT_PATTERN_TEMPLATE), check },
	{ "flow actions_template <port:port> create <words:flow masked>", make,
		"create an actions template: [actions_template_id N] " SIDES
		"template ACTION [/ ACTION ...] / end mask ACTION [/ ACTION ...] / end",
		NULL, MAKE(&flow_phrase_masked, port_flow_template_actions), check },
	{ "flow actions_template <port:port> destroy <words:flow maskeds>", destroy,
		"destroy actions templates: actions_template N [actions_template N ...]", NULL,
		DESTROY(&flow_phrase_maskeds, .kind = PORT_ACTIONS_TEMPLATE), check },
	{ "flow template_table <port:port> create <words:flow table>", make,
		"create a table of templates: [table_id N] [group N] [priority N] " SIDES
		"[resizable] rules_number N pattern_template N ... actions_template N ...",
		NULL, MAKE(&flow_phrase_table, port_flow_template_table), check },
	{ "flow template_table <port:port> destroy <words:flow tables>", destroy,
		"destroy template tables: table N [table N ...]", NULL,
		DESTROY(&flow_phrase_tables, .kind = PORT_TABLE), check },
	{ "flow template_table <port:port> resize table_resize_id <table:" U32
	  "> table_resize_rules_num <rules:" U32 ">",
		table_resize, "set the number of rules of a resizable table; needs DPDK 24.03",
		NULL },
	{ "flow template_table <port:port> resize_complete table <table:" U32 ">", table_resized,
		"complete the resize of a table after its rules were moved; needs DPDK 24.03",
		NULL },
	{ "flow group <port:port> group_id <group:" U32
	  "> (ingress|egress|transfer) set_miss_actions <words:flow missed>",
		group_miss,
		"set the actions for packets that no rule of a group matches: ACTION [/ ACTION ...] / end; "
		"needs DPDK 23.11",
		NULL },
	{ "flow group <port:port> group_id <group:" U32 "> set_miss_actions <words:flow missed>",
		group_miss,
		"set the actions for packets of all directions that no rule of a group matches: ACTION [/ ACTION ...] / end; needs DPDK 23.11",
		NULL },
	{ "flow hash <port:port> template_table <table:" U32
	  "> pattern_template <pattern:uint 0..255> <words:flow matched>",
		hash_show,
		"compute the NIC's hash of a packet for a template table: pattern ITEM ... / end; needs DPDK 23.11",
		NULL },
	{ "flow hash <port:port> template_table <table:" U32
	  "> pattern_template <pattern:uint 0..255> actions_template <actions:uint 0..255> "
	  "<words:flow matched>",
		hash_show,
		"compute the NIC's hash of a packet for a template table; the actions template has no effect",
		NULL },
	{ "flow hash <port:port> encap <field:word hash_field_sport|hash_field_flow_id> "
	  "<words:flow matched>",
		hash_show,
		"compute the hash that a packet's tunnel header carries: pattern ITEM ... / end; needs DPDK 24.03",
		NULL },
	{ "flow queue <port:port> create " QUEUE " template_table <table:" U32
	  "> pattern_template <pattern:uint 0..255> actions_template <actions:uint 0..255> "
	  "postpone <postpone:" ONOFF "> <words:flow queued>",
		rule_create,
		"enqueue the creation of a rule in a table: pattern ITEM ... / end actions ACTION ... / end",
		NULL, NULL, queued_check },
	{ "flow queue <port:port> destroy " QUEUE " <words:flow queued_rules>", destroy,
		"enqueue the destruction of rules: [postpone on|off] rule N [rule N ...]", NULL,
		DESTROY(&flow_phrase_queued_rules, port_flow_queue_destroy), check },
	{ "flow queue <port:port> update " QUEUE " rule <number:" U32
	  "> actions_template <actions:uint 0..255> postpone <postpone:" ONOFF
	  "> <words:flow queued>",
		rule_update,
		"enqueue an update of a rule's actions: pattern ITEM ... / end actions ACTION ... / end, with the "
		"unchanged pattern; needs DPDK 23.07",
		NULL, NULL, queued_check },
	{ "flow queue <port:port> update_resized " QUEUE " rule <number:" U32 ">",
		rule_update_resized,
		"enqueue the move of a rule in a resized table; needs DPDK 24.03", NULL },
	{ "flow queue <port:port> aged " QUEUE " [destroy]", aged_show,
		"list the aged rules of a queue; destroy: and destroy them", NULL },
	{ "flow queue <port:port> indirect_action " QUEUE " create <words:flow queued_indirect>",
		indirect_create,
		"enqueue the creation of an indirect action: [action_id N] " SIDES
		"[postpone on|off] action ACTION / end",
		NULL },
	{ "flow queue <port:port> indirect_action " QUEUE " update <number:" U32
	  "> <words:flow queued_action>",
		indirect_update,
		"enqueue an update of an indirect action: [postpone on|off] action ACTION / end",
		NULL },
	{ "flow queue <port:port> indirect_action " QUEUE " destroy <words:flow queued_actions>",
		destroy,
		"enqueue the destruction of indirect actions: [postpone on|off] action_id N [action_id N ...]",
		NULL, DESTROY(&flow_phrase_queued_actions, port_flow_queue_indirect_destroy),
		check },
	{ "flow queue <port:port> indirect_action " QUEUE " query <number:" U32
	  "> [postpone <postpone:" ONOFF ">]",
		indirect_query,
		"enqueue a query of an indirect action; \"flow pull\" prints the answer", NULL },
	{ "flow queue <port:port> indirect_action " QUEUE " query_update <number:" U32
	  "> mode <mode:word query_first|update_first> <words:flow queued_action>",
		indirect_query_update,
		"enqueue an update and query of an indirect action: [postpone on|off] action ACTION / end; needs "
		"DPDK 23.03",
		NULL },
	{ "flow push <port:port> queue " QUEUE, push,
		"submit the pending operations of a queue to the NIC", NULL },
	{ "flow pull <port:port> queue " QUEUE, pull,
		"collect the results of completed operations from a queue", NULL },
};

const struct cmd_table cmds_flow_queue = { "flow", "flow rules", rows, ARRAY_SIZE(rows) };
