/* Autotuning of ring_pipeline's modes on a made-up clock: what it chooses among noisy slices,
 * that it follows changes, and what it costs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/ring_autotune.h"

#include "base/base.h"
#include "fixtures/seed.h"
#include "fixtures/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	HZ = 2000000000,
	BURST = 256,
	ROOM = 1023,
	SEEDS = 12,
	IDLE_POLL = 400,
	STOLEN_MS = 4,
	LUMP = 64,
	QUEUE = 1024
};

/*
 * Cycles per packet: of the I/O lcore and of the worker in each candidate, and from one packet of
 * the wire to the next (0: as many as are wanted).
 */
struct world {
	double io[RING_CANDIDATES], work[RING_CANDIDATES], wire;
	bool loop;     /* two lumps of packets go round: what was sent comes in again */
	double noise;  /* of a slice: it costs up to so much more or less */
	double stolen; /* share of the slices in which the lcore is lost for STOLEN_MS */
	double drift;  /* how much slower the machine becomes, and faster again, within 3 s */
};

static struct {
	struct ring_pipeline pipeline;
	struct ring_io io;
	struct ring_link in, back, *in_at, *back_at;
	struct ring_out out;
	struct ring_folded folded;
	uint64_t now, sliced; /* sliced: time in slices since it was decided */
	double came, worked,
		work_end; /* packets that the wire, the worker is through with; when it was */
	double luck;
	uint64_t slice;
	bool steal;
} fixture;

static void
fixture_open(uint64_t seed)
{
	srand48((long)seed);
	memset(&fixture, 0, sizeof(fixture));
	fixture.in_at = &fixture.in;
	fixture.back_at = &fixture.back;
	fixture.out.link = &fixture.back;
	fixture.pipeline = (struct ring_pipeline){ .n_io = 1,
		.n_streams = 1,
		.n_workers = 1,
		.in = &fixture.in_at,
		.back = &fixture.back_at };
	fixture.io.pipeline = &fixture.pipeline;
	fixture.io.n = fixture.io.n_backs = 1;
	fixture.io.backs = &fixture.out;
	fixture.io.folded = &fixture.folded;
	ring_autotune_open(&fixture.io, RING_AUTO, (double)rte_get_tsc_hz());
	fixture.io.autotune.hz = HZ;
	fixture.now = HZ;
}

/* From -1 to 1. */
static double
chance(void)
{
	return 2 * drand48() - 1;
}

static unsigned int
candidate_now(void)
{
	return 2u * atomic_load(&fixture.io.zero_copy_in) + atomic_load(&fixture.io.zero_copy_back);
}

/* How slow all is now. A slice's luck stays with it: its polls do not average it away. */
static double
slowness(const struct world *w)
{
	const double phase = (double)(fixture.now % (3ull * HZ)) / (3. * HZ);
	uint64_t slice = counter_read(&fixture.io.autotune.samples.n) * RING_CANDIDATES +
		fixture.io.autotune.k + 1;

	if (slice != fixture.slice && fixture.io.autotune.slicing &&
		fixture.io.autotune.warm == 0) {
		fixture.slice = slice;
		fixture.luck = 1 + w->noise * chance();
		fixture.came += QUEUE / 2 * chance(); /* the wire has its own */
		fixture.steal = drand48() < w->stolen;
	}
	return (fixture.luck > 0 ? fixture.luck : 1) *
		(1 + w->drift * (phase < .5 ? phase : 1 - phase));
}

/* One poll of the I/O lcore, while the worker goes on with what it has. */
static void
poll(const struct world *w)
{
	const unsigned int candidate = candidate_now();
	const double slow = slowness(w), work = w->work[candidate] * slow;
	const uint64_t begin = fixture.now;
	double put = (double)fixture.in.put.packets, taken = (double)fixture.back.take.packets;
	double rx = BURST, tx, can;

	if (w->wire > 0) {
		/* In lumps; what the queue has no room for is gone. */
		double there = floor((double)fixture.now / w->wire / LUMP) * LUMP;

		fixture.came = fmax(fixture.came, there - QUEUE);
		rx = fmin(rx, fmax(0, there - fixture.came));
	}
	rx = fmin(rx, (w->loop ? 2 * LUMP : ROOM) - (put - taken));
	can = work > 0 ? floor(((double)fixture.now - fixture.work_end) / work / LUMP) * LUMP
		       : put - fixture.worked;
	if (can >= put - fixture.worked) {
		fixture.worked = put;
		fixture.work_end = (double)fixture.now;
	} else {
		fixture.worked += can;
		fixture.work_end += can * work;
	}
	tx = fmin(BURST, fixture.worked - taken);
	fixture.came += rx;
	counter_add(&fixture.in.put.packets, (uint64_t)rx);
	counter_add(&fixture.back.take.packets, (uint64_t)tx);
	fixture.now += IDLE_POLL + (uint64_t)((rx + tx) / 2 * w->io[candidate] * slow);
	if (fixture.steal)
		fixture.now += HZ / 1000 * STOLEN_MS;
	fixture.steal = false;
	ring_autotune_poll(&fixture.io, begin, fixture.now, (unsigned int)(rx + tx));
	fixture.sliced += fixture.io.autotune.slicing && !ring_autotune_measuring(&fixture.io)
		? fixture.now - begin
		: 0;
}

