/* Commands for virtual functions, on the port of their physical function, in testpmd's syntax. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/commands/types_app.h"
#include "cmdline/grammar/grammar.h"
#include "features/vendor/port_vf.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
