/* Slices of all ways in turn, round after round, so that what changes with time hits all of them;
 * then a round now and then. */
#include "engines/ring/ring_trial.h"

#include "base/base.h"

enum {
	SLICE_US = 250,
	SLICE_PACKETS = 1024,
	QUIET_US = 100000, /* a slice that has not got its packets by then is given up */
	QUIET_REST_US = 1000000,
	WARM_TURNS = 8, /* of a slice, which do not count: the caches know the way before */
	REST = 332      /* times a round's length until the next: 0.3 % of the time in all */
};

static const enum ring_mode modes[] = { RING_COPY, RING_ZC, RING_HYBRID };

static_assert(RING_WAYS == ARRAY_SIZE(modes) * ARRAY_SIZE(modes), "all pairs of modes");
static_assert((int)RING_WAYS <= (int)ROUNDS_WAYS, "room for their costs");

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

static void
way_set(struct ring_io *io, unsigned int way)
{
	ring_trial_set(io, ring_trial_in(way), ring_trial_back(way));
}

void
ring_trial_open(struct ring_io *io, enum ring_mode mode)
{
	struct ring_trial *t = &io->trial;

	if (mode != RING_AUTO) {
		ring_trial_set(io, mode, mode);
		return;
	}
	t->on = true;
	t->rounds.ways = RING_WAYS;
	t->hz = rte_get_tsc_hz();
	t->decide_at = ROUNDS_KEPT;
	atomic_store(&t->way, 4); /* zero-copy both ways */
	way_set(io, 4);
}

/* The way that is k-th in a round: there and back again, and each first in its turn. */
static unsigned int
way_at(uint64_t round, unsigned int k)
{
	return (unsigned int)((round / 2 + (round % 2 == 0 ? k : RING_WAYS - 1 - k)) % RING_WAYS);
}

static uint64_t
us(const struct ring_trial *t, uint64_t n)
{
	return t->hz * n / 1000000;
}

/* Packets that came back from workers. */
static uint64_t
came_back(const struct ring_io *io)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < io->n_backs; i++)
		n += counter_read(&io->backs[i].link->take.packets);
	return n;
}

/*
 * Whether workers have packets of this lcore, or may have: then it is they who are waited for, and
 * not the ports.
 */
static bool
under_way(const struct ring_io *io)
{
	const struct ring_pipeline *p = io->pipeline;
	uint64_t put = 0, lost = 0;

	if (p->n_io > 1 && p->stage == RING_L3FWD)
		return true; /* they come back to another lcore */
	for (unsigned int i = 0; i < io->n; i++) {
		lost += io->seen[i].lost;
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
	struct ring_trial *t = &io->trial;

	way_set(io, way_at(counter_read(&t->rounds.n), t->k));
	t->warm = WARM_TURNS;
	t->begin = now;
	t->cycles = 0;
	t->slicing = true;
}

/* Go on with what is best so far, and do nothing more for so long. */
static void
rest(struct ring_io *io, uint64_t until)
{
	io->trial.slicing = false;
	io->trial.rest_until = until;
	way_set(io, atomic_load_explicit(&io->trial.way, memory_order_relaxed));
}

/*
 * Another way takes over; all are measured afresh once it is proven that the one so far is not the
 * best any more.
 */
static void
round_end(struct ring_io *io, uint64_t now)
{
	struct ring_trial *t = &io->trial;
	unsigned int before = atomic_load_explicit(&t->way, memory_order_relaxed), way = before;
	uint64_t n;

	rounds_add(&t->rounds, t->cost);
	n = counter_read(&t->rounds.n);
	t->k = 0;
	atomic_store_explicit(&t->last, now, memory_order_relaxed);
	if (n == t->decide_at)
		way = rounds_best(&t->rounds);
	else if (n > t->decide_at && rounds_better(&t->rounds, before) != before)
		t->decide_at = n + ROUNDS_KEPT;
	atomic_store_explicit(&t->way, way, memory_order_relaxed);
	if (n > ROUNDS_KEPT && way != before)
		counter_add(&t->changes, 1);
	if (n < t->decide_at) {
		slice_begin(io, now);
		return;
	}
	/* What the start costs has not to be made up for. */
	rest(io, now + (n == ROUNDS_KEPT ? t->spent / ROUNDS_KEPT : t->spent) * REST);
	t->spent = 0;
}

/* One slice is over. */
static void
slice_end(struct ring_io *io, uint64_t now, uint64_t packets)
{
	struct ring_trial *t = &io->trial;
	uint64_t cost = t->cycles * 1024 / packets;

	t->cost[way_at(counter_read(&t->rounds.n), t->k)] = cost < UINT32_MAX ? (uint32_t)cost
									      : UINT32_MAX;
	t->spent += now - t->begin;
	if (++t->k == RING_WAYS)
		round_end(io, now);
	else
		slice_begin(io, now);
}

void
ring_trial_turn(struct ring_io *io, uint64_t begin, uint64_t now, unsigned int moved)
{
	struct ring_trial *t = &io->trial;
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
	/* Waiting for packets to come is no cost of the mode; waiting for a worker may be. */
	if (moved > 0 || under_way(io))
		t->cycles += now - begin;
	if (now - t->begin >= us(t, SLICE_US) && packets >= SLICE_PACKETS)
		slice_end(io, now, packets);
	else if (now - t->begin >= us(t, QUIET_US))
		rest(io, now + us(t, QUIET_REST_US));
}
