/* What set commands prepare for items and actions of flow rules, by number. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_ether.h>
#include <rte_flow.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct flow_rule;

enum {
	FLOW_PRESETS = 8,         /* of headers, and of lists of actions */
	FLOW_HEADERS_BYTES = 512, /* of headers, all together */
	FLOW_PATTERNS = 64,       /* of flex items */
	FLOW_PATTERN_BYTES = 64
};

/* Headers as they stand in packets. */
struct flow_headers {
	uint8_t data[FLOW_HEADERS_BYTES];
	size_t bytes;
};

/* Tunnels, each with one outer header. */
enum flow_tunnel {
	FLOW_VXLAN,
	FLOW_NVGRE,
	FLOW_L2_ENCAP,
	FLOW_L2_DECAP,
	FLOW_MPLSOGRE_ENCAP,
	FLOW_MPLSOGRE_DECAP,
	FLOW_MPLSOUDP_ENCAP,
	FLOW_MPLSOUDP_DECAP,
	FLOW_TUNNELS
};

/* The header before what is in a tunnel; numbers and addresses in network order. */
struct flow_outer {
	bool v6, vlan, tos_ttl; /* which of the others count */
	uint8_t id[3];          /* VNI, TNI; a label in the upper 20 bits */
	rte_be16_t udp_src, udp_dst, tci;
	uint8_t tos, ttl;
	uint8_t src[16], dst[16]; /* of IPv4 the first four bytes */
	struct rte_ether_addr eth_src, eth_dst;
};

/* Of a flex item. */
struct flow_pattern {
	uint8_t spec[FLOW_PATTERN_BYTES], mask[FLOW_PATTERN_BYTES];
	uint32_t bytes;
};

struct flow_presets {
	struct flow_headers encap[FLOW_PRESETS], decap[FLOW_PRESETS];
	struct flow_rule *sample[FLOW_PRESETS]; /* its actions; NULL: none */
	struct flow_outer outer[FLOW_TUNNELS];
	struct flow_pattern pattern[FLOW_PATTERNS];
	struct rte_flow_action_conntrack conntrack;
};

/* What a program begins with, zeroed before. Thread: control, all of this file. */
void flow_presets_default(struct flow_presets *p);
void flow_presets_free(struct flow_presets *p);
