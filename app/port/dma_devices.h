/* DMA devices: their properties, users and statistics. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/stat.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct out;
struct ports;

/* A vchan of dma_adaptive: its thresholds and its counters since setup. */
extern const struct stat_table dma_devices_adaptive_stats;

/* A vchan of any other device: dmadev's statistics. */
extern const struct stat_table dma_devices_stats;

/* Find a device by name; ENODEV with e filled, listing the available ones. Thread: any, for all of
 * this file. */
int16_t dma_devices_find(const char *name, struct err *e);

/* Name of a device, valid as long as the device exists; "" if there is none. */
const char *dma_devices_name(int16_t id);

/* NUMA node of the hardware, also for a dma_adaptive device on top of it; -1: unknown. */
int dma_devices_node(int16_t id);

/* The dma_adaptive device that uses this device; -1: none. */
int16_t dma_devices_above(int16_t id);

/* True if no dma_adaptive device uses a device, and no port names it in its device arguments. */
bool dma_devices_free(int16_t id);

/*
 * EBUSY with e filled: queues have channels of the device with this name, or of the dma_adaptive
 * above it.
 */
int dma_devices_removable(const struct ports *ps, const char *name, struct err *e);

/*
 * Write a device to sink: {"name", "driver", "node", "over", "vchans", "used_by"} and an object
 * "vchan0", ... of statistics for each vchan that is set up.
 */
void dma_devices_put(const struct ports *ps, const struct stat_sink *sink, int16_t id);

/* `show dma`: show all devices; JSON: {"dma": [one object per device, see dma_devices_put()]}. */
void dma_devices_show(const struct ports *ps, struct out *o);
