/* Commands for flow rules: create, list, query, dump and destroy them; flex items from files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/plain_file.h"
#include "cmdline/grammar/grammar.h"
#include "compat.h"
#include "features/flow/flow_priv.h"
#include "features/flow/language/flow_actions.h"
#include "features/flow/language/flow_flex.h"
#include "features/flow/language/flow_items.h"
#include "features/flow/language/flow_read.h"
#include "features/flow/port_flow.h"
#include "features/offload/port_rss.h"
#include "port/port.h"

#include <rte_flow.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * Errors of all commands: ENODEV; the driver's error, in its own words and testpmd's. Thread:
 * control, for all of this file.
 */

/* Check whether the driver accepts a rule. */
static int
rule_validate(struct app *app, const struct args *a, struct flow_rule *rule, struct err *e)
{
	const uint16_t id = arg_port(a);
	struct port_flow_tunnel_parts parts;
	struct rte_flow_error error = { 0 };
	int ret = 0;

	if (port_find(&app->ports, id, e) == NULL ||
		port_flow_tunnel_add(&app->ports, id, rule, &parts, e) != 0)
		return -e->code;
	if (rte_flow_validate(id, &rule->said.attr, rule->item, rule->action, &error) != 0)
		ret = port_flow_error(&error, e);
	else
		out_say(app->ports.out, "Flow rule validated\n");
	port_flow_tunnel_release(id, &parts);
	return ret;
}

/* Pass the rule as read to the driver, not its copy: in the copy an indirect action is not a
 * handle. */
static int
create(struct ports *ps, struct port *p, struct flow_rule *rule, struct err *e)
{
	struct port_flow *f = port_flow_copy(&rule->said.attr, rule, e);
	struct rte_flow_error error = { 0 };
	struct rte_flow *handle;

	if (f == NULL)
		return -e->code;
	port_flow_age_set(rule->action, &f->age);
	handle = rte_flow_create(p->id, &rule->said.attr, rule->item, rule->action, &error);
	if (handle == NULL) {
		free(f);
		return port_flow_error(&error, e);
	}
	port_flow_add(p, f, handle);
	out_u64(ps->out, "flow", "Flow rule #%" PRIu64 " created\n", f->number);
	return 0;
}

/* Create a rule. JSON: {"flow": number}. */
static int
rule_create(struct app *app, const struct args *a, struct flow_rule *rule, struct err *e)
{
	struct port *p = port_find(&app->ports, arg_port(a), e);
	struct port_flow_tunnel_parts parts;
	int ret;

	if (p == NULL || port_flow_tunnel_add(&app->ports, p->id, rule, &parts, e) != 0)
		return -e->code;
	ret = create(&app->ports, p, rule, e);
	port_flow_tunnel_release(p->id, &parts);
	return ret;
}

/* The rule of the line; NULL with e filled. */
static struct port_flow **
rule_find(struct app *app, const struct args *a, struct err *e)
{
	struct port *p = port_find(&app->ports, arg_port(a), e);

	return p != NULL ? port_flow_find(p, arg_u64(a, "number", 0), e) : NULL;
}

/* Replace a rule's actions by those of rule. ENOENT; ENOTSUP needs DPDK 23.07. */
static int
rule_update(struct app *app, const struct args *a, struct flow_rule *rule, struct err *e)
{
	const uint64_t number = arg_u64(a, "number", 0);
	const uint16_t id = arg_port(a);
	struct rte_flow_error error = { 0 };
	struct port_flow **at, *f, *changed;

	if (port_flow_since(23, 7, "flow update", e) != 0)
		return -e->code;
	at = rule_find(app, a, e);
	if (at == NULL)
		return -e->code;
	f = *at;
	changed = port_flow_copy_with(f, rule, e);
	if (changed == NULL)
		return -e->code;
	port_flow_age_set(rule->action, &changed->age);
	if (compat_flow_actions_update(id, f->handle, rule->action, &error) != 0) {
		port_flow_error(&error, e);
		free(changed);
		return -e->code;
	}
	*at = changed;
	port_flow_job_rule(&app->ports.port[id], f, changed);
	free(f);
	out_say(app->ports.out, "Flow rule #%" PRIu64 " updated with new actions\n", number);
	return 0;
}

/* Destroy the rules said.number, also those after one that fails. */
static int
rules_destroy(struct app *app, const struct args *a, struct flow_rule *rule, struct err *e)
{
	int ret = 0;

	for (uint32_t i = 0; i < rule->said.n_numbers; i++)
		if (port_flow_destroy(&app->ports, arg_port(a), rule->said.number[i], e) != 0)
			ret = -e->code;
	return ret;
}

