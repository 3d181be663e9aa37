/* Table of pattern items and their fields, with testpmd's names, which can differ from
 * rte_flow's. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/flow/language/flow_items.h"

#include "base/base.h"
#include "features/flow/language/flow_part.h"
#include "features/flow/language/flow_presets.h"

#include <rte_flow.h>
#include <rte_version.h>

enum {
	RAW_ROOM = 512,
	GENEVE_ROOM = 124,
	FLEX_ROOM = FLOW_PATTERN_BYTES,
	VALUE_ROOM = 32
}; /* bytes reserved after the structs */

#define STRUCT(s) struct rte_flow_item_##s
#define TYPE(type) RTE_FLOW_ITEM_TYPE_##type
#include "features/flow/language/flow_fields.h"

static const struct flow_field any[] = {
	HOST(UINT, "num", any, num),
};

static const struct flow_field port_id[] = {
	HOST(UINT, "id", port_id, id),
};

static const struct flow_field mark[] = {
	HOST(UINT, "id", mark, id),
};

static const struct flow_field raw[] = {
	PART(BOOL, "relative", raw, relative, 1),
	PART(BOOL, "search", raw, search, 1),
	HOST(INT, "offset", raw, offset),
	HOST(UINT, "limit", raw, limit),
	BYTES(STRING, "pattern", raw, pattern, length),
	BYTES(HEX, "pattern_hex", raw, pattern, length),
};

static const struct flow_field eth[] = {
	BE(MAC, "dst", eth, dst),
	BE(MAC, "src", eth, src),
	BE(UINT, "type", eth, type),
	PART(UINT, "has_vlan", eth, has_vlan, 1),
};

static const struct flow_field vlan[] = {
	BE(UINT, "tci", vlan, tci),
	BITS(UINT, "pcp", vlan, tci, "\xe0\x00"),
	BITS(UINT, "dei", vlan, tci, "\x10\x00"),
	BITS(UINT, "vid", vlan, tci, "\x0f\xff"),
	BE(UINT, "inner_type", vlan, inner_type),
	PART(UINT, "has_more_vlan", vlan, has_more_vlan, 1),
};

static const struct flow_field ipv4[] = {
	HOST(UINT, "version_ihl", ipv4, hdr.version_ihl),
	BE(UINT, "tos", ipv4, hdr.type_of_service),
	BE(UINT, "length", ipv4, hdr.total_length),
	BE(UINT, "packet_id", ipv4, hdr.packet_id),
	BE(UINT, "fragment_offset", ipv4, hdr.fragment_offset),
	BE(UINT, "ttl", ipv4, hdr.time_to_live),
	BE(UINT, "proto", ipv4, hdr.next_proto_id),
	BE(IPV4, "src", ipv4, hdr.src_addr),
	BE(IPV4, "dst", ipv4, hdr.dst_addr),
};

static const struct flow_field ipv6[] = {
	BITS(UINT, "tc", ipv6, hdr.vtc_flow, "\x0f\xf0\x00\x00"),
	BITS(UINT, "flow", ipv6, hdr.vtc_flow, "\x00\x0f\xff\xff"),
	BE(UINT, "length", ipv6, hdr.payload_len),
	BE(UINT, "proto", ipv6, hdr.proto),
	BE(UINT, "hop", ipv6, hdr.hop_limits),
	BE(IPV6, "src", ipv6, hdr.src_addr),
	BE(IPV6, "dst", ipv6, hdr.dst_addr),
	PART(UINT, "has_frag_ext", ipv6, has_frag_ext, 1),
};

static const struct flow_field icmp[] = {
	BE(UINT, "type", icmp, hdr.icmp_type),
	BE(UINT, "code", icmp, hdr.icmp_code),
	BE(UINT, "ident", icmp, hdr.icmp_ident),
	BE(UINT, "seq", icmp, hdr.icmp_seq_nb),
};

static const struct flow_field udp[] = {
	BE(UINT, "src", udp, hdr.src_port),
	BE(UINT, "dst", udp, hdr.dst_port),
};

static const struct flow_field tcp[] = {
	BE(UINT, "src", tcp, hdr.src_port),
	BE(UINT, "dst", tcp, hdr.dst_port),
	BE(UINT, "flags", tcp, hdr.tcp_flags),
};

