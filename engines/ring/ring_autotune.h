/* Autotuning for ring_pipeline: an I/O lcore measures copy and zero-copy in both directions on live
 * traffic, and uses the pair of modes that costs the fewest cycles. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/ring/ring_state.h"

#include <rte_cycles.h>

enum { RING_AUTOTUNE_LOOK = 256 }; /* polls between two readings of the clock */

/*
 * Apply a mode; with RING_AUTO begin with zero-copy in both directions, and measure. Thread:
 * control, before io runs.
 */
void ring_autotune_open(struct ring_io *io, enum ring_mode mode, double tsc_hz);

/* Whether candidate 0..RING_CANDIDATES-1 uses zero-copy towards workers, and on the way back. */
static inline bool
ring_autotune_in(unsigned int candidate)
{
	return (candidate & 2) != 0;
}

static inline bool
ring_autotune_back(unsigned int candidate)
{
	return (candidate & 1) != 0;
}

/*
 * Account for a poll that lasted from begin to now, in ticks of the clock that hz is of, and moved
 * some packets. Begins and ends slices. Thread: the I/O lcore.
 */
void ring_autotune_poll(struct ring_io *io, uint64_t begin, uint64_t now, unsigned int moved);

/* Whether mode auto is still measuring, without a decision. Thread: any. */
static inline bool
ring_autotune_measuring(const struct ring_io *io)
{
	return autotune_measuring(&io->autotune);
}

/* The time if the poll that now begins has to be timed, else 0. Thread: the I/O lcore. */
static __rte_always_inline uint64_t
ring_autotune_begin(struct ring_io *io)
{
	struct autotune *t = &io->autotune;

	return unlikely(t->slicing) || unlikely(t->on && ++t->polls % RING_AUTOTUNE_LOOK == 0)
		? rte_rdtsc()
		: 0;
}

/* End a poll for which ring_autotune_begin() did not return 0. Thread: the I/O lcore. */
static inline void
ring_autotune_end(struct ring_io *io, uint64_t begin, unsigned int moved)
{
	ring_autotune_poll(io, begin, rte_rdtsc(), moved);
}
