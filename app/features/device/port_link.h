/* The physical side of a port: its lamp, loopback, lanes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Switch the lamp beside the cage, at once. Errors: -ENODEV no such port; what the driver returned.
 * Thread: control, all of this file.
 */
int port_link_led(struct ports *ps, uint16_t id, bool on, struct err *e);

/*
 * The loopback that the driver is configured with at the next start; what modes mean is the
 * driver's, 0: none. A port, or PORT_ALL, stopped. Errors: -ENODEV; -EBUSY.
 */
int port_link_loopback(struct ports *ps, uint16_t id, uint32_t mode, struct err *e);

/*
 * How many lanes the link's speed is divided over. A port, or PORT_ALL, stopped. Errors: -ENODEV;
 * -EBUSY; -ENOSYS before DPDK 24.11; what the driver returned.
 */
int port_link_lanes(struct ports *ps, uint16_t id, uint32_t lanes, struct err *e);

/*
 * Answer show port P speed_lanes capabilities. JSON: {"port", "speeds": [{"link_mbps",
 * "lanes": [...]}]}. Errors as above.
 */
int port_link_lanes_show(struct ports *ps, uint16_t id, struct err *e);
