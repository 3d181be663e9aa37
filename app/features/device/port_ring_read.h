/* Raw descriptors of a hardware ring, as the driver keeps them in memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct app;
struct args;
struct err;

/*
 * Handler: show <descriptor> of <queue> of <port>; <ring>: rxd or txd. JSON: {"port", "queue",
 * "descriptor", "words": ["0x..."]}. This needs a driver that allocates its rings as memory zones
 * with the common names, such as Intel's. Errors: -ENODEV no such port; -ERANGE queue or
 * descriptor; -ENOENT no such zone. Thread: control; the card may write at the same time.
 */
int port_ring_read(struct app *app, const struct args *a, struct err *e);
