/* Autotuning on a made-up clock: both outcomes, ties, noise, too little traffic, and a change. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/autotune.h"

#include "base/base.h"
#include "fixtures/seed.h"
#include "fixtures/unit.h"

#include <stdlib.h>
#include <string.h>

enum { HZ = 2000000000, BURST = 32, SEEDS = 12, MS = HZ / 1000 };

static struct {
	struct autotune t;
	uint64_t now, packets;
	unsigned int current;
	double luck; /* of the slice: how much dearer it is */
} world;

static void
begin(unsigned int candidates, unsigned int first, uint64_t seed)
{
	srand48((long)seed);
	memset(&world, 0, sizeof(world));
	world.now = HZ;
	world.luck = 1;
	autotune_open(&world.t, candidates, first, HZ);
	world.current = autotune_current(&world.t);
	assert_int_equal(world.current, first);
}

/*
 * Poll for so many ms. cost[c]: cycles per packet of candidate c. noise: a slice costs up to this
 * share more or less, and one of eight takes ten times as long.
 */
static void
polls(const double *cost, double noise, double ms)
{
	const uint64_t end = world.now + (uint64_t)(ms * MS);

	while (world.now < end) {
		const struct autotune *t = &world.t;
		uint64_t cycles;

		if (!t->slicing && t->rest_until > world.now)
			world.now = t->rest_until < end ? t->rest_until : end;
		cycles = (uint64_t)(BURST * cost[world.current] * world.luck);
		world.now += cycles;
		world.packets += BURST;
		if (!t->slicing || t->warm > 0)
			world.luck = (1 + noise * (2 * drand48() - 1)) *
				(noise > 0 && lrand48() % 8 == 0 ? 10 : 1);
		world.current = autotune_poll(&world.t, world.now, cycles, world.packets);
	}
}

static void
decide(const double *cost, double noise)
{
	for (unsigned int i = 0; autotune_measuring(&world.t); i++) {
		assert_true(i < 10000);
		polls(cost, noise, 10);
	}
}

/* The cheaper one is used, whichever it is and whichever was first, and remains in use. */
TEST(cheaper)
{
	static const struct {
		double cost[3];
		unsigned int n, best;
	} rows[] = {
		{ { 20, 21 }, 2, 0 },
		{ { 21, 20 }, 2, 1 },
		{ { 23.3, 23.1 }, 2, 1 },
		{ { 100, 300 }, 2, 0 },
		{ { 30, 20, 25 }, 3, 1 },
	};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		const unsigned int best = rows[i / 2].best;

		begin(rows[i / 2].n, i % 2, 1);
		decide(rows[i / 2].cost, 0);
		assert_int_equal(atomic_load(&world.t.candidate), best);
		polls(rows[i / 2].cost, 0, 20000);
		assert_int_equal(atomic_load(&world.t.candidate), best);
		assert_int_equal(counter_read(&world.t.changes), 0);
		assert_true(samples_median(&world.t.samples, best) > .99 * rows[i / 2].cost[best] &&
			samples_median(&world.t.samples, best) < 1.01 * rows[i / 2].cost[best]);
	}
}

/* A tie keeps candidate 0, the usual way. */
TEST(tie)
{
	static const double cost[] = { 20, 20 };

	begin(2, 0, 1);
	decide(cost, 0);
	polls(cost, 0, 20000);
	assert_int_equal(atomic_load(&world.t.candidate), 0);
	assert_int_equal(counter_read(&world.t.changes), 0);
}

/* A difference of 3 % is found among slices that vary by 5 % and are often interrupted. */
TEST(noise)
{
	for (uint64_t seed = test_seed; seed < test_seed + SEEDS; seed++) {
		const double cost[] = { seed % 2 == 0 ? 20 : 20.6, seed % 2 == 0 ? 20.6 : 20 };

		begin(2, seed / 2 % 2, seed);
		decide(cost, .05);
		assert_int_equal(atomic_load(&world.t.candidate), seed % 2);
	}
}

/* When the other candidate becomes cheaper, all are measured again and that one is used. */
TEST(follows)
{
	static const double before[] = { 20, 21 }, after[] = { 20, 18 };

	begin(2, 0, 1);
	decide(before, 0);
	polls(after, 0, 60000);
	assert_int_equal(atomic_load(&world.t.candidate), 1);
	assert_int_equal(counter_read(&world.t.changes), 1);
}

/* Without enough packets nothing is measured, and the first candidate is used most of the time. */
TEST(quiet)
{
	uint64_t other = 0, from;

	begin(2, 0, 1);
	from = world.now;
	while (world.now < from + 60 * (uint64_t)HZ) {
		world.now += MS;
		world.packets += 1;
		other += world.current != 0 ? MS : 0;
		world.current = autotune_poll(&world.t, world.now, 100, world.packets);
	}
	assert_true(autotune_measuring(&world.t));
	assert_int_equal(samples_kept(&world.t.samples), 0);
	assert_true(other * 8 < world.now - from);
}
