/* Traffic management with rte_tm: shapers, WRED profiles, the tree of nodes, capabilities and statistics, and its commands. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "compat.h"
#include "port/port.h"
#include "port/port_life.h"
#include "port/port_refusal.h"

#include <rte_tm.h>
#include <rte_version.h>

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

/* Show a node's place in the traffic management tree and its parameters. */

/* Show an ID, or text if there is none. */
static void
id_show(struct out *o, const char *title, const char *key, uint32_t id, const char *none)
{
	out_text(o, "%s: ", title);
	if (id == UINT32_MAX)
		out_text(o, "%s\n", none);
	else
		out_u64(o, key, "%" PRIu64 "\n", id);
}

static void
ids_show(struct out *o, const char *title, const char *key, const uint32_t *ids, uint32_t n)
{
	out_text(o, "%s: %s", title, n == 0 ? "<none>" : "");
	out_nest(o, key, OUT_ARRAY);
	for (uint32_t i = 0; i < n; i++)
		out_u64(o, NULL, "%" PRIu64 " ", ids[i]);
	out_unnest(o);
	out_text(o, "\n");
}

static void
leaf_show(struct out *o, const struct rte_tm_node_params *p)
{
	static const char *const modes[] = {
		[RTE_TM_CMAN_TAIL_DROP] = "Tail Drop",
		[RTE_TM_CMAN_HEAD_DROP] = "Head Drop",
		[RTE_TM_CMAN_WRED] = "WRED",
	};

	out_text(o, "  Leaf Node Parameters\n");
	if (p->leaf.cman < ARRAY_SIZE(modes))
		out_str(o, "cman", "    CMAN Mode: %s\n", modes[p->leaf.cman]);
	id_show(o, "    WRED Profile ID", "wred", p->leaf.wred.wred_profile_id, "<none>");
	ids_show(o, "    Shared WRED Context Ids", "shared_wred",
		p->leaf.wred.shared_wred_context_id, p->leaf.wred.n_shared_wred_contexts);
}

static void
inner_show(struct out *o, const struct rte_tm_node_params *p)
{
	const int *modes = p->nonleaf.wfq_weight_mode;

	out_text(o, "  Nonleaf Node Parameters\n");
	out_u64(o, "priorities", "    Num Strict Priorities: %" PRIu64 "\n",
		p->nonleaf.n_sp_priorities);
	out_text(o, "    WFQ Weights Mode: %s", modes == NULL ? "WFQ" : "");
	out_nest(o, "weights_by", OUT_ARRAY);
	for (uint32_t i = 0; modes != NULL && i < p->nonleaf.n_sp_priorities; i++) {
		out_str(o, NULL, "%s", modes[i] != 0 ? "Bytes" : "Packet");
		out_text(o, "(%d) ", modes[i]);
	}
	out_unnest(o);
	out_text(o, "\n");
}

static void
node_show(struct out *o, const struct compat_tm_place *at, const struct rte_tm_node_params *p,
	bool leaf)
{
	id_show(o, "  Parent Node ID", "parent", at->parent, "<NULL>");
	out_u64(o, "level", "  Level ID: %" PRIu64 "\n", at->level);
	out_u64(o, "priority", "  Priority: %" PRIu64 "\n", at->priority);
	out_u64(o, "weight", "  Weight: %" PRIu64 "\n", at->weight);
	id_show(o, "  Shaper Profile ID", "shaper", p->shaper_profile_id, "<none>");
	ids_show(o, "  Shared Shaper IDs", "shared_shapers", p->shared_shaper_id,
		p->n_shared_shapers);
	out_u64(o, "stats_mask", "  Stats Mask: %" PRIu64 "\n", p->stats_mask);
	out_bool(o, "leaf", NULL, leaf, "", "");
	if (leaf)
		leaf_show(o, p);
	else
		inner_show(o, p);
}

