/* Receive and transmit without mbufs: functions for net_mlx5. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/direct/direct_half.h"

/* Functions by what an element of the Tx queue has: many packets, or one. */
extern const struct direct_rx_ops direct_rx_mlx5, direct_rx_any_mlx5;
/* Likewise. */
extern const struct direct_tx_ops direct_tx_mlx5_multi, direct_tx_mlx5_single,
	direct_tx_any_mlx5_multi, direct_tx_any_mlx5_single;
