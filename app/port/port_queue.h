/* Show a queue of a port: its configuration, used descriptors, the state of a descriptor, and
 * support for external buffers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct out;
struct port;
struct ports;

/*
 * Print show rxq info P Q (rx) or show txq info P Q. JSON: {"port", "queue", "direction": "rx",
 * ...}. Errors: -ENODEV no such port; "Failed to retrieve information ..." with the driver's error;
 * of the virtual drivers only virtio supports it. Thread: control, all of this file.
 */
int port_queue_show(struct ports *ps, uint16_t id, uint16_t queue, bool rx, struct err *e);

/*
 * Print show port P rxq|txq Q desc used count. JSON: {"port", "queue", "direction", "used"}.
 * Errors: -ENODEV; -EINVAL no such queue; -EBUSY the port is stopped; errors of the driver.
 */
int port_queue_used(struct ports *ps, uint16_t id, uint16_t queue, bool rx, struct err *e);

/*
 * Print show port P rxq|txq Q desc D status. JSON: {..., "descriptor", "status": "DONE"}. Errors as
 * port_queue_used().
 */
int port_queue_desc(struct ports *ps, uint16_t id, uint16_t queue, uint16_t descriptor, bool rx,
	struct err *e);

/*
 * Print show port P extbuf: the burst function of each queue, and for each use of external buffers
 * ok, mended (worked around) or refused, with the reason. JSON: {"ports":[{"port", "driver",
 * "rx":[{"queue", "function", "known", "pool", "pinned_pool", "pinned":{"verdict", "reason"},
 * ...}], "tx":[...]}]}. id PORT_ALL: all ports. Errors: ENODEV; EBUSY the port is stopped.
 */
int port_queue_extbuf_show(struct ports *ps, uint16_t id, struct err *e);