/*
 * Show a node's place in the tree and its parameters. JSON: {"node", "parent", "level", "priority",
 * "weight", "shaper", "shared_shapers", "stats_mask", "leaf", and parameters of a leaf or of
 * another node}, without absent values. Errors: -ENODEV; -ENOSYS before DPDK 24.11; the driver's
 * error. Thread: control.
 */
static int
port_tm_node_show(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	uint32_t node = number(a, "node");
	struct compat_tm_place at = { .parent = RTE_TM_NODE_ID_NULL };
	struct rte_tm_node_params params = { 0 };
	struct rte_tm_error error = { 0 };
	int leaf = 0, ret;

	if (port_find(ps, id, e) == NULL)
		return -e->code;
	ret = compat_tm_node_query(id, node, &at, &params, &error);
	if (ret == -ENOSYS && !COMPAT_TM_NODE_QUERY)
		return err_set(e, ENOSYS, "show port tm node: needs DPDK 24.11, this is %s",
			rte_version());
	if (ret == 0)
		ret = rte_tm_node_type_get(id, node, &leaf, &error);
	if (ret != 0)
		return port_refusal_tm(&error, ret, e);
	out_text(ps->out, "Port %u TM Node %u\n", id, node);
	out_u64(ps->out, "node", NULL, node);
	node_show(ps->out, &at, &params, leaf != 0);
	return 0;
}

/* Show capabilities and statistics of traffic management. */

#define CAP(kind, member) FIELD(kind, rte_tm_capabilities, member)

static const struct field port_caps[] = {
	CAP(U32, n_nodes_max),
	CAP(U32, n_levels_max),
	CAP(INT, non_leaf_nodes_identical),
	CAP(INT, leaf_nodes_identical),
	CAP(U32, shaper_n_max),
	CAP(U32, shaper_private_n_max),
	CAP(INT, shaper_private_dual_rate_n_max),
	CAP(U64, shaper_private_rate_min),
	CAP(U64, shaper_private_rate_max),
	CAP(INT, shaper_private_packet_mode_supported),
	CAP(INT, shaper_private_byte_mode_supported),
	CAP(U32, shaper_shared_n_max),
	CAP(U32, shaper_shared_n_nodes_per_shaper_max),
	CAP(U32, shaper_shared_n_shapers_per_node_max),
	CAP(U32, shaper_shared_dual_rate_n_max),
	CAP(U64, shaper_shared_rate_min),
	CAP(U64, shaper_shared_rate_max),
	CAP(INT, shaper_shared_packet_mode_supported),
	CAP(INT, shaper_shared_byte_mode_supported),
	CAP(INT, shaper_pkt_length_adjust_min),
	CAP(INT, shaper_pkt_length_adjust_max),
	CAP(U32, sched_n_children_max),
	CAP(U32, sched_sp_n_priorities_max),
	CAP(U32, sched_wfq_n_children_per_group_max),
	CAP(U32, sched_wfq_n_groups_max),
	CAP(U32, sched_wfq_weight_max),
	CAP(INT, sched_wfq_packet_mode_supported),
	CAP(INT, sched_wfq_byte_mode_supported),
	CAP(INT, cman_head_drop_supported),
	CAP(U32, cman_wred_context_n_max),
	CAP(U32, cman_wred_context_private_n_max),
	CAP(U32, cman_wred_context_shared_n_max),
	CAP(U32, cman_wred_context_shared_n_nodes_per_context_max),
	CAP(U32, cman_wred_context_shared_n_contexts_per_node_max),
};

/* Arrays with one number per color. */
static const struct field mark_caps[] = {
	CAP(INT, mark_vlan_dei_supported),
	CAP(INT, mark_ip_ecn_tcp_supported),
	CAP(INT, mark_ip_ecn_sctp_supported),
	CAP(INT, mark_ip_dscp_supported),
};

static const struct field mask_caps[] = {
	CAP(HEX, dynamic_update_mask),
	CAP(HEX, stats_mask),
};

#define LEVEL(kind, member) FIELD(kind, rte_tm_level_capabilities, member)
/* A member of a nested struct, shown under its own name. */
#define PART(kind, of, part, member) \
	{ \
#member, offsetof(struct of, part.member), FIELD_##kind, NULL \
	}
