/* What a port does with pause frames, set; port_offload.h shows it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;
struct ports;

/* -1: stays as the driver has it; the switches: 0 or 1. */
struct port_flow_ctrl {
	int64_t rx, tx; /* answer pause frames of others; send some when rings are full */
	int64_t high_water, low_water,
		pause_time; /* uint32_t, uint32_t, uint16_t: the NIC's units */
	int64_t send_xon, mac_ctrl_frame_fwd, autoneg;
};

/*
 * Set flow control, at once. Errors: -ENODEV no such port; what the driver returned, state then
 * unchanged. Thread: control.
 */
int port_flow_ctrl_set(struct ports *ps, uint16_t id, const struct port_flow_ctrl *wanted,
	struct err *e);
