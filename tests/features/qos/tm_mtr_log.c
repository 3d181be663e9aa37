/* Before libethdev: a port whose traffic management and meters take everything and write down what
 * they got into the file that TM_MTR_LOG names; what they are asked for has another number in each
 * field. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_mtr.h>
#include <rte_tm.h>
#include <rte_version.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "WHAT NUMBERS", then bytes in hexadecimal. */
static int
noted(const void *data, size_t n, const char *fmt, ...)
{
	FILE *f = fopen(getenv("TM_MTR_LOG"), "a");
	va_list ap;

	if (f == NULL)
		abort();
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	for (size_t i = 0; data != NULL && i < n; i++)
		fprintf(f, "%s%02x", i == 0 ? " " : "", ((const unsigned char *)data)[i]);
	fputs(data == NULL && n > 0 ? " -\n" : "\n", f);
	fclose(f);
	return 0;
}

/* Every 32 bits are another number, above zero also as a signed one. */
static int
filled(void *to, size_t n)
{
	uint32_t *words = to;

	for (size_t i = 0; i < n / sizeof(*words); i++)
		words[i] = (uint32_t)(1000 + i);
	return 0;
}

int
rte_tm_capabilities_get(uint16_t port, struct rte_tm_capabilities *cap, struct rte_tm_error *error)
{
	return filled(cap, sizeof(*cap));
}

/* Level 1 has inner nodes, level 5 leaves. */
int
rte_tm_level_capabilities_get(uint16_t port, uint32_t level, struct rte_tm_level_capabilities *cap,
	struct rte_tm_error *error)
{
	filled(cap, sizeof(*cap));
	*(level < 4 ? &cap->n_nodes_leaf_max : &cap->n_nodes_nonleaf_max) = 0;
	return 0;
}

/* Node 7 is a leaf. */
int
rte_tm_node_type_get(uint16_t port, uint32_t node, int *leaf, struct rte_tm_error *error)
{
	*leaf = node == 7;
	return 0;
}

int
rte_tm_node_capabilities_get(uint16_t port, uint32_t node, struct rte_tm_node_capabilities *cap,
	struct rte_tm_error *error)
{
	return filled(cap, sizeof(*cap));
}

int
rte_tm_node_stats_read(uint16_t port, uint32_t node, struct rte_tm_node_stats *stats,
	uint64_t *mask, int clear, struct rte_tm_error *error)
{
	*mask = UINT64_MAX >> (node % 64);
	filled(stats, sizeof(*stats));
	return noted(NULL, 0, "tm stats %u %u %d", port, node, clear);
}

#if RTE_VERSION >= RTE_VERSION_NUM(24, 11, 0, 0)
/* Node 7 has everything; others are of an inner node without more. */
int
rte_tm_node_query(uint16_t port, uint32_t node, uint32_t *parent, uint32_t *priority,
	uint32_t *weight, uint32_t *level, struct rte_tm_node_params *p, struct rte_tm_error *error)
{
	static uint32_t ids[] = { 11, 12, 13 };

	*parent = node == 7 ? 3 : RTE_TM_NODE_ID_NULL;
	*priority = 1;
	*weight = 2;
	*level = node == 7 ? 5 : 4;
	memset(p, 0, sizeof(*p));
	p->shaper_profile_id = node == 7 ? 6 : RTE_TM_SHAPER_PROFILE_ID_NONE;
	p->stats_mask = 31;
	if (node != 7) {
		p->nonleaf.n_sp_priorities = 4;
		return 0;
	}
	p->shared_shaper_id = ids;
	p->n_shared_shapers = 2;
	p->leaf.cman = RTE_TM_CMAN_WRED;
	p->leaf.wred.wred_profile_id = 8;
	p->leaf.wred.shared_wred_context_id = ids;
	p->leaf.wred.n_shared_wred_contexts = 3;
	return 0;
}
#endif

/* Constant since 24.11. */
#if RTE_VERSION >= RTE_VERSION_NUM(24, 11, 0, 0)
#define TM_CONST const
#else
#define TM_CONST
#endif

int
rte_tm_shaper_profile_add(uint16_t port, uint32_t profile, TM_CONST struct rte_tm_shaper_params *p,
	struct rte_tm_error *error)
{
	return noted(p, offsetof(struct rte_tm_shaper_params, packet_mode) + sizeof(p->packet_mode),
		"tm shaper %u %u", port, profile);
}

int
rte_tm_shaper_profile_delete(uint16_t port, uint32_t profile, struct rte_tm_error *error)
{
	return noted(NULL, 0, "tm shaper del %u %u", port, profile);
}

