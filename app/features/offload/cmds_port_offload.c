/* Commands for offloads of ports, in hardware or in the csum engine: VLAN, tunnels, pause frames,
 * checksums, TSO, GRO, GSO. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/commands/types_app.h"
#include "cmdline/grammar/grammar.h"
#include "features/offload/port_csum.h"
#include "features/offload/port_tunnel.h"
#include "features/offload/port_vlan.h"
#include "features/qos/port_flow_ctrl.h"
#include "port/port_conf.h"

#include <errno.h>

static int
rx_offload(struct app *app, const struct args *a, struct err *e)
{
	return port_conf_offload(&app->ports, arg_port(a), true, arg_u64(a, "offload", 0),
		arg_on(a), e);
}

static int
tx_offload(struct app *app, const struct args *a, struct err *e)
{
	return port_conf_offload(&app->ports, arg_port(a), false, arg_u64(a, "offload", 0),
		arg_on(a), e);
}

static int
rxq_offload(struct app *app, const struct args *a, struct err *e)
{
	return port_conf_queue_offload(&app->ports, arg_port(a), true, arg_queue(a),
		arg_u64(a, "offload", 0), arg_on(a), e);
}

static int
txq_offload(struct app *app, const struct args *a, struct err *e)
{
	return port_conf_queue_offload(&app->ports, arg_port(a), false, arg_queue(a),
		arg_u64(a, "offload", 0), arg_on(a), e);
}

static int
vlan_set(struct app *app, const struct args *a, struct err *e)
{
	return port_vlan_offload(&app->ports, arg_port(a), arg_str(a, "what", ""), arg_on(a), e);
}

static int
vlan_stripq(struct app *app, const struct args *a, struct err *e)
{
	const struct arg *where = arg_find(a, "where");

	if (where->list_n != 2)
		return arg_err(a, "where", e, EINVAL, "must specify (port,queue_id)");
	return port_vlan_stripq(&app->ports, where->list[0], where->list[1], arg_on(a), e);
}

static int
rx_vlan(struct app *app, const struct args *a, struct err *e)
{
	return port_vlan_filter(&app->ports, arg_port(a), arg_u64(a, "vlan", 0),
		arg_is(a, "what", "add"), e);
}

static int
rx_vlan_all(struct app *app, const struct args *a, struct err *e)
{
	return port_vlan_filter_all(&app->ports, arg_port(a), arg_is(a, "what", "add"), e);
}

static int
tx_vlan(struct app *app, const struct args *a, struct err *e)
{
	const uint64_t outer = arg_u64(a, "outer", 0);

	return port_vlan_insert(&app->ports, arg_port(a), arg_u64(a, "vlan", 0),
		arg_given(a, "outer") ? &outer : NULL, e);
}

static int
tx_vlan_reset(struct app *app, const struct args *a, struct err *e)
{
	return port_vlan_insert_off(&app->ports, arg_port(a), e);
}

static int
tunnel_udp(struct app *app, const struct args *a, struct err *e)
{
	return port_tunnel_udp(&app->ports, arg_port(a), arg_str(a, "type", NULL),
		(uint16_t)arg_u64(a, "udp", 0), arg_is(a, "what", "add"), e);
}

/* The value of an on/off argument; -1: not given. */
static int64_t
switched(const struct args *a, const char *name)
{
	return arg_given(a, name) ? arg_is(a, name, "on") : -1;
}

static int64_t
number(const struct args *a, const char *name)
{
	return arg_given(a, name) ? (int64_t)arg_u64(a, name, 0) : -1;
}

static int
flow_ctrl(struct app *app, const struct args *a, struct err *e)
{
	const struct port_flow_ctrl wanted = {
		.rx = switched(a, "rx"),
		.tx = switched(a, "tx"),
		.high_water = number(a, "high"),
		.low_water = number(a, "low"),
		.pause_time = number(a, "time"),
		.send_xon = number(a, "xon"),
		.mac_ctrl_frame_fwd = switched(a, "forward"),
		.autoneg = switched(a, "auto"),
	};

	return port_flow_ctrl_set(&app->ports, arg_port(a), &wanted, e);
}

static int
csum_set(struct app *app, const struct args *a, struct err *e)
{
	return port_csum_set(&app->ports, arg_port(a), arg_str(a, "what", ""),
		arg_is(a, "where", "hw"), e);
}

