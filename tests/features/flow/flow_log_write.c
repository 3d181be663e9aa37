/* Items and actions byte by byte; what they point at, too. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow_log.h"

#include <rte_flow.h>
#include <rte_version.h>

#include <stddef.h>

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
	ITEM(CONNTRACK, struct rte_flow_item_conntrack),
	ITEM(ECPRI, struct rte_flow_item_ecpri),
	ITEM(L2TPV2, struct rte_flow_item_l2tpv2),
	ITEM(NSH, struct rte_flow_item_nsh),
#if RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
	ITEM(ICMP6_ECHO_REQUEST, struct rte_flow_item_icmp6_echo),
	ITEM(ICMP6_ECHO_REPLY, struct rte_flow_item_icmp6_echo),
	ITEM(IPV6_ROUTING_EXT, struct rte_flow_item_ipv6_routing_ext),
	ITEM(QUOTA, struct rte_flow_item_quota),
	ITEM(AGGR_AFFINITY, struct rte_flow_item_aggr_affinity),
	ITEM(TX_QUEUE, struct rte_flow_item_tx_queue),
	ITEM(IB_BTH, struct rte_flow_item_ib_bth),
	ITEM(PTYPE, struct rte_flow_item_ptype),
	ITEM(RANDOM, struct rte_flow_item_random),
	ITEM(COMPARE, struct rte_flow_item_compare),
#endif
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
	ACTION(PORT_REPRESENTOR, struct rte_flow_action_ethdev),
	ACTION(REPRESENTED_PORT, struct rte_flow_action_ethdev),
	ACTION(METER_COLOR, struct rte_flow_action_meter_color),
	ACTION(CONNTRACK, struct rte_flow_action_conntrack),
	ACTION(METER_MARK, struct rte_flow_action_meter_mark),
#if RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
	ACTION(QUOTA, struct rte_flow_action_quota),
	ACTION(NAT64, struct rte_flow_action_nat64),
#endif
#if RTE_VERSION >= RTE_VERSION_NUM(24, 11, 0, 0)
	ACTION(JUMP_TO_TABLE_INDEX, struct rte_flow_action_jump_to_table_index),
#endif
};

void
flow_log_bytes(FILE *f, const char *name, const void *data, size_t n)
{
	fprintf(f, " %s=", name);
	if (data == NULL)
		fputs("-", f);
	for (size_t i = 0; data != NULL && i < n; i++)
		fprintf(f, "%02x", ((const unsigned char *)data)[i]);
}

/* The pattern of a raw or flex item or an option's data is behind a pointer. */
static void
part(FILE *f, const char *name, const struct rte_flow_item *i, const void *data, const void *spec)
{
	if (data == NULL || i->type != RTE_FLOW_ITEM_TYPE_RAW) {
		if (i->type == RTE_FLOW_ITEM_TYPE_GENEVE_OPT && data != NULL) {
			const struct rte_flow_item_geneve_opt *o = data, *s = spec;

			flow_log_bytes(f, name, data,
				offsetof(struct rte_flow_item_geneve_opt, data));
			flow_log_bytes(f, "data", o->data, 4u * (s != NULL ? s->option_len : 0));
			return;
		}
		if (i->type == RTE_FLOW_ITEM_TYPE_FLEX && data != NULL) {
			const struct rte_flow_item_flex *o = data;

			fprintf(f, " %s=%p", name, (void *)o->handle);
			flow_log_bytes(f, "pattern", o->pattern, o->length);
			return;
		}
		flow_log_bytes(f, name, data, i->type < (int)RTE_DIM(items) ? items[i->type] : 0);
		return;
	}
	const struct rte_flow_item_raw *raw = data, *s = spec;

	fprintf(f, " %s=%u.%u.%d.%u.%u", name, raw->relative, raw->search, raw->offset, raw->limit,
		raw->length);
	flow_log_bytes(f, "pattern", raw->pattern, s != NULL ? s->length : 0);
}

