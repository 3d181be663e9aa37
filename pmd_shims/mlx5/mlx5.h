/* Mellanox NICs since ConnectX-4: how sent mbufs leave their queues and fill free slots. */
#pragma once

#include "pmd_shims/mlx5/mlx5_rx.h"
#include "pmd_shims/mlx5/mlx5_tx.h"

/* The turn of a release (rte_version()), at one width of vectors; NULL: none is made. */
pair_turn *mlx5_turn_128(const char *version, enum recycle_mode mode);
pair_turn *mlx5_turn_256(const char *version, enum recycle_mode mode);
pair_turn *mlx5_turn_512(const char *version, enum recycle_mode mode);
