/* Show a port's hardware offloads (capabilities and configuration) and flow control. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/offload/port_offload.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "port/port.h"

#include <rte_ethdev.h>

#include <errno.h>
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
		return unreadable(p, ret, "device information", e);
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
		return unreadable(p, ret, "device information", e);
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