static void
rss(FILE *f, const struct rte_flow_action_rss *a)
{
	fprintf(f, " func=%d level=%u types=%llx", (int)a->func, a->level,
		(unsigned long long)a->types);
	flow_log_bytes(f, "key", a->key, a->key_len);
	flow_log_bytes(f, "queues", a->queue, a->queue_num * sizeof(*a->queue));
}

void
flow_log_items(FILE *f, const struct rte_flow_item *pattern)
{
	for (; pattern->type != RTE_FLOW_ITEM_TYPE_END; pattern++) {
		fprintf(f, " | item %d", (int)pattern->type);
		part(f, "spec", pattern, pattern->spec, pattern->spec);
		part(f, "last", pattern, pattern->last, pattern->spec);
		part(f, "mask", pattern, pattern->mask, pattern->spec);
	}
}

/* A value of 16 bytes, or a pointer to bytes. */
static void
modify(FILE *f, const struct rte_flow_action_modify_field *m)
{
	const bool pointer = m->src.field == RTE_FLOW_FIELD_POINTER;

	fprintf(f, " op=%d width=%u dst=%d.%u.%u src=%d", (int)m->operation, m->width,
		(int)m->dst.field, m->dst.level, m->dst.offset, (int)m->src.field);
	flow_log_bytes(f, pointer ? "at" : "value", pointer ? m->src.pvalue : m->src.value, 16);
}

void
flow_log_action(FILE *f, const struct rte_flow_action *a)
{
	const struct rte_flow_action_vxlan_encap *tunnel = a->conf;
	const struct rte_flow_action_raw_encap *encap = a->conf;
	const struct rte_flow_action_raw_decap *decap = a->conf;
	const struct rte_flow_action_sample *sample = a->conf;

	fprintf(f, " | action %d", (int)a->type);
	switch ((int)a->type) {
	case RTE_FLOW_ACTION_TYPE_RSS: rss(f, a->conf); break;
	/* The rest of the struct is a pointer, which the action age_update has not. */
	case RTE_FLOW_ACTION_TYPE_AGE: flow_log_bytes(f, "age", a->conf, sizeof(uint32_t)); break;
	case RTE_FLOW_ACTION_TYPE_VXLAN_ENCAP:
	case RTE_FLOW_ACTION_TYPE_NVGRE_ENCAP: flow_log_items(f, tunnel->definition); break;
	case RTE_FLOW_ACTION_TYPE_RAW_ENCAP:
		fprintf(f, " size=%zu", encap->size);
		flow_log_bytes(f, "data", encap->data, encap->size);
		flow_log_bytes(f, "preserve", encap->preserve, encap->size);
		break;
	case RTE_FLOW_ACTION_TYPE_RAW_DECAP:
		fprintf(f, " size=%zu", decap->size);
		flow_log_bytes(f, "data", decap->data, decap->size);
		break;
	case RTE_FLOW_ACTION_TYPE_SAMPLE:
		fprintf(f, " ratio=%u {", sample->ratio);
		flow_log_actions(f, sample->actions);
		fputs(" }", f);
		break;
	case RTE_FLOW_ACTION_TYPE_INDIRECT: fprintf(f, " handle=%p", a->conf); break;
	case RTE_FLOW_ACTION_TYPE_MODIFY_FIELD: modify(f, a->conf); break;
	default:
		if (a->type < (int)RTE_DIM(actions) && actions[a->type] > 0)
			flow_log_bytes(f, "conf", a->conf, actions[a->type]);
	}
}

void
flow_log_actions(FILE *f, const struct rte_flow_action *action)
{
	for (; action->type != RTE_FLOW_ACTION_TYPE_END; action++)
		flow_log_action(f, action);
}

void
flow_log_item(FILE *f, enum rte_flow_item_type type, const char *name, const void *data)
{
	flow_log_bytes(f, name, data, items[type]);
}
