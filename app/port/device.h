/* Devices on their buses, with or without ports: name them (devargs) and show them (show device
 * info). */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct err;
struct out;
struct rte_devargs;

/*
 * Answer show device info: every device that has a driver, or the one that name ("0000:01:00.0",
 * "net_null0") says; name NULL: all. JSON: {"devices": [{"name", "bus", ..., "ports": [{"port",
 * "mac", ...}]}]}. Thread: control. Errors: -EINVAL "cannot parse identifier"; -ENODEV no such
 * device has a driver.
 */
int device_show(struct out *o, const char *name, struct err *e);

/*
 * Fill d from "0000:01:00.0", "net_null0,copy=1" or "bus=vdev,name=net_null0": then d->bus is there
 * and d->name not empty, and rte_devargs_reset() frees it. False, with nothing to free, when no bus
 * takes it or it names no device ("class=eth", "bus=pci"). Source: rte_devargs_parsef(), which
 * takes those and leaves NULL in d->bus, and faults at a "bus" without value.
 */
bool device_parse(struct rte_devargs *d, const char *identifier);