static int
csum_show(struct app *app, const struct args *a, struct err *e)
{
	return port_csum_show(&app->ports, arg_port(a), e);
}

static int
csum_tunnel(struct app *app, const struct args *a, struct err *e)
{
	return port_csum_tunnel(&app->ports, arg_port(a), arg_on(a), e);
}

static int
csum_mac_swap(struct app *app, const struct args *a, struct err *e)
{
	return port_csum_mac_swap(&app->ports, arg_port(a), arg_on(a), e);
}

static int
tso_set(struct app *app, const struct args *a, struct err *e)
{
	return port_csum_tso(&app->ports, arg_port(a), arg_u64(a, "bytes", 0),
		arg_given(a, "tunnel_tso"), e);
}

static int
tso_show(struct app *app, const struct args *a, struct err *e)
{
	return port_csum_tso_show(&app->ports, arg_port(a), arg_given(a, "tunnel_tso"), e);
}

static int
gro_set(struct app *app, const struct args *a, struct err *e)
{
	return port_csum_gro(&app->ports, arg_port(a), arg_on(a), e);
}

static int
gso_set(struct app *app, const struct args *a, struct err *e)
{
	return port_csum_gso(&app->ports, arg_port(a), arg_on(a), e);
}

static int
gro_show(struct app *app, const struct args *a, struct err *e)
{
	return port_csum_gro_show(&app->ports, arg_port(a), e);
}

static int
gso_show(struct app *app, const struct args *a, struct err *e)
{
	return port_csum_gso_show(&app->ports, arg_port(a), e);
}

static int
gro_flush(struct app *app, const struct args *a, struct err *e)
{
	return port_csum_gro_flush(&app->ports, arg_u64(a, "cycles", 0), e);
}

static int
gso_segsz(struct app *app, const struct args *a, struct err *e)
{
	return port_csum_gso_size(&app->ports, arg_u64(a, "bytes", 0), e);
}

