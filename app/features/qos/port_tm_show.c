/* Shows the traffic management of a port: capabilities, nodes and their statistics. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/qos/port_tm_show.h"

#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "compat.h"
#include "port/port.h"
#include "port/port_refusal.h"

#include <rte_tm.h>
#include <rte_version.h>

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static uint32_t
node_of(const struct args *a)
{
	return (uint32_t)arg_u64(a, "node", 0);
}

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

int
port_tm_show_place(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	uint32_t node = node_of(a);
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

int
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

int
port_tm_show_level(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	uint32_t level = (uint32_t)arg_u64(a, "level", 0);
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

int
port_tm_show_node(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	uint32_t node = node_of(a);
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

int
port_tm_show_type(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	uint32_t node = node_of(a);
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

int
port_tm_show_stats(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	uint32_t node = node_of(a);
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
