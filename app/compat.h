/* Where DPDK releases differ: one small function per difference, that speaks the newer language. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_ethdev.h>
#include <rte_flow.h>
#include <rte_telemetry.h>
#include <rte_tm.h>
#include <rte_version.h>

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Where ethdev's functions of queues call nothing: from 25.11 to 26.03 it resets them to NULL while a
 * port stops, also when the driver then fails to stop it, and no longer looks before it calls.
 */
#define COMPAT_CALL(port, function, call, otherwise) \
	(rte_eth_fp_ops[port].function != NULL ? (call) : (otherwise))

/* Descriptors in use of a queue of a started port; -ENOTSUP: the driver does not tell. */
static inline int
compat_rx_queue_count(uint16_t port, uint16_t queue)
{
	return COMPAT_CALL(port, rx_queue_count, rte_eth_rx_queue_count(port, queue), -ENOTSUP);
}

/* The same of a Tx queue: rte_eth_tx_queue_count() came with 24.03; -ENOTSUP before. */
static inline int
compat_tx_queue_count(uint16_t port, uint16_t queue)
{
#if RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
	return COMPAT_CALL(port, tx_queue_count, rte_eth_tx_queue_count(port, queue), -ENOTSUP);
#else
	return -ENOTSUP;
#endif
}

/* What a descriptor is, RTE_ETH_RX_DESC_; -ENOTSUP: the driver does not tell. */
static inline int
compat_rx_descriptor_status(uint16_t port, uint16_t queue, uint16_t descriptor)
{
	return COMPAT_CALL(port, rx_descriptor_status,
		rte_eth_rx_descriptor_status(port, queue, descriptor), -ENOTSUP);
}

/* The same of a Tx queue, RTE_ETH_TX_DESC_. */
static inline int
compat_tx_descriptor_status(uint16_t port, uint16_t queue, uint16_t descriptor)
{
	return COMPAT_CALL(port, tx_descriptor_status,
		rte_eth_tx_descriptor_status(port, queue, descriptor), -ENOTSUP);
}

/* rte_eth_tx_prepare(): how many of pkts[0..n) can be sent; all where the driver needs nothing. */
static __rte_always_inline uint16_t
compat_tx_prepare(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n)
{
	return COMPAT_CALL(port, tx_pkt_prepare, rte_eth_tx_prepare(port, queue, pkts, n), n);
}

/* What net_bonding calls the ports below a bonding port, in names of functions and in words. */
#if RTE_VERSION >= RTE_VERSION_NUM(23, 11, 0, 0)
#define COMPAT_BOND_MEMBER "member"
#define COMPAT_BOND_MEMBER_TITLE "Member"
#define COMPAT_BOND_MEMBERS "Members"
#define COMPAT_BOND_MAIN "main"
#define COMPAT_BOND_DEVICE "bonding device"
#define compat_bond_member_info rte_eth_bond_8023ad_member_info
#else
#define COMPAT_BOND_MEMBER "slave"
#define COMPAT_BOND_MEMBER_TITLE "Slave"
#define COMPAT_BOND_MEMBERS "Slaves"
#define COMPAT_BOND_MAIN "master"
#define COMPAT_BOND_DEVICE "bonded device"
#define compat_bond_member_info rte_eth_bond_8023ad_slave_info
#endif

/* A number of 64 bits as a member of a telemetry answer: of another name since 23.03. */
static inline int
compat_tel_dict_uint(struct rte_tel_data *d, const char *name, uint64_t value)
{
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
	return rte_tel_data_add_dict_uint(d, name, value);
#else
	return rte_tel_data_add_dict_u64(d, name, value);
#endif
}

/* The same as an element of an array. */
static inline int
compat_tel_array_uint(struct rte_tel_data *d, uint64_t value)
{
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
	return rte_tel_data_add_array_uint(d, value);
#else
	return rte_tel_data_add_array_u64(d, value);
#endif
}