static int
isolate_set(struct app *app, const struct args *a, struct err *e)
{
	return port_flow_isolate(&app->ports, arg_port(a), arg_u64(a, "on", 0) % 2 != 0, e);
}

/* A name from rte_flow, or "[UNKNOWN]". */
static const char *
name_of(enum rte_flow_conv_op op, int type)
{
	const char *name;

	return rte_flow_conv(op, &name, sizeof(name), (const void *)(intptr_t)type, NULL) > 0
		? name
		: "[UNKNOWN]";
}

static void
hash_show(struct out *o, const struct rte_flow_action_rss *rss)
{
	out_say(o, "RSS:\n");
	out_text(o, " queues:");
	out_nest(o, "queues", OUT_ARRAY);
	for (uint32_t i = 0; i < rss->queue_num; i++)
		out_u64(o, "", " %" PRIu64, rss->queue[i]);
	out_unnest(o);
	out_text(o, "%s\n function: %d\n types:\n", rss->queue_num == 0 ? " none" : "",
		(int)rss->func);
	port_rss_bits_show(o, "rss_types", rss->types);
}

/* Query and show a rule's action: count, rss or age. ENOENT. */
static int
rule_query(struct app *app, const struct args *a, struct err *e)
{
	static const enum rte_flow_action_type types[] = { RTE_FLOW_ACTION_TYPE_COUNT,
		RTE_FLOW_ACTION_TYPE_RSS, RTE_FLOW_ACTION_TYPE_AGE };
	const struct rte_flow_action_count count = { 0 };
	const struct rte_flow_action action = { types[arg_u64(a, "action", 0)], &count };
	struct port_flow **at = rule_find(app, a, e);
	struct rte_flow_error error = { 0 };
	struct out *o = app->ports.out;
	union {
		struct rte_flow_query_count count;
		struct rte_flow_action_rss rss;
		struct rte_flow_query_age age;
	} query = { 0 };

	if (at == NULL)
		return -e->code;
	if (rte_flow_query(arg_port(a), (*at)->handle, &action, &query, &error) != 0)
		return port_flow_error(&error, e);
	if (action.type == RTE_FLOW_ACTION_TYPE_RSS) {
		hash_show(o, &query.rss);
		return 0;
	}
	out_text(o, "%s:\n", name_of(RTE_FLOW_CONV_OP_ACTION_NAME_PTR, action.type));
	if (action.type == RTE_FLOW_ACTION_TYPE_COUNT)
		port_flow_count_show(o, &query.count);
	else
		port_flow_age_show(o, &query.age);
	return 0;
}

static void
one_show(struct out *o, const struct port_flow *f)
{
	const struct rte_flow_attr *attr = f->rule.attr;

	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "flow", "%" PRIu64 "\t", f->number);
	out_u64(o, "group", "%" PRIu64 "\t", attr->group);
	out_u64(o, "priority", "%" PRIu64 "\t", attr->priority);
	out_bool(o, "ingress", "%s", attr->ingress, "i", "-");
	out_bool(o, "egress", "%s", attr->egress, "e", "-");
	out_bool(o, "transfer", "%s\t", attr->transfer, "t", "-");
	out_nest(o, "items", OUT_ARRAY);
	for (const struct rte_flow_item *i = f->rule.pattern; i->type != RTE_FLOW_ITEM_TYPE_END;
		i++)
		if (i->type != RTE_FLOW_ITEM_TYPE_VOID)
			out_str(o, "", "%s ", name_of(RTE_FLOW_CONV_OP_ITEM_NAME_PTR, i->type));
	out_unnest(o);
	out_text(o, "=>");
	out_nest(o, "actions", OUT_ARRAY);
	for (const struct rte_flow_action *a = f->rule.actions; a->type != RTE_FLOW_ACTION_TYPE_END;
		a++)
		if (a->type != RTE_FLOW_ACTION_TYPE_VOID)
			out_str(o, "", " %s", name_of(RTE_FLOW_CONV_OP_ACTION_NAME_PTR, a->type));
	out_unnest(o);
	out_text(o, "\n");
	out_unnest(o);
}

static int
compare(const void *a, const void *b)
{
	const struct port_flow *const *x = a, *const *y = b;
	const uint64_t left[] = { (*x)->rule.attr->group, (*x)->rule.attr->priority, (*x)->number };
	const uint64_t right[] = { (*y)->rule.attr->group, (*y)->rule.attr->priority,
		(*y)->number };

	for (size_t i = 0; i < ARRAY_SIZE(left); i++)
		if (left[i] != right[i])
			return left[i] < right[i] ? -1 : 1;
	return 0;
}

/*
 * List rules by group, priority and number, or those of one group. JSON: {"flows": [{"flow",
 * "group", "priority", "ingress", "egress", "transfer", "items": [], "actions": []}]}.
 */
