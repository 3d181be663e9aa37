/* Capabilities and thresholds of Intel's NICs behind mock ports. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "model_nic/mock/mock_intel.h"

void
mock_intel_info(struct rte_eth_dev_info *info)
{
	info->max_rx_queues = MODEL_DATA_QUEUES;
	info->max_tx_queues = MODEL_DATA_QUEUES;
	info->min_rx_bufsize = 1024;
	info->min_mtu = RTE_ETHER_MIN_MTU;
	info->max_mac_addrs = 128;
	info->rx_offload_capa = RTE_ETH_RX_OFFLOAD_VLAN_STRIP | RTE_ETH_RX_OFFLOAD_CHECKSUM |
		RTE_ETH_RX_OFFLOAD_SCATTER | RTE_ETH_RX_OFFLOAD_RSS_HASH;
	info->tx_offload_capa = RTE_ETH_TX_OFFLOAD_VLAN_INSERT | RTE_ETH_TX_OFFLOAD_IPV4_CKSUM |
		RTE_ETH_TX_OFFLOAD_UDP_CKSUM | RTE_ETH_TX_OFFLOAD_TCP_CKSUM |
		RTE_ETH_TX_OFFLOAD_TCP_TSO | RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
	info->default_rxconf.rx_free_thresh = 32;
	info->default_txconf.tx_free_thresh = 32;
	info->default_txconf.tx_rs_thresh = 32;
}

struct rte_eth_txconf
mock_intel_txconf(const struct mock *p, const struct rte_eth_txconf *conf)
{
	struct rte_eth_txconf wanted = *conf;

	if (p->options.tx_path == PATH_FULL)
		wanted.offloads |= RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
	return wanted;
}

struct ring
mock_intel_ring(uint16_t i, uint16_t descs, uint8_t bytes, volatile void *desc, volatile void *tail)
{
	return (struct ring){ .index = i,
		.data_queue = (int16_t)i,
		.size = descs,
		.desc_size = bytes,
		.desc = (uint8_t *)(uintptr_t)desc,
		.tail = tail };
}
