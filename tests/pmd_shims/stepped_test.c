/* The fixture of stepped NICs skips drivers' sleeps, and yet a handler on EAL's interrupt thread ends
 * before its port is closed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "fixtures/own_lcores.h"
#include "fixtures/unit.h"
#include "fixtures/wait.h"

#include <rte_eal.h>
#include <rte_interrupts.h>

#include <stdatomic.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { LONG_MS = 50 };

static atomic_int runs, ended;

static int
setup(void **state)
{
	char *args[] = { "stepped", "--no-huge", "--no-shconf", "--no-pci", "-m", "64",
		"--no-telemetry", own_lcores("0"), "--log-level=error" };

	assert_int_equal(rte_eal_init(ARRAY_SIZE(args), args), ARRAY_SIZE(args) - 1);
	return 0;
}

static int
teardown(void **state)
{
	return rte_eal_cleanup();
}

/*
 * As a driver's on a busy CPU: it takes long. It takes the interrupt, as EAL does for the handlers of
 * cards: otherwise it would be called again at once, for ever.
 */
static void
handler(void *arg)
{
	const struct timespec while_others_run = { .tv_nsec = LONG_MS * 1000 * 1000L };
	uint64_t interrupts;

	assert_int_equal(read(*(const int *)arg, &interrupts, sizeof(interrupts)),
		sizeof(interrupts));
	atomic_store(&runs, 1);
	nanosleep(&while_others_run, NULL);
	atomic_store(&ended, 1);
}

/* Sleeps of drivers are skipped: what is asked six times, with sleeps, is asked six times at once. */
TEST(unregister_waits_for_handler)
{
	struct rte_intr_handle *handle = rte_intr_instance_alloc(RTE_INTR_INSTANCE_F_PRIVATE);
	const uint64_t once = 1;
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	assert_true(handle != NULL && fd >= 0);
	assert_int_equal(rte_intr_fd_set(handle, fd), 0);
	assert_int_equal(rte_intr_type_set(handle, RTE_INTR_HANDLE_EXT), 0);
	assert_int_equal(rte_intr_callback_register(handle, handler, &fd), 0);
	assert_int_equal(write(fd, &once, sizeof(once)), sizeof(once));
	WAIT_UNTIL(atomic_load(&runs) == 1);
	assert_int_equal(rte_intr_callback_unregister(handle, handler, &fd), 1);
	assert_int_equal(atomic_load(&ended), 1);
	rte_intr_instance_free(handle);
	close(fd);
}

TESTS(.setup = setup, .teardown = teardown);
