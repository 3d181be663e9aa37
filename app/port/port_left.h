/* Packets that a driver has when its port closes, and does not free. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct port;

/*
 * Free what the driver of a stopped port would forget at its close. Thread: control, nothing polls
 * the port.
 */
void port_left_free(const struct port *p);
