/* A port's list of rules, newest first, with the driver's results; flex items from files. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/flow/port_flow.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/plain_file.h"
#include "compat.h"
#include "features/flow/flow_priv.h"
#include "features/flow/language/flow_flex.h"
#include "features/flow/port_flow_object.h"
#include "features/flow/port_flow_tunnel.h"
#include "features/offload/port_rss.h"
#include "port/port.h"
#include "port/port_feature.h"
#include "port/port_setup.h"

#include <rte_errno.h>
#include <rte_flow.h>
#include <rte_mtr.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Find the object that a rule refers to by number. */
static void *
find_object(const void *context, uint16_t port, enum flow_object what, uint32_t number,
	struct err *e)
{
	static const enum port_flow_object_kind kinds[] = { [FLOW_INDIRECT] = PORT_INDIRECT,
		[FLOW_FLEX_ITEM] = PORT_FLEX_ITEM,
		[FLOW_TABLE] = PORT_TABLE };
	const struct ports *ps = context;
	const struct port *p = port_find(ps, port, e);
	const struct port_object *o;
	struct rte_mtr_error error = { 0 };
	void *found;

	if (p == NULL)
		return NULL;
	if (what == FLOW_INDIRECT || what == FLOW_FLEX_ITEM || what == FLOW_TABLE) {
		o = port_flow_object_find(p, kinds[what], number, e);
		return o != NULL ? o->handle : NULL;
	}
	found = what == FLOW_METER_PROFILE ? (void *)rte_mtr_meter_profile_get(port, number, &error)
					   : (void *)rte_mtr_meter_policy_get(port, number, &error);
	if (found == NULL)
		err_set(e, ENOENT, "Port %u: meter %s %u: %s", port,
			what == FLOW_METER_PROFILE ? "profile" : "policy", number,
			error.message != NULL ? error.message : "not found");
	return found;
}

struct flow_defaults
port_flow_defaults(const struct ports *ps, uint16_t id)
{
	return (struct flow_defaults){ .rss_types = port_setup_rss(ps),
		.queues = (uint16_t)setting_u64(ps->settings, "rxq"),
		.port = id,
		.presets = ps->presets,
		.rss_find = port_rss_find,
		.rss_name = port_rss_name_at,
		.find = find_object,
		.context = ps };
}

int
port_flow_validate(struct ports *ps, uint16_t id, struct flow_rule *rule, struct err *e)
{
	struct port_flow_tunnel_parts parts;
	struct rte_flow_error error = { 0 };

	if (port_find(ps, id, e) == NULL || port_flow_tunnel_add(ps, id, rule, &parts, e) != 0)
		return -e->code;
	if (rte_flow_validate(id, &rule->said.attr, rule->item, rule->action, &error) != 0)
		port_flow_error(&error, e);
	else
		out_say(ps->out, "Flow rule validated\n");
	port_flow_tunnel_release(id, &parts);
	return -e->code;
}

void
port_flow_age_set(struct rte_flow_action *actions, enum port_flow_age *owner)
{
	for (struct rte_flow_action *a = actions; a->type != RTE_FLOW_ACTION_TYPE_END; a++) {
		struct rte_flow_action_age *age = (void *)(uintptr_t)a->conf;

		if (a->type == RTE_FLOW_ACTION_TYPE_AGE && age != NULL)
			age->context = owner;
	}
}

/* Copy a rule for show, without a handle; NULL with e filled. */
static struct port_flow *
copy(const struct rte_flow_conv_rule *from, struct err *e)
{
	struct rte_flow_error error = { 0 };
	int bytes = rte_flow_conv(RTE_FLOW_CONV_OP_RULE, NULL, 0, from, &error);
	struct port_flow *f;

	if (bytes < 0) {
		port_flow_error_of(-bytes, &error, e);
		return NULL;
	}
	f = calloc(1, offsetof(struct port_flow, rule) + (size_t)bytes);
	if (f == NULL)
		err_set(e, ENOMEM, "no memory for a flow rule");
	else
		rte_flow_conv(RTE_FLOW_CONV_OP_RULE, &f->rule, (size_t)bytes, from, &error);
	return f;
}

