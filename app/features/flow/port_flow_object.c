/* Lists of objects and of jobs, how each kind of object is destroyed, and errors of rte_flow in testpmd's format. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "compat.h"
#include "features/flow/flow_priv.h"
#include "features/flow/language/flow_rule.h"
#include "port/port.h"

#include <rte_errno.h>
#include <rte_version.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* A port's list of jobs, newest first. */

struct port_flow_job *
port_flow_job_new(struct port *p, enum port_flow_job_kind kind, struct err *e)
{
	struct port_flow_job *j = calloc(1, sizeof(*j));

	if (j == NULL) {
		err_set(e, ENOMEM, "no memory for an operation on flow rules");
		return NULL;
	}
	j->kind = kind;
	j->next = port_flows(p)->jobs;
	port_flows(p)->jobs = j;
	return j;
}

void
port_flow_job_free(struct port *p, struct port_flow_job *j)
{
	struct port_flow_job **at = &port_flows(p)->jobs;

	while (*at != j)
		at = &(*at)->next;
	*at = j->next;
	free(j);
}

void
port_flow_job_forget(struct port *p)
{
	struct port_flow_job *j;

	while ((j = port_flows(p)->jobs) != NULL) {
		if (j->kind == JOB_DESTROY)
			free(j->flow);
		if (j->kind == JOB_INDIRECT_DESTROY)
			free(j->object);
		port_flow_job_free(p, j);
	}
}

void
port_flow_job_rule(struct port *p, const struct port_flow *was, struct port_flow *now)
{
	for (struct port_flow_job *j = port_flows(p)->jobs; j != NULL; j = j->next)
		if (j->kind == JOB_CREATE && j->flow == was)
			j->flow = now;
}

void
port_flow_job_object_gone(struct port *p, const struct port_object *o)
{
	for (struct port_flow_job *j = port_flows(p)->jobs; j != NULL; j = j->next)
		if (j->kind != JOB_INDIRECT_DESTROY && j->object == o)
			j->object = NULL;
}

/* Errors of rte_flow in testpmd's format. */

int
port_flow_error_of(int code, const struct rte_flow_error *error, struct err *e)
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
port_flow_error(const struct rte_flow_error *error, struct err *e)
{
	return port_flow_error_of(rte_errno, error, e);
}

int
port_flow_since(unsigned int year, unsigned int month, const char *words, struct err *e)
{
	if (COMPAT_NEWER(year, month))
		return 0;
	return err_set(e, ENOTSUP, "%s needs DPDK %u.%02u, this is %s", words, year, month,
		rte_version());
}

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
