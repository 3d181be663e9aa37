/* Physical properties of a port: LED, loopback, speed lanes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Switch the port's LED. Errors: -ENODEV no such port; the driver's error. Thread: control, for all
 * of this file.
 */
int port_link_led(struct ports *ps, uint16_t id, bool on, struct err *e);

/*
 * Set the loopback mode for the next start; 0: none, others are defined by the driver. id: a port
 * or PORT_ALL, stopped. Errors: -ENODEV; -EBUSY.
 */
int port_link_loopback(struct ports *ps, uint16_t id, uint32_t mode, struct err *e);

/*
 * Set the number of lanes of the link. id: a port or PORT_ALL, stopped. Errors: -ENODEV; -EBUSY;
 * -ENOSYS before DPDK 24.11; the driver's error.
 */
int port_link_lanes(struct ports *ps, uint16_t id, uint32_t lanes, struct err *e);

/*
 * Show the possible lane counts by link speed. JSON: {"port", "speeds": [{"link_mbps",
 * "lanes": [...]}]}. Errors: -ENODEV; -ENOSYS before DPDK 24.11; the driver's error.
 */
int port_link_lanes_show(struct ports *ps, uint16_t id, struct err *e);
