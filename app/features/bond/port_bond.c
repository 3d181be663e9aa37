/* Bonding ports of the driver net_bonding, and their commands. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "compat.h"
#include "port/port.h"
#include "port/port_conf.h"
#include "port/port_driver.h"
#include "port/port_feature.h"
#include "port/port_setup.h"

#include <rte_eth_bond.h>
#include <rte_eth_bond_8023ad.h>
#include <rte_ether.h>

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const struct port_driver_op op = { "net_bonding", .lacks = "not a bonding port" };

/* The driver's function for a bonding port, or NULL with e filled. */
#define FIND(ps, id, function, e) PORT_DRIVER_FIND(ps, id, &op, function, e)

static bool
is_bonding(const struct port *p)
{
	return p->info.driver_name != NULL && strcmp(p->info.driver_name, "net_bonding") == 0;
}

/* Choose the first unused name. */
static void
name_choose(char *name, size_t bytes)
{
	unsigned int n = 0;
	uint16_t id;

	do
		snprintf(name, bytes, "net_bonding_testpmd_%u", n++);
	while (rte_eth_dev_get_port_by_name(name, &id) == 0);
}

/*
 * Create a bonding port without members, stopped. mode: 0..6. JSON: {"device", "port"}. Errors of
 * all functions: -ENODEV; -ENOTSUP net_bonding is missing, or the port has another driver; the
 * driver's error, in testpmd's words. Thread: control, for all of this file.
 */
static int
port_bond_create(struct ports *ps, uint8_t mode, uint8_t socket, struct err *e)
{
	__typeof__(&rte_eth_bond_create) create = PORT_DRIVER_SYMBOL(rte_eth_bond_create);
	char name[RTE_ETH_NAME_MAX_LEN];
	struct port *p;
	int id;

	if (create == NULL)
		return err_set(e, ENOTSUP,
			"Failed to create " COMPAT_BOND_DEVICE ".: net_bonding is not loaded");
	if (ps->forwarding)
		return err_set(e, EBUSY, "Please stop forwarding first");
	name_choose(name, sizeof(name));
	pthread_mutex_lock(&ps->reading);
	id = create(name, mode, socket);
	pthread_mutex_unlock(&ps->reading);
	if (id < 0)
		return err_set(e, -id, "Failed to create " COMPAT_BOND_DEVICE ".: %s",
			strerror(-id));
	port_probe(ps);
	p = port_at(ps, (uint16_t)id);
	if (p == NULL)
		return err_set(e, ENODEV, "bonding port %d was created but not found", id);
	out_text(ps->out, "Created new " COMPAT_BOND_DEVICE " ");
	out_str(ps->out, "device", "%s", name);
	out_u64(ps->out, "port", " on (port %" PRIu64 ").\n", id);
	if (port_setup_prepare(ps, p, e) != 0)
		return -e->code;
	port_setup_promiscuous(ps, p);
	return 0;
}

/*
 * A bonding port has the capabilities of its members: read them again, and set fast free as on
 * other ports.
 */
static int
refresh(struct ports *ps, struct port *p, struct err *e)
{
	const uint64_t fast_free = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
	const uint64_t wanted = strtoull(setting_text(ps->settings, "tx-offloads"), NULL, 16);
	struct rte_eth_dev_info info;
	int ret = rte_eth_dev_info_get(p->id, &info);

	if (ret != 0)
		return err_set(e, abs(ret), "port %u: cannot read device information: %s", p->id,
			strerror(abs(ret)));
	p->info = info;
	p->configured = p->queues_configured = false;
	return port_conf_offload(ps, p->id, false, fast_free,
		(wanted & info.tx_offload_capa & fast_free) != 0, e);
}

static void
member_set(struct port *member, const struct port *of)
{
	member->member = of != NULL;
	member->member_of = of != NULL ? of->id : 0;
	member->configured = member->queues_configured = false; /* the bonding port configured it */
}

/*
 * Add or remove a member. This changes the bonding port's capabilities. A member does not forward;
 * the bonding port starts and stops it.
 */
