/* Show and select the packet types that a port's hardware reports. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct args;
struct err;
struct ports;

/*
 * Show the packet types. JSON: {"port", "ptypes": {"l2": [...], ..., "inner_l4": [...]}}. Errors:
 * -ENODEV no such port; the driver's error. Thread: control, for all of this file.
 */
int port_ptypes_show(struct ports *ps, uint16_t id, struct err *e);

/*
 * Make <port> report packet types only of the layers in <mask> (RTE_PTYPE_*_MASK), and show them.
 * This is kept at the next start, which otherwise turns packet types off. JSON: {"port", "ptypes":
 * [...]}. Errors: -ENODEV; -ENOTSUP the driver reports none; the driver's error.
 */
int port_ptypes_set(struct ports *ps, const struct args *a, struct err *e);