/* Polls for so long; what happens between two samples is left out, but for its time. */
static void
polls(const struct world *w, double seconds)
{
	const uint64_t end = fixture.now + (uint64_t)(seconds * HZ);

	while (fixture.now < end) {
		if (!fixture.io.autotune.slicing && fixture.io.autotune.rest_until > fixture.now)
			fixture.now = RTE_MIN(end, fixture.io.autotune.rest_until);
		poll(w);
	}
}

/* Until it is decided. */
static void
decide(const struct world *w)
{
	for (unsigned int i = 0; ring_autotune_measuring(&fixture.io); i++) {
		assert_true(i < 20000);
		polls(w, .01);
	}
}

/* The best candidate's cost over that of the candidate in force. */
static double
merit(const double cost[RING_CANDIDATES])
{
	double best = cost[0];

	for (unsigned int candidate = 1; candidate < RING_CANDIDATES; candidate++)
		best = fmin(best, cost[candidate]);
	return best / cost[atomic_load(&fixture.io.autotune.candidate)];
}

/* Costs around middle, the dearest a seventh above the cheapest. */
static void
costs(double cost[RING_CANDIDATES], double mid)
{
	for (unsigned int candidate = 0; candidate < RING_CANDIDATES; candidate++)
		cost[candidate] = mid * (1 + .07 * chance());
}

static const struct world noisy = { .noise = .04, .stolen = .15, .drift = .3 };

/*
 * On one lcore, whatever is better: within 1 % of the best, among slices that say little by
 * themselves, and that it stays.
 */
TEST(one_lcore)
{
	for (uint64_t seed = test_seed; seed < test_seed + SEEDS; seed++) {
		struct world w = noisy;

		fixture_open(seed);
		costs(w.io, 30);
		decide(&w);
		polls(&w, 120);
		assert_true(merit(w.io) >= .99);
		assert_true(fixture.io.autotune.changes <= 2);
	}
}

/*
 * The worker is slower than the I/O lcore, to which another candidate is cheaper: what counts is
 * what gets through.
 */
TEST(slow_worker)
{
	for (uint64_t seed = test_seed; seed < test_seed + SEEDS; seed++) {
		struct world w = noisy;

		fixture_open(seed);
		w.loop = seed % 2 == 0;
		costs(w.work, 60);
		for (unsigned int candidate = 0; candidate < RING_CANDIDATES; candidate++)
			w.io[candidate] = 80 - w.work[candidate];
		decide(&w);
		assert_true(merit(w.work) >= .99);
	}
}

/*
 * Another candidate becomes the best while it runs, slightly or at once by much; after some dozens
 * of samples it is in force.
 */
TEST(follows)
{
	for (uint64_t seed = test_seed; seed < test_seed + SEEDS / 2; seed++) {
		struct world w = noisy;
		unsigned int before;

		fixture_open(seed);
		costs(w.io, 30);
		decide(&w);
		before = atomic_load(&fixture.io.autotune.candidate);
		w.io[before] *= 1.25;
		polls(&w, 180);
		assert_int_not_equal(atomic_load(&fixture.io.autotune.candidate), before);
		assert_true(fixture.io.autotune.changes >= 1);
		assert_true(merit(w.io) >= .99);
	}
}

/*
 * Nothing to choose between, or packets come slowly and in lumps: it stays with what it has, at
 * little cost.
 */
TEST(stays)
{
	static const double wires[] = { 0, 50, 4000 };

	for (unsigned int i = 0; i < ARRAY_SIZE(wires); i++) {
		struct world w = noisy;
		uint64_t begin, end;

		fixture_open(i + 1);
		w.wire = wires[i];
		for (unsigned int candidate = 0; candidate < RING_CANDIDATES; candidate++) {
			w.io[candidate] = 30;
			w.work[candidate] = 20;
		}
		decide(&w);
		begin = fixture.now;
		polls(&w, 1800);
		assert_true(fixture.io.autotune.changes <= 2);
		assert_true(fixture.io.autotune.samples.n > SAMPLES_KEPT + 5);
		/* A rest makes up for what came before it, as it does beyond the last poll. */
		end = RTE_MAX(fixture.now, fixture.io.autotune.rest_until);
		assert_true((double)fixture.sliced < .0031 * (double)(end - begin));
	}
}