static const struct flow_field sctp[] = {
	BE(UINT, "src", sctp, hdr.src_port),
	BE(UINT, "dst", sctp, hdr.dst_port),
	BE(UINT, "tag", sctp, hdr.tag),
	BE(UINT, "cksum", sctp, hdr.cksum),
};

static const struct flow_field vxlan[] = {
	BE(UINT, "vni", vxlan, vni),
	BITS(UINT, "flag_g", vxlan, flags, "\x80"),
	BITS(UINT, "flag_ver", vxlan, flags, "\x30"),
	BITS(UINT, "flag_i", vxlan, flags, "\x08"),
	BITS(UINT, "flag_p", vxlan, flags, "\x04"),
	BITS(UINT, "flag_b", vxlan, flags, "\x02"),
	BITS(UINT, "flag_o", vxlan, flags, "\x01"),
	BITS(UINT, "flag_d", vxlan, rsvd0, "\x40\x00\x00"),
	BITS(UINT, "flag_a", vxlan, rsvd0, "\x08\x00\x00"),
	BITS(UINT, "group_policy_id", vxlan, rsvd0, "\x00\xff\xff"),
	BITS(UINT, "protocol", vxlan, rsvd0, "\x00\x00\xff"),
	BITS(UINT, "first_rsvd", vxlan, rsvd0, "\xff\x00\x00"),
	BITS(UINT, "second_rsvd", vxlan, rsvd0, "\x00\xff\x00"),
	BITS(UINT, "third_rsvd", vxlan, rsvd0, "\x00\x00\xff"),
	BE(UINT, "last_rsvd", vxlan, rsvd1),
};

static const struct flow_field e_tag[] = {
	BITS(UINT, "grp_ecid_b", e_tag, rsvd_grp_ecid_b, "\x3f\xff"),
};

static const struct flow_field nvgre[] = {
	BE(UINT, "tni", nvgre, tni),
};

static const struct flow_field mpls[] = {
	BITS(UINT, "label", mpls, label_tc_s, "\xff\xff\xf0"),
	BITS(UINT, "tc", mpls, label_tc_s, "\x00\x00\x0e"),
	BITS(UINT, "s", mpls, label_tc_s, "\x00\x00\x01"),
	BE(UINT, "ttl", mpls, ttl),
};

static const struct flow_field gre[] = {
	BE(UINT, "protocol", gre, protocol),
	BE(UINT, "c_rsvd0_ver", gre, c_rsvd0_ver),
	BITS(BOOL, "c_bit", gre, c_rsvd0_ver, "\x80\x00\x00\x00"),
	BITS(BOOL, "k_bit", gre, c_rsvd0_ver, "\x20\x00\x00\x00"),
	BITS(BOOL, "s_bit", gre, c_rsvd0_ver, "\x10\x00\x00\x00"),
};

static const struct flow_field fuzzy[] = {
	HOST(UINT, "thresh", fuzzy, thresh),
};

static const struct flow_field gtp[] = {
	HOST(UINT, "v_pt_rsv_flags", gtp, v_pt_rsv_flags),
	HOST(UINT, "msg_type", gtp, msg_type),
	BE(UINT, "teid", gtp, teid),
};

static const struct flow_field gtpc[] = {
	HOST(UINT, "v_pt_rsv_flags", gtp, v_pt_rsv_flags),
	HOST(UINT, "msg_type", gtp, msg_type),
	BE(UINT, "teid", gtp, teid),
};

static const struct flow_field gtpu[] = {
	HOST(UINT, "v_pt_rsv_flags", gtp, v_pt_rsv_flags),
	HOST(UINT, "msg_type", gtp, msg_type),
	BE(UINT, "teid", gtp, teid),
};

static const struct flow_field geneve[] = {
	BE(UINT, "vni", geneve, vni),
	BE(UINT, "protocol", geneve, protocol),
	BITS(UINT, "optlen", geneve, ver_opt_len_o_c_rsvd0, "\x3f\x00"),
};

static const struct flow_field vxlan_gpe[] = {
	BE(UINT, "vni", vxlan_gpe, vni),
	BE(UINT, "protocol", vxlan_gpe, protocol),
	BE(UINT, "flags", vxlan_gpe, flags),
	BE(UINT, "rsvd0", vxlan_gpe, rsvd0),
	BE(UINT, "rsvd1", vxlan_gpe, rsvd1),
};

