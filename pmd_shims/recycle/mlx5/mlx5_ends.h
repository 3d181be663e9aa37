/* Queues of mlx5 as ends of pairs, with the field offsets as constants. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/recycle/mlx5/mlx5_queue.h"
#include "pmd_shims/recycle/pair.h"

PAIR_RX_END(mlx5_built, 1, mlx5_room(rx, MLX5_RX_BUILT), mlx5_arm(rx, MLX5_RX_BUILT, mbufs, sure))
PAIR_TX_END(mlx5_built, 1, sizeof(void *), mlx5_sent(tx, MLX5_TX_BUILT),
	mlx5_taken(tx, MLX5_TX_BUILT, mbufs))
