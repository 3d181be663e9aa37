/* Drivers of zcfwd that this build lacks because it was built without DPDK's source. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;

/* The drivers' names, NULL-terminated. A device's name is its driver's name and a number. */
extern const char *const left_out_drivers[];

/*
 * Check that a device does not need one of the drivers. device: the argument of --vdev or "port
 * attach", or the path of a plugin; a plugin that exists is accepted. Returns 0, or -ENODEV with e
 * naming the driver and how to get it.
 */
int left_out_device(const char *const *drivers, const char *device, struct err *e);

/* Call left_out_device() for each value of an EAL option in argv; return the first failure. */
int left_out_option(const char *const *drivers, const char *option, int argc, char **argv,
	struct err *e);
