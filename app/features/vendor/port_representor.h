/* What a port's driver tells of representors: ports that stand for functions of the device. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;
struct ports;

/*
 * Answer show port info P representor. JSON: {"port", "controller", "pf", "ranges": [{"name",
 * "first", "last", "controller", "pf", "type", "function"}]}. Errors: -ENODEV no such port;
 * -ENOMEM; what the driver returned. Thread: control.
 */
int port_representor_show(struct ports *ps, uint16_t id, struct err *e);
