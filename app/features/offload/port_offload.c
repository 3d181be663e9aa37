/* Offloads of ports, in hardware or in the csum engine: checksums, TSO, GRO, GSO, tunnels, flow control, and their commands. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/offload/port_offload.h"

#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/hist.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "features/offload/port_vlan.h"
#include "port/port.h"
#include "port/port_conf.h"
#include "port/port_setup.h"

#include <rte_ethdev.h>
#include <rte_gro.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BORDER "*********************"

static int
unreadable(const struct port *p, int ret, const char *what, struct err *e)
{
	return err_set(e, abs(ret), "port %u (%s): cannot read the %s: %s", p->id,
		p->info.driver_name, what, strerror(abs(ret)));
}

/* Show the names of offload bits on one line after title; in JSON as an array. */
static void
offloads_show(struct out *o, const char *key, const char *title, uint64_t offloads, bool rx)
{
	unsigned int bit;

	out_text(o, "%s", title);
	out_nest(o, key, OUT_ARRAY);
	for (bit = 0; bit < 64; bit++)
		if ((offloads & RTE_BIT64(bit)) != 0)
			out_str(o, "", " %s", port_sides[rx].offload_name(RTE_BIT64(bit)));
	out_unnest(o);
	out_text(o, "\n");
}

int
port_offload_capabilities(struct ports *ps, uint16_t id, bool rx, struct err *e)
{
	const struct port *p = port_find(ps, id, e);
	struct rte_eth_dev_info info;
	uint64_t port, queue;
	int ret;

	if (p == NULL)
		return -ENODEV;
	ret = rte_eth_dev_info_get(id, &info);
	if (ret != 0)
		return unreadable(p, ret, "device information", e);
	queue = rx ? info.rx_queue_offload_capa : info.tx_queue_offload_capa;
	port = queue ^ (rx ? info.rx_offload_capa : info.tx_offload_capa);
	out_text(ps->out, "%s Offloading Capabilities of port %u :\n", port_sides[rx].title, id);
	out_u64(ps->out, "port", NULL, id);
	offloads_show(ps->out, "per_queue", "  Per Queue :", queue, rx);
	offloads_show(ps->out, "per_port", "  Per Port  :", port, rx);
	out_text(ps->out, "\n");
	return 0;
}

int
port_offload_configuration(struct ports *ps, uint16_t id, bool rx, struct err *e)
{
	const struct port *p = port_find(ps, id, e);
	struct rte_eth_dev_info info;
	struct rte_eth_conf conf;
	unsigned int q, n;
	uint64_t offloads;
	char title[32];
	int ret;

	if (p == NULL)
		return -ENODEV;
	ret = rte_eth_dev_conf_get(id, &conf);
	if (ret != 0)
		return unreadable(p, ret, "configuration", e);
	ret = rte_eth_dev_info_get(id, &info);
	if (ret != 0)
		return unreadable(p, ret, "device information", e);
	offloads = rx ? conf.rxmode.offloads : conf.txmode.offloads;
	n = RTE_MIN(rx ? info.nb_rx_queues : info.nb_tx_queues, PORT_QUEUES_MAX);
	out_text(ps->out, "%s Offloading Configuration of port %u :\n", port_sides[rx].title, id);
	out_u64(ps->out, "port", NULL, id);
	offloads_show(ps->out, "offloads", "  Port :", offloads, rx);
	out_nest(ps->out, "queues", OUT_ARRAY);
	for (q = 0; q < n; q++) {
		snprintf(title, sizeof(title), "  Queue[%2u] :", q);
		offloads_show(ps->out, NULL, title, port_queue_at(p, rx, q)->offloads, rx);
	}
	out_unnest(ps->out);
	out_text(ps->out, "\n");
	return 0;
}

/* Per-port settings of the csum engine: checksums in hardware, TSO, GRO and GSO, with testpmd's
 * messages. */

