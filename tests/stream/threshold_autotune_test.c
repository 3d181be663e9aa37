/* Autotuning of a threshold on a made-up clock: from any start it ends near the best
 * threshold, and follows the lengths that come. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream/threshold_autotune.h"

#include "base/base.h"
#include "fixtures/seed.h"
#include "fixtures/unit.h"

#include <stdlib.h>
#include <string.h>

enum { BURST = 32, HZ = 2600000, DESCS = 1024 }; /* cycles a ms, so that rests are short */

struct world {
	double copy, per_byte, attach, attach_per_byte; /* cycles per packet */
	unsigned int n;
	uint32_t bytes[4], weight[4]; /* lengths that come, and how many in 100 of each */
	bool idle;                    /* every other poll finds nothing */
	double saved;                 /* cycles per packet, when all are copied */
};

static struct threshold_autotune autotune;
static uint64_t now, dice;
static uint32_t copy_below;
static double sent, spent; /* packets, their cycles */

static double
cost(const struct world *w, uint32_t bytes, uint32_t below)
{
	return bytes < below
		? w->copy + w->per_byte * bytes - (below == THRESHOLD_NEVER ? w->saved : 0)
		: w->attach + w->attach_per_byte * bytes;
}

/* Of all packets that come, on average. */
static double
mean(const struct world *w, uint32_t below)
{
	double sum = 0;

	for (unsigned int i = 0; i < w->n; i++)
		sum += cost(w, w->bytes[i], below) * w->weight[i] / 100;
	return sum;
}

static double
best(const struct world *w)
{
	double least = mean(w, 0), other = mean(w, THRESHOLD_NEVER);

	least = other < least ? other : least;
	for (uint32_t below = 65; below < 70000; below += 5) {
		other = mean(w, below);
		least = other < least ? other : least;
	}
	return least;
}

/* 0 to 1; the same in each run. */
static double
luck(void)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return (double)(dice >> 11) / (double)(UINT64_C(1) << 53);
}

static uint32_t
length(const struct world *w)
{
	unsigned int luck100 = (unsigned int)(luck() * 100), i = 0;

	while (i + 1 < w->n && luck100 >= w->weight[i])
		luck100 -= w->weight[i++];
	return w->bytes[i];
}

/*
 * One poll of the worker: costs vary by 4 % to each side, one poll in 3000 loses its lcore for a
 * while.
 */
static void
poll(const struct world *w, uint64_t count)
{
	const bool due = threshold_autotune_due(&autotune), empty = w->idle && count % 2 == 0;
	uint64_t begin = now;
	double cycles = 0;

	for (unsigned int i = 0; i < BURST && !empty; i++) {
		uint32_t bytes = length(w);

		if (threshold_autotune_wants_lengths(&autotune))
			threshold_autotune_length(&autotune, bytes);
		cycles += cost(w, bytes, copy_below);
	}
	cycles *= .96 + luck() * .08;
	spent += cycles;
	sent += empty ? 0 : BURST;
	now += (uint64_t)cycles + 30 + (luck() < 1 / 3000. ? HZ / 20 : 0);
	if (due)
		copy_below =
			threshold_autotune_poll(&autotune, begin, now, empty ? 0 : BURST, !empty);
}

static void
polls(const struct world *w, uint64_t n)
{
	sent = spent = 0;
	for (uint64_t i = 0; i < n; i++)
		poll(w, i);
}

static void
begin(uint32_t threshold, bool apart)
{
	dice = 88172645463325252;
	now = 1;
	copy_below =
		threshold_autotune_open(&autotune, threshold, DESCS, HZ * UINT64_C(1000), apart);
}

/*
 * Where the autotuning has settled, all packets of a long while cost within 1 % of the best
 * threshold there is, autotuning included.
 */
