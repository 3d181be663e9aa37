/* The DMA devices that there are: what they are, who uses them, what they copied. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/stat.h"

#include <stdint.h>

struct err;
struct out;

/* Of a vchan of dma_adaptive: its thresholds, and what it did since it was set up. */
extern const struct stat_table dma_devices_adaptive_stats;

/* Of a vchan of any other device, as dmadev tells it. */
extern const struct stat_table dma_devices_stats;

/* The device of that name; ENODEV with e filled, naming those there. Thread: any, all of this file. */
int16_t dma_devices_find(const char *name, struct err *e);

/* Its name, which lives as long as the device; "" when it went away. */
const char *dma_devices_name(int16_t id);

/* The node of the hardware, below all that is over it; -1: nobody knows. */
int dma_devices_node(int16_t id);

/* The dma_adaptive over this device; -1: there is none. */
int16_t dma_devices_above(int16_t id);

/*
 * Tell a device: {"name", "driver", "node", "over", "vchans", "used_by"} and, for each vchan that is
 * set up, an object "vchan0", ... of its statistics.
 */
void dma_devices_put(const struct stat_sink *sink, int16_t id);

/* `show dma`: all devices; JSON: {"dma": [as dma_devices_put() tells each]}. */
void dma_devices_show(struct out *o);
