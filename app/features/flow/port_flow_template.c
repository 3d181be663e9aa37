/* Templates of rules and tables of templates: a driver prepares them to create rules quickly. */
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
#include <string.h>

/*
 * Errors of all commands: ENODEV, ENOENT, EEXIST, E2BIG; the driver's error, in testpmd's words.
 * Thread: control, for all of this file.
 */

enum { QUEUES_MAX = 256 }; /* maximum number of queues of a port */

/* Show a driver's resources for queues of operations. */
static int
info_show(struct ports *ps, uint16_t id, struct err *e)
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

/* Configure said.queues queues with said.queue and said.port. */
static int
configure(struct app *app, const struct args *a, struct flow_rule *rule, struct err *e)
{
	const struct rte_flow_queue_attr *queue[QUEUES_MAX];
	const uint32_t n = rule->said.queues;
	struct port *p = port_find(&app->ports, arg_port(a), e);
	struct rte_flow_error error = { 0 };

	if (p == NULL)
		return -e->code;
	if (n > QUEUES_MAX)
		return err_set(e, E2BIG, "%u queues of flow rules: expected at most %d", n,
			QUEUES_MAX);
	for (uint32_t i = 0; i < n; i++)
		queue[i] = &rule->said.queue;
	if (rte_flow_configure(p->id, &rule->said.port, (uint16_t)n, queue, &error) != 0)
		return port_flow_error(&error, e);
	port_flows(p)->queues = n;
	port_flows(p)->queue_size = rule->said.queue.size;
	out_say(app->ports.out,
		"Configure flows on port %u: number of queues %u with %u elements\n", p->id, n,
		port_flows(p)->queue_size);
	return 0;
}

/* Create a template of rule's items. JSON: {"number"}. */
static int
pattern_create(struct app *app, const struct args *a, struct flow_rule *rule, struct err *e)
{
	const struct rte_flow_attr *side = &rule->said.attr;
	const struct rte_flow_pattern_template_attr attr = {
		.relaxed_matching = rule->said.relaxed,
		.ingress = side->ingress,
		.egress = side->egress,
		.transfer = side->transfer,
	};
	struct port *p = port_find(&app->ports, arg_port(a), e);
	struct rte_flow_error error = { 0 };
	struct port_object *o;

	if (p == NULL)
		return -e->code;
	o = port_flow_object_new(p, PORT_PATTERN_TEMPLATE, rule->said.id, e);
	if (o == NULL)
		return -e->code;
	return port_flow_object_made(&app->ports, p, PORT_PATTERN_TEMPLATE, o,
		rte_flow_pattern_template_create(p->id, &attr, rule->item, &error), &error, e);
}

