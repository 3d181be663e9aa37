/* Mode auto: an I/O lcore tries every mode of each direction on the packets that come, keeps the
 * best pair, and looks again now and then. */
#pragma once

#include "engines/ring/ring_state.h"

#include <rte_cycles.h>

enum { RING_TRIAL_LOOK = 256 }; /* turns between two looks at the clock */

/*
 * Put a mode in force for the rings from and to the streams of io. Thread: its lcore, or control
 * before it runs.
 */
void ring_trial_set(struct ring_io *io, enum ring_mode in, enum ring_mode back);

/*
 * Begin with a mode; RING_AUTO: with what is likely to be good, until it is measured. Thread:
 * control, io does not run.
 */
void ring_trial_open(struct ring_io *io, enum ring_mode mode);

/* Modes of way number way, 0..RING_WAYS-1: every mode in with every mode out. */
enum ring_mode ring_trial_in(unsigned int way);
enum ring_mode ring_trial_back(unsigned int way);

/*
 * A turn lasted from begin until now and moved packets: one of a slice, or one after which slices
 * may begin again. Both are times of one clock, hz to the second. Thread: the I/O lcore.
 */
void ring_trial_turn(struct ring_io *io, uint64_t begin, uint64_t now, unsigned int moved);

/* Whether mode auto has not decided yet. Thread: any. */
static inline bool
ring_trial_measuring(const struct ring_io *io)
{
	return io->trial.on && counter_read(&io->trial.rounds.n) < ROUNDS_KEPT;
}

/* The time now when the turn that begins is to be timed, else 0. Thread: the I/O lcore. */
static __rte_always_inline uint64_t
ring_trial_begin(struct ring_io *io)
{
	struct ring_trial *t = &io->trial;

	return unlikely(t->slicing) || unlikely(t->on && ++t->turns % RING_TRIAL_LOOK == 0)
		? rte_rdtsc()
		: 0;
}

/* That turn is over. Thread: the I/O lcore. */
static inline void
ring_trial_end(struct ring_io *io, uint64_t begin, unsigned int moved)
{
	ring_trial_turn(io, begin, rte_rdtsc(), moved);
}
