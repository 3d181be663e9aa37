/* Differences between DPDK releases: one small function each, with the newer release's
 * semantics. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_ethdev.h>
#include <rte_flow.h>
#include <rte_lcore.h>
#include <rte_mempool.h>
#include <rte_telemetry.h>
#include <rte_tm.h>
#include <rte_version.h>

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Whether this DPDK is that release or a newer one, in C and in #if. */
#define COMPAT_NEWER(year, month) (RTE_VERSION >= RTE_VERSION_NUM(year, month, 0, 0))

/*
 * SINCE_YY_MM(otherwise, text) expands to text with this release of DPDK or a newer one, and to
 * otherwise, which may be empty, with an older one. Text that is rows of a table includes their last
 * comma: SINCE_24_03(, [1] = "a", [2] = "b", ). BEFORE_23_11(text) vanishes since 23.11.
 */
#if COMPAT_NEWER(23, 3)
#define SINCE_23_03(otherwise, ...) __VA_ARGS__
#else
#define SINCE_23_03(otherwise, ...) otherwise
#endif
#if COMPAT_NEWER(23, 7)
#define SINCE_23_07(otherwise, ...) __VA_ARGS__
#else
#define SINCE_23_07(otherwise, ...) otherwise
#endif
#if COMPAT_NEWER(23, 11)
#define SINCE_23_11(otherwise, ...) __VA_ARGS__
#define BEFORE_23_11(...)
#else
#define SINCE_23_11(otherwise, ...) otherwise
#define BEFORE_23_11(...) __VA_ARGS__
#endif
#if COMPAT_NEWER(24, 3)
#define SINCE_24_03(otherwise, ...) __VA_ARGS__
#else
#define SINCE_24_03(otherwise, ...) otherwise
#endif
#if COMPAT_NEWER(24, 7)
#define SINCE_24_07(otherwise, ...) __VA_ARGS__
#else
#define SINCE_24_07(otherwise, ...) otherwise
#endif
#if COMPAT_NEWER(24, 11)
#define SINCE_24_11(otherwise, ...) __VA_ARGS__
#else
#define SINCE_24_11(otherwise, ...) otherwise
#endif
#if COMPAT_NEWER(25, 3)
#define SINCE_25_03(otherwise, ...) __VA_ARGS__
#else
#define SINCE_25_03(otherwise, ...) otherwise
#endif
#if COMPAT_NEWER(25, 11)
#define SINCE_25_11(otherwise, ...) __VA_ARGS__
#else
#define SINCE_25_11(otherwise, ...) otherwise
#endif
#if COMPAT_NEWER(26, 7)
#define SINCE_26_07(otherwise, ...) __VA_ARGS__
#else
#define SINCE_26_07(otherwise, ...) otherwise
#endif
/* Its -rc0 is 26.07 with another number. */
#if RTE_VERSION >= RTE_VERSION_NUM(26, 11, 0, 1)
#define SINCE_26_11(otherwise, ...) __VA_ARGS__
#else
#define SINCE_26_11(otherwise, ...) otherwise
#endif

/* Get the name of a port's device; 0, or a negative errno. Since 26.11 the size is passed too. */
static inline int
compat_port_name(uint16_t port, char name[RTE_ETH_NAME_MAX_LEN])
{
	return SINCE_26_11(rte_eth_dev_get_name_by_port(port, name),
		rte_eth_dev_get_name_by_port(port, name, RTE_ETH_NAME_MAX_LEN));
}

/*
 * Return how many objects a mempool cache holds before it is flushed: since 26.07 its size. 26.11
 * removes flushthresh.
 */
static inline uint32_t
compat_cache_limit(const struct rte_mempool_cache *cache)
{
	return SINCE_26_07(cache->flushthresh, cache->size);
}

/*
 * Call a queue function only if it exists: from 25.11 to 26.03 ethdev sets these pointers to NULL
 * while a port stops, also if the driver then fails to stop it, and calls them without a check.
 */
#define COMPAT_CALL(port, function, call, otherwise) \
	(rte_eth_fp_ops[port].function != NULL ? (call) : (otherwise))

