/* Signals: they wait until somebody asks; while the program leaves, the next one ends it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/interrupt.h"

#include "base/err.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/*
 * What became of a process that gets a signal, and a second one, which the first has to leave it
 * alive for; leaving: in between it leaves.
 */
static int
twice(int number, bool leaving)
{
	int status, alive[2];
	pid_t child;
	char byte;

	assert_int_equal(pipe(alive), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct err e;
		int fd = interrupt_open(&e);

		raise(number);
		if (fd < 0 || !interrupt_pending(fd))
			_exit(1);
		if (leaving)
			interrupt_leave(fd);
		if (interrupt_pending(fd) == leaving)
			_exit(2);
		if (write(alive[1], "", 1) != 1)
			_exit(3);
		raise(number);
		_exit(0);
	}
	close(alive[1]);
	assert_int_equal(read(alive[0], &byte, 1), 1);
	close(alive[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void
second_signal(void **state)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		int status = twice(numbers[i], false);

		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
		status = twice(numbers[i], true);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), numbers[i]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(second_signal) };

	signal(SIGHUP, SIG_DFL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
