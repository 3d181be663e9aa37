/* Before libethdev: a port that takes every flow rule and writes down, byte by byte, what it got, into
 * the file that FLOW_LOG names. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_flow.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the structs; what has pointers is written by itself. */
#define ITEM(type, of) [RTE_FLOW_ITEM_TYPE_##type] = sizeof(of)
#define ACTION(type, of) [RTE_FLOW_ACTION_TYPE_##type] = sizeof(of)

static const size_t items[] = {
	ITEM(ANY, struct rte_flow_item_any),
	ITEM(PORT_ID, struct rte_flow_item_port_id),
	ITEM(MARK, struct rte_flow_item_mark),
	ITEM(ETH, struct rte_flow_item_eth),
	ITEM(VLAN, struct rte_flow_item_vlan),
	ITEM(IPV4, struct rte_flow_item_ipv4),
	ITEM(IPV6, struct rte_flow_item_ipv6),
	ITEM(ICMP, struct rte_flow_item_icmp),
	ITEM(UDP, struct rte_flow_item_udp),
	ITEM(TCP, struct rte_flow_item_tcp),
	ITEM(SCTP, struct rte_flow_item_sctp),
	ITEM(VXLAN, struct rte_flow_item_vxlan),
	ITEM(E_TAG, struct rte_flow_item_e_tag),
	ITEM(NVGRE, struct rte_flow_item_nvgre),
	ITEM(MPLS, struct rte_flow_item_mpls),
	ITEM(GRE, struct rte_flow_item_gre),
	ITEM(FUZZY, struct rte_flow_item_fuzzy),
	ITEM(GTP, struct rte_flow_item_gtp),
	ITEM(GTPC, struct rte_flow_item_gtp),
	ITEM(GTPU, struct rte_flow_item_gtp),
	ITEM(GENEVE, struct rte_flow_item_geneve),
	ITEM(VXLAN_GPE, struct rte_flow_item_vxlan_gpe),
	ITEM(ARP_ETH_IPV4, struct rte_flow_item_arp_eth_ipv4),
	ITEM(IPV6_EXT, struct rte_flow_item_ipv6_ext),
	ITEM(IPV6_FRAG_EXT, struct rte_flow_item_ipv6_frag_ext),
	ITEM(ICMP6, struct rte_flow_item_icmp6),
	ITEM(ICMP6_ND_NS, struct rte_flow_item_icmp6_nd_ns),
	ITEM(ICMP6_ND_NA, struct rte_flow_item_icmp6_nd_na),
	ITEM(ICMP6_ND_OPT, struct rte_flow_item_icmp6_nd_opt),
	ITEM(ICMP6_ND_OPT_SLA_ETH, struct rte_flow_item_icmp6_nd_opt_sla_eth),
	ITEM(ICMP6_ND_OPT_TLA_ETH, struct rte_flow_item_icmp6_nd_opt_tla_eth),
	ITEM(META, struct rte_flow_item_meta),
	ITEM(GRE_KEY, rte_be32_t),
	ITEM(GRE_OPTION, struct rte_flow_item_gre_opt),
	ITEM(GTP_PSC, struct rte_flow_item_gtp_psc),
	ITEM(PPPOES, struct rte_flow_item_pppoe),
	ITEM(PPPOED, struct rte_flow_item_pppoe),
	ITEM(PPPOE_PROTO_ID, struct rte_flow_item_pppoe_proto_id),
	ITEM(HIGIG2, struct rte_flow_item_higig2_hdr),
	ITEM(TAG, struct rte_flow_item_tag),
	ITEM(L2TPV3OIP, struct rte_flow_item_l2tpv3oip),
	ITEM(ESP, struct rte_flow_item_esp),
	ITEM(AH, struct rte_flow_item_ah),
	ITEM(PFCP, struct rte_flow_item_pfcp),
	ITEM(INTEGRITY, struct rte_flow_item_integrity),
	ITEM(PORT_REPRESENTOR, struct rte_flow_item_ethdev),
	ITEM(REPRESENTED_PORT, struct rte_flow_item_ethdev),
	ITEM(PPP, struct rte_flow_item_ppp),
	ITEM(METER_COLOR, struct rte_flow_item_meter_color),
};