static int
port_bond_member(struct ports *ps, uint16_t id, uint16_t member, bool add, struct err *e)
{
	__typeof__(&compat_bond_member_add) change = add
		? FIND(ps, id, compat_bond_member_add, e)
		: FIND(ps, id, compat_bond_member_remove, e);
	struct port *p = port_at(ps, id), *m;
	int ret;

	if (change == NULL)
		return -e->code;
	m = port_find(ps, member, e);
	if (m == NULL)
		return -e->code;
	if (ps->forwarding)
		return err_set(e, EBUSY, "Please stop forwarding first");
	pthread_mutex_lock(&ps->reading);
	ret = change(id, member);
	pthread_mutex_unlock(&ps->reading);
	if (ret != 0)
		return err_set(e, ret < -1 ? -ret : EINVAL,
			"Failed to %s " COMPAT_BOND_MEMBER " %u %s " COMPAT_BOND_MAIN " port = %u.",
			add ? "add" : "remove", member, add ? "to" : "from", id);
	member_set(m, add ? p : NULL);
	if (p->state == PORT_STARTED) {
		m->state = PORT_STARTED;
		return 0;
	}
	return refresh(ps, p, e);
}

/* Convert what a function returned that sets a property. */
static int
set_result(int ret, const char *what, uint16_t id, struct err *e)
{
	if (ret == 0)
		return 0;
	return err_set(e, abs(ret), "Failed to set %s for port = %u.", what, id);
}

/* Set the mode. Further error: -EBUSY the port must be stopped first. */
static int
mode_set(struct app *app, const struct args *a, struct err *e)
{
	const uint16_t id = arg_port(a);
	__typeof__(&rte_eth_bond_mode_set) set = FIND(&app->ports, id, rte_eth_bond_mode_set, e);

	if (set == NULL)
		return -e->code;
	if (port_at(&app->ports, id)->state == PORT_STARTED)
		return err_set(e, EBUSY,
			"Error: Can't set bonding mode when port %u is not stopped", id);
	return set_result(set(id, (uint8_t)arg_u64(a, "value", 0)), "bonding mode", id, e);
}

static int
primary_set(struct app *app, const struct args *a, struct err *e)
{
	const uint16_t id = arg_port(a);
	__typeof__(&rte_eth_bond_primary_set) set =
		FIND(&app->ports, id, rte_eth_bond_primary_set, e);

	if (set == NULL)
		return -e->code;
	return set_result(set(id, (uint16_t)arg_u64(a, "value", 0)), "primary " COMPAT_BOND_MEMBER,
		id, e);
}

static int
policy_set(struct app *app, const struct args *a, struct err *e)
{
	static const uint8_t policies[] = { BALANCE_XMIT_POLICY_LAYER2, BALANCE_XMIT_POLICY_LAYER23,
		BALANCE_XMIT_POLICY_LAYER34 };
	const uint16_t id = arg_port(a);
	__typeof__(&rte_eth_bond_xmit_policy_set) set =
		FIND(&app->ports, id, rte_eth_bond_xmit_policy_set, e);

	if (set == NULL)
		return -e->code;
	return set_result(set(id, policies[arg_u64(a, "value", 0)]), "bonding balance xmit policy",
		id, e);
}

static int
period_set(struct app *app, const struct args *a, struct err *e)
{
	const uint16_t id = arg_port(a);
	__typeof__(&rte_eth_bond_link_monitoring_set) set =
		FIND(&app->ports, id, rte_eth_bond_link_monitoring_set, e);
	int ret;

	if (set == NULL)
		return -e->code;
	ret = set(id, (uint32_t)arg_u64(a, "value", 0));
	if (ret != 0)
		return err_set(e, abs(ret), "set_bond_mac_addr error: (%s)", strerror(abs(ret)));
	return 0;
}

static int
aggregator_set(struct app *app, const struct args *a, struct err *e)
{
	const uint16_t id = arg_port(a);
	__typeof__(&rte_eth_bond_8023ad_agg_selection_set) set =
		FIND(&app->ports, id, rte_eth_bond_8023ad_agg_selection_set, e);

	if (set == NULL)
		return -e->code;
	return set_result(set(id, (enum rte_bond_8023ad_agg_selection)arg_u64(a, "value", 0)),
		"aggregation mode", id, e);
}

