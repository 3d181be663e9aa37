/* Traffic management with rte_tm: shapers, WRED profiles, the tree of nodes, and its commands. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/grammar/grammar.h"
#include "features/qos/port_tm_show.h"
#include "port/port.h"
#include "port/port_life.h"
#include "port/port_refusal.h"

#include <rte_tm.h>

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PORT_TM_SHARED_MAX 255 /* maximum number of shared shapers per node */

enum when { ANY_TIME, STARTED, STOPPED };

/* A row's function; n[]: the numbers of the line other than the port, in the line's order. */
struct tm_op {
	int (*call)(uint16_t id, const uint64_t *n, struct rte_tm_error *error);
	enum when when;
};

static uint32_t
number(const struct args *a, const char *name)
{
	return (uint32_t)arg_u64(a, name, 0);
}

static int
shaper_add(uint16_t id, const uint64_t *n, struct rte_tm_error *error)
{
	struct rte_tm_shaper_params shaper = {
		.committed = { .rate = n[1], .size = n[2] },
		.peak = { .rate = n[3], .size = n[4] },
		.pkt_length_adjust = (int32_t)n[5],
		.packet_mode = (int)n[6],
	};

	return rte_tm_shaper_profile_add(id, (uint32_t)n[0], &shaper, error);
}

static int
shaper_del(uint16_t id, const uint64_t *n, struct rte_tm_error *error)
{
	return rte_tm_shaper_profile_delete(id, (uint32_t)n[0], error);
}

static int
shared_add(uint16_t id, const uint64_t *n, struct rte_tm_error *error)
{
	return rte_tm_shared_shaper_add_update(id, (uint32_t)n[0], (uint32_t)n[1], error);
}

static int
shared_del(uint16_t id, const uint64_t *n, struct rte_tm_error *error)
{
	return rte_tm_shared_shaper_delete(id, (uint32_t)n[0], error);
}

static int
wred_add(uint16_t id, const uint64_t *n, struct rte_tm_error *error)
{
	struct rte_tm_wred_params wred = { 0 };

	for (unsigned int color = 0; color < RTE_COLORS; color++) {
		const uint64_t *words = n + 1 + 5 * color; /* [0]: the letter */

		wred.red_params[color].min_th = words[1];
		wred.red_params[color].max_th = words[2];
		wred.red_params[color].maxp_inv = (uint16_t)words[3];
		wred.red_params[color].wq_log2 = (uint16_t)words[4];
	}
	return rte_tm_wred_profile_add(id, (uint32_t)n[0], &wred, error);
}

static int
wred_del(uint16_t id, const uint64_t *n, struct rte_tm_error *error)
{
	return rte_tm_wred_profile_delete(id, (uint32_t)n[0], error);
}

static int
node_del(uint16_t id, const uint64_t *n, struct rte_tm_error *error)
{
	return rte_tm_node_delete(id, (uint32_t)n[0], error);
}

static int
node_shaper(uint16_t id, const uint64_t *n, struct rte_tm_error *error)
{
	return rte_tm_node_shaper_update(id, (uint32_t)n[0], (uint32_t)n[1], error);
}

static int
node_parent(uint16_t id, const uint64_t *n, struct rte_tm_error *error)
{
	return rte_tm_node_parent_update(id, (uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2],
		(uint32_t)n[3], error);
}

static int
node_suspend(uint16_t id, const uint64_t *n, struct rte_tm_error *error)
{
	return rte_tm_node_suspend(id, (uint32_t)n[0], error);
}

static int
node_resume(uint16_t id, const uint64_t *n, struct rte_tm_error *error)
{
	return rte_tm_node_resume(id, (uint32_t)n[0], error);
}

static int
commit(uint16_t id, const uint64_t *n, struct rte_tm_error *error)
{
	return rte_tm_hierarchy_commit(id, n[0] == 0, error);
}

static int
mark_ecn(uint16_t id, const uint64_t *n, struct rte_tm_error *error)
{
	return rte_tm_mark_ip_ecn(id, (int)n[0], (int)n[1], (int)n[2], error);
}

static int
mark_dscp(uint16_t id, const uint64_t *n, struct rte_tm_error *error)
{
	return rte_tm_mark_ip_dscp(id, (int)n[0], (int)n[1], (int)n[2], error);
}

static int
mark_dei(uint16_t id, const uint64_t *n, struct rte_tm_error *error)
{
	return rte_tm_mark_vlan_dei(id, (int)n[0], (int)n[1], (int)n[2], error);
}

#define OP(...) \
	&(const struct tm_op) \
	{ \
		__VA_ARGS__ \
	}

/*
 * Call the function of the row. Errors: -ENODEV; -EINVAL the port's state; the driver's error.
 * Thread: control, for all of this file.
 */
