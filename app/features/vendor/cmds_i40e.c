/* Commands for net_i40e, in testpmd's syntax. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/commands/types_app.h"
#include "cmdline/grammar/grammar.h"
#include "features/vendor/port_ddp.h"
#include "features/vendor/port_i40e.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The arguments other than the port are the numbers of the operation, in the same order. */
static int
region(struct app *app, const struct args *a, struct err *e)
{
	const enum port_i40e_region_op *op = a->data;
	uint64_t n[ARGS_MAX] = { 0 };
	unsigned int i, at = 0;

	for (i = 0; i < a->n; i++)
		if (strcmp(a->arg[i].name, "port") != 0)
			n[at++] = a->arg[i].number;
	return port_i40e_region(&app->ports, arg_port(a), *op, n, e);
}

static int
regions_show(struct app *app, const struct args *a, struct err *e)
{
	return port_i40e_regions_show(&app->ports, arg_port(a), e);
}

static int
flow_director(struct app *app, const struct args *a, struct err *e)
{
	const struct port_i40e_template rule = {
		.flow = arg_str(a, "flow_type", ""),
		.path = arg_str(a, "file", ""),
		.queue = (uint16_t)arg_u64(a, "queue_number", 0),
		.number = (uint32_t)arg_u64(a, "number", 0),
		.add = !arg_is(a, "what", "del"),
		.drop = arg_is(a, "verdict", "drop"),
	};

	return port_i40e_flow_director(&app->ports, arg_port(a), &rule, e);
}

static int
ddp_add(struct app *app, const struct args *a, struct err *e)
{
	const char *files = arg_str(a, "files", ""), *comma = strchr(files, ',');
	char path[LINE_BYTES];

	snprintf(path, sizeof(path), "%.*s",
		comma != NULL ? (int)(comma - files) : (int)strlen(files), files);
	return port_ddp_add(&app->ports, arg_port(a), path, comma != NULL ? comma + 1 : NULL, e);
}

static int
ddp_del(struct app *app, const struct args *a, struct err *e)
{
	return port_ddp_del(&app->ports, arg_port(a), arg_str(a, "file", ""), e);
}

static int
ddp_list(struct app *app, const struct args *a, struct err *e)
{
	return port_ddp_list(&app->ports, arg_port(a), e);
}

static int
ddp_info(struct app *app, const struct args *a, struct err *e)
{
	return port_ddp_info(&app->ports, arg_str(a, "file", ""), e);
}

static int
inset(struct app *app, const struct args *a, struct err *e)
{
	return port_i40e_inset(&app->ports, arg_port(a), (uint8_t)arg_u64(a, "type", 0),
		(enum port_i40e_inset)arg_u64(a, "kind", 0),
		(enum port_i40e_inset_op)arg_u64(a, "what", 0), (uint8_t)arg_u64(a, "number", 0),
		e);
}

static int
inset_none(struct app *app, const struct args *a, struct err *e)
{
	return port_i40e_inset_none(&app->ports, arg_port(a), (uint8_t)arg_u64(a, "type", 0),
		(enum port_i40e_inset)arg_u64(a, "kind", 0), e);
}

static int
ptypes_show(struct app *app, const struct args *a, struct err *e)
{
	return port_i40e_ptypes_show(&app->ports, arg_port(a), arg_u64(a, "valid", 0) != 0, e);
}

static int
ptypes_replace(struct app *app, const struct args *a, struct err *e)
{
	return port_i40e_ptypes_replace(&app->ports, arg_port(a), (uint32_t)arg_u64(a, "target", 0),
		arg_u64(a, "mask", 0) != 0, (uint32_t)arg_u64(a, "with", 0), e);
}

static int
ptypes_reset(struct app *app, const struct args *a, struct err *e)
{
	return port_i40e_ptypes_reset(&app->ports, arg_port(a), e);
}

static int
ptypes_update(struct app *app, const struct args *a, struct err *e)
{
	return port_i40e_ptypes_set(&app->ports, arg_port(a), (uint16_t)arg_u64(a, "hardware", 0),
		(uint32_t)arg_u64(a, "software", 0), e);
}

static int
pctypes_show(struct app *app, const struct args *a, struct err *e)
{
	return port_i40e_pctypes_show(&app->ports, arg_port(a), e);
}

static int
pctypes_reset(struct app *app, const struct args *a, struct err *e)
{
	return port_i40e_pctypes_reset(&app->ports, arg_port(a), e);
}

