/* Control of virtual functions with driver-specific functions, and its commands. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/commands/types_app.h"
#include "cmdline/grammar/grammar.h"
#include "features/vendor/port_driver.h"
#include "port/port.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PORT_VF_TCS 16 /* maximum number of traffic classes in a list of bandwidths */

/* Operations and their numbers, in the order of the command's arguments; vf comes first. */
enum port_vf_op {
	PORT_VF_MAC_ANTISPOOF,    /* vf, on */
	PORT_VF_VLAN_ANTISPOOF,   /* vf, on */
	PORT_VF_VLAN_STRIPQ,      /* vf, on */
	PORT_VF_VLAN_INSERT,      /* vf, VLAN, 0: none */
	PORT_VF_VLAN_TAG,         /* vf, on */
	PORT_VF_VLAN_FILTER,      /* VLAN, mask of vfs, on */
	PORT_VF_MAC,              /* vf, MAC address to set */
	PORT_VF_MAC_ADD,          /* vf, MAC address to add */
	PORT_VF_PROMISC,          /* vf, on */
	PORT_VF_ALLMULTI,         /* vf, on */
	PORT_VF_BROADCAST,        /* vf, on */
	PORT_VF_SPLIT_DROP,       /* vf, on */
	PORT_VF_RX_MODE,          /* vf, RTE_ETH_VMDQ_ACCEPT_, on */
	PORT_VF_RX,               /* vf, on */
	PORT_VF_TX,               /* vf, on */
	PORT_VF_RATE,             /* vf, Mbit/s, mask of queues */
	PORT_VF_MAX_BANDWIDTH,    /* vf, Mbit/s */
	PORT_VF_TC_MAX_BANDWIDTH, /* vf, traffic class, Mbit/s */
	PORT_VF_STATS_CLEAR,      /* vf */
	PORT_VF_TX_LOOPBACK,      /* on; for the whole port */
	PORT_VF_QUEUES_DROP,      /* on; for the whole port */
	PORT_VF_STRICT_PRIORITY,  /* mask of traffic classes; for the whole port */
};

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

/* Execute an operation. Errors: those of port_driver_do(). Thread: control, for all of this
 * file. */
static int
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

/*
 * Show the statistics of a VF. JSON: {"port", "vf", "rx_packets", ...}. Errors: those of
 * port_driver_do().
 */
static int
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

/* Set the bandwidth shares of a VF's traffic classes, percent[0..n). Errors: those of
 * port_driver_do(). */
static int
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

/* Set the bandwidth shares of all traffic classes of a stopped port. Errors: those of
 * port_driver_do(); -EBUSY the port is started. */
static int
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

/* Commands for virtual functions, on the port of their physical function, in testpmd's syntax. */

/* The arguments other than the port are the numbers of the operation, in the same order; a MAC
 * address is stored separately. */
static void
fill(const struct args *a, struct port_driver_args *to)
{
	unsigned int i, at = 0;

	memset(to, 0, sizeof(*to));
	for (i = 0; i < a->n; i++) {
		if (strcmp(a->arg[i].name, "mac") == 0)
			memcpy(to->mac.addr_bytes, a->arg[i].mac, sizeof(to->mac.addr_bytes));
		else if (strcmp(a->arg[i].name, "port") != 0 && at < ARRAY_SIZE(to->n))
			to->n[at++] = a->arg[i].number;
	}
}

static int
change(struct app *app, const struct args *a, struct err *e)
{
	const enum port_vf_op *op = a->data;
	struct port_driver_args args;

	fill(a, &args);
	return port_vf_do(&app->ports, arg_port(a), *op, &args, e);
}

static int
traffic(struct app *app, const struct args *a, struct err *e)
{
	const struct port_driver_args args = { .n = { arg_u64(a, "vf", 0), arg_u64(a, "on", 0) } };

	return port_vf_do(&app->ports, arg_port(a),
		arg_is(a, "way", "rx") ? PORT_VF_RX : PORT_VF_TX, &args, e);
}

