/* Autotuning for ring_pipeline: what a poll costs and moves, and applying a candidate to the links
 * of an I/O lcore. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/ring_autotune.h"

static_assert((int)RING_CANDIDATES <= (int)SAMPLES_CANDIDATES, "room for their costs");

static void
link_set(struct ring_link *l, bool zero_copy)
{
	if (l != NULL)
		atomic_store_explicit(&l->zero_copy, zero_copy, memory_order_relaxed);
}

static void
modes_set(struct ring_io *io, bool in, bool back)
{
	const struct ring_pipeline *p = io->pipeline;

	for (unsigned int i = io->first; i < io->first + io->n; i++) {
		for (unsigned int w = 0; w < p->n_workers; w++) {
			link_set(*ring_in(p, i, w), in);
			link_set(*ring_back(p, i, w), back);
		}
	}
	atomic_store_explicit(&io->zero_copy_in, in, memory_order_relaxed);
	atomic_store_explicit(&io->zero_copy_back, back, memory_order_relaxed);
}

static void
candidate_set(struct ring_io *io, unsigned int candidate)
{
	modes_set(io, ring_autotune_in(candidate), ring_autotune_back(candidate));
}

void
ring_autotune_open(struct ring_io *io, enum ring_mode mode, double tsc_hz)
{
	if (mode != RING_AUTO) {
		modes_set(io, mode != RING_COPY, mode != RING_COPY);
		return;
	}
	/* The last candidate is zero-copy in both directions. */
	autotune_open(&io->autotune, RING_CANDIDATES, RING_CANDIDATES - 1, (uint64_t)tsc_hz);
	candidate_set(io, RING_CANDIDATES - 1);
}

/* Number of packets that have come back from workers. */
static uint64_t
came_back(const struct ring_io *io)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < io->n_backs; i++)
		n += counter_read(&io->backs[i].link->take.packets);
	return n;
}

/*
 * Whether workers have, or may have, packets of this lcore. If so, an idle poll is waiting for the
 * workers and not for traffic.
 */
static bool
under_way(const struct ring_io *io)
{
	const struct ring_pipeline *p = io->pipeline;
	uint64_t put = 0, lost = 0;

	if (p->n_io > 1 && p->stage == RING_L3FWD)
		return true; /* they come back to another lcore */
	for (unsigned int i = 0; i < io->n; i++) {
		lost += io->folded[i].lost;
		for (unsigned int w = 0; w < p->n_workers; w++) {
			const struct ring_link *l = *ring_in(p, io->first + i, w);

			put += l != NULL ? counter_read(&l->put.packets) : 0;
		}
	}
	return put != came_back(io) + lost;
}

void
ring_autotune_poll(struct ring_io *io, uint64_t begin, uint64_t now, unsigned int moved)
{
	struct autotune *t = &io->autotune;
	const unsigned int before = autotune_current(t);
	uint64_t packets = 0, cycles = 0;
	unsigned int candidate;

	if (t->slicing) {
		packets = came_back(io);
		/* Waiting for traffic is not a cost of the mode; waiting for a worker may be. */
		if (moved > 0 || under_way(io))
			cycles = now - begin;
	}
	candidate = autotune_poll(t, now, cycles, packets);
	if (candidate != before)
		candidate_set(io, candidate);
}
