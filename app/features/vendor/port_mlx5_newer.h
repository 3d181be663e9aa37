/* What mlx5 drivers of DPDK 23.07 and later tell beyond ethdev: rates and contexts of queues; and the
 * mode of their flow rules. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Show the rate in Mbit/s that a Tx queue is held to, and its entry of the card's table of rates, as
 * the driver and the firmware have it. JSON: {"rate_mbps", "index", "firmware_index"}. Errors of all
 * that take a port: -ENODEV; -ENOTSUP another driver's port, or an older driver; what the driver
 * returned, in testpmd's words. Thread: control, all of this file.
 */
int port_mlx5_rate_show(struct ports *ps, uint16_t id, uint16_t queue, struct err *e);

/* Let the driver write what the card has of a queue, tx: of a Tx queue, into a file. */
int port_mlx5_context_dump(struct ports *ps, uint16_t id, uint16_t queue, bool tx, const char *path,
	struct err *e);

/*
 * Let this process' flow rules act, or stand by for the moment when another's go. flags:
 * RTE_PMD_MLX5_FLOW_ENGINE_FLAG_. Errors: -ENOSYS before 23.07; -ENOTSUP no mlx5 driver is loaded;
 * what it returned.
 */
int port_mlx5_flow_engine(struct ports *ps, bool standby, uint32_t flags, struct err *e);
