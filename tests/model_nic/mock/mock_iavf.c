/* A mock port of iavf: the driver's queue set-up, selection and burst functions on a port that it
 * did not probe. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "model_nic/mock/mock.h"
#include "model_nic/mock/mock_intel.h"
#include "pmd_shims/drivers/model_nic/model_life.h"

#include <iavf.h>
#include <iavf_rxtx.h>

enum {
	BAR = 0x4000, /* as far as tail registers go */
	TX_DESC = 16,
};

/* What a probe would have put behind the queues. */
struct private
{
	struct iavf_adapter adapter;        /* first: the driver takes dev_private for it */
	struct virtchnl_vf_resource grants; /* of the physical function: none that matters here */
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
	struct iavf_adapter *ad = &own->adapter;

	ad->hw.hw_addr = p->model->bar;
	ad->dev_data = p->dev->data;
	ad->vf.vf_res = &own->grants;
	ad->vf.vsi.adapter = ad;
	p->dev->rx_queue_count = iavf_dev_rxq_count;
	p->dev->rx_descriptor_status = iavf_dev_rx_desc_status;
	p->dev->tx_descriptor_status = iavf_dev_tx_desc_status;
	return 0;
}

/* As the driver begins; queues that do not fit take it back. */
static int
port_configure(struct mock *p)
{
	struct iavf_adapter *ad = &private_of(p)->adapter;

	ad->rx_bulk_alloc_allowed = p->options.rx_path != PATH_FULL;
	MOCK_IAVF_TX_VECTOR_SET(ad);
	return 0;
}

static int
rx_start(struct mock *p, uint16_t i)
{
	struct rte_eth_dev_data *data = p->dev->data;
	MOCK_QUEUE(iavf, rx) *rxq = data->rx_queues[i];
	struct ring *r = &p->model->rx[i];

	rxq->max_pkt_len = (uint16_t)(data->mtu + IAVF_ETH_OVERHEAD);
	if (rxq->max_pkt_len > rxq->rx_buf_len)
		data->scattered_rx = 1;
	*r = mock_intel_ring(i, rxq->nb_rx_desc, MOCK_RX_32, rxq->rx_ring, rxq->qrx_tail);
	r->buf_len = rxq->rx_buf_len;
	return mock_intel_fill(r, rxq->mp, NULL, (struct rte_mbuf **)rxq->sw_ring);
}

static int
tx_start(struct mock *p, uint16_t i)
{
	MOCK_QUEUE(iavf, tx) *txq = p->dev->data->tx_queues[i];
	struct ring *r = &p->model->tx[i];

	*r = mock_intel_ring(i, txq->nb_tx_desc, TX_DESC, txq->MOCK_TX_RING(iavf), txq->qtx_tail);
	*r->tail = 0;
	return 0;
}

static const struct mock_intel intel = { .rx_start = rx_start,
	.tx_start = tx_start,
	.rx_choose = iavf_set_rx_function,
	.tx_choose = iavf_set_tx_function,
	.tx_setup = iavf_dev_tx_queue_setup,
	.frame_max = IAVF_FRAME_SIZE_MAX,
	.overhead = IAVF_ETH_OVERHEAD,
	.descs = { .nb_max = IAVF_MAX_RING_DESC,
		.nb_min = IAVF_MIN_RING_DESC,
		.nb_align = IAVF_ALIGN_RING_DESC,
		.nb_seg_max = IAVF_TX_MAX_MTU_SEG,
		.nb_mtu_seg_max = IAVF_TX_MAX_MTU_SEG },
	.speed = RTE_ETH_LINK_SPEED_40G,
	.tx_queue_offloads = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE };

static const struct eth_dev_ops ops = {
	MOCK_INTEL_OPS,
	.rx_queue_setup = iavf_dev_rx_queue_setup,
	.rx_queue_release = iavf_dev_rx_queue_release,
	.tx_queue_release = iavf_dev_tx_queue_release,
	.rxq_info_get = iavf_dev_rxq_info_get,
	.txq_info_get = iavf_dev_txq_info_get,
	MOCK_IAVF_OPS.tx_done_cleanup = iavf_dev_tx_done_cleanup,
};

extern const struct model_family mock_iavf_family;

/* Descriptors are an XL710's: what the physical function grants by default. */
const struct model_family mock_iavf_family = { .name = "iavf",
	.text = "queues of an XL710's virtual function (iavf)",
	.bar_len = BAR,
	.rx_give = xl710_rx_give,
	MOCK_INTEL_FAMILY };

const struct mock_driver mock_iavf = { .family = &mock_iavf_family,
	.name = "net_iavf",
	.ops = &ops,
	.intel = &intel,
	.private_size = sizeof(struct private),
	.link_speed = RTE_ETH_SPEED_NUM_40G,
	.open = port_open,
	.configure = port_configure,
	.start = mock_intel_start,
	.stop = mock_intel_queues_renew };
