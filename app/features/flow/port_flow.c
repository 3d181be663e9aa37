/* A port's list of rules, newest first, and the defaults for reading one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/flow/port_flow.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "features/flow/flow_priv.h"
#include "features/flow/language/flow_presets.h"
#include "features/offload/port_rss.h"
#include "port/port.h"
#include "port/port_feature.h"
#include "port/port_setup.h"

#include <rte_errno.h>
#include <rte_flow.h>
#include <rte_mtr.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

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
		.presets = port_flow_presets(ps),
		.rss_find = port_rss_find,
		.rss_name = port_rss_name_at,
		.find = find_object,
		.context = ps };
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

int
port_flow_destroy(struct ports *ps, uint16_t id, uint64_t number, struct err *e)
{
	struct port *p = port_find(ps, id, e);
	struct port_flow **at, *f;
	struct rte_flow_error error = { 0 };

	if (p == NULL)
		return -e->code;
	at = port_flow_find(p, number, e);
	if (at == NULL)
		return -e->code;
	f = *at;
	if (rte_flow_destroy(id, f->handle, &error) != 0)
		return port_flow_error(&error, e);
	*at = f->next;
	port_flow_job_rule(p, f, NULL);
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

static void
opened(struct ports *ps)
{
	flow_presets_init(port_flow_presets(ps));
}

static void
ended(struct ports *ps)
{
	flow_presets_clear(port_flow_presets(ps));
}

const struct port_feature port_feature_flow = {
	.name = "flow",
	.state_size = sizeof(struct port_flows),
	.shared_size = sizeof(struct flow_presets),
	.open = opened,
	.end = ended,
	.configure = configure,
	.at = { [PORT_STOPPING] = stopping, [PORT_CLOSED] = closed },
};

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
