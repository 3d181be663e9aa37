/* CPU times from made-up files of a thread, from files that say nothing, and of threads that exist or
 * do not. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/cpu_time.h"

#include "base/base.h"
#include "base/stat.h"
#include "fixtures/made_files.h"
#include "fixtures/unit.h"
#include "fixtures/wait.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Write a file of this thread; text NULL: remove it. */
static void
file_make(const char *name, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "%d/%s", (int)gettid(), name);
	if (text == NULL)
		unlink(made_file(path, ""));
	else
		made_file(path, text);
}

/* What the two files say is independent of each other, and the clock of both. */
TEST(files)
{
	static const struct {
		const char *schedstat, *status;
		uint64_t wait_ns, slices, preempted;
	} cases[] = {
		{ "700 1490 275\n", "Name:\tx\nnonvoluntary_ctxt_switches:\t274\n", 1490, 275,
			274 },
		{ "700 0 1\n", "a:\t1\nnonvoluntary_ctxt_switches:\t0\n", 0, 1, 0 },
		{ NULL, NULL, STAT_NONE, STAT_NONE, STAT_NONE },
		/* a kernel without CONFIG_SCHED_INFO */
		{ "0 0 0\n", NULL, STAT_NONE, STAT_NONE, STAT_NONE },
		{ "", "", STAT_NONE, STAT_NONE, STAT_NONE },
		{ "\n", "\n", STAT_NONE, STAT_NONE, STAT_NONE },
		{ "700 1490\n", "x", STAT_NONE, STAT_NONE, STAT_NONE },
		{ "700 1490 -1\n", "\nnonvoluntary_ctxt_switches:\t-1\n", STAT_NONE, STAT_NONE,
			STAT_NONE },
		{ "700 1490 27x\n", "\nnonvoluntary_ctxt_switches:\t2x\n", STAT_NONE, STAT_NONE,
			STAT_NONE },
		{ "one 2 3\n", "\nnonvoluntary_ctxt_switches:\n", STAT_NONE, STAT_NONE, STAT_NONE },
		/* cut off: the last number may lack digits */
		{ "700 1490 27", "\nnonvoluntary_ctxt_switches:\t27", STAT_NONE, STAT_NONE,
			STAT_NONE },
		{ "18446744073709551614 18446744073709551614 18446744073709551614\n",
			"\nnonvoluntary_ctxt_switches:\t18446744073709551614\n", UINT64_MAX - 1,
			UINT64_MAX - 1, UINT64_MAX - 1 },
		{ "1 18446744073709551616 2\n",
			"\nnonvoluntary_ctxt_switches:\t99999999999999999999\n", STAT_NONE,
			STAT_NONE, STAT_NONE },
		/* the other count, which is not about preemption */
		{ "1 2 3\n", "\nvoluntary_ctxt_switches:\t9\n", 2, 3, STAT_NONE },
	};
	struct cpu_time t;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		file_make("schedstat", cases[i].schedstat);
		file_make("status", cases[i].status);
		assert_true(cpu_time_read(made_folder, gettid(), &t));
		assert_true(t.known);
		assert_true(t.run_ns > 0);
		assert_int_equal(t.wait_ns, cases[i].wait_ns);
		assert_int_equal(t.slices, cases[i].slices);
		assert_int_equal(t.preempted, cases[i].preempted);
	}
}

/* Files without an end are read in part. */
TEST(endless)
{
	static char text[1 << 16];
	struct cpu_time t;

	memset(text, '7', sizeof(text) - 1);
	file_make("schedstat", text);
	file_make("status", text);
	assert_true(cpu_time_read(made_folder, gettid(), &t));
	assert_int_equal(t.wait_ns, STAT_NONE);
	assert_int_equal(t.preempted, STAT_NONE);
}

TEST(nobody)
{
	const pid_t none[] = { 0, -1, INT32_MAX };
	struct cpu_time t;

	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		assert_false(cpu_time_read(CPU_TIME_TASKS, none[i], &t));
		assert_false(t.known);
		assert_int_equal(t.run_ns, 0);
	}
}

struct spinner {
	atomic_int tid;
	atomic_bool stop;
	atomic_ulong rounds;
};

static void *
spin(void *arg)
{
	struct spinner *s = arg;

	atomic_store(&s->tid, gettid());
	while (!atomic_load(&s->stop))
		atomic_fetch_add(&s->rounds, 1);
	return NULL;
}

/* Another thread's time grows while it runs, and is unknown once it has ended. */
TEST(another)
{
	struct spinner s = { 0 };
	struct cpu_time first, now;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, spin, &s), 0);
	WAIT_UNTIL(atomic_load(&s.tid) != 0);
	assert_true(cpu_time_read(CPU_TIME_TASKS, atomic_load(&s.tid), &first));
	WAIT_UNTIL(cpu_time_read(CPU_TIME_TASKS, atomic_load(&s.tid), &now) &&
		now.run_ns >= first.run_ns + 1000000);
	cpu_time_subtract(&now, &first);
	assert_true(now.known);
	assert_true(now.run_ns >= 1000000);
	atomic_store(&s.stop, true);
	pthread_join(thread, NULL);
	WAIT_UNTIL(!cpu_time_read(CPU_TIME_TASKS, atomic_load(&s.tid), &now));
	cpu_time_subtract(&now, &first);
	assert_false(now.known);
	assert_int_equal(now.run_ns, 0);
}

TEST(subtracted)
{
	struct cpu_time t = { 10, STAT_NONE, 8, 5, true };
	const struct cpu_time base = { 4, 3, 2, STAT_NONE, true };

	cpu_time_subtract(&t, &base);
	assert_true(t.known);
	assert_int_equal(t.run_ns, 6);
	assert_int_equal(t.wait_ns, STAT_NONE);
	assert_int_equal(t.slices, 6);
	assert_int_equal(t.preempted, STAT_NONE);
}

TESTS(.setup = made_begin, .teardown = made_end);