/* Return the used descriptors of an Rx queue of a started port; -ENOTSUP: not supported. */
static inline int
compat_rx_queue_count(uint16_t port, uint16_t queue)
{
	return COMPAT_CALL(port, rx_queue_count, rte_eth_rx_queue_count(port, queue), -ENOTSUP);
}

/* Return the used descriptors of a Tx queue; -ENOTSUP: not supported, or DPDK before 24.03. */
static inline int
compat_tx_queue_count(uint16_t port, uint16_t queue)
{
	return SINCE_24_03(-ENOTSUP,
		COMPAT_CALL(port, tx_queue_count, rte_eth_tx_queue_count(port, queue), -ENOTSUP));
}

/* Return the state of an Rx descriptor, RTE_ETH_RX_DESC_*; -ENOTSUP: not supported. */
static inline int
compat_rx_descriptor_status(uint16_t port, uint16_t queue, uint16_t descriptor)
{
	return COMPAT_CALL(port, rx_descriptor_status,
		rte_eth_rx_descriptor_status(port, queue, descriptor), -ENOTSUP);
}

/* Return the state of a Tx descriptor, RTE_ETH_TX_DESC_*; -ENOTSUP: not supported. */
static inline int
compat_tx_descriptor_status(uint16_t port, uint16_t queue, uint16_t descriptor)
{
	return COMPAT_CALL(port, tx_descriptor_status,
		rte_eth_tx_descriptor_status(port, queue, descriptor), -ENOTSUP);
}

/*
 * Call rte_eth_tx_prepare(): return how many of pkts[0..n) can be sent; n if the driver has none.
 */
static __rte_always_inline uint16_t
compat_tx_prepare(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n)
{
	return COMPAT_CALL(port, tx_pkt_prepare, rte_eth_tx_prepare(port, queue, pkts, n), n);
}

/* net_bonding's terms for bonding ports and their members, which changed in 23.11, and names of
 * functions; the last is also a struct. */
#if COMPAT_NEWER(23, 11)
#define COMPAT_BOND_MEMBER "member"
#define COMPAT_BOND_MEMBER_TITLE "Member"
#define COMPAT_BOND_MEMBERS "Members"
#define COMPAT_BOND_MAIN "main"
#define COMPAT_BOND_DEVICE "bonding device"
#define compat_bond_member_add rte_eth_bond_member_add
#define compat_bond_member_remove rte_eth_bond_member_remove
#define compat_bond_members_get rte_eth_bond_members_get
#define compat_bond_active_members_get rte_eth_bond_active_members_get
#define compat_bond_member_info rte_eth_bond_8023ad_member_info
#else
#define COMPAT_BOND_MEMBER "slave"
#define COMPAT_BOND_MEMBER_TITLE "Slave"
#define COMPAT_BOND_MEMBERS "Slaves"
#define COMPAT_BOND_MAIN "master"
#define COMPAT_BOND_DEVICE "bonded device"
#define compat_bond_member_add rte_eth_bond_slave_add
#define compat_bond_member_remove rte_eth_bond_slave_remove
#define compat_bond_members_get rte_eth_bond_slaves_get
#define compat_bond_active_members_get rte_eth_bond_active_slaves_get
#define compat_bond_member_info rte_eth_bond_8023ad_slave_info
#endif

/* Add a 64-bit number to a telemetry object; the function was renamed in 23.03. */
static inline int
compat_tel_dict_uint(struct rte_tel_data *d, const char *name, uint64_t value)
{
	return SINCE_23_03(rte_tel_data_add_dict_u64(d, name, value),
		rte_tel_data_add_dict_uint(d, name, value));
}

/* Add a 64-bit number to a telemetry array. */
static inline int
compat_tel_array_uint(struct rte_tel_data *d, uint64_t value)
{
	return SINCE_23_03(rte_tel_data_add_array_u64(d, value),
		rte_tel_data_add_array_uint(d, value));
}

/* Begin a telemetry array of 64-bit numbers. */
static inline int
compat_tel_array_begin(struct rte_tel_data *d)
{
	return SINCE_23_03(rte_tel_data_start_array(d, RTE_TEL_U64_VAL),
		rte_tel_data_start_array(d, RTE_TEL_UINT_VAL));
}