static const struct checksum {
	const char *what;     /* name in the command */
	const char *shown;    /* name in the list */
	const char *key;      /* name in JSON */
	const char *sentence; /* name in errors; warning points to the part used in warnings */
	const char *warning;
	uint64_t offload;
} checksums[] = {
	{ "ip", "IP", "ip", "IP", "IP", RTE_ETH_TX_OFFLOAD_IPV4_CKSUM },
	{ "udp", "UDP", "udp", "UDP", "UDP", RTE_ETH_TX_OFFLOAD_UDP_CKSUM },
	{ "tcp", "TCP", "tcp", "TCP", "TCP", RTE_ETH_TX_OFFLOAD_TCP_CKSUM },
	{ "sctp", "SCTP", "sctp", "SCTP", "SCTP", RTE_ETH_TX_OFFLOAD_SCTP_CKSUM },
	{ "outer-ip", "Outer-Ip", "outer_ip", "Outer IP", "outer IP",
		RTE_ETH_TX_OFFLOAD_OUTER_IPV4_CKSUM },
	{ "outer-udp", "Outer-Udp", "outer_udp", "Outer UDP", "outer UDP",
		RTE_ETH_TX_OFFLOAD_OUTER_UDP_CKSUM },
};

#define TUNNEL_TSO \
	(RTE_ETH_TX_OFFLOAD_VXLAN_TNL_TSO | RTE_ETH_TX_OFFLOAD_GRE_TNL_TSO | \
		RTE_ETH_TX_OFFLOAD_IPIP_TNL_TSO | RTE_ETH_TX_OFFLOAD_GENEVE_TNL_TSO | \
		RTE_ETH_TX_OFFLOAD_IP_TNL_TSO | RTE_ETH_TX_OFFLOAD_UDP_TNL_TSO)

/* Set the Tx offloads of the port and all its queues. */
static void
offloads_set(struct port *p, uint64_t offloads)
{
	unsigned int q;

	p->conf.txmode.offloads = offloads;
	for (q = 0; q < p->n_queues; q++)
		p->txq[q].offloads = offloads;
	p->configured = false;
}

static void
show(struct ports *ps, const struct port *p)
{
	const uint64_t offloads = p->conf.txmode.offloads;
	struct out *o = ps->out;

	out_u64(o, "port", NULL, p->id);
	out_bool(o, "parse_tunnel", "Parse tunnel is %s\n", p->csum.parse_tunnel, "on", "off");
	out_nest(o, "hardware", OUT_OBJECT);
	for (size_t i = 0; i < ARRAY_SIZE(checksums); i++) {
		out_text(o, "%s checksum offload is ", checksums[i].shown);
		out_bool(o, checksums[i].key, "%s\n", (offloads & checksums[i].offload) != 0, "hw",
			"sw");
	}
	out_unnest(o);
	for (size_t i = 0; i < ARRAY_SIZE(checksums); i++)
		if ((offloads & ~p->info.tx_offload_capa & checksums[i].offload) != 0)
			out_warn(o,
				"Warning: hardware %s checksum enabled but not supported by port %u\n",
				checksums[i].warning, p->id);
}

/*
 * Compute checksums of what ("ip", "udp", "tcp", "sctp", "outer-ip", "outer-udp") in hardware or
 * software, and show all. The port must be stopped.
 */
static int
port_csum_set(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	const char *what = arg_str(a, "what", "");
	bool hw = arg_is(a, "where", "hw");
	struct port *p = port_setup_stopped(ps, id, e);
	const struct checksum *c = checksums;
	int ret = 0;

	if (p == NULL)
		return -e->code;
	while (c < checksums + ARRAY_SIZE(checksums) && strcmp(c->what, what) != 0)
		c++;
	if (c == checksums + ARRAY_SIZE(checksums))
		return err_set(e, EINVAL,
			"checksum \"%s\": expected ip, udp, tcp, sctp, outer-ip or outer-udp",
			what);
	if (hw && (p->info.tx_offload_capa & c->offload) == 0)
		ret = err_set(e, ENOTSUP, "%s checksum offload is not supported by port %u",
			c->sentence, id);
	else if (hw)
		offloads_set(p, p->conf.txmode.offloads | c->offload);
	else
		offloads_set(p, p->conf.txmode.offloads & ~c->offload);
	show(ps, p);
	return ret;
}

static int
port_csum_show(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	const struct port *p = port_setup_stopped(ps, id, e);

	if (p == NULL)
		return -e->code;
	show(ps, p);
	return 0;
}