/* Set the MAC address of the bonding port. */
static int
mac_set(struct app *app, const struct args *a, struct err *e)
{
	const uint16_t id = arg_port(a);
	__typeof__(&rte_eth_bond_mac_address_set) set =
		FIND(&app->ports, id, rte_eth_bond_mac_address_set, e);
	struct rte_ether_addr mac;
	int ret;

	if (set == NULL)
		return -e->code;
	memcpy(mac.addr_bytes, arg_find(a, "mac")->mac, sizeof(mac.addr_bytes));
	ret = set(id, &mac);
	if (ret < 0)
		return err_set(e, -ret, "set_bond_mac_addr error: (%s)", strerror(-ret));
	rte_eth_macaddr_get(id, &port_at(&app->ports, id)->mac);
	return 0;
}

/* Use separate queues for LACP packets, or not. Further error: -EBUSY the port is started. */
static int
port_bond_dedicated(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	bool on = arg_is(a, "state", "enable");
	__typeof__(&rte_eth_bond_8023ad_dedicated_queues_enable) set = on
		? FIND(ps, id, rte_eth_bond_8023ad_dedicated_queues_enable, e)
		: FIND(ps, id, rte_eth_bond_8023ad_dedicated_queues_disable, e);

	if (set == NULL)
		return -e->code;
	if (port_at(ps, id)->state == PORT_STARTED)
		return err_set(e, EBUSY, "Please stop port %u first", id);
	if (set(id) != 0)
		return err_set(e, EINVAL,
			on ? "Enabling dedicate queues for LACP control packets on port %u failed"
			   : "Disabling dedicated queues for LACP control traffic on port %u failed",
			id);
	out_say(ps->out,
		on ? "Dedicate queues for LACP control packets enabled\n"
		   : "Dedicated queues for LACP control packets disabled\n");
	return 0;
}

/* A number from the driver; get: from FIND(). Negative: an error, in e. */
static int
number_get(uint16_t id, int (*get)(uint16_t id), const char *what, struct err *e)
{
	int n = get != NULL ? get(id) : -1;

	if (get != NULL && n < 0)
		err_set(e, EINVAL, "Failed to get %s for port = %u", what, id);
	return n;
}

static int
members_show(const struct ports *ps, uint16_t id, bool active, struct err *e)
{
	__typeof__(&compat_bond_members_get) get = active
		? FIND(ps, id, compat_bond_active_members_get, e)
		: FIND(ps, id, compat_bond_members_get, e);
	const char *name = active ? "Active " COMPAT_BOND_MEMBERS : COMPAT_BOND_MEMBERS;
	uint16_t ids[RTE_MAX_ETHPORTS];
	int i, n;

	if (get == NULL)
		return -e->code;
	n = get(id, ids, RTE_MAX_ETHPORTS);
	if (n < 0)
		return err_set(e, EINVAL,
			"Failed to get %s" COMPAT_BOND_MEMBER " list for port = %u",
			active ? "active " : "", id);
	out_text(ps->out, n > 0 ? "\t%s (%d): [" : "\t%s: [", name, n);
	out_nest(ps->out, active ? "active" : "members", OUT_ARRAY);
	for (i = 0; i < n; i++) {
		out_text(ps->out, "%s", i > 0 ? " " : "");
		out_u64(ps->out, "", "%" PRIu64, ids[i]);
	}
	out_unnest(ps->out);
	out_text(ps->out, "]\n");
	return 0;
}

static const char *const aggregators
	[] = { [AGG_BANDWIDTH] = "bandwidth", [AGG_COUNT] = "count", [AGG_STABLE] = "stable" };

