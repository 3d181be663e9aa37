/* A mock port of ixgbe: the driver's queue set-up, selection and burst functions on a port that it
 * did not probe. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "model_nic/mock/mock.h"
#include "model_nic/mock/mock_intel.h"
#include "pmd_shims/drivers/model_nic/ixgbe/ixgbe_priv.h"
#include "pmd_shims/drivers/model_nic/model_life.h"

#include <base/ixgbe_type.h>
#include <ixgbe_ethdev.h>
#include <ixgbe_rxtx.h>
#if RTE_VERSION >= RTE_VERSION_NUM(25, 7, 0, 0)
#include <ixgbe_rxtx_vec_common.h>
#endif

enum {
	DESC = 16,
	BAR = 0x10000,      /* as far as queue registers go */
	BUFFER_STEP = 1024, /* bytes: what a queue's buffer length is given in */
	FRAME_LONGEST = 15872,
};

static struct ixgbe_adapter *
adapter_of(const struct mock *p)
{
	return p->dev->data->dev_private;
}

static int
port_open(struct mock *p)
{
	struct ixgbe_adapter *ad = adapter_of(p);

	ad->hw.hw_addr = p->model->bar;
	ad->hw.mac.type = ixgbe_mac_82599EB;
	p->dev->rx_queue_count = ixgbe_dev_rx_queue_count;
	p->dev->rx_descriptor_status = ixgbe_dev_rx_descriptor_status;
	p->dev->tx_descriptor_status = ixgbe_dev_tx_descriptor_status;
	return 0;
}

/* As the driver begins; queues that do not fit take it back. */
static int
port_configure(struct mock *p)
{
	struct ixgbe_adapter *ad = adapter_of(p);

	ad->rx_bulk_alloc_allowed = p->options.rx_path != PATH_FULL;
	ad->rx_vec_allowed = p->options.rx_path == PATH_BEST;
	return 0;
}

static int
rx_start(struct mock *p, uint16_t i)
{
	struct rte_eth_dev_data *data = p->dev->data;
	MOCK_QUEUE(ixgbe, rx) *rxq = data->rx_queues[i];
	struct ring *r = &p->model->rx[i];
	uint32_t room = rte_pktmbuf_data_room_size(rxq->MOCK_IXGBE_POOL) - RTE_PKTMBUF_HEADROOM;
	uint32_t longest = data->mtu + RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN + 2 * RTE_VLAN_HLEN;
	uint64_t offloads = data->dev_conf.rxmode.offloads;
	bool strip = (offloads & RTE_ETH_RX_OFFLOAD_VLAN_STRIP) != 0;

	rxq->vlan_flags = RTE_MBUF_F_RX_VLAN | (strip ? RTE_MBUF_F_RX_VLAN_STRIPPED : 0);
	if (longest > room || (offloads & RTE_ETH_RX_OFFLOAD_SCATTER) != 0)
		data->scattered_rx = 1;
	/* Buffers, and registers that are memory here. */
	if (ixgbe_dev_rx_queue_start(p->dev, i) != 0)
		return -ENOMEM;
	*r = mock_intel_ring(i, rxq->nb_rx_desc, DESC, rxq->rx_ring, rxq->MOCK_IXGBE_RX_TAIL);
	r->buf_len = (uint16_t)RTE_ALIGN_FLOOR(room, BUFFER_STEP);
	ixgbe_queue_begin(p->model, r, true);
	return 0;
}

static int
tx_start(struct mock *p, uint16_t i)
{
	const MOCK_QUEUE(ixgbe, tx) *txq = p->dev->data->tx_queues[i];
	struct ring *r = &p->model->tx[i];

	*r = mock_intel_ring(i, txq->nb_tx_desc, DESC, txq->MOCK_TX_RING(ixgbe),
		txq->MOCK_IXGBE_TX_TAIL);
	if (ixgbe_dev_tx_queue_start(p->dev, i) != 0)
		return -EIO;
	ixgbe_queue_begin(p->model, r, false);
	return 0;
}

/* What the driver says since 25.07, for all releases. */
static int
rx_burst_mode_get(struct rte_eth_dev *dev, uint16_t queue, struct rte_eth_burst_mode *mode)
{
	static const struct {
		eth_rx_burst_t function;
		const char *name;
	} rx[] = { { ixgbe_recv_pkts_vec, "Vector SSE" },
		{ ixgbe_recv_scattered_pkts_vec, "Vector SSE scattered" },
		{ ixgbe_recv_pkts_bulk_alloc, "Scalar bulk alloc" }, { ixgbe_recv_pkts, "Scalar" },
		{ ixgbe_recv_pkts_lro_bulk_alloc, "Scalar LRO bulk alloc" },
		{ ixgbe_recv_pkts_lro_single_alloc, "Scalar LRO single alloc" } };

	for (unsigned i = 0; i < RTE_DIM(rx); i++) {
		if (rx[i].function != dev->rx_pkt_burst)
			continue;
		snprintf(mode->info, sizeof(mode->info), "%s", rx[i].name);
		return 0;
	}
	return -EINVAL;
}

