/* Actions, as testpmd names them and their fields. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow/flow_actions.h"

#include "base/base.h"

#include <rte_flow.h>

#define STRUCT(s) struct rte_flow_action_##s
#include "flow/flow_fields.h"

static const struct flow_field jump[] = {
	HOST(UINT, "group", jump, group),
};

static const struct flow_field mark[] = {
	HOST(UINT, "id", mark, id),
};

static const struct flow_field queue[] = {
	HOST(UINT, "index", queue, index),
};

static const struct flow_field count[] = {
	HOST(UINT, "identifier", count, id),
};

static const struct flow_field vf[] = {
	PART(BOOL, "original", vf, original, 1),
	HOST(UINT, "id", vf, id),
};

static const struct flow_field port_id[] = {
	PART(BOOL, "original", port_id, original, 1),
	HOST(UINT, "id", port_id, id),
};

static const struct flow_field meter[] = {
	HOST(UINT, "mtr_id", meter, mtr_id),
};

static const struct flow_field of_push_vlan[] = {
	BE(UINT, "ethertype", of_push_vlan, ethertype),
};

static const struct flow_field of_set_vlan_vid[] = {
	BE(UINT, "vlan_vid", of_set_vlan_vid, vlan_vid),
};

static const struct flow_field of_set_vlan_pcp[] = {
	BE(UINT, "vlan_pcp", of_set_vlan_pcp, vlan_pcp),
};

static const struct flow_field of_pop_mpls[] = {
	BE(UINT, "ethertype", of_pop_mpls, ethertype),
};

static const struct flow_field of_push_mpls[] = {
	BE(UINT, "ethertype", of_push_mpls, ethertype),
};

static const struct flow_field set_ipv4_src[] = {
	BE(IPV4, "ipv4_addr", set_ipv4, ipv4_addr),
};

static const struct flow_field set_ipv4_dst[] = {
	BE(IPV4, "ipv4_addr", set_ipv4, ipv4_addr),
};

static const struct flow_field set_ipv6_src[] = {
	BE(IPV6, "ipv6_addr", set_ipv6, ipv6_addr),
};

static const struct flow_field set_ipv6_dst[] = {
	BE(IPV6, "ipv6_addr", set_ipv6, ipv6_addr),
};

static const struct flow_field set_tp_src[] = {
	BE(UINT, "port", set_tp, port),
};

static const struct flow_field set_tp_dst[] = {
	BE(UINT, "port", set_tp, port),
};

static const struct flow_field set_ttl[] = {
	BE(UINT, "ttl_value", set_ttl, ttl_value),
};

static const struct flow_field set_mac_src[] = {
	BE(MAC, "mac_addr", set_mac, mac_addr),
};

static const struct flow_field set_mac_dst[] = {
	BE(MAC, "mac_addr", set_mac, mac_addr),
};

static const struct flow_field inc_tcp_seq[] = {
	WHOLE("value", rte_be32_t),
};

static const struct flow_field dec_tcp_seq[] = {
	WHOLE("value", rte_be32_t),
};

static const struct flow_field inc_tcp_ack[] = {
	WHOLE("value", rte_be32_t),
};

static const struct flow_field dec_tcp_ack[] = {
	WHOLE("value", rte_be32_t),
};

static const struct flow_field set_tag[] = {
	HOST(UINT, "data", set_tag, data),
	HOST(UINT, "index", set_tag, index),
	HOST(UINT, "mask", set_tag, mask),
};

static const struct flow_field set_meta[] = {
	HOST(UINT, "data", set_meta, data),
	HOST(UINT, "mask", set_meta, mask),
};

static const struct flow_field set_ipv4_dscp[] = {
	HOST(UINT, "dscp_value", set_dscp, dscp),
};

static const struct flow_field set_ipv6_dscp[] = {
	HOST(UINT, "dscp_value", set_dscp, dscp),
};

static const struct flow_field age[] = {
	PART(UINT, "timeout", age, timeout, (1 << 24) - 1),
};

static const struct flow_field port_representor[] = {
	HOST(UINT, "port_id", ethdev, port_id),
};

static const struct flow_field represented_port[] = {
	HOST(UINT, "ethdev_port_id", ethdev, port_id),
};

#define PLAIN(name_, type_) \
	{ \
		.name = name_, .type = RTE_FLOW_ACTION_TYPE_##type_ \
	}
#define FIELDS(name_, type_, bytes_, fields_, room_) \
	{ \
		.name = name_, .type = RTE_FLOW_ACTION_TYPE_##type_, .bytes = bytes_, \
		.room = room_, .fields = fields_, .n = ARRAY_SIZE(fields_) \
	}
/* Words that are more than fields; key: bytes behind the struct. */
#define FORM(name_, type_, bytes_) \
	{ \
		.name = name_, .type = RTE_FLOW_ACTION_TYPE_##type_, .bytes = bytes_, .room = 64, \
		.form = name_ \
	}

