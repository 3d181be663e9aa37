/* Raw descriptors of a hardware ring, as the driver keeps them in memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Answer read rxd|txd P Q D. JSON: {"port", "queue", "descriptor", "words": ["0x..."]}. Only
 * drivers whose rings are memory zones of the usual name can be read: Intel's and those alike.
 * Errors: -ENODEV no such port; -ERANGE queue or descriptor; -ENOENT there is no such zone. Thread:
 * control; the card may write meanwhile.
 */
int port_ring_read(struct ports *ps, uint16_t id, bool rx, uint16_t queue, uint16_t descriptor,
	struct err *e);