/* Begin an array of such numbers. */
static inline int
compat_tel_array_begin(struct rte_tel_data *d)
{
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
	return rte_tel_data_start_array(d, RTE_TEL_UINT_VAL);
#else
	return rte_tel_data_start_array(d, RTE_TEL_U64_VAL);
#endif
}

/* Link speeds of 400 and 800 Gbit/s; 0 before 23.11 and 25.11. */
#ifdef RTE_ETH_LINK_SPEED_400G
#define COMPAT_LINK_SPEED_400G RTE_ETH_LINK_SPEED_400G
#else
#define COMPAT_LINK_SPEED_400G 0
#endif
#ifdef RTE_ETH_LINK_SPEED_800G
#define COMPAT_LINK_SPEED_800G RTE_ETH_LINK_SPEED_800G
#else
#define COMPAT_LINK_SPEED_800G 0
#endif

/* How many lanes a link's speed is divided over; -ENOSYS before 24.11. */
static inline int
compat_speed_lanes_set(uint16_t port, uint32_t lanes)
{
#if RTE_VERSION >= RTE_VERSION_NUM(24, 11, 0, 0)
	return rte_eth_speed_lanes_set(port, lanes);
#else
	return -ENOSYS;
#endif
}

/* A speed in Mbit/s, and a bit for each number of lanes that it may have. */
struct compat_speed_lanes {
	uint32_t speed, lanes;
};

/* Into lanes[0..n), how many there are; -ENOSYS before 24.11. */
static inline int
compat_speed_lanes_get(uint16_t port, struct compat_speed_lanes *lanes, unsigned int n)
{
#if RTE_VERSION >= RTE_VERSION_NUM(24, 11, 0, 0)
	struct rte_eth_speed_lanes_capa capa[32];
	int i, ret = rte_eth_speed_lanes_get_capability(port, capa, RTE_MIN(n, RTE_DIM(capa)));

	for (i = 0; i < ret && i < (int)RTE_MIN(n, RTE_DIM(capa)); i++)
		lanes[i] = (struct compat_speed_lanes){ capa[i].speed, capa[i].capa };
	return ret;
#else
	return -ENOSYS;
#endif
}

/* How many lanes the link has now; -ENOSYS before 24.11. */
static inline int
compat_speed_lanes_active(uint16_t port, uint32_t *lanes)
{
#if RTE_VERSION >= RTE_VERSION_NUM(24, 11, 0, 0)
	return rte_eth_speed_lanes_get(port, lanes);
#else
	return -ENOSYS;
#endif
}

/* Where a node of traffic management stands. */
struct compat_tm_place {
	uint32_t parent, priority, weight, level;
};

/* That, and what the node was added with; -ENOSYS before 24.11. */
static inline int
compat_tm_node_query(uint16_t port, uint32_t node, struct compat_tm_place *place,
	struct rte_tm_node_params *params, struct rte_tm_error *error)
{
#if RTE_VERSION >= RTE_VERSION_NUM(24, 11, 0, 0)
	return rte_tm_node_query(port, node, &place->parent, &place->priority, &place->weight,
		&place->level, params, error);
#else
	return -ENOSYS;
#endif
}

/* Whether segments of received packets may be left out; never before 26.07. */
static inline bool
compat_rx_selective(const struct rte_eth_rxseg_capa *can)
{
#if RTE_VERSION >= RTE_VERSION_NUM(26, 7, 0, 0)
	return can->selective_rx != 0;
#else
	return false;
#endif
}

/* The rate in Mbit/s that a Tx queue is held to, 0: none; -ENOSYS before 26.07. */
static inline int
compat_queue_rate_get(uint16_t port, uint16_t queue, uint32_t *mbps)
{
#if RTE_VERSION >= RTE_VERSION_NUM(26, 7, 0, 0)
	return rte_eth_get_queue_rate_limit(port, queue, mbps);
#else
	return -ENOSYS;
#endif
}

/* How many queues' statistics a port may keep apart; the constant went with 25.11. */
#ifdef RTE_ETHDEV_QUEUE_STAT_CNTRS
#define COMPAT_QUEUE_STATS RTE_ETHDEV_QUEUE_STAT_CNTRS
#else
#define COMPAT_QUEUE_STATS 256
#endif

