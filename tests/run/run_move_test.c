/* Streams that move between lcores: each is polled by one lcore at a time, and by the one it was
 * given to. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_move.h"

#include "base/err.h"
#include "engines/engine.h"
#include "fixtures/eal.h"
#include "fixtures/unit.h"
#include "fixtures/wait.h"
#include "run/run.h"
#include "run/run_launch.h"
#include "stream/plan.h"
#include "stream/stream.h"

#include <rte_cycles.h>
#include <rte_lcore.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { STREAMS = 4, LCORES = 3, MOVES = 40 };

/* What the loop notes of a stream. */
static struct polled {
	atomic_bool in;
	atomic_uint lcore;
	atomic_ulong polls;
} polled[STREAMS];

static atomic_bool together; /* two lcores polled a stream at once */
static atomic_uint stuck;    /* an lcore that does not end its poll; 0: none */
static atomic_bool waits;    /* it is in that poll */

static void
loop(struct stream *const *streams, unsigned int n, const atomic_bool *stop)
{
	while (!atomic_load(stop))
		for (unsigned int i = 0; i < n; i++) {
			struct polled *p = &polled[streams[i]->index];

			if (atomic_exchange(&p->in, true))
				atomic_store(&together, true);
			atomic_store(&p->lcore, rte_lcore_id());
			atomic_fetch_add(&p->polls, 1);
			if (atomic_load(&stuck) == rte_lcore_id()) {
				atomic_store(&waits, true);
				WAIT_UNTIL(atomic_load(&stuck) != rte_lcore_id());
				atomic_store(&waits, false);
			}
			atomic_store(&p->in, false);
		}
}

static const struct engine moves = { .name = "moves", .loop = loop, .flags = ENGINE_MOVES },
			   keeps = { .name = "keeps", .loop = loop };

static struct run run;
static struct stream *streams[STREAMS];
static struct plan_stream plan_streams[STREAMS];
static struct run_work *work;

/* Two streams on lcore 1, two on lcore 2, none on lcore 3. */
static void
begin(const struct engine *engine)
{
	static const struct plan_lcore lcores[LCORES] = { { .lcore = 1, .first = 0, .n = 2 },
		{ .lcore = 2, .first = 2, .n = 2 }, { .lcore = 3 } };
	struct err e;

	memset(&run, 0, sizeof(run));
	memset(polled, 0, sizeof(polled));
	pthread_mutex_init(&run.lock, NULL);
	run.tsc_hz = (double)rte_get_tsc_hz();
	run.running = true;
	run.engine_run = engine;
	run.streams = streams;
	run.work = work = calloc(LCORES, sizeof(*work));
	run.plan.streams = plan_streams;
	run.plan.n_streams = STREAMS;
	memcpy(run.plan.lcores, lcores, sizeof(lcores));
	run.plan.n_lcores = LCORES;
	for (unsigned int i = 0; i < STREAMS; i++) {
		streams[i] = calloc(1, sizeof(*streams[i]));
		streams[i]->index = i;
		streams[i]->engine = engine;
		streams[i]->lcore = plan_streams[i].lcore = 1 + i / 2;
	}
	assert_int_equal(run_launch(&run, &run.plan, streams, work, &e), 0);
}

static void
end(void)
{
	if (!run.running)
		return;
	run_launch_end(&run);
	run.running = false;
	for (struct run_moved *before; run.moving.moved != NULL; run.moving.moved = before) {
		before = run.moving.moved->before;
		free(run.moving.moved);
	}
	for (unsigned int i = 0; i < STREAMS; i++)
		free(streams[i]);
	free(work);
}

/* Each stream is polled, by the lcore that it is on. */
static void
polled_by(const unsigned int *lcore)
{
	for (unsigned int i = 0; i < STREAMS; i++) {
		const unsigned long before = atomic_load(&polled[i].polls);

		WAIT_UNTIL(atomic_load(&polled[i].polls) >= before + 2);
		assert_int_equal(atomic_load(&polled[i].lcore), lcore[i]);
		assert_int_equal(streams[i]->lcore, lcore[i]);
		assert_int_equal(plan_streams[i].lcore, lcore[i]);
	}
	assert_false(atomic_load(&together));
}

