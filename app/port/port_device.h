/* What users call a device: a bus address, a name, or keys and values. */
#pragma once

#include <stdbool.h>

struct rte_devargs;

/*
 * Fill d from "0000:01:00.0", "net_null0,copy=1" or "bus=vdev,name=net_null0": then d->bus is there
 * and d->name not empty, and rte_devargs_reset() frees it. False, with nothing to free, when no bus
 * takes it or it names no device ("class=eth", "bus=pci"). Source: rte_devargs_parsef(), which
 * takes those and leaves NULL in d->bus, and faults at a "bus" without value.
 */
bool port_device_parse(struct rte_devargs *d, const char *identifier);
