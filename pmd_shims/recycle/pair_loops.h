/* Loops compiled for pairs of two drivers' queues: made by devtools/layouts from its tables. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/intel/intel_rows.h"
#include "pmd_shims/recycle/mlx5/mlx5.h"
#include "pmd_shims/recycle/pair.h"
#include "pmd_shims/recycle/virtio/virtio.h"
#include "pmd_shims/recycle/virtio/virtio_rx.h"
#include "pmd_shims/recycle/virtio/virtio_tx.h"

/* clang-format off */
static __rte_always_inline uint16_t
i40e_built_room(const struct shim_rx *rx, uint16_t shut)
{
	return intel_room(rx, I40E_RX_BUILT, shut);
}

static __rte_always_inline bool
i40e_built_arm(const struct shim_rx *rx, const struct shim_mbufs *mbufs, bool sure)
{
	return intel_arm(rx, I40E_RX_BUILT, mbufs, mbufs->stride, sure);
}

static __rte_always_inline uint16_t
i40e_built_hide(const struct shim_rx *rx, struct shim_hidden *hidden)
{
	return intel_hide(rx, I40E_RX_BUILT, hidden);
}

static __rte_always_inline uint16_t
i40e_built_unhide(const struct shim_rx *rx, struct shim_hidden *hidden)
{
	return intel_unhide(rx, I40E_RX_BUILT, hidden);
}

static const struct pair_end i40e_built_rx = { &intel_rx_ops, I40E_RX_BUILT,
		sizeof(*I40E_RX_BUILT) };

static __rte_always_inline uint16_t
ixgbe_built_room(const struct shim_rx *rx, uint16_t shut)
{
	return intel_room(rx, IXGBE_RX_BUILT, shut);
}

static __rte_always_inline bool
ixgbe_built_arm(const struct shim_rx *rx, const struct shim_mbufs *mbufs, bool sure)
{
	return intel_arm(rx, IXGBE_RX_BUILT, mbufs, mbufs->stride, sure);
}

static __rte_always_inline uint16_t
ixgbe_built_hide(const struct shim_rx *rx, struct shim_hidden *hidden)
{
	return intel_hide(rx, IXGBE_RX_BUILT, hidden);
}

static __rte_always_inline uint16_t
ixgbe_built_unhide(const struct shim_rx *rx, struct shim_hidden *hidden)
{
	return intel_unhide(rx, IXGBE_RX_BUILT, hidden);
}

static const struct pair_end ixgbe_built_rx = { &intel_rx_ops, IXGBE_RX_BUILT,
		sizeof(*IXGBE_RX_BUILT) };

static __rte_always_inline uint16_t
ice_built_room(const struct shim_rx *rx, uint16_t shut)
{
	return intel_room(rx, ICE_RX_BUILT, shut);
}

static __rte_always_inline bool
ice_built_arm(const struct shim_rx *rx, const struct shim_mbufs *mbufs, bool sure)
{
	return intel_arm(rx, ICE_RX_BUILT, mbufs, mbufs->stride, sure);
}

static __rte_always_inline uint16_t
ice_built_hide(const struct shim_rx *rx, struct shim_hidden *hidden)
{
	return intel_hide(rx, ICE_RX_BUILT, hidden);
}

static __rte_always_inline uint16_t
ice_built_unhide(const struct shim_rx *rx, struct shim_hidden *hidden)
{
	return intel_unhide(rx, ICE_RX_BUILT, hidden);
}

static const struct pair_end ice_built_rx = { &intel_rx_ops, ICE_RX_BUILT,
		sizeof(*ICE_RX_BUILT) };

static __rte_always_inline uint16_t
mlx5_built_room(const struct shim_rx *rx, uint16_t shut)
{
	return mlx5_room(rx, MLX5_RX_BUILT, shut);
}

static __rte_always_inline bool
mlx5_built_arm(const struct shim_rx *rx, const struct shim_mbufs *mbufs, bool sure)
{
	return mlx5_arm(rx, MLX5_RX_BUILT, mbufs, sure);
}

