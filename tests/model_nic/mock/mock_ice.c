/* A mock port of ice: the driver's queue set-up, selection and burst functions on a port that it did
 * not probe. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "model_nic/mock/mock.h"
#include "model_nic/mock/mock_intel.h"
#include "pmd_shims/drivers/model_nic/model_life.h"
#include "pmd_shims/drivers/model_nic/ring_tx.h"

#include <ice_ethdev.h>
#include <ice_rxtx.h>
#include <stdio.h>

enum {
	TAIL = 4,         /* bytes from one queue's tail register to the next */
	RX_TAILS = 0x800, /* where those of receive queues begin */
	BAR = 0x1000,
	TX_DESC = 16,
};

/* Flexible receive descriptors. Source: E810 datasheet 10.4.2. */
#define FLEX_NIC UINT64_C(2) /* the profile that network cards use */
enum { FLEX_TYPE = 16, FLEX_LENGTH = 32, FLEX_HEADER = 48, FLEX_TAG = 16 };
#define FLEX_SPLIT (UINT64_C(1) << 11) /* beside the header's length */
#define FLEX_DONE (UINT64_C(1) << 0)
#define FLEX_EOP (UINT64_C(1) << 1)
#define FLEX_CHECKED (UINT64_C(1) << 3)
#define FLEX_ERROR_L3 (UINT64_C(1) << 4)
#define FLEX_ERROR_L4 (UINT64_C(1) << 5)
#define FLEX_ERROR_MAC (UINT64_C(1) << 10)
#define FLEX_TAGGED (UINT64_C(1) << 13)

/* What a probe would have put behind the queues. */
struct private
{
	struct ice_adapter adapter; /* first: the driver takes dev_private for it */
	struct ice_vsi vsi;
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
	struct ice_adapter *ad = &own->adapter;

	own->vsi.adapter = ad;
	own->vsi.type = ICE_VSI_PF;
	own->vsi.nb_qps = MOCK_QUEUES;
	ad->hw.hw_addr = p->model->bar;
	ad->hw.mac_type = ICE_MAC_E810;
	ad->pf.adapter = ad;
	ad->pf.dev_data = p->dev->data;
	ad->pf.main_vsi = &own->vsi;
	ice_set_default_ptype_table(p->dev);
	p->dev->rx_queue_count = ice_rx_queue_count;
	p->dev->rx_descriptor_status = ice_rx_descriptor_status;
	p->dev->tx_descriptor_status = ice_tx_descriptor_status;
	return 0;
}

/* As the driver begins; queues that do not fit take it back. */
static int
port_configure(struct mock *p)
{
	struct ice_adapter *ad = &private_of(p)->adapter;

	ad->rx_bulk_alloc_allowed = p->options.rx_path != PATH_FULL;
	ad->tx_simple_allowed = true;
	return 0;
}

static bool
splits(const MOCK_QUEUE(ice, rx) * rxq)
{
	return (rxq->offloads & RTE_ETH_RX_OFFLOAD_BUFFER_SPLIT) != 0;
}

/*
 * Whether a queue can be served: the driver wants a header, the model one that is in no tunnel, and
 * frames that are written anew each time.
 */
static bool
split_fits(const struct mock *p, const MOCK_QUEUE(ice, rx) * rxq)
{
	const uint32_t outer = RTE_PTYPE_L2_MASK | RTE_PTYPE_L3_MASK | RTE_PTYPE_L4_MASK;
	const uint32_t types = rxq->rxseg[0].proto_hdr;

	if (!splits(rxq) ||
		(types != 0 && (types & ~outer) == 0 &&
			config_current.port[p->model->port].source != SOURCE_GEN))
		return true;
	fprintf(stderr,
		"%s: received packets are split behind a header (rxhdrs) that is in no tunnel, and with rx=copy\n",
		p->dev->data->name);
	return false;
}

static const struct rte_eth_rxseg_split *
rx_split(const void *queue, uint16_t *n)
{
	const MOCK_QUEUE(ice, rx) *rxq = queue;

	*n = splits(rxq) ? (uint16_t)rxq->rxseg_nb : 0;
	return rxq->rxseg;
}