const struct flow_part flow_actions[] = {
	PLAIN("void", VOID),
	PLAIN("passthru", PASSTHRU),
	FIELDS("jump", JUMP, sizeof(struct rte_flow_action_jump), jump, 0),
	FIELDS("mark", MARK, sizeof(struct rte_flow_action_mark), mark, 0),
	PLAIN("flag", FLAG),
	FIELDS("queue", QUEUE, sizeof(struct rte_flow_action_queue), queue, 0),
	PLAIN("drop", DROP),
	FIELDS("count", COUNT, sizeof(struct rte_flow_action_count), count, 0),
	FORM("rss", RSS, sizeof(struct rte_flow_action_rss)),
	PLAIN("pf", PF),
	FIELDS("vf", VF, sizeof(struct rte_flow_action_vf), vf, 0),
	FIELDS("port_id", PORT_ID, sizeof(struct rte_flow_action_port_id), port_id, 0),
	FIELDS("meter", METER, sizeof(struct rte_flow_action_meter), meter, 0),
	FORM("color", METER_COLOR, sizeof(struct rte_flow_action_meter_color)),
	PLAIN("of_dec_nw_ttl", OF_DEC_NW_TTL),
	PLAIN("of_pop_vlan", OF_POP_VLAN),
	FIELDS("of_push_vlan", OF_PUSH_VLAN, sizeof(struct rte_flow_action_of_push_vlan),
		of_push_vlan, 0),
	FIELDS("of_set_vlan_vid", OF_SET_VLAN_VID, sizeof(struct rte_flow_action_of_set_vlan_vid),
		of_set_vlan_vid, 0),
	FIELDS("of_set_vlan_pcp", OF_SET_VLAN_PCP, sizeof(struct rte_flow_action_of_set_vlan_pcp),
		of_set_vlan_pcp, 0),
	FIELDS("of_pop_mpls", OF_POP_MPLS, sizeof(struct rte_flow_action_of_pop_mpls), of_pop_mpls,
		0),
	FIELDS("of_push_mpls", OF_PUSH_MPLS, sizeof(struct rte_flow_action_of_push_mpls),
		of_push_mpls, 0),
	PLAIN("vxlan_decap", VXLAN_DECAP),
	PLAIN("nvgre_decap", NVGRE_DECAP),
	FIELDS("set_ipv4_src", SET_IPV4_SRC, sizeof(struct rte_flow_action_set_ipv4), set_ipv4_src,
		0),
	FIELDS("set_ipv4_dst", SET_IPV4_DST, sizeof(struct rte_flow_action_set_ipv4), set_ipv4_dst,
		0),
	FIELDS("set_ipv6_src", SET_IPV6_SRC, sizeof(struct rte_flow_action_set_ipv6), set_ipv6_src,
		0),
	FIELDS("set_ipv6_dst", SET_IPV6_DST, sizeof(struct rte_flow_action_set_ipv6), set_ipv6_dst,
		0),
	FIELDS("set_tp_src", SET_TP_SRC, sizeof(struct rte_flow_action_set_tp), set_tp_src, 0),
	FIELDS("set_tp_dst", SET_TP_DST, sizeof(struct rte_flow_action_set_tp), set_tp_dst, 0),
	PLAIN("mac_swap", MAC_SWAP),
	PLAIN("dec_ttl", DEC_TTL),
	FIELDS("set_ttl", SET_TTL, sizeof(struct rte_flow_action_set_ttl), set_ttl, 0),
	FIELDS("set_mac_src", SET_MAC_SRC, sizeof(struct rte_flow_action_set_mac), set_mac_src, 0),
	FIELDS("set_mac_dst", SET_MAC_DST, sizeof(struct rte_flow_action_set_mac), set_mac_dst, 0),
	FIELDS("inc_tcp_seq", INC_TCP_SEQ, sizeof(rte_be32_t), inc_tcp_seq, 0),
	FIELDS("dec_tcp_seq", DEC_TCP_SEQ, sizeof(rte_be32_t), dec_tcp_seq, 0),
	FIELDS("inc_tcp_ack", INC_TCP_ACK, sizeof(rte_be32_t), inc_tcp_ack, 0),
	FIELDS("dec_tcp_ack", DEC_TCP_ACK, sizeof(rte_be32_t), dec_tcp_ack, 0),
	FIELDS("set_tag", SET_TAG, sizeof(struct rte_flow_action_set_tag), set_tag, 0),
	FIELDS("set_meta", SET_META, sizeof(struct rte_flow_action_set_meta), set_meta, 0),
	FIELDS("set_ipv4_dscp", SET_IPV4_DSCP, sizeof(struct rte_flow_action_set_dscp),
		set_ipv4_dscp, 0),
	FIELDS("set_ipv6_dscp", SET_IPV6_DSCP, sizeof(struct rte_flow_action_set_dscp),
		set_ipv6_dscp, 0),
	FIELDS("age", AGE, sizeof(struct rte_flow_action_age), age, 0),
	FIELDS("port_representor", PORT_REPRESENTOR, sizeof(struct rte_flow_action_ethdev),
		port_representor, 0),
	FIELDS("represented_port", REPRESENTED_PORT, sizeof(struct rte_flow_action_ethdev),
		represented_port, 0),
	PLAIN("send_to_kernel", SEND_TO_KERNEL),
};
const size_t flow_actions_n = ARRAY_SIZE(flow_actions);
