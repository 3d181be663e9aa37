/* Worker slots: whoever looks for one is alone at it, one that died there keeps nobody out, and a
 * pipeline goes only when nobody looks any more. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/processes/ring_worker_slot.h"

#include "fixtures/engine_fixture.h"
#include "fixtures/ring_fixture.h"
#include "fixtures/wait.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static struct ring_pipeline *pipeline;

static int
begin(void **state)
{
	ring_fixture_processes(state);
	engine_fixture_set("pipeline-processes", "2");
	pipeline = ring_fixture_begin(0, NULL);
	assert_ptr_equal(atomic_load(&ring_fixture_shared.pipeline), pipeline);
	return 0;
}

static int
end(void **state)
{
	ring_fixture_end(pipeline);
	assert_null(atomic_load(&ring_fixture_shared.pipeline));
	return ring_fixture_processes_end(state);
}

/* Another process that has joined as NUMBER, and then, if asked to, becomes another program. */
static pid_t
other_process(ring_number number, bool exec)
{
	int pipes[2], status = pipe(pipes);
	pid_t pid = fork();
	char said = 0;

	assert_int_equal(status, 0);
	assert_true(pid >= 0);
	if (pid == 0) {
		struct flock byte = { .l_type = F_WRLCK, .l_start = (off_t)number, .l_len = 1 };
		int fd = open(ring_fixture_locks, O_RDWR | O_CLOEXEC);

		if (fcntl(fd, F_OFD_SETLK, &byte) != 0 || write(pipes[1], "", 1) != 1)
			_exit(1);
		if (exec)
			execlp("sleep", "sleep", "60", NULL);
		for (;;)
			pause();
	}
	assert_int_equal(read(pipes[0], &said, 1), 1);
	close(pipes[0]);
	close(pipes[1]);
	return pid;
}

static void
end_process(pid_t pid)
{
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* A lock goes a moment after its process began to. */
static void
wait_for_death(ring_number number)
{
	WAIT_UNTIL(!ring_process_lives(&ring_fixture_config.process, number));
}

TEST(one_at_a_time)
{
	pid_t other = other_process(7, false);
	struct ring_worker *w;

	atomic_store(&ring_fixture_shared.claiming, 7);
	assert_null(ring_worker_slot_claim(&ring_fixture_config));
	assert_int_equal(atomic_load(&ring_fixture_shared.claiming), 7);
	atomic_store(&ring_fixture_shared.claiming, 0);
	w = ring_worker_slot_claim(&ring_fixture_config);
	assert_ptr_equal(w, &pipeline->workers[0]);
	assert_int_equal(atomic_load(&ring_fixture_shared.claiming), 0);
	ring_worker_slot_leave(w);
	end_process(other);
}

TEST(dead_is_replaced)
{
	struct ring_worker *w;
	unsigned int all;

	end_process(other_process(7, false));
	atomic_store(&ring_fixture_shared.claiming, 7);
	w = ring_worker_slot_claim(&ring_fixture_config);
	assert_non_null(w);
	atomic_store(&ring_fixture_shared.claiming, 7);
	assert_int_equal(ring_worker_slot_vacant(&ring_fixture_config, &all), 1);
	assert_int_equal(all, 2);
	assert_int_equal(atomic_load(&ring_fixture_shared.claiming), 0);
	ring_worker_slot_leave(w);
}

/* Stopped is not dead, another program is; and what one holds says nothing of the next number. */
TEST(life)
{
	pid_t seven = other_process(7, false), eight = other_process(8, true);

	wait_for_death(8);
	assert_int_equal(kill(seven, SIGSTOP), 0);
	assert_int_equal(waitpid(seven, NULL, WUNTRACED), seven);
	assert_true(ring_process_lives(&ring_fixture_config.process, 7));
	assert_true(ring_process_lives(&ring_fixture_config.process, RING_PRIMARY));
	assert_false(ring_process_lives(&ring_fixture_config.process, 6));
	end_process(seven);
	assert_false(ring_process_lives(&ring_fixture_config.process, 7));
	end_process(eight);
}

/* The slot of one that died is free again within a moment, though its pid may be taken. */
TEST(dead_leaves_its_slot)
{
	struct ring_worker *w = &pipeline->workers[1];
	pid_t other = other_process(9, false);

	atomic_store(&w->pid, (int32_t)getpid());
	atomic_store(&w->holder, 9);
	rte_delay_us_sleep(100000);
	assert_true(ring_worker_slot_taken(w));
	end_process(other);
	WAIT_UNTIL(!ring_worker_slot_taken(w));
	assert_int_equal(counter_read(&w->deaths), 1);
}

static void *
withdraw(void *arg)
{
	ring_worker_slot_withdraw(&ring_fixture_config);
	return NULL;
}

TEST(withdrawal_waits)
{
	pid_t other = other_process(7, false);
	pthread_t thread;

	atomic_store(&ring_fixture_shared.claiming, 7);
	assert_int_equal(pthread_create(&thread, NULL, withdraw, NULL), 0);
	WAIT_UNTIL(atomic_load(&ring_fixture_shared.pipeline) == NULL);
	for (unsigned int i = 0; i < 1000; i++) {
		assert_int_equal(pthread_tryjoin_np(thread, NULL), EBUSY);
		sched_yield();
	}
	atomic_store(&ring_fixture_shared.claiming, 0);
	pthread_join(thread, NULL);
	assert_null(ring_worker_slot_claim(&ring_fixture_config));
	end_process(other);
}

TESTS(.setup = ring_fixture_open, .teardown = engine_fixture_close, .before = begin, .after = end);
