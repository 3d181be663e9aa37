/* Autotuning of ring_pipeline's modes: an I/O lcore measures copy and zero-copy, towards workers
 * and back, on the packets that come, and keeps the cheapest pair. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/ring/ring_state.h"

#include <rte_cycles.h>

enum { RING_AUTOTUNE_LOOK = 256 }; /* polls between two looks at the clock */

/*
 * Begin with a mode; RING_AUTO: with what is likely to be good, until it is measured. Thread:
 * control, io does not run.
 */
void ring_autotune_open(struct ring_io *io, enum ring_mode mode);

/* Whether a candidate, 0..RING_CANDIDATES-1, is zero-copy towards workers, and back. */
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
 * A poll lasted from begin until now and moved packets: one of a slice, or one after which slices
 * may begin again. Both are times of one clock, hz to the second. Thread: the I/O lcore.
 */
void ring_autotune_poll(struct ring_io *io, uint64_t begin, uint64_t now, unsigned int moved);

/* Whether mode auto has not decided yet. Thread: any. */
static inline bool
ring_autotune_measuring(const struct ring_io *io)
{
	return io->autotune.on && counter_read(&io->autotune.samples.n) < SAMPLES_KEPT;
}

/* The time now when the poll that begins is to be timed, else 0. Thread: the I/O lcore. */
static __rte_always_inline uint64_t
ring_autotune_begin(struct ring_io *io)
{
	struct ring_autotune *t = &io->autotune;

	return unlikely(t->slicing) || unlikely(t->on && ++t->polls % RING_AUTOTUNE_LOOK == 0)
		? rte_rdtsc()
		: 0;
}

/* That poll is over. Thread: the I/O lcore. */
static inline void
ring_autotune_end(struct ring_io *io, uint64_t begin, unsigned int moved)
{
	ring_autotune_poll(io, begin, rte_rdtsc(), moved);
}
