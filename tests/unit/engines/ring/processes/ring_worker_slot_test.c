/* Worker slots: whoever looks for one is alone at it, one that died there keeps nobody out, and a
 * pipeline goes only when nobody looks any more. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/processes/ring_worker_slot.h"

#include "fixtures/engine_fixture.h"
#include "fixtures/ring_fixture.h"

#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

static struct ring_shared here;
static struct ring_pipeline *pipeline;

static int
begin(void **state)
{
	ring_fixture_defaults(state);
	ring_fixture_config.shared = &here;
	fixture_set("pipeline-processes", "2");
	pipeline = ring_fixture_begin(0, NULL);
	assert_ptr_equal(atomic_load(&here.pipeline), pipeline);
	return 0;
}

static int
end(void **state)
{
	ring_fixture_end(pipeline);
	assert_null(atomic_load(&here.pipeline));
	return 0;
}

static void
one_at_a_time(void **state)
{
	struct ring_worker *w;

	atomic_store(&here.claiming, (int32_t)getppid());
	assert_null(ring_worker_slot_claim(&here));
	assert_int_equal(atomic_load(&here.claiming), getppid());
	atomic_store(&here.claiming, 0);
	w = ring_worker_slot_claim(&here);
	assert_ptr_equal(w, &pipeline->workers[0]);
	assert_int_equal(atomic_load(&here.claiming), 0);
	ring_worker_slot_leave(w);
}

static void
dead_is_replaced(void **state)
{
	struct ring_worker *w;
	unsigned int all;
	pid_t dead = fork();

	assert_true(dead >= 0);
	if (dead == 0)
		_exit(0);
	assert_int_equal(waitpid(dead, NULL, 0), dead);
	atomic_store(&here.claiming, (int32_t)dead);
	w = ring_worker_slot_claim(&here);
	assert_non_null(w);
	atomic_store(&here.claiming, (int32_t)dead);
	assert_int_equal(ring_worker_slot_vacant(&here, &all), 1);
	assert_int_equal(all, 2);
	assert_int_equal(atomic_load(&here.claiming), 0);
	ring_worker_slot_leave(w);
}

static void *
withdraw(void *arg)
{
	ring_worker_slot_withdraw(&here);
	return NULL;
}

static void
withdrawal_waits(void **state)
{
	pthread_t thread;

	atomic_store(&here.claiming, (int32_t)getppid());
	assert_int_equal(pthread_create(&thread, NULL, withdraw, NULL), 0);
	while (atomic_load(&here.pipeline) != NULL)
		sched_yield();
	for (unsigned int i = 0; i < 1000; i++) {
		assert_int_equal(pthread_tryjoin_np(thread, NULL), EBUSY);
		sched_yield();
	}
	atomic_store(&here.claiming, 0);
	pthread_join(thread, NULL);
	assert_null(ring_worker_slot_claim(&here));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_at_a_time, begin, end),
		cmocka_unit_test_setup_teardown(dead_is_replaced, begin, end),
		cmocka_unit_test_setup_teardown(withdrawal_waits, begin, end),
	};

	return cmocka_run_group_tests(tests, ring_fixture_open, fixture_close);
}
