/* Recycling for net_mlx5 (NVIDIA ConnectX): the vector receive function without striding; every
 * transmit function. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "pmd_shims/mlx5/mlx5_rx.h"
#include "pmd_shims/mlx5/mlx5_tx.h"
#include "pmd_shims/pair.h"

#include <rte_ethdev.h>
#include <rte_version.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Of the receive function's name, when it may unpack such completions. */
#define HASHLESS ", without hash"

static uint16_t
rx_room(const struct shim_rx *rx)
{
	return mlx5_room(rx, rx->layout);
}

static bool
rx_arm(const struct shim_rx *rx, const struct shim_mbufs *mbufs, bool sure)
{
	return mlx5_arm(rx, rx->layout, mbufs, sure);
}

static void
rx_park_dummy(const struct shim_rx *rx)
{
	mlx5_park_dummy(rx, rx->layout);
}

static const struct shim_rx_ops rx_ops = { rx_room, rx_arm, rx_park_dummy, NULL };

static struct shim_mbufs
tx_sent(const struct shim_tx *tx)
{
	return mlx5_sent(tx, tx->layout);
}

static void
tx_taken(const struct shim_tx *tx, const struct shim_mbufs *mbufs)
{
	mlx5_taken(tx, tx->layout, mbufs);
}

static const struct shim_tx_ops tx_ops = { tx_sent, tx_taken };

static int
version_refuse(struct err *e)
{
	return err_set(e, ENOTSUP, "mlx5_pci: nobody has looked at the queues of %s",
		rte_version());
}

/* The newest armed element points into the mbuf of its slot. */
static bool
armed_as_believed(const struct shim_rx *rx, const struct mlx5_rx_layout *l, uint16_t slot)
{
	const struct rte_mbuf *m =
		((struct rte_mbuf *const *)shim_pointer(rx->rxq, l->slots))[slot];
	const char *element =
		(const char *)shim_pointer(rx->rxq, l->elements) + slot * MLX5_SEGMENT;

	return shim_owned(m, sizeof(*m)) && m->pool == rx->pool &&
		rte_be_to_cpu_64(*(const uint64_t *)(const void *)(element + 8)) ==
		(uintptr_t)m->buf_addr + RTE_PKTMBUF_HEADROOM;
}

static bool
laid_out(const struct shim_rx *rx, const struct mlx5_rx_layout *l,
	const struct rte_eth_rxq_info *info)
{
	uint16_t size = mlx5_rx_size(rx->rxq, l);

	return size == info->nb_desc && shim_pointer(rx->rxq, l->pool) == info->mp &&
		shim_u16(rx->rxq, l->refill) == info->conf.rx_free_thresh &&
		shim_u16(rx->rxq, l->port) == rx->port &&
		shim_u16(rx->rxq, l->queue) == rx->queue && mlx5_rx_armed(rx->rxq, l) <= size &&
		shim_owned(shim_pointer(rx->rxq, l->slots), size * sizeof(void *)) &&
		shim_pointer(rx->rxq, l->doorbell) != NULL &&
		*(const uint32_t *)shim_pointer(rx->rxq, l->doorbell) ==
		rte_cpu_to_be_32(mlx5_u32(rx->rxq, l->armed));
}

static int
rx_bind(struct shim_rx *rx, struct err *e)
{
	const struct mlx5_rx_layout *l = shim_layout(mlx5_rx_layouts, ARRAY_SIZE(mlx5_rx_layouts),
		sizeof(mlx5_rx_layouts[0]));
	struct rte_eth_burst_mode mode = { 0 };
	struct rte_eth_rxq_info info;

	if (l == NULL)
		return version_refuse(e);
	if (rte_eth_rx_burst_mode_get(rx->port, rx->queue, &mode) != 0)
		snprintf(mode.info, sizeof(mode.info), "unknown");
	snprintf(rx->path, sizeof(rx->path), "mlx5_pci %.32s", mode.info);
	if (strncmp(mode.info, "Vector", strlen("Vector")) != 0)
		return err_set(e, ENOTSUP,
			"port %u: %s: refills its ring while it receives, so that nothing is left to fill",
			rx->port, rx->path);
	if (!shim_owned(rx->rxq, l->fake) || mlx5_rx_hashless(rx->rxq, l))
		strcat(rx->path, HASHLESS);
	if (!shim_owned(rx->rxq, l->fake) ||
		rte_eth_rx_queue_info_get(rx->port, rx->queue, &info) != 0)
		return err_set(e, ENOTSUP, "port %u: its receive queue cannot be read", rx->port);
	/* Segments, strides, an error, LRO. */
	if ((mlx5_u32(rx->rxq, l->sizes) & 0xb07c00e0) != 0)
		return err_set(e, ENOTSUP,
			"port %u: receive queue %u is split, striding or in error", rx->port,
			rx->queue);
	if (!laid_out(rx, l, &info))
		return err_set(e, ENOTSUP, "port %u: receive queue %u is not laid out as in %s",
			rx->port, rx->queue, l->version);
	rx->pool = info.mp;
	if (mlx5_rx_armed(rx->rxq, l) > 0 &&
		!armed_as_believed(rx, l, (mlx5_u32(rx->rxq, l->armed) - 1) & (info.nb_desc - 1u)))
		return err_set(e, ENOTSUP,
			"port %u: elements of receive queue %u do not point into its mbufs",
			rx->port, rx->queue);
	rx->layout = l;
	rx->ops = &rx_ops;
	rx->end = "mlx5_22";
	rx->batch = 1;
	return 0;
}

static int
tx_bind(struct shim_tx *tx, struct err *e)
{
	const struct mlx5_tx_layout *l = shim_layout(mlx5_tx_layouts, ARRAY_SIZE(mlx5_tx_layouts),
		sizeof(mlx5_tx_layouts[0]));
	struct rte_eth_burst_mode mode = { 0 };
	struct rte_eth_txq_info info;
	uint16_t size;

	if (l == NULL)
		return version_refuse(e);
	if (rte_eth_tx_burst_mode_get(tx->port, tx->queue, &mode) != 0)
		return err_set(e, ENOTSUP, "port %u: its transmit queue has no function of its own",
			tx->port);
	snprintf(tx->path, sizeof(tx->path), "mlx5_pci %.32s", mode.info);
	if (!shim_owned(tx->txq, l->slots) ||
		rte_eth_tx_queue_info_get(tx->port, tx->queue, &info) != 0)
		return err_set(e, ENOTSUP, "port %u: its transmit queue cannot be read", tx->port);
	size = shim_u16(tx->txq, l->size);
	if (size != info.nb_desc || shim_u16(tx->txq, l->mask) != size - 1 ||
		shim_u16(tx->txq, l->port) != tx->port ||
		shim_u16(tx->txq, l->queue) != tx->queue ||
		(uint16_t)(shim_u16(tx->txq, l->head) - shim_u16(tx->txq, l->tail)) > size ||
		shim_u16(tx->txq, l->owner) != shim_u16(tx->txq, l->cqe_mask) + 1 ||
		shim_pointer(tx->txq, l->heads) == NULL)
		return err_set(e, ENOTSUP, "port %u: transmit queue %u is not laid out as in %s",
			tx->port, tx->queue, l->version);
	tx->layout = l;
	tx->ops = &tx_ops;
	tx->end = "mlx5_22";
	tx->list_size = PAIR_BATCH_MAX;
	tx->batch = 1;
	tx->caches = tx->caches_once = shim_fast_free(tx);
	return 0;
}

const struct shim_driver shim_mlx5 = { .name = "mlx5_pci", .rx_bind = rx_bind, .tx_bind = tx_bind };
