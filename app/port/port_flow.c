/* Rules of a port in a list, the newest first, and the driver's answers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_flow.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/plain_file.h"
#include "port/port.h"
#include "port/port_rss.h"
#include "port/port_setup.h"

#include <rte_errno.h>
#include <rte_flow.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One rule that a driver has. */
struct port_flow {
	uint64_t number;
	struct rte_flow *handle;
	struct port_flow *next;         /* made before it */
	struct rte_flow_conv_rule rule; /* a copy, in what follows */
};

struct flow_defaults
port_flow_defaults(const struct ports *ps)
{
	return (struct flow_defaults){ port_setup_rss(ps),
		(uint16_t)setting_u64(ps->settings, "rxq"), port_rss_find, port_rss_name_at };
}

/* The driver's words, as testpmd shows them. code: a positive errno. */
static int
complain(int code, const struct rte_flow_error *error, struct err *e)
{
	static const char *const types[] = { [RTE_FLOW_ERROR_TYPE_NONE] = "no error",
		[RTE_FLOW_ERROR_TYPE_UNSPECIFIED] = "cause unspecified",
		[RTE_FLOW_ERROR_TYPE_HANDLE] = "flow rule (handle)",
		[RTE_FLOW_ERROR_TYPE_ATTR_GROUP] = "group field",
		[RTE_FLOW_ERROR_TYPE_ATTR_PRIORITY] = "priority field",
		[RTE_FLOW_ERROR_TYPE_ATTR_INGRESS] = "ingress field",
		[RTE_FLOW_ERROR_TYPE_ATTR_EGRESS] = "egress field",
		[RTE_FLOW_ERROR_TYPE_ATTR_TRANSFER] = "transfer field",
		[RTE_FLOW_ERROR_TYPE_ATTR] = "attributes structure",
		[RTE_FLOW_ERROR_TYPE_ITEM_NUM] = "pattern length",
		[RTE_FLOW_ERROR_TYPE_ITEM_SPEC] = "item specification",
		[RTE_FLOW_ERROR_TYPE_ITEM_LAST] = "item specification range",
		[RTE_FLOW_ERROR_TYPE_ITEM_MASK] = "item specification mask",
		[RTE_FLOW_ERROR_TYPE_ITEM] = "specific pattern item",
		[RTE_FLOW_ERROR_TYPE_ACTION_NUM] = "number of actions",
		[RTE_FLOW_ERROR_TYPE_ACTION_CONF] = "action configuration",
		[RTE_FLOW_ERROR_TYPE_ACTION] = "specific action" };
	const unsigned int type = (unsigned int)error->type;
	char cause[32] = "";

	if (error->cause != NULL)
		snprintf(cause, sizeof(cause), "cause: %p, ", error->cause);
	return err_set(e, code != 0 ? code : EIO,
		"port_flow_complain(): Caught PMD error type %u (%s): %s%s: %s", type,
		type < ARRAY_SIZE(types) && types[type] != NULL ? types[type] : "unknown type",
		cause, error->message != NULL ? error->message : "(no stated reason)",
		rte_strerror(code));
}

int
port_flow_validate(struct ports *ps, uint16_t id, const struct flow_rule *rule, struct err *e)
{
	struct rte_flow_error error = { 0 };

	if (port_find(ps, id, e) == NULL)
		return -e->code;
	if (rte_flow_validate(id, &rule->attr, rule->item, rule->action, &error) != 0)
		return complain(rte_errno, &error, e);
	out_say(ps->out, "Flow rule validated\n");
	return 0;
}

/* A driver tells an aged rule by this pointer. */
static void
age_set(struct port_flow *f)
{
	for (struct rte_flow_action *a = f->rule.actions; a->type != RTE_FLOW_ACTION_TYPE_END;
		a++) {
		struct rte_flow_action_age *age = (void *)(uintptr_t)a->conf;

		if (a->type == RTE_FLOW_ACTION_TYPE_AGE && age != NULL)
			age->context = f;
	}
}

/* A copy of the rule, which has no handle yet; NULL with e filled. */
static struct port_flow *
copy(const struct flow_rule *rule, struct err *e)
{
	const struct rte_flow_conv_rule from = { .attr_ro = &rule->attr,
		.pattern_ro = rule->item,
		.actions_ro = rule->action };
	struct rte_flow_error error = { 0 };
	int bytes = rte_flow_conv(RTE_FLOW_CONV_OP_RULE, NULL, 0, &from, &error);
	struct port_flow *f;

	if (bytes < 0) {
		complain(-bytes, &error, e);
		return NULL;
	}
	f = calloc(1, offsetof(struct port_flow, rule) + (size_t)bytes);
	if (f == NULL)
		err_set(e, ENOMEM, "no memory for a flow rule");
	else
		rte_flow_conv(RTE_FLOW_CONV_OP_RULE, &f->rule, (size_t)bytes, &from, &error);
	return f;
}

int
port_flow_create(struct ports *ps, uint16_t id, const struct flow_rule *rule, struct err *e)
{
	struct port *p = port_find(ps, id, e);
	struct rte_flow_error error = { 0 };
	struct port_flow *f;

	if (p == NULL)
		return -e->code;
	f = copy(rule, e);
	if (f == NULL)
		return -e->code;
	age_set(f);
	f->handle = rte_flow_create(id, f->rule.attr, f->rule.pattern, f->rule.actions, &error);
	if (f->handle == NULL) {
		free(f);
		return complain(rte_errno, &error, e);
	}
	f->number = p->flows != NULL ? p->flows->number + 1 : 0;
	f->next = p->flows;
	p->flows = f;
	out_u64(ps->out, "flow", "Flow rule #%" PRIu64 " created\n", f->number);
	return 0;
}

