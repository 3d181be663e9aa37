/* Autotuning for ring_pipeline: each sample has a time slice per candidate, interleaved so that
 * drift affects all alike. After the decision samples are taken only occasionally. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/ring_autotune.h"

#include "base/base.h"

enum {
	SLICE_US = 250,
	SLICE_PACKETS = 1024,
	QUIET_US = 100000, /* a slice without enough packets by then is abandoned */
	QUIET_REST_US = 1000000,
	WARM_POLLS = 8, /* polls at the begin of a slice that are not measured: cold caches */
	REST = 332      /* pause between samples in sample lengths, so that they take 0.3 % */
};

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
ring_autotune_open(struct ring_io *io, enum ring_mode mode)
{
	struct ring_autotune *t = &io->autotune;

	if (mode != RING_AUTO) {
		modes_set(io, mode != RING_COPY, mode != RING_COPY);
		return;
	}
	t->on = true;
	t->samples.candidates = RING_CANDIDATES;
	t->hz = rte_get_tsc_hz();
	t->decide_at = SAMPLES_KEPT;
	/* The last candidate is zero-copy in both directions. */
	atomic_store(&t->candidate, RING_CANDIDATES - 1);
	candidate_set(io, RING_CANDIDATES - 1);
}

/*
 * The k-th candidate of a sample. Samples alternate in order, and each candidate is equally often
 * first.
 */
static unsigned int
candidate_at(uint64_t sample, unsigned int k)
{
	return (unsigned int)((sample / 2 + (sample % 2 == 0 ? k : RING_CANDIDATES - 1 - k)) %
		RING_CANDIDATES);
}

static uint64_t
us(const struct ring_autotune *t, uint64_t n)
{
	return t->hz * n / 1000000;
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

static void
slice_begin(struct ring_io *io, uint64_t now)
{
	struct ring_autotune *t = &io->autotune;

	candidate_set(io, candidate_at(counter_read(&t->samples.n), t->k));
	t->warm = WARM_POLLS;
	t->begin = now;
	t->cycles = 0;
	t->slicing = true;
}

/* Use the best candidate so far, without measuring, until the given time. */
static void
rest(struct ring_io *io, uint64_t until)
{
	io->autotune.slicing = false;
	io->autotune.rest_until = until;
	candidate_set(io, atomic_load_explicit(&io->autotune.candidate, memory_order_relaxed));
}

/*
 * Record a sample and choose the candidate. When the current one is proven not to be the best any
 * more, all candidates are measured again before another is chosen.
 */
static void
sample_end(struct ring_io *io, uint64_t now)
{
	struct ring_autotune *t = &io->autotune;
	unsigned int before = atomic_load_explicit(&t->candidate, memory_order_relaxed),
		     candidate = before;
	uint64_t n;

	samples_add(&t->samples, t->cost);
	n = counter_read(&t->samples.n);
	t->k = 0;
	atomic_store_explicit(&t->last, now, memory_order_relaxed);
	if (n == t->decide_at)
		candidate = samples_best(&t->samples);
	else if (n > t->decide_at && samples_better(&t->samples, before) != before)
		t->decide_at = n + SAMPLES_KEPT;
	atomic_store_explicit(&t->candidate, candidate, memory_order_relaxed);
	if (n > SAMPLES_KEPT && candidate != before)
		counter_add(&t->changes, 1);
	if (n < t->decide_at) {
		slice_begin(io, now);
		return;
	}
	/* The pause makes up for one sample only, not for all those before the first decision. */
	rest(io, now + (n == SAMPLES_KEPT ? t->spent / SAMPLES_KEPT : t->spent) * REST);
	t->spent = 0;
}

/* Record the cost of a slice, and begin the next slice or end the sample. */
static void
slice_end(struct ring_io *io, uint64_t now, uint64_t packets)
{
	struct ring_autotune *t = &io->autotune;
	uint64_t cost = t->cycles * 1024 / packets;

	t->cost[candidate_at(counter_read(&t->samples.n), t->k)] =
		cost < UINT32_MAX ? (uint32_t)cost : UINT32_MAX;
	t->spent += now - t->begin;
	if (++t->k == RING_CANDIDATES)
		sample_end(io, now);
	else
		slice_begin(io, now);
}

void
ring_autotune_poll(struct ring_io *io, uint64_t begin, uint64_t now, unsigned int moved)
{
	struct ring_autotune *t = &io->autotune;
	uint64_t packets;

	if (!t->slicing) {
		if (now >= t->rest_until)
			slice_begin(io, now);
		return;
	}
	packets = came_back(io);
	if (t->warm > 0) {
		t->warm--;
		t->packets = packets;
		return;
	}
	packets -= t->packets;
	/* Waiting for traffic is not a cost of the mode; waiting for a worker may be. */
	if (moved > 0 || under_way(io))
		t->cycles += now - begin;
	if (now - t->begin >= us(t, SLICE_US) && packets >= SLICE_PACKETS)
		slice_end(io, now, packets);
	else if (now - t->begin >= us(t, QUIET_US))
		rest(io, now + us(t, QUIET_REST_US));
}