/* Link speeds of 400 and 800 Gbit/s; 0 before 23.03 and 25.11. */
#define COMPAT_LINK_SPEED_400G SINCE_23_03(0, RTE_ETH_LINK_SPEED_400G)
#define COMPAT_LINK_SPEED_800G SINCE_25_11(0, RTE_ETH_LINK_SPEED_800G)

/* Set the number of lanes of a link; -ENOSYS before 24.11. */
static inline int
compat_speed_lanes_set(uint16_t port, uint32_t lanes)
{
	return SINCE_24_11(-ENOSYS, rte_eth_speed_lanes_set(port, lanes));
}

/* A speed in Mbit/s, and a bit mask of its possible numbers of lanes. */
struct compat_speed_lanes {
	uint32_t speed, lanes;
};

/* Fill lanes[0..n) with the port's capabilities. Returns their number; -ENOSYS before 24.11. */
static inline int
compat_speed_lanes_get(uint16_t port, struct compat_speed_lanes *lanes, unsigned int n)
{
#if COMPAT_NEWER(24, 11)
	struct rte_eth_speed_lanes_capa capa[32];
	int i, ret = rte_eth_speed_lanes_get_capability(port, capa, RTE_MIN(n, RTE_DIM(capa)));

	for (i = 0; i < ret && i < (int)RTE_MIN(n, RTE_DIM(capa)); i++)
		lanes[i] = (struct compat_speed_lanes){ capa[i].speed, capa[i].capa };
	return ret;
#else
	return -ENOSYS;
#endif
}

/* Get the current number of lanes of the link; -ENOSYS before 24.11. */
static inline int
compat_speed_lanes_active(uint16_t port, uint32_t *lanes)
{
	return SINCE_24_11(-ENOSYS, rte_eth_speed_lanes_get(port, lanes));
}

/* The position of a traffic management node. */
struct compat_tm_place {
	uint32_t parent, priority, weight, level;
};

/* Get the position and parameters of a traffic management node; -ENOSYS before 24.11. */
static inline int
compat_tm_node_query(uint16_t port, uint32_t node, struct compat_tm_place *place,
	struct rte_tm_node_params *params, struct rte_tm_error *error)
{
	return SINCE_24_11(-ENOSYS,
		rte_tm_node_query(port, node, &place->parent, &place->priority, &place->weight,
			&place->level, params, error));
}

/* Return whether segments of received packets can be omitted; false before 26.07. */
static inline bool
compat_rx_selective(const struct rte_eth_rxseg_capa *can)
{
	return SINCE_26_07(false, can->selective_rx != 0);
}

/* Get the rate limit of a Tx queue in Mbit/s, 0: none; -ENOSYS before 26.07. */
static inline int
compat_queue_rate_get(uint16_t port, uint16_t queue, uint32_t *mbps)
{
	return SINCE_26_07(-ENOSYS, rte_eth_get_queue_rate_limit(port, queue, mbps));
}

/* The number of per-queue statistics of a port; DPDK removed the constant in 25.11. */
#ifdef RTE_ETHDEV_QUEUE_STAT_CNTRS
#define COMPAT_QUEUE_STATS RTE_ETHDEV_QUEUE_STAT_CNTRS
#else
#define COMPAT_QUEUE_STATS 256
#endif

/* Return the sum of a port's per-queue packet counters; 0 since DPDK 25.11, which removed them. */
static inline uint64_t
compat_queue_stats_sum(const struct rte_eth_stats *st, bool rx)
{
	uint64_t sum = 0;

#ifdef RTE_ETHDEV_QUEUE_STAT_CNTRS
	for (unsigned int q = 0; q < COMPAT_QUEUE_STATS; q++)
		sum += rx ? st->q_ipackets[q] : st->q_opackets[q];
#endif
	return sum;
}

/* Map a queue to per-queue statistics number slot; -ENOSYS since 25.11, which deprecates it. */
static inline int
compat_queue_stats_map(uint16_t port, bool rx, uint16_t queue, uint8_t slot)
{
	return SINCE_25_11(rx ? rte_eth_dev_set_rx_queue_stats_mapping(port, queue, slot)
			      : rte_eth_dev_set_tx_queue_stats_mapping(port, queue, slot),
		-ENOSYS);
}

