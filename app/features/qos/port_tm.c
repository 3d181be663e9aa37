/* Traffic management: shapers, WRED profiles, the tree of nodes, with rte_tm. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/qos/port_tm.h"

#include "base/base.h"
#include "base/err.h"
#include "features/qos/port_tm_error.h"
#include "port/port.h"
#include "port/port_keep.h"

#include <rte_tm.h>

#include <errno.h>
#include <string.h>

enum when { ANY_TIME, STARTED, STOPPED };

struct op {
	enum when when;
	int (*call)(uint16_t id, const uint64_t *n, struct rte_tm_error *error);
};

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

static const struct op ops[] = {
	[PORT_TM_SHAPER_ADD] = { ANY_TIME, shaper_add },
	[PORT_TM_SHAPER_DEL] = { ANY_TIME, shaper_del },
	[PORT_TM_SHARED_ADD] = { STOPPED, shared_add },
	[PORT_TM_SHARED_SET] = { STARTED, shared_add },
	[PORT_TM_SHARED_DEL] = { ANY_TIME, shared_del },
	[PORT_TM_WRED_ADD] = { ANY_TIME, wred_add },
	[PORT_TM_WRED_DEL] = { ANY_TIME, wred_del },
	[PORT_TM_NODE_DEL] = { STOPPED, node_del },
	[PORT_TM_NODE_SHAPER] = { STARTED, node_shaper },
	[PORT_TM_NODE_PARENT] = { STARTED, node_parent },
	[PORT_TM_NODE_SUSPEND] = { ANY_TIME, node_suspend },
	[PORT_TM_NODE_RESUME] = { ANY_TIME, node_resume },
	[PORT_TM_COMMIT] = { ANY_TIME, commit },
	[PORT_TM_MARK_ECN] = { ANY_TIME, mark_ecn },
	[PORT_TM_MARK_DSCP] = { ANY_TIME, mark_dscp },
	[PORT_TM_MARK_DEI] = { ANY_TIME, mark_dei },
};

int
port_tm_do(struct ports *ps, uint16_t id, enum port_tm_op op, const uint64_t *n, struct err *e)
{
	const struct port *p = port_find(ps, id, e);
	struct rte_tm_error error = { 0 };
	int ret;

	if (p == NULL)
		return -e->code;
	if (ops[op].when != ANY_TIME && (p->state == PORT_STARTED) != (ops[op].when == STARTED))
		return err_set(e, EINVAL, " Port %u not %s (error)", id,
			ops[op].when == STARTED ? "started" : "stopped");
	ret = ops[op].call(id, n, &error);
	return ret == 0 ? 0 : port_tm_error_set(&error, ret, e);
}

/* Build the driver's parameters of a node, in memory that lives as long as the port. */
static int
node_fill(struct port *p, const struct port_tm_node *node, struct rte_tm_node_params *params,
	struct err *e)
{
	*params = (struct rte_tm_node_params){
		.shaper_profile_id = node->shaper,
		.n_shared_shapers = node->n_shared,
		.stats_mask = node->stats,
	};
	if (node->n_shared > 0) {
		params->shared_shaper_id =
			port_keep(p, node->shared, node->n_shared * sizeof(*node->shared), e);
		if (params->shared_shaper_id == NULL)
			return -e->code;
	}
	if (node->leaf) {
		params->leaf.cman = (enum rte_tm_cman_mode)node->cman;
		params->leaf.wred.wred_profile_id = node->wred;
		return 0;
	}
	params->nonleaf.n_sp_priorities = node->sp_priorities;
	if (node->packet_mode && node->sp_priorities > 0) {
		params->nonleaf.wfq_weight_mode =
			port_keep(p, NULL, node->sp_priorities * sizeof(int), e);
		if (params->nonleaf.wfq_weight_mode == NULL)
			return -e->code;
	}
	return 0;
}

int
port_tm_node_add(struct ports *ps, uint16_t id, const struct port_tm_node *node, struct err *e)
{
	struct port *p = port_find(ps, id, e);
	struct rte_tm_node_params params;
	struct rte_tm_error error = { 0 };
	int ret;

	if (p == NULL || node_fill(p, node, &params, e) != 0)
		return -e->code;
	ret = rte_tm_node_add(id, node->node, node->parent, node->priority, node->weight,
		node->level, &params, &error);
	return ret == 0 ? 0 : port_tm_error_set(&error, ret, e);
}