static __rte_always_inline uint16_t
mlx5_built_hide(const struct shim_rx *rx, struct shim_hidden *hidden)
{
	return mlx5_hide(rx, MLX5_RX_BUILT, hidden);
}

static __rte_always_inline uint16_t
mlx5_built_unhide(const struct shim_rx *rx, struct shim_hidden *hidden)
{
	return mlx5_unhide(rx, MLX5_RX_BUILT, hidden);
}

static const struct pair_end mlx5_built_rx = { &mlx5_rx_ops, MLX5_RX_BUILT,
		sizeof(*MLX5_RX_BUILT) };

static __rte_always_inline uint16_t
virtio_split_built_room(const struct shim_rx *rx, uint16_t shut)
{
	return virtio_room(rx, VIRTIO_BUILT, false, shut);
}

static __rte_always_inline bool
virtio_split_built_arm(const struct shim_rx *rx, const struct shim_mbufs *mbufs, bool sure)
{
	return virtio_arm_split(rx, VIRTIO_BUILT, mbufs, sure);
}

static __rte_always_inline uint16_t
virtio_split_built_hide(const struct shim_rx *rx, struct shim_hidden *hidden)
{
	return virtio_hide(rx, VIRTIO_BUILT, false, hidden);
}

static __rte_always_inline uint16_t
virtio_split_built_unhide(const struct shim_rx *rx, struct shim_hidden *hidden)
{
	return virtio_unhide(rx, VIRTIO_BUILT, hidden);
}

static const struct pair_end virtio_split_built_rx = { &virtio_split_rx_ops, VIRTIO_BUILT,
		sizeof(*VIRTIO_BUILT) };

static __rte_always_inline uint16_t
virtio_packed_built_room(const struct shim_rx *rx, uint16_t shut)
{
	return virtio_room(rx, VIRTIO_BUILT, true, shut);
}

static __rte_always_inline bool
virtio_packed_built_arm(const struct shim_rx *rx, const struct shim_mbufs *mbufs, bool sure)
{
	return virtio_arm_packed(rx, VIRTIO_BUILT, mbufs, sure);
}

static __rte_always_inline uint16_t
virtio_packed_built_hide(const struct shim_rx *rx, struct shim_hidden *hidden)
{
	return virtio_hide(rx, VIRTIO_BUILT, true, hidden);
}

static __rte_always_inline uint16_t
virtio_packed_built_unhide(const struct shim_rx *rx, struct shim_hidden *hidden)
{
	return virtio_unhide(rx, VIRTIO_BUILT, hidden);
}

static const struct pair_end virtio_packed_built_rx = { &virtio_packed_rx_ops, VIRTIO_BUILT,
		sizeof(*VIRTIO_BUILT) };

static __rte_always_inline struct shim_mbufs
i40e_8_built_sent(const struct shim_tx *tx)
{
	return intel_sent(tx, I40E_TX_BUILT, 8);
}

static __rte_always_inline void
i40e_8_built_taken(const struct shim_tx *tx, const struct shim_mbufs *mbufs)
{
	intel_taken(tx, I40E_TX_BUILT, mbufs);
}

static const struct pair_end i40e_8_built_tx = { &intel_tx_ops_8, I40E_TX_BUILT,
		sizeof(*I40E_TX_BUILT) };

static __rte_always_inline struct shim_mbufs
i40e_16_built_sent(const struct shim_tx *tx)
{
	return intel_sent(tx, I40E_TX_BUILT, 16);
}

static __rte_always_inline void
i40e_16_built_taken(const struct shim_tx *tx, const struct shim_mbufs *mbufs)
{
	intel_taken(tx, I40E_TX_BUILT, mbufs);
}

static const struct pair_end i40e_16_built_tx = { &intel_tx_ops_16, I40E_TX_BUILT,
		sizeof(*I40E_TX_BUILT) };

static __rte_always_inline struct shim_mbufs
ixgbe_built_sent(const struct shim_tx *tx)
{
	return intel_sent(tx, IXGBE_TX_BUILT, 8);
}

static __rte_always_inline void
ixgbe_built_taken(const struct shim_tx *tx, const struct shim_mbufs *mbufs)
{
	intel_taken(tx, IXGBE_TX_BUILT, mbufs);
}

