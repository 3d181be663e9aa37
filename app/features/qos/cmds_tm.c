/* Commands for traffic management, in testpmd's syntax. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/commands/types_app.h"
#include "cmdline/grammar/grammar.h"
#include "features/qos/port_tm.h"
#include "features/qos/port_tm_node.h"
#include "features/qos/port_tm_show.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t
number(const struct args *a, const char *name)
{
	return (uint32_t)arg_u64(a, name, 0);
}

static int
cap(struct app *app, const struct args *a, struct err *e)
{
	return port_tm_show_port(&app->ports, arg_port(a), e);
}

static int
level_cap(struct app *app, const struct args *a, struct err *e)
{
	return port_tm_show_level(&app->ports, arg_port(a), number(a, "level"), e);
}

static int
node_cap(struct app *app, const struct args *a, struct err *e)
{
	return port_tm_show_node(&app->ports, arg_port(a), number(a, "node"), e);
}

static int
node_type(struct app *app, const struct args *a, struct err *e)
{
	return port_tm_show_type(&app->ports, arg_port(a), number(a, "node"), e);
}

static int
node_place(struct app *app, const struct args *a, struct err *e)
{
	return port_tm_node_show(&app->ports, arg_port(a), number(a, "node"), e);
}

static int
node_stats(struct app *app, const struct args *a, struct err *e)
{
	return port_tm_show_stats(&app->ports, arg_port(a), number(a, "node"),
		arg_u64(a, "clear", 0) != 0, e);
}

/* The arguments other than the port are the numbers of the operation, in the same order. */
static int
change(struct app *app, const struct args *a, struct err *e)
{
	const enum port_tm_op *op = a->data;
	uint64_t n[ARGS_MAX] = { 0 };
	unsigned int i, at = 0;

	for (i = 0; i < a->n; i++)
		if (strcmp(a->arg[i].name, "port") != 0)
			n[at++] = a->arg[i].number;
	return port_tm_do(&app->ports, arg_port(a), *op, n, e);
}

/* Read the numbers of shared shapers, which must match their count. */
static int
shared_read(const struct args *a, struct port_tm_node *node, struct err *e)
{
	const char *text = arg_str(a, "shared", "");
	unsigned int n = 0;
	char *end;

	node->n_shared = number(a, "n_shared");
	for (; *(text += strspn(text, " \t")) != '\0'; text = end) {
		errno = 0;
		const unsigned long long value = strtoull(text, &end, 10);

		if (*text < '0' || *text > '9' || (*end != '\0' && strchr(" \t", *end) == NULL))
			return arg_err(a, "shared", e, EINVAL,
				"\"%s\" is not the number of a shared shaper", text);
		if (errno != 0 || value > UINT32_MAX)
			return arg_err(a, "shared", e, ERANGE, "\"%s\" is above %u", text,
				UINT32_MAX);
		if (n == node->n_shared)
			return arg_err(a, "shared", e, EINVAL, "more than %u shared shapers", n);
		node->shared[n++] = (uint32_t)value;
	}
	if (n < node->n_shared)
		return err_set(e, EINVAL, "%u shared shapers: expected %u", n, node->n_shared);
	return 0;
}

static int
node_add(struct app *app, const struct args *a, struct err *e)
{
	struct port_tm_node node = {
		.node = number(a, "node"),
		.parent = number(a, "parent"),
		.priority = number(a, "priority"),
		.weight = number(a, "weight"),
		.level = number(a, "level"),
		.shaper = number(a, "shaper"),
		.leaf = arg_given(a, "cman"),
		.sp_priorities = number(a, "priorities"),
		.packet_mode = a->data != NULL,
		.cman = number(a, "cman"),
		.wred = number(a, "wred"),
		.stats = arg_u64(a, "stats", 0),
	};

	if (shared_read(a, &node, e) != 0)
		return -e->code;
	return port_tm_node_add(&app->ports, arg_port(a), &node, e);
}

static const bool packet_mode = true;

#define OP(op) \
	NULL, &(const enum port_tm_op) \
	{ \
		op \
	}

#define N32 "0..4294967295"
#define N64 "0..18446744073709551615"
#define RED(color, letters) \
	"<" color ":word " letters "> <min_" color ":uint " N64 "> <max_" color ":uint " N64 \
	"> <inverse_" color ":uint 0..65535> <log2_" color ":uint 0..65535>"
#define NODE \
	"<port:port> <node:uint " N32 "> <parent:id> <priority:uint " N32 "> <weight:uint " N32 \
	"> <level:uint " N32 "> <shaper:id> "
#define SHARED " <stats:uint " N64 "> <n_shared:uint 0..255> [<shared:text>]"
#define COLORS " <port:port> <green:uint 0..65535> <yellow:uint 0..65535> <red:uint 0..65535>"

