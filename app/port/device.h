/* Devices on their buses, with or without ports: parse device names (devargs) and show devices
 * (show device info). */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

struct args;
struct err;
struct ports;
struct rte_devargs;

/*
 * show device info <device>: show the device of that name ("0000:01:00.0", "net_null0"), or with
 * "all" each device that has a driver. JSON: {"devices": [{"name", "bus", ..., "ports": [{"port",
 * "mac", ...}]}]}. Thread: control. Errors: -EINVAL "cannot parse identifier"; -ENODEV no such
 * device has a driver.
 */
int device_show(struct ports *ps, const struct args *a, struct err *e);

/*
 * Warn if the table of ports is full and virtual devices have no driver, because ethdev had no room
 * for their ports. Thread: control, after the devices were probed.
 */
void device_limit_warn(const struct ports *ps);

/*
 * Fill d from "0000:01:00.0", "net_null0,copy=1" or "bus=vdev,name=net_null0": d->bus is then set
 * and d->name not empty; free d with rte_devargs_reset(). Returns false, with nothing to free, if
 * no bus accepts it or it names no device ("class=eth", "bus=pci"). Source: rte_devargs_parsef(),
 * which accepts those with d->bus NULL, and crashes on "bus" without a value.
 */
bool device_parse(struct rte_devargs *d, const char *identifier);
