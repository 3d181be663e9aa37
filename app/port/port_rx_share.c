/* Shared Rx queues of the ports of one switch: the group of a queue, and whether two are the
 * same. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/port_rx_share.h"

#include "base/setting.h"
#include "port/port.h"

#include <rte_ethdev.h>

/* Return the share group of a port, from 1; 0: its queues are not shared. */
static uint32_t
group_of(const struct port *p)
{
	const uint64_t ports = setting_u64(p->all->settings, "rxq-share");

	if (ports == 0 || (p->info.dev_capa & RTE_ETH_DEV_CAPA_RXQ_SHARE) == 0)
		return 0;
	return (uint32_t)(p->id / ports) + 1;
}

void
port_rx_share_conf(const struct port *p, uint16_t queue, struct rte_eth_rxconf *conf)
{
	const uint32_t group = group_of(p);

	if (group == 0)
		return;
	conf->share_group = (uint16_t)group;
	conf->share_qid = queue;
}

bool
port_rx_share_same(const struct port *a, uint16_t a_queue, const struct port *b, uint16_t b_queue)
{
	const uint32_t group = group_of(a);

	return group != 0 && group == group_of(b) && a_queue == b_queue &&
		a->info.switch_info.domain_id == b->info.switch_info.domain_id;
}
