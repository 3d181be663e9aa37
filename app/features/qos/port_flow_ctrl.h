/* Set Ethernet flow control (pause frames) of a port; port_offload.h shows it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;
struct ports;

/* For all members -1: keep the driver's value. Switches are 0 or 1. */
struct port_flow_ctrl {
	int64_t rx, tx; /* react to received pause frames; send pause frames when rings are full */
	int64_t high_water, low_water,
		pause_time; /* ranges uint32_t, uint32_t, uint16_t; in the NIC's units */
	int64_t send_xon, mac_ctrl_frame_fwd, autoneg;
};

/*
 * Set flow control; the port may be running. Errors, without an effect: -ENODEV no such port; the
 * driver's error. Thread: control.
 */
int port_flow_ctrl_set(struct ports *ps, uint16_t id, const struct port_flow_ctrl *wanted,
	struct err *e);