static int
rx_start(struct mock *p, uint16_t i)
{
	struct rte_eth_dev_data *data = p->dev->data;
	MOCK_QUEUE(ice, rx) *rxq = data->rx_queues[i];
	struct ring *r = &p->model->rx[i];

	if (!split_fits(p, rxq))
		return -ENOTSUP;
	rxq->max_pkt_len = (uint16_t)(data->mtu + ICE_ETH_OVERHEAD);
	rxq->rx_buf_len = mock_intel_room(rxq->mp);
	rxq->qrx_tail = p->model->bar + RX_TAILS + TAIL * i;
	if (rxq->max_pkt_len > rxq->rx_buf_len)
		data->scattered_rx = 1;
	*r = mock_intel_ring(i, rxq->nb_rx_desc, MOCK_RX_32, rxq->MOCK_ICE_RX_RING, rxq->qrx_tail);
	r->buf_len = rxq->rx_buf_len;
	ice_select_rxd_to_pkt_fields_handler(rxq, ICE_RXDID_COMMS_OVS);
	return mock_intel_fill(r, rxq->mp, splits(rxq) ? rxq->rxseg[1].mp : NULL,
		(struct rte_mbuf **)rxq->sw_ring);
}

static int
tx_start(struct mock *p, uint16_t i)
{
	MOCK_QUEUE(ice, tx) *txq = p->dev->data->tx_queues[i];
	struct ring *r = &p->model->tx[i];

	txq->qtx_tail = p->model->bar + TAIL * i;
	*r = mock_intel_ring(i, txq->nb_tx_desc, TX_DESC, txq->MOCK_TX_RING(ice), txq->qtx_tail);
	*r->tail = 0;
	return 0;
}

static void
set_tx_function(struct rte_eth_dev *dev)
{
	const struct private *own = private_of(mock_of(dev));

	ice_set_tx_function(dev);
	for (uint16_t i = 0; i < dev->data->nb_tx_queues; i++)
		MOCK_TX_KIND_SET(dev->data->tx_queues[i], &own->adapter);
}

static const struct mock_intel intel = { .rx_start = rx_start,
	.tx_start = tx_start,
	.rx_choose = ice_set_rx_function,
	.tx_choose = set_tx_function,
	.tx_setup = ice_tx_queue_setup,
	.frame_max = ICE_FRAME_SIZE_MAX,
	.overhead = ICE_ETH_OVERHEAD,
	.descs = { .nb_max = ICE_MAX_RING_DESC,
		.nb_min = ICE_MIN_RING_DESC,
		.nb_align = ICE_ALIGN_RING_DESC,
		.nb_seg_max = ICE_TX_MTU_SEG_MAX,
		.nb_mtu_seg_max = ICE_TX_MTU_SEG_MAX },
	.speed = RTE_ETH_LINK_SPEED_100G,
	.rx_lacks = RTE_ETH_RX_OFFLOAD_RSS_HASH,
	.rx_segments = ICE_RX_MAX_NSEG,
	.rx_split = rx_split,
	.tx_queue_offloads = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE };

/* Headers behind which the driver splits packets, but for tunnels. */
static const uint32_t *
split_types(MOCK_PTYPES_ARGS)
{
	enum {
		V4 = RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV4_EXT_UNKNOWN,
		V6 = RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV6_EXT_UNKNOWN
	};
	static const uint32_t types[] = { RTE_PTYPE_L2_ETHER, V4, V4 | RTE_PTYPE_L4_UDP,
		V4 | RTE_PTYPE_L4_TCP, V4 | RTE_PTYPE_L4_SCTP, V6, V6 | RTE_PTYPE_L4_UDP,
		V6 | RTE_PTYPE_L4_TCP, V6 | RTE_PTYPE_L4_SCTP, RTE_PTYPE_UNKNOWN };

	(void)dev;
	MOCK_PTYPES_COUNT(types);
	return types;
}

static const struct eth_dev_ops ops = {
	MOCK_INTEL_OPS,
	.buffer_split_supported_hdr_ptypes_get = split_types,
	.rx_queue_setup = ice_rx_queue_setup,
	.rx_queue_release = ice_dev_rx_queue_release,
	.tx_queue_release = ice_dev_tx_queue_release,
	.rxq_info_get = ice_rxq_info_get,
	.txq_info_get = ice_txq_info_get,
	.rx_burst_mode_get = ice_rx_burst_mode_get,
	.tx_burst_mode_get = ice_tx_burst_mode_get,
	.tx_done_cleanup = ice_tx_done_cleanup,
	.dev_supported_ptypes_get = ice_dev_supported_ptypes_get,
};

/* The headers of frames that are given at a time; first: that of header[0]. */
struct split {
	const struct frame *first;
	uint16_t header[MODEL_BURST]; /* bytes; 0: not split, all of it is payload */
};

