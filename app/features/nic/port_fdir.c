/* Flow director of net_i40e and net_ixgbe: capabilities and fill level. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/nic/port_fdir.h"

#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "port/port.h"
#include "port/port_driver.h"

#include <rte_eth_ctrl.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BORDER "########################"

typedef int info_get(uint16_t port, struct rte_eth_fdir_info *info);
typedef int stats_get(uint16_t port, struct rte_eth_fdir_stats *stats);

static const struct port_driver_function infos[PORT_DRIVER_FUNCTIONS] = {
	{ "net_i40e", "rte_pmd_i40e_get_fdir_info" },
	{ "net_ixgbe", "rte_pmd_ixgbe_get_fdir_info" },
};
static const struct port_driver_function stats[PORT_DRIVER_FUNCTIONS] = {
	{ "net_i40e", "rte_pmd_i40e_get_fdir_stats" },
	{ "net_ixgbe", "rte_pmd_ixgbe_get_fdir_stats" },
};

static const char *const modes[] = {
	[RTE_FDIR_MODE_SIGNATURE] = "SIGNATURE",
	[RTE_FDIR_MODE_PERFECT] = "PERFECT",
	[RTE_FDIR_MODE_PERFECT_MAC_VLAN] = "PERFECT-MAC-VLAN",
	[RTE_FDIR_MODE_PERFECT_TUNNEL] = "PERFECT-TUNNEL",
};

static const char *const flow_types[] = {
	[RTE_ETH_FLOW_RAW] = "raw",
	[RTE_ETH_FLOW_IPV4] = "ipv4",
	[RTE_ETH_FLOW_FRAG_IPV4] = "ipv4-frag",
	[RTE_ETH_FLOW_NONFRAG_IPV4_TCP] = "ipv4-tcp",
	[RTE_ETH_FLOW_NONFRAG_IPV4_UDP] = "ipv4-udp",
	[RTE_ETH_FLOW_NONFRAG_IPV4_SCTP] = "ipv4-sctp",
	[RTE_ETH_FLOW_NONFRAG_IPV4_OTHER] = "ipv4-other",
	[RTE_ETH_FLOW_IPV6] = "ipv6",
	[RTE_ETH_FLOW_FRAG_IPV6] = "ipv6-frag",
	[RTE_ETH_FLOW_NONFRAG_IPV6_TCP] = "ipv6-tcp",
	[RTE_ETH_FLOW_NONFRAG_IPV6_UDP] = "ipv6-udp",
	[RTE_ETH_FLOW_NONFRAG_IPV6_SCTP] = "ipv6-sctp",
	[RTE_ETH_FLOW_NONFRAG_IPV6_OTHER] = "ipv6-other",
	[RTE_ETH_FLOW_L2_PAYLOAD] = "l2_payload",
	[RTE_ETH_FLOW_IPV6_EX] = "ipv6-ex",
	[RTE_ETH_FLOW_IPV6_TCP_EX] = "ipv6-tcp-ex",
	[RTE_ETH_FLOW_IPV6_UDP_EX] = "ipv6-udp-ex",
	[RTE_ETH_FLOW_PORT] = "port",
	[RTE_ETH_FLOW_VXLAN] = "vxlan",
	[RTE_ETH_FLOW_GENEVE] = "geneve",
	[RTE_ETH_FLOW_NVGRE] = "nvgre",
	[RTE_ETH_FLOW_VXLAN_GPE] = "vxlan-gpe",
	[RTE_ETH_FLOW_GTPU] = "gtpu",
};

static const char *
flow_type_name(unsigned int type)
{
	return type < ARRAY_SIZE(flow_types) && flow_types[type] != NULL ? flow_types[type]
									 : "unknown";
}

static void
mode_show(struct out *o, const struct rte_eth_fdir_info *info)
{
	const char *mode = (size_t)info->mode < ARRAY_SIZE(modes) ? modes[info->mode] : NULL;
	const bool by_address = info->mode == RTE_FDIR_MODE_PERFECT_MAC_VLAN ||
		info->mode == RTE_FDIR_MODE_PERFECT_TUNNEL;
	unsigned int type;

	out_str(o, "mode", "  MODE:   %s\n", mode != NULL ? mode : "DISABLE");
	if (by_address)
		return;
	out_text(o, "  SUPPORTED FLOW TYPE: ");
	out_nest(o, "flow_types", OUT_ARRAY);
	for (type = RTE_ETH_FLOW_UNKNOWN; type < 64; type++)
		if ((info->flow_types_mask[0] & RTE_BIT64(type)) != 0)
			out_str(o, "", " %s", flow_type_name(type));
	out_unnest(o);
	out_text(o, "\n");
}

/* Show how filters can match payload bytes: limits, and the offsets per payload type. */
static void
flex_show(struct out *o, const struct rte_eth_fdir_info *info)
{
	static const char *const kinds[] = {
		[RTE_ETH_RAW_PAYLOAD] = "RAW",
		[RTE_ETH_L2_PAYLOAD] = "L2_PAYLOAD",
		[RTE_ETH_L3_PAYLOAD] = "L3_PAYLOAD",
		[RTE_ETH_L4_PAYLOAD] = "L4_PAYLOAD",
	};
	const struct rte_eth_fdir_flex_conf *flex = &info->flex_conf;
	unsigned int i, j;

	out_text(o, "  FLEX PAYLOAD INFO:\n");
	out_u64(o, "flex_max", "  max_len:       %-10" PRIu64, info->max_flexpayload);
	out_u64(o, "flex_limit", "  payload_limit: %-10" PRIu64 "\n", info->flex_payload_limit);
	out_u64(o, "flex_unit", "  payload_unit:  %-10" PRIu64, info->flex_payload_unit);
	out_u64(o, "flex_segments", "  payload_seg:   %-10" PRIu64 "\n",
		info->max_flex_payload_segment_num);
	out_u64(o, "flex_mask_unit", "  bitmask_unit:  %-10" PRIu64, info->flex_bitmask_unit);
	out_u64(o, "flex_masks", "  bitmask_num:   %-10" PRIu64 "\n", info->max_flex_bitmask_num);
	if (flex->nb_payloads > 0)
		out_text(o, "  FLEX PAYLOAD SRC OFFSET:");
	for (i = 0; i < flex->nb_payloads; i++) {
		const struct rte_eth_flex_payload_cfg *set = &flex->flex_set[i];

		if ((size_t)set->type < ARRAY_SIZE(kinds) && kinds[set->type] != NULL)
			out_text(o, "\n    %s:  ", kinds[set->type]);
		else
			out_text(o, "\n    UNKNOWN PAYLOAD(%u):  ", set->type);
		for (j = 0; j < info->max_flexpayload; j++)
			out_text(o, "  %-5u", set->src_offset[j]);
	}
	if (flex->nb_payloads > 0)
		out_text(o, "\n");
	if (flex->nb_flexmasks > 0)
		out_text(o, "  FLEX MASK CFG:");
	for (i = 0; i < flex->nb_flexmasks; i++) {
		out_text(o, "\n    %s:\t", flow_type_name(flex->flex_mask[i].flow_type));
		for (j = 0; j < info->max_flexpayload; j++)
			out_text(o, " %02x", flex->flex_mask[i].mask[j]);
	}
	if (flex->nb_flexmasks > 0)
		out_text(o, "\n");
}

