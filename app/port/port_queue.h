/* Show a queue of a port: its configuration, descriptors in use, one descriptor's state, what its
 * driver does to external buffers. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct out;
struct port;
struct ports;

/*
 * Answer show rxq info P Q (rx) or show txq info P Q. JSON: {"port", "queue", "direction": "rx",
 * ...}. Errors: -ENODEV no such port; "Failed to retrieve information ..." with what the driver
 * returned; no NIC-less driver but virtio knows. Thread: control, all of this file.
 */
int port_queue_show(struct ports *ps, uint16_t id, uint16_t queue, bool rx, struct err *e);

/*
 * Answer show port P rxq|txq Q desc used count. JSON: {"port", "queue", "direction", "used"}.
 * Errors as above.
 */
int port_queue_used(struct ports *ps, uint16_t id, uint16_t queue, bool rx, struct err *e);

/*
 * Answer show port P rxq|txq Q desc D status. JSON: {..., "descriptor", "status": "DONE"}. Errors
 * as above.
 */
int port_queue_desc(struct ports *ps, uint16_t id, uint16_t queue, uint16_t descriptor, bool rx,
	struct err *e);

/*
 * Answer show port P extbuf: each queue's function, and for each use ok, mended or refused, with
 * the reason. JSON: {"ports":[{"port", "driver", "rx":[{"queue", "function", "known", "pool",
 * "pinned_pool", "pinned":{"verdict", "reason"}, ...}], "tx":[...]}]}. id: PORT_ALL: all. Errors:
 * ENODEV; EBUSY for a stopped port.
 */
int port_queue_extbuf_show(struct ports *ps, uint16_t id, struct err *e);
