/* The driver net_async_vhost: device arguments and ethdev's operations. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/async_vhost/vhost_priv.h"

#include <bus_vdev_driver.h>
#include <ethdev_driver.h>
#include <ethdev_vdev.h>
#include <rte_kvargs.h>
#include <rte_log.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

RTE_LOG_REGISTER(net_async_vhost_pmd_log, pmd.net.async_vhost, NOTICE)

#define WHY 256               /* bytes of a reason */
#define FRAME_MAX 65553       /* bytes: 64 KB of IP, Ethernet header, a tag */
#define RING_DESCRIPTORS 1024 /* reported default; in fact the guest's ring size is used */

#define FAIL(p, ret, why) \
	(rte_log(RTE_LOG_ERR, net_async_vhost_pmd_log, "net_async_vhost: %s\n", why), (ret))

static int
port_configure(struct rte_eth_dev *dev)
{
	struct vhost_port *p = dev->data->dev_private;
	char why[WHY];
	int ret = vhost_dmas_take(&p->dmas, why, sizeof(why));

	return ret != 0 ? FAIL(p, ret, why) : 0;
}

static void
queue_init(struct vhost_port *p, struct vhost_queue *q, uint16_t i, bool rx, uint16_t descriptors)
{
	const struct vhost_dma *d = rx ? &p->dmas.rxq[i] : &p->dmas.txq[i];

	q->port = p->id;
	q->rx = rx;
	q->vring = (uint16_t)(2 * i + rx);
	q->descriptors = descriptors;
	q->tx = rx ? &p->txq[i] : NULL;
	q->movable = p->dmas.movable;
	if (!q->movable || !atomic_load(&q->setup)) {
		q->dma = d->dev;
		q->vchan = d->vchan;
		q->adaptive = dma_adaptive_is(q->dma);
	}
	if (!atomic_load(&q->setup)) {
		q->vid = -1;
		rte_spinlock_init(&q->lock);
		rte_spinlock_init(&q->counting);
		vhost_copy_init(&q->path, p->id, q->vring, !rx);
		if (q->movable || q->adaptive)
			atomic_store(&q->chosen, NET_ASYNC_VHOST_ADAPTIVE);
		else
			atomic_store(&q->chosen,
				q->dma < 0 ? NET_ASYNC_VHOST_CPU : NET_ASYNC_VHOST_DMA);
		atomic_store(&q->copy, atomic_load(&q->chosen));
	}
	if (!q->movable && (q->path.dma != q->dma || q->path.vchan != q->vchan))
		vhost_copy_use(&q->path, q->dma, q->vchan);
	atomic_store(&q->setup, true);
}

static int
port_rxq(struct rte_eth_dev *dev, uint16_t i, uint16_t descriptors, unsigned int socket,
	const struct rte_eth_rxconf *conf, struct rte_mempool *pool)
{
	struct vhost_port *p = dev->data->dev_private;
	struct vhost_queue *q = &p->rxq[i];

	queue_init(p, q, i, true, descriptors);
	q->pool = pool;
	q->verdicts = (conf->offloads | dev->data->dev_conf.rxmode.offloads) &
		(RTE_ETH_RX_OFFLOAD_TCP_CKSUM | RTE_ETH_RX_OFFLOAD_UDP_CKSUM);
	dev->data->rx_queues[i] = q;
	return 0;
}

static int
port_txq(struct rte_eth_dev *dev, uint16_t i, uint16_t descriptors, unsigned int socket,
	const struct rte_eth_txconf *conf)
{
	struct vhost_port *p = dev->data->dev_private;

	queue_init(p, &p->txq[i], i, false, descriptors);
	dev->data->tx_queues[i] = &p->txq[i];
	return 0;
}

static int
port_start(struct rte_eth_dev *dev)
{
	struct vhost_port *p = dev->data->dev_private;

	pthread_mutex_lock(&p->life);
	atomic_store(&p->started, true);
	vhost_guest_serve(p);
	pthread_mutex_unlock(&p->life);
	return 0;
}

static int
port_stop(struct rte_eth_dev *dev)
{
	struct vhost_port *p = dev->data->dev_private;

	pthread_mutex_lock(&p->life);
	atomic_store(&p->started, false);
	vhost_guest_leave(p);
	pthread_mutex_unlock(&p->life);
	dev->data->dev_started = 0;
	return 0;
}

