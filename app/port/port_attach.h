/* Attach and detach devices with their ports: by command, and after a device was pulled. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;
struct ports;

/*
 * Attach the device of devargs: "net_null2,copy=1" or a bus address; its ports begin stopped. Texts
 * as testpmd's. Errors: EINVAL for what names no device; EBUSY beside memory it could not reach;
 * what EAL said. Thread: control, all of this file.
 */
int port_attach(struct ports *ps, const char *devargs, struct err *e);

/*
 * Detach the device of port id, with all its ports; a closed port's number will do, too. ENODEV,
 * EBUSY for a port that is not stopped.
 */
int port_detach(struct ports *ps, uint16_t id, struct err *e);

/* Detach the device by its name or bus address, with all its ports. Errors as port_detach(). */
int port_detach_device(struct ports *ps, const char *devargs, struct err *e);

/*
 * Say what happened to ports since the last call ("Port 0: link state change event"); the shell
 * calls it before a prompt. Ports whose device went away are stopped, closed and detached unless
 * packets are forwarded; returns how many still wait for that.
 */
unsigned int port_handle_events(struct ports *ps);
