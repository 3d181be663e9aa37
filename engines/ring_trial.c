/* Slices of all ways in turn, round after round, so that what changes with time hits all of them; medians decide. */
#include "ring_trial.h"

#include <stdlib.h>

enum { SLICE_US = 1000, SLICE_PACKETS = 4096 };

static const enum ring_mode modes[] = { RING_COPY, RING_ZC, RING_HYBRID };

static_assert(RING_TRIAL_WAYS == ARRAY_SIZE(modes) * ARRAY_SIZE(modes), "all pairs of modes");

enum ring_mode
ring_trial_in(unsigned int way)
{
	return modes[way / ARRAY_SIZE(modes)];
}

enum ring_mode
ring_trial_back(unsigned int way)
{
	return modes[way % ARRAY_SIZE(modes)];
}

static void
mode_set(struct ring_link *l, enum ring_mode mode)
{
	if (l != NULL)
		atomic_store_explicit(&l->mode, (uint8_t)mode, memory_order_relaxed);
}

void
ring_trial_set(struct ring_io *io, enum ring_mode in, enum ring_mode back)
{
	const struct ring_pipeline *p = io->pipeline;

	for (unsigned int i = io->first; i < io->first + io->n; i++) {
		for (unsigned int w = 0; w < p->n_workers; w++) {
			mode_set(*ring_in(p, i, w), in);
			mode_set(*ring_back(p, i, w), back);
		}
	}
	atomic_store_explicit(&io->mode_in, (uint8_t)in, memory_order_relaxed);
	atomic_store_explicit(&io->mode_back, (uint8_t)back, memory_order_relaxed);
}

static int
compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double
ring_trial_cost(const struct ring_trial *t, unsigned int way)
{
	double cost[RING_TRIAL_ROUNDS];

	memcpy(cost, t->cost[way], sizeof(cost));
	qsort(cost, RING_TRIAL_ROUNDS, sizeof(cost[0]), compare);
	return cost[RING_TRIAL_ROUNDS / 2];
}

static void
decide(struct ring_io *io)
{
	unsigned int best = 0;

	for (unsigned int way = 1; way < RING_TRIAL_WAYS; way++)
		if (ring_trial_cost(&io->trial, way) < ring_trial_cost(&io->trial, best))
			best = way;
	ring_trial_set(io, ring_trial_in(best), ring_trial_back(best));
	io->trial.running = false;
}

/* One slice is over: note its cost, go on to the next way. */
static void
next(struct ring_io *io)
{
	struct ring_trial *t = &io->trial;

	t->cost[t->way][t->round] = (double)t->cycles / (double)t->packets;
	if (++t->way == RING_TRIAL_WAYS) {
		t->way = 0;
		t->round++;
	}
	t->cycles = t->packets = t->begin = 0;
	if (t->round == RING_TRIAL_ROUNDS)
		decide(io);
	else
		ring_trial_set(io, ring_trial_in(t->way), ring_trial_back(t->way));
}

/* Packets received so far, and turns in which a ring was full. */
static void
progress(const struct ring_io *io, uint64_t *packets, uint64_t *full)
{
	const struct ring_pipeline *p = io->pipeline;

	*packets = *full = 0;
	for (unsigned int i = io->first; i < io->first + io->n; i++) {
		*packets += counter_read(&p->streams[i]->count.rx);
		for (unsigned int w = 0; w < p->n_workers; w++)
			if (*ring_in(p, i, w) != NULL)
				*full += counter_read(&(*ring_in(p, i, w))->put.short_of);
	}
}

void
ring_trial_end(struct ring_io *io, uint64_t begin, unsigned int moved)
{
	struct ring_trial *t = &io->trial;
	uint64_t now = rte_rdtsc(), packets, full;

	progress(io, &packets, &full);
	if (t->begin == 0) {
		t->begin = now;
		t->packets_before = packets;
		t->full = full;
		return;
	}
	/* Waiting for packets to come is no cost of the mode; waiting for a worker to make room may be. */
	if (moved > 0 || full > t->full)
		t->cycles += now - begin;
	t->full = full;
	t->packets = packets - t->packets_before;
	if (now - t->begin >= rte_get_tsc_hz() / US_PER_S * SLICE_US && t->packets >= SLICE_PACKETS)
		next(io);
}
