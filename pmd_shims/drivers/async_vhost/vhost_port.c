/* Finds the ports of net_async_vhost among all ports of ethdev. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/async_vhost/vhost_port.h"

#include <ethdev_driver.h>

#include <string.h>

struct vhost_port *
vhost_port_of(uint16_t id)
{
	const struct rte_eth_dev *dev;

	if (id >= RTE_MAX_ETHPORTS)
		return NULL;
	dev = &rte_eth_devices[id];
	/* Identify the driver by a burst function: guests may connect while the port is probed. */
	return dev->tx_pkt_burst == vhost_queue_tx ? dev->data->dev_private : NULL;
}

struct vhost_port *
vhost_port_by_path(const char *path)
{
	struct vhost_port *p;

	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++) {
		p = vhost_port_of(id);
		if (p != NULL && strcmp(p->path, path) == 0)
			return p;
	}
	return NULL;
}

void
vhost_port_link(const struct vhost_port *p, bool up)
{
	struct rte_eth_dev *dev = &rte_eth_devices[p->id];
	struct rte_eth_link link = dev->data->dev_link;

	if (link.link_status == up)
		return;
	link.link_status = up;
	rte_eth_linkstatus_set(dev, &link);
	rte_eth_dev_callback_process(dev, RTE_ETH_EVENT_INTR_LSC, NULL);
}