/* Count a queue in the queue statistics of that number; -ENOSYS since 25.11, where it is to go. */
static inline int
compat_queue_stats_map(uint16_t port, bool rx, uint16_t queue, uint8_t slot)
{
#if RTE_VERSION < RTE_VERSION_NUM(25, 11, 0, 0)
	return rx ? rte_eth_dev_set_rx_queue_stats_mapping(port, queue, slot)
		  : rte_eth_dev_set_tx_queue_stats_mapping(port, queue, slot);
#else
	return -ENOSYS;
#endif
}

/* How many ports this one joins (bonding), 0: it is one; -ENOSYS before 23.03. */
static inline int
compat_aggr_ports(uint16_t port)
{
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
	return rte_eth_dev_count_aggr_ports(port);
#else
	return -ENOSYS;
#endif
}

/* Tie a Tx queue to one of them, counted from 1, 0: to none; -ENOSYS before 23.03. */
static inline int
compat_aggr_tx_affinity(uint16_t port, uint16_t queue, uint8_t affinity)
{
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
	return rte_eth_dev_map_aggr_tx_affinity(port, queue, affinity);
#else
	return -ENOSYS;
#endif
}

/* Switch an extended statistic on or off; -ENOSYS before 25.03. */
static inline int
compat_xstats_set_counter(uint16_t port, uint64_t id, bool on)
{
#if RTE_VERSION >= RTE_VERSION_NUM(25, 3, 0, 0)
	return rte_eth_xstats_set_counter(port, id, on);
#else
	return -ENOSYS;
#endif
}

/* Whether an extended statistic is on: 1, 0, -ENOTSUP nobody can tell; so before 25.03. */
static inline int
compat_xstats_state(uint16_t port, uint64_t id)
{
#if RTE_VERSION >= RTE_VERSION_NUM(25, 3, 0, 0)
	return rte_eth_xstats_query_state(port, id);
#else
	return -ENOTSUP;
#endif
}

/* The hash function in a configuration of RSS, by name; NULL before 23.11. */
static inline const char *
compat_rss_algorithm(const struct rte_eth_rss_conf *conf)
{
#if RTE_VERSION >= RTE_VERSION_NUM(23, 11, 0, 0)
	return rte_eth_dev_rss_algo_name(conf->algorithm);
#else
	return NULL;
#endif
}

/* Ask for a hash function by name; -EINVAL no such name, -ENOSYS before 24.03. */
static inline int
compat_rss_algorithm_set(struct rte_eth_rss_conf *conf, const char *name)
{
#if RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
	uint32_t algorithm;
	int ret = rte_eth_find_rss_algo(name, &algorithm);

	if (ret == 0)
		conf->algorithm = (enum rte_eth_hash_function)algorithm;
	return ret;
#else
	return -ENOSYS;
#endif
}

/* An update of all that an action meter_mark has; its initial color is none of it since 23.11. */
static inline void
compat_flow_update_meter_mark(struct rte_flow_update_meter_mark *u,
	const struct rte_flow_action_meter_mark *mark)
{
	*u = (struct rte_flow_update_meter_mark)
	{
		.meter_mark = *mark, .profile_valid = 1, .policy_valid = 1, .color_mode_valid = 1,
#if RTE_VERSION < RTE_VERSION_NUM(23, 11, 0, 0)
		.init_color_valid = 1,
#endif
		.state_valid = 1
	};
}

/* Give a rule other actions: rte_flow_actions_update() came with 23.07; -ENOSYS before. */
static inline int
compat_flow_actions_update(uint16_t port, struct rte_flow *flow,
	const struct rte_flow_action *actions, struct rte_flow_error *error)
{
#if RTE_VERSION >= RTE_VERSION_NUM(23, 7, 0, 0)
	return rte_flow_actions_update(port, flow, actions, error);
#else
	return -ENOSYS;
#endif
}