#define LEVEL_PART(kind, part, member) PART(kind, rte_tm_level_capabilities, part, member)
#define NODE(kind, member) FIELD(kind, rte_tm_node_capabilities, member)
#define NODE_PART(kind, part, member) PART(kind, rte_tm_node_capabilities, part, member)

static const struct field level_caps[] = {
	LEVEL(U32, n_nodes_max),
	LEVEL(U32, n_nodes_nonleaf_max),
	LEVEL(U32, n_nodes_leaf_max),
	LEVEL(INT, non_leaf_nodes_identical),
	LEVEL(INT, leaf_nodes_identical),
};

#define LEVEL_SHAPER(part) \
	LEVEL_PART(INT, part, shaper_private_supported), \
		LEVEL_PART(INT, part, shaper_private_dual_rate_supported), \
		LEVEL_PART(U64, part, shaper_private_rate_min), \
		LEVEL_PART(U64, part, shaper_private_rate_max), \
		LEVEL_PART(INT, part, shaper_private_packet_mode_supported), \
		LEVEL_PART(INT, part, shaper_private_byte_mode_supported), \
		LEVEL_PART(U32, part, shaper_shared_n_max), \
		LEVEL_PART(INT, part, shaper_shared_packet_mode_supported), \
		LEVEL_PART(INT, part, shaper_shared_byte_mode_supported)

static const struct field level_nonleaf_caps[] = {
	LEVEL_SHAPER(nonleaf),
	LEVEL_PART(U32, nonleaf, sched_n_children_max),
	LEVEL_PART(U32, nonleaf, sched_sp_n_priorities_max),
	LEVEL_PART(U32, nonleaf, sched_wfq_n_children_per_group_max),
	LEVEL_PART(U32, nonleaf, sched_wfq_n_groups_max),
	LEVEL_PART(U32, nonleaf, sched_wfq_weight_max),
	LEVEL_PART(INT, nonleaf, sched_wfq_packet_mode_supported),
	LEVEL_PART(INT, nonleaf, sched_wfq_byte_mode_supported),
	LEVEL_PART(HEX, nonleaf, stats_mask),
};

static const struct field level_leaf_caps[] = {
	LEVEL_SHAPER(leaf),
	LEVEL_PART(INT, leaf, cman_head_drop_supported),
	LEVEL_PART(INT, leaf, cman_wred_context_private_supported),
	LEVEL_PART(U32, leaf, cman_wred_context_shared_n_max),
	LEVEL_PART(HEX, leaf, stats_mask),
};

static const struct field node_caps[] = {
	NODE(INT, shaper_private_supported),
	NODE(INT, shaper_private_dual_rate_supported),
	NODE(U64, shaper_private_rate_min),
	NODE(U64, shaper_private_rate_max),
	NODE(INT, shaper_private_packet_mode_supported),
	NODE(INT, shaper_private_byte_mode_supported),
	NODE(U32, shaper_shared_n_max),
	NODE(INT, shaper_shared_packet_mode_supported),
	NODE(INT, shaper_shared_byte_mode_supported),
};

static const struct field node_nonleaf_caps[] = {
	NODE_PART(U32, nonleaf, sched_n_children_max),
	NODE_PART(U32, nonleaf, sched_sp_n_priorities_max),
	NODE_PART(U32, nonleaf, sched_wfq_n_children_per_group_max),
	NODE_PART(U32, nonleaf, sched_wfq_n_groups_max),
	NODE_PART(U32, nonleaf, sched_wfq_weight_max),
	NODE_PART(INT, nonleaf, sched_wfq_packet_mode_supported),
	NODE_PART(INT, nonleaf, sched_wfq_byte_mode_supported),
};

static const struct field node_leaf_caps[] = {
	NODE_PART(INT, leaf, cman_head_drop_supported),
	NODE_PART(INT, leaf, cman_wred_context_private_supported),
	NODE_PART(U32, leaf, cman_wred_context_shared_n_max),
};

