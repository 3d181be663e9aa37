/* Packets that a driver does not free when its port closes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "memory/pool_check.h"

struct port;
struct ports;

/*
 * Record, before a started port stops, the known buffer leaks and double frees of its queues' burst
 * functions, which cannot be worked around. Thread: control, all of this file.
 */
void port_left_note(struct ports *ps, const struct port *p);

/* Return the maximum effect of the recorded faults, derived from the queues' descriptors. */
struct pool_known port_left_known(const struct ports *ps);

/* Free the packets that the driver of a stopped port would leak when it closes. */
void port_left_free(const struct port *p);