static int
port_close(struct rte_eth_dev *dev)
{
	struct vhost_port *p = dev->data->dev_private;

	if (rte_eal_process_type() != RTE_PROC_PRIMARY)
		return 0;
	port_stop(dev);
	vhost_guest_hang_up(p);
	vhost_dmas_release(&p->dmas);
	for (unsigned int i = 0; i < NET_ASYNC_VHOST_QUEUES; i++) {
		vhost_copy_free(&p->rxq[i].path);
		vhost_copy_free(&p->txq[i].path);
	}
	pthread_mutex_destroy(&p->life);
	dev->data->mac_addrs = NULL; /* in p */
	return 0;
}

static int
port_info(struct rte_eth_dev *dev, struct rte_eth_dev_info *info)
{
	const struct vhost_port *p = dev->data->dev_private;

	info->max_mac_addrs = 1;
	info->max_rx_pktlen = FRAME_MAX;
	info->max_mtu = UINT16_MAX;
	info->max_rx_queues = info->max_tx_queues = p->queues;
	info->rx_offload_capa = RTE_ETH_RX_OFFLOAD_SCATTER | RTE_ETH_RX_OFFLOAD_TCP_CKSUM |
		RTE_ETH_RX_OFFLOAD_UDP_CKSUM | (p->tso ? RTE_ETH_RX_OFFLOAD_TCP_LRO : 0);
	info->tx_offload_capa = RTE_ETH_TX_OFFLOAD_MULTI_SEGS | RTE_ETH_TX_OFFLOAD_IPV4_CKSUM |
		RTE_ETH_TX_OFFLOAD_TCP_CKSUM | RTE_ETH_TX_OFFLOAD_UDP_CKSUM |
		(p->tso ? RTE_ETH_TX_OFFLOAD_TCP_TSO : 0) |
		(p->ufo ? RTE_ETH_TX_OFFLOAD_UDP_TSO : 0);
	info->max_lro_pkt_size = UINT16_MAX;
	info->default_rxportconf.ring_size = info->default_txportconf.ring_size = RING_DESCRIPTORS;
	return 0;
}

static void
port_rxq_info(struct rte_eth_dev *dev, uint16_t i, struct rte_eth_rxq_info *info)
{
	const struct vhost_queue *q = dev->data->rx_queues[i];

	info->mp = q->pool;
	info->nb_desc = q->descriptors;
	info->scattered_rx = 1;
}

static void
port_txq_info(struct rte_eth_dev *dev, uint16_t i, struct rte_eth_txq_info *info)
{
	const struct vhost_queue *q = dev->data->tx_queues[i];

	info->nb_desc = q->descriptors;
}

/* Nothing to do: the link is updated when guests connect and disconnect. */
static int
port_link_update(struct rte_eth_dev *dev, int wait)
{
	return 0;
}

/* Nothing to do: a guest receives every packet and sets its own address. */
static int
port_nothing(struct rte_eth_dev *dev)
{
	return 0;
}

static int
port_mac(struct rte_eth_dev *dev, struct rte_ether_addr *mac)
{
	return 0;
}

static int
port_mtu(struct rte_eth_dev *dev, uint16_t mtu)
{
	return 0;
}

static const struct eth_dev_ops operations = {
	.dev_configure = port_configure,
	.dev_start = port_start,
	.dev_stop = port_stop,
	.dev_close = port_close,
	.dev_infos_get = port_info,
	.rx_queue_setup = port_rxq,
	.tx_queue_setup = port_txq,
	.rxq_info_get = port_rxq_info,
	.txq_info_get = port_txq_info,
	.tx_done_cleanup = vhost_queue_complete,
	.link_update = port_link_update,
	.promiscuous_enable = port_nothing,
	.promiscuous_disable = port_nothing,
	.allmulticast_enable = port_nothing,
	.allmulticast_disable = port_nothing,
	.mac_addr_set = port_mac,
	.mtu_set = port_mtu,
	.stats_get = vhost_port_stats_get,
	.stats_reset = vhost_port_stats_reset,
	.xstats_get = vhost_port_stats_xstats,
	.xstats_get_names = vhost_port_stats_names,
	.xstats_reset = vhost_port_stats_reset,
};

/* The text of a device argument; NULL: not given. */
static const char *
given(const struct rte_kvargs *args, const char *key)
{
	for (unsigned int i = 0; i < args->count; i++)
		if (strcmp(args->pairs[i].key, key) == 0)
			return args->pairs[i].value != NULL ? args->pairs[i].value : "";
	return NULL;
}

/*
 * Read an argument as a number in min..max; without: its default. Returns false if it is invalid.
 */
static bool
number(const struct rte_kvargs *args, const char *key, unsigned int min, unsigned int max,
	unsigned int without, unsigned int *to)
{
	const char *text = given(args, key);
	char *end;

	*to = without;
	if (text == NULL)
		return true;
	*to = (unsigned int)strtoul(text, &end, 10);
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && *to >= min && *to <= max;
}