static int
tx_burst_mode_get(struct rte_eth_dev *dev, uint16_t queue, struct rte_eth_burst_mode *mode)
{
	eth_tx_burst_t tx = dev->tx_pkt_burst;

	snprintf(mode->info, sizeof(mode->info), "%s",
		tx == ixgbe_xmit_pkts                  ? "Scalar"
			: tx == ixgbe_xmit_pkts_simple ? "Scalar simple"
						       : "Vector SSE");
	return 0;
}

static void
port_stop(struct mock *p)
{
	model_rings_disable(p->model);
	ixgbe_dev_clear_queues(p->dev);
}

/* What the model tells; the driver's own list, longer than that, belongs to its file. */
static const uint32_t *
ptypes_get(MOCK_PTYPES_ARGS)
{
	static const uint32_t ptypes[] = { RTE_PTYPE_L2_ETHER, RTE_PTYPE_L3_IPV4, RTE_PTYPE_L3_IPV6,
		RTE_PTYPE_L4_TCP, RTE_PTYPE_L4_UDP, RTE_PTYPE_UNKNOWN };

	MOCK_PTYPES_COUNT(ptypes);
	return ptypes;
}

static const struct mock_intel intel = { .rx_start = rx_start,
	.tx_start = tx_start,
	.rx_choose = ixgbe_set_rx_function,
	.tx_setup = ixgbe_dev_tx_queue_setup,
	.frame_max = FRAME_LONGEST,
	.overhead = RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN,
	.descs = { .nb_max = IXGBE_MAX_RING_DESC,
		.nb_min = IXGBE_MIN_RING_DESC,
		.nb_align = IXGBE_RXD_ALIGN,
		.nb_seg_max = IXGBE_TX_MAX_SEG,
		.nb_mtu_seg_max = IXGBE_TX_MAX_SEG },
	.speed = RTE_ETH_LINK_SPEED_10G };

static const struct eth_dev_ops ops = {
	MOCK_INTEL_OPS,
	.rx_queue_setup = ixgbe_dev_rx_queue_setup,
	.rx_queue_release = ixgbe_dev_rx_queue_release,
	.tx_queue_release = ixgbe_dev_tx_queue_release,
	.rxq_info_get = ixgbe_rxq_info_get,
	.txq_info_get = ixgbe_txq_info_get,
	.rx_burst_mode_get = rx_burst_mode_get,
	.tx_burst_mode_get = tx_burst_mode_get,
	.tx_done_cleanup = ixgbe_dev_tx_done_cleanup,
	.dev_supported_ptypes_get = ptypes_get,
};

/* The rings are an 82599's; nothing else of it is here, and no interrupt is wired. */
static void
family_reset(struct model *m)
{
	ixgbe_tables_make(ixgbe_state(m));
	model_reg_set(m, IXGBE_HASH_CONTROL,
		IXGBE_MRQC_RSSEN | IXGBE_MRQC_RSS_FIELD_IPV4 | IXGBE_MRQC_RSS_FIELD_IPV4_TCP |
			IXGBE_MRQC_RSS_FIELD_IPV4_UDP);
	ixgbe_hash_types(m);
}

extern const struct model_family mock_ixgbe_family;

#define IXGBE_FAMILY \
	.bar_len = BAR, .state_size = sizeof(struct ixgbe), .queues_max = MOCK_QUEUES, \
	.reset = family_reset, .link = mock_link, .rss = mock_rss, .rx_peek = ixgbe_rx_peek, \
	.rx_give = ixgbe_rx_give, .tx_take = ixgbe_tx_take, .tx_done = ixgbe_tx_done, \
	.buffer = ixgbe_buffer

const struct model_family mock_ixgbe_family = { .name = "ixgbe",
	.text = "82599 queues (ixgbe)",
	IXGBE_FAMILY };

/* Virtual functions have the same queues and functions. */
extern const struct model_family mock_ixgbe_vf_family;

const struct model_family mock_ixgbe_vf_family = { .name = "ixgbe_vf",
	.text = "queues of an 82599's virtual function (ixgbe)",
	IXGBE_FAMILY };

#define IXGBE_DRIVER \
	.ops = &ops, .intel = &intel, .private_size = sizeof(struct ixgbe_adapter), \
	.link_speed = RTE_ETH_SPEED_NUM_10G, .open = port_open, .configure = port_configure, \
	.start = mock_intel_start, .stop = port_stop

const struct mock_driver mock_ixgbe = { .family = &mock_ixgbe_family,
	.name = "net_ixgbe",
	IXGBE_DRIVER };

const struct mock_driver mock_ixgbe_vf = { .family = &mock_ixgbe_vf_family,
	.name = "net_ixgbe_vf",
	IXGBE_DRIVER };