static const struct pair_end ixgbe_built_tx = { &intel_tx_ops_8, IXGBE_TX_BUILT,
		sizeof(*IXGBE_TX_BUILT) };

static __rte_always_inline struct shim_mbufs
ice_built_sent(const struct shim_tx *tx)
{
	return intel_sent(tx, ICE_TX_BUILT, 16);
}

static __rte_always_inline void
ice_built_taken(const struct shim_tx *tx, const struct shim_mbufs *mbufs)
{
	intel_taken(tx, ICE_TX_BUILT, mbufs);
}

static const struct pair_end ice_built_tx = { &intel_tx_ops_16, ICE_TX_BUILT,
		sizeof(*ICE_TX_BUILT) };

static __rte_always_inline struct shim_mbufs
mlx5_built_sent(const struct shim_tx *tx)
{
	return mlx5_sent(tx, MLX5_TX_BUILT);
}

static __rte_always_inline void
mlx5_built_taken(const struct shim_tx *tx, const struct shim_mbufs *mbufs)
{
	mlx5_taken(tx, MLX5_TX_BUILT, mbufs);
}

static const struct pair_end mlx5_built_tx = { &mlx5_tx_ops, MLX5_TX_BUILT,
		sizeof(*MLX5_TX_BUILT) };

static __rte_always_inline struct shim_mbufs
virtio_split_built_sent(const struct shim_tx *tx)
{
	return virtio_sent_split(tx, VIRTIO_BUILT);
}

static __rte_always_inline void
virtio_split_built_taken(const struct shim_tx *tx, const struct shim_mbufs *mbufs)
{
}

static const struct pair_end virtio_split_built_tx = { &virtio_split_tx_ops, VIRTIO_BUILT,
		sizeof(*VIRTIO_BUILT) };

static __rte_always_inline struct shim_mbufs
virtio_packed_built_sent(const struct shim_tx *tx)
{
	return virtio_sent_packed(tx, VIRTIO_BUILT);
}

static __rte_always_inline void
virtio_packed_built_taken(const struct shim_tx *tx, const struct shim_mbufs *mbufs)
{
}

static const struct pair_end virtio_packed_built_tx = { &virtio_packed_tx_ops, VIRTIO_BUILT,
		sizeof(*VIRTIO_BUILT) };

static uint16_t
i40e_8_cache(struct recycle *r)
{
	return pair_run_cache(r, i40e_8_built_sent, i40e_8_built_taken,
		I40E_TX_BUILT->least, 8);
}

static uint16_t
i40e_16_cache(struct recycle *r)
{
	return pair_run_cache(r, i40e_16_built_sent, i40e_16_built_taken,
		I40E_TX_BUILT->least, 16);
}

static uint16_t
ixgbe_cache(struct recycle *r)
{
	return pair_run_cache(r, ixgbe_built_sent, ixgbe_built_taken, IXGBE_TX_BUILT->least,
		8);
}

static uint16_t
ice_cache(struct recycle *r)
{
	return pair_run_cache(r, ice_built_sent, ice_built_taken, ICE_TX_BUILT->least, 16);
}

static uint16_t
mlx5_cache(struct recycle *r)
{
	return pair_run_cache(r, mlx5_built_sent, mlx5_built_taken, 1, 8);
}

static uint16_t
virtio_split_cache(struct recycle *r)
{
	return pair_run_cache(r, virtio_split_built_sent, virtio_split_built_taken,
		VIRTIO_BATCH, 8);
}

static uint16_t
virtio_packed_cache(struct recycle *r)
{
	return pair_run_cache(r, virtio_packed_built_sent, virtio_packed_built_taken,
		VIRTIO_BATCH, 8);
}

static uint16_t
i40e_from_i40e_8_ring(struct recycle *r)
{
	return pair_run_ring(r, i40e_built_room, i40e_built_arm, I40E_RX_BUILT->rearm,
		i40e_8_built_sent, i40e_8_built_taken, I40E_TX_BUILT->least, 8);
}