static int
change(struct app *app, const struct args *a, struct err *e)
{
	const struct tm_op *op = a->data;
	const uint16_t id = arg_port(a);
	const struct port *p = port_find(&app->ports, id, e);
	struct rte_tm_error error = { 0 };
	uint64_t n[ARGS_MAX] = { 0 };
	int ret;

	if (p == NULL)
		return -e->code;
	if (op->when != ANY_TIME && (p->state == PORT_STARTED) != (op->when == STARTED))
		return err_set(e, EINVAL, " Port %u not %s (error)", id,
			op->when == STARTED ? "started" : "stopped");
	arg_numbers(a, n);
	ret = op->call(id, n, &error);
	return ret == 0 ? 0 : port_refusal_tm(&error, ret, e);
}

/* Read the numbers of n shared shapers into shared[0..n). */
static int
shared_read(const struct args *a, uint32_t *shared, unsigned int n, struct err *e)
{
	const char *text = arg_str(a, "shared", "");
	unsigned int i = 0;
	char *end;

	for (; *(text += strspn(text, " \t")) != '\0'; text = end) {
		errno = 0;
		const unsigned long long value = strtoull(text, &end, 10);

		if (*text < '0' || *text > '9' || (*end != '\0' && strchr(" \t", *end) == NULL))
			return arg_err(a, "shared", e, EINVAL,
				"\"%s\" is not the number of a shared shaper", text);
		if (errno != 0 || value > UINT32_MAX)
			return arg_err(a, "shared", e, ERANGE, "\"%s\" is above %u", text,
				UINT32_MAX);
		if (i == n)
			return arg_err(a, "shared", e, EINVAL, "more than %u shared shapers", n);
		shared[i++] = (uint32_t)value;
	}
	if (i < n)
		return err_set(e, EINVAL, "%u shared shapers: expected %u", i, n);
	return 0;
}

/*
 * Add a node to the tree, which takes effect at commit. Arrays in its parameters live as long as
 * the port, because drivers keep pointers to them.
 */
static int
node_add(struct app *app, const struct args *a, struct err *e)
{
	const uint16_t id = arg_port(a);
	const uint32_t priorities = number(a, "priorities");
	uint32_t shared[PORT_TM_SHARED_MAX];
	struct rte_tm_node_params params = {
		.shaper_profile_id = number(a, "shaper"),
		.n_shared_shapers = number(a, "n_shared"),
		.stats_mask = arg_u64(a, "stats", 0),
	};
	struct rte_tm_error error = { 0 };
	struct port *p;
	int ret;

	if (shared_read(a, shared, params.n_shared_shapers, e) != 0)
		return -e->code;
	p = port_find(&app->ports, id, e);
	if (p == NULL)
		return -e->code;
	if (params.n_shared_shapers > 0) {
		params.shared_shaper_id =
			port_keep(p, shared, params.n_shared_shapers * sizeof(*shared), e);
		if (params.shared_shaper_id == NULL)
			return -e->code;
	}
	if (arg_given(a, "cman")) {
		params.leaf.cman = (enum rte_tm_cman_mode)number(a, "cman");
		params.leaf.wred.wred_profile_id = number(a, "wred");
	} else {
		params.nonleaf.n_sp_priorities = priorities;
		if (a->data != NULL && priorities > 0) { /* weights count packets */
			params.nonleaf.wfq_weight_mode =
				port_keep(p, NULL, priorities * sizeof(int), e);
			if (params.nonleaf.wfq_weight_mode == NULL)
				return -e->code;
		}
	}
	ret = rte_tm_node_add(id, number(a, "node"), number(a, "parent"), number(a, "priority"),
		number(a, "weight"), number(a, "level"), &params, &error);
	return ret == 0 ? 0 : port_refusal_tm(&error, ret, e);
}

static const bool packet_mode = true;

#define N32 "0..4294967295"
#define N64 "0..18446744073709551615"
#define RED(color, letters) \
	"<" color ":word " letters "> <min_" color ":uint " N64 "> <max_" color ":uint " N64 \
	"> <inverse_" color ":uint 0..65535> <log2_" color ":uint 0..65535>"
#define CMD_NODE \
	"<port:port> <node:uint " N32 "> <parent:id> <priority:uint " N32 "> <weight:uint " N32 \
	"> <level:uint " N32 "> <shaper:id> "
#define SHARED " <stats:uint " N64 "> <n_shared:uint 0..255> [<shared:text>]"
#define COLORS " <port:port> <green:uint 0..65535> <yellow:uint 0..65535> <red:uint 0..65535>"