/* Show how packets are spread over members, in modes with a choice. */
static int
policy_show(const struct ports *ps, uint16_t id, int mode, struct err *e)
{
	static const char *const names[] = { [BALANCE_XMIT_POLICY_LAYER2] = "LAYER2",
		[BALANCE_XMIT_POLICY_LAYER23] = "LAYER23",
		[BALANCE_XMIT_POLICY_LAYER34] = "LAYER34" };
	int n;

	if (mode != BONDING_MODE_BALANCE && mode != BONDING_MODE_8023AD)
		return 0;
	n = number_get(id, FIND(ps, id, rte_eth_bond_xmit_policy_get, e), "balance xmit policy", e);
	if (n < 0)
		return -e->code;
	out_str(ps->out, "policy", "\tBalance Xmit Policy: BALANCE_XMIT_POLICY_%s\n",
		n < (int)ARRAY_SIZE(names) ? names[n] : "");
	if (mode != BONDING_MODE_8023AD)
		return 0;
	n = number_get(id, FIND(ps, id, rte_eth_bond_8023ad_agg_selection_get, e),
		"aggregator mode", e);
	if (n < 0)
		return -e->code;
	out_str(ps->out, "aggregator", "\tIEEE802.3AD Aggregator Mode: %s\n",
		n < (int)ARRAY_SIZE(aggregators) ? aggregators[n] : "");
	return 0;
}

/*
 * Show the configuration; JSON: {"mode", "policy", "aggregator", "members": [], "active": [],
 * "primary"}, without keys that the mode does not have. Show LACP; JSON: {"port", periods in ms,
 * "members": [{...}]}.
 */
static int
port_bond_show(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	const int mode = number_get(id, FIND(ps, id, rte_eth_bond_mode_get, e), "bonding mode", e);
	int primary;

	if (mode < 0)
		return -e->code;
	out_u64(ps->out, "mode", "\tBonding mode: %" PRIu64 "\n", mode);
	if (policy_show(ps, id, mode, e) != 0 || members_show(ps, id, false, e) != 0 ||
		members_show(ps, id, true, e) != 0)
		return -e->code;
	primary = number_get(id, FIND(ps, id, rte_eth_bond_primary_get, e),
		"primary " COMPAT_BOND_MEMBER, e);
	if (primary < 0)
		return -e->code;
	out_u64(ps->out, "primary", "\tPrimary: [%" PRIu64 "]\n", primary);
	return 0;
}

static void
lacp_conf_show(struct out *o, const struct rte_eth_bond_8023ad_conf *c)
{
	out_u64(o, "fast_period_ms", "\tfast period: %" PRIu64 " ms\n", c->fast_periodic_ms);
	out_u64(o, "slow_period_ms", "\tslow period: %" PRIu64 " ms\n", c->slow_periodic_ms);
	out_u64(o, "short_timeout_ms", "\tshort timeout: %" PRIu64 " ms\n", c->short_timeout_ms);
	out_u64(o, "long_timeout_ms", "\tlong timeout: %" PRIu64 " ms\n", c->long_timeout_ms);
	out_u64(o, "wait_timeout_ms", "\taggregate wait timeout: %" PRIu64 " ms\n",
		c->aggregate_wait_timeout_ms);
	out_u64(o, "tx_period_ms", "\ttx period: %" PRIu64 " ms\n", c->tx_period_ms);
	out_u64(o, "marker_period_ms", "\trx marker period: %" PRIu64 " ms\n",
		c->rx_marker_period_ms);
	out_u64(o, "update_timeout_ms", "\tupdate timeout: %" PRIu64 " ms\n", c->update_timeout_ms);
	out_str(o, "aggregator", "\taggregation mode: %s\n",
		(size_t)c->agg_selection < ARRAY_SIZE(aggregators) ? aggregators[c->agg_selection]
								   : "invalid");
	out_text(o, "\n");
}