/* Since 23.03 drivers read the packed header; the old members still exist at other offsets. */
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
#define ARP(kind, name, end) BE(kind, name, arp_eth_ipv4, hdr.arp_data.arp_##end)
static const struct flow_field arp_eth_ipv4[] = {
	ARP(MAC, "sha", sha),
	ARP(IPV4, "spa", sip),
	ARP(MAC, "tha", tha),
	ARP(IPV4, "tpa", tip),
};
#else
static const struct flow_field arp_eth_ipv4[] = {
	BE(MAC, "sha", arp_eth_ipv4, sha),
	BE(IPV4, "spa", arp_eth_ipv4, spa),
	BE(MAC, "tha", arp_eth_ipv4, tha),
	BE(IPV4, "tpa", arp_eth_ipv4, tpa),
};
#endif

static const struct flow_field ipv6_ext[] = {
	BE(UINT, "next_hdr", ipv6_ext, next_hdr),
};

static const struct flow_field ipv6_frag_ext[] = {
	HOST(UINT, "next_hdr", ipv6_frag_ext, hdr.next_header),
	BE(UINT, "frag_data", ipv6_frag_ext, hdr.frag_data),
	BE(UINT, "packet_id", ipv6_frag_ext, hdr.id),
};

static const struct flow_field icmp6[] = {
	BE(UINT, "type", icmp6, type),
	BE(UINT, "code", icmp6, code),
};

static const struct flow_field icmp6_nd_ns[] = {
	BE(IPV6, "target_addr", icmp6_nd_ns, target_addr),
};

static const struct flow_field icmp6_nd_na[] = {
	BE(IPV6, "target_addr", icmp6_nd_na, target_addr),
};

static const struct flow_field icmp6_nd_opt[] = {
	BE(UINT, "type", icmp6_nd_opt, type),
};

static const struct flow_field icmp6_nd_opt_sla_eth[] = {
	BE(MAC, "sla", icmp6_nd_opt_sla_eth, sla),
};

static const struct flow_field icmp6_nd_opt_tla_eth[] = {
	BE(MAC, "tla", icmp6_nd_opt_tla_eth, tla),
};

static const struct flow_field meta[] = {
	HOST(UINT, "data", meta, data),
};

static const struct flow_field gre_key[] = {
	WHOLE("value", rte_be32_t),
};

static const struct flow_field gre_option[] = {
	BE(UINT, "checksum", gre_opt, checksum_rsvd.checksum),
	BE(UINT, "key", gre_opt, key.key),
	BE(UINT, "sequence", gre_opt, sequence.sequence),
};

static const struct flow_field gtp_psc[] = {
	PART(UINT, "qfi", gtp_psc, hdr.qfi, (1 << 6) - 1),
	PART(UINT, "pdu_t", gtp_psc, hdr.type, (1 << 4) - 1),
};

static const struct flow_field pppoes[] = {
	BE(UINT, "seid", pppoe, session_id),
};

static const struct flow_field pppoed[] = {
	BE(UINT, "seid", pppoe, session_id),
};

static const struct flow_field pppoe_proto_id[] = {
	BE(UINT, "", pppoe_proto_id, proto_id),
};

static const struct flow_field higig2[] = {
	BE(UINT, "classification", higig2_hdr, hdr.ppt1.classification),
	BE(UINT, "vid", higig2_hdr, hdr.ppt1.vid),
};

static const struct flow_field tag[] = {
	HOST(UINT, "data", tag, data),
	HOST(UINT, "index", tag, index),
};

static const struct flow_field l2tpv3oip[] = {
	BE(UINT, "session_id", l2tpv3oip, session_id),
};

static const struct flow_field esp[] = {
	BE(UINT, "spi", esp, hdr.spi),
};

static const struct flow_field ah[] = {
	BE(UINT, "spi", ah, spi),
};

static const struct flow_field pfcp[] = {
	BE(UINT, "s_field", pfcp, s_field),
	BE(UINT, "seid", pfcp, seid),
};

static const struct flow_field geneve_opt[] = {
	BE(UINT, "class", geneve_opt, option_class),
	HOST(UINT, "type", geneve_opt, option_type),
	MOST(UINT, "length", geneve_opt, option_len, 31),
	ROOM(HEX, "data", geneve_opt, data),
};

