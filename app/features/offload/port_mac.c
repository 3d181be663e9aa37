/* MAC addresses of ports: own, additional, multicast, the peer's; promiscuous and all-multicast
 * mode. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/offload/port_mac.h"

#include "app.h"
#include "args.h"
#include "base/err.h"
#include "cmdline/grammar/grammar.h"
#include "port/port.h"

#include <rte_ether.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The MAC address that a line names. */
static struct rte_ether_addr
mac_of(const struct args *a)
{
	struct rte_ether_addr mac;

	memcpy(mac.addr_bytes, arg_find(a, "mac")->mac, sizeof(mac.addr_bytes));
	return mac;
}

int
port_mac_change(struct app *app, const struct args *a, struct err *e)
{
	const uint16_t id = arg_port(a);
	struct port *p = port_find(&app->ports, id, e);
	struct rte_ether_addr address = mac_of(a);
	int ret;

	if (p == NULL)
		return -ENODEV;
	if (arg_is(a, "what", "add"))
		ret = rte_eth_dev_mac_addr_add(id, &address, 0);
	else if (arg_is(a, "what", "set"))
		ret = rte_eth_dev_default_mac_addr_set(id, &address);
	else
		ret = rte_eth_dev_mac_addr_remove(id, &address);
	if (ret < 0)
		return err_set(e, -ret, "mac_addr_cmd error: (%s)", strerror(-ret));
	rte_eth_macaddr_get(id, &p->mac);
	return 0;
}

/* Pass the list of multicast addresses to the driver. */
static int
multicast_apply(struct port *p, struct err *e)
{
	int ret = rte_eth_dev_set_mc_addr_list(p->id, p->mcast, p->n_mcast);

	if (ret < 0)
		return err_set(e, -ret,
			"rte_eth_dev_set_mc_addr_list(port=%u, nb=%u) failed. diag=%d", p->id,
			p->n_mcast, ret);
	return 0;
}

static int
multicast_add(struct port *p, const struct rte_ether_addr *mac, struct err *e)
{
	int ret;

	if (p->n_mcast == PORT_MCAST_MAX)
		return err_set(e, ENOSPC, "port %u: at most %u multicast addresses", p->id,
			PORT_MCAST_MAX);
	p->mcast[p->n_mcast++] = *mac;
	ret = multicast_apply(p, e);
	if (ret != 0)
		p->n_mcast--;
	return ret;
}

static int
multicast_remove(struct port *p, unsigned int at, struct err *e)
{
	const struct rte_ether_addr mac = p->mcast[at];
	const size_t behind = (p->n_mcast - at - 1) * sizeof(mac);
	int ret;

	memmove(&p->mcast[at], &p->mcast[at + 1], behind);
	p->n_mcast--;
	ret = multicast_apply(p, e);
	if (ret == 0)
		return 0;
	memmove(&p->mcast[at + 1], &p->mcast[at], behind);
	p->mcast[at] = mac;
	p->n_mcast++;
	return ret;
}

int
port_mac_multicast(struct app *app, const struct args *a, struct err *e)
{
	const struct rte_ether_addr mac = mac_of(a);
	const bool add = arg_is(a, "what", "add");
	char text[RTE_ETHER_ADDR_FMT_SIZE];
	unsigned int at = 0;
	struct port *p;

	rte_ether_format_addr(text, sizeof(text), &mac);
	if (!rte_is_multicast_ether_addr(&mac))
		return err_set(e, EINVAL, "Invalid multicast addr %s", text);
	p = port_find(&app->ports, arg_port(a), e);
	if (p == NULL)
		return -ENODEV;
	while (at < p->n_mcast && !rte_is_same_ether_addr(&mac, &p->mcast[at]))
		at++;
	if (add && at < p->n_mcast)
		return err_set(e, EADDRINUSE, "multicast address already filtered by port");
	if (!add && at == p->n_mcast)
		return err_set(e, EADDRNOTAVAIL, "multicast address not filtered by port %u",
			p->id);
	return add ? multicast_add(p, &mac, e) : multicast_remove(p, at, e);
}

int
port_mac_multicast_flush(struct ports *ps, uint16_t id, struct err *e)
{
	struct port *p = port_find(ps, id, e);
	int ret;

	if (p == NULL)
		return -ENODEV;
	ret = rte_eth_dev_set_mc_addr_list(id, NULL, 0);
	if (ret != 0)
		return err_set(e, abs(ret),
			"Failed to flush all multicast MAC addresses on port_id %u: %s", id,
			strerror(abs(ret)));
	p->n_mcast = 0;
	return 0;
}

int
port_mac_hash(struct ports *ps, const struct args *a, struct err *e)
{
	const bool one = arg_given(a, "mac"), on = arg_on(a);
	const uint16_t id = arg_port(a);
	struct rte_ether_addr address;
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -ENODEV;
	if (one)
		address = mac_of(a);
	ret = one ? rte_eth_dev_uc_hash_table_set(id, &address, on)
		  : rte_eth_dev_uc_all_hash_table_set(id, on);
	if (ret < 0)
		return err_set(e, -ret, "bad unicast hash table parameter, return code = %d", ret);
	return 0;
}

int
port_mac_peer(struct app *app, const struct args *a, struct err *e)
{
	const char *text = arg_str(a, "mac", "");
	struct port *p = port_at(&app->ports, arg_port(a));
	struct rte_ether_addr mac;

	if (app->ports.forwarding)
		return err_set(e, EBUSY, "Please stop forwarding first");
	if (p == NULL)
		return port_invalid(&app->ports, "Error: Invalid port number", arg_port(a), e);
	if (rte_ether_unformat_addr(text, &mac) < 0)
		return err_set(e, EINVAL, "Error: Invalid ethernet address: %s", text);
	p->peer = mac;
	return 0;
}

/* Switch a mode of one port or all ports; on and off return the driver's result. */
static int
mode_switch(struct app *app, const struct args *a, const char *mode, int (*on)(uint16_t id),
	int (*off)(uint16_t id), struct err *e)
{
	uint16_t ids[RTE_MAX_ETHPORTS] = { arg_port(a) };
	struct ports *ps = &app->ports;
	unsigned int i, n = 1;
	int ret = 0;

	if (ids[0] == PORT_ALL)
		n = port_ids(ps, ids);
	for (i = 0; i < n; i++) {
		int port_ret = port_at(ps, ids[i]) == NULL ? -ENODEV
			: arg_on(a)                        ? on(ids[i])
							   : off(ids[i]);

		if (port_ret != 0)
			ret = port_fail(ps, e, abs(port_ret),
				"Error during %s %s mode for port %u: %s",
				arg_on(a) ? "enabling" : "disabling", mode, ids[i],
				strerror(abs(port_ret)));
	}
	return ret;
}

int
port_promiscuous(struct app *app, const struct args *a, struct err *e)
{
	return mode_switch(app, a, "promiscuous", rte_eth_promiscuous_enable,
		rte_eth_promiscuous_disable, e);
}

int
port_allmulticast(struct app *app, const struct args *a, struct err *e)
{
	return mode_switch(app, a, "all-multicast", rte_eth_allmulticast_enable,
		rte_eth_allmulticast_disable, e);
}