static int
pctypes_update(struct app *app, const struct args *a, struct err *e)
{
	const struct arg *types = arg_find(a, "types");

	return port_i40e_pctypes_set(&app->ports, arg_port(a), types->list, types->list_n,
		(uint16_t)arg_u64(a, "flowtype", 0), e);
}

static int
source_prune(struct app *app, const struct args *a, struct err *e)
{
	return port_i40e_source_prune(&app->ports, arg_port(a), arg_u64(a, "on", 0) != 0, e);
}

#define OP(op) \
	NULL, &(const enum port_i40e_region_op) \
	{ \
		op \
	}

#define PORT "<port:port>"
#define N8 "0..255"
#define N32 "0..4294967295"
#define KIND "<kind:word hash_inset|fdir_inset|fdir_flx_inset>"

static const struct cmd_row rows[] = {
	{ "set port " PORT " queue-region region_id <region:uint " N8
	  "> queue_start_index <first:uint " N8 "> queue_num <n:uint " N8 ">",
		region, "create a queue region, a range of queues over which RSS spreads packets",
		OP(PORT_I40E_REGION_QUEUES) },
	{ "set port " PORT " queue-region region_id <region:uint " N8 "> flowtype <type:uint " N8
	  ">",
		region, "assign a hardware flow type to a queue region",
		OP(PORT_I40E_REGION_FLOWTYPE) },
	{ "set port " PORT " queue-region UP <priority:uint " N8 "> region_id <region:uint " N8 ">",
		region, "assign a VLAN user priority to a queue region",
		OP(PORT_I40E_REGION_PRIORITY) },
	{ "set port " PORT " queue-region flush <on:word off|on>", region,
		"apply the queue regions (on), or delete all (off)", OP(PORT_I40E_REGION_FLUSH) },
	{ "show port " PORT " queue-region", regions_show, "show the queue regions of a port", NULL,
		NULL },
	{ "flow_director_filter " PORT
	  " mode raw <what:word add|del|update> flow <flow_type:str> <verdict:word drop|fwd> queue <queue_number:uint 0..65535> fd_id <number:uint " N32
	  "> packet <file:file>",
		flow_director,
		"add, delete or update a flow director rule; the file holds an example packet",
		NULL, NULL },
	{ "ddp add " PORT " <files:file>", ddp_add,
		"load a DDP profile; FILE,BACKUP: also save the profile that undoes it; the ports must be stopped",
		NULL, NULL },
	{ "ddp del " PORT " <file:file>", ddp_del,
		"unload a DDP profile with its backup; the ports must be stopped", NULL, NULL },
	{ "ddp get list " PORT, ddp_list, "list the DDP profiles of a port", NULL, NULL },
	{ "ddp get info <file:file>", ddp_info, "show the contents of a DDP profile", NULL, NULL },
	{ "port config " PORT " pctype <type:uint " N8 "> " KIND
	  " <what:word get|set|clear> field <number:uint " N8 ">",
		inset,
		"get, set or clear a field of the input set of RSS or flow director for a packet classification type; the ports must be stopped",
		NULL, NULL },
	{ "port config " PORT " pctype <type:uint " N8 "> " KIND " clear all", inset_none,
		"clear the input set of a packet classification type; the ports must be stopped",
		NULL, NULL },
	{ "ptype mapping get " PORT " <valid:uint " N8 ">", ptypes_show,
		"list the packet type of each hardware type; 1: only mapped ones", NULL, NULL },
	{ "ptype mapping replace " PORT " <target:uint " N32 "> <mask:uint " N8 "> <with:uint " N32
	  ">",
		ptypes_replace,
		"replace a packet type; mask 1: all packet types that contain its bits", NULL,
		NULL },
	{ "ptype mapping reset " PORT, ptypes_reset,
		"reset the packet types to the driver's defaults", NULL, NULL },
	{ "ptype mapping update " PORT " <hardware:uint " N8 "> <software:uint " N32 ">",
		ptypes_update, "set the packet type of a hardware type", NULL, NULL },
	{ "show port " PORT " pctype mapping", pctypes_show,
		"show the flow type of each packet classification type", NULL, NULL },
	{ "port config " PORT " pctype mapping reset", pctypes_reset,
		"reset the flow types to the driver's defaults", NULL, NULL },
	{ "port config " PORT " pctype mapping update <types:list 0..63> <flowtype:uint 0..63>",
		pctypes_update, "set the packet classification types of a flow type", NULL, NULL },
	{ "port config <port:ports> i40e_src_prune <on:word off|on>", source_prune,
		"drop received packets whose source MAC address is the port's own", NULL, NULL },
};

const struct cmd_table cmds_i40e = { "i40e", "net_i40e", rows, ARRAY_SIZE(rows) };