static int
rules_list(struct app *app, const struct args *a, struct err *e)
{
	const uint32_t group = (uint32_t)arg_u64(a, "number", 0);
	struct out *o = app->ports.out;
	const struct port *p = port_find(&app->ports, arg_port(a), e);
	const struct port_flow **sorted;
	size_t n = 0, i = 0;

	if (p == NULL)
		return -e->code;
	for (const struct port_flow *f = port_flows(p)->rules; f != NULL; f = f->next)
		n++;
	sorted = calloc(n + 1, sizeof(struct port_flow *));
	if (sorted == NULL)
		return err_set(e, ENOMEM, "no memory for a list of %zu rules", n);
	for (const struct port_flow *f = port_flows(p)->rules; f != NULL; f = f->next)
		sorted[i++] = f;
	qsort(sorted, n, sizeof(struct port_flow *), compare);
	if (n > 0)
		out_text(o, "ID\tGroup\tPrio\tAttr\tRule\n");
	out_nest(o, "flows", OUT_ARRAY);
	for (i = 0; i < n; i++)
		if (!arg_given(a, "number") || sorted[i]->rule.attr->group == group)
			one_show(o, sorted[i]);
	out_unnest(o);
	free(sorted);
	return 0;
}

/* Print the driver's dump as text, or write it to a file. */
static int
dump_put(struct out *o, const char *path, uint16_t id, struct rte_flow *flow,
	struct rte_flow_error *error, struct err *e)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);
	int ret;

	if (f == NULL)
		return -ENOMEM;
	ret = rte_flow_dev_dump(id, flow, f, error);
	if (fclose(f) != 0 && ret == 0)
		ret = -ENOMEM;
	if (ret == 0 && path != NULL)
		ret = plain_file_whole(path, PLAIN_FILE_OVERWRITE, text, bytes, e);
	else if (ret == 0)
		out_str(o, "dump", "%s", text);
	free(text);
	return ret;
}

/* Dump the driver's data of a rule, or of all rules, to a file or to the output. */
static int
rules_dump(struct app *app, const struct args *a, struct err *e)
{
	const char *path = arg_str(a, "file", NULL);
	const uint16_t id = arg_port(a);
	struct rte_flow *flow = NULL;
	struct rte_flow_error error = { 0 };
	struct port_flow **at;
	int ret;

	if (port_find(&app->ports, id, e) == NULL)
		return -e->code;
	if (arg_given(a, "number")) {
		at = rule_find(app, a, e);
		if (at == NULL)
			return -e->code;
		flow = (*at)->handle;
	}
	ret = dump_put(app->ports.out, path, id, flow, &error, e);
	if (ret != 0)
		return e->code != 0 ? -e->code : port_flow_error_of(-ret, &error, e);
	out_say(app->ports.out, "Flow dump finished\n");
	return 0;
}

/* Flex items, created from files. */

enum { FILE_BYTES = 1 << 16 }; /* maximum size of a description */

/* Read a file as a string, which the caller frees; NULL with e filled. */
static char *
text_read(const char *path, struct err *e)
{
	FILE *f = plain_file_read(path, e);
	char *text = f != NULL ? calloc(1, FILE_BYTES + 1) : NULL;
	size_t n;

	if (f == NULL)
		return NULL;
	n = text != NULL ? fread(text, 1, FILE_BYTES + 1, f) : 0;
	fclose(f);
	if (text == NULL)
		err_set(e, ENOMEM, "no memory for %s", path);
	else if (n > FILE_BYTES)
		err_set(e, E2BIG, "%s has more than %d bytes", path, FILE_BYTES);
	else
		return text;
	free(text);
	return NULL;
}

static int
item_create(struct ports *ps, struct port *p, uint32_t number, const struct flow_flex *flex,
	struct err *e)
{
	struct port_object *o = port_flow_object_new(p, PORT_FLEX_ITEM, number, e);
	struct rte_flow_error error = { 0 };

	if (o == NULL)
		return -e->code;
	o->handle = rte_flow_flex_item_create(p->id, &flex->conf, &error);
	if (o->handle == NULL) {
		port_flow_object_drop(p, PORT_FLEX_ITEM, o);
		return port_flow_error(&error, e);
	}
	out_say(ps->out, "port-%u: created flex item #%u\n", p->id, number);
	return 0;
}

static int
flex_create(struct app *app, const struct args *a, struct err *e)
{
	const char *path = arg_str(a, "file", "");
	const uint16_t id = arg_port(a);
	const struct flow_defaults defaults = port_flow_defaults(&app->ports, id);
	struct port *p = port_find(&app->ports, id, e);
	struct flow_flex *flex;
	char *text;
	int ret;

	if (p == NULL)
		return -e->code;
	text = text_read(path, e);
	if (text == NULL)
		return -e->code;
	flex = calloc(1, sizeof(*flex));
	if (flex == NULL)
		ret = err_set(e, ENOMEM, "no memory for a flex item");
	else if (flow_flex_read(text, &defaults, flex, e) != 0)
		ret = err_context(e, "%s", path);
	else
		ret = item_create(&app->ports, p, (uint32_t)arg_u64(a, "number", 0), flex, e);
	free(flex);
	free(text);
	return ret;
}