/* Where the list leads to the rule of that number; NULL with e filled. */
static struct port_flow **
find(struct ports *ps, uint16_t id, uint64_t number, struct err *e)
{
	struct port *p = port_find(ps, id, e);
	struct port_flow **f;

	if (p == NULL)
		return NULL;
	for (f = &p->flows; *f != NULL; f = &(*f)->next)
		if ((*f)->number == number)
			return f;
	err_set(e, ENOENT, "Flow rule #%" PRIu64 " not found", number);
	return NULL;
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
		return complain(rte_errno, &error, e);
	*at = f->next;
	free(f);
	out_say(ps->out, "Flow rule #%" PRIu64 " destroyed\n", number);
	return 0;
}

static void
list_free(struct port *p)
{
	struct port_flow *f;

	while ((f = p->flows) != NULL) {
		p->flows = f->next;
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
	if (p->flows != NULL && rte_flow_flush(id, &error) != 0)
		ret = complain(rte_errno, &error, e);
	list_free(p);
	return ret;
}

void
port_flow_forget(struct ports *ps, struct port *p)
{
	struct err e;

	err_clear(&e);
	if (p->flows != NULL && port_flow_flush(ps, p->id, &e) != 0)
		out_warn(ps->out, "%s\n", e.text);
}

/* A name of rte_flow's, "[UNKNOWN]" where it has none. */
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
		return complain(rte_errno, &error, e);
	if (action->type == RTE_FLOW_ACTION_TYPE_RSS) {
		hash_show(o, &query.rss);
		return 0;
	}
	out_text(o, "%s:\n", name);
	if (action->type == RTE_FLOW_ACTION_TYPE_COUNT) {
		out_u64(o, "hits_set", " hits_set: %" PRIu64 "\n", query.count.hits_set);
		out_u64(o, "bytes_set", " bytes_set: %" PRIu64 "\n", query.count.bytes_set);
		out_u64(o, "hits", " hits: %" PRIu64 "\n", query.count.hits);
		out_u64(o, "bytes", " bytes: %" PRIu64 "\n", query.count.bytes);
		return 0;
	}
	out_u64(o, "aged", " aged: %" PRIu64 "\n", query.age.aged);
	out_u64(o, "sec_since_last_hit_valid", " sec_since_last_hit_valid: %" PRIu64 "\n",
		query.age.sec_since_last_hit_valid);
	out_u64(o, "sec_since_last_hit", " sec_since_last_hit: %" PRIu64 "\n",
		query.age.sec_since_last_hit);
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
	for (const struct port_flow *f = p->flows; f != NULL; f = f->next)
		n++;
	sorted = calloc(n + 1, sizeof(struct port_flow *));
	if (sorted == NULL)
		return err_set(e, ENOMEM, "no memory for a list of %zu rules", n);
	for (const struct port_flow *f = p->flows; f != NULL; f = f->next)
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
port_flow_aged(struct ports *ps, uint16_t id, bool destroy, struct err *e)
{
	struct rte_flow_error error = { 0 };
	struct out *o = ps->out;
	int n, destroyed = 0;
	void **aged;

	if (port_find(ps, id, e) == NULL)
		return -e->code;
	n = rte_flow_get_aged_flows(id, NULL, 0, &error);
	out_text(o, "Port %u total aged flows: %d\n", id, n);
	if (n < 0)
		return complain(-n, &error, e);
	aged = calloc((size_t)n + 1, sizeof(*aged));
	if (aged == NULL)
		return err_set(e, ENOMEM, "no memory for %d aged rules", n);
	n = n > 0 ? rte_flow_get_aged_flows(id, aged, (uint32_t)n, &error) : 0;
	if (n > 0)
		out_text(o, "%-20s\tID\tGroup\tPrio\tAttr\n", "Type");
	out_nest(o, "aged", OUT_ARRAY);
	for (int i = 0; i < n; i++) {
		const struct port_flow *f = aged[i];

		if (f == NULL)
			continue;
		out_u64(o, "", "Flow                \t%" PRIu64 "\t", f->number);
		out_text(o, "%" PRIu32 "\t%" PRIu32 "\t%c%c%c\t\n", f->rule.attr->group,
			f->rule.attr->priority, f->rule.attr->ingress ? 'i' : '-',
			f->rule.attr->egress ? 'e' : '-', f->rule.attr->transfer ? 't' : '-');
		if (destroy && port_flow_destroy(ps, id, f->number, e) == 0)
			destroyed++;
	}
	out_unnest(o);
	if (n > 0)
		out_i64(o, "destroyed", "\n%" PRId64 " flows destroyed\n", destroyed);
	free(aged);
	return n < 0 ? complain(-n, &error, e) : -e->code;
}

int
port_flow_isolate(struct ports *ps, uint16_t id, bool on, struct err *e)
{
	struct rte_flow_error error = { 0 };

	if (port_find(ps, id, e) == NULL)
		return -e->code;
	if (rte_flow_isolate(id, on, &error) != 0)
		return complain(rte_errno, &error, e);
	out_say(ps->out, "Ingress traffic on port %u is %s to the defined flow rules\n", id,
		on ? "now restricted" : "not restricted anymore");
	return 0;
}

/* The driver's dump as text of the answer. */
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
	int fd = plain_file_write(path, &type, e), ret;
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
		return e->code != 0 ? -e->code : complain(-ret, &error, e);
	out_say(ps->out, "Flow dump finished\n");
	return 0;
}
