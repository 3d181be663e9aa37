/* The life cycle of ports: start, stop, close, reset, links up and down, quit; in testpmd's
 * words. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * The beginning, once pools are there: listen to events, take the settings over into the ports,
 * start them all unless disable-device-start is on, switch promiscuous mode on. Errors: as
 * port_start(); ERANGE for a setting that a port cannot. Thread: control, all of this file.
 */
int port_begin(struct ports *ps, struct err *e);

/*
 * The life cycle; id PORT_ALL: every port. Texts as testpmd's ("Configuring Port 0 (socket 0)",
 * "Done"). Errors: ENODEV no such port; EBUSY forwarding or wrong state; what the driver returned,
 * with the driver's name, port and queue in the text.
 */
int port_start(struct ports *ps, uint16_t id, struct err *e);
int port_stop(struct ports *ps, uint16_t id, struct err *e);
int port_close(struct ports *ps, uint16_t id, struct err *e);
int port_reset(struct ports *ps, uint16_t id, struct err *e);

/*
 * Stop and close everything at quit, with testpmd's texts ("Stopping port 0...", ..., not the last
 * "Bye...").
 */
void port_quit(struct ports *ps);

/* The link of one port. */
int port_link_set(struct ports *ps, uint16_t id, bool up, struct err *e);
