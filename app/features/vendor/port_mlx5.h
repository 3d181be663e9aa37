/* What mlx5 ports have beyond ethdev: the host's shaper, Rx queues of others, devices of another
 * process. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Shape what the host's side of a BlueField card receives, in units of 100 Mbit/s, 0: not; triggered:
 * also when an Rx queue's available descriptors fall below their threshold. Errors of all: -ENODEV;
 * -ENOTSUP another driver's port; what the driver returned, in testpmd's words. Thread: control, all
 * of this file.
 */
int port_mlx5_shaper(struct ports *ps, uint16_t id, bool triggered, uint8_t rate, struct err *e);

/* Let flow rules lead to a queue that somebody else has made: its number for rte_flow, its own. */
int port_mlx5_queue_map(struct ports *ps, uint16_t id, uint16_t queue, uint32_t hardware,
	struct err *e);
int port_mlx5_queue_unmap(struct ports *ps, uint16_t id, uint16_t queue, struct err *e);

/*
 * Attach a device whose context another process has: a descriptor and a handle come through the
 * socket at that path, and go to the driver as devargs cmd_fd and pd_handle. Errors as
 * port_attach(), and of the socket.
 */
int port_mlx5_attach(struct ports *ps, const char *devargs, const char *socket_path, struct err *e);
