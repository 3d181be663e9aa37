/* The life cycle of ports: start, stop, close, reset, quit; with testpmd's messages. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct err;
struct port;
struct ports;

/* Buffers that receive rings take from their pools when ports start. */

/*
 * Warn about each pool that is too small for the present rings of all ports and the lcore caches,
 * with the number of missing buffers and how to add them. Thread: control.
 */
void port_buffers_warn(const struct ports *ps);

/* Memory that a port's driver may read until the port is closed. */

/*
 * Return a copy of data (NULL: zeroes), bytes long, that is valid until the port closes: some
 * drivers keep pointers to their arguments. Returns NULL with ENOMEM in e. Thread: control, all of
 * this file.
 */
void *port_keep(struct port *p, const void *data, size_t bytes, struct err *e);

/* Free all copies of a closed port. */
void port_keep_free(struct port *p);

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