/* Make the csum engine parse tunnels (also shows the checksums), or swap MAC addresses. */
static int
port_csum_tunnel(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	bool on = arg_on(a);
	struct port *p = port_find(ps, id, e);

	if (p == NULL)
		return -ENODEV;
	p->csum.parse_tunnel = on;
	show(ps, p);
	return 0;
}

static int
port_csum_mac_swap(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	bool on = arg_on(a);
	struct port *p = port_find(ps, id, e);

	if (p == NULL)
		return -ENODEV;
	p->csum.mac_swap = on;
	return 0;
}

static void
tso_show(struct ports *ps, const struct port *p, bool tunnel)
{
	const uint16_t n = tunnel ? p->csum.tunnel_tso_segsz : p->csum.tso_segsz;
	const char *which = tunnel ? "tunneled" : "non-tunneled";

	out_u64(ps->out, "port", NULL, p->id);
	out_u64(ps->out, "segment_bytes", NULL, n);
	if (n == 0)
		out_text(ps->out, "TSO for %s packets is disabled\n", which);
	else
		out_text(ps->out, "TSO segment size for %s packets is %u\n", which, n);
}

static int
plain_tso(struct port *p, uint16_t n, struct err *e)
{
	if (n != 0 && (p->info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_TCP_TSO) == 0)
		return err_set(e, ENOTSUP, "Error: TSO is not supported by port %u", p->id);
	p->csum.tso_segsz = n;
	if (n == 0)
		offloads_set(p, p->conf.txmode.offloads & ~RTE_ETH_TX_OFFLOAD_TCP_TSO);
	else
		offloads_set(p, p->conf.txmode.offloads | RTE_ETH_TX_OFFLOAD_TCP_TSO);
	return 0;
}

/* Warn about tunnel types for which TSO is not supported. */
static void
tunnels_missing(struct ports *ps, const struct port *p)
{
	static const struct {
		const char *name;
		uint64_t offload;
	} tunnels[] = {
		{ "VXLAN", RTE_ETH_TX_OFFLOAD_VXLAN_TNL_TSO },
		{ "GRE", RTE_ETH_TX_OFFLOAD_GRE_TNL_TSO },
		{ "IPIP", RTE_ETH_TX_OFFLOAD_IPIP_TNL_TSO },
		{ "GENEVE", RTE_ETH_TX_OFFLOAD_GENEVE_TNL_TSO },
		{ "IP", RTE_ETH_TX_OFFLOAD_IP_TNL_TSO },
		{ "UDP", RTE_ETH_TX_OFFLOAD_UDP_TNL_TSO },
	};

	for (size_t i = 0; i < ARRAY_SIZE(tunnels); i++)
		if ((p->info.tx_offload_capa & tunnels[i].offload) == 0)
			out_say(ps->out,
				"Warning: %s TUNNEL TSO not supported therefore not enabled for port %u\n",
				tunnels[i].name, p->id);
}

static int
tunnel_tso(struct ports *ps, struct port *p, uint16_t n, struct err *e)
{
	const uint64_t can = p->info.tx_offload_capa & TUNNEL_TSO;

	if (n == 0) {
		p->csum.tunnel_tso_segsz = 0;
		offloads_set(p, p->conf.txmode.offloads & ~TUNNEL_TSO);
		return 0;
	}
	if (can == 0)
		return err_set(e, ENOTSUP, "Error: port=%u don't support tunnel TSO offloads.",
			p->id);
	if (!p->csum.parse_tunnel)
		return err_set(e, EINVAL,
			"Error: csum parse_tunnel must be set so that tunneled packets are recognized");
	/* TSO changes the outer length field after software has computed the outer checksum. */
	if ((p->conf.txmode.offloads & RTE_ETH_TX_OFFLOAD_OUTER_IPV4_CKSUM) == 0)
		return err_set(e, EINVAL,
			"Error: csum set outer-ip must be set to hw if outer L3 is IPv4; not necessary for IPv6");
	tunnels_missing(ps, p);
	p->csum.tunnel_tso_segsz = n;
	offloads_set(p, p->conf.txmode.offloads | can);
	return 0;
}

/*
 * Set the TSO segment size in bytes (0: no TSO) of plain or tunnelled packets, and show it. The
 * port must be stopped.
 */
