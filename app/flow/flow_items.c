/* Items of patterns, as testpmd names them and their fields: what testpmd calls a field need not be its
 * name in rte_flow. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow/flow_items.h"

#include "base/base.h"

#include <rte_flow.h>

enum { RAW_ROOM = 512, GENEVE_ROOM = 124 }; /* bytes behind the structs */

#define STRUCT(s) struct rte_flow_item_##s
#include "flow/flow_fields.h"

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
};

static const struct flow_field arp_eth_ipv4[] = {
	BE(MAC, "sha", arp_eth_ipv4, sha),
	BE(IPV4, "spa", arp_eth_ipv4, spa),
	BE(MAC, "tha", arp_eth_ipv4, tha),
	BE(IPV4, "tpa", arp_eth_ipv4, tpa),
};

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

#define PLAIN(name_, type_) \
	{ \
		.name = name_, .type = RTE_FLOW_ITEM_TYPE_##type_ \
	}
#define FIELDS(name_, type_, bytes_, fields_, room_) \
	{ \
		.name = name_, .type = RTE_FLOW_ITEM_TYPE_##type_, .bytes = bytes_, .room = room_, \
		.fields = fields_, .n = ARRAY_SIZE(fields_) \
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
	FIELDS("geneve-opt", GENEVE_OPT, sizeof(struct rte_flow_item_geneve_opt), geneve_opt,
		GENEVE_ROOM),
	FIELDS("integrity", INTEGRITY, sizeof(struct rte_flow_item_integrity), integrity, 0),
	FIELDS("port_representor", PORT_REPRESENTOR, sizeof(struct rte_flow_item_ethdev),
		port_representor, 0),
	FIELDS("represented_port", REPRESENTED_PORT, sizeof(struct rte_flow_item_ethdev),
		represented_port, 0),
	FIELDS("ppp", PPP, sizeof(struct rte_flow_item_ppp), ppp, 0),
	FIELDS("meter", METER_COLOR, sizeof(struct rte_flow_item_meter_color), meter, 0),
};
const size_t flow_items_n = ARRAY_SIZE(flow_items);
