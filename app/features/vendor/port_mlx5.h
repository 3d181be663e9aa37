/* Functions of mlx5 ports beyond ethdev: host shaper, external Rx queues, devices of another
 * process. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Limit the rate to the host side of a BlueField card, in units of 100 Mbit/s (0: no limit);
 * triggered: also when the available descriptors of an Rx queue fall below their threshold. Errors
 * of all functions: -ENODEV; -ENOTSUP another driver's port; the driver's error, in testpmd's
 * words. Thread: control, for all of this file.
 */
int port_mlx5_shaper(struct ports *ps, uint16_t id, bool triggered, uint8_t rate, struct err *e);

/* Map a queue number for rte_flow to the hardware number of an external queue; remove a mapping. */
int port_mlx5_queue_map(struct ports *ps, uint16_t id, uint16_t queue, uint32_t hardware,
	struct err *e);
int port_mlx5_queue_unmap(struct ports *ps, uint16_t id, uint16_t queue, struct err *e);

/*
 * Attach a device whose context another process owns. That process sends a file descriptor and a
 * handle through the socket; the driver gets them as devargs cmd_fd and pd_handle. Errors: those of
 * port_attach() and of the socket.
 */
int port_mlx5_attach(struct ports *ps, const char *devargs, const char *socket_path, struct err *e);