int
rte_tm_shared_shaper_add_update(uint16_t port, uint32_t shared, uint32_t profile,
	struct rte_tm_error *error)
{
	return noted(NULL, 0, "tm shared %u %u %u", port, shared, profile);
}

int
rte_tm_shared_shaper_delete(uint16_t port, uint32_t shared, struct rte_tm_error *error)
{
	return noted(NULL, 0, "tm shared del %u %u", port, shared);
}

int
rte_tm_wred_profile_add(uint16_t port, uint32_t profile, TM_CONST struct rte_tm_wred_params *p,
	struct rte_tm_error *error)
{
	return noted(p, sizeof(*p), "tm wred %u %u", port, profile);
}

int
rte_tm_wred_profile_delete(uint16_t port, uint32_t profile, struct rte_tm_error *error)
{
	return noted(NULL, 0, "tm wred del %u %u", port, profile);
}

int
rte_tm_node_add(uint16_t port, uint32_t node, uint32_t parent, uint32_t priority, uint32_t weight,
	uint32_t level, TM_CONST struct rte_tm_node_params *p, struct rte_tm_error *error)
{
	const bool leaf = level == 5;

	noted(p->shared_shaper_id, p->n_shared_shapers * sizeof(*p->shared_shaper_id),
		"tm node %u %u %d %u %u %u shaper %d stats %llx shared %u", port, node, (int)parent,
		priority, weight, level, (int)p->shaper_profile_id,
		(unsigned long long)p->stats_mask, p->n_shared_shapers);
	if (leaf)
		return noted(NULL, 0, "leaf %d %d", (int)p->leaf.cman,
			(int)p->leaf.wred.wred_profile_id);
	return noted(p->nonleaf.wfq_weight_mode, p->nonleaf.n_sp_priorities * sizeof(int),
		"nonleaf %u", p->nonleaf.n_sp_priorities);
}

int
rte_tm_node_delete(uint16_t port, uint32_t node, struct rte_tm_error *error)
{
	return noted(NULL, 0, "tm node del %u %u", port, node);
}

int
rte_tm_node_suspend(uint16_t port, uint32_t node, struct rte_tm_error *error)
{
	return noted(NULL, 0, "tm node suspend %u %u", port, node);
}

int
rte_tm_node_resume(uint16_t port, uint32_t node, struct rte_tm_error *error)
{
	return noted(NULL, 0, "tm node resume %u %u", port, node);
}

int
rte_tm_hierarchy_commit(uint16_t port, int clear, struct rte_tm_error *error)
{
	return noted(NULL, 0, "tm commit %u %d", port, clear);
}

int
rte_tm_node_parent_update(uint16_t port, uint32_t node, uint32_t parent, uint32_t priority,
	uint32_t weight, struct rte_tm_error *error)
{
	return noted(NULL, 0, "tm parent %u %u %u %u %u", port, node, parent, priority, weight);
}

int
rte_tm_node_shaper_update(uint16_t port, uint32_t node, uint32_t profile,
	struct rte_tm_error *error)
{
	return noted(NULL, 0, "tm node shaper %u %u %u", port, node, profile);
}

int
rte_tm_mark_vlan_dei(uint16_t port, int green, int yellow, int red, struct rte_tm_error *error)
{
	return noted(NULL, 0, "tm dei %u %d%d%d", port, green, yellow, red);
}

int
rte_tm_mark_ip_ecn(uint16_t port, int green, int yellow, int red, struct rte_tm_error *error)
{
	return noted(NULL, 0, "tm ecn %u %d%d%d", port, green, yellow, red);
}

int
rte_tm_mark_ip_dscp(uint16_t port, int green, int yellow, int red, struct rte_tm_error *error)
{
	return noted(NULL, 0, "tm dscp %u %d%d%d", port, green, yellow, red);
}

int
rte_mtr_capabilities_get(uint16_t port, struct rte_mtr_capabilities *cap,
	struct rte_mtr_error *error)
{
	return filled(cap, sizeof(*cap));
}

int
rte_mtr_meter_profile_add(uint16_t port, uint32_t profile, struct rte_mtr_meter_profile *p,
	struct rte_mtr_error *error)
{
	/* Its numbers alone: between them nobody knows what there is. */
	return noted(&p->srtcm_rfc2697,
		(p->alg == RTE_MTR_SRTCM_RFC2697 ? 3 : 4) * sizeof(uint64_t),
		"mtr profile %u %u alg %d packets %d", port, profile, (int)p->alg, p->packet_mode);
}

