/* Queues of mlx5 as ends of pairs, with the field offsets as constants. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/mlx5/mlx5_rx.h"
#include "pmd_shims/mlx5/mlx5_tx.h"
#include "pmd_shims/pair_end.h"

PAIR_RX_END(mlx5_22, 1, mlx5_room(rx, &mlx5_rx_layouts[MLX5_RX_22_11_10]),
	mlx5_arm(rx, &mlx5_rx_layouts[MLX5_RX_22_11_10], mbufs, sure))
PAIR_TX_END(mlx5_22, 1, sizeof(void *), mlx5_sent(tx, &mlx5_tx_layouts[MLX5_TX_22_11]),
	mlx5_taken(tx, &mlx5_tx_layouts[MLX5_TX_22_11], mbufs))