static const struct cmd_row rows[] = {
	{ "show port tm cap <port:port>", cap, "show the traffic management capabilities of a port",
		NULL, NULL },
	{ "show port tm level cap <port:port> <level:uint " N32 ">", level_cap,
		"show the traffic management capabilities of one level of nodes", NULL, NULL },
	{ "show port tm node cap <port:port> <node:uint " N32 ">", node_cap,
		"show the traffic management capabilities of one node", NULL, NULL },
	{ "show port tm node type <port:port> <node:uint " N32 ">", node_type,
		"show whether a node is a leaf", NULL, NULL },
	{ "show port tm node <port:port> <node:uint " N32 ">", node_place,
		"show a node's place in the hierarchy and its parameters; needs DPDK 24.11", NULL,
		NULL },
	{ "show port tm node stats <port:port> <node:uint " N32 "> <clear:uint " N32 ">",
		node_stats, "show the statistics of a node; clear 1: reset them afterwards", NULL,
		NULL },
	{ "add port tm node shaper profile <port:port> <profile:uint " N32 "> <rate:uint " N64
	  "> <size:uint " N64 "> <peak_rate:uint " N64 "> <peak_size:uint " N64
	  "> <adjust:uint " N32 "> <packet_mode:uint " N32 ">",
		change,
		"add a shaper profile: committed and peak rate (bytes per second) and bucket size (bytes), bytes added to each packet; packet_mode 1: in packets instead of bytes",
		OP(PORT_TM_SHAPER_ADD) },
	{ "del port tm node shaper profile <port:port> <profile:uint " N32 ">", change,
		"delete a shaper profile", OP(PORT_TM_SHAPER_DEL) },
	{ "add port tm node shared shaper <port:port> <shared:uint " N32 "> <profile:uint " N32 ">",
		change, "add a shaper that nodes share; the port must be stopped",
		OP(PORT_TM_SHARED_ADD) },
	{ "set port tm node shared shaper <port:port> <shared:uint " N32 "> <profile:uint " N32 ">",
		change, "change the profile of a shared shaper; the port must be started",
		OP(PORT_TM_SHARED_SET) },
	{ "del port tm node shared shaper <port:port> <shared:uint " N32 ">", change,
		"delete a shared shaper", OP(PORT_TM_SHARED_DEL) },
	{ "add port tm node wred profile <port:port> <profile:uint " N32
	  "> " RED("green", "G|g") " " RED("yellow", "Y|y") " " RED("red", "R|r"),
		change,
		"add a WRED profile for leaves: per color the queue lengths, the inverse drop probability and the weight of the average",
		OP(PORT_TM_WRED_ADD) },
	{ "del port tm node wred profile <port:port> <profile:uint " N32 ">", change,
		"delete a WRED profile", OP(PORT_TM_WRED_DEL) },
	{ "set port tm node shaper profile <port:port> <node:uint " N32 "> <profile:uint " N32 ">",
		change, "change the shaper profile of a node; the port must be started",
		OP(PORT_TM_NODE_SHAPER) },
	{ "add port tm nonleaf node " NODE "<priorities:uint " N32 ">" SHARED, node_add,
		"add a node that is not a leaf; parent -1: the root; shaper -1: none", NULL, NULL },
	{ "add port tm nonleaf node pktmode " NODE "<priorities:uint " N32 ">" SHARED, node_add,
		"add a node that is not a leaf and whose weights count packets instead of bytes",
		NULL, &packet_mode },
	{ "add port tm leaf node " NODE "<cman:uint " N32 "> <wred:uint " N32 ">" SHARED, node_add,
		"add a leaf node, which is a queue", NULL, NULL },
	{ "del port tm node <port:port> <node:uint " N32 ">", change,
		"delete a node; the port must be stopped", OP(PORT_TM_NODE_DEL) },
	{ "set port tm node parent <port:port> <node:uint " N32 "> <parent:uint " N32
	  "> <priority:uint " N32 "> <weight:uint " N32 ">",
		change, "change the parent of a node; the port must be started",
		OP(PORT_TM_NODE_PARENT) },
	{ "suspend port tm node <port:port> <node:uint " N32 ">", change,
		"suspend a node; it stops transmitting", OP(PORT_TM_NODE_SUSPEND) },
	{ "resume port tm node <port:port> <node:uint " N32 ">", change, "resume a suspended node",
		OP(PORT_TM_NODE_RESUME) },
	{ "port tm hierarchy commit <port:port> <clean:word yes|no>", change,
		"apply the hierarchy to the port; yes: delete it if that fails",
		OP(PORT_TM_COMMIT) },
	{ "set port tm mark ip_ecn" COLORS, change,
		"set for each color whether packets are marked with ECN congestion experienced (1: yes, 0: no)",
		OP(PORT_TM_MARK_ECN) },
	{ "set port tm mark ip_dscp" COLORS, change,
		"set for each color whether packets are marked in the DSCP field (1: yes, 0: no)",
		OP(PORT_TM_MARK_DSCP) },
	{ "set port tm mark vlan_dei" COLORS, change,
		"set for each color whether packets get the VLAN drop eligible bit (1: yes, 0: no)",
		OP(PORT_TM_MARK_DEI) },
};

const struct cmd_table cmds_tm = { "tm", "traffic management", rows, ARRAY_SIZE(rows) };
