/* vhost ports: the features that guests accepted, and how each virtqueue is copied. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/async_vhost/net_async_vhost.h"

#include <stdint.h>

struct err;
struct ports;

/* Show the ports of net_async_vhost. -ENODEV with e filled: none. Thread: control. */
int port_vhost_show(struct ports *ps, struct err *e);

/*
 * Set how packets of a queue pair are copied, in each direction that has an engine. Errors, with e
 * filled: -ENODEV not a net_async_vhost port, -EINVAL no such queue, -ENOTSUP no suitable engine.
 * Thread: control.
 */
int port_vhost_copy(uint16_t port, uint16_t queue, enum net_async_vhost_copy copy, struct err *e);