/* Create a template of rule's actions and masks. JSON: {"number"}. */
static int
actions_create(struct app *app, const struct args *a, struct flow_rule *rule, struct err *e)
{
	const struct rte_flow_attr *side = &rule->said.attr;
	const struct rte_flow_actions_template_attr attr = {
		.ingress = side->ingress,
		.egress = side->egress,
		.transfer = side->transfer,
	};
	struct port *p = port_find(&app->ports, arg_port(a), e);
	struct rte_flow_error error = { 0 };
	struct port_object *o;

	if (rule->n_actions != rule->n_masks)
		return err_set(e, EINVAL, "%u actions with %u masks: expected one mask per action",
			rule->n_actions, rule->n_masks);
	if (p == NULL)
		return -e->code;
	o = port_flow_object_new(p, PORT_ACTIONS_TEMPLATE, rule->said.id, e);
	if (o == NULL)
		return -e->code;
	return port_flow_object_made(&app->ports, p, PORT_ACTIONS_TEMPLATE, o,
		rte_flow_actions_template_create(p->id, &attr, rule->action, rule->mask, &error),
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

/* Create a table of the templates said.number and said.other. JSON: {"number"}. */
static int
table_create(struct app *app, const struct args *a, struct flow_rule *rule, struct err *e)
{
	const struct flow_said *said = &rule->said;
	struct rte_flow_template_table_attr attr = { .flow_attr = said->attr,
		.nb_flows = said->flows };
	void *patterns[FLOW_NUMBERS], *actions[FLOW_NUMBERS];
	struct port *p = port_find(&app->ports, arg_port(a), e);
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
	return port_flow_object_made(&app->ports, p, PORT_TABLE, o,
		rte_flow_template_table_create(p->id, &attr,
			(struct rte_flow_pattern_template **)patterns, (uint8_t)said->n_numbers,
			(struct rte_flow_actions_template **)actions, (uint8_t)said->n_others,
			&error),
		&error, e);
}

/* The table of the line; NULL with e filled. */
static struct rte_flow_template_table *
table_find(struct app *app, const struct args *a, struct err *e)
{
	const struct port *p = port_find(&app->ports, arg_port(a), e);
	const struct port_object *o;

	if (p == NULL)
		return NULL;
	o = port_flow_object_find(p, PORT_TABLE, (uint32_t)arg_u64(a, "table", 0), e);
	return o != NULL ? o->handle : NULL;
}

/* Resize a resizable table to a number of rules. */
static int
table_resize(struct app *app, const struct args *a, struct err *e)
{
	struct rte_flow_template_table *t;
	struct rte_flow_error error = { 0 };

	if (port_flow_since(24, 3, "flow template_table resize", e) != 0)
		return -e->code;
	t = table_find(app, a, e);
	if (t == NULL)
		return -e->code;
	if (compat_flow_table_resize(arg_port(a), t, (uint32_t)arg_u64(a, "rules", 0), &error) != 0)
		return port_flow_error(&error, e);
	return 0;
}

/* Complete the resize of a table after its rules were moved. */
static int
table_resized(struct app *app, const struct args *a, struct err *e)
{
	struct rte_flow_template_table *t;
	struct rte_flow_error error = { 0 };

	if (port_flow_since(24, 3, "flow template_table resize_complete", e) != 0)
		return -e->code;
	t = table_find(app, a, e);
	if (t == NULL)
		return -e->code;
	if (compat_flow_table_resize_complete(arg_port(a), t, &error) != 0)
		return port_flow_error(&error, e);
	return 0;
}

/* Show the NIC's hash of a packet with rule's items in a table. JSON: {"hash"}. */
static int
table_hash(struct app *app, const struct args *a, struct flow_rule *rule, struct err *e)
{
	const uint8_t pattern = (uint8_t)arg_u64(a, "pattern", 0); /* index within the table */
	struct rte_flow_template_table *t;
	struct rte_flow_error error = { 0 };
	uint32_t hash = 0;

	if (port_flow_since(23, 11, "flow hash", e) != 0)
		return -e->code;
	t = table_find(app, a, e);
	if (t == NULL)
		return -e->code;
	if (compat_flow_table_hash(arg_port(a), t, rule->item, pattern, &hash, &error) != 0)
		return port_flow_error(&error, e);
	out_u64(app->ports.out, "hash", "Hash results 0x%" PRIx64 "\n", hash);
	return 0;
}

/* Show the hash for a tunnel header's source port, or for NVGRE's flow ID. JSON: {"hash"}. */
static int
encap_hash(struct app *app, const struct args *a, struct flow_rule *rule, struct err *e)
{
	const bool source_port = arg_is(a, "field", "hash_field_sport");
	const uint16_t id = arg_port(a);
	struct rte_flow_error error = { 0 };
	uint8_t bytes[2] = { 0 };
	uint16_t hash;

	if (port_flow_since(24, 3, "flow hash encap", e) != 0 ||
		port_find(&app->ports, id, e) == NULL)
		return -e->code;
	if (compat_flow_encap_hash(id, rule->item, source_port, bytes, &error) != 0)
		return port_flow_error(&error, e);
	memcpy(&hash, bytes, sizeof(hash));
	out_u64(app->ports.out, "hash", "encap hash result %#" PRIx64 "\n",
		source_port ? hash : bytes[0]);
	return 0;
}

/* Set the actions for packets that no rule of a group matches. */
static int
group_miss(struct app *app, const struct args *a, struct flow_rule *rule, struct err *e)
{
	const struct rte_flow_attr group = { .group = (uint32_t)arg_u64(a, "group", 0),
		.ingress = arg_given(a, "ingress"),
		.egress = arg_given(a, "egress"),
		.transfer = arg_given(a, "transfer") };
	const uint16_t id = arg_port(a);
	struct rte_flow_error error = { 0 };

	if (port_flow_since(23, 11, "flow group", e) != 0 || port_find(&app->ports, id, e) == NULL)
		return -e->code;
	if (compat_flow_group_miss(id, &group, rule->action, &error) != 0)
		return port_flow_error(&error, e);
	out_say(app->ports.out, "Group #%u set miss actions succeeded\n", group.group);
	return 0;
}

#define U32 "uint 0..4294967295"
#define SIDES "[ingress] [egress] [transfer] "

static const struct cmd_row rows[] = {
	{ "flow info <port:port>", arg_on_port, "show a port's resources for flow rule queues",
		NULL, ARG_ON_PORT(info_show), .shows = true },
	{ "flow configure <port:port> [<words:flow configure>]", cmd_flow_run,
		"configure flow rule queues: queues_number N, queues_size N, counters_number N, aging_counters_number N, "
		"meters_number N, conn_tracks_number N, flags N",
		NULL, CMD_FLOW(&flow_phrase_configure, configure), cmd_flow_check },
	{ "flow pattern_template <port:port> create <words:flow pattern>", cmd_flow_run,
		"create a pattern template: [pattern_template_id N] [relaxed on|off] " SIDES
		"template ITEM [/ ITEM ...] / end",
		NULL, CMD_FLOW(&flow_phrase_pattern, pattern_create), cmd_flow_check },
	{ "flow pattern_template <port:port> destroy <words:flow patterns>", cmd_flow_run,
		"destroy pattern templates: pattern_template N [pattern_template N ...]", NULL,
		CMD_FLOW(&flow_phrase_patterns, cmd_flow_destroy, true, PORT_PATTERN_TEMPLATE),
		cmd_flow_check },
	{ "flow actions_template <port:port> create <words:flow masked>", cmd_flow_run,
		"create an actions template: [actions_template_id N] " SIDES
		"template ACTION [/ ACTION ...] / end mask ACTION [/ ACTION ...] / end",
		NULL, CMD_FLOW(&flow_phrase_masked, actions_create), cmd_flow_check },
	{ "flow actions_template <port:port> destroy <words:flow maskeds>", cmd_flow_run,
		"destroy actions templates: actions_template N [actions_template N ...]", NULL,
		CMD_FLOW(&flow_phrase_maskeds, cmd_flow_destroy, true, PORT_ACTIONS_TEMPLATE),
		cmd_flow_check },
	{ "flow template_table <port:port> create <words:flow table>", cmd_flow_run,
		"create a table of templates: [table_id N] [group N] [priority N] " SIDES
		"[resizable] rules_number N pattern_template N ... actions_template N ...",
		NULL, CMD_FLOW(&flow_phrase_table, table_create), cmd_flow_check },
	{ "flow template_table <port:port> destroy <words:flow tables>", cmd_flow_run,
		"destroy template tables: table N [table N ...]", NULL,
		CMD_FLOW(&flow_phrase_tables, cmd_flow_destroy, true, PORT_TABLE), cmd_flow_check },
	{ "flow template_table <port:port> resize table_resize_id <table:" U32
	  "> table_resize_rules_num <rules:" U32 ">",
		table_resize, "set the number of rules of a resizable table; needs DPDK 24.03",
		NULL },
	{ "flow template_table <port:port> resize_complete table <table:" U32 ">", table_resized,
		"complete the resize of a table after its rules were moved; needs DPDK 24.03",
		NULL },
	{ "flow group <port:port> group_id <group:" U32
	  "> (ingress|egress|transfer) set_miss_actions <words:flow missed>",
		cmd_flow_run,
		"set the actions for packets that no rule of a group matches: ACTION [/ ACTION ...] / end; "
		"needs DPDK 23.11",
		NULL, CMD_FLOW(&flow_phrase_missed, group_miss) },
	{ "flow group <port:port> group_id <group:" U32 "> set_miss_actions <words:flow missed>",
		cmd_flow_run,
		"set the actions for packets of all directions that no rule of a group matches: ACTION [/ ACTION ...] / end; needs DPDK 23.11",
		NULL, CMD_FLOW(&flow_phrase_missed, group_miss) },
	{ "flow hash <port:port> template_table <table:" U32
	  "> pattern_template <pattern:uint 0..255> <words:flow matched>",
		cmd_flow_run,
		"compute the NIC's hash of a packet for a template table: pattern ITEM ... / end; needs DPDK 23.11",
		NULL, CMD_FLOW(&flow_phrase_matched, table_hash) },
	{ "flow hash <port:port> template_table <table:" U32
	  "> pattern_template <pattern:uint 0..255> actions_template <actions:uint 0..255> "
	  "<words:flow matched>",
		cmd_flow_run,
		"compute the NIC's hash of a packet for a template table; the actions template has no effect",
		NULL, CMD_FLOW(&flow_phrase_matched, table_hash) },
	{ "flow hash <port:port> encap <field:word hash_field_sport|hash_field_flow_id> "
	  "<words:flow matched>",
		cmd_flow_run,
		"compute the hash that a packet's tunnel header carries: pattern ITEM ... / end; needs DPDK 24.03",
		NULL, CMD_FLOW(&flow_phrase_matched, encap_hash) },
};

const struct cmd_table cmds_flow_template = { "flow", "flow rules", rows, ARRAY_SIZE(rows),
	CMD_FLOW };
