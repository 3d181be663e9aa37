/* Statistics of the virtqueues of a stream of the engine vhost. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/stat.h"
#include "pmd_shims/drivers/async_vhost/net_async_vhost.h"

#include <stdbool.h>

struct engine_group;
struct err;
struct stream;

/*
 * Store the virtqueues' counters at the begin of a run. Returns 0, or -ENOMEM. Thread: control, all
 * of this file.
 */
int vhost_virtqueue_begin(struct stream *s, struct err *e);

/* Store the counters at the end of a run, after which the ports may be closed. */
void vhost_virtqueue_end(struct stream *s);

/* Free the stored counters. */
void vhost_virtqueue_forget(struct stream *s);

/* The group "virtqueue": the virtqueue that a stream receives from and the one it transmits to. */
extern const struct engine_group vhost_virtqueue_group;