static uint16_t
i40e_from_i40e_8_window(struct recycle *r)
{
	return pair_run_window(r, i40e_built_hide, i40e_built_unhide, i40e_built_room,
		i40e_built_arm, I40E_RX_BUILT->rearm, i40e_8_built_sent, i40e_8_built_taken,
		I40E_TX_BUILT->least, 8);
}

static uint16_t
i40e_from_i40e_16_ring(struct recycle *r)
{
	return pair_run_ring(r, i40e_built_room, i40e_built_arm, I40E_RX_BUILT->rearm,
		i40e_16_built_sent, i40e_16_built_taken, I40E_TX_BUILT->least, 16);
}

static uint16_t
i40e_from_i40e_16_window(struct recycle *r)
{
	return pair_run_window(r, i40e_built_hide, i40e_built_unhide, i40e_built_room,
		i40e_built_arm, I40E_RX_BUILT->rearm, i40e_16_built_sent, i40e_16_built_taken,
		I40E_TX_BUILT->least, 16);
}

static uint16_t
i40e_from_ixgbe_ring(struct recycle *r)
{
	return pair_run_ring(r, i40e_built_room, i40e_built_arm, I40E_RX_BUILT->rearm,
		ixgbe_built_sent, ixgbe_built_taken, IXGBE_TX_BUILT->least, 8);
}

static uint16_t
i40e_from_ixgbe_window(struct recycle *r)
{
	return pair_run_window(r, i40e_built_hide, i40e_built_unhide, i40e_built_room,
		i40e_built_arm, I40E_RX_BUILT->rearm, ixgbe_built_sent, ixgbe_built_taken,
		IXGBE_TX_BUILT->least, 8);
}

static uint16_t
i40e_from_mlx5_ring(struct recycle *r)
{
	return pair_run_ring(r, i40e_built_room, i40e_built_arm, I40E_RX_BUILT->rearm,
		mlx5_built_sent, mlx5_built_taken, 1, 8);
}

static uint16_t
i40e_from_mlx5_window(struct recycle *r)
{
	return pair_run_window(r, i40e_built_hide, i40e_built_unhide, i40e_built_room,
		i40e_built_arm, I40E_RX_BUILT->rearm, mlx5_built_sent, mlx5_built_taken, 1, 8);
}

static uint16_t
i40e_from_virtio_split_ring(struct recycle *r)
{
	return pair_run_ring(r, i40e_built_room, i40e_built_arm, I40E_RX_BUILT->rearm,
		virtio_split_built_sent, virtio_split_built_taken, VIRTIO_BATCH, 8);
}

static uint16_t
i40e_from_virtio_split_window(struct recycle *r)
{
	return pair_run_window(r, i40e_built_hide, i40e_built_unhide, i40e_built_room,
		i40e_built_arm, I40E_RX_BUILT->rearm, virtio_split_built_sent,
		virtio_split_built_taken, VIRTIO_BATCH, 8);
}

static uint16_t
i40e_from_virtio_packed_ring(struct recycle *r)
{
	return pair_run_ring(r, i40e_built_room, i40e_built_arm, I40E_RX_BUILT->rearm,
		virtio_packed_built_sent, virtio_packed_built_taken, VIRTIO_BATCH, 8);
}

static uint16_t
i40e_from_virtio_packed_window(struct recycle *r)
{
	return pair_run_window(r, i40e_built_hide, i40e_built_unhide, i40e_built_room,
		i40e_built_arm, I40E_RX_BUILT->rearm, virtio_packed_built_sent,
		virtio_packed_built_taken, VIRTIO_BATCH, 8);
}

static uint16_t
ixgbe_from_i40e_8_ring(struct recycle *r)
{
	return pair_run_ring(r, ixgbe_built_room, ixgbe_built_arm, IXGBE_RX_BUILT->rearm,
		i40e_8_built_sent, i40e_8_built_taken, I40E_TX_BUILT->least, 8);
}

static uint16_t
ixgbe_from_i40e_8_window(struct recycle *r)
{
	return pair_run_window(r, ixgbe_built_hide, ixgbe_built_unhide, ixgbe_built_room,
		ixgbe_built_arm, IXGBE_RX_BUILT->rearm, i40e_8_built_sent, i40e_8_built_taken,
		I40E_TX_BUILT->least, 8);
}

