/* Representors: the ports that a driver can create for functions of a device. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;
struct ports;

/*
 * Show the driver's representor ranges. JSON: {"port", "controller", "pf", "ranges": [{"name",
 * "first", "last", "controller", "pf", "type", "function"}]}. Errors: -ENODEV no such port;
 * -ENOMEM; the driver's error. Thread: control.
 */
int port_representor_show(struct ports *ps, uint16_t id, struct err *e);
