/* Commands for bonding ports, in testpmd's old and new spelling. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/commands/types_app.h"
#include "cmdline/grammar/grammar.h"
#include "features/bond/port_bond.h"

#include <errno.h>
#include <string.h>

static int
create(struct app *app, const struct args *a, struct err *e)
{
	int ret = port_bond_create(&app->ports, (uint8_t)arg_u64(a, "mode", 0),
		(uint8_t)arg_u64(a, "socket", 0), e);

	run_ports_changed(&app->run);
	return ret;
}

static int
member(struct app *app, const struct args *a, struct err *e)
{
	int ret = port_bond_member(&app->ports, arg_port(a), (uint16_t)arg_u64(a, "other", 0),
		a->data != NULL, e);

	run_ports_changed(&app->run);
	return ret;
}

static int
change(struct app *app, const struct args *a, struct err *e)
{
	const enum port_bond_op *op = a->data;

	return port_bond_do(&app->ports, arg_port(a), *op, (uint32_t)arg_u64(a, "value", 0), e);
}

static int
mac(struct app *app, const struct args *a, struct err *e)
{
	const struct arg *address = arg_find(a, "mac");
	struct rte_ether_addr to;

	memcpy(to.addr_bytes, address->mac, sizeof(to.addr_bytes));
	return port_bond_mac(&app->ports, arg_port(a), &to, e);
}

static int
dedicated(struct app *app, const struct args *a, struct err *e)
{
	return port_bond_dedicated(&app->ports, arg_port(a), arg_is(a, "state", "enable"), e);
}

static int
show(struct app *app, const struct args *a, struct err *e)
{
	return port_bond_show(&app->ports, arg_port(a), e);
}

static int
lacp_show(struct app *app, const struct args *a, struct err *e)
{
	return port_bond_lacp_show(&app->ports, arg_port(a), e);
}

static const bool adds = true;

#define OP(op) \
	NULL, &(const enum port_bond_op) \
	{ \
		op \
	}

static const struct cmd_row rows[] = {
	{ "create (bonded|bonding) device <mode:uint 0..6> <socket:uint 0..255>", create,
		"create a bonding port; mode 0: round robin, 1: active-backup, 2: balance, 3: broadcast, 4: 802.3ad, 5: transmit load balancing, 6: adaptive load balancing",
		NULL, NULL },
	{ "add bonding (slave|member) <other:port> <port:port>", member,
		"add a member to a bonding port, which starts and stops it from now on", NULL,
		&adds },
	{ "remove bonding (slave|member) <other:port> <port:port>", member,
		"remove a member from a bonding port; it becomes an ordinary port again", NULL,
		NULL },
	{ "set bonding mode <value:uint 0..6> <port:port>", change,
		"set the mode of a bonding port; the port must be stopped", OP(PORT_BOND_MODE) },
	{ "set bonding primary <value:port> <port:port>", change,
		"set the primary member of a bonding port", OP(PORT_BOND_PRIMARY) },
	{ "set bonding mac_addr <port:port> <mac:mac>", mac,
		"set the MAC address of a bonding port", NULL, NULL },
	{ "set bonding balance_xmit_policy <port:port> <value:word l2|l23|l34>", change,
		"set the headers whose hash selects the transmitting member",
		OP(PORT_BOND_POLICY) },
	{ "set bonding mon_period <port:port> <value:uint 0..4294967295>", change,
		"set the interval between link checks of the members, in ms",
		OP(PORT_BOND_PERIOD) },
	{ "set bonding lacp dedicated_queues <port:port> <state:word enable|disable>", dedicated,
		"use separate queues for LACP packets; the port must be stopped", NULL, NULL },
	{ "set bonding agg_mode <port:port> <value:word bandwidth|count|stable>", change,
		"set how an 802.3ad port selects an aggregation group: by bandwidth, by number of members, or keep the current one",
		OP(PORT_BOND_AGGREGATOR) },
	{ "show bonding config <port:port>", show, "show the mode and members of a bonding port",
		NULL, NULL },
	{ "show bonding lacp info <port:port>", lacp_show,
		"show the LACP timers and partners of a bonding port", NULL, NULL },
};

const struct cmd_table cmds_bond = { "bonding", "bonding ports", rows, ARRAY_SIZE(rows) };