static int
flex_destroy(struct app *app, const struct args *a, struct err *e)
{
	struct port *p = port_find(&app->ports, arg_port(a), e);
	struct rte_flow_error error = { 0 };
	struct port_object *o;

	if (p == NULL)
		return -e->code;
	o = port_flow_object_find(p, PORT_FLEX_ITEM, (uint32_t)arg_u64(a, "number", 0), e);
	if (o == NULL)
		return -e->code;
	if (rte_flow_flex_item_release(p->id, o->handle, &error) != 0)
		return port_flow_error(&error, e);
	out_say(app->ports.out, "port-%u: released flex item #%u\n", p->id, o->number);
	port_flow_object_drop(p, PORT_FLEX_ITEM, o);
	return 0;
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
	{ "flow validate <port:port> <words:flow rule>", cmd_flow_run,
		"check whether a port's driver accepts a rule", NULL,
		CMD_FLOW(&flow_phrase_rule, rule_validate), cmd_flow_check },
	{ "flow create <port:port> <words:flow rule>", cmd_flow_run,
		"create a rule and print its number", NULL,
		CMD_FLOW(&flow_phrase_rule, rule_create), cmd_flow_check },
	{ "flow update <port:port> <number:uint " NUMBER "> <words:flow update>", cmd_flow_run,
		"replace the actions of a rule: actions ACTION [/ ACTION ...] / end; needs DPDK 23.07",
		NULL, CMD_FLOW(&flow_phrase_update, rule_update) },
	{ "flow destroy <port:port> <words:flow rules>", cmd_flow_run,
		"destroy rules: rule N [rule N ...]", NULL,
		CMD_FLOW(&flow_phrase_rules, rules_destroy, true), cmd_flow_check },
	{ "flow flush <port:port>", arg_on_port, "destroy all rules of a port", "flow flush 0",
		ARG_ON_PORT(port_flow_flush) },
	{ "flow query <port:port> <number:uint " NUMBER "> <action:word count|rss|age>", rule_query,
		"query an action of a rule: its counters, RSS configuration or age", NULL },
	{ "flow list <port:port> [group <number:uint 0..4294967295>]", rules_list,
		"list the rules of a port by group, priority and number", "flow list 0",
		.shows = true },
	{ "flow isolate <port:port> <on:word 0|1|false|true|no|yes|off|on>", isolate_set,
		"receive only the traffic that rules match, or all traffic again", NULL },
	{ "flow dump <port:port> all [<file:file>]", rules_dump,
		"dump the driver's data of all rules of a port", NULL, .shows = true },
	{ "flow dump <port:port> rule <number:uint " NUMBER "> [<file:file>]", rules_dump,
		"dump the driver's data of a rule", NULL, .shows = true },
	{ "flow aged <port:port> [destroy]", port_flow_aged_port,
		"list rules without a hit for longer than their action age allows; destroy: and destroy them",
		NULL },
	{ "flow tunnel create <port:port> type <type:word vxlan|gre|nvgre|geneve>",
		port_flow_tunnel_create,
		"create a tunnel object, used in rules by tunnel_set and tunnel_match",
		"flow tunnel create 0 type vxlan" },
	{ "flow tunnel destroy <port:port> id <number:uint 0..4294967295>",
		port_flow_tunnel_destroy, "destroy a tunnel object", NULL },
	{ "flow tunnel list <port:port>", arg_on_port, "list the tunnel objects of a port",
		"flow tunnel list 0", ARG_ON_PORT(port_flow_tunnel_list) },
	{ "flow flex_item create <port:port> <number:uint 0..7> <file:file>", flex_create,
		"create a flex item: a custom header for rules to match, described by a JSON file",
		NULL },
	{ "flow flex_item destroy <port:port> <number:uint 0..7>", flex_destroy,
		"destroy a flex item", NULL },
	{ "show port <port:port> flow transfer proxy", arg_on_port,
		"show the port that manages the transfer rules of a port's switch", NULL,
		ARG_ON_PORT(port_flow_tunnel_proxy), .shows = true },
	{ "show flow (items|actions)", words_show,
		"list the items or actions of rules and their fields", "show flow items",
		.shows = true },
};

const struct cmd_table cmds_flow = { "flow", "flow rules", rows, ARRAY_SIZE(rows), CMD_FLOW };