TEST(settles)
{
	static const struct world worlds[] = {
		{ 65, .155, 100, .10, 1, { 512 }, { 100 }, false },
		{ 65, .155, 100, .10, 1, { 60 }, { 100 }, false },
		{ 65, .155, 100, .10, 1, { 1514 }, { 100 }, true },
		{ 40, .30, 90, .02, 4, { 60, 128, 512, 1514 }, { 40, 20, 20, 20 }, false },
		{ 70, .10, 90, .09, 3, { 64, 1024, 9000 }, { 30, 40, 30 }, false },
		{ 60, .01, 90, .02, 3, { 64, 1024, 9000 }, { 30, 40, 30 }, false }, /* never pays */
		{ 90, .20, 50, .02, 3, { 64, 512, 1024 }, { 30, 40, 30 }, true },   /* always */
		/* A DMA engine: near and far of a core, from memory that is in its cache or not. */
		{ 40, .135, 70, 0, 4, { 64, 1514, 4096, 8192 }, { 40, 20, 20, 20 }, false },
		{ 40, .048, 70, 0, 4, { 64, 512, 1514, 65226 }, { 40, 20, 20, 20 }, true },
		{ 40, .135, 160, 0, 4, { 64, 576, 1514, 16384 }, { 30, 30, 30, 10 }, false },
		{ 40, .048, 280, .001, 3, { 2048, 4096, 32768 }, { 40, 40, 20 }, false },
		{ 40, .048, 4000, .01, 2, { 1514, 65226 }, { 50, 50 }, false },
		/* Without the engine's device a copy is 40 cycles cheaper. */
		{ 80, .135, 110, 0, 1, { 64 }, { 100 }, false, 40 },
		{ 80, .135, 110, 0, 3, { 64, 512, 8192 }, { 50, 30, 20 }, false, 40 },
		{ 80, .02, 160, 0, 2, { 1514, 4096 }, { 60, 40 }, true, 40 },
	};
	static const uint32_t starts[] = { 0, 844, THRESHOLD_NEVER };
	const uint64_t n = seed_rows(ARRAY_SIZE(starts));

	for (unsigned int i = 0; i < ARRAY_SIZE(worlds); i++) {
		for (uint64_t row = 0; row < n; row++) {
			const uint32_t start = starts[(test_seed + i + row) % ARRAY_SIZE(starts)];

			begin(start, worlds[i].saved > 0);
			polls(&worlds[i], 600000);
			polls(&worlds[i], 300000);
			if (spent / sent > best(&worlds[i]) * 1.01)
				fail_msg("world %u from %u: %.1f, best %.1f, at %u", i, start,
					spent / sent, best(&worlds[i]), copy_below);
		}
	}
}

/* Other lengths come: it goes on from where it is. */
TEST(follows)
{
	static const struct world first = { 40, .30, 90, .02, 1, { 60 }, { 100 }, false },
				  then = { 40, .30, 90, .02, 1, { 1514 }, { 100 }, false };

	begin(4000, false);
	polls(&first, 400000);
	assert_true(copy_below > 60);
	polls(&then, 5000000);
	assert_true(copy_below <= 1514);
}

/* Without packets, or with few, nothing is decided and the threshold in force stays. */
TEST(quiet)
{
	begin(240, false);
	for (unsigned int i = 0; i < 100000; i++) {
		now += HZ;
		if (threshold_autotune_due(&autotune))
			copy_below = threshold_autotune_poll(&autotune, now - 10, now, i % 50 == 0,
				i % 50 == 0);
	}
	assert_int_equal(samples_kept(&autotune.samples), 0);
	assert_int_equal(copy_below, 288);
}

/* Packets that come now and then, all at once, are samples as others are. */
TEST(gaps)
{
	static const struct world w = { 40, .30, 90, .02, 1, { 1514 }, { 100 }, false };

	begin(4000, false);
	for (unsigned int i = 0; i < 20000; i++) {
		polls(&w, 10);
		now += HZ * UINT64_C(200);
	}
	assert_true(autotune.step[0] <= threshold_autotune_place(1514));
}

/* A threshold that was asked for is never left. */
TEST(off)
{
	memset(&autotune, 0, sizeof(autotune));
	for (unsigned int i = 0; i < 1000; i++)
		assert_false(threshold_autotune_due(&autotune));
}

TEST(places)
{
	assert_int_equal(threshold_autotune_place(0), 0);
	assert_int_equal(threshold_autotune_place(79), 0);
	assert_int_equal(threshold_autotune_place(80), 1);
	assert_int_equal(threshold_autotune_place(65535), THRESHOLD_STEPS - 2);
}