static uint16_t
ixgbe_from_i40e_16_ring(struct recycle *r)
{
	return pair_run_ring(r, ixgbe_built_room, ixgbe_built_arm, IXGBE_RX_BUILT->rearm,
		i40e_16_built_sent, i40e_16_built_taken, I40E_TX_BUILT->least, 16);
}

static uint16_t
ixgbe_from_i40e_16_window(struct recycle *r)
{
	return pair_run_window(r, ixgbe_built_hide, ixgbe_built_unhide, ixgbe_built_room,
		ixgbe_built_arm, IXGBE_RX_BUILT->rearm, i40e_16_built_sent, i40e_16_built_taken,
		I40E_TX_BUILT->least, 16);
}

static uint16_t
ixgbe_from_ixgbe_ring(struct recycle *r)
{
	return pair_run_ring(r, ixgbe_built_room, ixgbe_built_arm, IXGBE_RX_BUILT->rearm,
		ixgbe_built_sent, ixgbe_built_taken, IXGBE_TX_BUILT->least, 8);
}

static uint16_t
ixgbe_from_ixgbe_window(struct recycle *r)
{
	return pair_run_window(r, ixgbe_built_hide, ixgbe_built_unhide, ixgbe_built_room,
		ixgbe_built_arm, IXGBE_RX_BUILT->rearm, ixgbe_built_sent, ixgbe_built_taken,
		IXGBE_TX_BUILT->least, 8);
}

static uint16_t
ixgbe_from_mlx5_ring(struct recycle *r)
{
	return pair_run_ring(r, ixgbe_built_room, ixgbe_built_arm, IXGBE_RX_BUILT->rearm,
		mlx5_built_sent, mlx5_built_taken, 1, 8);
}

static uint16_t
ixgbe_from_mlx5_window(struct recycle *r)
{
	return pair_run_window(r, ixgbe_built_hide, ixgbe_built_unhide, ixgbe_built_room,
		ixgbe_built_arm, IXGBE_RX_BUILT->rearm, mlx5_built_sent, mlx5_built_taken, 1, 8);
}

static uint16_t
ixgbe_from_virtio_split_ring(struct recycle *r)
{
	return pair_run_ring(r, ixgbe_built_room, ixgbe_built_arm, IXGBE_RX_BUILT->rearm,
		virtio_split_built_sent, virtio_split_built_taken, VIRTIO_BATCH, 8);
}

static uint16_t
ixgbe_from_virtio_split_window(struct recycle *r)
{
	return pair_run_window(r, ixgbe_built_hide, ixgbe_built_unhide, ixgbe_built_room,
		ixgbe_built_arm, IXGBE_RX_BUILT->rearm, virtio_split_built_sent,
		virtio_split_built_taken, VIRTIO_BATCH, 8);
}

static uint16_t
ixgbe_from_virtio_packed_ring(struct recycle *r)
{
	return pair_run_ring(r, ixgbe_built_room, ixgbe_built_arm, IXGBE_RX_BUILT->rearm,
		virtio_packed_built_sent, virtio_packed_built_taken, VIRTIO_BATCH, 8);
}

static uint16_t
ixgbe_from_virtio_packed_window(struct recycle *r)
{
	return pair_run_window(r, ixgbe_built_hide, ixgbe_built_unhide, ixgbe_built_room,
		ixgbe_built_arm, IXGBE_RX_BUILT->rearm, virtio_packed_built_sent,
		virtio_packed_built_taken, VIRTIO_BATCH, 8);
}

static uint16_t
ice_from_ice_ring(struct recycle *r)
{
	return pair_run_ring(r, ice_built_room, ice_built_arm, ICE_RX_BUILT->rearm,
		ice_built_sent, ice_built_taken, ICE_TX_BUILT->least, 16);
}

static uint16_t
ice_from_ice_window(struct recycle *r)
{
	return pair_run_window(r, ice_built_hide, ice_built_unhide, ice_built_room,
		ice_built_arm, ICE_RX_BUILT->rearm, ice_built_sent, ice_built_taken,
		ICE_TX_BUILT->least, 16);
}

