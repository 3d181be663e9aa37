/* Port operations that are the same whatever the driver. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "model_nic/mock/mock.h"
#include "pmd_shims/drivers/model_nic/config.h"
#include "pmd_shims/drivers/model_nic/model_life.h"
#include "pmd_shims/drivers/model_nic/model_nic.h"

#include <rte_malloc.h>
#include <rte_vect.h>

enum { COUNTERS_MAX = 16 };

int
mock_nothing(struct rte_eth_dev *dev)
{
	return 0;
}

/* What the NIC would have been told by registers. */
static void
settings_apply(struct mock *p)
{
	const struct rte_eth_dev_data *data = p->dev->data;
	uint64_t offloads = data->dev_conf.rxmode.offloads;
	struct model *m = p->model;

	atomic_store(&m->frame_max, data->mtu + RTE_ETHER_HDR_LEN + RTE_VLAN_HLEN);
	atomic_store(&m->vlan_strip, (offloads & RTE_ETH_RX_OFFLOAD_VLAN_STRIP) != 0);
	atomic_store(&m->rx_csum, (offloads & RTE_ETH_RX_OFFLOAD_CHECKSUM) != 0);
	/* Before the first ring is there: a flow that changes its queue comes out of order. */
	atomic_store(&p->rss_queues, data->nb_rx_queues);
	atomic_fetch_add(&m->rss_generation, 1);
}

int
mock_simd_begin(enum mock_path path, uint16_t *before)
{
	static const uint16_t bits[] = { [PATH_SSE] = RTE_VECT_SIMD_128,
		[PATH_AVX2] = RTE_VECT_SIMD_256,
		[PATH_AVX512] = RTE_VECT_SIMD_512,
		[PATH_PLAIN] = RTE_VECT_SIMD_DISABLED,
		[PATH_LEGACY] = 0 };

	*before = rte_vect_get_max_simd_bitwidth();
	if (bits[path] == 0 || bits[path] == *before)
		return 0;
	return rte_vect_set_max_simd_bitwidth(bits[path]);
}

void
mock_simd_end(uint16_t before)
{
	/* Refused where it was refused before: nothing has changed. */
	if (rte_vect_get_max_simd_bitwidth() != before)
		rte_vect_set_max_simd_bitwidth(before);
}

int
mock_configure(struct rte_eth_dev *dev)
{
	struct mock *p = mock_of(dev);

	return p->driver->configure != NULL ? p->driver->configure(p) : 0;
}

static void
states_set(struct rte_eth_dev_data *data, uint8_t state)
{
	for (unsigned i = 0; i < data->nb_rx_queues; i++)
		data->rx_queue_state[i] = state;
	for (unsigned i = 0; i < data->nb_tx_queues; i++)
		data->tx_queue_state[i] = state;
}

int
mock_start(struct rte_eth_dev *dev)
{
	struct mock *p = mock_of(dev);
	int ret;

	settings_apply(p);
	ret = p->driver->start(p);
	if (ret != 0) {
		p->driver->stop(p);
		return ret;
	}
	states_set(dev->data, RTE_ETH_QUEUE_STATE_STARTED);
	mock_link_update(dev, 0);
	return 0;
}

void
mock_rings_enable(struct mock *p)
{
	for (uint16_t i = 0; i < p->dev->data->nb_tx_queues; i++)
		model_ring_enable(p->model, &p->model->tx[i]);
	for (uint16_t i = 0; i < p->dev->data->nb_rx_queues; i++)
		model_ring_enable(p->model, &p->model->rx[i]);
}

int
mock_stop(struct rte_eth_dev *dev)
{
	struct mock *p = mock_of(dev);

	p->driver->stop(p);
	states_set(dev->data, RTE_ETH_QUEUE_STATE_STOPPED);
	mock_link_update(dev, 0);
	return 0;
}

int
mock_close(struct rte_eth_dev *dev)
{
	struct mock *p = mock_of(dev);

	if (dev->data->dev_started)
		mock_stop(dev);
	for (uint16_t i = 0; i < dev->data->nb_rx_queues; i++)
		p->driver->ops->rx_queue_release(dev, i);
	for (uint16_t i = 0; i < dev->data->nb_tx_queues; i++)
		p->driver->ops->tx_queue_release(dev, i);
	dev->data->nb_rx_queues = dev->data->nb_tx_queues = 0;
	if (p->driver->close != NULL)
		p->driver->close(p);
	model_power_off(p->model);
	p->dev = NULL;
	return 0;
}

int
mock_stats_get(MOCK_STATS_ARGS)
{
	struct mock *p = mock_of(dev);
	struct model_nic_report r;

	for (unsigned q = 0; q < MOCK_QUEUES; q++) {
		const uint64_t rx_packets = p->model->rx[q].packets - p->base[q].rx_packets,
			       rx_bytes = p->model->rx[q].bytes - p->base[q].rx_bytes,
			       tx_packets = p->model->tx[q].packets - p->base[q].tx_packets,
			       tx_bytes = p->model->tx[q].bytes - p->base[q].tx_bytes;

		s->ipackets += rx_packets;
		s->ibytes += rx_bytes;
		s->opackets += tx_packets;
		s->obytes += tx_bytes;
		if (MOCK_STATS_QUEUES == NULL)
			continue;
		MOCK_STATS_QUEUES->q_ipackets[q] = rx_packets;
		MOCK_STATS_QUEUES->q_ibytes[q] = rx_bytes;
		MOCK_STATS_QUEUES->q_opackets[q] = tx_packets;
		MOCK_STATS_QUEUES->q_obytes[q] = tx_bytes;
	}
	if (model_nic_report(p->model->port, &r))
		s->imissed = r.rx_missed - p->missed_base;
	return 0;
}

