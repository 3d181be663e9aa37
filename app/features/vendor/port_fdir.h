/* The flow director of net_i40e and net_ixgbe: what it can, and how full it is. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;
struct ports;

/*
 * Answer show port fdir for port id or PORT_ALL. JSON: {"ports": [{"port", "mode", "flow_types":
 * [...], "flex_payload": {...}, "guaranteed_count", ...}]}. Errors: -ENODEV no such port; -ENOTSUP
 * another driver; what the driver returned. Thread: control.
 */
int port_fdir_show(struct ports *ps, uint16_t id, struct err *e);