static uint16_t
mlx5_from_i40e_8_ring(struct recycle *r)
{
	return pair_run_ring(r, mlx5_built_room, mlx5_built_arm, 1, i40e_8_built_sent,
		i40e_8_built_taken, I40E_TX_BUILT->least, 8);
}

static uint16_t
mlx5_from_i40e_8_window(struct recycle *r)
{
	return pair_run_window(r, mlx5_built_hide, mlx5_built_unhide, mlx5_built_room,
		mlx5_built_arm, 1, i40e_8_built_sent, i40e_8_built_taken, I40E_TX_BUILT->least,
		8);
}

static uint16_t
mlx5_from_i40e_16_ring(struct recycle *r)
{
	return pair_run_ring(r, mlx5_built_room, mlx5_built_arm, 1, i40e_16_built_sent,
		i40e_16_built_taken, I40E_TX_BUILT->least, 16);
}

static uint16_t
mlx5_from_i40e_16_window(struct recycle *r)
{
	return pair_run_window(r, mlx5_built_hide, mlx5_built_unhide, mlx5_built_room,
		mlx5_built_arm, 1, i40e_16_built_sent, i40e_16_built_taken, I40E_TX_BUILT->least,
		16);
}

static uint16_t
mlx5_from_ixgbe_ring(struct recycle *r)
{
	return pair_run_ring(r, mlx5_built_room, mlx5_built_arm, 1, ixgbe_built_sent,
		ixgbe_built_taken, IXGBE_TX_BUILT->least, 8);
}

static uint16_t
mlx5_from_ixgbe_window(struct recycle *r)
{
	return pair_run_window(r, mlx5_built_hide, mlx5_built_unhide, mlx5_built_room,
		mlx5_built_arm, 1, ixgbe_built_sent, ixgbe_built_taken, IXGBE_TX_BUILT->least, 8);
}

static uint16_t
mlx5_from_mlx5_ring(struct recycle *r)
{
	return pair_run_ring(r, mlx5_built_room, mlx5_built_arm, 1, mlx5_built_sent,
		mlx5_built_taken, 1, 8);
}

static uint16_t
mlx5_from_mlx5_window(struct recycle *r)
{
	return pair_run_window(r, mlx5_built_hide, mlx5_built_unhide, mlx5_built_room,
		mlx5_built_arm, 1, mlx5_built_sent, mlx5_built_taken, 1, 8);
}

static uint16_t
virtio_split_from_i40e_8_ring(struct recycle *r)
{
	return pair_run_ring(r, virtio_split_built_room, virtio_split_built_arm,
		VIRTIO_BATCH, i40e_8_built_sent, i40e_8_built_taken, I40E_TX_BUILT->least, 8);
}

static uint16_t
virtio_split_from_i40e_8_window(struct recycle *r)
{
	return pair_run_window(r, virtio_split_built_hide, virtio_split_built_unhide,
		virtio_split_built_room, virtio_split_built_arm, VIRTIO_BATCH, i40e_8_built_sent,
		i40e_8_built_taken, I40E_TX_BUILT->least, 8);
}

static uint16_t
virtio_split_from_i40e_16_ring(struct recycle *r)
{
	return pair_run_ring(r, virtio_split_built_room, virtio_split_built_arm,
		VIRTIO_BATCH, i40e_16_built_sent, i40e_16_built_taken, I40E_TX_BUILT->least, 16);
}

static uint16_t
virtio_split_from_i40e_16_window(struct recycle *r)
{
	return pair_run_window(r, virtio_split_built_hide, virtio_split_built_unhide,
		virtio_split_built_room, virtio_split_built_arm, VIRTIO_BATCH, i40e_16_built_sent,
		i40e_16_built_taken, I40E_TX_BUILT->least, 16);
}

static uint16_t
virtio_split_from_ixgbe_ring(struct recycle *r)
{
	return pair_run_ring(r, virtio_split_built_room, virtio_split_built_arm,
		VIRTIO_BATCH, ixgbe_built_sent, ixgbe_built_taken, IXGBE_TX_BUILT->least, 8);
}

