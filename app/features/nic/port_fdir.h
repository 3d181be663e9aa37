/* Flow director of net_i40e and net_ixgbe: capabilities and fill level. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;
struct ports;

/*
 * Show the flow director of a port or PORT_ALL. JSON: {"ports": [{"port", "mode", "flow_types":
 * [...], "flex_payload": {...}, "guaranteed_count", ...}]}. Errors: -ENODEV no such port; -ENOTSUP
 * another driver; the driver's error. Thread: control.
 */
int port_fdir_show(struct ports *ps, uint16_t id, struct err *e);
