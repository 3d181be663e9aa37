/* Traffic classes in the configuration of a port. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/qos/port_dcb_conf.h"

#include "port/port.h"
#include "port/port_feature.h"

#include <rte_ethdev.h>

#include <string.h>

#define VT_VLANS 32 /* VLANs 0..31 select a pool each, as in testpmd */

static uint32_t
pools_of(const struct port_dcb *d)
{
	return d->classes == RTE_ETH_4_TCS ? RTE_ETH_32_POOLS : RTE_ETH_16_POOLS;
}

/* Divide the queues among pools by VLAN, and within each pool among classes. */
static void
complete_vt(struct port *p)
{
	const struct port_dcb *d = &p->dcb;
	struct rte_eth_vmdq_dcb_conf *rx = &p->conf.rx_adv_conf.vmdq_dcb_conf;
	struct rte_eth_vmdq_dcb_tx_conf *tx = &p->conf.tx_adv_conf.vmdq_dcb_tx_conf;
	unsigned int i;

	memset(rx, 0, sizeof(*rx));
	memset(tx, 0, sizeof(*tx));
	rx->nb_queue_pools = tx->nb_queue_pools = (enum rte_eth_nb_pools)pools_of(d);
	rx->nb_pool_maps = (uint8_t)RTE_MIN(pools_of(d), (uint32_t)VT_VLANS);
	for (i = 0; i < rx->nb_pool_maps; i++) {
		rx->pool_map[i].vlan_id = (uint16_t)i;
		rx->pool_map[i].pools = UINT64_C(1) << i;
	}
	memcpy(rx->dcb_tc, d->class_of, sizeof(d->class_of));
	memcpy(tx->dcb_tc, d->class_of, sizeof(d->class_of));
	p->conf.rxmode.mq_mode = RTE_ETH_MQ_RX_VMDQ_DCB;
	p->conf.txmode.mq_mode = RTE_ETH_MQ_TX_VMDQ_DCB;
	p->conf.rxmode.offloads &= ~RTE_ETH_RX_OFFLOAD_RSS_HASH;
	for (i = 0; i < PORT_QUEUES_MAX; i++)
		p->rxq[i].offloads &= ~RTE_ETH_RX_OFFLOAD_RSS_HASH;
}

static void
complete_plain(struct port *p)
{
	const struct port_dcb *d = &p->dcb;
	struct rte_eth_dcb_rx_conf *rx = &p->conf.rx_adv_conf.dcb_rx_conf;
	struct rte_eth_dcb_tx_conf *tx = &p->conf.tx_adv_conf.dcb_tx_conf;

	rx->nb_tcs = tx->nb_tcs = (enum rte_eth_nb_tcs)d->classes;
	memcpy(rx->dcb_tc, d->class_of, sizeof(d->class_of));
	memcpy(tx->dcb_tc, d->class_of, sizeof(d->class_of));
	p->conf.rxmode.mq_mode = RTE_ETH_MQ_RX_DCB_RSS;
	p->conf.txmode.mq_mode = RTE_ETH_MQ_TX_DCB;
}

static int
configure(struct ports *ps, struct port *p, struct err *e)
{
	if (p->dcb.classes == 0)
		return 0;
	if (p->dcb.vt)
		complete_vt(p);
	else
		complete_plain(p);
	p->conf.rxmode.offloads |= p->info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_VLAN_FILTER;
	p->conf.dcb_capability_en = p->dcb.pfc ? RTE_ETH_DCB_PG_SUPPORT | RTE_ETH_DCB_PFC_SUPPORT
					       : RTE_ETH_DCB_PG_SUPPORT;
	return 0;
}

/* Let the VLANs that testpmd uses pass the VLAN filter. */
static void
configured(struct ports *ps, struct port *p)
{
	if (p->dcb.classes == 0 || (p->conf.rxmode.offloads & RTE_ETH_RX_OFFLOAD_VLAN_FILTER) == 0)
		return;
	for (uint16_t vlan = 0; vlan < VT_VLANS; vlan++)
		rte_eth_dev_vlan_filter(p->id, vlan, 1); /* some drivers refuse VLAN 0 */
}

const struct port_feature port_feature_dcb = {
	.name = "dcb",
	.configure = configure,
	.at = { [PORT_CONFIGURED] = configured },
};
