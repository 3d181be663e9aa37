/* Count hardware events in the passes of an lcore's loop over its streams. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "stream/hw_counters.h"
#include "stream/stream.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Return whether hardware events of its lcore are counted (record-hw-counters). Thread: any. */
static inline bool
stream_hardware(const struct stream *s)
{
	return (atomic_load_explicit(&s->timed, memory_order_relaxed) & STREAM_TIMED_HARDWARE) != 0;
}

/*
 * Begin a pass if this is the lcore's first stream; call before its poll. Thread: the stream's
 * worker. Counts: hw, while record-hw-counters is on.
 */
void stream_pass(struct stream *s);
