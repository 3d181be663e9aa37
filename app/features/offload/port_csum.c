/* Per-port settings of the csum engine: checksums in hardware, TSO, GRO and GSO, with testpmd's
 * messages. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/offload/port_csum.h"

#include "base/base.h"
#include "base/err.h"
#include "base/hist.h"
#include "base/out.h"
#include "port/port.h"
#include "port/port_setup.h"

#include <rte_gro.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
	for (q = 0; q < PORT_QUEUES_MAX; q++)
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

int
port_csum_set(struct ports *ps, uint16_t id, const char *what, bool hw, struct err *e)
{
	struct port *p = port_setup_stopped(ps, id, e);
	const struct checksum *c = checksums;

	if (p == NULL)
		return -e->code;
	while (c < checksums + ARRAY_SIZE(checksums) && strcmp(c->what, what) != 0)
		c++;
	if (c == checksums + ARRAY_SIZE(checksums))
		return err_set(e, EINVAL,
			"checksum \"%s\": expected ip, udp, tcp, sctp, outer-ip or outer-udp",
			what);
	if (hw && (p->info.tx_offload_capa & c->offload) == 0)
		err_set(e, ENOTSUP, "%s checksum offload is not supported by port %u", c->sentence,
			id);
	else if (hw)
		offloads_set(p, p->conf.txmode.offloads | c->offload);
	else
		offloads_set(p, p->conf.txmode.offloads & ~c->offload);
	show(ps, p);
	return -e->code;
}

int
port_csum_show(struct ports *ps, uint16_t id, struct err *e)
{
	const struct port *p = port_setup_stopped(ps, id, e);

	if (p == NULL)
		return -e->code;
	show(ps, p);
	return 0;
}

int
port_csum_tunnel(struct ports *ps, uint16_t id, bool on, struct err *e)
{
	struct port *p = port_find(ps, id, e);

	if (p == NULL)
		return -ENODEV;
	p->csum.parse_tunnel = on;
	show(ps, p);
	return 0;
}

int
port_csum_mac_swap(struct ports *ps, uint16_t id, bool on, struct err *e)
{
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

int
port_csum_tso(struct ports *ps, uint16_t id, uint64_t n, bool tunnel, struct err *e)
{
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

int
port_csum_tso_show(struct ports *ps, uint16_t id, bool tunnel, struct err *e)
{
	const struct port *p = port_setup_stopped(ps, id, e);

	if (p == NULL)
		return -e->code;
	tso_show(ps, p, tunnel);
	return 0;
}

#define FLUSH_MAX 4 /* same as the maximum of the setting gro-flush */

int
port_csum_gro(struct ports *ps, uint16_t id, bool on, struct err *e)
{
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

int
port_csum_gso(struct ports *ps, uint16_t id, bool on, struct err *e)
{
	struct port *p = port_at(ps, id);

	if (p == NULL)
		return err_set(e, ENODEV, "invalid port id %u", id);
	if (ps->forwarding)
		return err_set(e, EBUSY, "before %s GSO, please stop forwarding first",
			on ? "enabling" : "disabling");
	p->csum.gso = on;
	return 0;
}

int
port_csum_gro_flush(struct ports *ps, uint64_t cycles, struct err *e)
{
	if (ps->forwarding)
		return err_set(e, EBUSY,
			"Before change flush interval for GRO, please stop forwarding first.");
	if (cycles < 1 || cycles > FLUSH_MAX)
		return err_set(e, ERANGE, "The flushing cycle be in the range of 1 to %u.",
			FLUSH_MAX);
	return setting_set(ps->settings, "gro-flush", cycles, e);
}

int
port_csum_gso_size(struct ports *ps, uint64_t bytes, struct err *e)
{
	const struct setting *size = setting_find(ps->settings, "gso-segsz");

	if (ps->forwarding)
		return err_set(e, EBUSY, "Before setting GSO segsz, please first stop forwarding");
	if (bytes < size->min)
		return err_set(e, ERANGE,
			"gso_size should be larger than %" PRIu64 ". Please input a legal value",
			size->min);
	return setting_set(ps->settings, "gso-segsz", bytes, e);
}

int
port_csum_gro_show(struct ports *ps, uint16_t id, struct err *e)
{
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

int
port_csum_gso_show(struct ports *ps, uint16_t id, struct err *e)
{
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
