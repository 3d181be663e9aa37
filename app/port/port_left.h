/* Packets that a driver has when its port closes, and does not free. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "memory/pool_check.h"

struct port;
struct ports;

/*
 * Remember, before a started port stops, what its queues' functions are known to do wrong, which
 * cannot be repaired from outside. Thread: control, all of this file.
 */
void port_left_note(struct ports *ps, const struct port *p);

/* What the faults that were noted may have done: descriptors of their queues bound it. */
struct pool_known port_left_known(const struct ports *ps);

/*
 * Free what the driver of a stopped port would forget at its close. Nothing polls the port.
 */
void port_left_free(const struct port *p);
