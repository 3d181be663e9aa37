/* The life cycle of ports: start, stop, close, reset, link up and down, quit; with testpmd's
 * messages. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Program start, when the pools exist: register for events, copy the settings to the ports, start
 * them unless disable-device-start is on, and enable promiscuous mode. Errors: as port_start();
 * ERANGE a port does not support a setting. Thread: control, all of this file.
 */
int port_begin(struct ports *ps, struct err *e);

/*
 * Start, stop, close or reset port id, or every port for PORT_ALL. Prints testpmd's lines
 * ("Configuring Port 0 (socket 0)", "Done"). Errors: ENODEV no such port; EBUSY forwarding or wrong
 * state; errors of the driver, with its name, port and queue in the text.
 */
int port_start(struct ports *ps, uint16_t id, struct err *e);
int port_stop(struct ports *ps, uint16_t id, struct err *e);
int port_close(struct ports *ps, uint16_t id, struct err *e);
int port_reset(struct ports *ps, uint16_t id, struct err *e);

/*
 * Stop and close all ports at quit, with testpmd's lines ("Stopping port 0...", ..., without the
 * last "Bye...").
 */
void port_quit(struct ports *ps);

/* Set the link of one port up or down. */
int port_link_set(struct ports *ps, uint16_t id, bool up, struct err *e);
