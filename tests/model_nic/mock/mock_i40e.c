/* A mock port of i40e: the driver's queue set-up, selection and burst functions on a port that it
 * did not probe. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "model_nic/mock/mock.h"
#include "model_nic/mock/mock_intel.h"
#include "pmd_shims/drivers/model_nic/model_life.h"

#include <rte_malloc.h>

#include <base/i40e_register.h>
#include <i40e_ethdev.h>
#include <i40e_rxtx.h>

enum {
	TAIL = 4,       /* bytes from one queue's tail register to the next */
	BAR = 0x130000, /* as far as tail registers go */
	RX_DESC = 32,
	TX_DESC = 16,
	FIRST_CLASS_QUEUES = 4 << I40E_AQ_VSI_TC_QUE_NUMBER_SHIFT, /* 2 to the power of */
};

/* What a probe would have put behind the queues. */
struct private
{
	struct i40e_adapter adapter; /* first: the driver takes dev_private for it */
	struct i40e_vsi vsi;
};

static struct private *
private_of(const struct mock *p)
{
	return p->dev->data->dev_private;
}

static int
port_open(struct mock *p)
{
	struct private *own = private_of(p);
	struct i40e_adapter *ad = &own->adapter;

	own->vsi.adapter = ad;
	own->vsi.type = I40E_VSI_MAIN;
	own->vsi.nb_qps = MOCK_QUEUES;
	own->vsi.enabled_tc = 1;
	own->vsi.info.tc_mapping[0] = FIRST_CLASS_QUEUES;
	ad->hw.hw_addr = p->model->bar;
	ad->hw.mac.type = I40E_MAC_XL710;
	ad->pf.adapter = ad;
	ad->pf.dev_data = p->dev->data;
	ad->pf.main_vsi = &own->vsi;
	i40e_set_default_ptype_table(p->dev);
	p->dev->rx_queue_count = i40e_dev_rx_queue_count;
	p->dev->rx_descriptor_status = i40e_dev_rx_descriptor_status;
	p->dev->tx_descriptor_status = i40e_dev_tx_descriptor_status;
	return 0;
}

/* As the driver begins; queues that do not fit take it back. */
static int
port_configure(struct mock *p)
{
	struct i40e_adapter *ad = &private_of(p)->adapter;

	ad->rx_bulk_alloc_allowed = p->options.rx_path != PATH_FULL;
	ad->rx_vec_allowed = true;
	ad->tx_simple_allowed = true;
	ad->tx_vec_allowed = true;
	return 0;
}

static int
rx_start(struct mock *p, uint16_t i)
{
	struct rte_eth_dev_data *data = p->dev->data;
	MOCK_QUEUE(i40e, rx) *rxq = data->rx_queues[i];
	struct ring *r = &p->model->rx[i];

	rxq->max_pkt_len = (uint16_t)(data->mtu + I40E_ETH_OVERHEAD);
	rxq->rx_buf_len = mock_intel_room(rxq->mp);
	rxq->qrx_tail = p->model->bar + XL710_RX_TAIL + TAIL * i;
	if (rxq->max_pkt_len > rxq->rx_buf_len)
		data->scattered_rx = 1;
	if (i40e_alloc_rx_queue_mbufs(rxq) != 0)
		return -ENOMEM;
	*r = mock_intel_ring(i, rxq->nb_rx_desc, RX_DESC, rxq->rx_ring, rxq->qrx_tail);
	r->buf_len = rxq->rx_buf_len;
	*r->tail = r->size - 1u;
	return 0;
}

static int
tx_start(struct mock *p, uint16_t i)
{
	MOCK_QUEUE(i40e, tx) *txq = p->dev->data->tx_queues[i];
	struct ring *r = &p->model->tx[i];

	txq->qtx_tail = p->model->bar + XL710_TX_TAIL + TAIL * i;
	*r = mock_intel_ring(i, txq->nb_tx_desc, TX_DESC, txq->MOCK_TX_RING(i40e), txq->qtx_tail);
	*r->tail = 0;
	return 0;
}

static void
set_tx_function(struct rte_eth_dev *dev)
{
	const struct mock *p = mock_of(dev);
	struct i40e_adapter *ad = &private_of(p)->adapter;

	ad->tx_vec_allowed = ad->tx_vec_allowed && p->options.tx_path != PATH_PLAIN;
	i40e_set_tx_function(dev);
	for (uint16_t i = 0; i < dev->data->nb_tx_queues; i++)
		MOCK_TX_KIND_SET(dev->data->tx_queues[i], ad);
}

static void
port_stop(struct mock *p)
{
	model_rings_disable(p->model);
	i40e_dev_clear_queues(p->dev);
}

static const struct mock_intel intel = { .rx_start = rx_start,
	.tx_start = tx_start,
	.rx_choose = i40e_set_rx_function,
	.tx_choose = set_tx_function,
	.tx_setup = i40e_dev_tx_queue_setup,
	.frame_max = I40E_FRAME_SIZE_MAX,
	.overhead = I40E_ETH_OVERHEAD,
	.descs = { .nb_max = I40E_MAX_RING_DESC,
		.nb_min = I40E_MIN_RING_DESC,
		.nb_align = I40E_ALIGN_RING_DESC,
		.nb_seg_max = I40E_TX_MAX_SEG,
		.nb_mtu_seg_max = I40E_TX_MAX_MTU_SEG },
	.speed = RTE_ETH_LINK_SPEED_40G,
	.tx_queue_offloads = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE };

static const struct eth_dev_ops ops = {
	MOCK_INTEL_OPS,
	.rx_queue_setup = i40e_dev_rx_queue_setup,
	.rx_queue_release = i40e_dev_rx_queue_release,
	.tx_queue_release = i40e_dev_tx_queue_release,
	.rxq_info_get = i40e_rxq_info_get,
	.txq_info_get = i40e_txq_info_get,
	.rx_burst_mode_get = i40e_rx_burst_mode_get,
	.tx_burst_mode_get = i40e_tx_burst_mode_get,
	.tx_done_cleanup = i40e_tx_done_cleanup,
	.dev_supported_ptypes_get = i40e_dev_supported_ptypes_get,
};

extern const struct model_family mock_i40e_family;

const struct model_family mock_i40e_family = { .name = "i40e",
	.text = "XL710 queues (i40e)",
	.bar_len = BAR,
	.rx_give = xl710_rx_give,
	MOCK_INTEL_FAMILY };

const struct mock_driver mock_i40e = { .family = &mock_i40e_family,
	.name = "net_i40e",
	.ops = &ops,
	.intel = &intel,
	.private_size = sizeof(struct private),
	.link_speed = RTE_ETH_SPEED_NUM_40G,
	.open = port_open,
	.configure = port_configure,
	.start = mock_intel_start,
	.stop = port_stop };