int
rte_mtr_meter_profile_delete(uint16_t port, uint32_t profile, struct rte_mtr_error *error)
{
	return noted(NULL, 0, "mtr profile del %u %u", port, profile);
}

int
rte_mtr_meter_policy_add(uint16_t port, uint32_t policy, struct rte_mtr_meter_policy_params *p,
	struct rte_mtr_error *error)
{
	noted(NULL, 0, "mtr policy %u %u", port, policy);
	for (unsigned int color = 0; color < RTE_COLORS; color++)
		for (const struct rte_flow_action *a = p->actions[color];
			a != NULL && a->type != RTE_FLOW_ACTION_TYPE_END; a++)
			noted(a->type == RTE_FLOW_ACTION_TYPE_METER_COLOR ? a->conf : NULL,
				sizeof(struct rte_flow_action_meter_color), "%u action %d", color,
				(int)a->type);
	return 0;
}

int
rte_mtr_meter_policy_delete(uint16_t port, uint32_t policy, struct rte_mtr_error *error)
{
	return noted(NULL, 0, "mtr policy del %u %u", port, policy);
}

int
rte_mtr_create(uint16_t port, uint32_t meter, struct rte_mtr_params *p, int shared,
	struct rte_mtr_error *error)
{
	noted(p->dscp_table, 64 * sizeof(*p->dscp_table),
		"mtr %u %u profile %u policy %u previous %d color %d on %d stats %llx shared %d",
		port, meter, p->meter_profile_id, p->meter_policy_id, p->use_prev_mtr_color,
		(int)p->default_input_color, p->meter_enable, (unsigned long long)p->stats_mask,
		shared);
	return noted(p->vlan_table, 16 * sizeof(*p->vlan_table), "vlan");
}

int
rte_mtr_destroy(uint16_t port, uint32_t meter, struct rte_mtr_error *error)
{
	return noted(NULL, 0, "mtr del %u %u", port, meter);
}

int
rte_mtr_meter_disable(uint16_t port, uint32_t meter, struct rte_mtr_error *error)
{
	return noted(NULL, 0, "mtr disable %u %u", port, meter);
}

int
rte_mtr_meter_enable(uint16_t port, uint32_t meter, struct rte_mtr_error *error)
{
	return noted(NULL, 0, "mtr enable %u %u", port, meter);
}

int
rte_mtr_meter_profile_update(uint16_t port, uint32_t meter, uint32_t profile,
	struct rte_mtr_error *error)
{
	return noted(NULL, 0, "mtr set profile %u %u %u", port, meter, profile);
}

int
rte_mtr_meter_dscp_table_update(uint16_t port, uint32_t meter,
	enum rte_mtr_color_in_protocol protocol, enum rte_color *table, struct rte_mtr_error *error)
{
	return noted(table, 64 * sizeof(*table), "mtr dscp %u %u %d", port, meter, (int)protocol);
}

int
rte_mtr_meter_vlan_table_update(uint16_t port, uint32_t meter,
	enum rte_mtr_color_in_protocol protocol, enum rte_color *table, struct rte_mtr_error *error)
{
	return noted(table, 16 * sizeof(*table), "mtr vlan %u %u %d", port, meter, (int)protocol);
}

int
rte_mtr_color_in_protocol_set(uint16_t port, uint32_t meter,
	enum rte_mtr_color_in_protocol protocol, uint32_t priority, struct rte_mtr_error *error)
{
	return noted(NULL, 0, "mtr proto %u %u %d %u", port, meter, (int)protocol, priority);
}

int
rte_mtr_color_in_protocol_get(uint16_t port, uint32_t meter, uint64_t *mask,
	struct rte_mtr_error *error)
{
	*mask = meter;
	return 0;
}

int
rte_mtr_color_in_protocol_priority_get(uint16_t port, uint32_t meter,
	enum rte_mtr_color_in_protocol protocol, uint32_t *priority, struct rte_mtr_error *error)
{
	*priority = 17;
	return noted(NULL, 0, "mtr priority %u %u %d", port, meter, (int)protocol);
}

int
rte_mtr_stats_update(uint16_t port, uint32_t meter, uint64_t mask, struct rte_mtr_error *error)
{
	return noted(NULL, 0, "mtr stats mask %u %u %llx", port, meter, (unsigned long long)mask);
}

int
rte_mtr_stats_read(uint16_t port, uint32_t meter, struct rte_mtr_stats *stats, uint64_t *mask,
	int clear, struct rte_mtr_error *error)
{
	*mask = UINT64_MAX >> (meter % 64);
	filled(stats, sizeof(*stats));
	return noted(NULL, 0, "mtr stats %u %u %d", port, meter, clear);
}