static const size_t actions[] = {
	ACTION(JUMP, struct rte_flow_action_jump),
	ACTION(MARK, struct rte_flow_action_mark),
	ACTION(QUEUE, struct rte_flow_action_queue),
	ACTION(COUNT, struct rte_flow_action_count),
	ACTION(VF, struct rte_flow_action_vf),
	ACTION(PORT_ID, struct rte_flow_action_port_id),
	ACTION(METER, struct rte_flow_action_meter),
	ACTION(OF_PUSH_VLAN, struct rte_flow_action_of_push_vlan),
	ACTION(OF_SET_VLAN_VID, struct rte_flow_action_of_set_vlan_vid),
	ACTION(OF_SET_VLAN_PCP, struct rte_flow_action_of_set_vlan_pcp),
	ACTION(OF_POP_MPLS, struct rte_flow_action_of_pop_mpls),
	ACTION(OF_PUSH_MPLS, struct rte_flow_action_of_push_mpls),
	ACTION(SET_IPV4_SRC, struct rte_flow_action_set_ipv4),
	ACTION(SET_IPV4_DST, struct rte_flow_action_set_ipv4),
	ACTION(SET_IPV6_SRC, struct rte_flow_action_set_ipv6),
	ACTION(SET_IPV6_DST, struct rte_flow_action_set_ipv6),
	ACTION(SET_TP_SRC, struct rte_flow_action_set_tp),
	ACTION(SET_TP_DST, struct rte_flow_action_set_tp),
	ACTION(SET_TTL, struct rte_flow_action_set_ttl),
	ACTION(SET_MAC_SRC, struct rte_flow_action_set_mac),
	ACTION(SET_MAC_DST, struct rte_flow_action_set_mac),
	ACTION(INC_TCP_SEQ, rte_be32_t),
	ACTION(DEC_TCP_SEQ, rte_be32_t),
	ACTION(INC_TCP_ACK, rte_be32_t),
	ACTION(DEC_TCP_ACK, rte_be32_t),
	ACTION(SET_TAG, struct rte_flow_action_set_tag),
	ACTION(SET_META, struct rte_flow_action_set_meta),
	ACTION(SET_IPV4_DSCP, struct rte_flow_action_set_dscp),
	ACTION(SET_IPV6_DSCP, struct rte_flow_action_set_dscp),
	ACTION(AGE, struct rte_flow_action_age),
	ACTION(PORT_REPRESENTOR, struct rte_flow_action_ethdev),
	ACTION(REPRESENTED_PORT, struct rte_flow_action_ethdev),
	ACTION(METER_COLOR, struct rte_flow_action_meter_color),
};

static void
bytes(FILE *f, const char *name, const void *data, size_t n)
{
	fprintf(f, " %s=", name);
	if (data == NULL)
		fputs("-", f);
	for (size_t i = 0; data != NULL && i < n; i++)
		fprintf(f, "%02x", ((const unsigned char *)data)[i]);
}

/* The pattern of a raw item or an option's data is behind a pointer. */
static void
part(FILE *f, const char *name, const struct rte_flow_item *i, const void *data, const void *spec)
{
	if (data == NULL || i->type != RTE_FLOW_ITEM_TYPE_RAW) {
		if (i->type == RTE_FLOW_ITEM_TYPE_GENEVE_OPT && data != NULL) {
			const struct rte_flow_item_geneve_opt *o = data, *s = spec;

			bytes(f, name, data, offsetof(struct rte_flow_item_geneve_opt, data));
			bytes(f, "data", o->data, 4u * (s != NULL ? s->option_len : 0));
			return;
		}
		bytes(f, name, data, i->type < (int)RTE_DIM(items) ? items[i->type] : 0);
		return;
	}
	const struct rte_flow_item_raw *raw = data, *s = spec;

	fprintf(f, " %s=%u.%u.%d.%u.%u", name, raw->relative, raw->search, raw->offset, raw->limit,
		raw->length);
	bytes(f, "pattern", raw->pattern, s != NULL ? s->length : 0);
}

