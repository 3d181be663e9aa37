/* Ports with a guest behind them: what guests agreed to, and who copies for each virtqueue. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/async_vhost/net_async_vhost.h"

#include <stdint.h>

struct err;
struct ports;

/* Show the ports of net_async_vhost. -ENODEV with e filled: there is none. Thread: control. */
int port_vhost_show(struct ports *ps, struct err *e);

/*
 * Let packets of a queue be copied so from now on, both directions as far as they have an engine. -ENODEV: no guest's port, EINVAL: no such queue, ENOTSUP: no
 * engine can; with e filled. Thread: control.
 */
int port_vhost_copy(uint16_t port, uint16_t queue, enum net_async_vhost_copy copy, struct err *e);