static uint16_t
virtio_split_from_ixgbe_window(struct recycle *r)
{
	return pair_run_window(r, virtio_split_built_hide, virtio_split_built_unhide,
		virtio_split_built_room, virtio_split_built_arm, VIRTIO_BATCH, ixgbe_built_sent,
		ixgbe_built_taken, IXGBE_TX_BUILT->least, 8);
}

static uint16_t
virtio_split_from_virtio_split_ring(struct recycle *r)
{
	return pair_run_ring(r, virtio_split_built_room, virtio_split_built_arm,
		VIRTIO_BATCH, virtio_split_built_sent, virtio_split_built_taken, VIRTIO_BATCH, 8);
}

static uint16_t
virtio_split_from_virtio_split_window(struct recycle *r)
{
	return pair_run_window(r, virtio_split_built_hide, virtio_split_built_unhide,
		virtio_split_built_room, virtio_split_built_arm, VIRTIO_BATCH,
		virtio_split_built_sent, virtio_split_built_taken, VIRTIO_BATCH, 8);
}

static uint16_t
virtio_packed_from_i40e_8_ring(struct recycle *r)
{
	return pair_run_ring(r, virtio_packed_built_room, virtio_packed_built_arm,
		VIRTIO_BATCH, i40e_8_built_sent, i40e_8_built_taken, I40E_TX_BUILT->least, 8);
}

static uint16_t
virtio_packed_from_i40e_8_window(struct recycle *r)
{
	return pair_run_window(r, virtio_packed_built_hide, virtio_packed_built_unhide,
		virtio_packed_built_room, virtio_packed_built_arm, VIRTIO_BATCH,
		i40e_8_built_sent, i40e_8_built_taken, I40E_TX_BUILT->least, 8);
}

static uint16_t
virtio_packed_from_i40e_16_ring(struct recycle *r)
{
	return pair_run_ring(r, virtio_packed_built_room, virtio_packed_built_arm,
		VIRTIO_BATCH, i40e_16_built_sent, i40e_16_built_taken, I40E_TX_BUILT->least, 16);
}

static uint16_t
virtio_packed_from_i40e_16_window(struct recycle *r)
{
	return pair_run_window(r, virtio_packed_built_hide, virtio_packed_built_unhide,
		virtio_packed_built_room, virtio_packed_built_arm, VIRTIO_BATCH,
		i40e_16_built_sent, i40e_16_built_taken, I40E_TX_BUILT->least, 16);
}

static uint16_t
virtio_packed_from_ixgbe_ring(struct recycle *r)
{
	return pair_run_ring(r, virtio_packed_built_room, virtio_packed_built_arm,
		VIRTIO_BATCH, ixgbe_built_sent, ixgbe_built_taken, IXGBE_TX_BUILT->least, 8);
}

static uint16_t
virtio_packed_from_ixgbe_window(struct recycle *r)
{
	return pair_run_window(r, virtio_packed_built_hide, virtio_packed_built_unhide,
		virtio_packed_built_room, virtio_packed_built_arm, VIRTIO_BATCH, ixgbe_built_sent,
		ixgbe_built_taken, IXGBE_TX_BUILT->least, 8);
}

static uint16_t
virtio_packed_from_virtio_packed_ring(struct recycle *r)
{
	return pair_run_ring(r, virtio_packed_built_room, virtio_packed_built_arm,
		VIRTIO_BATCH, virtio_packed_built_sent, virtio_packed_built_taken, VIRTIO_BATCH,
		8);
}

static uint16_t
virtio_packed_from_virtio_packed_window(struct recycle *r)
{
	return pair_run_window(r, virtio_packed_built_hide, virtio_packed_built_unhide,
		virtio_packed_built_room, virtio_packed_built_arm, VIRTIO_BATCH,
		virtio_packed_built_sent, virtio_packed_built_taken, VIRTIO_BATCH, 8);
}

