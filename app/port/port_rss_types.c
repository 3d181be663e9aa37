/* The types of packets that RSS tells apart, by testpmd's names. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_rss_types.h"

#include "base/base.h"
#include "base/out.h"

#include <rte_ethdev.h>

#include <stdio.h>
#include <string.h>

#define LINE_CHARS 64

/* Groups first, then single types: the order in which testpmd lists them. */
static const struct {
	const char *name;
	uint64_t types;
} names[] = {
	{ "all",
		RTE_ETH_RSS_ETH | RTE_ETH_RSS_VLAN | RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP |
			RTE_ETH_RSS_UDP | RTE_ETH_RSS_SCTP | RTE_ETH_RSS_L2_PAYLOAD |
			RTE_ETH_RSS_L2TPV3 | RTE_ETH_RSS_ESP | RTE_ETH_RSS_AH | RTE_ETH_RSS_PFCP |
			RTE_ETH_RSS_GTPU | RTE_ETH_RSS_ECPRI | RTE_ETH_RSS_MPLS |
			RTE_ETH_RSS_L2TPV2 },
	{ "none", 0 },
	{ "ip", RTE_ETH_RSS_IP },
	{ "udp", RTE_ETH_RSS_UDP },
	{ "tcp", RTE_ETH_RSS_TCP },
	{ "sctp", RTE_ETH_RSS_SCTP },
	{ "tunnel", RTE_ETH_RSS_TUNNEL },
	{ "vlan", RTE_ETH_RSS_VLAN },
	{ "ipv4", RTE_ETH_RSS_IPV4 },
	{ "ipv4-frag", RTE_ETH_RSS_FRAG_IPV4 },
	{ "ipv4-tcp", RTE_ETH_RSS_NONFRAG_IPV4_TCP },
	{ "ipv4-udp", RTE_ETH_RSS_NONFRAG_IPV4_UDP },
	{ "ipv4-sctp", RTE_ETH_RSS_NONFRAG_IPV4_SCTP },
	{ "ipv4-other", RTE_ETH_RSS_NONFRAG_IPV4_OTHER },
	{ "ipv6", RTE_ETH_RSS_IPV6 },
	{ "ipv6-frag", RTE_ETH_RSS_FRAG_IPV6 },
	{ "ipv6-tcp", RTE_ETH_RSS_NONFRAG_IPV6_TCP },
	{ "ipv6-udp", RTE_ETH_RSS_NONFRAG_IPV6_UDP },
	{ "ipv6-sctp", RTE_ETH_RSS_NONFRAG_IPV6_SCTP },
	{ "ipv6-other", RTE_ETH_RSS_NONFRAG_IPV6_OTHER },
	{ "l2-payload", RTE_ETH_RSS_L2_PAYLOAD },
	{ "ipv6-ex", RTE_ETH_RSS_IPV6_EX },
	{ "ipv6-tcp-ex", RTE_ETH_RSS_IPV6_TCP_EX },
	{ "ipv6-udp-ex", RTE_ETH_RSS_IPV6_UDP_EX },
	{ "port", RTE_ETH_RSS_PORT },
	{ "vxlan", RTE_ETH_RSS_VXLAN },
	{ "geneve", RTE_ETH_RSS_GENEVE },
	{ "nvgre", RTE_ETH_RSS_NVGRE },
	{ "gtpu", RTE_ETH_RSS_GTPU },
	{ "eth", RTE_ETH_RSS_ETH },
	{ "s-vlan", RTE_ETH_RSS_S_VLAN },
	{ "c-vlan", RTE_ETH_RSS_C_VLAN },
	{ "esp", RTE_ETH_RSS_ESP },
	{ "ah", RTE_ETH_RSS_AH },
	{ "l2tpv3", RTE_ETH_RSS_L2TPV3 },
	{ "pfcp", RTE_ETH_RSS_PFCP },
	{ "pppoe", RTE_ETH_RSS_PPPOE },
	{ "ecpri", RTE_ETH_RSS_ECPRI },
	{ "mpls", RTE_ETH_RSS_MPLS },
	{ "ipv4-chksum", RTE_ETH_RSS_IPV4_CHKSUM },
	{ "l4-chksum", RTE_ETH_RSS_L4_CHKSUM },
	{ "l2tpv2", RTE_ETH_RSS_L2TPV2 },
#ifdef RTE_ETH_RSS_IPV6_FLOW_LABEL /* 23.11 */
	{ "ipv6-flow-label", RTE_ETH_RSS_IPV6_FLOW_LABEL },
#endif
	{ "l3-pre96", RTE_ETH_RSS_L3_PRE96 },
	{ "l3-pre64", RTE_ETH_RSS_L3_PRE64 },
	{ "l3-pre56", RTE_ETH_RSS_L3_PRE56 },
	{ "l3-pre48", RTE_ETH_RSS_L3_PRE48 },
	{ "l3-pre40", RTE_ETH_RSS_L3_PRE40 },
	{ "l3-pre32", RTE_ETH_RSS_L3_PRE32 },
	{ "l2-dst-only", RTE_ETH_RSS_L2_DST_ONLY },
	{ "l2-src-only", RTE_ETH_RSS_L2_SRC_ONLY },
	{ "l4-dst-only", RTE_ETH_RSS_L4_DST_ONLY },
	{ "l4-src-only", RTE_ETH_RSS_L4_SRC_ONLY },
	{ "l3-dst-only", RTE_ETH_RSS_L3_DST_ONLY },
	{ "l3-src-only", RTE_ETH_RSS_L3_SRC_ONLY },
};

const char *
port_rss_name(uint64_t types)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].types == types)
			return names[i].name;
	return NULL;
}

bool
port_rss_find(const char *name, uint64_t *types)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(names[i].name, name) == 0) {
			*types = names[i].types;
			return true;
		}
	return false;
}

const char *
port_rss_name_at(unsigned int n)
{
	return n < ARRAY_SIZE(names) ? names[n].name : NULL;
}

/* Show one more name, on a new line if the line would reach column chars; in JSON in the array. */
static void
name_show(struct out *o, const char *name, size_t chars, size_t *column)
{
	size_t n = strlen(name) + 2;

	if (*column + n >= chars) {
		*column = 0;
		out_text(o, "\n");
	}
	out_str(o, "", "  %s", name);
	*column += n;
}

void
port_rss_bits_show(struct out *o, const char *key, uint64_t types)
{
	size_t column = 0;
	char number[32];
	unsigned int bit;

	out_nest(o, key, OUT_ARRAY);
	for (bit = 0; bit < 64; bit++) {
		const char *name = port_rss_name(RTE_BIT64(bit));

		if ((types & RTE_BIT64(bit)) == 0)
			continue;
		if (name == NULL) {
			snprintf(number, sizeof(number), "user-defined-%u", bit);
			name = number;
		}
		name_show(o, name, LINE_CHARS, &column);
	}
	out_unnest(o);
	out_text(o, "\n");
}

void
port_rss_groups_show(struct out *o, const char *key, uint64_t types)
{
	size_t column = 0;
	unsigned int i;

	out_nest(o, key, OUT_ARRAY);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].types != 0 && (types & names[i].types) == names[i].types)
			name_show(o, names[i].name, LINE_CHARS + 1, &column);
	out_unnest(o);
	out_text(o, "\n");
}
