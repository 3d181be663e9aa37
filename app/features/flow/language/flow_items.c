/* Table of pattern items and their fields, with testpmd's names, which can differ from
 * rte_flow's. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/flow/language/flow_items.h"

#include "base/base.h"
#include "features/flow/language/flow_part.h"
#include "features/flow/language/flow_presets.h"

#include <rte_flow.h>

enum {
	RAW_ROOM = 512,
	GENEVE_ROOM = 124,
	FLEX_ROOM = FLOW_PATTERN_BYTES,
	VALUE_ROOM = 32
}; /* bytes reserved after the structs */

#define STRUCT(s) struct rte_flow_item_##s
#define TYPE(type) RTE_FLOW_ITEM_TYPE_##type
#include "features/flow/language/flow_fields.h"

#define ITEM(s, type_, ...) FIELDS(#s, type_, s, 0, __VA_ARGS__)

/* Items that differ in their names alone. */
#define GTP(name_, type_) \
	FIELDS(name_, type_, gtp, 0, HOST(UINT, "v_pt_rsv_flags", gtp, v_pt_rsv_flags), \
		HOST(UINT, "msg_type", gtp, msg_type), BE(UINT, "teid", gtp, teid))
#define PPPOE(name_, type_) FIELDS(name_, type_, pppoe, 0, BE(UINT, "seid", pppoe, session_id))
#define ICMP6_ECHO(name_, type_) \
	FIELDS(name_, type_, icmp6_echo, 0, BE(UINT, "ident", icmp6_echo, hdr.identifier), \
		BE(UINT, "seq", icmp6_echo, hdr.sequence))

/* Since 23.03 drivers read the packed header; the old members still exist at other offsets. */
#define ARP(kind, was, end) BE(kind, #was, arp_eth_ipv4, SINCE_23_03(was, hdr.arp_data.arp_##end))

/* The type of a message, in the common header, determines its fields. */
#define ECPRI(name_, type_, ...) \
	SETS(name_, ecpri, hdr.common.u32, "\x00\xff\x00\x00", RTE_ECPRI_MSG_TYPE_##type_, \
		__VA_ARGS__)

/* The flags of a message determine the offsets of its fields. */
#define L2TPV2(name_, flags, ...) \
	SETS(name_, l2tpv2, hdr.common.flags_version, "\xff\xff", RTE_L2TPV2_MSG_TYPE_##flags, \
		__VA_ARGS__)
#define LENGTH(layout) BE(UINT, "length", l2tpv2, hdr.layout.length)
#define IDS(layout) \
	BE(UINT, "tunnel_id", l2tpv2, hdr.layout.tunnel_id), \
		BE(UINT, "session_id", l2tpv2, hdr.layout.session_id)
#define SEQUENCE(layout) \
	BE(UINT, "ns", l2tpv2, hdr.layout.ns), BE(UINT, "nr", l2tpv2, hdr.layout.nr)

