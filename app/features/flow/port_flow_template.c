/* Resources of the flow engine, templates, tables. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/flow/port_flow_template.h"

#include "base/err.h"
#include "base/out.h"
#include "compat.h"
#include "features/flow/flow_priv.h"
#include "features/flow/port_flow_error.h"
#include "features/flow/port_flow_object.h"
#include "port/port.h"

#include <rte_flow.h>

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { QUEUES_MAX = 256 }; /* maximum number of queues of a port */

int
port_flow_template_info(struct ports *ps, uint16_t id, struct err *e)
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

int
port_flow_template_configure(struct ports *ps, uint16_t id, const struct flow_rule *rule,
	struct err *e)
{
	const struct rte_flow_queue_attr *queue[QUEUES_MAX];
	const uint32_t n = rule->said.queues;
	struct port *p = port_find(ps, id, e);
	struct rte_flow_error error = { 0 };

	if (p == NULL)
		return -e->code;
	if (n > QUEUES_MAX)
		return err_set(e, E2BIG, "%u queues of flow rules: expected at most %d", n,
			QUEUES_MAX);
	for (uint32_t i = 0; i < n; i++)
		queue[i] = &rule->said.queue;
	if (rte_flow_configure(id, &rule->said.port, (uint16_t)n, queue, &error) != 0)
		return port_flow_error(&error, e);
	port_flows(p)->queues = n;
	port_flows(p)->queue_size = rule->said.queue.size;
	out_say(ps->out, "Configure flows on port %u: number of queues %u with %u elements\n", id,
		n, port_flows(p)->queue_size);
	return 0;
}

int
port_flow_template_pattern(struct ports *ps, uint16_t id, const struct flow_rule *rule,
	struct err *e)
{
	const struct rte_flow_attr *a = &rule->said.attr;
	const struct rte_flow_pattern_template_attr attr = {
		.relaxed_matching = rule->said.relaxed,
		.ingress = a->ingress,
		.egress = a->egress,
		.transfer = a->transfer,
	};
	struct port *p = port_find(ps, id, e);
	struct rte_flow_error error = { 0 };
	struct port_object *o;

	o = p != NULL ? port_flow_object_new(p, PORT_PATTERN_TEMPLATE, rule->said.id, e) : NULL;
	if (o == NULL)
		return -e->code;
	return port_flow_object_made(ps, p, PORT_PATTERN_TEMPLATE, o,
		rte_flow_pattern_template_create(id, &attr, rule->item, &error), &error, e);
}

int
port_flow_template_actions(struct ports *ps, uint16_t id, const struct flow_rule *rule,
	struct err *e)
{
	const struct rte_flow_attr *a = &rule->said.attr;
	const struct rte_flow_actions_template_attr attr = {
		.ingress = a->ingress,
		.egress = a->egress,
		.transfer = a->transfer,
	};
	struct port *p = port_find(ps, id, e);
	struct rte_flow_error error = { 0 };
	struct port_object *o;

	if (rule->n_actions != rule->n_masks)
		return err_set(e, EINVAL, "%u actions with %u masks: expected one mask per action",
			rule->n_actions, rule->n_masks);
	o = p != NULL ? port_flow_object_new(p, PORT_ACTIONS_TEMPLATE, rule->said.id, e) : NULL;
	if (o == NULL)
		return -e->code;
	return port_flow_object_made(ps, p, PORT_ACTIONS_TEMPLATE, o,
		rte_flow_actions_template_create(id, &attr, rule->action, rule->mask, &error),
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

int
port_flow_template_table(struct ports *ps, uint16_t id, const struct flow_rule *rule, struct err *e)
{
	const struct flow_said *said = &rule->said;
	struct rte_flow_template_table_attr attr = { .flow_attr = said->attr,
		.nb_flows = said->flows };
	void *patterns[FLOW_NUMBERS], *actions[FLOW_NUMBERS];
	struct port *p = port_find(ps, id, e);
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
	return port_flow_object_made(ps, p, PORT_TABLE, o,
		rte_flow_template_table_create(id, &attr,
			(struct rte_flow_pattern_template **)patterns, (uint8_t)said->n_numbers,
			(struct rte_flow_actions_template **)actions, (uint8_t)said->n_others,
			&error),
		&error, e);
}

static struct rte_flow_template_table *
table_find(const struct ports *ps, uint16_t id, uint32_t number, struct err *e)
{
	const struct port *p = port_find(ps, id, e);
	const struct port_object *o = p != NULL ? port_flow_object_find(p, PORT_TABLE, number, e)
						: NULL;

	return o != NULL ? o->handle : NULL;
}

int
port_flow_template_resize(struct ports *ps, uint16_t id, uint32_t table, uint32_t rules,
	struct err *e)
{
	struct rte_flow_template_table *t;
	struct rte_flow_error error = { 0 };

	if (port_flow_since(24, 3, "flow template_table resize", e) != 0)
		return -e->code;
	t = table_find(ps, id, table, e);
	if (t == NULL)
		return -e->code;
	return compat_flow_table_resize(id, t, rules, &error) == 0 ? 0 : port_flow_error(&error, e);
}

int
port_flow_template_resized(struct ports *ps, uint16_t id, uint32_t table, struct err *e)
{
	struct rte_flow_template_table *t;
	struct rte_flow_error error = { 0 };

	if (port_flow_since(24, 3, "flow template_table resize_complete", e) != 0)
		return -e->code;
	t = table_find(ps, id, table, e);
	if (t == NULL)
		return -e->code;
	return compat_flow_table_resize_complete(id, t, &error) == 0 ? 0
								     : port_flow_error(&error, e);
}

int
port_flow_template_hash(struct ports *ps, uint16_t id, uint32_t table, uint8_t pattern,
	const struct flow_rule *rule, struct err *e)
{
	struct rte_flow_template_table *t;
	struct rte_flow_error error = { 0 };
	uint32_t hash = 0;

	if (port_flow_since(23, 11, "flow hash", e) != 0)
		return -e->code;
	t = table_find(ps, id, table, e);
	if (t == NULL)
		return -e->code;
	if (compat_flow_table_hash(id, t, rule->item, pattern, &hash, &error) != 0)
		return port_flow_error(&error, e);
	out_u64(ps->out, "hash", "Hash results 0x%" PRIx64 "\n", hash);
	return 0;
}

int
port_flow_template_encap_hash(struct ports *ps, uint16_t id, bool source_port,
	const struct flow_rule *rule, struct err *e)
{
	struct rte_flow_error error = { 0 };
	uint8_t bytes[2] = { 0 };
	uint16_t hash;

	if (port_flow_since(24, 3, "flow hash encap", e) != 0 || port_find(ps, id, e) == NULL)
		return -e->code;
	if (compat_flow_encap_hash(id, rule->item, source_port, bytes, &error) != 0)
		return port_flow_error(&error, e);
	memcpy(&hash, bytes, sizeof(hash));
	out_u64(ps->out, "hash", "encap hash result %#" PRIx64 "\n", source_port ? hash : bytes[0]);
	return 0;
}

int
port_flow_template_miss(struct ports *ps, uint16_t id, const struct rte_flow_attr *group,
	const struct flow_rule *rule, struct err *e)
{
	struct rte_flow_error error = { 0 };

	if (port_flow_since(23, 11, "flow group", e) != 0 || port_find(ps, id, e) == NULL)
		return -e->code;
	if (compat_flow_group_miss(id, group, rule->action, &error) != 0)
		return port_flow_error(&error, e);
	out_say(ps->out, "Group #%u set miss actions succeeded\n", group->group);
	return 0;
}
