/* Aged rules: without a hit for longer than their action age allows. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "features/flow/port_flow_queue.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Show aged rules and indirect actions of a port, or of one of its queues; destroy: also destroy
 * the rules. JSON: {"aged": [{"type", "number"}], "destroyed"}. ENODEV, ENOENT; the driver's error.
 * Thread: control.
 */
int port_flow_aged(struct ports *ps, uint16_t id, bool destroy, struct err *e);
int port_flow_aged_queue(struct ports *ps, const struct port_flow_queue *q, bool destroy,
	struct err *e);