/* Return the number of ports that this one aggregates (bonding), 0: none; -ENOSYS before 23.03. */
static inline int
compat_aggr_ports(uint16_t port)
{
	return SINCE_23_03(-ENOSYS, rte_eth_dev_count_aggr_ports(port));
}

/* Bind a Tx queue to an aggregated port, from 1 on; 0: to none; -ENOSYS before 23.03. */
static inline int
compat_aggr_tx_affinity(uint16_t port, uint16_t queue, uint8_t affinity)
{
	return SINCE_23_03(-ENOSYS, rte_eth_dev_map_aggr_tx_affinity(port, queue, affinity));
}

/* Switch an extended statistic on or off; -ENOSYS before 25.03. */
static inline int
compat_xstats_set_counter(uint16_t port, uint64_t id, bool on)
{
	return SINCE_25_03(-ENOSYS, rte_eth_xstats_set_counter(port, id, on));
}

/* Return whether an extended statistic is on, 1 or 0; -ENOTSUP: not supported, or before 25.03. */
static inline int
compat_xstats_state(uint16_t port, uint64_t id)
{
	return SINCE_25_03(-ENOTSUP, rte_eth_xstats_query_state(port, id));
}

/* Return the name of the hash function of an RSS configuration; NULL before 23.11. */
static inline const char *
compat_rss_algorithm(const struct rte_eth_rss_conf *conf)
{
	return SINCE_23_11(NULL, rte_eth_dev_rss_algo_name(conf->algorithm));
}

/* Set the hash function by name; -EINVAL: no such name; -ENOSYS before 24.03. */
static inline int
compat_rss_algorithm_set(struct rte_eth_rss_conf *conf, const char *name)
{
#if COMPAT_NEWER(24, 3)
	uint32_t algorithm;
	int ret = rte_eth_find_rss_algo(name, &algorithm);

	if (ret == 0)
		conf->algorithm = (enum rte_eth_hash_function)algorithm;
	return ret;
#else
	return -ENOSYS;
#endif
}

/*
 * Initialise an update of all members of the action meter_mark; since 23.11 without initial color.
 */
static inline void
compat_flow_update_meter_mark(struct rte_flow_update_meter_mark *u,
	const struct rte_flow_action_meter_mark *mark)
{
	*u = (struct rte_flow_update_meter_mark){ .meter_mark = *mark,
		.profile_valid = 1,
		.policy_valid = 1,
		.color_mode_valid = 1,
		.state_valid = 1 };
	BEFORE_23_11(u->init_color_valid = 1);
}

/* Replace the actions of a rule; -ENOSYS before 23.07. */
static inline int
compat_flow_actions_update(uint16_t port, struct rte_flow *flow,
	const struct rte_flow_action *actions, struct rte_flow_error *error)
{
	return SINCE_23_07(-ENOSYS, rte_flow_actions_update(port, flow, actions, error));
}

/*
 * Replace the actions of a rule through a flow queue. template: index of the actions template in
 * the rule's table. -ENOSYS before 23.07.
 */
static inline int
compat_flow_async_actions_update(uint16_t port, uint32_t queue, const struct rte_flow_op_attr *attr,
	struct rte_flow *flow, const struct rte_flow_action *actions, uint8_t template, void *job,
	struct rte_flow_error *error)
{
	return SINCE_23_07(-ENOSYS,
		rte_flow_async_actions_update(port, queue, attr, flow, actions, template, job,
			error));
}

/*
 * Update and query an indirect action in one call: at once if attr is NULL, else through the flow
 * queue. -ENOSYS before 23.03.
 */
