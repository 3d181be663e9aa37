/* Functions of mlx5 ports beyond ethdev: host shaper, external Rx queues, devices of another
 * process. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct args;
struct err;
struct ports;

/* Functions of mlx5 drivers beyond ethdev that need DPDK 23.07 or later: rates and contexts of
 * queues, mode of the flow engine. */

/*
 * Show the rate limit of a Tx queue in Mbit/s and its index in the card's rate table, according to
 * driver and firmware. JSON: {"rate_mbps", "index", "firmware_index"}. Errors of all functions with
 * a port: -ENODEV; -ENOTSUP another driver's port, or an older driver; the driver's error, in
 * testpmd's words. Thread: control, for all of this file.
 */
int port_mlx5_rate_show(struct ports *ps, const struct args *a, struct err *e);

/* Write the hardware context of a Tx or Rx queue to a file. */
int port_mlx5_context_dump(struct ports *ps, const struct args *a, struct err *e);

/*
 * Make the flow rules of this process active, or standby until those of another process are gone.
 * flags: RTE_PMD_MLX5_FLOW_ENGINE_FLAG_*. Errors: -ENOSYS before 23.07; -ENOTSUP no mlx5 driver is
 * loaded; the driver's error.
 */
int port_mlx5_flow_engine(struct ports *ps, const struct args *a, struct err *e);
