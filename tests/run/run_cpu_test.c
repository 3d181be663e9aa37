/* CPU times of lcores: the share that they make, who counts when, and a neighbour that takes an
 * lcore's CPU. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_cpu.h"

#include "base/base.h"
#include "base/out.h"
#include "engines/engine.h"
#include "fixtures/out_check.h"
#include "fixtures/unit.h"
#include "fixtures/wait.h"
#include "run/account/run_count.h"
#include "run/run.h"
#include "run/run_groups.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum { LCORE = 3, HELPER = 5, MS = 1000000 };

/* A run of two lcores, one of which only helps; each is a thread of the test. */
struct fixture {
	struct run run;
	struct stream stream, *streams[1];
	struct run_count base[1];
	cpu_set_t cpu; /* the lcores' CPU */
	atomic_bool stop, left;
	atomic_ulong polls;
	pthread_t lcore, helper;
};

static int
fixture_open(void **state)
{
	struct fixture *b = calloc(1, sizeof(*b));
	cpu_set_t all;
	unsigned int cpu = 0;

	if (b == NULL || sched_getaffinity(0, sizeof(all), &all) != 0)
		return -1;
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_SET(cpu, &b->cpu);
	pthread_mutex_init(&b->run.lock, NULL);
	b->streams[0] = &b->stream;
	b->run.streams = b->streams;
	b->run.base = b->base;
	b->run.plan.n_streams = 1;
	b->run.plan.n_lcores = 1;
	b->run.plan.lcores[0] = (struct plan_lcore){ LCORE, 0, 1 };
	b->run.plan.n_helpers = 2;
	b->run.plan.helpers[0] = LCORE; /* deals, and helps too */
	b->run.plan.helpers[1] = HELPER;
	*state = b;
	return 0;
}

static int
fixture_close(void **state)
{
	struct fixture *b = *state;

	run_cpu_free(&b->run);
	free(b);
	return 0;
}

static void
loop(struct fixture *b, unsigned int lcore)
{
	sched_setaffinity(0, sizeof(b->cpu), &b->cpu);
	run_cpu_enter(run_cpu_thread(&b->run, lcore));
	while (!atomic_load(&b->stop))
		atomic_fetch_add(&b->polls, 1);
	run_cpu_leave(run_cpu_thread(&b->run, lcore));
	atomic_store(&b->left, true);
}

static void *
lcore_loop(void *arg)
{
	loop(arg, LCORE);
	return NULL;
}

static void *
helper_loop(void *arg)
{
	loop(arg, HELPER);
	return NULL;
}

static void
start(struct fixture *b, bool helper)
{
	atomic_store(&b->stop, false);
	atomic_store(&b->left, false);
	run_cpu_begin(&b->run);
	assert_int_equal(pthread_create(&b->lcore, NULL, lcore_loop, b), 0);
	if (helper)
		assert_int_equal(pthread_create(&b->helper, NULL, helper_loop, b), 0);
}

static void
stop(struct fixture *b, bool helper)
{
	atomic_store(&b->stop, true);
	pthread_join(b->lcore, NULL);
	if (helper)
		pthread_join(b->helper, NULL);
}

/* Read an lcore that exists. */
static struct run_cpu
read_one(const struct fixture *b, unsigned int i)
{
	struct run_cpu c;

	assert_true(run_cpu_read(&b->run, i, &c));
	return c;
}