static int
port_csum_tso(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	uint64_t n = arg_u64(a, "bytes", 0);
	bool tunnel = arg_given(a, "tunnel_tso");
	struct port *p = port_setup_stopped(ps, id, e);
	int ret;

	if (p == NULL)
		return -e->code;
	if (n > UINT16_MAX)
		return err_set(e, ERANGE, "segments of %" PRIu64 " bytes: expected 0..%u", n,
			UINT16_MAX);
	ret = tunnel ? tunnel_tso(ps, p, (uint16_t)n, e) : plain_tso(p, (uint16_t)n, e);
	if (ret == 0)
		tso_show(ps, p, tunnel);
	return ret;
}

static int
port_csum_tso_show(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	bool tunnel = arg_given(a, "tunnel_tso");
	const struct port *p = port_setup_stopped(ps, id, e);

	if (p == NULL)
		return -e->code;
	tso_show(ps, p, tunnel);
	return 0;
}

#define FLUSH_MAX 4 /* same as the maximum of the setting gro-flush */

/* Merge received packets (GRO); split transmitted ones (GSO). Not while forwarding. */
static int
port_csum_gro(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	bool on = arg_on(a);
	struct port *p = port_at(ps, id);

	if (p == NULL)
		return err_set(e, ENODEV, "invalid port id %u", id);
	if (ps->forwarding)
		return err_set(e, EBUSY, "Before enable/disable GRO, please stop forwarding first");
	if (on && p->csum.gro)
		return err_set(e, EALREADY, "Port %u has enabled GRO. Please disable GRO first",
			id);
	if (!on && !p->csum.gro)
		return err_set(e, EALREADY, "Port %u has disabled GRO", id);
	p->csum.gro = on;
	return 0;
}

static int
port_csum_gso(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	bool on = arg_on(a);
	struct port *p = port_at(ps, id);

	if (p == NULL)
		return err_set(e, ENODEV, "invalid port id %u", id);
	if (ps->forwarding)
		return err_set(e, EBUSY, "before %s GSO, please stop forwarding first",
			on ? "enabling" : "disabling");
	p->csum.gso = on;
	return 0;
}

static int
port_csum_gro_flush(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint64_t cycles = arg_u64(a, "cycles", 0);

	if (ps->forwarding)
		return err_set(e, EBUSY,
			"Before change flush interval for GRO, please stop forwarding first.");
	if (cycles < 1 || cycles > FLUSH_MAX)
		return err_set(e, ERANGE, "The flushing cycle be in the range of 1 to %u.",
			FLUSH_MAX);
	return setting_set(ps->settings, "gro-flush", cycles, e);
}

static int
port_csum_gso_size(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint64_t bytes = arg_u64(a, "bytes", 0);
	const struct setting *size = setting_find(ps->settings, "gso-segsz");

	if (ps->forwarding)
		return err_set(e, EBUSY, "Before setting GSO segsz, please first stop forwarding");
	if (bytes < size->min)
		return err_set(e, ERANGE,
			"gso_size should be larger than %" PRIu64 ". Please input a legal value",
			size->min);
	return setting_set(ps->settings, "gso-segsz", bytes, e);
}

static int
port_csum_gro_show(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	const struct port *p = port_at(ps, id);
	uint64_t cycles = setting_u64(ps->settings, "gro-flush");
	struct out *o = ps->out;

	if (p == NULL)
		return err_set(e, ENODEV, "Invalid port id %u.", id);
	out_u64(o, "port", NULL, id);
	out_bool(o, "gro", NULL, p->csum.gro, "on", "off");
	if (!p->csum.gro) {
		out_text(o, "Port %u doesn't enable GRO.\n", id);
		return 0;
	}
	out_text(o, "GRO type: TCP/IPv4\n");
	/* Without tables that persist across polls, the GRO library processes this many packets. */
	out_u64(o, "packets_max", "Max number of packets to perform GRO: %" PRIu64 "\n",
		cycles == 1 ? RTE_GRO_MAX_BURST_ITEM_NUM : BURST_MAX * FLUSH_MAX);
	out_u64(o, "flush_cycles", "Flushing cycles: %" PRIu64 "\n", cycles);
	return 0;
}

