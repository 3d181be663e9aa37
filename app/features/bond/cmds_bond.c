/* Commands of bonding ports, with testpmd's words, old and new. */
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
		"a port of several: 0 round robin, 1 active and backup, 2 balance, 3 broadcast, 4 802.3ad, 5 adaptive, 6 adaptive both ways",
		NULL, NULL },
	{ "add bonding (slave|member) <other:port> <port:port>", member,
		"a member of a bonding port, which starts and stops it", NULL, &adds },
	{ "remove bonding (slave|member) <other:port> <port:port>", member,
		"no longer: a port by itself", NULL, NULL },
	{ "set bonding mode <value:uint 0..6> <port:port>", change,
		"how a bonding port uses its members; port stopped", OP(PORT_BOND_MODE) },
	{ "set bonding primary <value:port> <port:port>", change,
		"the member that comes before all others", OP(PORT_BOND_PRIMARY) },
	{ "set bonding mac_addr <port:port> <mac:mac>", mac, "the MAC address of all of it", NULL,
		NULL },
	{ "set bonding balance_xmit_policy <port:port> <value:word l2|l23|l34>", change,
		"what of a packet chooses the member that sends it", OP(PORT_BOND_POLICY) },
	{ "set bonding mon_period <port:port> <value:uint 0..4294967295>", change,
		"milliseconds between looks at the members' links", OP(PORT_BOND_PERIOD) },
	{ "set bonding lacp dedicated_queues <port:port> <state:word enable|disable>", dedicated,
		"queues of their own for LACP's packets; port stopped", NULL, NULL },
	{ "set bonding agg_mode <port:port> <value:word bandwidth|count|stable>", change,
		"by which an 802.3ad port chooses among groups of members",
		OP(PORT_BOND_AGGREGATOR) },
	{ "show bonding config <port:port>", show, "mode and members of a bonding port", NULL,
		NULL },
	{ "show bonding lacp info <port:port>", lacp_show, "LACP's timers and partners", NULL,
		NULL },
};

const struct cmd_table cmds_bond = { "bonding", "bonding ports", rows, ARRAY_SIZE(rows) };
