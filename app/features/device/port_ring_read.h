/* Raw descriptors of a hardware ring, as the driver keeps them in memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * Show a descriptor (read rxd|txd P Q D). JSON: {"port", "queue", "descriptor", "words":
 * ["0x..."]}. This needs a driver that allocates its rings as memory zones with the common names,
 * such as Intel's. Errors: -ENODEV no such port; -ERANGE queue or descriptor; -ENOENT no such zone.
 * Thread: control; the card may write at the same time.
 */
int port_ring_read(struct ports *ps, uint16_t id, bool rx, uint16_t queue, uint16_t descriptor,
	struct err *e);
