/* Control of virtual functions with driver-specific functions. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/vendor/port_vf.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "features/vendor/port_pmds.h"
#include "port/port.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ALL_OF(function) \
	{ \
		PORT_PMDS_IXGBE(function) PORT_PMDS_I40E(function) PORT_PMDS_BNXT(function) \
		{ \
			NULL \
		} \
	}
#define IXGBE_BNXT(function) \
	{ \
		PORT_PMDS_IXGBE(function) PORT_PMDS_BNXT(function) \
		{ \
			NULL \
		} \
	}
#define I40E_BNXT(function) \
	{ \
		PORT_PMDS_I40E(function) PORT_PMDS_BNXT(function) \
		{ \
			NULL \
		} \
	}
#define IXGBE(function) \
	{ \
		PORT_PMDS_IXGBE(function) \
		{ \
			NULL \
		} \
	}
#define I40E(function) \
	{ \
		PORT_PMDS_I40E(function) \
		{ \
			NULL \
		} \
	}

#define BAD_VF "invalid vf_id %u"
#define BAD_SWITCH BAD_VF " or is_on %u"
#define BAD_ON "invalid is_on %u"

static const struct port_driver_op ops[] = {
	[PORT_VF_MAC_ANTISPOOF] = { ALL_OF(set_vf_mac_anti_spoof), BAD_SWITCH },
	[PORT_VF_VLAN_ANTISPOOF] = { ALL_OF(set_vf_vlan_anti_spoof), BAD_VF },
	[PORT_VF_VLAN_STRIPQ] = { ALL_OF(set_vf_vlan_stripq), BAD_SWITCH },
	[PORT_VF_VLAN_INSERT] = { ALL_OF(set_vf_vlan_insert), BAD_VF " or vlan_id %u" },
	[PORT_VF_VLAN_TAG] = { I40E(set_vf_vlan_tag), BAD_SWITCH },
	[PORT_VF_VLAN_FILTER] = { ALL_OF(set_vf_vlan_filter), "invalid vlan_id %u or vf_mask %u",
		.lacks = "function not implemented or supported" },
	[PORT_VF_MAC] = { ALL_OF(set_vf_mac_addr), BAD_VF " or mac_addr" },
	[PORT_VF_MAC_ADD] = { { PORT_PMDS_I40E(add_vf_mac_addr)
					      PORT_PMDS_BNXT(mac_addr_add){ NULL } },
		.always = "vf_mac_addr_cmd error: (%s)",
		.lacks = "vf_mac_addr_cmd error: (Operation not supported)" },
	[PORT_VF_PROMISC] = { I40E(set_vf_unicast_promisc), BAD_VF },
	[PORT_VF_ALLMULTI] = { I40E(set_vf_multicast_promisc), BAD_VF },
	[PORT_VF_BROADCAST] = { I40E(set_vf_broadcast), BAD_SWITCH },
	[PORT_VF_SPLIT_DROP] = { IXGBE(set_vf_split_drop_en), BAD_SWITCH,
		.lacks = "not supported on port %u" },
	[PORT_VF_RX_MODE] = { IXGBE_BNXT(set_vf_rxmode), NULL,
		.lacks = "bad VF receive mode parameter",
		.always = "bad VF receive mode parameter: %s" },
	[PORT_VF_RX] = { IXGBE(set_vf_rx), NULL, .lacks = "VF Rx setting not supported",
		.always = "VF Rx setting failed: %s" },
	[PORT_VF_TX] = { IXGBE(set_vf_tx), NULL, .lacks = "VF Tx setting not supported",
		.always = "VF Tx setting failed: %s" },
	[PORT_VF_RATE] = { IXGBE_BNXT(set_vf_rate_limit),
		.lacks = "vf_rate_limit_cmd error: (Operation not supported)",
		.always = "vf_rate_limit_cmd error: (%s)" },
	[PORT_VF_MAX_BANDWIDTH] = { I40E(set_vf_max_bw), BAD_VF " or bandwidth %u" },
	[PORT_VF_TC_MAX_BANDWIDTH] = { I40E(set_vf_tc_max_bw),
		BAD_VF ", tc_no %u or bandwidth %u" },
	[PORT_VF_STATS_CLEAR] = { I40E_BNXT(reset_vf_stats), BAD_VF },
	[PORT_VF_TX_LOOPBACK] = { { PORT_PMDS_IXGBE(set_tx_loopback) PORT_PMDS_I40E(set_tx_loopback)
						  PORT_PMDS_BNXT(set_tx_loopback)
							  PORT_PMDS_DPAA(set_tx_loopback) },
		BAD_ON },
	[PORT_VF_QUEUES_DROP] = { IXGBE_BNXT(set_all_queues_drop_en), BAD_ON },
	[PORT_VF_STRICT_PRIORITY] = { I40E(set_tc_strict_prio), "invalid tc_bitmap 0x%x" },
};

int
port_vf_do(struct ports *ps, uint16_t id, enum port_vf_op op, const struct port_driver_args *args,
	struct err *e)
{
	return port_driver_do(ps, id, &ops[op], args, e);
}

typedef int (*stats_get)(uint16_t, uint16_t, struct rte_eth_stats *);

static const struct port_driver_op stats_op = {
	{ PORT_DRIVER_OWN("net_i40e", rte_pmd_i40e_get_vf_stats),
		PORT_DRIVER_OWN("net_bnxt", rte_pmd_bnxt_get_vf_stats) },
	BAD_VF,
};

static void
stats_show(struct out *o, const struct rte_eth_stats *s)
{
	out_u64(o, "rx_packets", "  RX-packets: %-10" PRIu64, s->ipackets);
	out_u64(o, "rx_missed", " RX-missed: %-10" PRIu64, s->imissed);
	out_u64(o, "rx_bytes", " RX-bytes:  %-" PRIu64 "\n", s->ibytes);
	out_u64(o, "rx_errors", "  RX-errors: %-" PRIu64 "\n", s->ierrors);
	out_u64(o, "rx_nombuf", "  RX-nombuf:  %-10" PRIu64 "\n", s->rx_nombuf);
	out_u64(o, "tx_packets", "  TX-packets: %-10" PRIu64, s->opackets);
	out_u64(o, "tx_errors", " TX-errors: %-10" PRIu64, s->oerrors);
	out_u64(o, "tx_bytes", " TX-bytes:  %-" PRIu64 "\n", s->obytes);
}

int
port_vf_stats_show(struct ports *ps, uint16_t id, uint16_t vf, struct err *e)
{
	static const char border[] = "########################";
	const uint64_t n[3] = { vf };
	struct rte_eth_stats stats = { 0 };
	port_driver_call call = port_driver_find(ps, id, &stats_op, NULL, e);

	if (call == NULL ||
		port_driver_result(ps, id, &stats_op, n, ((stats_get)call)(id, vf, &stats), e) != 0)
		return -e->code;
	out_text(ps->out, "\n  %s NIC statistics for port %-2u vf %-2u %s\n", border, id, vf,
		border);
	out_u64(ps->out, "port", NULL, id);
	out_u64(ps->out, "vf", NULL, vf);
	stats_show(ps->out, &stats);
	out_text(ps->out, "  %s############################%s\n", border, border);
	return 0;
}

typedef int (*vf_tc_set)(uint16_t, uint16_t, uint8_t, uint8_t *);
typedef int (*tc_set)(uint16_t, uint8_t, uint8_t *);

int
port_vf_tc_bandwidth(struct ports *ps, uint16_t id, uint16_t vf, uint8_t n, uint8_t *percent,
	struct err *e)
{
	static const struct port_driver_op op = { { PORT_DRIVER_OWN("net_i40e",
							  rte_pmd_i40e_set_vf_tc_bw_alloc) },
		BAD_VF " or bandwidth" };
	const uint64_t numbers[3] = { vf };
	port_driver_call call = port_driver_find(ps, id, &op, NULL, e);

	if (call == NULL)
		return -e->code;
	return port_driver_result(ps, id, &op, numbers, ((vf_tc_set)call)(id, vf, n, percent), e);
}

int
port_vf_tcs_bandwidth(struct ports *ps, uint16_t id, uint8_t n, uint8_t *percent, struct err *e)
{
	static const struct port_driver_op op = {
		{ PORT_DRIVER_OWN("net_ixgbe", rte_pmd_ixgbe_set_tc_bw_alloc) }, "invalid bandwidth"
	};
	const uint64_t numbers[3] = { 0 };
	const struct port *p = port_find(ps, id, e);
	port_driver_call call;

	if (p == NULL)
		return -e->code;
	if (p->state == PORT_STARTED)
		return err_set(e, EBUSY, "Please stop port %u first", id);
	call = port_driver_find(ps, id, &op, NULL, e);
	if (call == NULL)
		return -e->code;
	return port_driver_result(ps, id, &op, numbers, ((tc_set)call)(id, n, percent), e);
}

#ifdef RTE_NET_I40E
static_assert(sizeof((stats_get)NULL == &rte_pmd_i40e_get_vf_stats), "unexpected signature");
static_assert(sizeof((vf_tc_set)NULL == &rte_pmd_i40e_set_vf_tc_bw_alloc), "unexpected signature");
#endif
#ifdef RTE_NET_BNXT
static_assert(sizeof((stats_get)NULL == &rte_pmd_bnxt_get_vf_stats), "unexpected signature");
#endif
#ifdef RTE_NET_IXGBE
static_assert(sizeof((tc_set)NULL == &rte_pmd_ixgbe_set_tc_bw_alloc), "unexpected signature");
#endif