static const struct cmd_row rows[] = {
	{ "show port tm cap <port:port>", port_tm_show_port,
		"show the traffic management capabilities of a port", NULL, NULL, .shows = true },
	{ "show port tm level cap <port:port> <level:uint " N32 ">", port_tm_show_level,
		"show the traffic management capabilities of one level of nodes", NULL, NULL,
		.shows = true },
	{ "show port tm node cap <port:port> <node:uint " N32 ">", port_tm_show_node,
		"show the traffic management capabilities of one node", NULL, NULL, .shows = true },
	{ "show port tm node type <port:port> <node:uint " N32 ">", port_tm_show_type,
		"show whether a node is a leaf", NULL, NULL, .shows = true },
	{ "show port tm node <port:port> <node:uint " N32 ">", port_tm_show_place,
		"show a node's place in the hierarchy and its parameters; needs DPDK 24.11", NULL,
		NULL, .shows = true },
	{ "show port tm node stats <port:port> <node:uint " N32 "> <clear:uint " N32 ">",
		port_tm_show_stats, "show the statistics of a node; clear 1: reset them afterwards",
		NULL, NULL },
	{ "add port tm node shaper profile <port:port> <profile:uint " N32 "> <rate:uint " N64
	  "> <size:uint " N64 "> <peak_rate:uint " N64 "> <peak_size:uint " N64
	  "> <adjust:uint " N32 "> <packet_mode:uint " N32 ">",
		change,
		"add a shaper profile: committed and peak rate (bytes per second) and bucket size (bytes), bytes added to each packet; packet_mode 1: in packets instead of bytes",
		NULL, OP(shaper_add) },
	{ "del port tm node shaper profile <port:port> <profile:uint " N32 ">", change,
		"delete a shaper profile", NULL, OP(shaper_del) },
	{ "add port tm node shared shaper <port:port> <shared:uint " N32 "> <profile:uint " N32 ">",
		change, "add a shaper that nodes share; the port must be stopped", NULL,
		OP(shared_add, STOPPED) },
	{ "set port tm node shared shaper <port:port> <shared:uint " N32 "> <profile:uint " N32 ">",
		change, "change the profile of a shared shaper; the port must be started", NULL,
		OP(shared_add, STARTED) },
	{ "del port tm node shared shaper <port:port> <shared:uint " N32 ">", change,
		"delete a shared shaper", NULL, OP(shared_del) },
	{ "add port tm node wred profile <port:port> <profile:uint " N32
	  "> " RED("green", "G|g") " " RED("yellow", "Y|y") " " RED("red", "R|r"),
		change,
		"add a WRED profile for leaves: per color the queue lengths, the inverse drop probability and the weight of the average",
		NULL, OP(wred_add) },
	{ "del port tm node wred profile <port:port> <profile:uint " N32 ">", change,
		"delete a WRED profile", NULL, OP(wred_del) },
	{ "set port tm node shaper profile <port:port> <node:uint " N32 "> <profile:uint " N32 ">",
		change, "change the shaper profile of a node; the port must be started", NULL,
		OP(node_shaper, STARTED) },
	{ "add port tm nonleaf node " CMD_NODE "<priorities:uint " N32 ">" SHARED, node_add,
		"add a node that is not a leaf; parent -1: the root; shaper -1: none", NULL, NULL },
	{ "add port tm nonleaf node pktmode " CMD_NODE "<priorities:uint " N32 ">" SHARED, node_add,
		"add a node that is not a leaf and whose weights count packets instead of bytes",
		NULL, &packet_mode },
	{ "add port tm leaf node " CMD_NODE "<cman:uint " N32 "> <wred:uint " N32 ">" SHARED,
		node_add, "add a leaf node, which is a queue", NULL, NULL },
	{ "del port tm node <port:port> <node:uint " N32 ">", change,
		"delete a node; the port must be stopped", NULL, OP(node_del, STOPPED) },
	{ "set port tm node parent <port:port> <node:uint " N32 "> <parent:uint " N32
	  "> <priority:uint " N32 "> <weight:uint " N32 ">",
		change, "change the parent of a node; the port must be started", NULL,
		OP(node_parent, STARTED) },
	{ "suspend port tm node <port:port> <node:uint " N32 ">", change,
		"suspend a node; it stops transmitting", NULL, OP(node_suspend) },
	{ "resume port tm node <port:port> <node:uint " N32 ">", change, "resume a suspended node",
		NULL, OP(node_resume) },
	{ "port tm hierarchy commit <port:port> <clean:word yes|no>", change,
		"apply the hierarchy to the port; yes: delete it if that fails", NULL, OP(commit) },
	{ "set port tm mark ip_ecn" COLORS, change,
		"set for each color whether packets are marked with ECN congestion experienced (1: yes, 0: no)",
		NULL, OP(mark_ecn) },
	{ "set port tm mark ip_dscp" COLORS, change,
		"set for each color whether packets are marked in the DSCP field (1: yes, 0: no)",
		NULL, OP(mark_dscp) },
	{ "set port tm mark vlan_dei" COLORS, change,
		"set for each color whether packets get the VLAN drop eligible bit (1: yes, 0: no)",
		NULL, OP(mark_dei) },
};

const struct cmd_table cmds_tm = { "tm", "traffic management", rows, ARRAY_SIZE(rows), CMD_QOS };
