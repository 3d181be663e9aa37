/* Show a node's place in the traffic management tree and its parameters. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/qos/port_tm_node.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "compat.h"
#include "features/qos/port_tm_error.h"
#include "port/port.h"

#include <rte_tm.h>
#include <rte_version.h>

#include <errno.h>

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
port_tm_node_show(struct ports *ps, uint16_t id, uint32_t node, struct err *e)
{
	struct compat_tm_place at = { .parent = RTE_TM_NODE_ID_NULL };
	struct rte_tm_node_params params = { 0 };
	struct rte_tm_error error = { 0 };
	int leaf = 0, ret;

	if (port_find(ps, id, e) == NULL)
		return -e->code;
	ret = compat_tm_node_query(id, node, &at, &params, &error);
	if (ret == -ENOSYS && RTE_VERSION < RTE_VERSION_NUM(24, 11, 0, 0))
		return err_set(e, ENOSYS, "show port tm node: needs DPDK 24.11, this is %s",
			rte_version());
	if (ret == 0)
		ret = rte_tm_node_type_get(id, node, &leaf, &error);
	if (ret != 0)
		return port_tm_error_set(&error, ret, e);
	out_text(ps->out, "Port %u TM Node %u\n", id, node);
	out_u64(ps->out, "node", NULL, node);
	node_show(ps->out, &at, &params, leaf != 0);
	return 0;
}
