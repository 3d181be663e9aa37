/* ethdev's statistics of net_async_vhost: counts of each virtqueue since the last reset. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/async_vhost/vhost_port_stats.h"

#include "pmd_shims/drivers/async_vhost/vhost_port.h"

#include <ethdev_driver.h>

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#define WORDS (sizeof(struct net_async_vhost_stats) / sizeof(uint64_t))

static const struct {
	const char *name;
	size_t at;
} rows[] = {
	{ "packets", offsetof(struct net_async_vhost_stats, packets) },
	{ "bytes", offsetof(struct net_async_vhost_stats, bytes) },
	{ "cpu_bytes", offsetof(struct net_async_vhost_stats, cpu_bytes) },
	{ "dma_bytes", offsetof(struct net_async_vhost_stats, dma_bytes) },
	{ "in_flight", offsetof(struct net_async_vhost_stats, in_flight) },
	{ "drained", offsetof(struct net_async_vhost_stats, drained) },
	{ "refused", offsetof(struct net_async_vhost_stats, refused) },
	{ "csum", offsetof(struct net_async_vhost_stats, csum) },
};

/* A virtqueue's statistics since the last reset. */
static struct net_async_vhost_stats
since_reset(const struct vhost_queue *q)
{
	struct net_async_vhost_stats now;
	const uint64_t level = (vhost_queue_stats(q, &now), now.in_flight);
	uint64_t *word = (uint64_t *)&now;
	const uint64_t *base = (const uint64_t *)&q->base;

	for (unsigned int i = 0; i < WORDS; i++)
		word[i] -= base[i];
	now.in_flight = level;
	return now;
}

/* The port's i-th virtqueue that was set up; NULL: there are no more. */
static struct vhost_queue *
virtqueue(struct vhost_port *p, unsigned int i)
{
	for (unsigned int vring = 0; vring < 2u * p->queues; vring++)
		if (atomic_load(&vhost_port_vring(p, vring)->setup) && i-- == 0)
			return vhost_port_vring(p, vring);
	return NULL;
}

#if RTE_VERSION >= RTE_VERSION_NUM(25, 11, 0, 0)
int
vhost_port_stats_get(struct rte_eth_dev *dev, struct rte_eth_stats *to,
	struct eth_queue_stats *queues)
#else
int
vhost_port_stats_get(struct rte_eth_dev *dev, struct rte_eth_stats *to)
#endif
{
	struct vhost_queue *q;

	for (unsigned int i = 0; (q = virtqueue(dev->data->dev_private, i)) != NULL; i++) {
		const struct net_async_vhost_stats s = since_reset(q);

		if (q->rx) {
			to->ipackets += s.packets;
			to->ibytes += s.bytes;
			to->ierrors += s.drained;
		} else {
			to->opackets += s.packets;
			to->obytes += s.bytes;
			to->oerrors += s.refused;
		}
#if RTE_VERSION < RTE_VERSION_NUM(25, 11, 0, 0)
		if (q->vring / 2 < RTE_ETHDEV_QUEUE_STAT_CNTRS) {
			*(q->rx ? &to->q_ipackets[q->vring / 2] : &to->q_opackets[q->vring / 2]) =
				s.packets;
			*(q->rx ? &to->q_ibytes[q->vring / 2] : &to->q_obytes[q->vring / 2]) =
				s.bytes;
		}
#endif
	}
	return 0;
}

int
vhost_port_stats_reset(struct rte_eth_dev *dev)
{
	struct vhost_queue *q;

	for (unsigned int i = 0; (q = virtqueue(dev->data->dev_private, i)) != NULL; i++)
		vhost_queue_stats(q, &q->base);
	return 0;
}

static unsigned int
xstats_all(struct vhost_port *p)
{
	unsigned int n = 0;

	while (virtqueue(p, n) != NULL)
		n++;
	return n * RTE_DIM(rows);
}

int
vhost_port_stats_xstats(struct rte_eth_dev *dev, struct rte_eth_xstat *to, unsigned int n)
{
	const unsigned int all = xstats_all(dev->data->dev_private);
	struct net_async_vhost_stats s;

	for (unsigned int i = 0; to != NULL && n >= all && i < all; i++) {
		if (i % RTE_DIM(rows) == 0)
			s = since_reset(virtqueue(dev->data->dev_private, i / RTE_DIM(rows)));
		to[i].id = i;
		to[i].value = *(const uint64_t *)((const char *)&s + rows[i % RTE_DIM(rows)].at);
	}
	return (int)all;
}

int
vhost_port_stats_names(struct rte_eth_dev *dev, struct rte_eth_xstat_name *to, unsigned int n)
{
	const unsigned int all = xstats_all(dev->data->dev_private);

	for (unsigned int i = 0; to != NULL && n >= all && i < all; i++) {
		const struct vhost_queue *q = virtqueue(dev->data->dev_private, i / RTE_DIM(rows));

		snprintf(to[i].name, sizeof(to[i].name), "%s_q%u_%s", q->rx ? "rx" : "tx",
			q->vring / 2u, rows[i % RTE_DIM(rows)].name);
	}
	return (int)all;
}
