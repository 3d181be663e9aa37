/* Show and set Ethernet flow control (pause frames) of a port. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct args;
struct err;
struct ports;

/* JSON: {"port", "rx_pause", "tx_pause", ...}. Errors: -ENODEV; the driver's. Thread: control. */
int port_flow_ctrl_show(struct ports *ps, uint16_t id, struct err *e);

/*
 * `set flow_ctrl`: what the line omits keeps the driver's value; the port may be running. Errors,
 * without an effect: -ENODEV no such port; the driver's error. Thread: control.
 */
int port_flow_ctrl_set(struct ports *ps, const struct args *a, struct err *e);