TEST(shares)
{
	static const struct {
		struct run_cpu_count count;
		double share;
	} cases[] = {
		{ { 70, 30, 3, 200 }, 0.7 },
		{ { 100, 0, 0, 100 }, 1 },
		{ { 0, 50, 1, 100 }, 0 },
		/* all the time without its CPU: this wait has not ended yet */
		{ { 0, 0, 0, 100 }, 0 },
		{ { 0, 0, 0, 0 }, NAN },
		/* the kernel does not count waits */
		{ { 40, STAT_NONE, STAT_NONE, 100 }, 0.4 },
		{ { 101, STAT_NONE, STAT_NONE, 100 }, 1 },
		{ { 0, STAT_NONE, STAT_NONE, 0 }, NAN },
		{ { UINT64_MAX, UINT64_MAX - 1, 0, 1 }, 0.5 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const double share = run_cpu_share(&cases[i].count);

		assert_true(
			isnan(cases[i].share) ? isnan(share) : fabs(share - cases[i].share) < 1e-9);
	}
}

TEST(words)
{
	const struct run_cpu much = { 1, { .preempted = 274 }, 0.3249 },
			     once = { 127, { .preempted = 1 }, 0 },
			     untold = { 2, { .preempted = STAT_NONE }, 0.9 };
	char text[RUN_CPU_TEXT];

	assert_string_equal(run_cpu_say(&much, "the run", text),
		"lcore 1 had its CPU for 32 % of the run (274 preemptions)");
	assert_string_equal(run_cpu_say(&once, "the last run", text),
		"lcore 127 had its CPU for 0 % of the last run (1 preemption)");
	assert_string_equal(run_cpu_say(&untold, "the run", text),
		"lcore 2 had its CPU for 90 % of the run");
}

/* Before a run, and before its lcores have begun. */
TEST(nothing)
{
	struct fixture *b = *state;
	struct run_cpu c;

	assert_false(run_cpu_read(&b->run, 0, &c));
	assert_false(run_cpu_least(&b->run, &c));
	assert_null(run_cpu_thread(&b->run, LCORE));
	run_cpu_enter(NULL);
	run_cpu_leave(NULL);
	run_cpu_clear(&b->run);
	run_cpu_begin(&b->run);
	assert_int_equal(read_one(b, 0).lcore, LCORE);
	assert_true(isnan(read_one(b, 0).share));
	assert_int_equal(read_one(b, 0).count.loop_ns, 0);
	assert_int_equal(read_one(b, 1).lcore, HELPER);
	assert_false(run_cpu_read(&b->run, 2, &c));
	assert_false(run_cpu_least(&b->run, &c));
}

/* Times grow in the loop, stay after it, and begin at zero with a clear and with the next run. */
TEST(life)
{
	struct fixture *b = *state;
	struct run_cpu c, same;

	start(b, true);
	WAIT_UNTIL(read_one(b, 0).count.run_ns > 2 * MS && read_one(b, 1).count.run_ns > 0);
	c = read_one(b, 0);
	assert_true(c.share > 0 && c.share <= 1);
	run_count_clear(&b->run);
	assert_true(read_one(b, 0).count.loop_ns < c.count.loop_ns || c.count.loop_ns < 4 * MS);
	WAIT_UNTIL(read_one(b, 0).count.run_ns > 0);
	stop(b, true);
	c = read_one(b, 0);
	assert_true(c.count.run_ns > 0);
	/* This thread runs on, and the lcores' threads are gone. */
	WAIT_UNTIL(read_one(b, 1).count.loop_ns > 0);
	same = read_one(b, 0);
	assert_memory_equal(&same, &c, sizeof(c));
	assert_true(run_cpu_least(&b->run, &c));
	assert_true(c.share <= read_one(b, 0).share && c.share <= read_one(b, 1).share);
	run_count_clear(&b->run);
	c = read_one(b, 0);
	assert_int_equal(c.count.run_ns, 0);
	assert_int_equal(c.count.loop_ns, 0);
	assert_true(isnan(c.share));
	assert_false(run_cpu_least(&b->run, &c));
	start(b, false);
	stop(b, false);
	assert_true(read_one(b, 0).count.loop_ns > 0);
	assert_int_equal(read_one(b, 1).count.loop_ns, 0);
}

/* Readers never see times go back, also while an lcore reads its own at the end of its loop. */
TEST(never_back)
{
	enum { ROUNDS = 200 };
	struct fixture *b = *state;

	for (int i = 0; i < ROUNDS; i++) {
		struct run_cpu_count last = { 0 }, now;

		start(b, false);
		WAIT_UNTIL(read_one(b, 0).count.run_ns > 0);
		atomic_store(&b->stop, true);
		for (;;) {
			const bool ended = atomic_load(&b->left);

			now = read_one(b, 0).count;
			assert_true(now.run_ns >= last.run_ns && now.loop_ns >= last.loop_ns);
			assert_true(now.wait_ns >= last.wait_ns && now.preempted >= last.preempted);
			last = now;
			if (ended)
				break;
		}
		stop(b, false);
	}
}

/* What a recording has of it: a member for each lcore, until the run ends. */
TEST(group)
{
	struct fixture *b = *state;
	const struct engine engine = { .name = "test" };
	struct run_cpu_count count;
	struct run_groups g;

	b->stream.engine = &engine;
	run_cpu_begin(&b->run);
	assert_int_equal(run_groups_open(&g, &b->run), 0);
	assert_int_equal(g.n, 2);
	assert_ptr_equal(g.member[0].group, &run_cpu_group);
	start(b, false);
	WAIT_UNTIL(read_one(b, 0).count.run_ns > 0);
	stop(b, false);
	run_groups_read(&g, true);
	memcpy(&count, g.values + g.member[0].at, sizeof(count));
	assert_int_equal(count.run_ns, read_one(b, 0).count.run_ns);
	assert_int_equal(count.loop_ns, read_one(b, 0).count.loop_ns);
	run_groups_close(&g);
	/* A later clear of the run's figures is none of the recording. */
	run_count_clear(&b->run);
	assert_int_equal(run_groups_open(&g, &b->run), 0);
	memcpy(&count, g.values + g.member[0].at, sizeof(count));
	assert_true(count.run_ns > 0);
	run_groups_close(&g);
}

/* A child that wants the lcore's CPU all the time. */
static pid_t
neighbour(const struct fixture *b)
{
	const pid_t child = fork();

	if (child != 0)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sched_setaffinity(0, sizeof(b->cpu), &b->cpu);
	for (;;)
		;
}

TEST(neighbour_seen)
{
	struct fixture *b = *state;
	struct run_cpu c;
	pid_t child;

	start(b, false);
	child = neighbour(b);
	assert_true(child > 0);
	/* So often that the share is below 0.9, whatever went before. */
	WAIT_UNTIL(read_one(b, 0).share < 0.9 && read_one(b, 0).count.loop_ns > 20 * MS);
	stop(b, false);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_true(run_cpu_least(&b->run, &c));
	assert_int_equal(c.lcore, LCORE);
	assert_true(c.share < 1);
}

/* Members of the answer: a share that is not known is null. */
TEST(answer)
{
	struct fixture *b = *state;
	struct out_check printed;

	assert_true(out_check_open(&printed));
	run_cpu_begin(&b->run);
	out_format_set(printed.out, OUT_JSON);
	out_begin(printed.out, "stop");
	run_cpu_put(&b->run, printed.out);
	out_end(printed.out, NULL, NULL);
	assert_non_null(strstr(out_check_results(&printed),
		"\"cpu\": [{\"lcore\": 3, \"run_ns\": 0, \"wait_ns\": 0, \"preempted\": 0, \"loop_ns\": 0, \"share\": null}, {\"lcore\": 5,"));
	out_check_close(&printed);
}

TESTS(.before = fixture_open, .after = fixture_close);