struct port_flow *
port_flow_copy(const struct rte_flow_attr *attr, const struct flow_rule *rule, struct err *e)
{
	const struct rte_flow_conv_rule from = { .attr_ro = attr,
		.pattern_ro = rule->item,
		.actions_ro = rule->action };

	return copy(&from, e);
}

struct port_flow *
port_flow_copy_with(const struct port_flow *f, const struct flow_rule *rule, struct err *e)
{
	const struct rte_flow_conv_rule from = { .attr_ro = f->rule.attr,
		.pattern_ro = f->rule.pattern,
		.actions_ro = rule->action };
	struct port_flow *changed = copy(&from, e);

	if (changed == NULL)
		return NULL;
	changed->number = f->number;
	changed->handle = f->handle;
	changed->next = f->next;
	changed->n_actions = f->n_actions;
	return changed;
}

void
port_flow_add(struct port *p, struct port_flow *f, struct rte_flow *handle)
{
	struct port_flows *fs = port_flows(p);

	f->handle = handle;
	f->number = fs->rules != NULL ? fs->rules->number + 1 : 0;
	f->next = fs->rules;
	fs->rules = f;
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

int
port_flow_create(struct ports *ps, uint16_t id, struct flow_rule *rule, struct err *e)
{
	struct port *p = port_find(ps, id, e);
	struct port_flow_tunnel_parts parts;

	if (p == NULL || port_flow_tunnel_add(ps, id, rule, &parts, e) != 0)
		return -e->code;
	create(ps, p, rule, e);
	port_flow_tunnel_release(id, &parts);
	return -e->code;
}

struct port_flow **
port_flow_find(struct port *p, uint64_t number, struct err *e)
{
	struct port_flow **f;

	for (f = &port_flows(p)->rules; *f != NULL; f = &(*f)->next)
		if ((*f)->number == number)
			return f;
	err_set(e, ENOENT, "Flow rule #%" PRIu64 " not found", number);
	return NULL;
}

/* Find a rule by port number and rule number. */
static struct port_flow **
find(struct ports *ps, uint16_t id, uint64_t number, struct err *e)
{
	struct port *p = port_find(ps, id, e);

	return p != NULL ? port_flow_find(p, number, e) : NULL;
}

int
port_flow_update(struct ports *ps, uint16_t id, uint64_t number, struct flow_rule *rule,
	struct err *e)
{
	struct port_flow **at =
		port_flow_since(23, 7, "flow update", e) == 0 ? find(ps, id, number, e) : NULL;
	struct port_flow *f = at != NULL ? *at : NULL, *changed;
	struct rte_flow_error error = { 0 };

	changed = f != NULL ? port_flow_copy_with(f, rule, e) : NULL;
	if (changed == NULL)
		return -e->code;
	port_flow_age_set(rule->action, &changed->age);
	if (compat_flow_actions_update(id, f->handle, rule->action, &error) != 0) {
		port_flow_error(&error, e);
		free(changed);
		return -e->code;
	}
	*at = changed;
	port_flow_job_rule(&ps->port[id], f, changed);
	free(f);
	out_say(ps->out, "Flow rule #%" PRIu64 " updated with new actions\n", number);
	return 0;
}

int
port_flow_destroy(struct ports *ps, uint16_t id, uint64_t number, struct err *e)
{
	struct port_flow **at = find(ps, id, number, e), *f;
	struct rte_flow_error error = { 0 };

	if (at == NULL)
		return -e->code;
	f = *at;
	if (rte_flow_destroy(id, f->handle, &error) != 0)
		return port_flow_error(&error, e);
	*at = f->next;
	port_flow_job_rule(&ps->port[id], f, NULL);
	free(f);
	out_say(ps->out, "Flow rule #%" PRIu64 " destroyed\n", number);
	return 0;
}

static void
list_free(struct port *p)
{
	struct port_flow *f;

	while ((f = port_flows(p)->rules) != NULL) {
		port_flows(p)->rules = f->next;
		port_flow_job_rule(p, f, NULL);
		free(f);
	}
}

int
port_flow_flush(struct ports *ps, uint16_t id, struct err *e)
{
	struct port *p = port_find(ps, id, e);
	struct rte_flow_error error = { 0 };
	int ret = 0;

	if (p == NULL)
		return -e->code;
	if (port_flows(p)->rules != NULL && rte_flow_flush(id, &error) != 0)
		ret = port_flow_error(&error, e);
	list_free(p);
	return ret;
}

static int
configure(struct ports *ps, struct port *p, struct err *e)
{
	if (setting_on(ps->settings, "flow-isolate-all") &&
		port_flow_isolate(ps, p->id, true, e) != 0)
		return err_context(e, "Failed to apply isolated mode on port %u", p->id);
	return 0;
}

/* Destroy a rule; a driver's error is only shown. */
static void
rules_drop(struct ports *ps, struct port *p)
{
	struct err e;

	err_clear(&e);
	if (port_flows(p)->rules != NULL && port_flow_flush(ps, p->id, &e) != 0)
		out_warn(ps->out, "%s\n", e.text);
}

static void
stopping(struct ports *ps, struct port *p)
{
	if (!setting_on(ps->settings, "disable-flow-flush"))
		rules_drop(ps, p);
}

static void
closed(struct ports *ps, struct port *p)
{
	rules_drop(ps, p);
	port_flow_job_forget(p);
	port_flow_object_forget(ps, p);
}

const struct port_feature port_feature_flow = {
	.name = "flow",
	.state_size = sizeof(struct port_flows),
	.configure = configure,
	.at = { [PORT_STOPPING] = stopping, [PORT_CLOSED] = closed },
};

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

void
port_flow_count_show(struct out *o, const struct rte_flow_query_count *count)
{
	out_u64(o, "hits_set", " hits_set: %" PRIu64 "\n", count->hits_set);
	out_u64(o, "bytes_set", " bytes_set: %" PRIu64 "\n", count->bytes_set);
	out_u64(o, "hits", " hits: %" PRIu64 "\n", count->hits);
	out_u64(o, "bytes", " bytes: %" PRIu64 "\n", count->bytes);
}

void
port_flow_age_show(struct out *o, const struct rte_flow_query_age *age)
{
	out_u64(o, "aged", " aged: %" PRIu64 "\n", age->aged);
	out_u64(o, "sec_since_last_hit_valid", " sec_since_last_hit_valid: %" PRIu64 "\n",
		age->sec_since_last_hit_valid);
	out_u64(o, "sec_since_last_hit", " sec_since_last_hit: %" PRIu64 "\n",
		age->sec_since_last_hit);
}

int
port_flow_query(struct ports *ps, uint16_t id, uint64_t number,
	const struct rte_flow_action *action, struct err *e)
{
	struct port_flow **at = find(ps, id, number, e);
	const char *name = name_of(RTE_FLOW_CONV_OP_ACTION_NAME_PTR, action->type);
	struct rte_flow_error error = { 0 };
	struct out *o = ps->out;
	union {
		struct rte_flow_query_count count;
		struct rte_flow_action_rss rss;
		struct rte_flow_query_age age;
	} query = { 0 };

	if (at == NULL)
		return -e->code;
	if (action->type != RTE_FLOW_ACTION_TYPE_COUNT &&
		action->type != RTE_FLOW_ACTION_TYPE_RSS &&
		action->type != RTE_FLOW_ACTION_TYPE_AGE)
		return err_set(e, ENOTSUP, "Cannot query action type %d (%s)", (int)action->type,
			name);
	if (rte_flow_query(id, (*at)->handle, action, &query, &error) != 0)
		return port_flow_error(&error, e);
	if (action->type == RTE_FLOW_ACTION_TYPE_RSS) {
		hash_show(o, &query.rss);
		return 0;
	}
	out_text(o, "%s:\n", name);
	if (action->type == RTE_FLOW_ACTION_TYPE_COUNT) {
		port_flow_count_show(o, &query.count);
		return 0;
	}
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

int
port_flow_list(struct ports *ps, uint16_t id, const uint32_t *group, struct err *e)
{
	const struct port *p = port_find(ps, id, e);
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
		out_text(ps->out, "ID\tGroup\tPrio\tAttr\tRule\n");
	out_nest(ps->out, "flows", OUT_ARRAY);
	for (i = 0; i < n; i++)
		if (group == NULL || sorted[i]->rule.attr->group == *group)
			one_show(ps->out, sorted[i]);
	out_unnest(ps->out);
	free(sorted);
	return 0;
}

int
port_flow_isolate(struct ports *ps, uint16_t id, bool on, struct err *e)
{
	struct rte_flow_error error = { 0 };

	if (port_find(ps, id, e) == NULL)
		return -e->code;
	if (rte_flow_isolate(id, on, &error) != 0)
		return port_flow_error(&error, e);
	out_say(ps->out, "Ingress traffic on port %u is %s to the defined flow rules\n", id,
		on ? "now restricted" : "not restricted anymore");
	return 0;
}

/* Print the driver's dump as text. */
static int
dump_show(struct out *o, uint16_t id, struct rte_flow *flow, struct rte_flow_error *error)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);
	int ret;

	if (f == NULL)
		return -ENOMEM;
	ret = rte_flow_dev_dump(id, flow, f, error);
	fclose(f);
	if (ret == 0)
		out_str(o, "dump", "%s", text);
	free(text);
	return ret;
}