static const struct flow_field integrity[] = {
	HOST(UINT, "level", integrity, level),
	HOST(UINT, "value", integrity, value),
};

static const struct flow_field port_representor[] = {
	HOST(UINT, "port_id", ethdev, port_id),
};

static const struct flow_field represented_port[] = {
	HOST(UINT, "ethdev_port_id", ethdev, port_id),
};

static const struct flow_field ppp[] = {
	HOST(UINT, "addr", ppp, hdr.addr),
	HOST(UINT, "ctrl", ppp, hdr.ctrl),
	HOST(UINT, "proto_id", ppp, hdr.proto_id),
};

static const struct flow_field meter[] = {
	HOST(COLOR, "color", meter_color, color),
};

static const struct flow_field conntrack[] = {
	HOST(UINT, "", conntrack, flags),
};

static const struct flow_field flex[] = {
	HANDLE("item", flex, handle, FLOW_FLEX_ITEM),
	{ .name = "pattern", .kind = FLOW_PRESET },
};

/* Mask of the message type in the common header. */
#define ECPRI_TYPE "\x00\xff\x00\x00"

static const struct flow_field ecpri_iq_data[] = {
	BE(UINT, "pc_id", ecpri, hdr.type0.pc_id),
};

static const struct flow_field ecpri_rtc_ctrl[] = {
	BE(UINT, "rtc_id", ecpri, hdr.type2.rtc_id),
};

static const struct flow_field ecpri_delay_measure[] = {
	BE(UINT, "msr_id", ecpri, hdr.type5.msr_id),
};

static const struct flow_field ecpri_type[] = {
	SETS("iq_data", ecpri, hdr.common.u32, ECPRI_TYPE, RTE_ECPRI_MSG_TYPE_IQ_DATA,
		ecpri_iq_data),
	SETS("rtc_ctrl", ecpri, hdr.common.u32, ECPRI_TYPE, RTE_ECPRI_MSG_TYPE_RTC_CTRL,
		ecpri_rtc_ctrl),
	SETS("delay_measure", ecpri, hdr.common.u32, ECPRI_TYPE, RTE_ECPRI_MSG_TYPE_DLY_MSR,
		ecpri_delay_measure),
};

static const struct flow_field ecpri_common[] = {
	BRINGS("type", ecpri_type),
};

static const struct flow_field ecpri[] = {
	BRINGS("common", ecpri_common),
};

/* The flags of a message determine the offsets of its fields. */
static const struct flow_field l2tpv2_data[] = {
	BE(UINT, "tunnel_id", l2tpv2, hdr.type7.tunnel_id),
	BE(UINT, "session_id", l2tpv2, hdr.type7.session_id),
};

static const struct flow_field l2tpv2_data_l[] = {
	BE(UINT, "length", l2tpv2, hdr.type6.length),
	BE(UINT, "tunnel_id", l2tpv2, hdr.type6.tunnel_id),
	BE(UINT, "session_id", l2tpv2, hdr.type6.session_id),
};

static const struct flow_field l2tpv2_data_s[] = {
	BE(UINT, "tunnel_id", l2tpv2, hdr.type5.tunnel_id),
	BE(UINT, "session_id", l2tpv2, hdr.type5.session_id),
	BE(UINT, "ns", l2tpv2, hdr.type5.ns),
	BE(UINT, "nr", l2tpv2, hdr.type5.nr),
};

static const struct flow_field l2tpv2_data_o[] = {
	BE(UINT, "tunnel_id", l2tpv2, hdr.type4.tunnel_id),
	BE(UINT, "session_id", l2tpv2, hdr.type4.session_id),
	BE(UINT, "offset_size", l2tpv2, hdr.type4.offset_size),
};

/* Messages with a length and sequence numbers; control messages have both. */
static const struct flow_field l2tpv2_data_l_s[] = {
	BE(UINT, "length", l2tpv2, hdr.type3.length),
	BE(UINT, "tunnel_id", l2tpv2, hdr.type3.tunnel_id),
	BE(UINT, "session_id", l2tpv2, hdr.type3.session_id),
	BE(UINT, "ns", l2tpv2, hdr.type3.ns),
	BE(UINT, "nr", l2tpv2, hdr.type3.nr),
};

#define L2TPV2(name_, flags, fields_) \
	SETS(name_, l2tpv2, hdr.common.flags_version, "\xff\xff", RTE_L2TPV2_MSG_TYPE_##flags, \
		fields_)

