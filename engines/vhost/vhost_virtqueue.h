/* Statistics of the virtqueues that a stream of the engine vhost forwards between, row by row. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/stat.h"
#include "pmd_shims/drivers/async_vhost/net_async_vhost.h"

#include <stdbool.h>

struct engine_group;
struct err;
struct stream;

/* Remember what the virtqueues did before the run. 0, or -ENOMEM. Thread: control, all of these. */
int vhost_virtqueue_begin(struct stream *s, struct err *e);

/* Remember what they did in it: the ports may go. */
void vhost_virtqueue_end(struct stream *s);

/* Forget both. */
void vhost_virtqueue_forget(struct stream *s);

/* The group "virtqueue": of a stream, the one it receives from and the one it transmits to. */
extern const struct engine_group vhost_virtqueue_group;