/* Show LACP's state of one end of a link, actor or partner. */
static void
end_show(struct out *o, const char *key, const char *title, const struct port_params *p,
	uint8_t state)
{
	static const char *const states[] = { "ACTIVE", "TIMEOUT", "AGGREGATION", "SYNCHRONIZATION",
		"COLLECTING", "DISTRIBUTING", "DEFAULTED", "EXPIRED" };
	char mac[RTE_ETHER_ADDR_FMT_SIZE];

	rte_ether_format_addr(mac, sizeof(mac), &p->system);
	out_nest(o, key, OUT_OBJECT);
	out_text(o, "\t%s detail info:\n", title);
	out_u64(o, "system_priority", "\t\tsystem priority: %" PRIu64 "\n", p->system_priority);
	out_str(o, "system", "\t\tsystem mac address: %s\n", mac);
	out_u64(o, "key", "\t\tport key: %" PRIu64 "\n", p->key);
	out_u64(o, "priority", "\t\tport priority: %" PRIu64 "\n", p->port_priority);
	out_u64(o, "number", "\t\tport number: %" PRIu64 "\n", p->port_number);
	out_text(o, "\t\tport state: ");
	out_nest(o, "state", OUT_ARRAY);
	for (unsigned int i = 0; i < ARRAY_SIZE(states); i++)
		if ((state >> i & 1) != 0)
			out_str(o, "", "%s ", states[i]);
	out_unnest(o);
	out_text(o, "\n");
	out_unnest(o);
}

static void
lacp_member_show(struct out *o, uint16_t member, const struct compat_bond_member_info *info)
{
	static const char *const selections[] = { "UNSELECTED", "STANDBY", "SELECTED" };

	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "port", "\t" COMPAT_BOND_MEMBER_TITLE " Port: %" PRIu64 "\n", member);
	out_u64(o, "aggregator_port", "\tAggregator port id: %" PRIu64 "\n", info->agg_port_id);
	out_str(o, "selection", "\tselection: %s\n",
		(size_t)info->selected < ARRAY_SIZE(selections) ? selections[info->selected] : "");
	end_show(o, "actor", "Actor", &info->actor, info->actor_state);
	end_show(o, "partner", "Partner", &info->partner, info->partner_state);
	out_unnest(o);
	out_text(o, "\n");
}

/* Show LACP's state of each active member. */
static int
lacp_members_show(const struct ports *ps, uint16_t id, const uint16_t *ids, int n, struct err *e)
{
	__typeof__(&compat_bond_member_info) get = FIND(ps, id, compat_bond_member_info, e);
	struct compat_bond_member_info info;
	int ret = 0;

	if (get == NULL)
		return -e->code;
	out_nest(ps->out, "members", OUT_ARRAY);
	for (int i = 0; ret == 0 && i < n; i++) {
		if (get(id, ids[i], &info) != 0)
			ret = err_set(e, EINVAL, "Get " COMPAT_BOND_MEMBER " device %u info failed",
				ids[i]);
		else
			lacp_member_show(ps->out, ids[i], &info);
	}
	out_unnest(ps->out);
	return ret;
}

static int
port_bond_lacp_show(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	const int mode = number_get(id, FIND(ps, id, rte_eth_bond_mode_get, e), "bonding mode", e);
	__typeof__(&rte_eth_bond_8023ad_conf_get) conf_get;
	__typeof__(&compat_bond_active_members_get) members_get;
	struct rte_eth_bond_8023ad_conf conf = { 0 };
	uint16_t ids[RTE_MAX_ETHPORTS];
	int n;

	if (mode < 0)
		return -e->code;
	if (mode != BONDING_MODE_8023AD)
		return err_set(e, EINVAL, "Bonding mode is not mode 4");
	conf_get = FIND(ps, id, rte_eth_bond_8023ad_conf_get, e);
	if (conf_get == NULL)
		return -e->code;
	members_get = FIND(ps, id, compat_bond_active_members_get, e);
	if (members_get == NULL)
		return -e->code;
	n = members_get(id, ids, RTE_MAX_ETHPORTS);
	if (n <= 0)
		out_warn(ps->out, "\tIEEE802.3 port %u has no active " COMPAT_BOND_MEMBER "\n", id);
	out_u64(ps->out, "port", "\tIEEE802.3 port: %" PRIu64 "\n", id);
	if (conf_get(id, &conf) != 0)
		return err_set(e, EINVAL, "Get " COMPAT_BOND_DEVICE " %u info failed", id);
	lacp_conf_show(ps->out, &conf);
	return lacp_members_show(ps, id, ids, n, e);
}

