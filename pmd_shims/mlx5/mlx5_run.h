/* Functions that move mbufs between two queues of net_mlx5, one per SIMD width. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/shim.h"

/* The function for a release (rte_version()); NULL: there is none. */
pair_run *mlx5_run_128(const char *version, enum recycle_mode mode);
pair_run *mlx5_run_256(const char *version, enum recycle_mode mode);
pair_run *mlx5_run_512(const char *version, enum recycle_mode mode);