const struct flow_part flow_items[] = {
	PLAIN("void", VOID),
	PLAIN("invert", INVERT),
	ITEM(any, ANY, HOST(UINT, "num", any, num)),
	ITEM(port_id, PORT_ID, HOST(UINT, "id", port_id, id)),
	ITEM(mark, MARK, HOST(UINT, "id", mark, id)),
	FIELDS("raw", RAW, raw, RAW_ROOM, PART(BOOL, "relative", raw, relative, 1),
		PART(BOOL, "search", raw, search, 1), HOST(INT, "offset", raw, offset),
		HOST(UINT, "limit", raw, limit), BYTES(STRING, "pattern", raw, pattern, length),
		BYTES(HEX, "pattern_hex", raw, pattern, length)),
	ITEM(eth, ETH, BE(MAC, "dst", eth, dst), BE(MAC, "src", eth, src),
		BE(UINT, "type", eth, type), PART(UINT, "has_vlan", eth, has_vlan, 1)),
	ITEM(vlan, VLAN, BE(UINT, "tci", vlan, tci), BITS(UINT, "pcp", vlan, tci, "\xe0\x00"),
		BITS(UINT, "dei", vlan, tci, "\x10\x00"), BITS(UINT, "vid", vlan, tci, "\x0f\xff"),
		BE(UINT, "inner_type", vlan, inner_type),
		PART(UINT, "has_more_vlan", vlan, has_more_vlan, 1)),
	ITEM(ipv4, IPV4, HOST(UINT, "version_ihl", ipv4, hdr.version_ihl),
		BE(UINT, "tos", ipv4, hdr.type_of_service),
		BE(UINT, "length", ipv4, hdr.total_length),
		BE(UINT, "packet_id", ipv4, hdr.packet_id),
		BE(UINT, "fragment_offset", ipv4, hdr.fragment_offset),
		BE(UINT, "ttl", ipv4, hdr.time_to_live), BE(UINT, "proto", ipv4, hdr.next_proto_id),
		BE(IPV4, "src", ipv4, hdr.src_addr), BE(IPV4, "dst", ipv4, hdr.dst_addr)),
	ITEM(ipv6, IPV6, BITS(UINT, "tc", ipv6, hdr.vtc_flow, "\x0f\xf0\x00\x00"),
		BITS(UINT, "flow", ipv6, hdr.vtc_flow, "\x00\x0f\xff\xff"),
		BE(UINT, "length", ipv6, hdr.payload_len), BE(UINT, "proto", ipv6, hdr.proto),
		BE(UINT, "hop", ipv6, hdr.hop_limits), BE(IPV6, "src", ipv6, hdr.src_addr),
		BE(IPV6, "dst", ipv6, hdr.dst_addr),
		PART(UINT, "has_frag_ext", ipv6, has_frag_ext, 1)),
	ITEM(icmp, ICMP, BE(UINT, "type", icmp, hdr.icmp_type),
		BE(UINT, "code", icmp, hdr.icmp_code), BE(UINT, "ident", icmp, hdr.icmp_ident),
		BE(UINT, "seq", icmp, hdr.icmp_seq_nb)),
	ITEM(udp, UDP, BE(UINT, "src", udp, hdr.src_port), BE(UINT, "dst", udp, hdr.dst_port)),
	ITEM(tcp, TCP, BE(UINT, "src", tcp, hdr.src_port), BE(UINT, "dst", tcp, hdr.dst_port),
		BE(UINT, "flags", tcp, hdr.tcp_flags)),
	ITEM(sctp, SCTP, BE(UINT, "src", sctp, hdr.src_port), BE(UINT, "dst", sctp, hdr.dst_port),
		BE(UINT, "tag", sctp, hdr.tag), BE(UINT, "cksum", sctp, hdr.cksum)),
	ITEM(vxlan, VXLAN, BE(UINT, "vni", vxlan, vni), BITS(UINT, "flag_g", vxlan, flags, "\x80"),
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
		BE(UINT, "last_rsvd", vxlan, rsvd1)),
	ITEM(e_tag, E_TAG, BITS(UINT, "grp_ecid_b", e_tag, rsvd_grp_ecid_b, "\x3f\xff")),
	ITEM(nvgre, NVGRE, BE(UINT, "tni", nvgre, tni)),
	ITEM(mpls, MPLS, BITS(UINT, "label", mpls, label_tc_s, "\xff\xff\xf0"),
		BITS(UINT, "tc", mpls, label_tc_s, "\x00\x00\x0e"),
		BITS(UINT, "s", mpls, label_tc_s, "\x00\x00\x01"), BE(UINT, "ttl", mpls, ttl)),
	ITEM(gre, GRE, BE(UINT, "protocol", gre, protocol),
		BE(UINT, "c_rsvd0_ver", gre, c_rsvd0_ver),
		BITS(BOOL, "c_bit", gre, c_rsvd0_ver, "\x80\x00\x00\x00"),
		BITS(BOOL, "k_bit", gre, c_rsvd0_ver, "\x20\x00\x00\x00"),
		BITS(BOOL, "s_bit", gre, c_rsvd0_ver, "\x10\x00\x00\x00")),
	ITEM(fuzzy, FUZZY, HOST(UINT, "thresh", fuzzy, thresh)),
	GTP("gtp", GTP),
	GTP("gtpc", GTPC),
	GTP("gtpu", GTPU),
	ITEM(geneve, GENEVE, BE(UINT, "vni", geneve, vni), BE(UINT, "protocol", geneve, protocol),
		BITS(UINT, "optlen", geneve, ver_opt_len_o_c_rsvd0, "\x3f\x00")),
	FIELDS("vxlan-gpe", VXLAN_GPE, vxlan_gpe, 0, BE(UINT, "vni", vxlan_gpe, vni),
		BE(UINT, "protocol", vxlan_gpe, protocol), BE(UINT, "flags", vxlan_gpe, flags),
		BE(UINT, "rsvd0", vxlan_gpe, rsvd0), BE(UINT, "rsvd1", vxlan_gpe, rsvd1)),
	ITEM(arp_eth_ipv4, ARP_ETH_IPV4, ARP(MAC, sha, sha), ARP(IPV4, spa, sip),
		ARP(MAC, tha, tha), ARP(IPV4, tpa, tip)),
	ITEM(ipv6_ext, IPV6_EXT, BE(UINT, "next_hdr", ipv6_ext, next_hdr)),
	ITEM(ipv6_frag_ext, IPV6_FRAG_EXT, HOST(UINT, "next_hdr", ipv6_frag_ext, hdr.next_header),
		BE(UINT, "frag_data", ipv6_frag_ext, hdr.frag_data),
		BE(UINT, "packet_id", ipv6_frag_ext, hdr.id)),
	ITEM(icmp6, ICMP6, BE(UINT, "type", icmp6, type), BE(UINT, "code", icmp6, code)),
	ITEM(icmp6_nd_ns, ICMP6_ND_NS, BE(IPV6, "target_addr", icmp6_nd_ns, target_addr)),
	ITEM(icmp6_nd_na, ICMP6_ND_NA, BE(IPV6, "target_addr", icmp6_nd_na, target_addr)),
	ITEM(icmp6_nd_opt, ICMP6_ND_OPT, BE(UINT, "type", icmp6_nd_opt, type)),
	ITEM(icmp6_nd_opt_sla_eth, ICMP6_ND_OPT_SLA_ETH, BE(MAC, "sla", icmp6_nd_opt_sla_eth, sla)),
	ITEM(icmp6_nd_opt_tla_eth, ICMP6_ND_OPT_TLA_ETH, BE(MAC, "tla", icmp6_nd_opt_tla_eth, tla)),
	ITEM(meta, META, HOST(UINT, "data", meta, data)),
	NUMBER("gre_key", GRE_KEY),
	FIELDS("gre_option", GRE_OPTION, gre_opt, 0,
		BE(UINT, "checksum", gre_opt, checksum_rsvd.checksum),
		BE(UINT, "key", gre_opt, key.key),
		BE(UINT, "sequence", gre_opt, sequence.sequence)),
	ITEM(gtp_psc, GTP_PSC, PART(UINT, "qfi", gtp_psc, hdr.qfi, (1 << 6) - 1),
		PART(UINT, "pdu_t", gtp_psc, hdr.type, (1 << 4) - 1)),
	PPPOE("pppoes", PPPOES),
	PPPOE("pppoed", PPPOED),
	ITEM(pppoe_proto_id, PPPOE_PROTO_ID, BE(UINT, "", pppoe_proto_id, proto_id)),
	FIELDS("higig2", HIGIG2, higig2_hdr, 0,
		BE(UINT, "classification", higig2_hdr, hdr.ppt1.classification),
		BE(UINT, "vid", higig2_hdr, hdr.ppt1.vid)),
	ITEM(tag, TAG, HOST(UINT, "data", tag, data), HOST(UINT, "index", tag, index)),
	ITEM(l2tpv3oip, L2TPV3OIP, BE(UINT, "session_id", l2tpv3oip, session_id)),
	ITEM(esp, ESP, BE(UINT, "spi", esp, hdr.spi)),
	ITEM(ah, AH, BE(UINT, "spi", ah, spi)),
	ITEM(pfcp, PFCP, BE(UINT, "s_field", pfcp, s_field), BE(UINT, "seid", pfcp, seid)),
	ITEM(ecpri, ECPRI,
		BRINGS("common",
			BRINGS("type",
				ECPRI("iq_data", IQ_DATA,
					BE(UINT, "pc_id", ecpri, hdr.type0.pc_id)),
				ECPRI("rtc_ctrl", RTC_CTRL,
					BE(UINT, "rtc_id", ecpri, hdr.type2.rtc_id)),
				ECPRI("delay_measure", DLY_MSR,
					BE(UINT, "msr_id", ecpri, hdr.type5.msr_id))))),
	FIELDS("geneve-opt", GENEVE_OPT, geneve_opt, GENEVE_ROOM,
		BE(UINT, "class", geneve_opt, option_class),
		HOST(UINT, "type", geneve_opt, option_type),
		MOST(UINT, "length", geneve_opt, option_len, 31),
		ROOM(HEX, "data", geneve_opt, data)),
	ITEM(integrity, INTEGRITY, HOST(UINT, "level", integrity, level),
		HOST(UINT, "value", integrity, value)),
	ITEM(conntrack, CONNTRACK, HOST(UINT, "", conntrack, flags)),
	FIELDS("port_representor", PORT_REPRESENTOR, ethdev, 0,
		HOST(UINT, "port_id", ethdev, port_id)),
	FIELDS("represented_port", REPRESENTED_PORT, ethdev, 0,
		HOST(UINT, "ethdev_port_id", ethdev, port_id)),
	FIELDS("flex", FLEX, flex, FLEX_ROOM, HANDLE("item", flex, handle, FLOW_FLEX_ITEM),
		{ .name = "pattern", .kind = FLOW_PRESET }),
	ITEM(l2tpv2, L2TPV2,
		BRINGS("type", L2TPV2("data", DATA, IDS(type7)),
			L2TPV2("data_l", DATA_L, LENGTH(type6), IDS(type6)),
			L2TPV2("data_s", DATA_S, IDS(type5), SEQUENCE(type5)),
			L2TPV2("data_o", DATA_O, IDS(type4),
				BE(UINT, "offset_size", l2tpv2, hdr.type4.offset_size)),
			L2TPV2("data_l_s", DATA_L_S, LENGTH(type3), IDS(type3), SEQUENCE(type3)),
			L2TPV2("control", CONTROL, LENGTH(type3), IDS(type3), SEQUENCE(type3)))),
	ITEM(ppp, PPP, HOST(UINT, "addr", ppp, hdr.addr), HOST(UINT, "ctrl", ppp, hdr.ctrl),
		HOST(UINT, "proto_id", ppp, hdr.proto_id)),
	FIELDS("meter", METER_COLOR, meter_color, 0, HOST(COLOR, "color", meter_color, color)),
	BARE("nsh", NSH, nsh),
	SINCE(23, 03, "ipv6_routing_ext",
		ITEM(ipv6_routing_ext, IPV6_ROUTING_EXT,
			BE(UINT, "ext_type", ipv6_routing_ext, hdr.type),
			BE(UINT, "ext_next_hdr", ipv6_routing_ext, hdr.next_hdr),
			BE(UINT, "ext_seg_left", ipv6_routing_ext, hdr.segments_left))),
	SINCE(23, 03, "icmp6_echo_request", ICMP6_ECHO("icmp6_echo_request", ICMP6_ECHO_REQUEST)),
	SINCE(23, 03, "icmp6_echo_reply", ICMP6_ECHO("icmp6_echo_reply", ICMP6_ECHO_REPLY)),
	SINCE(23, 03, "quota",
		ITEM(quota, QUOTA, ONE_OF("quota_state", quota, state, CHOICES("pass", "block")))),
	SINCE(23, 03, "aggr_affinity",
		ITEM(aggr_affinity, AGGR_AFFINITY,
			HOST(UINT, "affinity", aggr_affinity, affinity))),
	SINCE(23, 07, "tx_queue",
		ITEM(tx_queue, TX_QUEUE, HOST(UINT, "tx_queue_value", tx_queue, tx_queue))),
	SINCE(23, 07, "ib_bth",
		ITEM(ib_bth, IB_BTH, BE(UINT, "opcode", ib_bth, hdr.opcode),
			BE(UINT, "pkey", ib_bth, hdr.pkey), BE(UINT, "dst_qp", ib_bth, hdr.dst_qp),
			BE(UINT, "psn", ib_bth, hdr.psn))),
	SINCE(23, 11, "ptype", ITEM(ptype, PTYPE, HOST(UINT, "packet_type", ptype, packet_type))),
	SINCE(24, 03, "random", ITEM(random, RANDOM, HOST(UINT, "value", random, value))),
	SINCE(24, 03, "compare",
		FIELDS("compare", COMPARE, compare, VALUE_ROOM,
			ONE_OF("op", compare, operation,
				CHOICES("eq", "ne", "lt", "le", "gt", "ge")),
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
			INSIDE("b_value", compare, b.value), ROOM(HEX, "b_ptr", compare, b.pvalue),
			HOST(UINT, "width", compare, width))),
};
const size_t flow_items_n = ARRAY_SIZE(flow_items);
