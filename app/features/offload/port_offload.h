/* Show what a port can do and is set to do in hardware: offloads and flow control. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Answer show port P rx_offload capabilities (rx) or tx_offload. JSON: {"port", "per_queue": [...],
 * "per_port": [...]}. Errors: -ENODEV no such port; what the driver returned. Thread: control, all
 * of this file.
 */
int port_offload_capabilities(struct ports *ps, uint16_t id, bool rx, struct err *e);

/*
 * Answer show port P rx_offload configuration. JSON: {"port", "offloads": [...], "queues": [[...],
 * ...]}. Errors as above.
 */
int port_offload_configuration(struct ports *ps, uint16_t id, bool rx, struct err *e);

/* Answer show port P flow_ctrl. JSON: {"port", "rx_pause", "tx_pause", ...}. Errors as above. */
int port_flow_ctrl_show(struct ports *ps, uint16_t id, struct err *e);
