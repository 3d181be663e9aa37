/* Mode auto on a clock and packets made up here: what it picks among noisy slices, that it follows
 * what changes, and what it costs. */
#include "engines/ring/ring_trial.h"

#include "base/base.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum {
	HZ = 2000000000,
	BURST = 256,
	ROOM = 1023,
	SEEDS = 12,
	IDLE_TURN = 400,
	STOLEN_MS = 4,
	LUMP = 64,
	QUEUE = 1024
};

/*
 * Cycles per packet: of the I/O lcore and of the worker in each way, and from one packet of the
 * wire to the next (0: as many as are wanted).
 */
struct world {
	double io[RING_WAYS], work[RING_WAYS], wire;
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
	struct ring_seen seen;
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
	fixture.io.seen = &fixture.seen;
	ring_trial_open(&fixture.io, RING_AUTO);
	fixture.io.trial.hz = HZ;
	fixture.now = HZ;
}

/* From -1 to 1. */
static double
chance(void)
{
	return 2 * drand48() - 1;
}

static unsigned int
way_now(void)
{
	return (unsigned int)(atomic_load(&fixture.io.mode_in) - RING_COPY) * 3 +
		(atomic_load(&fixture.io.mode_back) - RING_COPY);
}

/* How slow all is now. What a slice has of luck stays with it: its turns do not average it away. */
static double
slowness(const struct world *w)
{
	const double phase = (double)(fixture.now % (3ull * HZ)) / (3. * HZ);
	uint64_t slice =
		counter_read(&fixture.io.trial.rounds.n) * RING_WAYS + fixture.io.trial.k + 1;

	if (slice != fixture.slice && fixture.io.trial.slicing && fixture.io.trial.warm == 0) {
		fixture.slice = slice;
		fixture.luck = 1 + w->noise * chance();
		fixture.came += QUEUE / 2 * chance(); /* the wire has its own */
		fixture.steal = drand48() < w->stolen;
	}
	return (fixture.luck > 0 ? fixture.luck : 1) *
		(1 + w->drift * (phase < .5 ? phase : 1 - phase));
}

/* One turn of the I/O lcore, while the worker goes on with what it has. */
static void
turn(const struct world *w)
{
	const unsigned int way = way_now();
	const double slow = slowness(w), work = w->work[way] * slow;
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
	fixture.now += IDLE_TURN + (uint64_t)((rx + tx) / 2 * w->io[way] * slow);
	if (fixture.steal)
		fixture.now += HZ / 1000 * STOLEN_MS;
	fixture.steal = false;
	ring_trial_turn(&fixture.io, begin, fixture.now, (unsigned int)(rx + tx));
	fixture.sliced += fixture.io.trial.slicing && !ring_trial_measuring(&fixture.io)
		? fixture.now - begin
		: 0;
}

/* Turns for so long; what happens between two rounds is left out, but for its time. */
static void
turns(const struct world *w, double seconds)
{
	const uint64_t end = fixture.now + (uint64_t)(seconds * HZ);

	while (fixture.now < end) {
		if (!fixture.io.trial.slicing && fixture.io.trial.rest_until > fixture.now)
			fixture.now = RTE_MIN(end, fixture.io.trial.rest_until);
		turn(w);
	}
}

/* Until it is decided. */
static void
decide(const struct world *w)
{
	for (unsigned int i = 0; ring_trial_measuring(&fixture.io); i++) {
		assert_true(i < 20000);
		turns(w, .01);
	}
}

/* The best way's cost over that of the way in force. */
static double
merit(const double cost[RING_WAYS])
{
	double best = cost[0];

	for (unsigned int way = 1; way < RING_WAYS; way++)
		best = fmin(best, cost[way]);
	return best / cost[atomic_load(&fixture.io.trial.way)];
}

/* Costs around middle, the dearest a seventh above the cheapest. */
static void
costs(double cost[RING_WAYS], double mid)
{
	for (unsigned int way = 0; way < RING_WAYS; way++)
		cost[way] = mid * (1 + .07 * chance());
}

static const struct world noisy = { .noise = .04, .stolen = .15, .drift = .3 };

/*
 * On one lcore, whatever is better: within 1 % of the best, among slices that say little by
 * themselves, and that it stays.
 */
static void
one_lcore(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct world w = noisy;

		fixture_open(seed);
		costs(w.io, 30);
		decide(&w);
		turns(&w, 120);
		assert_true(merit(w.io) >= .99);
		assert_true(fixture.io.trial.changes <= 2);
	}
}

/*
 * The worker is slower than the I/O lcore, to which another way is cheaper: what counts is what
 * gets through.
 */
static void
slow_worker(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct world w = noisy;

		fixture_open(seed);
		w.loop = seed % 2 == 0;
		costs(w.work, 60);
		for (unsigned int way = 0; way < RING_WAYS; way++)
			w.io[way] = 80 - w.work[way];
		decide(&w);
		assert_true(merit(w.work) >= .99);
	}
}

/*
 * Another way becomes the best while it runs, slightly or at once by much; after some dozens of
 * rounds it is in force.
 */
static void
follows(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS / 2; seed++) {
		struct world w = noisy;
		unsigned int before;

		fixture_open(seed);
		costs(w.io, 30);
		decide(&w);
		before = atomic_load(&fixture.io.trial.way);
		w.io[before] *= 1.25;
		turns(&w, 180);
		assert_int_not_equal(atomic_load(&fixture.io.trial.way), before);
		assert_true(fixture.io.trial.changes >= 1);
		assert_true(merit(w.io) >= .99);
	}
}

