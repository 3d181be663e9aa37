/* What the files of the mlx5 mock port share: the driver's private headers, and its objects made
 * without a device. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "model_nic/mock/mock.h"

#include <mlx5.h>
#include <mlx5_rx.h>
#include <mlx5_rxtx.h>
#include <mlx5_tx.h>

/* What the driver asks a device for: queues in memory, which the family then works on. */
extern const struct mlx5_obj_ops mock_mlx5_objects;

/*
 * The device that all mlx5 mock ports are on: memory regions, which the driver keeps for the
 * process's life.
 */
struct mlx5_common_device *mock_mlx5_device(void);
