/* Set Ethernet flow control (pause frames) of a port; port_offload.h shows it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct args;
struct err;
struct ports;

/*
 * `set flow_ctrl`: what the line omits keeps the driver's value; the port may be running. Errors,
 * without an effect: -ENODEV no such port; the driver's error. Thread: control.
 */
int port_flow_ctrl_set(struct ports *ps, const struct args *a, struct err *e);