/* The same through a queue: by the actions template of that place in the rule's table; since 23.07. */
static inline int
compat_flow_async_actions_update(uint16_t port, uint32_t queue, const struct rte_flow_op_attr *attr,
	struct rte_flow *flow, const struct rte_flow_action *actions, uint8_t template, void *job,
	struct rte_flow_error *error)
{
#if RTE_VERSION >= RTE_VERSION_NUM(23, 7, 0, 0)
	return rte_flow_async_actions_update(port, queue, attr, flow, actions, template, job,
		error);
#else
	return -ENOSYS;
#endif
}

/* Change an indirect action and ask it, in one: at once where attr is NULL, else through the queue. Since 23.03. */
static inline int
compat_flow_query_update(uint16_t port, uint32_t queue, const struct rte_flow_op_attr *attr,
	struct rte_flow_action_handle *handle, const struct rte_flow_action *update, void *query,
	bool update_first, void *job, struct rte_flow_error *error)
{
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
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

/* What becomes of packets that no rule of a group takes. Since 23.11. */
static inline int
compat_flow_group_miss(uint16_t port, const struct rte_flow_attr *attr,
	const struct rte_flow_action *actions, struct rte_flow_error *error)
{
#if RTE_VERSION >= RTE_VERSION_NUM(23, 11, 0, 0)
	const struct rte_flow_group_attr sides = { .ingress = attr->ingress,
		.egress = attr->egress,
		.transfer = attr->transfer };

	return rte_flow_group_set_miss_actions(port, attr->group, &sides, actions, error);
#else
	return -ENOSYS;
#endif
}

/* The NIC's hash of such a packet in a table, for the pattern template of that place. Since 23.11. */
static inline int
compat_flow_table_hash(uint16_t port, const struct rte_flow_template_table *table,
	const struct rte_flow_item *pattern, uint8_t template, uint32_t *hash,
	struct rte_flow_error *error)
{
#if RTE_VERSION >= RTE_VERSION_NUM(23, 11, 0, 0)
	return rte_flow_calc_table_hash(port, table, pattern, template, hash, error);
#else
	return -ENOSYS;
#endif
}

/*
 * What a tunnel's header gets of a packet's hash: its source port, bytes[0..2), or NVGRE's flow
 * identifier, one byte. Since 24.03.
 */
static inline int
compat_flow_encap_hash(uint16_t port, const struct rte_flow_item *pattern, bool source_port,
	uint8_t bytes[2], struct rte_flow_error *error)
{
#if RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
	return rte_flow_calc_encap_hash(port, pattern,
		source_port ? RTE_FLOW_ENCAP_HASH_FIELD_SRC_PORT
			    : RTE_FLOW_ENCAP_HASH_FIELD_NVGRE_FLOW_ID,
		source_port ? 2 : 1, bytes, error);
#else
	return -ENOSYS;
#endif
}

/* Let a table be resized later, which nobody asks for before 24.03. */
static inline void
compat_flow_table_special(struct rte_flow_template_table_attr *attr, bool resizable)
{
#if RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
	attr->specialize |= resizable ? RTE_FLOW_TABLE_SPECIALIZE_RESIZABLE : 0;
#endif
}

/* Make room for n rules; then move each old rule; then end it. Since 24.03. */
static inline int
compat_flow_table_resize(uint16_t port, struct rte_flow_template_table *table, uint32_t n,
	struct rte_flow_error *error)
{
#if RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
	return rte_flow_template_table_resize(port, table, n, error);
#else
	return -ENOSYS;
#endif
}

static inline int
compat_flow_update_resized(uint16_t port, uint32_t queue, const struct rte_flow_op_attr *attr,
	struct rte_flow *flow, void *job, struct rte_flow_error *error)
{
#if RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
	return rte_flow_async_update_resized(port, queue, attr, flow, job, error);
#else
	return -ENOSYS;
#endif
}

static inline int
compat_flow_table_resize_complete(uint16_t port, struct rte_flow_template_table *table,
	struct rte_flow_error *error)
{
#if RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
	return rte_flow_template_table_resize_complete(port, table, error);
#else
	return -ENOSYS;
#endif
}