/*
 * The wire is the slowest: what comes costs the lcores less in one candidate than in another. Of 150
 * seeds 4 settle for less than .985, the worst one for .945, so their mean is judged.
 */
TEST(slow_wire)
{
	double sum = 0;

	for (uint64_t seed = test_seed; seed < test_seed + SEEDS / 2; seed++) {
		struct world w = noisy;

		fixture_open(seed);
		w.wire = 45;
		costs(w.io, 30);
		decide(&w);
		assert_true(merit(w.io) >= .9);
		sum += merit(w.io);
	}
	assert_true(sum / (SEEDS / 2) >= .985);
}

/*
 * Too few packets to tell: what is likely to be good is in force, nearly always; once packets come
 * it is decided.
 */
TEST(quiet)
{
	struct world w = noisy;
	uint64_t other = 0, begin;

	fixture_open(1);
	costs(w.io, 30);
	w.wire = HZ / 1000.;
	begin = fixture.now;
	while (fixture.now < begin + 20ull * HZ) {
		uint64_t before = fixture.now;
		const bool likely_way = atomic_load(&fixture.io.zero_copy_in) &&
			atomic_load(&fixture.io.zero_copy_back);

		poll(&w);
		other += likely_way ? 0 : fixture.now - before;
		if (!fixture.io.autotune.slicing)
			fixture.now += HZ / 10;
	}
	assert_true(ring_autotune_measuring(&fixture.io));
	assert_true((double)other < .12 * (double)(fixture.now - begin));
	w.wire = 0;
	decide(&w);
	assert_true(merit(w.io) >= .99);
}

/* Medians and signs, not means: one slice of a hundred that lasts for ever is one vote. */
TEST(outliers)
{
	static struct samples r = { .candidates = RING_CANDIDATES };
	uint32_t cost[RING_CANDIDATES];

	assert_int_equal(samples_kept(&r), 0);
	assert_true(samples_median(&r, 1) == 0);
	for (unsigned int n = 0; n < 2 * SAMPLES_KEPT; n++) {
		for (unsigned int candidate = 0; candidate < RING_CANDIDATES; candidate++)
			cost[candidate] = 1024 * (candidate == 2 ? 20 : 21);
		if (n % 10 == 0)
			cost[2] = UINT32_MAX;
		samples_add(&r, cost);
	}
	assert_int_equal(samples_kept(&r), SAMPLES_KEPT);
	assert_int_equal(samples_best(&r), 2);
	assert_int_equal(samples_better(&r, 0), 2);
	assert_int_equal(samples_better(&r, 2), 2);
	assert_true(samples_median(&r, 2) == 20);
	assert_true(samples_wins(&r, 2, 0) == 360 || samples_wins(&r, 2, 0) == 361);
	assert_int_equal(samples_wins(&r, 2, 0) + samples_wins(&r, 0, 2), SAMPLES_KEPT);
}

/* Less than fourteen samples prove nothing, nor does less than half a per cent. */
TEST(proofs)
{
	static struct samples few = { .candidates = RING_CANDIDATES },
			      close = { .candidates = RING_CANDIDATES };
	uint32_t cost[RING_CANDIDATES];

	for (unsigned int candidate = 0; candidate < RING_CANDIDATES; candidate++)
		cost[candidate] = 100000 + candidate * 1000;
	for (unsigned int n = 1; n <= 14; n++) {
		samples_add(&few, cost);
		assert_int_equal(samples_better(&few, 3), n < 14 ? 3 : 0);
	}
	for (unsigned int candidate = 0; candidate < RING_CANDIDATES; candidate++)
		cost[candidate] = 100000 + candidate * 150;
	for (unsigned int n = 0; n < 3 * SAMPLES_KEPT; n++)
		samples_add(&close, cost);
	assert_int_equal(samples_better(&close, 3), 3);
	assert_int_equal(samples_best(&close), 0);
}

/* A mode that was asked for is never left, and costs nothing to keep. */
TEST(fixed)
{
	fixture_open(1);
	memset(&fixture.io.autotune, 0, sizeof(fixture.io.autotune));
	ring_autotune_open(&fixture.io, RING_COPY, (double)rte_get_tsc_hz());
	for (unsigned int i = 0; i < 3 * RING_AUTOTUNE_LOOK; i++)
		assert_true(ring_autotune_begin(&fixture.io) == 0);
	assert_false(fixture.in.zero_copy);
	assert_false(fixture.back.zero_copy);
	assert_false(ring_autotune_measuring(&fixture.io));
}
