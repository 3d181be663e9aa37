/* Mode auto: an I/O lcore tries every mode of each direction on the packets that come, and keeps the cheapest pair. */
#pragma once

#include "ring_state.h"

#include <rte_cycles.h>

/* Put a mode in force for the rings from and to the streams of io. Thread: its lcore, or control before it runs. */
void ring_trial_set(struct ring_io *io, enum ring_mode in, enum ring_mode back);

/* Modes of way number way, 0..RING_TRIAL_WAYS-1: every mode in with every mode out. */
enum ring_mode ring_trial_in(unsigned int way);
enum ring_mode ring_trial_back(unsigned int way);

/* The median of a way's rounds, cycles per packet; 0 before the trial is over. */
double ring_trial_cost(const struct ring_trial *t, unsigned int way);

/* What the trial takes out of a turn that began then and moved packets. Thread: the I/O lcore. */
void ring_trial_end(struct ring_io *io, uint64_t begin, unsigned int moved);

/* The time now while the trial runs, else 0. Thread: the I/O lcore. */
static __rte_always_inline uint64_t
ring_trial_begin(const struct ring_io *io)
{
	return unlikely(io->trial.running) ? rte_rdtsc() : 0;
}