static const struct field node_mask_caps[] = {
	NODE(HEX, stats_mask),
};

#define SHOW(o, prefix, fields, base) out_fields(o, prefix, fields, ARRAY_SIZE(fields), base)

/* Show the fields of one side of a union, in JSON as a nested object. */
#define SHOW_SIDE(o, side, fields, base) \
	do { \
		out_nest(o, side, OUT_OBJECT); \
		SHOW(o, "cap." side, fields, base); \
		out_unnest(o); \
	} while (0)

/*
 * Show the capabilities of the port, of a level, of a node. Names are testpmd's in text and JSON;
 * JSON has objects "nonleaf", "leaf", and "marks" by color. Difference to testpmd: for a level with
 * only leaves testpmd reads the wrong side of the union below level 4. Errors of all functions:
 * -ENODEV; the driver's error. Thread: control, for all of this file.
 */
static int
port_tm_show_port(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	struct rte_tm_capabilities cap = { 0 };
	struct rte_tm_error error = { 0 };
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -e->code;
	ret = rte_tm_capabilities_get(id, &cap, &error);
	if (ret != 0)
		return port_refusal_tm(&error, ret, e);
	out_text(ps->out, "\n****   Port TM Capabilities ****\n\n");
	SHOW(ps->out, "cap", port_caps, &cap);
	out_nest(ps->out, "marks", OUT_ARRAY);
	for (unsigned int color = 0; color < RTE_COLORS; color++) {
		out_nest(ps->out, NULL, OUT_OBJECT);
		SHOW(ps->out, "cap", mark_caps, (const int *)(const void *)&cap + color);
		out_unnest(ps->out);
	}
	out_unnest(ps->out);
	SHOW(ps->out, "cap", mask_caps, &cap);
	return 0;
}

static int
port_tm_show_level(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	uint32_t level = number(a, "level");
	struct rte_tm_level_capabilities cap = { 0 };
	struct rte_tm_error error = { 0 };
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -e->code;
	ret = rte_tm_level_capabilities_get(id, level, &cap, &error);
	if (ret != 0)
		return port_refusal_tm(&error, ret, e);
	out_text(ps->out, "\n**   Port TM Hierarchy level %u Capability **\n\n", level);
	SHOW(ps->out, "cap", level_caps, &cap);
	if (cap.n_nodes_nonleaf_max > 0 || cap.n_nodes_leaf_max == 0)
		SHOW_SIDE(ps->out, "nonleaf", level_nonleaf_caps, &cap);
	else
		SHOW_SIDE(ps->out, "leaf", level_leaf_caps, &cap);
	return 0;
}

static int
type_read(struct ports *ps, uint16_t id, uint32_t node, int *leaf, struct err *e)
{
	struct rte_tm_error error = { 0 };
	int ret;

	*leaf = 0;
	if (port_find(ps, id, e) == NULL)
		return -e->code;
	ret = rte_tm_node_type_get(id, node, leaf, &error);
	return ret == 0 ? 0 : port_refusal_tm(&error, ret, e);
}

static int
port_tm_show_node(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	uint32_t node = number(a, "node");
	struct rte_tm_node_capabilities cap = { 0 };
	struct rte_tm_error error = { 0 };
	int leaf, ret = type_read(ps, id, node, &leaf, e);

	if (ret != 0)
		return ret;
	ret = rte_tm_node_capabilities_get(id, node, &cap, &error);
	if (ret != 0)
		return port_refusal_tm(&error, ret, e);
	out_text(ps->out, "\n**   Port TM Hierarchy node %u Capability **\n\n", node);
	SHOW(ps->out, "cap", node_caps, &cap);
	if (leaf == 0)
		SHOW_SIDE(ps->out, "nonleaf", node_nonleaf_caps, &cap);
	else
		SHOW_SIDE(ps->out, "leaf", node_leaf_caps, &cap);
	SHOW(ps->out, "cap", node_mask_caps, &cap);
	return 0;
}

