/* Attach and detach devices with their ports: by command, and after a device was removed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;
struct ports;

/*
 * Attach the device devargs, "net_null2,copy=1" or a bus address; its ports are stopped at first.
 * Prints testpmd's lines. Errors: EINVAL devargs names no device; EBUSY the device could not reach
 * the external memory in use; errors of EAL. Thread: control, all of this file.
 */
int port_attach(struct ports *ps, const char *devargs, struct err *e);

/*
 * Detach the device of port id with all its ports; id may be a closed port. Errors: ENODEV; EBUSY a
 * port is not stopped.
 */
int port_detach(struct ports *ps, uint16_t id, struct err *e);

/* Detach a device by its name or bus address, with all its ports. Errors as port_detach(). */
int port_detach_device(struct ports *ps, const char *devargs, struct err *e);

/*
 * Print the events of ports since the last call ("Port 0: link state change event"); called before
 * each prompt. Ports whose device was removed are stopped, closed and detached, unless forwarding
 * is running. Returns the number of removed ports that still wait for that.
 */
unsigned int port_handle_events(struct ports *ps);