static void
counts_show(struct out *o, const struct rte_eth_fdir_info *info, const struct rte_eth_fdir_stats *s)
{
	out_u64(o, "guaranteed_count", "  guarant_count: %-10" PRIu64, s->guarant_cnt);
	out_u64(o, "best_count", "  best_count:    %" PRIu64 "\n", s->best_cnt);
	out_u64(o, "guaranteed_space", "  guarant_space: %-10" PRIu64, info->guarant_spc);
	out_u64(o, "best_space", "  best_space:    %" PRIu64 "\n", info->best_spc);
	out_u64(o, "collision", "  collision:     %-10" PRIu64, s->collision);
	out_u64(o, "free", "  free:          %" PRIu64 "\n", s->free);
	out_u64(o, "maxhash", "  maxhash:       %-10" PRIu64, s->maxhash);
	out_u64(o, "maxlen", "  maxlen:        %" PRIu64 "\n", s->maxlen);
	out_u64(o, "add", "  add:	         %-10" PRIu64, s->add);
	out_u64(o, "remove", "  remove:        %" PRIu64 "\n", s->remove);
	out_u64(o, "f_add", "  f_add:         %-10" PRIu64, s->f_add);
	out_u64(o, "f_remove", "  f_remove:      %" PRIu64 "\n", s->f_remove);
}

/* Read the driver's information; ENOTSUP in testpmd's words for other drivers. */
static int
read_all(struct ports *ps, uint16_t id, struct rte_eth_fdir_info *info,
	struct rte_eth_fdir_stats *s, struct err *e)
{
	static const struct port_driver_op op = { NULL };
	struct err lacks; /* discarded: testpmd's message does not name the drivers */
	info_get *get = (info_get *)port_driver_find_any(ps, id, infos, &op, &lacks);
	stats_get *get_stats = (stats_get *)port_driver_find_any(ps, id, stats, &op, &lacks);
	int ret = get == NULL || get_stats == NULL ? -ENOTSUP : get(id, info);

	if (ret == 0)
		ret = get_stats(id, s);
	if (ret == -ENOTSUP)
		return port_fail(ps, e, ENOTSUP, "\n FDIR is not supported on port %-2u", id);
	if (ret != 0)
		return port_fail(ps, e, abs(ret), "programming error: (%s)", strerror(abs(ret)));
	return 0;
}

static int
fdir_show(struct ports *ps, struct port *p, void *ctx, struct err *e)
{
	struct rte_eth_fdir_info *info = calloc(1, sizeof(*info));
	struct rte_eth_fdir_stats s = { 0 };
	int ret;

	if (info == NULL)
		return err_set(e, ENOMEM, "no memory for the answer");
	ret = read_all(ps, p->id, info, &s, e);
	if (ret == 0) {
		out_text(ps->out, "\n  %s FDIR infos for port %-2u     %s\n", BORDER, p->id,
			BORDER);
		mode_show(ps->out, info);
		flex_show(ps->out, info);
		counts_show(ps->out, info, &s);
		out_text(ps->out, "  %s############################%s\n", BORDER, BORDER);
	}
	free(info);
	return ret;
}

int
port_fdir_show(struct ports *ps, uint16_t id, struct err *e)
{
	return port_each(ps, id, fdir_show, NULL, e);
}

static const struct cmd_row rows[] = {
	{ "show port fdir <port:ports>", arg_on_port, "show the flow director of i40e and ixgbe",
		NULL, ARG_ON_PORT(port_fdir_show), .shows = true },
};

const struct cmd_table cmds_fdir = { "display", "flow director", rows, ARRAY_SIZE(rows),
	CMD_DISPLAY };
