/* What a queue of a port is and holds: show rxq info, descriptors in use, one descriptor's
 * state. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
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
