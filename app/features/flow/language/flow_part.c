/* testpmd's names of the locations that actions read and write. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/flow/language/flow_part.h"

#include "compat.h"

#include <rte_flow.h>

#include <stddef.h>

const char *const flow_places[] = {
	[RTE_FLOW_FIELD_START] = "start",
	[RTE_FLOW_FIELD_MAC_DST] = "mac_dst",
	[RTE_FLOW_FIELD_MAC_SRC] = "mac_src",
	[RTE_FLOW_FIELD_VLAN_TYPE] = "vlan_type",
	[RTE_FLOW_FIELD_VLAN_ID] = "vlan_id",
	[RTE_FLOW_FIELD_MAC_TYPE] = "mac_type",
	[RTE_FLOW_FIELD_IPV4_DSCP] = "ipv4_dscp",
	[RTE_FLOW_FIELD_IPV4_TTL] = "ipv4_ttl",
	[RTE_FLOW_FIELD_IPV4_SRC] = "ipv4_src",
	[RTE_FLOW_FIELD_IPV4_DST] = "ipv4_dst",
	[RTE_FLOW_FIELD_IPV6_DSCP] = "ipv6_dscp",
	[RTE_FLOW_FIELD_IPV6_HOPLIMIT] = "ipv6_hoplimit",
	[RTE_FLOW_FIELD_IPV6_SRC] = "ipv6_src",
	[RTE_FLOW_FIELD_IPV6_DST] = "ipv6_dst",
	[RTE_FLOW_FIELD_TCP_PORT_SRC] = "tcp_port_src",
	[RTE_FLOW_FIELD_TCP_PORT_DST] = "tcp_port_dst",
	[RTE_FLOW_FIELD_TCP_SEQ_NUM] = "tcp_seq_num",
	[RTE_FLOW_FIELD_TCP_ACK_NUM] = "tcp_ack_num",
	[RTE_FLOW_FIELD_TCP_FLAGS] = "tcp_flags",
	[RTE_FLOW_FIELD_UDP_PORT_SRC] = "udp_port_src",
	[RTE_FLOW_FIELD_UDP_PORT_DST] = "udp_port_dst",
	[RTE_FLOW_FIELD_VXLAN_VNI] = "vxlan_vni",
	[RTE_FLOW_FIELD_GENEVE_VNI] = "geneve_vni",
	[RTE_FLOW_FIELD_GTP_TEID] = "gtp_teid",
	[RTE_FLOW_FIELD_TAG] = "tag",
	[RTE_FLOW_FIELD_MARK] = "mark",
	[RTE_FLOW_FIELD_META] = "meta",
	[RTE_FLOW_FIELD_POINTER] = "pointer",
	[RTE_FLOW_FIELD_VALUE] = "value",
	[RTE_FLOW_FIELD_IPV4_ECN] = "ipv4_ecn",
	[RTE_FLOW_FIELD_IPV6_ECN] = "ipv6_ecn",
	[RTE_FLOW_FIELD_GTP_PSC_QFI] = "gtp_psc_qfi",
	[RTE_FLOW_FIELD_METER_COLOR] = "meter_color",
	/* With an older DPDK the list ends with more than one NULL. */
	SINCE_23_03(NULL, [RTE_FLOW_FIELD_IPV6_PROTO] = "ipv6_proto",
		[RTE_FLOW_FIELD_FLEX_ITEM] = "flex_item",
		[RTE_FLOW_FIELD_HASH_RESULT] = "hash_result"),
	SINCE_23_07(NULL, [RTE_FLOW_FIELD_GENEVE_OPT_TYPE] = "geneve_opt_type",
		[RTE_FLOW_FIELD_GENEVE_OPT_CLASS] = "geneve_opt_class",
		[RTE_FLOW_FIELD_GENEVE_OPT_DATA] = "geneve_opt_data",
		[RTE_FLOW_FIELD_MPLS] = "mpls"),
	SINCE_23_11(NULL, [RTE_FLOW_FIELD_TCP_DATA_OFFSET] = "tcp_data_off",
		[RTE_FLOW_FIELD_IPV4_IHL] = "ipv4_ihl",
		[RTE_FLOW_FIELD_IPV4_TOTAL_LEN] = "ipv4_total_len",
		[RTE_FLOW_FIELD_IPV6_PAYLOAD_LEN] = "ipv6_payload_len"),
	SINCE_24_03(NULL, [RTE_FLOW_FIELD_IPV4_PROTO] = "ipv4_proto",
		[RTE_FLOW_FIELD_IPV6_FLOW_LABEL] = "ipv6_flow_label",
		[RTE_FLOW_FIELD_IPV6_TRAFFIC_CLASS] = "ipv6_traffic_class",
		[RTE_FLOW_FIELD_ESP_SPI] = "esp_spi", [RTE_FLOW_FIELD_ESP_SEQ_NUM] = "esp_seq_num",
		[RTE_FLOW_FIELD_ESP_PROTO] = "esp_proto", [RTE_FLOW_FIELD_RANDOM] = "random"),
	SINCE_24_07(NULL, [RTE_FLOW_FIELD_VXLAN_LAST_RSVD] = "vxlan_last_rsvd"),
	NULL,
};
