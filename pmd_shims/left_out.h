/* Drivers of zcfwd's own that a build lacks, because it was made without DPDK's source. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct err;

/* Their names, NULL-terminated; devices are called by them and a number. */
extern const char *const left_out_drivers[];

/*
 * Fail if one of the drivers would be the device's. device: what --vdev or port attach has, or the
 * path of a plugin, which may exist. Returns 0, or -ENODEV with e filled: the driver,
 * and how to get it.
 */
int left_out_device(const char *const *drivers, const char *device, struct err *e);

/* left_out_device() for every value of this option among EAL's; the first failure counts. */
int left_out_option(const char *const *drivers, const char *option, int argc, char **argv,
	struct err *e);
