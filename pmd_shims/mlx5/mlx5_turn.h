/* Turns made for mlx5's queues, at one width of vectors each. */
#pragma once

#include "pmd_shims/shim.h"

/* The turn of a release (rte_version()), at one width of vectors; NULL: none is made. */
pair_turn *mlx5_turn_128(const char *version, enum recycle_mode mode);
pair_turn *mlx5_turn_256(const char *version, enum recycle_mode mode);
pair_turn *mlx5_turn_512(const char *version, enum recycle_mode mode);