static const struct cmd_row rows[] = {
	{ "port config <port:ports> rx_offload <offload:rx_offload> <state:word on|off>",
		rx_offload, "enable or disable a receive offload; the ports must be stopped", NULL,
		NULL },
	{ "port config <port:ports> tx_offload <offload:tx_offload> <state:word on|off>",
		tx_offload, "enable or disable a transmit offload; the ports must be stopped", NULL,
		NULL },
	{ "port <port:port> rxq <queue:uint 0..65535> rx_offload <offload:rx_offload> <state:word on|off>",
		rxq_offload,
		"enable or disable a receive offload of one queue; the port must be stopped", NULL,
		NULL },
	{ "port <port:port> txq <queue:uint 0..65535> tx_offload <offload:tx_offload> <state:word on|off>",
		txq_offload,
		"enable or disable a transmit offload of one queue; the port must be stopped", NULL,
		NULL },
	{ "vlan set <what:word strip|filter|qinq_strip|extend> <state:word on|off> <port:port>",
		vlan_set, "enable or disable a receive VLAN offload; the port may be running",
		"vlan set strip off 0", NULL },
	{ "vlan set stripq <state:word on|off> <where:list>", vlan_stripq,
		"enable or disable VLAN stripping on one queue: PORT,QUEUE", NULL, NULL },
	{ "rx_vlan <what:word add|rm> <vlan:uint 0..65535> <port:port>", rx_vlan,
		"add a VLAN to the port's VLAN filter, or remove it", NULL, NULL },
	{ "rx_vlan <what:word add|rm> all <port:port>", rx_vlan_all,
		"add all VLANs to the port's VLAN filter, or remove them", NULL, NULL },
	{ "tx_vlan set <port:port> <vlan:uint 0..65535> [<outer:uint 0..65535>]", tx_vlan,
		"insert one or two VLAN tags in hardware into transmitted packets, with the priority in the upper four bits; the port must be stopped",
		NULL, NULL },
	{ "tx_vlan reset <port:port>", tx_vlan_reset,
		"stop inserting VLAN tags; the port must be stopped", NULL, NULL },
	{ "rx_vxlan_port <what:word add|rm> <udp:uint 0..65535> <port:port>", tunnel_udp,
		"add or remove a UDP port that the hardware recognizes as VXLAN; the port may be running",
		NULL, NULL },
	{ "port config <port:port> udp_tunnel_port <what:word add|rm> <type:word vxlan|geneve|vxlan-gpe|ecpri> "
	  "<udp:uint 0..65535>",
		tunnel_udp,
		"add or remove a UDP port that the hardware recognizes as a tunnel; the port may be running",
		NULL, NULL },
	{ "set flow_ctrl rx <rx:word on|off> tx <tx:word on|off> <high:uint 0..4294967295> <low:uint 0..4294967295> "
	  "<time:uint 0..65535> <xon:uint 0..65535> mac_ctrl_frame_fwd <forward:word on|off> autoneg <auto:word on|off> "
	  "<port:port>",
		flow_ctrl,
		"set all parameters of Ethernet flow control (pause frames); the port may be running",
		NULL, NULL },
	{ "set flow_ctrl rx <rx:word on|off> <port:port>", flow_ctrl,
		"enable or disable the reaction to received pause frames", NULL, NULL },
	{ "set flow_ctrl tx <tx:word on|off> <port:port>", flow_ctrl,
		"enable or disable the sending of pause frames", NULL, NULL },
	{ "set flow_ctrl high_water <high:uint 0..4294967295> <port:port>", flow_ctrl,
		"set the fill level above which the port sends pause frames", NULL, NULL },
	{ "set flow_ctrl low_water <low:uint 0..4294967295> <port:port>", flow_ctrl,
		"set the fill level below which the pause ends", NULL, NULL },
	{ "set flow_ctrl pause_time <time:uint 0..65535> <port:port>", flow_ctrl,
		"set the length of a pause, in units of 512 bit times", NULL, NULL },
	{ "set flow_ctrl send_xon <xon:uint 0..65535> <port:port>", flow_ctrl,
		"enable (1) or disable (0) the frame that ends a pause early (XON)", NULL, NULL },
	{ "set flow_ctrl mac_ctrl_frame_fwd <forward:word on|off> <port:port>", flow_ctrl,
		"receive MAC control frames like other packets, or drop them", NULL, NULL },
	{ "set flow_ctrl autoneg <auto:word on|off> <port:port>", flow_ctrl,
		"enable or disable autonegotiation of flow control", NULL, NULL },
	{ "csum set <what:word ip|udp|tcp|sctp|outer-ip|outer-udp> <where:word hw|sw> <port:port>",
		csum_set,
		"compute a checksum of transmitted packets in hardware or in software; the port must be stopped",
		NULL, NULL },
	{ "csum show <port:port>", csum_show,
		"show which checksums are computed in hardware; the port must be stopped", NULL,
		NULL },
	{ "csum parse-tunnel <state:word on|off> <port:port>", csum_tunnel,
		"parse tunnel headers in the engine csum", "csum parse-tunnel on 0", NULL },
	{ "csum mac-swap <state:word on|off> <port:port>", csum_mac_swap,
		"let the engine csum write the MAC addresses of the port and its peer",
		"csum mac-swap on 0", NULL },
	{ "(tso|tunnel_tso) set <bytes:uint 0..65535> <port:port>", tso_set,
		"set the TSO segment size of plain or tunnelled TCP packets in the engine csum (0: no TSO); the port must be stopped",
		NULL, NULL },
	{ "(tso|tunnel_tso) show <port:port>", tso_show,
		"show the TSO segment size; the port must be stopped", NULL, NULL },
	{ "set port <port:port> gro <state:word on|off>", gro_set,
		"merge a port's received TCP segments in the engine csum (GRO)",
		"set port 0 gro on", NULL },
	{ "show port <port:port> gro", gro_show, "show a port's GRO state", "show port 0 gro",
		NULL },
	{ "set gro flush <cycles:uint 0..255>", gro_flush,
		"set the number of polls between two GRO flushes, 1..4", "set gro flush 2", NULL },
	{ "set port <port:port> gso <state:word on|off>", gso_set,
		"split a port's long packets in the engine csum (GSO)", "set port 0 gso on", NULL },
	{ "set gso segsz <bytes:uint 0..65535>", gso_segsz,
		"set the maximum length of the frames that GSO creates", "set gso segsz 1400",
		NULL },
	{ "show port <port:port> gso", gso_show, "show a port's GSO state", "show port 0 gso",
		NULL },
};

const struct cmd_table cmds_port_offload = { "ports",
	"offloads, VLAN, tunnels, flow control, checksums, segmentation", rows, ARRAY_SIZE(rows) };
