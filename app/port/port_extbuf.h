/* What the drivers of ports make of external buffers. */
#pragma once

#include <stdint.h>

struct err;
struct out;
struct port;
struct ports;

/*
 * Answer show port P extbuf: each queue's function, and for each use ok, mended or refused, with
 * the reason. JSON: {"ports":[{"port", "driver", "rx":[{"queue", "function", "known", "pool",
 * "pinned_pool", "pinned":{"verdict", "reason"}, ...}], "tx":[...]}]}. id: PORT_ALL: all. Errors:
 * ENODEV; EBUSY for a stopped port. Thread: control, all of this file.
 */
int port_extbuf_show(struct ports *ps, uint16_t id, struct err *e);
