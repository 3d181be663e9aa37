/* Signals: the first one waits until somebody asks; while it waits, and while the program leaves, the
 * next SIGINT or SIGTERM ends it, and a SIGHUP does nothing. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/interrupt.h"

#include "base/err.h"
#include "fixtures/unit.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WAIT_MS = 20000, PAUSE_US = 300000 };

enum between { NOTHING, PAUSE, LEAVE, LEAVE_UNASKED };

/* The child of ending(): its status is the step that failed, or 0 when it outlived the last signal. */
static void
child(int number, enum between between)
{
	struct err e;
	struct interrupt i;

	if (interrupt_open(&i, &e) != 0)
		_exit(1);
	if (between != LEAVE_UNASKED) {
		kill(getpid(), number);
		if (!interrupt_wait(&i, -1, WAIT_MS))
			_exit(2);
	}
	if (between != NOTHING && between != LEAVE_UNASKED)
		usleep(PAUSE_US);
	if (between >= LEAVE)
		interrupt_leave(&i);
	if (interrupt_pending(&i) != (between < LEAVE))
		_exit(3);
	kill(getpid(), number);
	/* The thread that takes signals ends the process. */
	usleep(number == SIGHUP || between == NOTHING ? PAUSE_US : WAIT_MS * 1000);
	if (interrupt_pending(&i) != (between < LEAVE))
		_exit(4);
	_exit(0);
}

static int
ending(int number, enum between between)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		child(number, between);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void
second_signal(void **state)
{
	static const int numbers[] = { SIGINT, SIGTERM };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		for (enum between between = PAUSE; between <= LEAVE_UNASKED; between++) {
			int status = ending(numbers[i], between);

			assert_true(WIFSIGNALED(status));
			assert_int_equal(WTERMSIG(status), numbers[i]);
		}
	}
}

/* Two at once, as timeout(1) sends them. */
static void
pair_is_one_request(void **state)
{
	assert_int_equal(ending(SIGINT, NOTHING), 0);
	assert_int_equal(ending(SIGTERM, NOTHING), 0);
}

static void
hangup_is_a_request(void **state)
{
	for (enum between between = NOTHING; between <= LEAVE_UNASKED; between++)
		assert_int_equal(ending(SIGHUP, between), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(second_signal),
		cmocka_unit_test(pair_is_one_request),
		cmocka_unit_test(hangup_is_a_request),
	};

	signal(SIGHUP, SIG_DFL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