static const struct flow_field l2tpv2_type[] = {
	L2TPV2("data", DATA, l2tpv2_data),
	L2TPV2("data_l", DATA_L, l2tpv2_data_l),
	L2TPV2("data_s", DATA_S, l2tpv2_data_s),
	L2TPV2("data_o", DATA_O, l2tpv2_data_o),
	L2TPV2("data_l_s", DATA_L_S, l2tpv2_data_l_s),
	L2TPV2("control", CONTROL, l2tpv2_data_l_s),
};

static const struct flow_field l2tpv2[] = {
	BRINGS("type", l2tpv2_type),
};

#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
static const struct flow_field ipv6_routing_ext[] = {
	BE(UINT, "ext_type", ipv6_routing_ext, hdr.type),
	BE(UINT, "ext_next_hdr", ipv6_routing_ext, hdr.next_hdr),
	BE(UINT, "ext_seg_left", ipv6_routing_ext, hdr.segments_left),
};

static const struct flow_field icmp6_echo[] = {
	BE(UINT, "ident", icmp6_echo, hdr.identifier),
	BE(UINT, "seq", icmp6_echo, hdr.sequence),
};

static const char *const quota_states[] = { "pass", "block", NULL };

static const struct flow_field quota[] = {
	ONE_OF("quota_state", quota, state, quota_states),
};

static const struct flow_field aggr_affinity[] = {
	HOST(UINT, "affinity", aggr_affinity, affinity),
};
#endif

#if RTE_VERSION >= RTE_VERSION_NUM(23, 7, 0, 0)
static const struct flow_field tx_queue[] = {
	HOST(UINT, "tx_queue_value", tx_queue, tx_queue),
};

static const struct flow_field ib_bth[] = {
	BE(UINT, "opcode", ib_bth, hdr.opcode),
	BE(UINT, "pkey", ib_bth, hdr.pkey),
	BE(UINT, "dst_qp", ib_bth, hdr.dst_qp),
	BE(UINT, "psn", ib_bth, hdr.psn),
};
#endif

#if RTE_VERSION >= RTE_VERSION_NUM(23, 11, 0, 0)
static const struct flow_field ptype[] = {
	HOST(UINT, "packet_type", ptype, packet_type),
};
#endif

#if RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
static const struct flow_field random_value[] = {
	HOST(UINT, "value", random, value),
};

static const char *const compare_ops[] = { "eq", "ne", "lt", "le", "gt", "ge", NULL };

static const struct flow_field compare[] = {
	ONE_OF("op", compare, operation, compare_ops),
	ONE_OF("a_type", compare, a.field, flow_places),
	HOST(UINT, "a_level", compare, a.level),
	HOST(UINT, "a_tag_index", compare, a.tag_index),
	HOST(UINT, "a_type_id", compare, a.type),
	BE(UINT, "a_class", compare, a.class_id),
	HOST(UINT, "a_offset", compare, a.offset),
	ONE_OF("b_type", compare, b.field, flow_places),
	HOST(UINT, "b_level", compare, b.level),
	HOST(UINT, "b_tag_index", compare, b.tag_index),
	HOST(UINT, "b_type_id", compare, b.type),
	BE(UINT, "b_class", compare, b.class_id),
	HOST(UINT, "b_offset", compare, b.offset),
	INSIDE("b_value", compare, b.value),
	ROOM(HEX, "b_ptr", compare, b.pvalue),
	HOST(UINT, "width", compare, width),
};
#endif

/* An item without fields, but with a struct. */
#define BARE(name_, type_, bytes_) \
	{ \
		.name = name_, .type = TYPE(type_), .bytes = bytes_ \
	}

