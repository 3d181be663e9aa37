/* Numbered presets for items and actions of flow rules, set by "set" commands. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_ether.h>
#include <rte_flow.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flow_rule;

enum {
	FLOW_PRESETS = 8,         /* presets of headers, and of lists of actions */
	FLOW_HEADERS_BYTES = 512, /* maximum length of all headers of a preset */
	FLOW_PATTERNS = 64,       /* patterns of flex items */
	FLOW_PATTERN_BYTES = 64
};

/* Packet headers as bytes. */
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

/* The outer header of a tunnel; numbers and addresses in network byte order. */
struct flow_outer {
	bool v6, vlan, tos_ttl; /* which of the other members are used */
	uint8_t id[3];          /* VNI, TNI; a label in the upper 20 bits */
	rte_be16_t udp_src, udp_dst, tci;
	uint8_t tos, ttl;
	uint8_t src[16], dst[16]; /* IPv4: the first four bytes */
	struct rte_ether_addr eth_src, eth_dst;
};

/* A pattern of a flex item. */
struct flow_pattern {
	uint8_t spec[FLOW_PATTERN_BYTES], mask[FLOW_PATTERN_BYTES];
	uint32_t bytes;
};

struct flow_presets {
	struct flow_headers encap[FLOW_PRESETS], decap[FLOW_PRESETS];
	struct flow_rule *sample[FLOW_PRESETS]; /* only its actions are used; NULL: none */
	struct flow_outer outer[FLOW_TUNNELS];
	struct flow_pattern pattern[FLOW_PATTERNS];
	struct rte_flow_action_conntrack conntrack;
};

/* Give presets that are all zero testpmd's defaults. Thread: control, for all of this file. */
void flow_presets_init(struct flow_presets *p);

/* Free what they contain. */
void flow_presets_clear(struct flow_presets *p);
