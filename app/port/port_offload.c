/* Show what a port can do and is set to do in hardware: offloads, packet types, flow control,
 * forward error correction. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_offload.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "port/port.h"
#include "port/port_info.h"

#include <rte_ethdev.h>
#include <rte_mbuf_ptype.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BORDER "*********************"
#define PTYPES_PER_LAYER 16
#define PTYPE_NAME_BYTES 256

static int
unreadable(const struct port *p, int ret, const char *what, struct err *e)
{
	return err_set(e, abs(ret), "port %u (%s): cannot read its %s: %s", p->id,
		p->info.driver_name, what, strerror(abs(ret)));
}

/* The names of offload bits on one line behind title, in JSON an array. */
static void
offloads_show(struct out *o, const char *key, const char *title, uint64_t offloads, bool rx)
{
	unsigned int bit;

	out_text(o, "%s", title);
	out_nest(o, key, OUT_ARRAY);
	for (bit = 0; bit < 64; bit++)
		if ((offloads & RTE_BIT64(bit)) != 0)
			out_str(o, "", " %s",
				rx ? rte_eth_dev_rx_offload_name(RTE_BIT64(bit))
				   : rte_eth_dev_tx_offload_name(RTE_BIT64(bit)));
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
		return unreadable(p, ret, "information", e);
	queue = rx ? info.rx_queue_offload_capa : info.tx_queue_offload_capa;
	port = queue ^ (rx ? info.rx_offload_capa : info.tx_offload_capa);
	out_text(ps->out, "%s Offloading Capabilities of port %u :\n", rx ? "Rx" : "Tx", id);
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
		return unreadable(p, ret, "information", e);
	offloads = rx ? conf.rxmode.offloads : conf.txmode.offloads;
	n = RTE_MIN(rx ? info.nb_rx_queues : info.nb_tx_queues, PORT_QUEUES_MAX);
	out_text(ps->out, "%s Offloading Configuration of port %u :\n", rx ? "Rx" : "Tx", id);
	out_u64(ps->out, "port", NULL, id);
	offloads_show(ps->out, "offloads", "  Port :", offloads, rx);
	out_nest(ps->out, "queues", OUT_ARRAY);
	for (q = 0; q < n; q++) {
		snprintf(title, sizeof(title), "  Queue[%2u] :", q);
		offloads_show(ps->out, NULL, title, rx ? p->rxq[q].offloads : p->txq[q].offloads,
			rx);
	}
	out_unnest(ps->out);
	out_text(ps->out, "\n");
	return 0;
}

static void
ptypes_show(struct out *o, const char *key, const char *layer, const uint32_t *ptypes, int n)
{
	char name[PTYPE_NAME_BYTES];
	int i;

	out_text(o, n > 0 ? "Supported %s ptypes:\n" : "%s ptypes unsupported\n", layer);
	out_nest(o, key, OUT_ARRAY);
	for (i = 0; i < n; i++) {
		rte_get_ptype_name(ptypes[i], name, sizeof(name));
		out_str(o, "", "%s\n", name);
	}
	out_unnest(o);
}

int
port_ptypes_show(struct ports *ps, uint16_t id, struct err *e)
{
	static const struct {
		uint32_t mask;
		const char *key, *name;
	} layers[] = {
		{ RTE_PTYPE_L2_MASK, "l2", "L2" },
		{ RTE_PTYPE_L3_MASK, "l3", "L3" },
		{ RTE_PTYPE_L4_MASK, "l4", "L4" },
		{ RTE_PTYPE_TUNNEL_MASK, "tunnel", "Tunnel" },
		{ RTE_PTYPE_INNER_L2_MASK, "inner_l2", "Inner L2" },
		{ RTE_PTYPE_INNER_L3_MASK, "inner_l3", "Inner L3" },
		{ RTE_PTYPE_INNER_L4_MASK, "inner_l4", "Inner L4" },
	};
	const struct port *p = port_find(ps, id, e);
	uint32_t ptypes[PTYPES_PER_LAYER];
	unsigned int i;
	int n;

	if (p == NULL)
		return -ENODEV;
	n = rte_eth_dev_get_supported_ptypes(id, RTE_PTYPE_L2_MASK, NULL, 0);
	if (n < 0)
		return unreadable(p, n, "packet types", e);
	out_u64(ps->out, "port", NULL, id);
	out_nest(ps->out, "ptypes", OUT_OBJECT);
	for (i = 0; i < ARRAY_SIZE(layers); i++) {
		n = rte_eth_dev_get_supported_ptypes(id, layers[i].mask, ptypes, PTYPES_PER_LAYER);
		ptypes_show(ps->out, layers[i].key, layers[i].name, ptypes,
			RTE_MIN(n, PTYPES_PER_LAYER));
	}
	out_unnest(ps->out);
	return 0;
}