static inline quads
write_back(const void *of, const struct frame *f, uint64_t len)
{
	const struct split *split = of;
	const uint64_t header = split != NULL ? split->header[f - split->first] : 0;
	/* By IPv4, IPv6, TCP, UDP: bits 0..3. */
	static const uint8_t types[16] = { 1, 23, 89, 1, 1, 26, 92, 1, 1, 24, 90, 1, 1, 1, 1, 1 };
	uint64_t state = FLEX_DONE, type = 0;

	if ((f->flags & FRAME_EOP) != 0) {
		type = types[f->flags / FRAME_IPV4 & 15];
		state |= FLEX_EOP | (uint64_t)f->vlan << FLEX_TAG;
		state |= (f->flags & (FRAME_IPV4 | FRAME_IPV6)) != 0 ? FLEX_CHECKED : 0;
		state |= (f->flags & FRAME_VLAN) != 0 ? FLEX_TAGGED : 0;
		state |= (f->flags & FRAME_BAD_L3) != 0 ? FLEX_ERROR_L3 : 0;
		state |= (f->flags & FRAME_BAD_L4) != 0 ? FLEX_ERROR_L4 : 0;
		state |= (f->flags & FRAME_ERROR) != 0 ? FLEX_ERROR_MAC : 0;
	}
	return (quads){ FLEX_NIC | type << FLEX_TYPE | (len - header) << FLEX_LENGTH |
			(header > 0 ? header | FLEX_SPLIT : 0) << FLEX_HEADER,
		state };
}

/*
 * Bytes in front of the payload of a packet; 0: it has no such header and is not split. types: for
 * which the queue is set up.
 */
static uint16_t
header_bytes(const uint8_t *pkt, uint32_t len, uint32_t types)
{
	const bool l3 = (types & RTE_PTYPE_L3_MASK) != 0, l4 = (types & RTE_PTYPE_L4_MASK) != 0;
	unsigned at = RTE_ETHER_HDR_LEN, next = 0;
	uint16_t type = (uint16_t)(pkt[12] << 8 | pkt[13]);

	if (type == RTE_ETHER_TYPE_VLAN) {
		type = (uint16_t)(pkt[16] << 8 | pkt[17]);
		at += RTE_VLAN_HLEN;
	}
	if (!l3 && !l4)
		return (uint16_t)at;
	if (type == RTE_ETHER_TYPE_IPV4) {
		next = pkt[at + 9];
		at += (pkt[at] & 15) * 4u;
	} else if (type == RTE_ETHER_TYPE_IPV6) {
		next = pkt[at + 6];
		at += sizeof(struct rte_ipv6_hdr);
	} else {
		return 0;
	}
	if (l4 && next == IPPROTO_TCP)
		at += (pkt[at + 12] >> 4) * 4u;
	else if (l4 && next == IPPROTO_UDP)
		at += sizeof(struct rte_udp_hdr);
	else if (l4)
		return 0;
	return at < len ? (uint16_t)at : 0;
}

/* Move the headers of n frames from the front of their payload's buffers to their own. */
static void
headers_split(const struct ring *r, uint32_t types, const struct frame *f, uint16_t n,
	struct split *s)
{
	s->first = f;
	for (uint16_t i = 0; i < n; i++) {
		const uint8_t *desc = r->desc + (size_t)((r->head + i) % r->size) * r->desc_size;
		const uint16_t header = header_bytes(f[i].data, f[i].len, types);

		memcpy((uint8_t *)(uintptr_t)quad(desc + 8), f[i].data, header);
		memmove(f[i].data, f[i].data + header, f[i].len - header);
		s->header[i] = header;
	}
}

static void
family_rx_give(struct model *m, struct ring *r, const struct frame *f, uint16_t n)
{
	const MOCK_QUEUE(ice, rx) *rxq = mock_of_model(m)->dev->data->rx_queues[r->index];
	struct split s;

	if (!splits(rxq)) {
		rx_give(r, &xl710_state(m)->counts, 0, write_back, NULL, f, n);
		return;
	}
	headers_split(r, rxq->rxseg[0].proto_hdr, f, n, &s);
	rx_give(r, &xl710_state(m)->counts, 0, write_back, &s, f, n);
}

extern const struct model_family mock_ice_family;

/* Transmit descriptors are an XL710's. */
const struct model_family mock_ice_family = { .name = "ice",
	.text = "E810 queues (ice)",
	.bar_len = BAR,
	.rx_give = family_rx_give,
	MOCK_INTEL_FAMILY };

const struct mock_driver mock_ice = { .family = &mock_ice_family,
	.name = "net_ice",
	.ops = &ops,
	.intel = &intel,
	.private_size = sizeof(struct private),
	.link_speed = RTE_ETH_SPEED_NUM_100G,
	.open = port_open,
	.configure = port_configure,
	.start = mock_intel_start,
	.stop = mock_intel_queues_renew };