static int
refuse(char *why, const char *key, const char *expected)
{
	snprintf(why, WHY, "%s: expected %s", key, expected);
	return -EINVAL;
}

static int
arguments_read(struct vhost_port *p, const struct rte_kvargs *args, char *why)
{
	const char *path = given(args, "iface"), *mac = given(args, "mac");
	unsigned int queues, client, tso, ufo;

	if (path == NULL || path[0] == '\0' || strlen(path) >= sizeof(p->path))
		return refuse(why, "iface", "the path of a socket, at most 107 bytes");
	snprintf(p->path, sizeof(p->path), "%s", path);
	if (!number(args, "queues", 1, NET_ASYNC_VHOST_QUEUES, 1, &queues))
		return refuse(why, "queues", "1..64");
	if (!number(args, "client", 0, 1, 0, &client))
		return refuse(why, "client", "0 or 1");
	if (!number(args, "tso", 0, 1, 0, &tso))
		return refuse(why, "tso", "0 or 1");
	if (!number(args, "ufo", 0, 1, 0, &ufo))
		return refuse(why, "ufo", "0 or 1");
	if (mac != NULL && rte_ether_unformat_addr(mac, &p->mac) != 0)
		return refuse(why, "mac", "a MAC address");
	p->queues = (uint16_t)queues;
	p->client = client;
	p->tso = tso;
	p->ufo = ufo;
	return vhost_dmas_parse(&p->dmas, given(args, "dmas"), p->queues, why, WHY);
}

static int
port_open(struct rte_eth_dev *dev, struct rte_vdev_device *vdev, char *why)
{
	static const char *const known[] = { "iface", "queues", "client", "tso", "ufo", "mac",
		"dmas", NULL };
	struct vhost_port *p = dev->data->dev_private;
	struct rte_kvargs *args = rte_kvargs_parse(rte_vdev_device_args(vdev), known);
	int ret;

	if (args == NULL)
		return refuse(why, rte_vdev_device_args(vdev),
			"iface=, queues=, client=, tso=, ufo=, mac=, dmas=");
	p->id = dev->data->port_id;
	p->mac = (struct rte_ether_addr){ { 2, 'v', 'h', 0, (uint8_t)(p->id >> 8),
		(uint8_t)p->id } };
	atomic_store(&p->vid, -1);
	pthread_mutex_init(&p->life, NULL);
	ret = arguments_read(p, args, why);
	rte_kvargs_free(args);
	return ret != 0 ? ret : vhost_guest_listen(p, why, WHY);
}

static int
driver_probe(struct rte_vdev_device *vdev)
{
	struct rte_eth_dev *dev;
	char why[WHY];
	int ret;

	if (rte_eal_process_type() != RTE_PROC_PRIMARY)
		return FAIL(p, -ENOTSUP, "not supported in a secondary process");
	dev = rte_eth_vdev_allocate(vdev, sizeof(struct vhost_port));
	if (dev == NULL)
		return FAIL(p, -ENOMEM, "out of memory, or no free port");
	dev->dev_ops = &operations;
	dev->rx_pkt_burst = vhost_queue_rx;
	dev->tx_pkt_burst = vhost_queue_tx;
	dev->data->mac_addrs = &((struct vhost_port *)dev->data->dev_private)->mac;
	dev->data->dev_flags |= RTE_ETH_DEV_INTR_LSC;
	dev->data->dev_link = (struct rte_eth_link){ .link_speed = RTE_ETH_SPEED_NUM_10G,
		.link_duplex = RTE_ETH_LINK_FULL_DUPLEX };
	ret = port_open(dev, vdev, why);
	if (ret != 0) {
		dev->data->mac_addrs = NULL;
		rte_eth_dev_release_port(dev);
		return FAIL(p, ret, why);
	}
	rte_eth_dev_probing_finish(dev);
	return 0;
}

static int
driver_remove(struct rte_vdev_device *vdev)
{
	struct rte_eth_dev *dev = rte_eth_dev_allocated(rte_vdev_device_name(vdev));

	if (dev == NULL)
		return 0;
	port_close(dev);
	return rte_eth_dev_release_port(dev);
}

static struct rte_vdev_driver driver = { .probe = driver_probe, .remove = driver_remove };

RTE_PMD_REGISTER_VDEV(net_async_vhost, driver);
RTE_PMD_REGISTER_PARAM_STRING(net_async_vhost,
	"iface=<path> queues=<1..64> client=<0|1> tso=<0|1> ufo=<0|1> mac=<address> "
	"dmas=[txq0@<dma>;rxq0@<dma>]|auto");