static int
port_csum_gso_show(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	const struct port *p = port_at(ps, id);

	if (p == NULL)
		return err_set(e, ENODEV, "invalid port id %u", id);
	out_u64(ps->out, "port", NULL, id);
	out_bool(ps->out, "gso", NULL, p->csum.gso, "on", "off");
	if (!p->csum.gso) {
		out_text(ps->out, "GSO is not enabled on Port %u\n", id);
		return 0;
	}
	out_u64(ps->out, "segment_bytes", "Max GSO'd packet size: %" PRIu64 "B\n",
		setting_u64(ps->settings, "gso-segsz"));
	out_text(ps->out,
		"Supported GSO types: TCP/IPv4, UDP/IPv4, VxLAN with inner TCP/IPv4 packet, GRE with inner "
		"TCP/IPv4 packet\n");
	return 0;
}

/* UDP ports by which a NIC recognizes tunnels. */

static const struct {
	const char *name;
	enum rte_eth_tunnel_type type;
} types[] = {
	{ "vxlan", RTE_ETH_TUNNEL_TYPE_VXLAN },
	{ "geneve", RTE_ETH_TUNNEL_TYPE_GENEVE },
	{ "vxlan-gpe", RTE_ETH_TUNNEL_TYPE_VXLAN_GPE },
	{ "ecpri", RTE_ETH_TUNNEL_TYPE_ECPRI },
};

int
port_tunnel_udp(struct ports *ps, const struct args *a, struct err *e)
{
	struct rte_eth_udp_tunnel tunnel = { .udp_port = (uint16_t)arg_u64(a, "udp", 0) };
	const char *type = arg_str(a, "type", NULL);
	const uint16_t id = arg_port(a);
	unsigned int i = 0;
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -ENODEV;
	while (type != NULL && i < ARRAY_SIZE(types) && strcmp(types[i].name, type) != 0)
		i++;
	if (i == ARRAY_SIZE(types))
		return err_set(e, EINVAL, "Invalid tunnel type %s", type);
	tunnel.prot_type = types[i].type;
	ret = arg_is(a, "what", "add") ? rte_eth_dev_udp_tunnel_port_add(id, &tunnel)
				       : rte_eth_dev_udp_tunnel_port_delete(id, &tunnel);
	if (ret >= 0)
		return 0;
	return err_set(e, -ret, "udp tunneling %sadd error: (%s)", type != NULL ? "port " : "",
		strerror(-ret));
}

/* Commands for offloads of ports, in hardware or in the csum engine: VLAN, tunnels, pause frames,
 * checksums, TSO, GRO, GSO. */

/* Switch an offload of ports or of one queue; the data of the row is the direction. */
static int
offload_switch(struct app *app, const struct args *a, struct err *e)
{
	const bool rx = a->data == &port_sides[true];
	const uint64_t bits = arg_u64(a, "offload", 0);

	if (arg_given(a, "queue"))
		return port_conf_queue_offload(&app->ports, arg_port(a), rx, arg_queue(a), bits,
			arg_on(a), e);
	return port_conf_offload(&app->ports, arg_port(a), rx, bits, arg_on(a), e);
}