int
mock_stats_reset(struct rte_eth_dev *dev)
{
	struct mock *p = mock_of(dev);
	struct model_nic_report r;

	for (unsigned q = 0; q < MOCK_QUEUES; q++) {
		p->base[q].rx_packets = p->model->rx[q].packets;
		p->base[q].rx_bytes = p->model->rx[q].bytes;
		p->base[q].tx_packets = p->model->tx[q].packets;
		p->base[q].tx_bytes = p->model->tx[q].bytes;
	}
	if (model_nic_report(p->model->port, &r))
		p->missed_base = r.rx_missed;
	dev->data->rx_mbuf_alloc_failed = 0;
	return 0;
}

static unsigned
counters(struct mock *p, const char **names, uint64_t *values)
{
	return p->driver->counters != NULL ? p->driver->counters(p, names, values, COUNTERS_MAX)
					   : 0;
}

int
mock_xstats_get(struct rte_eth_dev *dev, struct rte_eth_xstat *xstats, unsigned n)
{
	const char *names[COUNTERS_MAX];
	uint64_t values[COUNTERS_MAX];
	unsigned have = counters(mock_of(dev), names, values);

	if (n < have)
		return (int)have;
	for (unsigned i = 0; i < have; i++)
		xstats[i] = (struct rte_eth_xstat){ .id = i, .value = values[i] };
	return (int)have;
}

int
mock_xstats_names(struct rte_eth_dev *dev, struct rte_eth_xstat_name *xstats, unsigned n)
{
	const char *names[COUNTERS_MAX];
	uint64_t values[COUNTERS_MAX];
	unsigned have = counters(mock_of(dev), names, values);

	for (unsigned i = 0; xstats != NULL && i < have && i < n; i++)
		snprintf(xstats[i].name, sizeof(xstats[i].name), "%s", names[i]);
	return (int)have;
}

int
mock_link_update(struct rte_eth_dev *dev, int wait)
{
	const struct mock *p = mock_of(dev);
	bool up = atomic_load(&p->model->link_up) && dev->data->rx_queues != NULL;
	const struct rte_eth_link link = { .link_speed = up ? p->driver->link_speed
							    : RTE_ETH_SPEED_NUM_NONE,
		.link_duplex = RTE_ETH_LINK_FULL_DUPLEX,
		.link_autoneg = RTE_ETH_LINK_AUTONEG,
		.link_status = up ? RTE_ETH_LINK_UP : RTE_ETH_LINK_DOWN };

	return rte_eth_linkstatus_set(dev, &link);
}

int
mock_mtu_set(struct rte_eth_dev *dev, uint16_t mtu)
{
	/* Buffers were chosen for the old one. */
	return dev->data->dev_started ? -EBUSY : 0;
}

int
mock_vlan_offload_set(struct rte_eth_dev *dev, int mask)
{
	return dev->data->dev_started ? -EBUSY : 0;
}

int
mock_mac_set(struct rte_eth_dev *dev, struct rte_ether_addr *address)
{
	return 0;
}

int
mock_mac_add(struct rte_eth_dev *dev, struct rte_ether_addr *address, uint32_t index, uint32_t pool)
{
	return 0;
}

void
mock_mac_remove(struct rte_eth_dev *dev, uint32_t index)
{
}

void
mock_reset(struct model *m)
{
}

void
mock_link(struct model *m, bool up)
{
	struct rte_eth_dev *dev = mock_of_model(m)->dev;

	if (dev == NULL)
		return;
	mock_link_update(dev, 0);
	rte_eth_dev_callback_process(dev, RTE_ETH_EVENT_INTR_LSC, NULL);
}

/* By addresses and ports of UDP or TCP over IPv4 without options; the rest goes to queue 0. */
uint16_t
mock_rss(struct model *m, const uint8_t *pkt, uint32_t len, uint32_t *hash)
{
	enum { ADDRESSES = 26, PORTS = 34, END = 38 };
	unsigned queues = atomic_load(&mock_of_model(m)->rss_queues);
	uint64_t addresses, h;
	uint32_t ports;

	*hash = 0;
	if (queues < 2 || len < END || pkt[12] != 0x08 || pkt[13] != 0 || pkt[14] != 0x45)
		return 0;
	memcpy(&addresses, pkt + ADDRESSES, sizeof(addresses));
	memcpy(&ports, pkt + PORTS, sizeof(ports));
	h = (addresses ^ ports) * UINT64_C(0x9e3779b97f4a7c15);
	*hash = (uint32_t)(h >> 32) | 1;
	return (uint16_t)(*hash / 2 % queues);
}