static inline int
compat_flow_query_update(uint16_t port, uint32_t queue, const struct rte_flow_op_attr *attr,
	struct rte_flow_action_handle *handle, const struct rte_flow_action *update, void *query,
	bool update_first, void *job, struct rte_flow_error *error)
{
#if COMPAT_NEWER(23, 3)
	const enum rte_flow_query_update_mode mode = update_first ? RTE_FLOW_QU_UPDATE_FIRST
								  : RTE_FLOW_QU_QUERY_FIRST;

	return attr == NULL
		? rte_flow_action_handle_query_update(port, handle, update, query, mode, error)
		: rte_flow_async_action_handle_query_update(port, queue, attr, handle, update,
			  query, mode, job, error);
#else
	return -ENOSYS;
#endif
}

/* Set the actions for packets that match no rule of a group; -ENOSYS before 23.11. */
static inline int
compat_flow_group_miss(uint16_t port, const struct rte_flow_attr *attr,
	const struct rte_flow_action *actions, struct rte_flow_error *error)
{
	return SINCE_23_11(-ENOSYS,
		rte_flow_group_set_miss_actions(port, attr->group,
			&(const struct rte_flow_group_attr){ .ingress = attr->ingress,
				.egress = attr->egress,
				.transfer = attr->transfer },
			actions, error));
}

/*
 * Get the NIC's hash of a packet in a template table. template: index of the pattern template.
 * -ENOSYS before 23.11.
 */
static inline int
compat_flow_table_hash(uint16_t port, const struct rte_flow_template_table *table,
	const struct rte_flow_item *pattern, uint8_t template, uint32_t *hash,
	struct rte_flow_error *error)
{
	return SINCE_23_11(-ENOSYS,
		rte_flow_calc_table_hash(port, table, pattern, template, hash, error));
}

/*
 * Get the hash for a tunnel header: its source port, bytes[0..2), or NVGRE's flow identifier, one
 * byte. -ENOSYS before 24.03.
 */
static inline int
compat_flow_encap_hash(uint16_t port, const struct rte_flow_item *pattern, bool source_port,
	uint8_t bytes[2], struct rte_flow_error *error)
{
	return SINCE_24_03(-ENOSYS,
		rte_flow_calc_encap_hash(port, pattern,
			source_port ? RTE_FLOW_ENCAP_HASH_FIELD_SRC_PORT
				    : RTE_FLOW_ENCAP_HASH_FIELD_NVGRE_FLOW_ID,
			source_port ? 2 : 1, bytes, error));
}

/* Make a table resizable; no effect before 24.03. */
static inline void
compat_flow_table_special(struct rte_flow_template_table_attr *attr, bool resizable)
{
	SINCE_24_03(, attr->specialize |= resizable ? RTE_FLOW_TABLE_SPECIALIZE_RESIZABLE : 0);
}

/* Resize a table to n rules: begin, move each old rule, complete; -ENOSYS before 24.03. */
static inline int
compat_flow_table_resize(uint16_t port, struct rte_flow_template_table *table, uint32_t n,
	struct rte_flow_error *error)
{
	return SINCE_24_03(-ENOSYS, rte_flow_template_table_resize(port, table, n, error));
}

static inline int
compat_flow_update_resized(uint16_t port, uint32_t queue, const struct rte_flow_op_attr *attr,
	struct rte_flow *flow, void *job, struct rte_flow_error *error)
{
	return SINCE_24_03(-ENOSYS,
		rte_flow_async_update_resized(port, queue, attr, flow, job, error));
}

static inline int
compat_flow_table_resize_complete(uint16_t port, struct rte_flow_template_table *table,
	struct rte_flow_error *error)
{
	return SINCE_24_03(-ENOSYS, rte_flow_template_table_resize_complete(port, table, error));
}

/* Whether a size without a pool means that the segment is not received; since 26.07. */
#define COMPAT_SEGMENTS_WITHOUT_POOL (RTE_VERSION >= RTE_VERSION_NUM(26, 7, 0, 0))

/* Report lcores' cycles by that function, NULL: not any more; no effect before 23.03. */
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
#define compat_lcore_usage rte_lcore_usage
#define compat_lcore_usage_by(report) rte_lcore_register_usage_cb(report)
#else
struct compat_lcore_usage {
	uint64_t total_cycles, busy_cycles;
};
static inline void
compat_lcore_usage_by(int (*report)(unsigned int lcore, struct compat_lcore_usage *usage))
{
}
#endif