static int
rx_mode(struct app *app, const struct args *a, struct err *e)
{
	static const uint16_t modes[] = { RTE_ETH_VMDQ_ACCEPT_UNTAG, RTE_ETH_VMDQ_ACCEPT_HASH_UC,
		RTE_ETH_VMDQ_ACCEPT_BROADCAST, RTE_ETH_VMDQ_ACCEPT_MULTICAST };
	const struct port_driver_args args = {
		.n = { arg_u64(a, "vf", 0), modes[arg_u64(a, "mode", 0)], arg_u64(a, "on", 0) }
	};

	return port_vf_do(&app->ports, arg_port(a), PORT_VF_RX_MODE, &args, e);
}

static int
vlan_filter(struct app *app, const struct args *a, struct err *e)
{
	const struct port_driver_args args = { .n = { arg_u64(a, "vlan", 0), arg_u64(a, "mask", 0),
						       arg_is(a, "what", "add") } };

	return port_vf_do(&app->ports, arg_port(a), PORT_VF_VLAN_FILTER, &args, e);
}

static int
stats(struct app *app, const struct args *a, struct err *e)
{
	return port_vf_stats_show(&app->ports, arg_port(a), (uint16_t)arg_u64(a, "vf", 0), e);
}

/* Read percentages of *n traffic classes: "(10,20,70)" or "(10, 20, 70)". */
static int
percents_read(const struct args *a, uint8_t *percent, uint8_t *n, struct err *e)
{
	const char *at = arg_str(a, "percents", "");
	const char *text = at;
	char *end;

	if (*at++ != '(')
		return arg_err(a, "percents", e, EINVAL,
			"The bandwidth-list should be '(bw1, bw2, ...)'");
	for (*n = 0;; at = end + 1) {
		unsigned long value;

		at += strspn(at, " \t");
		value = strtoul(at, &end, 0);
		if (*at < '0' || *at > '9' || value > 100 || *n == PORT_VF_TCS)
			return arg_err(a, "percents", e, EINVAL,
				"\"%s\": expected at most %d percentages, such as (10,20,70)", text,
				PORT_VF_TCS);
		percent[(*n)++] = (uint8_t)value;
		end += strspn(end, " \t");
		if (*end != ',')
			break;
	}
	if (strcmp(end, ")") != 0)
		return arg_err(a, "percents", e, EINVAL,
			"The bandwidth-list should be '(bw1, bw2, ...)'");
	return 0;
}

static int
vf_tc_bandwidth(struct app *app, const struct args *a, struct err *e)
{
	uint8_t percent[PORT_VF_TCS], n;

	if (percents_read(a, percent, &n, e) != 0)
		return -e->code;
	return port_vf_tc_bandwidth(&app->ports, arg_port(a), (uint16_t)arg_u64(a, "vf", 0), n,
		percent, e);
}

static int
tcs_bandwidth(struct app *app, const struct args *a, struct err *e)
{
	uint8_t percent[PORT_VF_TCS], n;

	if (percents_read(a, percent, &n, e) != 0)
		return -e->code;
	return port_vf_tcs_bandwidth(&app->ports, arg_port(a), n, percent, e);
}

#define OP(op) \
	NULL, &(const enum port_vf_op) \
	{ \
		op \
	}

#define PORT "<port:port>"
#define N16 "0..65535"
#define N32 "0..4294967295"
#define N64 "0..18446744073709551615"
#define PORT_VF PORT " <vf:uint " N16 ">"
#define ON " <on:word off|on>"

