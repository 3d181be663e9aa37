/* Move mbufs between two queues of net_mlx5, with field offsets as constants; compiled once per
 * SIMD width. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/mlx5/mlx5_run.h"

#include "base/base.h"
#include "pmd_shims/mlx5/mlx5_rx.h"
#include "pmd_shims/mlx5/mlx5_tx.h"
#include "pmd_shims/pair.h"

#include <string.h>

#define PASTE(a, b) a##b
#define RUN_OF(width) PASTE(mlx5_run_, width)

static uint16_t
v22_room(const struct shim_rx *rx)
{
	return mlx5_room(rx, &mlx5_rx_layouts[0]);
}

static bool
v22_arm(const struct shim_rx *rx, const struct shim_mbufs *mbufs, bool sure)
{
	return mlx5_arm(rx, &mlx5_rx_layouts[0], mbufs, sure);
}

static struct shim_mbufs
v22_sent(const struct shim_tx *tx)
{
	return mlx5_sent(tx, &mlx5_tx_layouts[0]);
}

static void
v22_taken(const struct shim_tx *tx, const struct shim_mbufs *mbufs)
{
	mlx5_taken(tx, &mlx5_tx_layouts[0], mbufs);
}

static uint16_t
v22_ring(struct recycle *r)
{
	return pair_run_ring(r, v22_room, v22_arm, v22_sent, v22_taken, PAIR_ANY);
}

pair_run *
RUN_OF(SHIM_WIDTH)(const char *version, enum recycle_mode mode)
{
	return mode == RECYCLE_RING && strcmp(version, mlx5_rx_layouts[0].version) == 0 ? v22_ring
											: NULL;
}