const struct flow_part flow_items[] = {
	PLAIN("void", VOID),
	PLAIN("invert", INVERT),
	FIELDS("any", ANY, sizeof(struct rte_flow_item_any), any, 0),
	FIELDS("port_id", PORT_ID, sizeof(struct rte_flow_item_port_id), port_id, 0),
	FIELDS("mark", MARK, sizeof(struct rte_flow_item_mark), mark, 0),
	FIELDS("raw", RAW, sizeof(struct rte_flow_item_raw), raw, RAW_ROOM),
	FIELDS("eth", ETH, sizeof(struct rte_flow_item_eth), eth, 0),
	FIELDS("vlan", VLAN, sizeof(struct rte_flow_item_vlan), vlan, 0),
	FIELDS("ipv4", IPV4, sizeof(struct rte_flow_item_ipv4), ipv4, 0),
	FIELDS("ipv6", IPV6, sizeof(struct rte_flow_item_ipv6), ipv6, 0),
	FIELDS("icmp", ICMP, sizeof(struct rte_flow_item_icmp), icmp, 0),
	FIELDS("udp", UDP, sizeof(struct rte_flow_item_udp), udp, 0),
	FIELDS("tcp", TCP, sizeof(struct rte_flow_item_tcp), tcp, 0),
	FIELDS("sctp", SCTP, sizeof(struct rte_flow_item_sctp), sctp, 0),
	FIELDS("vxlan", VXLAN, sizeof(struct rte_flow_item_vxlan), vxlan, 0),
	FIELDS("e_tag", E_TAG, sizeof(struct rte_flow_item_e_tag), e_tag, 0),
	FIELDS("nvgre", NVGRE, sizeof(struct rte_flow_item_nvgre), nvgre, 0),
	FIELDS("mpls", MPLS, sizeof(struct rte_flow_item_mpls), mpls, 0),
	FIELDS("gre", GRE, sizeof(struct rte_flow_item_gre), gre, 0),
	FIELDS("fuzzy", FUZZY, sizeof(struct rte_flow_item_fuzzy), fuzzy, 0),
	FIELDS("gtp", GTP, sizeof(struct rte_flow_item_gtp), gtp, 0),
	FIELDS("gtpc", GTPC, sizeof(struct rte_flow_item_gtp), gtpc, 0),
	FIELDS("gtpu", GTPU, sizeof(struct rte_flow_item_gtp), gtpu, 0),
	FIELDS("geneve", GENEVE, sizeof(struct rte_flow_item_geneve), geneve, 0),
	FIELDS("vxlan-gpe", VXLAN_GPE, sizeof(struct rte_flow_item_vxlan_gpe), vxlan_gpe, 0),
	FIELDS("arp_eth_ipv4", ARP_ETH_IPV4, sizeof(struct rte_flow_item_arp_eth_ipv4),
		arp_eth_ipv4, 0),
	FIELDS("ipv6_ext", IPV6_EXT, sizeof(struct rte_flow_item_ipv6_ext), ipv6_ext, 0),
	FIELDS("ipv6_frag_ext", IPV6_FRAG_EXT, sizeof(struct rte_flow_item_ipv6_frag_ext),
		ipv6_frag_ext, 0),
	FIELDS("icmp6", ICMP6, sizeof(struct rte_flow_item_icmp6), icmp6, 0),
	FIELDS("icmp6_nd_ns", ICMP6_ND_NS, sizeof(struct rte_flow_item_icmp6_nd_ns), icmp6_nd_ns,
		0),
	FIELDS("icmp6_nd_na", ICMP6_ND_NA, sizeof(struct rte_flow_item_icmp6_nd_na), icmp6_nd_na,
		0),
	FIELDS("icmp6_nd_opt", ICMP6_ND_OPT, sizeof(struct rte_flow_item_icmp6_nd_opt),
		icmp6_nd_opt, 0),
	FIELDS("icmp6_nd_opt_sla_eth", ICMP6_ND_OPT_SLA_ETH,
		sizeof(struct rte_flow_item_icmp6_nd_opt_sla_eth), icmp6_nd_opt_sla_eth, 0),
	FIELDS("icmp6_nd_opt_tla_eth", ICMP6_ND_OPT_TLA_ETH,
		sizeof(struct rte_flow_item_icmp6_nd_opt_tla_eth), icmp6_nd_opt_tla_eth, 0),
	FIELDS("meta", META, sizeof(struct rte_flow_item_meta), meta, 0),
	FIELDS("gre_key", GRE_KEY, sizeof(rte_be32_t), gre_key, 0),
	FIELDS("gre_option", GRE_OPTION, sizeof(struct rte_flow_item_gre_opt), gre_option, 0),
	FIELDS("gtp_psc", GTP_PSC, sizeof(struct rte_flow_item_gtp_psc), gtp_psc, 0),
	FIELDS("pppoes", PPPOES, sizeof(struct rte_flow_item_pppoe), pppoes, 0),
	FIELDS("pppoed", PPPOED, sizeof(struct rte_flow_item_pppoe), pppoed, 0),
	FIELDS("pppoe_proto_id", PPPOE_PROTO_ID, sizeof(struct rte_flow_item_pppoe_proto_id),
		pppoe_proto_id, 0),
	FIELDS("higig2", HIGIG2, sizeof(struct rte_flow_item_higig2_hdr), higig2, 0),
	FIELDS("tag", TAG, sizeof(struct rte_flow_item_tag), tag, 0),
	FIELDS("l2tpv3oip", L2TPV3OIP, sizeof(struct rte_flow_item_l2tpv3oip), l2tpv3oip, 0),
	FIELDS("esp", ESP, sizeof(struct rte_flow_item_esp), esp, 0),
	FIELDS("ah", AH, sizeof(struct rte_flow_item_ah), ah, 0),
	FIELDS("pfcp", PFCP, sizeof(struct rte_flow_item_pfcp), pfcp, 0),
	FIELDS("ecpri", ECPRI, sizeof(struct rte_flow_item_ecpri), ecpri, 0),
	FIELDS("geneve-opt", GENEVE_OPT, sizeof(struct rte_flow_item_geneve_opt), geneve_opt,
		GENEVE_ROOM),
	FIELDS("integrity", INTEGRITY, sizeof(struct rte_flow_item_integrity), integrity, 0),
	FIELDS("conntrack", CONNTRACK, sizeof(struct rte_flow_item_conntrack), conntrack, 0),
	FIELDS("port_representor", PORT_REPRESENTOR, sizeof(struct rte_flow_item_ethdev),
		port_representor, 0),
	FIELDS("represented_port", REPRESENTED_PORT, sizeof(struct rte_flow_item_ethdev),
		represented_port, 0),
	FIELDS("flex", FLEX, sizeof(struct rte_flow_item_flex), flex, FLEX_ROOM),
	FIELDS("l2tpv2", L2TPV2, sizeof(struct rte_flow_item_l2tpv2), l2tpv2, 0),
	FIELDS("ppp", PPP, sizeof(struct rte_flow_item_ppp), ppp, 0),
	FIELDS("meter", METER_COLOR, sizeof(struct rte_flow_item_meter_color), meter, 0),
	BARE("nsh", NSH, sizeof(struct rte_flow_item_nsh)),
	SINCE_23_03("ipv6_routing_ext",
		FIELDS("ipv6_routing_ext", IPV6_ROUTING_EXT,
			sizeof(struct rte_flow_item_ipv6_routing_ext), ipv6_routing_ext, 0)),
	SINCE_23_03("icmp6_echo_request",
		FIELDS("icmp6_echo_request", ICMP6_ECHO_REQUEST,
			sizeof(struct rte_flow_item_icmp6_echo), icmp6_echo, 0)),
	SINCE_23_03("icmp6_echo_reply",
		FIELDS("icmp6_echo_reply", ICMP6_ECHO_REPLY,
			sizeof(struct rte_flow_item_icmp6_echo), icmp6_echo, 0)),
	SINCE_23_03("quota", FIELDS("quota", QUOTA, sizeof(struct rte_flow_item_quota), quota, 0)),
	SINCE_23_03("aggr_affinity",
		FIELDS("aggr_affinity", AGGR_AFFINITY, sizeof(struct rte_flow_item_aggr_affinity),
			aggr_affinity, 0)),
	SINCE_23_07("tx_queue",
		FIELDS("tx_queue", TX_QUEUE, sizeof(struct rte_flow_item_tx_queue), tx_queue, 0)),
	SINCE_23_07("ib_bth",
		FIELDS("ib_bth", IB_BTH, sizeof(struct rte_flow_item_ib_bth), ib_bth, 0)),
	SINCE_23_11("ptype", FIELDS("ptype", PTYPE, sizeof(struct rte_flow_item_ptype), ptype, 0)),
	SINCE_24_03("random",
		FIELDS("random", RANDOM, sizeof(struct rte_flow_item_random), random_value, 0)),
	SINCE_24_03("compare",
		FIELDS("compare", COMPARE, sizeof(struct rte_flow_item_compare), compare,
			VALUE_ROOM)),
};
const size_t flow_items_n = ARRAY_SIZE(flow_items);