static const struct pair_row pair_rows[] = {
	{ &i40e_built_rx, &i40e_8_built_tx, i40e_from_i40e_8_ring, i40e_from_i40e_8_window,
		i40e_8_cache },
	{ &i40e_built_rx, &i40e_16_built_tx, i40e_from_i40e_16_ring, i40e_from_i40e_16_window,
		i40e_16_cache },
	{ &i40e_built_rx, &ixgbe_built_tx, i40e_from_ixgbe_ring, i40e_from_ixgbe_window,
		ixgbe_cache },
	{ &i40e_built_rx, &mlx5_built_tx, i40e_from_mlx5_ring, i40e_from_mlx5_window, mlx5_cache },
	{ &i40e_built_rx, &virtio_split_built_tx, i40e_from_virtio_split_ring,
		i40e_from_virtio_split_window, virtio_split_cache },
	{ &i40e_built_rx, &virtio_packed_built_tx, i40e_from_virtio_packed_ring,
		i40e_from_virtio_packed_window, virtio_packed_cache },
	{ &ixgbe_built_rx, &i40e_8_built_tx, ixgbe_from_i40e_8_ring, ixgbe_from_i40e_8_window,
		i40e_8_cache },
	{ &ixgbe_built_rx, &i40e_16_built_tx, ixgbe_from_i40e_16_ring, ixgbe_from_i40e_16_window,
		i40e_16_cache },
	{ &ixgbe_built_rx, &ixgbe_built_tx, ixgbe_from_ixgbe_ring, ixgbe_from_ixgbe_window,
		ixgbe_cache },
	{ &ixgbe_built_rx, &mlx5_built_tx, ixgbe_from_mlx5_ring, ixgbe_from_mlx5_window,
		mlx5_cache },
	{ &ixgbe_built_rx, &virtio_split_built_tx, ixgbe_from_virtio_split_ring,
		ixgbe_from_virtio_split_window, virtio_split_cache },
	{ &ixgbe_built_rx, &virtio_packed_built_tx, ixgbe_from_virtio_packed_ring,
		ixgbe_from_virtio_packed_window, virtio_packed_cache },
	{ &ice_built_rx, &ice_built_tx, ice_from_ice_ring, ice_from_ice_window, ice_cache },
	{ &mlx5_built_rx, &i40e_8_built_tx, mlx5_from_i40e_8_ring, mlx5_from_i40e_8_window,
		i40e_8_cache },
	{ &mlx5_built_rx, &i40e_16_built_tx, mlx5_from_i40e_16_ring, mlx5_from_i40e_16_window,
		i40e_16_cache },
	{ &mlx5_built_rx, &ixgbe_built_tx, mlx5_from_ixgbe_ring, mlx5_from_ixgbe_window,
		ixgbe_cache },
	{ &mlx5_built_rx, &mlx5_built_tx, mlx5_from_mlx5_ring, mlx5_from_mlx5_window, mlx5_cache },
	{ &virtio_split_built_rx, &i40e_8_built_tx, virtio_split_from_i40e_8_ring,
		virtio_split_from_i40e_8_window, i40e_8_cache },
	{ &virtio_split_built_rx, &i40e_16_built_tx, virtio_split_from_i40e_16_ring,
		virtio_split_from_i40e_16_window, i40e_16_cache },
	{ &virtio_split_built_rx, &ixgbe_built_tx, virtio_split_from_ixgbe_ring,
		virtio_split_from_ixgbe_window, ixgbe_cache },
	{ &virtio_split_built_rx, &virtio_split_built_tx, virtio_split_from_virtio_split_ring,
		virtio_split_from_virtio_split_window, virtio_split_cache },
	{ &virtio_packed_built_rx, &i40e_8_built_tx, virtio_packed_from_i40e_8_ring,
		virtio_packed_from_i40e_8_window, i40e_8_cache },
	{ &virtio_packed_built_rx, &i40e_16_built_tx, virtio_packed_from_i40e_16_ring,
		virtio_packed_from_i40e_16_window, i40e_16_cache },
	{ &virtio_packed_built_rx, &ixgbe_built_tx, virtio_packed_from_ixgbe_ring,
		virtio_packed_from_ixgbe_window, ixgbe_cache },
	{ &virtio_packed_built_rx, &virtio_packed_built_tx, virtio_packed_from_virtio_packed_ring,
		virtio_packed_from_virtio_packed_window, virtio_packed_cache },
};
/* clang-format on */