static const struct cmd_row rows[] = {
	{ "set vf mac antispoof " PORT_VF ON, change,
		"drop a VF's packets with a foreign source MAC address",
		OP(PORT_VF_MAC_ANTISPOOF) },
	{ "set vf vlan antispoof " PORT_VF ON, change, "drop a VF's packets with a foreign VLAN",
		OP(PORT_VF_VLAN_ANTISPOOF) },
	{ "set vf vlan stripq " PORT_VF ON, change, "strip VLAN tags from a VF's received packets",
		OP(PORT_VF_VLAN_STRIPQ) },
	{ "set vf vlan insert " PORT_VF " <vlan:uint 0..4095>", change,
		"insert a VLAN tag into a VF's transmitted packets (0: none)",
		OP(PORT_VF_VLAN_INSERT) },
	{ "set vf vlan tag " PORT_VF ON, change,
		"allow a VF to send and receive packets with VLAN tags", OP(PORT_VF_VLAN_TAG) },
	{ "rx_vlan <what:word add|rm> <vlan:uint 0..4095> port " PORT " vf <mask:uint " N64 ">",
		vlan_filter, "add or remove a VLAN that VFs receive; vf is a bit mask", NULL,
		NULL },
	{ "set vf mac addr " PORT_VF " <mac:mac>", change, "set a VF's MAC address",
		OP(PORT_VF_MAC) },
	{ "mac_addr add port " PORT " vf <vf:uint " N16 "> <mac:mac>", change,
		"add a MAC address to a VF", OP(PORT_VF_MAC_ADD) },
	{ "set vf promisc " PORT_VF ON, change,
		"let a VF receive unicast packets for other addresses", OP(PORT_VF_PROMISC) },
	{ "set vf allmulti " PORT_VF ON, change, "let a VF receive all multicast packets",
		OP(PORT_VF_ALLMULTI) },
	{ "set vf broadcast " PORT_VF ON, change, "let a VF receive broadcast packets",
		OP(PORT_VF_BROADCAST) },
	{ "set vf split drop " PORT_VF ON, change,
		"drop packets for a full Rx queue of a VF instead of stalling its other queues",
		OP(PORT_VF_SPLIT_DROP) },
	{ "set port " PORT " vf <vf:uint " N16 "> rxmode <mode:word AUPE|ROPE|BAM|MPE>" ON, rx_mode,
		"set what a VF accepts: AUPE untagged packets, ROPE unicast by hash, BAM broadcast, MPE multicast",
		NULL, NULL },
	{ "set port " PORT " vf <vf:uint " N16 "> <way:word rx|tx>" ON, traffic,
		"enable or disable reception or transmission of a VF", NULL, NULL },
	{ "set port " PORT " vf <vf:uint " N16 "> rate <mbps:uint " N16
	  "> queue_mask <mask:uint " N64 ">",
		change, "limit the rate of a VF's queues in Mbit/s; queue_mask is a bit mask",
		OP(PORT_VF_RATE) },
	{ "set vf tx max-bandwidth " PORT_VF " <mbps:uint " N32 ">", change,
		"set the maximum transmit rate of a VF in Mbit/s", OP(PORT_VF_MAX_BANDWIDTH) },
	{ "set vf tc tx min-bandwidth " PORT_VF " <percents:text>", vf_tc_bandwidth,
		"set the shares of a VF's traffic classes in percent: (10,20,70)", NULL, NULL },
	{ "set vf tc tx max-bandwidth " PORT_VF " <tc:uint 0..255> <mbps:uint " N32 ">", change,
		"set the maximum transmit rate of a VF's traffic class in Mbit/s",
		OP(PORT_VF_TC_MAX_BANDWIDTH) },
	{ "set tc tx min-bandwidth " PORT " <percents:text>", tcs_bandwidth,
		"set the shares of all traffic classes of a port and its VFs in percent: (10,20,70); the port must be stopped",
		NULL, NULL },
	{ "set tx strict-link-priority " PORT " <tcs:uint 0..255>", change,
		"set the traffic classes with strict priority, as a bit mask",
		OP(PORT_VF_STRICT_PRIORITY) },
	{ "set tx loopback " PORT ON, change,
		"let a port's internal switch forward packets between the port and its VFs",
		OP(PORT_VF_TX_LOOPBACK) },
	{ "set all queues drop " PORT ON, change,
		"drop packets for full Rx queues of a port and its VFs", OP(PORT_VF_QUEUES_DROP) },
	{ "show vf stats " PORT_VF, stats, "show the statistics of a VF", NULL, NULL },
	{ "clear vf stats " PORT_VF, change, "reset the statistics of a VF",
		OP(PORT_VF_STATS_CLEAR) },
};

const struct cmd_table cmds_vf = { "vf", "virtual functions", rows, ARRAY_SIZE(rows) };