static const struct cmd_row rows[] = {
	{ "port config <port:ports> rx_offload <offload:rx_offload> <state:word on|off>",
		offload_switch, "enable or disable a receive offload; the ports must be stopped",
		NULL, &port_sides[true] },
	{ "port config <port:ports> tx_offload <offload:tx_offload> <state:word on|off>",
		offload_switch, "enable or disable a transmit offload; the ports must be stopped",
		NULL, &port_sides[false] },
	{ "port <port:port> rxq <queue:uint 0..65535> rx_offload <offload:rx_offload> <state:word on|off>",
		offload_switch,
		"enable or disable a receive offload of one queue; the port must be stopped", NULL,
		&port_sides[true] },
	{ "port <port:port> txq <queue:uint 0..65535> tx_offload <offload:tx_offload> <state:word on|off>",
		offload_switch,
		"enable or disable a transmit offload of one queue; the port must be stopped", NULL,
		&port_sides[false] },
	{ "vlan set <what:word strip|filter|qinq_strip|extend> <state:word on|off> <port:port>",
		port_vlan_offload,
		"enable or disable a receive VLAN offload; the port may be running",
		"vlan set strip off 0", NULL },
	{ "vlan set stripq <state:word on|off> <where:list>", port_vlan_stripq,
		"enable or disable VLAN stripping on one queue: PORT,QUEUE", NULL, NULL },
	{ "rx_vlan <what:word add|rm> <vlan:uint 0..65535> <port:port>", port_vlan_filter,
		"add a VLAN to the port's VLAN filter, or remove it", NULL, NULL },
	{ "rx_vlan <what:word add|rm> all <port:port>", port_vlan_filter_all,
		"add all VLANs to the port's VLAN filter, or remove them", NULL, NULL },
	{ "tx_vlan set <port:port> <vlan:uint 0..65535> [<outer:uint 0..65535>]", port_vlan_insert,
		"insert one or two VLAN tags in hardware into transmitted packets, with the priority in the upper four bits; the port must be stopped",
		NULL, NULL },
	{ "tx_vlan reset <port:port>", arg_on_port,
		"stop inserting VLAN tags; the port must be stopped", NULL,
		ARG_ON_PORT(port_vlan_insert_off) },
	{ "rx_vxlan_port <what:word add|rm> <udp:uint 0..65535> <port:port>", arg_on_ports,
		"add or remove a UDP port that the hardware recognizes as VXLAN; the port may be running",
		NULL, ARG_ON_PORTS(port_tunnel_udp) },
	{ "port config <port:port> udp_tunnel_port <what:word add|rm> <type:word vxlan|geneve|vxlan-gpe|ecpri> "
	  "<udp:uint 0..65535>",
		arg_on_ports,
		"add or remove a UDP port that the hardware recognizes as a tunnel; the port may be running",
		NULL, ARG_ON_PORTS(port_tunnel_udp) },
	{ "csum set <what:word ip|udp|tcp|sctp|outer-ip|outer-udp> <where:word hw|sw> <port:port>",
		port_csum_set,
		"compute a checksum of transmitted packets in hardware or in software; the port must be stopped",
		NULL, NULL },
	{ "csum show <port:port>", port_csum_show,
		"show which checksums are computed in hardware; the port must be stopped", NULL,
		NULL, .shows = true },
	{ "csum parse-tunnel <state:word on|off> <port:port>", port_csum_tunnel,
		"parse tunnel headers in the engine csum", "csum parse-tunnel on 0", NULL },
	{ "csum mac-swap <state:word on|off> <port:port>", port_csum_mac_swap,
		"let the engine csum write the MAC addresses of the port and its peer",
		"csum mac-swap on 0", NULL },
	{ "(tso|tunnel_tso) set <bytes:uint 0..65535> <port:port>", port_csum_tso,
		"set the TSO segment size of plain or tunnelled TCP packets in the engine csum (0: no TSO); the port must be stopped",
		NULL, NULL },
	{ "(tso|tunnel_tso) show <port:port>", port_csum_tso_show,
		"show the TSO segment size; the port must be stopped", NULL, NULL, .shows = true },
	{ "set port <port:port> gro <state:word on|off>", port_csum_gro,
		"merge a port's received TCP segments in the engine csum (GRO)",
		"set port 0 gro on", NULL },
	{ "show port <port:port> gro", port_csum_gro_show, "show a port's GRO state",
		"show port 0 gro", NULL, .shows = true },
	{ "set gro flush <cycles:uint 0..255>", port_csum_gro_flush,
		"set the number of polls between two GRO flushes, 1..4", "set gro flush 2", NULL },
	{ "set port <port:port> gso <state:word on|off>", port_csum_gso,
		"split a port's long packets in the engine csum (GSO)", "set port 0 gso on", NULL },
	{ "set gso segsz <bytes:uint 0..65535>", port_csum_gso_size,
		"set the maximum length of the frames that GSO creates", "set gso segsz 1400",
		NULL },
	{ "show port <port:port> gso", port_csum_gso_show, "show a port's GSO state",
		"show port 0 gso", NULL, .shows = true },
};

const struct cmd_table cmds_port_offload = { "ports",
	"offloads, VLAN, tunnels, flow control, checksums, segmentation", rows, ARRAY_SIZE(rows),
	CMD_OFFLOADS };