/*
 * Move the streams. Returns false if an lcore was late, because it did not have its CPU for so long:
 * then all of them have to be where they were.
 */
static bool
move(const unsigned int *lcore, run_move_pause *meanwhile, void *context, int expected)
{
	double us = 0;
	struct err e = { 0 };
	const int ret =
		run_move(&run, lcore, lcore != NULL ? STREAMS : 0, meanwhile, context, &us, &e);

	if (ret == -EBUSY) {
		assert_non_null(strstr(e.text, " did not end its poll within 100 ms"));
		return false;
	}
	assert_int_equal(ret, expected);
	assert_true(meanwhile == NULL || us >= 20000);
	return true;
}

/* All divisions of the streams among three lcores, so that each has none, some or all. */
TEST(test_moves)
{
	unsigned int lcore[STREAMS] = { 1, 1, 2, 2 }, to[STREAMS], moved = 0;

	begin(&moves);
	polled_by(lcore);
	for (unsigned int number = 0; number < MOVES; number++) {
		for (unsigned int i = 0, rest = number * 7; i < STREAMS; i++, rest /= LCORES)
			to[i] = 1 + rest % LCORES;
		if (move(to, NULL, NULL, 0)) {
			memcpy(lcore, to, sizeof(lcore));
			moved++;
		}
		polled_by(lcore);
	}
	assert_true(moved > 0);
}

static int
nobody_polls(void *context, struct err *e)
{
	unsigned long before[STREAMS];

	for (unsigned int i = 0; i < STREAMS; i++)
		before[i] = atomic_load(&polled[i].polls);
	rte_delay_us_sleep(20000);
	for (unsigned int i = 0; i < STREAMS; i++)
		assert_int_equal(atomic_load(&polled[i].polls), before[i]);
	return *(int *)context == 0 ? 0 : err_set(e, EIO, "not now");
}

/* Streams rest while something else is done, and stay where they were; if that fails, too. */
TEST(test_meanwhile)
{
	const unsigned int old[STREAMS] = { 1, 1, 2, 2 }, lcore[STREAMS] = { 2, 3, 3, 1 };

	begin(&moves);
	for (int fails = 0; fails < 2; fails++) {
		move(NULL, nobody_polls, &fails, fails ? -EIO : 0);
		polled_by(old);
		move(fails ? lcore : old, nobody_polls, &fails, fails ? -EIO : 0);
		polled_by(old);
	}
}

TEST(test_refused)
{
	const unsigned int old[STREAMS] = { 1, 1, 2, 2 }, nowhere[STREAMS] = { 1, 1, 2, 9 };
	double us;
	struct err e;

	begin(&moves);
	assert_int_equal(run_move(&run, nowhere, STREAMS, NULL, NULL, &us, &e), -EINVAL);
	assert_string_equal(e.text, "lcore 9 is not part of the run");
	assert_int_equal(run_move(&run, old, STREAMS - 1, NULL, NULL, &us, &e), -EINVAL);
	assert_string_equal(e.text, "the run has 4 streams");
	atomic_store(&stuck, 2);
	WAIT_UNTIL(atomic_load(&waits));
	assert_int_equal(run_move(&run, (unsigned int[]){ 3, 3, 3, 3 }, STREAMS, NULL, NULL, &us,
				 &e),
		-EBUSY);
	assert_string_equal(e.text, "lcore 2 did not end its poll within 100 ms");
	atomic_store(&stuck, 0);
	polled_by(old);
	end();
	assert_int_equal(run_move(&run, old, STREAMS, NULL, NULL, &us, &e), -ENOENT);
	begin(&keeps);
	assert_int_equal(run_move(&run, old, STREAMS, NULL, NULL, &us, &e), -ENOTSUP);
	assert_string_equal(e.text, "streams of engine keeps keep their lcores");
	polled_by(old);
}

/* Also after a failure: lcores that still run would take the next test with them. */
static int
run_over(void **state)
{
	atomic_store(&stuck, 0);
	end();
	return 0;
}

static int
open_lcores(void **state)
{
	return eal_open("64", "(0-3)", "--log-level=critical");
}

TESTS(.setup = open_lcores, .teardown = eal_close, .after = run_over);