static void
rss(FILE *f, const struct rte_flow_action_rss *a)
{
	fprintf(f, " func=%d level=%u types=%llx", (int)a->func, a->level,
		(unsigned long long)a->types);
	bytes(f, "key", a->key, a->key_len);
	bytes(f, "queues", a->queue, a->queue_num * sizeof(*a->queue));
}

static void
rule(const char *what, uint16_t port, const struct rte_flow_attr *attr,
	const struct rte_flow_item *pattern, const struct rte_flow_action *action)
{
	FILE *f = fopen(getenv("FLOW_LOG"), "a");

	if (f == NULL)
		abort();
	fprintf(f, "%s port=%u group=%u priority=%u %u%u%u", what, port, attr->group,
		attr->priority, attr->ingress, attr->egress, attr->transfer);
	for (; pattern->type != RTE_FLOW_ITEM_TYPE_END; pattern++) {
		fprintf(f, " | item %d", (int)pattern->type);
		part(f, "spec", pattern, pattern->spec, pattern->spec);
		part(f, "last", pattern, pattern->last, pattern->spec);
		part(f, "mask", pattern, pattern->mask, pattern->spec);
	}
	for (; action->type != RTE_FLOW_ACTION_TYPE_END; action++) {
		fprintf(f, " | action %d", (int)action->type);
		if (action->type == RTE_FLOW_ACTION_TYPE_RSS)
			rss(f, action->conf);
		else if (action->type == RTE_FLOW_ACTION_TYPE_AGE)
			fprintf(f, " timeout=%u",
				((const struct rte_flow_action_age *)action->conf)->timeout);
		else if (action->type < (int)RTE_DIM(actions) && actions[action->type] > 0)
			bytes(f, "conf", action->conf, actions[action->type]);
	}
	fputc('\n', f);
	fclose(f);
}

int
rte_flow_validate(uint16_t port, const struct rte_flow_attr *attr,
	const struct rte_flow_item pattern[], const struct rte_flow_action act[],
	struct rte_flow_error *error)
{
	rule("validate", port, attr, pattern, act);
	return 0;
}

struct rte_flow *
rte_flow_create(uint16_t port, const struct rte_flow_attr *attr,
	const struct rte_flow_item pattern[], const struct rte_flow_action act[],
	struct rte_flow_error *error)
{
	rule("create", port, attr, pattern, act);
	return (struct rte_flow *)(uintptr_t)1;
}

int
rte_flow_destroy(uint16_t port, struct rte_flow *flow, struct rte_flow_error *error)
{
	return 0;
}

int
rte_flow_flush(uint16_t port, struct rte_flow_error *error)
{
	return 0;
}

int
rte_flow_isolate(uint16_t port, int set, struct rte_flow_error *error)
{
	return 0;
}

int
rte_flow_query(uint16_t port, struct rte_flow *flow, const struct rte_flow_action *action,
	void *data, struct rte_flow_error *error)
{
	const struct rte_flow_query_count count = { .hits_set = 1,
		.hits = 17,
		.bytes_set = 1,
		.bytes = 4711 };
	const struct rte_flow_query_age age = { .aged = 1,
		.sec_since_last_hit_valid = 1,
		.sec_since_last_hit = 9 };

	if (action->type == RTE_FLOW_ACTION_TYPE_COUNT)
		memcpy(data, &count, sizeof(count));
	else if (action->type == RTE_FLOW_ACTION_TYPE_AGE)
		memcpy(data, &age, sizeof(age));
	return 0;
}
