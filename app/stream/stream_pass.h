/* Passes of an lcore's loop over its streams, whose hardware events are counted. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "stream/hw_counters.h"
#include "stream/stream.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Whether hardware counters of its lcore are to be counted (record-hw-counters). Thread: any. */
static inline bool
stream_hardware(const struct stream *s)
{
	return (atomic_load_explicit(&s->timed, memory_order_relaxed) & STREAM_TIMED_HARDWARE) != 0;
}

/*
 * A pass begins with this stream's poll, if it is the lcore's first. Thread: its worker. Counts: hw,
 * when asked to.
 */
void stream_pass(struct stream *s);