static int
dump_write(const char *path, uint16_t id, struct rte_flow *flow, struct rte_flow_error *error,
	struct err *e)
{
	mode_t type;
	int fd = plain_file_write(path, true, &type, e), ret;
	FILE *f;

	if (fd < 0)
		return -e->code;
	f = fdopen(fd, "w");
	if (f == NULL) {
		close(fd);
		return -ENOMEM;
	}
	ret = rte_flow_dev_dump(id, flow, f, error);
	if (fclose(f) != 0 && ret == 0)
		return err_set(e, errno, "%s: %s", path, strerror(errno));
	return ret;
}

int
port_flow_dump(struct ports *ps, uint16_t id, const uint64_t *number, const char *path,
	struct err *e)
{
	struct port_flow **at = number != NULL ? find(ps, id, *number, e) : NULL;
	struct rte_flow *flow = at != NULL ? (*at)->handle : NULL;
	struct rte_flow_error error = { 0 };
	int ret;

	if (number != NULL && at == NULL)
		return -e->code;
	if (port_find(ps, id, e) == NULL)
		return -e->code;
	ret = path != NULL ? dump_write(path, id, flow, &error, e)
			   : dump_show(ps->out, id, flow, &error);
	if (ret != 0)
		return e->code != 0 ? -e->code : port_flow_error_of(-ret, &error, e);
	out_say(ps->out, "Flow dump finished\n");
	return 0;
}

