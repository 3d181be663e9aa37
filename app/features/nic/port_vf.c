/* Control of virtual functions with driver-specific functions, and its commands, which name the port
 * of the physical function. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "port/port.h"
#include "port/port_driver.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PORT_VF_TCS 16 /* maximum number of traffic classes in a list of bandwidths */

/* Also declared by the drivers' headers, where this DPDK has them. */
int rte_pmd_i40e_get_vf_stats(uint16_t port, uint16_t vf, struct rte_eth_stats *stats);
int rte_pmd_bnxt_get_vf_stats(uint16_t port, uint16_t vf, struct rte_eth_stats *stats);
int rte_pmd_i40e_set_vf_tc_bw_alloc(uint16_t port, uint16_t vf, uint8_t n, uint8_t *percent);
int rte_pmd_ixgbe_set_tc_bw_alloc(uint16_t port, uint8_t n, uint8_t *percent);

/* The functions of a command, one per driver, and testpmd's messages for their errors. */
struct vf_op {
	struct port_driver_function function[PORT_DRIVER_FUNCTIONS];
	struct port_driver_op words;
};

/* A function of a type; one of another type does not compile. */
#define FUNCTION(driver, type, function) \
	{ \
		driver, _Generic(&(function), type * : #function) \
	}

/* The function of a driver that this DPDK has, or nothing: rte_pmd_ixgbe_set_vf_rx() etc. */
#ifdef RTE_NET_IXGBE
#define IXGBE(type, function) FUNCTION("net_ixgbe", type, rte_pmd_ixgbe_##function),
#else
#define IXGBE(type, function)
#endif
#ifdef RTE_NET_I40E
#define I40E(type, function) FUNCTION("net_i40e", type, rte_pmd_i40e_##function),
#else
#define I40E(type, function)
#endif
#ifdef RTE_NET_BNXT
#define BNXT(type, function) FUNCTION("net_bnxt", type, rte_pmd_bnxt_##function),
#else
#define BNXT(type, function)
#endif
#if defined(RTE_BUS_DPAA) && defined(RTE_NET_DPAA)
#define DPAA(type, function) FUNCTION("net_dpaa", type, rte_pmd_dpaa_##function),
#else
#define DPAA(type, function)
#endif
#define IXGBE_BNXT(type, function) IXGBE(type, function) BNXT(type, function)
#define ALL_OF(type, function) IXGBE(type, function) I40E(type, function) BNXT(type, function)

/* The data of a row: its functions, and messages as in struct port_driver_op. */
#define OP(functions, ...) \
	&(const struct vf_op) \
	{ \
		{ functions{ NULL } }, \
		{ \
			NULL, __VA_ARGS__ \
		} \
	}

#define BAD_VF "invalid vf_id %u"
#define BAD_SWITCH BAD_VF " or is_on %u"
#define BAD_ON "invalid is_on %u"

static port_driver_call
find(struct app *app, const struct args *a, const struct vf_op *op, struct err *e)
{
	return port_driver_find_any(&app->ports, arg_port(a), op->function, &op->words, e);
}

/* Convert what the function returned; messages show the numbers of the line in order. */
static int
result(struct app *app, const struct args *a, const struct vf_op *op, int ret, struct err *e)
{
	uint64_t n[ARGS_MAX] = { 0 };

	arg_numbers(a, n);
	return port_driver_result(&app->ports, arg_port(a), &op->words, n, ret, e);
}

/* Find the function, of that type, and call it with the port and the other arguments. */
#define CALL(op, type, ...) \
	({ \
		type *call_ = (type *)find(app, a, op, e); \
		call_ != NULL ? result(app, a, op, call_(arg_port(a), __VA_ARGS__), e) : -e->code; \
	})

static uint16_t
vf_of(const struct args *a)
{
	return (uint16_t)arg_u64(a, "vf", 0);
}

/*
 * The handlers, each with the type of its rows' functions. Errors: those of port_driver_find(); the
 * driver's, in testpmd's words. Thread: control, for all of this file.
 */

typedef int vf_switch(uint16_t port, uint16_t vf, uint8_t on);

static int
switch_vf(struct app *app, const struct args *a, struct err *e)
{
	return CALL(a->data, vf_switch, vf_of(a), (uint8_t)arg_u64(a, "on", 0));
}

static int
switch_traffic(struct app *app, const struct args *a, struct err *e)
{
	const struct vf_op *rx = OP(IXGBE(vf_switch, set_vf_rx), NULL,
		.lacks = "VF Rx setting not supported", .always = "VF Rx setting failed: %s");
	const struct vf_op *tx = OP(IXGBE(vf_switch, set_vf_tx), NULL,
		.lacks = "VF Tx setting not supported", .always = "VF Tx setting failed: %s");

	return CALL(arg_is(a, "way", "rx") ? rx : tx, vf_switch, vf_of(a),
		(uint8_t)arg_u64(a, "on", 0));
}

typedef int port_switch(uint16_t port, uint8_t on);

static int
switch_port(struct app *app, const struct args *a, struct err *e)
{
	return CALL(a->data, port_switch, (uint8_t)arg_u64(a, "on", 0));
}

typedef int vf_vlan(uint16_t port, uint16_t vf, uint16_t vlan);

static int
vlan_insert(struct app *app, const struct args *a, struct err *e)
{
	return CALL(a->data, vf_vlan, vf_of(a), (uint16_t)arg_u64(a, "vlan", 0));
}

typedef int vlan_vfs(uint16_t port, uint16_t vlan, uint64_t vfs, uint8_t on);

static int
vlan_filter(struct app *app, const struct args *a, struct err *e)
{
	const struct vf_op *op = a->data;
	const uint64_t n[3] = { arg_u64(a, "vlan", 0), arg_u64(a, "mask", 0) };
	vlan_vfs *call = (vlan_vfs *)find(app, a, op, e);
	int ret;

	if (call == NULL)
		return -e->code;
	ret = call(arg_port(a), (uint16_t)n[0], n[1], arg_is(a, "what", "add"));
	return port_driver_result(&app->ports, arg_port(a), &op->words, n, ret, e);
}

static struct rte_ether_addr
mac_of(const struct args *a)
{
	struct rte_ether_addr mac;

	memcpy(mac.addr_bytes, arg_find(a, "mac")->mac, sizeof(mac.addr_bytes));
	return mac;
}

typedef int vf_mac(uint16_t port, uint16_t vf, struct rte_ether_addr *mac);

static int
mac_set(struct app *app, const struct args *a, struct err *e)
{
	struct rte_ether_addr mac = mac_of(a);

	return CALL(a->data, vf_mac, vf_of(a), &mac);
}

typedef int mac_vf(uint16_t port, struct rte_ether_addr *mac, uint32_t vf);

/* net_bnxt's function takes the address first. */
static int
mac_add(struct app *app, const struct args *a, struct err *e)
{
	const struct port *p = port_find(&app->ports, arg_port(a), e);
	struct rte_ether_addr mac = mac_of(a);

	if (p != NULL && p->info.driver_name != NULL &&
		strncmp(p->info.driver_name, "net_bnxt", strlen("net_bnxt")) == 0)
		return CALL(a->data, mac_vf, &mac, vf_of(a));
	return CALL(a->data, vf_mac, vf_of(a), &mac);
}

typedef int vf_rx_mode(uint16_t port, uint16_t vf, uint16_t mode, uint8_t on);

static int
rx_mode(struct app *app, const struct args *a, struct err *e)
{
	static const uint16_t modes[] = { RTE_ETH_VMDQ_ACCEPT_UNTAG, RTE_ETH_VMDQ_ACCEPT_HASH_UC,
		RTE_ETH_VMDQ_ACCEPT_BROADCAST, RTE_ETH_VMDQ_ACCEPT_MULTICAST };

	return CALL(a->data, vf_rx_mode, vf_of(a), modes[arg_u64(a, "mode", 0)],
		(uint8_t)arg_u64(a, "on", 0));
}

typedef int vf_rate(uint16_t port, uint16_t vf, uint32_t mbps, uint64_t queues);

static int
rate(struct app *app, const struct args *a, struct err *e)
{
	return CALL(a->data, vf_rate, vf_of(a), (uint32_t)arg_u64(a, "mbps", 0),
		arg_u64(a, "mask", 0));
}

typedef int vf_bandwidth(uint16_t port, uint16_t vf, uint32_t mbps);

static int
max_bandwidth(struct app *app, const struct args *a, struct err *e)
{
	return CALL(a->data, vf_bandwidth, vf_of(a), (uint32_t)arg_u64(a, "mbps", 0));
}

typedef int vf_tc_bandwidth(uint16_t port, uint16_t vf, uint8_t tc, uint32_t mbps);

static int
tc_max_bandwidth(struct app *app, const struct args *a, struct err *e)
{
	return CALL(a->data, vf_tc_bandwidth, vf_of(a), (uint8_t)arg_u64(a, "tc", 0),
		(uint32_t)arg_u64(a, "mbps", 0));
}

static int
strict_priority(struct app *app, const struct args *a, struct err *e)
{
	return CALL(a->data, port_switch, (uint8_t)arg_u64(a, "tcs", 0));
}

typedef int vf_only(uint16_t port, uint16_t vf);

static int
stats_clear(struct app *app, const struct args *a, struct err *e)
{
	return CALL(a->data, vf_only, vf_of(a));
}

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

typedef int vf_stats(uint16_t port, uint16_t vf, struct rte_eth_stats *stats);

/* Show the statistics of a VF. JSON: {"port", "vf", "rx_packets", ...}. */
static int
stats(struct app *app, const struct args *a, struct err *e)
{
	static const struct vf_op op = {
		{ FUNCTION("net_i40e", vf_stats, rte_pmd_i40e_get_vf_stats),
			FUNCTION("net_bnxt", vf_stats, rte_pmd_bnxt_get_vf_stats) },
		{ NULL, BAD_VF },
	};
	static const char border[] = "########################";
	struct rte_eth_stats all = { 0 };
	struct out *o = app->out;
	int ret = CALL(&op, vf_stats, vf_of(a), &all);

	if (ret != 0)
		return ret;
	out_text(o, "\n  %s NIC statistics for port %-2u vf %-2u %s\n", border, arg_port(a),
		vf_of(a), border);
	out_u64(o, "port", NULL, arg_port(a));
	out_u64(o, "vf", NULL, vf_of(a));
	stats_show(o, &all);
	out_text(o, "  %s############################%s\n", border, border);
	return 0;
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

/* Set the bandwidth shares of a VF's traffic classes. */
static int
tc_min_bandwidth(struct app *app, const struct args *a, struct err *e)
{
	static const struct port_driver_op op = { "net_i40e", BAD_VF " or bandwidth" };
	const uint64_t numbers[3] = { vf_of(a) };
	const uint16_t id = arg_port(a);
	uint8_t percent[PORT_VF_TCS], n;

	if (percents_read(a, percent, &n, e) != 0)
		return -e->code;
	return PORT_DRIVER_CALL(&app->ports, id, &op, numbers, e, rte_pmd_i40e_set_vf_tc_bw_alloc,
		vf_of(a), n, percent);
}

/* Set the bandwidth shares of all traffic classes of a stopped port. Further error: -EBUSY the port
 * is started. */
static int
tcs_min_bandwidth(struct app *app, const struct args *a, struct err *e)
{
	static const struct port_driver_op op = { "net_ixgbe", "invalid bandwidth" };
	const uint16_t id = arg_port(a);
	const struct port *p;
	uint8_t percent[PORT_VF_TCS], n;

	if (percents_read(a, percent, &n, e) != 0)
		return -e->code;
	p = port_find(&app->ports, id, e);
	if (p == NULL)
		return -e->code;
	if (p->state == PORT_STARTED)
		return err_set(e, EBUSY, "Please stop port %u first", id);
	return PORT_DRIVER_CALL(&app->ports, id, &op, NULL, e, rte_pmd_ixgbe_set_tc_bw_alloc, n,
		percent);
}

#define PORT "<port:port>"
#define N16 "0..65535"
#define N32 "0..4294967295"
#define N64 "0..18446744073709551615"
#define PORT_VF PORT " <vf:uint " N16 ">"
#define ON " <on:word off|on>"

static const struct cmd_row rows[] = {
	{ "set vf mac antispoof " PORT_VF ON, switch_vf,
		"drop a VF's packets with a foreign source MAC address", NULL,
		OP(ALL_OF(vf_switch, set_vf_mac_anti_spoof), BAD_SWITCH) },
	{ "set vf vlan antispoof " PORT_VF ON, switch_vf, "drop a VF's packets with a foreign VLAN",
		NULL, OP(ALL_OF(vf_switch, set_vf_vlan_anti_spoof), BAD_VF) },
	{ "set vf vlan stripq " PORT_VF ON, switch_vf,
		"strip VLAN tags from a VF's received packets", NULL,
		OP(ALL_OF(vf_switch, set_vf_vlan_stripq), BAD_SWITCH) },
	{ "set vf vlan insert " PORT_VF " <vlan:uint 0..4095>", vlan_insert,
		"insert a VLAN tag into a VF's transmitted packets (0: none)", NULL,
		OP(ALL_OF(vf_vlan, set_vf_vlan_insert), BAD_VF " or vlan_id %u") },
	{ "set vf vlan tag " PORT_VF ON, switch_vf,
		"allow a VF to send and receive packets with VLAN tags", NULL,
		OP(I40E(vf_switch, set_vf_vlan_tag), BAD_SWITCH) },
	{ "rx_vlan <what:word add|rm> <vlan:uint 0..4095> port " PORT " vf <mask:uint " N64 ">",
		vlan_filter, "add or remove a VLAN that VFs receive; vf is a bit mask", NULL,
		OP(ALL_OF(vlan_vfs, set_vf_vlan_filter), "invalid vlan_id %u or vf_mask %u",
			.lacks = "function not implemented or supported") },
	{ "set vf mac addr " PORT_VF " <mac:mac>", mac_set, "set a VF's MAC address", NULL,
		OP(ALL_OF(vf_mac, set_vf_mac_addr), BAD_VF " or mac_addr") },
	{ "mac_addr add port " PORT " vf <vf:uint " N16 "> <mac:mac>", mac_add,
		"add a MAC address to a VF", NULL,
		OP(I40E(vf_mac, add_vf_mac_addr) BNXT(mac_vf, mac_addr_add), NULL,
			.always = "vf_mac_addr_cmd error: (%s)",
			.lacks = "vf_mac_addr_cmd error: (Operation not supported)") },
	{ "set vf promisc " PORT_VF ON, switch_vf,
		"let a VF receive unicast packets for other addresses", NULL,
		OP(I40E(vf_switch, set_vf_unicast_promisc), BAD_VF) },
	{ "set vf allmulti " PORT_VF ON, switch_vf, "let a VF receive all multicast packets", NULL,
		OP(I40E(vf_switch, set_vf_multicast_promisc), BAD_VF) },
	{ "set vf broadcast " PORT_VF ON, switch_vf, "let a VF receive broadcast packets", NULL,
		OP(I40E(vf_switch, set_vf_broadcast), BAD_SWITCH) },
	{ "set vf split drop " PORT_VF ON, switch_vf,
		"drop packets for a full Rx queue of a VF instead of stalling its other queues",
		NULL,
		OP(IXGBE(vf_switch, set_vf_split_drop_en), BAD_SWITCH,
			.lacks = "not supported on port %u") },
	{ "set port " PORT " vf <vf:uint " N16 "> rxmode <mode:word AUPE|ROPE|BAM|MPE>" ON, rx_mode,
		"set what a VF accepts: AUPE untagged packets, ROPE unicast by hash, BAM broadcast, MPE multicast",
		NULL,
		OP(IXGBE_BNXT(vf_rx_mode, set_vf_rxmode), NULL,
			.lacks = "bad VF receive mode parameter",
			.always = "bad VF receive mode parameter: %s") },
	{ "set port " PORT " vf <vf:uint " N16 "> <way:word rx|tx>" ON, switch_traffic,
		"enable or disable reception or transmission of a VF", NULL, NULL },
	{ "set port " PORT " vf <vf:uint " N16 "> rate <mbps:uint " N16
	  " Mbit/s> queue_mask <mask:uint " N64 ">",
		rate, "limit the rate of a VF's queues in Mbit/s; queue_mask is a bit mask", NULL,
		OP(IXGBE_BNXT(vf_rate, set_vf_rate_limit), NULL,
			.lacks = "vf_rate_limit_cmd error: (Operation not supported)",
			.always = "vf_rate_limit_cmd error: (%s)") },
	{ "set vf tx max-bandwidth " PORT_VF " <mbps:uint " N32 " Mbit/s>", max_bandwidth,
		"set the maximum transmit rate of a VF in Mbit/s", NULL,
		OP(I40E(vf_bandwidth, set_vf_max_bw), BAD_VF " or bandwidth %u") },
	{ "set vf tc tx min-bandwidth " PORT_VF " <percents:text>", tc_min_bandwidth,
		"set the shares of a VF's traffic classes in percent: (10,20,70)", NULL, NULL },
	{ "set vf tc tx max-bandwidth " PORT_VF " <tc:uint 0..255> <mbps:uint " N32 " Mbit/s>",
		tc_max_bandwidth, "set the maximum transmit rate of a VF's traffic class in Mbit/s",
		NULL,
		OP(I40E(vf_tc_bandwidth, set_vf_tc_max_bw), BAD_VF ", tc_no %u or bandwidth %u") },
	{ "set tc tx min-bandwidth " PORT " <percents:text>", tcs_min_bandwidth,
		"set the shares of all traffic classes of a port and its VFs in percent: (10,20,70); the port must be stopped",
		NULL, NULL },
	{ "set tx strict-link-priority " PORT " <tcs:uint 0..255>", strict_priority,
		"set the traffic classes with strict priority, as a bit mask", NULL,
		OP(I40E(port_switch, set_tc_strict_prio), "invalid tc_bitmap 0x%x") },
	{ "set tx loopback " PORT ON, switch_port,
		"let a port's internal switch forward packets between the port and its VFs", NULL,
		OP(ALL_OF(port_switch, set_tx_loopback) DPAA(port_switch, set_tx_loopback),
			BAD_ON) },
	{ "set all queues drop " PORT ON, switch_port,
		"drop packets for full Rx queues of a port and its VFs", NULL,
		OP(IXGBE_BNXT(port_switch, set_all_queues_drop_en), BAD_ON) },
	{ "show vf stats " PORT_VF, stats, "show the statistics of a VF", NULL, NULL,
		.shows = true },
	{ "clear vf stats " PORT_VF, stats_clear, "reset the statistics of a VF", NULL,
		OP(I40E(vf_only, reset_vf_stats) BNXT(vf_only, reset_vf_stats), BAD_VF) },
};

const struct cmd_table cmds_vf = { "vf", "virtual functions", rows, ARRAY_SIZE(rows), CMD_DRIVERS };