int
port_flow_ctrl_show(struct ports *ps, uint16_t id, struct err *e)
{
	struct rte_eth_fc_conf fc = { 0 };
	struct out *o = ps->out;
	int ret;

	if (port_find(ps, id, e) == NULL)
		return -ENODEV;
	ret = rte_eth_dev_flow_ctrl_get(id, &fc);
	if (ret != 0)
		return err_set(e, abs(ret), "Failed to get current flow ctrl information: err = %d",
			ret);
	out_text(o, "\n%s Flow control infos for port %-2u %s\n", BORDER, id, BORDER);
	out_u64(o, "port", NULL, id);
	out_text(o, "FC mode:\n");
	out_bool(o, "rx_pause", "   Rx pause: %s\n",
		fc.mode == RTE_ETH_FC_RX_PAUSE || fc.mode == RTE_ETH_FC_FULL, "on", "off");
	out_bool(o, "tx_pause", "   Tx pause: %s\n",
		fc.mode == RTE_ETH_FC_TX_PAUSE || fc.mode == RTE_ETH_FC_FULL, "on", "off");
	out_bool(o, "autoneg", "Autoneg: %s\n", fc.autoneg != 0, "on", "off");
	out_u64(o, "pause_time", "Pause time: 0x%" PRIx64 "\n", fc.pause_time);
	out_u64(o, "high_water", "High waterline: 0x%" PRIx64 "\n", fc.high_water);
	out_u64(o, "low_water", "Low waterline: 0x%" PRIx64 "\n", fc.low_water);
	out_bool(o, "send_xon", "Send XON: %s\n", fc.send_xon != 0, "on", "off");
	out_bool(o, "forward_mac_control", "Forward MAC control frames: %s\n",
		fc.mac_ctrl_frame_fwd != 0, "on", "off");
	out_text(o, "\n%s**************   End  ***********%s\n", BORDER, BORDER);
	return 0;
}

static const struct {
	uint32_t capability;
	const char *name;
} fec_modes[] = {
	{ RTE_ETH_FEC_MODE_CAPA_MASK(NOFEC), "off" },
	{ RTE_ETH_FEC_MODE_CAPA_MASK(AUTO), "auto" },
	{ RTE_ETH_FEC_MODE_CAPA_MASK(BASER), "baser" },
	{ RTE_ETH_FEC_MODE_CAPA_MASK(RS), "rs" },
};

static int
fec_failed(const struct port *p, int ret, struct err *e)
{
	if (ret == -ENOTSUP)
		return err_set(e, ENOTSUP, "Function not implemented");
	return unreadable(p, ret, "FEC mode", e);
}

int
port_fec_show(struct ports *ps, uint16_t id, struct err *e)
{
	const struct port *p = port_find(ps, id, e);
	uint32_t capability;
	unsigned int i;
	int ret;

	if (p == NULL)
		return -ENODEV;
	ret = rte_eth_fec_get(id, &capability);
	if (ret < 0)
		return fec_failed(p, ret, e);
	for (i = 0; i < ARRAY_SIZE(fec_modes); i++) {
		if (capability != fec_modes[i].capability)
			continue;
		out_u64(ps->out, "port", NULL, id);
		out_str(ps->out, "fec", "%s\n", fec_modes[i].name);
		return 0;
	}
	return err_set(e, EPROTO, "port %u: unknown FEC mode 0x%x", id, capability);
}

static void
fec_speed_show(struct out *o, const struct rte_eth_fec_capa *speed)
{
	unsigned int i;

	out_nest(o, NULL, OUT_OBJECT);
	port_info_speed(o, "%s : ", speed->speed);
	out_nest(o, "fec", OUT_ARRAY);
	for (i = 0; i < ARRAY_SIZE(fec_modes); i++)
		if ((speed->capa & fec_modes[i].capability) != 0)
			out_str(o, "", "%s ", fec_modes[i].name);
	out_unnest(o);
	out_unnest(o);
	out_text(o, "\n");
}

int
port_fec_capabilities(struct ports *ps, uint16_t id, struct err *e)
{
	const struct port *p = port_find(ps, id, e);
	struct rte_eth_fec_capa *speeds;
	int i, ret, n;

	if (p == NULL)
		return -ENODEV;
	n = rte_eth_fec_get_capability(id, NULL, 0);
	if (n < 0)
		return fec_failed(p, n, e);
	speeds = calloc(n + 1, sizeof(*speeds));
	if (speeds == NULL)
		return err_set(e, ENOMEM, "no memory for %d FEC capabilities", n);
	ret = rte_eth_fec_get_capability(id, speeds, n);
	if (ret < 0) {
		fec_failed(p, ret, e);
		free(speeds);
		return ret;
	}
	out_u64(ps->out, "port", NULL, id);
	out_text(ps->out, "FEC capabilities:\n");
	out_nest(ps->out, "speeds", OUT_ARRAY);
	for (i = 0; i < RTE_MIN(n, ret); i++)
		fec_speed_show(ps->out, &speeds[i]);
	out_unnest(ps->out);
	free(speeds);
	return 0;
}
