/* Commands that start, stop, attach and detach ports; links, addresses, promiscuous mode. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/commands/types_app.h"
#include "cmdline/grammar/grammar.h"
#include "features/offload/port_mac.h"
#include "port/port_attach.h"
#include "port/port_conf.h"
#include "port/port_life.h"
#include "run/run_mirror.h"
#include "show/run_mirror_show.h"

#include <rte_ether.h>

#include <string.h>

/* The MAC address that a line names. */
static struct rte_ether_addr
mac_of(const struct args *a)
{
	struct rte_ether_addr mac;

	memcpy(mac.addr_bytes, arg_find(a, "mac")->mac, sizeof(mac.addr_bytes));
	return mac;
}

static int
port_run(struct app *app, const struct args *a, struct err *e)
{
	if (arg_is(a, "what", "start"))
		return arg_explain(port_start(&app->ports, arg_port(a), e), e,
			"Please stop the ports first", "already started: there is nothing to do");
	if (arg_is(a, "what", "stop"))
		return arg_explain(port_stop(&app->ports, arg_port(a), e), e, "Please remove port",
			"forwarding is running: use \"stop\" before \"port stop\"");
	return port_reset(&app->ports, arg_port(a), e);
}

static int
port_end(struct app *app, const struct args *a, struct err *e)
{
	int ret = port_close(&app->ports, arg_port(a), e);

	run_ports_changed(&app->run);
	return ret;
}

static int
attach(struct app *app, const struct args *a, struct err *e)
{
	int ret = port_attach(&app->ports, arg_str(a, "device", ""), e);

	run_ports_changed(&app->run);
	return ret;
}

static int
detach(struct app *app, const struct args *a, struct err *e)
{
	int ret = port_detach(&app->ports, arg_port(a), e);

	run_ports_changed(&app->run);
	return ret;
}

static int
device_detach(struct app *app, const struct args *a, struct err *e)
{
	int ret = port_detach_device(&app->ports, arg_str(a, "device", ""), e);

	run_ports_changed(&app->run);
	return ret;
}

static int
link_up(struct app *app, const struct args *a, struct err *e)
{
	return port_link_set(&app->ports, arg_port(a), true, e);
}

static int
link_down(struct app *app, const struct args *a, struct err *e)
{
	return port_link_set(&app->ports, arg_port(a), false, e);
}

static int
mac_addr(struct app *app, const struct args *a, struct err *e)
{
	const struct rte_ether_addr mac = mac_of(a);

	return port_mac_change(&app->ports, arg_port(a), arg_str(a, "what", ""), &mac, e);
}

static int
mcast_addr(struct app *app, const struct args *a, struct err *e)
{
	const struct rte_ether_addr mac = mac_of(a);

	return port_mac_multicast(&app->ports, arg_port(a), arg_is(a, "what", "add"), &mac, e);
}

static int
eth_peer(struct app *app, const struct args *a, struct err *e)
{
	return port_mac_peer(&app->ports, arg_port(a), arg_str(a, "mac", ""), e);
}

static int
promisc(struct app *app, const struct args *a, struct err *e)
{
	return port_promiscuous(&app->ports, arg_port(a), arg_on(a), e);
}

static int
allmulti(struct app *app, const struct args *a, struct err *e)
{
	return port_allmulticast(&app->ports, arg_port(a), arg_on(a), e);
}

static int
mirror(struct app *app, const struct args *a, struct err *e)
{
	return run_mirror_set(&app->run, (uint16_t)arg_u64(a, "rx", 0),
		(uint16_t)arg_u64(a, "tx", 0), e);
}

static int
mirror_off(struct app *app, const struct args *a, struct err *e)
{
	return run_mirror_off(&app->run, (uint16_t)arg_u64(a, "rx", 0), e);
}

static int
mirror_show(struct app *app, const struct args *a, struct err *e)
{
	run_mirror_show_all(&app->run);
	return 0;
}

static const struct cmd_row rows[] = {
	{ "port <what:word start|stop|reset> <port:ports>", port_run,
		"start, stop or reset a port or all", "port stop all", NULL },
	{ "port close <port:ports>", port_end,
		"close a stopped port or all; their devices remain until detached", NULL, NULL },
	{ "port attach <device:text>", attach,
		"probe a device, by its bus address or a virtual one's name and arguments",
		"port attach net_null7,copy=1", NULL },
	{ "port detach <port:port>", detach, "remove the device of a stopped or closed port", NULL,
		NULL },
	{ "device detach <device:str>", device_detach, "remove a device by its bus address or name",
		NULL, NULL },
	{ "port mirror <rx:port> <tx:port>", mirror,
		"also send the packets that a port receives on another port, from the next start",
		"port mirror 0 1", .by_state = true },
	{ "port mirror <rx:port> off", mirror_off, "end the mirror of a port", .by_state = true },
	{ "show port mirror", mirror_show,
		"show mirrored ports: queues, clones or copies, packets sent and dropped",
		"show port mirror", NULL },
	{ "set link-up port <port:port>", link_up, "set the link of a port up", NULL, NULL },
	{ "set link-down port <port:port>", link_down, "set the link of a port down", NULL, NULL },
	{ "mac_addr <what:word add|remove|set> <port:port> <mac:mac>", mac_addr,
		"add or remove a MAC address of a port, or set its default address",
		"mac_addr set 0 02:00:00:00:10:01", NULL },
	{ "mcast_addr <what:word add|remove> <port:port> <mac:mac>", mcast_addr,
		"add or remove a multicast address that a port receives", NULL, NULL },
	{ "set eth-peer <port:port> <mac:str>", eth_peer,
		"set the destination address of frames sent on a port",
		"set eth-peer 0 02:00:00:00:00:09", NULL },
	{ "set promisc <port:ports> <state:word on|off>", promisc,
		"receive frames for any address (promiscuous mode)", "set promisc all on", NULL },
	{ "set allmulti <port:ports> <state:word on|off>", allmulti, "receive all multicast frames",
		"set allmulti all on", NULL },
};

const struct cmd_table cmds_port = { "ports",
	"start, stop, attach and detach ports; links, addresses", rows, ARRAY_SIZE(rows) };
