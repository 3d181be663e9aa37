/* Accesses that the handler has nothing to do with: open pages, and faults that go where they went
 * before. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/unit.h"
#include "pmd_shims/drivers/model_nic/trap.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, BAR = 4 * PAGE, OPEN_PAGE = 2 * PAGE, REGISTER = 0x10, VALUE = 77 };

/* Below what any process may map, but not null, which a sanitizer would look for. */
#define NOWHERE ((uintptr_t)4096)

static volatile unsigned n_writes;

static void
nothing(struct model *m, uint32_t offset)
{
}

static void
written(struct model *m, uint32_t offset, uint32_t old, uint32_t value)
{
	n_writes = n_writes + 1;
}

static const struct model_family family = { .name = "test",
	.bar_len = BAR,
	.open = { { OPEN_PAGE, PAGE } },
	.before_read = nothing,
	.after_read = nothing,
	.written = written };
static struct model model = { .port = 3, .family = &family };

static uint32_t
driver_reads(void)
{
	return *(volatile uint32_t *)(volatile void *)(model.bar_driver + REGISTER);
}

TEST(open_pages_are_plain)
{
	volatile uint32_t *reg;

	assert_int_equal(trap_open(&model), 0);
	reg = (volatile uint32_t *)(volatile void *)(model.bar_driver + OPEN_PAGE);
	reg[0] = 5;
	reg[1023] = 6;
	assert_int_equal(reg[0], 5);
	assert_int_equal(model_reg(&model, OPEN_PAGE), 5);
	assert_int_equal(model_reg(&model, OPEN_PAGE + 4092), 6);
	assert_int_equal(n_writes, 0);
	reg[-1] = 1;
	reg[1024] = 1;
	assert_int_equal(n_writes, 2);
}

static sigjmp_buf caught;

static void catch (int signal, siginfo_t *info, void *context)
{
	siglongjmp(caught, 1);
}

/* A fault that is not ours goes to who was there first. */
TEST(foreign_faults_are_passed_on)
{
	struct sigaction action = { .sa_sigaction = catch, .sa_flags = SA_SIGINFO | SA_NODEFER };
	volatile uint32_t *volatile nowhere = (volatile uint32_t *)NOWHERE;
	pid_t child;
	int status;

	assert_int_equal(trap_open(&model), 0);
	child = fork();
	if (child == 0) {
		/*
		 * As an application that came later: the next device finds it, and goes in front
		 * again.
		 */
		sigaction(SIGSEGV, &action, NULL);
		trap_close(&model);
		if (trap_open(&model) != 0)
			_exit(1);
		model_reg_set(&model, REGISTER, VALUE);
		if (driver_reads() != VALUE)
			_exit(2);
		if (sigsetjmp(caught, 1) == 0) {
			*nowhere = 1;
			_exit(3);
		}
		_exit(driver_reads() == VALUE ? 0 : 4);
	}
	waitpid(child, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

TEST(foreign_faults_kill_as_ever)
{
	volatile uint32_t *volatile nowhere = (volatile uint32_t *)NOWHERE;
	pid_t child = fork();
	int status;

	if (child == 0) {
		/* Whoever handles it here (the test library, a sanitizer) is not meant. */
		signal(SIGSEGV, SIG_DFL);
		if (trap_open(&model) == 0)
			*nowhere = 1;
		_exit(0);
	}
	waitpid(child, &status, 0);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSEGV);
}

static int
close_bar(void **state)
{
	trap_close(&model);
	return 0;
}

TESTS(.after = close_bar);