/* Create flex items from files. */

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
flex_create(struct ports *ps, struct port *p, uint32_t number, const struct flow_flex *flex,
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

int
port_flow_flex_create(struct ports *ps, uint16_t id, uint32_t number, const char *path,
	struct err *e)
{
	const struct flow_defaults defaults = port_flow_defaults(ps, id);
	struct port *p = port_find(ps, id, e);
	char *text = p != NULL ? text_read(path, e) : NULL;
	struct flow_flex *flex = text != NULL ? calloc(1, sizeof(*flex)) : NULL;

	if (text != NULL && flex == NULL)
		err_set(e, ENOMEM, "no memory for a flex item");
	if (flex != NULL && flow_flex_read(text, &defaults, flex, e) != 0)
		err_context(e, "%s", path);
	else if (flex != NULL)
		flex_create(ps, p, number, flex, e);
	free(flex);
	free(text);
	return -e->code;
}

int
port_flow_flex_destroy(struct ports *ps, uint16_t id, uint32_t number, struct err *e)
{
	struct port *p = port_find(ps, id, e);
	struct port_object *o = p != NULL ? port_flow_object_find(p, PORT_FLEX_ITEM, number, e)
					  : NULL;
	struct rte_flow_error error = { 0 };

	if (o == NULL)
		return -e->code;
	if (rte_flow_flex_item_release(id, o->handle, &error) != 0)
		return port_flow_error(&error, e);
	port_flow_object_drop(p, PORT_FLEX_ITEM, o);
	out_say(ps->out, "port-%u: released flex item #%u\n", id, number);
	return 0;
}
