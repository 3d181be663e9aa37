/* Devices on their buses, whether or not they became ports: show device info. */
#pragma once

struct err;
struct out;

/*
 * Answer show device info: every device that has a driver, or the one that name ("0000:01:00.0",
 * "net_null0") says; name NULL: all. JSON: {"devices": [{"name", "bus", ..., "ports": [{"port",
 * "mac", ...}]}]}. Thread: control. Errors: -EINVAL "cannot parse identifier"; -ENODEV no such
 * device has a driver.
 */
int device_show(struct out *o, const char *name, struct err *e);