/* Write the history of an mbuf, else of a pool's mbufs, else of all; nothing before 25.11. */
#if RTE_VERSION >= RTE_VERSION_NUM(25, 11, 0, 0)
#include <rte_mbuf_history.h>
#define COMPAT_MBUF_HISTORY true
#else
#define COMPAT_MBUF_HISTORY false
#endif
static inline void
compat_mbuf_history(FILE *file, const void *mbuf, struct rte_mempool *pool)
{
#if RTE_VERSION >= RTE_VERSION_NUM(25, 11, 0, 0)
	if (mbuf != NULL)
		rte_mbuf_history_dump(file, mbuf);
	else if (pool != NULL)
		rte_mbuf_history_dump_mempool(file, pool);
	else
		rte_mbuf_history_dump_all(file);
#endif
}

/* FEC mode LLRS; 0 before 23.07. */
#if RTE_VERSION >= RTE_VERSION_NUM(23, 7, 0, 0)
#define COMPAT_FEC_LLRS RTE_ETH_FEC_MODE_CAPA_MASK(LLRS)
#else
#define COMPAT_FEC_LLRS 0
#endif

/* Whether compat_tm_node_query() can succeed: since 24.11. */
#define COMPAT_TM_NODE_QUERY (RTE_VERSION >= RTE_VERSION_NUM(24, 11, 0, 0))

/*
 * Whether Intel's transmit queues with mbuf_fast_free keep the pool of their first packets until they
 * are set up again: since 26.03. Packets of another pool would go to that one, also after a restart.
 */
#define COMPAT_TXQ_KEEPS_POOL (RTE_VERSION >= RTE_VERSION_NUM(26, 3, 0, 0))

/* Whether net_iavf reads the mbuf field that marks LLDP frames: since 24.03. */
#define COMPAT_TX_LLDP (RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0))

/* Whether rte_pmd_mlx5.h declares what it has since a release: not before, nor without mlx5. */
#ifdef RTE_NET_MLX5
#define COMPAT_MLX5_SINCE(year, month) (RTE_VERSION >= RTE_VERSION_NUM(year, month, 0, 0))
#else
#define COMPAT_MLX5_SINCE(year, month) 0
#endif

/* Whether mlx5 has modes of the flow engine: since 23.07. */
#define COMPAT_FLOW_ENGINE_MODE (RTE_VERSION >= RTE_VERSION_NUM(23, 7, 0, 0))

#if !COMPAT_MLX5_SINCE(23, 7)
enum rte_pmd_mlx5_flow_engine_mode {
	RTE_PMD_MLX5_FLOW_ENGINE_MODE_ACTIVE,
	RTE_PMD_MLX5_FLOW_ENGINE_MODE_STANDBY,
};
/* Set the mode of all mlx5 ports; returns their number, or a negative errno. */
int rte_pmd_mlx5_flow_engine_set_mode(enum rte_pmd_mlx5_flow_engine_mode mode, uint32_t flags);
#endif

#if !COMPAT_MLX5_SINCE(24, 3)
struct rte_pmd_mlx5_geneve_tlv {
	rte_be16_t option_class;
	uint8_t option_type, option_len, match_on_class_mode, offset, sample_len;
	rte_be32_t *match_data_mask;
};
/* Create a port's parser of list[0..n); NULL with rte_errno set. */
void *rte_pmd_mlx5_create_geneve_tlv_parser(uint16_t port,
	const struct rte_pmd_mlx5_geneve_tlv *list, uint8_t n);
/* Destroy a parser; returns 0 or a negative errno. */
int rte_pmd_mlx5_destroy_geneve_tlv_parser(void *parser);
#endif

#if !COMPAT_MLX5_SINCE(26, 7)
struct rte_pmd_mlx5_txq_rate_limit_info {
	uint32_t rate_mbps;
	uint16_t pp_index, fw_pp_index;
};
/* Read the rate limit of a Tx queue; returns 0 or a negative errno. */
int rte_pmd_mlx5_txq_rate_limit_query(uint16_t port, uint16_t queue,
	struct rte_pmd_mlx5_txq_rate_limit_info *info);
#endif
