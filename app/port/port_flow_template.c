/* The flow engine's resources, templates, tables. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_flow_template.h"

#include "base/err.h"
#include "base/out.h"
#include "port/port.h"
#include "port/port_flow_error.h"
#include "port/port_flow_object.h"

#include <rte_flow.h>

#include <errno.h>
#include <inttypes.h>

enum { QUEUES_MAX = 256 }; /* of operations, that zcfwd asks a port for */

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
		return err_set(e, E2BIG, "%u queues of flow rules: want at most %d", n, QUEUES_MAX);
	for (uint32_t i = 0; i < n; i++)
		queue[i] = &rule->said.queue;
	if (rte_flow_configure(id, &rule->said.port, (uint16_t)n, queue, &error) != 0)
		return port_flow_error(&error, e);
	p->flow_queues = n;
	p->flow_queue_size = rule->said.queue.size;
	out_say(ps->out, "Configure flows on port %u: number of queues %u with %u elements\n", id,
		n, p->flow_queue_size);
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
		return err_set(e, EINVAL, "%u actions with %u masks: want one for each",
			rule->n_actions, rule->n_masks);
	o = p != NULL ? port_flow_object_new(p, PORT_ACTIONS_TEMPLATE, rule->said.id, e) : NULL;
	if (o == NULL)
		return -e->code;
	return port_flow_object_made(ps, p, PORT_ACTIONS_TEMPLATE, o,
		rte_flow_actions_template_create(id, &attr, rule->action, rule->mask, &error),
		&error, e);
}

/* Handles of templates of those numbers. */
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
	const struct rte_flow_template_table_attr attr = { .flow_attr = said->attr,
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