/*
 * Nothing to choose between, or packets come slowly and in lumps: it stays with what it has, at
 * little cost.
 */
static void
stays(void **state)
{
	static const double wires[] = { 0, 50, 4000 };

	for (unsigned int i = 0; i < ARRAY_SIZE(wires); i++) {
		struct world w = noisy;
		uint64_t begin;

		fixture_open(i + 1);
		w.wire = wires[i];
		for (unsigned int way = 0; way < RING_WAYS; way++) {
			w.io[way] = 30;
			w.work[way] = 20;
		}
		decide(&w);
		begin = fixture.now;
		turns(&w, 1800);
		assert_true(fixture.io.trial.changes <= 2);
		assert_true(fixture.io.trial.rounds.n > ROUNDS_KEPT + 5);
		assert_true((double)fixture.sliced < .0031 * (double)(fixture.now - begin));
	}
}

/* The wire is the slowest: what comes costs the lcores less in one way than in another. */
static void
slow_wire(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS / 2; seed++) {
		struct world w = noisy;

		fixture_open(seed);
		w.wire = 45;
		costs(w.io, 30);
		decide(&w);
		assert_true(merit(w.io) >= .985);
	}
}

/*
 * Too few packets to tell: what is likely to be good is in force, nearly always; once packets come
 * it is decided.
 */
static void
quiet(void **state)
{
	struct world w = noisy;
	uint64_t other = 0, begin;

	fixture_open(1);
	costs(w.io, 30);
	w.wire = HZ / 1000.;
	begin = fixture.now;
	while (fixture.now < begin + 20ull * HZ) {
		uint64_t before = fixture.now;
		const bool likely_way = atomic_load(&fixture.io.mode_in) == RING_ZC &&
			atomic_load(&fixture.io.mode_back) == RING_ZC;

		turn(&w);
		other += likely_way ? 0 : fixture.now - before;
		if (!fixture.io.trial.slicing)
			fixture.now += HZ / 10;
	}
	assert_true(ring_trial_measuring(&fixture.io));
	assert_true((double)other < .12 * (double)(fixture.now - begin));
	w.wire = 0;
	decide(&w);
	assert_true(merit(w.io) >= .99);
}

/* Medians and signs, not means: one slice of a hundred that lasts for ever is one vote. */
static void
outliers(void **state)
{
	static struct rounds r = { .ways = RING_WAYS };
	uint32_t cost[RING_WAYS];

	assert_int_equal(rounds_kept(&r), 0);
	assert_true(rounds_median(&r, 3) == 0);
	for (unsigned int n = 0; n < 2 * ROUNDS_KEPT; n++) {
		for (unsigned int way = 0; way < RING_WAYS; way++)
			cost[way] = 1024 * (way == 7 ? 20 : 21);
		if (n % 10 == 0)
			cost[7] = UINT32_MAX;
		rounds_add(&r, cost);
	}
	assert_int_equal(rounds_kept(&r), ROUNDS_KEPT);
	assert_int_equal(rounds_best(&r), 7);
	assert_int_equal(rounds_better(&r, 0), 7);
	assert_int_equal(rounds_better(&r, 7), 7);
	assert_true(rounds_median(&r, 7) == 20);
	assert_true(rounds_wins(&r, 7, 0) == 180 || rounds_wins(&r, 7, 0) == 181);
	assert_int_equal(rounds_wins(&r, 7, 0) + rounds_wins(&r, 0, 7), ROUNDS_KEPT);
}

/* Less than fourteen rounds prove nothing, nor does less than half a per cent. */
static void
proofs(void **state)
{
	static struct rounds few = { .ways = RING_WAYS }, close = { .ways = RING_WAYS };
	uint32_t cost[RING_WAYS];

	for (unsigned int way = 0; way < RING_WAYS; way++)
		cost[way] = 100000 + way * 1000;
	for (unsigned int n = 1; n <= 14; n++) {
		rounds_add(&few, cost);
		assert_int_equal(rounds_better(&few, 8), n < 14 ? 8 : 0);
	}
	for (unsigned int way = 0; way < RING_WAYS; way++)
		cost[way] = 100000 + way * 60;
	for (unsigned int n = 0; n < 3 * ROUNDS_KEPT; n++)
		rounds_add(&close, cost);
	assert_int_equal(rounds_better(&close, 8), 8);
	assert_int_equal(rounds_best(&close), 0);
}

/* A mode that was asked for is never left, and costs nothing to keep. */
static void
fixed(void **state)
{
	fixture_open(1);
	memset(&fixture.io.trial, 0, sizeof(fixture.io.trial));
	ring_trial_open(&fixture.io, RING_HYBRID);
	for (unsigned int i = 0; i < 3 * RING_TRIAL_LOOK; i++)
		assert_true(ring_trial_begin(&fixture.io) == 0);
	assert_int_equal(fixture.in.mode, RING_HYBRID);
	assert_int_equal(fixture.back.mode, RING_HYBRID);
	assert_false(ring_trial_measuring(&fixture.io));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outliers),
		cmocka_unit_test(proofs),
		cmocka_unit_test(fixed),
		cmocka_unit_test(one_lcore),
		cmocka_unit_test(slow_worker),
		cmocka_unit_test(follows),
		cmocka_unit_test(stays),
		cmocka_unit_test(slow_wire),
		cmocka_unit_test(quiet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
