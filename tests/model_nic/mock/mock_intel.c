/* Capabilities and thresholds of Intel's NICs behind mock ports. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "model_nic/mock/mock_intel.h"

#include "pmd_shims/drivers/model_nic/model_life.h"

int
mock_intel_info(struct rte_eth_dev *dev, struct rte_eth_dev_info *info)
{
	const struct mock_intel *intel = mock_of(dev)->driver->intel;

	info->max_rx_queues = MOCK_QUEUES;
	info->max_tx_queues = MOCK_QUEUES;
	info->min_rx_bufsize = 1024;
	info->min_mtu = RTE_ETHER_MIN_MTU;
	info->max_rx_pktlen = intel->frame_max;
	info->max_mtu = (uint16_t)(intel->frame_max - intel->overhead);
	info->max_mac_addrs = 128;
	info->rx_desc_lim = info->tx_desc_lim = intel->descs;
	info->rx_offload_capa = (RTE_ETH_RX_OFFLOAD_VLAN_STRIP | RTE_ETH_RX_OFFLOAD_CHECKSUM |
					RTE_ETH_RX_OFFLOAD_SCATTER | RTE_ETH_RX_OFFLOAD_RSS_HASH) &
		~intel->rx_lacks;
	if (intel->rx_segments > 0) {
		info->rx_queue_offload_capa = RTE_ETH_RX_OFFLOAD_BUFFER_SPLIT;
		info->rx_offload_capa |= RTE_ETH_RX_OFFLOAD_BUFFER_SPLIT;
		info->rx_seg_capa.max_nseg = intel->rx_segments;
		info->rx_seg_capa.multi_pools = 1;
	}
	info->tx_queue_offload_capa = intel->tx_queue_offloads;
	info->tx_offload_capa = RTE_ETH_TX_OFFLOAD_VLAN_INSERT | RTE_ETH_TX_OFFLOAD_IPV4_CKSUM |
		RTE_ETH_TX_OFFLOAD_UDP_CKSUM | RTE_ETH_TX_OFFLOAD_TCP_CKSUM |
		RTE_ETH_TX_OFFLOAD_TCP_TSO | RTE_ETH_TX_OFFLOAD_MULTI_SEGS |
		intel->tx_queue_offloads;
	info->default_rxconf.rx_free_thresh = 32;
	info->default_txconf.tx_free_thresh = 32;
	info->default_txconf.tx_rs_thresh = 32;
	info->flow_type_rss_offloads = RTE_ETH_RSS_NONFRAG_IPV4_UDP | RTE_ETH_RSS_NONFRAG_IPV4_TCP;
	info->speed_capa = intel->speed;
	mock_info(dev, info);
	return 0;
}

/* tx_path=full stands for an offload that only the full function has. */
int
mock_intel_tx_setup(struct rte_eth_dev *dev, uint16_t i, uint16_t descs, unsigned socket,
	const struct rte_eth_txconf *conf)
{
	const struct mock *p = mock_of(dev);
	struct rte_eth_txconf wanted = *conf;
	uint16_t before;
	int ret = mock_simd_begin(p->options.tx_path, &before);

	if (p->options.tx_path == PATH_FULL)
		wanted.offloads |= RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
	if (ret == 0)
		ret = p->driver->intel->tx_setup(dev, i, descs, socket, &wanted);
	mock_simd_end(before);
	return ret;
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

uint16_t
mock_intel_room(struct rte_mempool *pool)
{
	enum { STEP = 128, MAX = 16256 };

	return (uint16_t)RTE_ALIGN_FLOOR(RTE_MIN(rte_pktmbuf_data_room_size(pool) -
							 RTE_PKTMBUF_HEADROOM,
						 MAX),
		STEP);
}

int
mock_intel_fill(const struct ring *r, struct rte_mempool *pool, struct rte_mempool *payload,
	struct rte_mbuf **slots)
{
	if (rte_pktmbuf_alloc_bulk(pool, slots, r->size) != 0)
		return -ENOMEM;
	for (uint16_t i = 0; i < r->size; i++) {
		uint64_t *desc = (uint64_t *)(void *)(r->desc + (size_t)i * r->desc_size);
		struct rte_mbuf *behind = payload != NULL ? rte_pktmbuf_alloc(payload) : NULL;

		if (payload != NULL && behind == NULL)
			return -ENOMEM;
		slots[i]->next = behind;
		desc[0] = rte_mbuf_data_iova_default(behind != NULL ? behind : slots[i]);
		desc[1] = behind != NULL ? rte_mbuf_data_iova_default(slots[i]) : 0;
	}
	*r->tail = r->size - 1u;
	return 0;
}

static int
choose(struct mock *p)
{
	const struct mock_intel *intel = p->driver->intel;
	uint16_t before;
	int ret = mock_simd_begin(p->options.rx_path, &before);

	if (ret == 0)
		intel->rx_choose(p->dev);
	mock_simd_end(before);
	/* Since 26.07 it is the port's offloads, not its queues', that decide. */
	if (p->options.tx_path == PATH_FULL)
		p->dev->data->dev_conf.txmode.offloads |= RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
	if (ret == 0)
		ret = mock_simd_begin(p->options.tx_path, &before);
	if (ret == 0 && intel->tx_choose != NULL)
		intel->tx_choose(p->dev);
	mock_simd_end(before);
	return ret;
}

int
mock_intel_start(struct mock *p)
{
	const struct mock_intel *intel = p->driver->intel;
	const struct rte_eth_dev_data *data = p->dev->data;
	int ret = 0;

	p->dev->data->scattered_rx = 0;
	for (uint16_t i = 0; ret == 0 && i < data->nb_tx_queues; i++)
		ret = intel->tx_start(p, i);
	for (uint16_t i = 0; ret == 0 && i < data->nb_rx_queues; i++)
		ret = intel->rx_start(p, i);
	if (ret == 0)
		ret = choose(p);
	if (ret == 0)
		mock_rings_enable(p);
	return ret;
}

enum { MOCK_SEGMENTS = 2 };

/* What a queue splits packets into, which rxq_info_get does not have. Returns whether it does. */
static bool
split_kept(const struct mock_intel *intel, const void *rxq, struct rte_eth_rxconf *conf,
	union rte_eth_rxseg *segments)
{
	const struct rte_eth_rxseg_split *split;
	uint16_t n = 0;

	split = intel->rx_split != NULL ? intel->rx_split(rxq, &n) : NULL;
	for (uint16_t i = 0; i < n; i++)
		segments[i].split = split[i];
	conf->rx_seg = n > 0 ? segments : NULL;
	conf->rx_nseg = n;
	return n > 0;
}

void
mock_intel_queues_renew(struct mock *p)
{
	const struct eth_dev_ops *ops = p->driver->ops;
	struct rte_eth_dev *dev = p->dev;
	const unsigned socket = (unsigned)dev->data->numa_node;

	model_rings_disable(p->model);
	for (uint16_t i = 0; i < dev->data->nb_rx_queues; i++) {
		union rte_eth_rxseg segments[MOCK_SEGMENTS];
		struct rte_eth_rxq_info q = { 0 };

		ops->rxq_info_get(dev, i, &q);
		if (split_kept(p->driver->intel, dev->data->rx_queues[i], &q.conf, segments))
			q.mp = NULL;
		if (ops->rx_queue_setup(dev, i, q.nb_desc, socket, &q.conf, q.mp) != 0)
			rte_panic("port %u: no receive queue %u any more\n", dev->data->port_id, i);
	}
	for (uint16_t i = 0; i < dev->data->nb_tx_queues; i++) {
		struct rte_eth_txq_info q = { 0 };

		ops->txq_info_get(dev, i, &q);
		if (ops->tx_queue_setup(dev, i, q.nb_desc, socket, &q.conf) != 0)
			rte_panic("port %u: no transmit queue %u any more\n", dev->data->port_id,
				i);
	}
}

void
mock_intel_reset(struct model *m)
{
	xl710_tables_make(xl710_state(m));
	atomic_store(&xl710_state(m)->link_up, true);
}

void
mock_intel_link(struct model *m, bool up)
{
	atomic_store(&xl710_state(m)->link_up, up);
	mock_link(m, up);
}