/* Call f for each member of a bonding port. */
static void
members_each(struct ports *ps, const struct port *p,
	void (*f)(struct port *m, const struct port *p))
{
	__typeof__(&compat_bond_members_get) get =
		is_bonding(p) ? FIND(ps, p->id, compat_bond_members_get, NULL) : NULL;
	uint16_t ids[RTE_MAX_ETHPORTS];
	const int n = get != NULL ? get(p->id, ids, RTE_MAX_ETHPORTS) : 0;

	for (int i = 0; i < n; i++) {
		struct port *m = port_at(ps, ids[i]);

		if (m != NULL)
			f(m, p);
	}
}

static void
follow(struct port *m, const struct port *p)
{
	m->state = p->state;
	member_set(m, p);
}

/* Members take the state of their bonding port. */
static void
changed(struct ports *ps, struct port *p)
{
	members_each(ps, p, follow);
}

static void
release(struct port *m, const struct port *p)
{
	member_set(m, NULL);
	m->state = PORT_STOPPED;
}

static void
closed(struct ports *ps, struct port *p)
{
	members_each(ps, p, release);
}

/* Starts and stops members with their bonding port, and releases them when it closes. */
const struct port_feature port_feature_bond = {
	.name = "bond",
	.at = { [PORT_CHANGED] = changed, [PORT_CLOSED] = closed },
};

/* Commands for bonding ports, in testpmd's old and new spelling. */

static int
cmd_create(struct app *app, const struct args *a, struct err *e)
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

static const bool adds = true;

static const struct cmd_row rows[] = {
	{ "create (bonded|bonding) device <mode:uint 0..6> <socket:uint 0..255>", cmd_create,
		"create a bonding port; mode 0: round robin, 1: active-backup, 2: balance, 3: broadcast, 4: 802.3ad, 5: transmit load balancing, 6: adaptive load balancing",
		NULL, NULL },
	{ "add bonding (slave|member) <other:port> <port:port>", member,
		"add a member to a bonding port, which starts and stops it from now on", NULL,
		&adds },
	{ "remove bonding (slave|member) <other:port> <port:port>", member,
		"remove a member from a bonding port; it becomes an ordinary port again", NULL,
		NULL },
	{ "set bonding mode <value:uint 0..6> <port:port>", mode_set,
		"set the mode of a bonding port; the port must be stopped", NULL, NULL },
	{ "set bonding primary <value:port> <port:port>", primary_set,
		"set the primary member of a bonding port", NULL, NULL },
	{ "set bonding mac_addr <port:port> <mac:mac>", mac_set,
		"set the MAC address of a bonding port", NULL, NULL },
	{ "set bonding balance_xmit_policy <port:port> <value:word l2|l23|l34>", policy_set,
		"set the headers whose hash selects the transmitting member", NULL, NULL },
	{ "set bonding mon_period <port:port> <value:uint 0..4294967295>", period_set,
		"set the interval between link checks of the members, in ms", NULL, NULL },
	{ "set bonding lacp dedicated_queues <port:port> <state:word enable|disable>",
		port_bond_dedicated,
		"use separate queues for LACP packets; the port must be stopped", NULL, NULL },
	{ "set bonding agg_mode <port:port> <value:word bandwidth|count|stable>", aggregator_set,
		"set how an 802.3ad port selects an aggregation group: by bandwidth, by number of members, or keep the current one",
		NULL, NULL },
	{ "show bonding config <port:port>", port_bond_show,
		"show the mode and members of a bonding port", NULL, NULL, .shows = true },
	{ "show bonding lacp info <port:port>", port_bond_lacp_show,
		"show the LACP timers and partners of a bonding port", NULL, NULL, .shows = true },
};

const struct cmd_table cmds_bond = { "bonding", "bonding ports", rows, ARRAY_SIZE(rows),
	CMD_DRIVERS };
