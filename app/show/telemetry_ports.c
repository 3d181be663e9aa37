/* Telemetry of ports: names, links, the driver's counters. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "port/port_stats.h"
#include "show/telemetry_priv.h"
#include "show/telemetry_reply.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void
stats_put(struct telemetry_reply *reply, uint16_t id)
{
	struct telemetry_sink to;
	struct rte_eth_stats st;

	if (rte_eth_stats_get(id, &st) != 0)
		return;
	telemetry_sink_begin(&to, reply);
	stat_put(&to.sink, &port_stats, &st);
}

/* The caller holds ports.reading. */
static void
port_put(struct telemetry_reply *reply, const struct port *p)
{
	char name[RTE_ETH_NAME_MAX_LEN] = "";
	struct rte_eth_dev_info info;
	struct rte_eth_link link;
	uint16_t mtu;

	rte_eth_dev_get_name_by_port(p->id, name);
	telemetry_reply_str(reply, "name", name);
	if (rte_eth_dev_info_get(p->id, &info) == 0) {
		telemetry_reply_str(reply, "driver", info.driver_name);
		telemetry_reply_u64(reply, "n_rxq", info.nb_rx_queues);
		telemetry_reply_u64(reply, "n_txq", info.nb_tx_queues);
	}
	telemetry_reply_u64(reply, "started", p->state == PORT_STARTED);
	if (rte_eth_dev_get_mtu(p->id, &mtu) == 0)
		telemetry_reply_u64(reply, "mtu", mtu);
	memset(&link, 0, sizeof(link));
	if (p->state == PORT_STARTED && rte_eth_link_get_nowait(p->id, &link) == 0 &&
		link.link_status == RTE_ETH_LINK_UP) {
		telemetry_reply_u64(reply, "link_up", 1);
		if (link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN)
			telemetry_reply_u64(reply, "link_mbps", link.link_speed);
	} else {
		telemetry_reply_u64(reply, "link_up", 0);
	}
	stats_put(reply, p->id);
}

int
telemetry_ports_all(struct app *app, const char *params, struct telemetry_reply *reply)
{
	struct telemetry_reply list, one;
	struct ports *ps = &app->ports;
	uint64_t first;
	unsigned int id, n = 0;
	char name[12];

	if (telemetry_number(&params, 0, &first) != 0 || first >= RTE_MAX_ETHPORTS)
		return -EINVAL;
	pthread_mutex_lock(&ps->reading);
	for (id = 0; id < RTE_MAX_ETHPORTS; id++)
		n += ps->port[id].state != PORT_ABSENT;
	telemetry_reply_u64(reply, "n_ports", n);
	telemetry_reply_rest(reply, &list);
	for (id = (unsigned int)first; id < RTE_MAX_ETHPORTS; id++) {
		const struct port *p = &ps->port[id];

		if (p->state == PORT_ABSENT || !rte_eth_dev_is_valid_port((uint16_t)id))
			continue;
		telemetry_reply_nest(&one);
		port_put(&one, p);
		snprintf(name, sizeof(name), "%u", id);
		if (!telemetry_reply_put(&list, name, &one))
			break;
	}
	telemetry_reply_put(reply, "ports", &list);
	if (id < RTE_MAX_ETHPORTS)
		telemetry_reply_u64(reply, "next", id);
	pthread_mutex_unlock(&ps->reading);
	return 0;
}
