/* Lists of objects, highest number first, and how each kind is destroyed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/flow/port_flow_object.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "features/flow/flow_priv.h"
#include "features/flow/language/flow_rule.h"
#include "features/flow/port_flow_error.h"
#include "features/flow/port_flow_job.h"
#include "port/port.h"

#include <errno.h>
#include <stdlib.h>

static int
indirect_destroy(uint16_t port, void *handle, struct rte_flow_error *error)
{
	return rte_flow_action_handle_destroy(port, handle, error);
}

static int
pattern_destroy(uint16_t port, void *handle, struct rte_flow_error *error)
{
	return rte_flow_pattern_template_destroy(port, handle, error);
}

static int
actions_destroy(uint16_t port, void *handle, struct rte_flow_error *error)
{
	return rte_flow_actions_template_destroy(port, handle, error);
}

static int
table_destroy(uint16_t port, void *handle, struct rte_flow_error *error)
{
	return rte_flow_template_table_destroy(port, handle, error);
}

static int
flex_destroy(uint16_t port, void *handle, struct rte_flow_error *error)
{
	return rte_flow_flex_item_release(port, handle, error);
}

static const struct {
	/* in results; in errors for a number in use; in errors for an unknown number */
	const char *name, *in_use, *lacks;
	int (*destroy)(uint16_t port, void *handle, struct rte_flow_error *error);
} kinds[] = {
	[PORT_INDIRECT] = { "Indirect action", "Indirect action", "Indirect action",
		indirect_destroy },
	[PORT_PATTERN_TEMPLATE] = { "Pattern template", "Template", "Pattern template",
		pattern_destroy },
	[PORT_ACTIONS_TEMPLATE] = { "Actions template", "Template", "Actions template",
		actions_destroy },
	[PORT_TABLE] = { "Template table", "Table", "Table", table_destroy },
	[PORT_FLEX_ITEM] = { "Flex item", "Flex item", "Flex item", flex_destroy },
};

struct port_object *
port_flow_object_new(struct port *p, enum port_flow_object_kind kind, uint32_t number,
	struct err *e)
{
	struct port_object **at = &port_flows(p)->objects[kind], *o;

	if (number == FLOW_NO_ID)
		number = *at != NULL ? (*at)->number + 1 : 0;
	if (number == FLOW_NO_ID) {
		err_set(e, ENOSPC, "Highest %s ID is already assigned, delete it first",
			kinds[kind].in_use);
		return NULL;
	}
	while (*at != NULL && (*at)->number > number)
		at = &(*at)->next;
	if (*at != NULL && (*at)->number == number) {
		err_set(e, EEXIST, "%s #%u is already assigned, delete it first",
			kinds[kind].in_use, number);
		return NULL;
	}
	o = calloc(1, sizeof(*o));
	if (o == NULL) {
		err_set(e, ENOMEM, "no memory for an object of flow rules");
		return NULL;
	}
	*o = (struct port_object){ .age = PORT_AGE_INDIRECT, .number = number, .next = *at };
	*at = o;
	return o;
}

void
port_flow_object_take(struct port *p, enum port_flow_object_kind kind, struct port_object *o)
{
	struct port_object **at = &port_flows(p)->objects[kind];

	while (*at != o)
		at = &(*at)->next;
	*at = o->next;
}

void
port_flow_object_drop(struct port *p, enum port_flow_object_kind kind, struct port_object *o)
{
	port_flow_object_take(p, kind, o);
	port_flow_job_object_gone(p, o);
	free(o);
}

int
port_flow_object_made(struct ports *ps, struct port *p, enum port_flow_object_kind kind,
	struct port_object *o, void *handle, const struct rte_flow_error *error, struct err *e)
{
	if (handle == NULL) {
		port_flow_error(error, e);
		port_flow_object_drop(p, kind, o);
		return -e->code;
	}
	o->handle = handle;
	out_text(ps->out, "%s ", kinds[kind].name);
	out_u64(ps->out, "number", "#%" PRIu64 " created\n", o->number);
	return 0;
}

struct port_object *
port_flow_object_find(const struct port *p, enum port_flow_object_kind kind, uint32_t number,
	struct err *e)
{
	for (struct port_object *o = port_flows(p)->objects[kind]; o != NULL; o = o->next)
		if (o->number == number)
			return o;
	if (kind == PORT_INDIRECT)
		err_set(e, ENOENT, "Failed to find indirect action #%u on port %u", number, p->id);
	else
		err_set(e, ENOENT, "%s #%u is invalid", kinds[kind].lacks, number);
	return NULL;
}

int
port_flow_object_destroy(struct ports *ps, uint16_t id, enum port_flow_object_kind kind,
	const uint32_t *number, uint32_t n, struct err *e)
{
	struct port *p = port_find(ps, id, e);

	if (p == NULL)
		return -e->code;
	for (uint32_t i = 0; i < n; i++) {
		struct port_object *o = port_flow_object_find(p, kind, number[i], e);
		struct rte_flow_error error = { 0 };

		if (o == NULL)
			return -e->code;
		if (kinds[kind].destroy(id, o->handle, &error) != 0)
			return port_flow_error(&error, e);
		port_flow_object_drop(p, kind, o);
		out_say(ps->out, "%s #%u destroyed\n", kinds[kind].name, number[i]);
	}
	return 0;
}

void
port_flow_object_forget(struct ports *ps, struct port *p)
{
	static const enum port_flow_object_kind order[] = { PORT_TABLE, PORT_ACTIONS_TEMPLATE,
		PORT_PATTERN_TEMPLATE, PORT_INDIRECT, PORT_FLEX_ITEM };
	struct port_object *o;
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		while ((o = port_flows(p)->objects[order[i]]) != NULL) {
			struct rte_flow_error error = { 0 };

			err_clear(&e);
			if (kinds[order[i]].destroy(p->id, o->handle, &error) != 0) {
				port_flow_error(&error, &e);
				out_warn(ps->out, "%s #%u not destroyed\n%s\n",
					kinds[order[i]].name, o->number, e.text);
			}
			port_flow_object_drop(p, order[i], o);
		}
}