/* Show whether a node is a leaf. JSON: {"leaf": bool}. */
static int
port_tm_show_type(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	uint32_t node = number(a, "node");
	int leaf, ret = type_read(ps, id, node, &leaf, e);

	if (ret == 0)
		out_bool(ps->out, "leaf", "%s node\n", leaf == 1, "leaf", "nonleaf");
	return ret;
}

/* Show those counters of a node whose bit is in mask. */
static void
stats_show(struct out *o, const struct rte_tm_node_stats *s, uint64_t mask)
{
	const struct out_count rows[] = {
		{ RTE_TM_STATS_N_PKTS, "packets", "Pkts scheduled from node", s->n_pkts },
		{ RTE_TM_STATS_N_BYTES, "bytes", "Bytes scheduled from node", s->n_bytes },
		{ RTE_TM_STATS_N_PKTS_GREEN_DROPPED, "dropped_green", "Pkts dropped (green)",
			s->leaf.n_pkts_dropped[RTE_COLOR_GREEN] },
		{ RTE_TM_STATS_N_PKTS_YELLOW_DROPPED, "dropped_yellow", "Pkts dropped (yellow)",
			s->leaf.n_pkts_dropped[RTE_COLOR_YELLOW] },
		{ RTE_TM_STATS_N_PKTS_RED_DROPPED, "dropped_red", "Pkts dropped (red)",
			s->leaf.n_pkts_dropped[RTE_COLOR_RED] },
		{ RTE_TM_STATS_N_BYTES_GREEN_DROPPED, "bytes_dropped_green",
			"Bytes dropped (green)", s->leaf.n_bytes_dropped[RTE_COLOR_GREEN] },
		{ RTE_TM_STATS_N_BYTES_YELLOW_DROPPED, "bytes_dropped_yellow",
			"Bytes dropped (yellow)", s->leaf.n_bytes_dropped[RTE_COLOR_YELLOW] },
		{ RTE_TM_STATS_N_BYTES_RED_DROPPED, "bytes_dropped_red", "Bytes dropped (red)",
			s->leaf.n_bytes_dropped[RTE_COLOR_RED] },
		{ RTE_TM_STATS_N_PKTS_QUEUED, "queued", "Pkts queued", s->leaf.n_pkts_queued },
		{ RTE_TM_STATS_N_BYTES_QUEUED, "bytes_queued", "Bytes queued",
			s->leaf.n_bytes_queued },
	};

	out_counts(o, rows, ARRAY_SIZE(rows), mask);
}

/*
 * Show the statistics of a node; clear: then reset them. JSON: one member per counter. Further
 * error: -EINVAL the port is not started.
 */
static int
port_tm_show_stats(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	uint32_t node = number(a, "node");
	bool clear = arg_u64(a, "clear", 0) != 0;
	const struct port *p = port_find(ps, id, e);
	struct rte_tm_node_stats stats = { 0 };
	struct rte_tm_error error = { 0 };
	uint64_t mask = 0;
	int ret;

	if (p == NULL)
		return -e->code;
	if (p->state != PORT_STARTED)
		return err_set(e, EINVAL, " Port %u not started (error)", id);
	ret = rte_tm_node_stats_read(id, node, &stats, &mask, clear, &error);
	if (ret != 0)
		return port_refusal_tm(&error, ret, e);
	stats_show(ps->out, &stats, mask);
	return 0;
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
		"show the traffic management capabilities of a port", NULL, NULL },
	{ "show port tm level cap <port:port> <level:uint " N32 ">", port_tm_show_level,
		"show the traffic management capabilities of one level of nodes", NULL, NULL },
	{ "show port tm node cap <port:port> <node:uint " N32 ">", port_tm_show_node,
		"show the traffic management capabilities of one node", NULL, NULL },
	{ "show port tm node type <port:port> <node:uint " N32 ">", port_tm_show_type,
		"show whether a node is a leaf", NULL, NULL },
	{ "show port tm node <port:port> <node:uint " N32 ">", port_tm_node_show,
		"show a node's place in the hierarchy and its parameters; needs DPDK 24.11", NULL,
		NULL },
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
