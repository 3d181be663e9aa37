/* An lcore that is interrupted after any instruction of a poll, while the card goes on and other threads
 * read the queues. Then the poll goes on and the run ends: no buffer was in two places, each mbuf is in
 * its pool. By the drivers alone, with recycling, with windows and by engine direct. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "fixtures/rig.h"
#include "fixtures/seed.h"
#include "fixtures/unit.h"
#include "memory/pool_check.h"
#include "pmd_shims/direct/direct.h"
#include "pmd_shims/recycle/recycle_window.h"

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define TRAP_FLAG 0x100 /* of EFLAGS */

/*
 * A trap costs microseconds, so a round has every 128th instruction. The seed chooses the round of make
 * test. The four of make test-all are every 32nd instruction, and make soak has all rounds.
 */
enum { RING = 1024, WARM = 60, COUNTED = 20, STRIDE = 128, ROUNDS = 4, STOP_EVERY = 8 };

static const struct way {
	const char *name;
	bool recycles, direct, slots;
	uint16_t window;
} ways[] = {
	{ .name = "io" },
	{ .name = "recycling", .recycles = true },
	{ .name = "window of 160", .recycles = true, .window = 160 },
	{ .name = "window auto", .recycles = true, .window = ZCFWD_RECYCLE_WINDOW_AUTO },
	{ .name = "direct", .direct = true },
	{ .name = "direct with slots", .direct = true, .slots = true },
};

static struct {
	const struct way *way;
	struct recycle_window window[RIG_PORTS];
	struct direct *direct[RIG_PORTS];
	counter topped_up, freed;
	uint64_t random;
} lcore;

/* Instructions that the poll may still execute before it is interrupted. */
static struct {
	volatile sig_atomic_t on;
	volatile unsigned int left, interrupted;
} steps;

/* What others do while the lcore does not run. */
static void
meanwhile(void)
{
	rig.model.step();
	for (uint16_t p = 0; p < RIG_PORTS; p++) {
		const char *text;

		if (rig.pair[p] != NULL &&
			(recycle_in_flight(rig.pair[p]) > RING ||
				recycle_reason(rig.pair[p], &text) != ZCFWD_RECYCLE_FINE))
			abort();
	}
}

/* Each instruction traps, since the handler's return sets the flag; in the handler none does. */
static void
on_step(int number, siginfo_t *info, void *context)
{
#ifdef __x86_64__
	greg_t *flags = &((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];

	*flags = steps.on ? *flags | TRAP_FLAG : *flags & ~(greg_t)TRAP_FLAG;
	if (!steps.on || steps.left-- > 0)
		return;
	*flags &= ~(greg_t)TRAP_FLAG;
	steps.interrupted++;
	meanwhile();
#else
	RTE_SET_USED(meanwhile); /* such tests are skipped there */
#endif
}

static void
way_open(void)
{
	const struct direct_count count = { &lcore.topped_up, &lcore.freed };
	struct err e;

	/* Of another size, so that old descriptors of the Tx ring name other buffers than new ones. */
	rig.tx_ring = lcore.way->slots ? RING : RING / 2;
	rig_start(RING, 32, 0);
	if (lcore.way->recycles)
		rig_bind();
	for (uint16_t p = 0; p < RIG_PORTS; p++) {
		const struct recycle_ends ends = { p, 0, 1 - p, 0 };

		err_clear(&e);
		lcore.window[p] = (struct recycle_window){ .pair = NULL };
		if (lcore.way->window != ZCFWD_RECYCLE_WINDOW_OFF) {
			recycle_window_open(&lcore.window[p], rig.pair[p], lcore.way->window,
				RIG_BURST);
			recycle_window_use(rig.pair[p], &lcore.window[p]);
		}
		lcore.direct[p] = lcore.way->direct
			? direct_bind(&ends, NULL, lcore.way->slots, &count, &e)
			: NULL;
		assert_string_equal(e.text, "");
	}
}

/* The run ends: ports stop, and each mbuf is in its pool once. */
static void
way_close(void)
{
	struct pool_census c;

	for (uint16_t p = 0; p < RIG_PORTS; p++) {
		if (lcore.window[p].pair != NULL)
			recycle_window_close(&lcore.window[p], true);
		if (lcore.direct[p] != NULL)
			direct_pause(lcore.direct[p]);
		direct_unbind(lcore.direct[p]);
	}
	rig_finish();
	assert_true(pool_census(operations.pool, &c) && pool_census_whole(&c));
}

static void
poll(uint16_t port)
{
	struct direct_pkt frames[RIG_BURST];
	uint16_t n;

	if (lcore.direct[port] != NULL) {
		n = direct_receive(lcore.direct[port], frames, RIG_BURST);
		direct_send(lcore.direct[port], frames, n);
		rig.sent += n;
		return;
	}
	if (rig.pair[port] != NULL)
		recycle_run(rig.pair[port]);
	if (recycle_window_due(&lcore.window[port]))
		recycle_window_check(&lcore.window[port], &rig.pair[port], 1);
	rig_forward(port, operation_plain);
}

static void
turns(unsigned int n)
{
	while (n-- > 0) {
		for (uint16_t p = 0; p < RIG_PORTS; p++)
			poll(p);
		rig.model.step();
		rig_law();
	}
}

/* A poll that is interrupted after a number of instructions. Returns those that it executed, at most. */
static unsigned int
interrupted_poll(uint16_t port, unsigned int after)
{
	steps.left = after;
	steps.on = 1;
	syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), SIGTRAP);
	poll(port);
	steps.on = 0;
	return after - steps.left;
}

/* Instructions of the longest of some polls. */
static unsigned int
longest_poll(void)
{
	unsigned int most = 0, n;

	for (unsigned int i = 0; i < COUNTED; i++) {
		rig.model.step();
		n = interrupted_poll(i % RIG_PORTS, INT32_MAX);
		most = RTE_MAX(most, n);
		turns(i % 3);
	}
	return most;
}

/* A round: polls that are interrupted after first, first + STRIDE, ... instructions. */
static void
polls(unsigned int first)
{
	unsigned int most, n = 0;

	way_open();
	turns(WARM);
	most = longest_poll();
	steps.interrupted = 0;
	for (unsigned int after = first; after < most; after += STRIDE) {
		interrupted_poll((uint16_t)seed_dice(&lcore.random, RIG_PORTS), after);
		rig_law();
		if (++n % STOP_EVERY == 0) {
			way_close();
			way_open();
			turns(WARM);
		}
		turns(seed_dice(&lcore.random, 3));
	}
	way_close();
	print_message("# %s: up to %u instructions, %u of %u polls interrupted\n", lcore.way->name,
		most, steps.interrupted, n);
	assert_true(steps.interrupted > n / 4);
}

static void
all_ways(void)
{
	const struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };
	const uint64_t rounds = RTE_MIN(seed_count(ROUNDS), (uint64_t)STRIDE);
	const uint64_t n = seed_rows(ARRAY_SIZE(ways));
	struct sigaction before;

	assert_int_equal(sigaction(SIGTRAP, &action, &before), 0);
	lcore.random = test_seed;
	for (uint64_t round = 0; round < rounds; round++)
		for (uint64_t i = 0; i < n; i++) {
			lcore.way = &ways[(test_seed + i) % ARRAY_SIZE(ways)];
			polls((test_seed + round % ROUNDS * (STRIDE / ROUNDS) + round / ROUNDS) %
				STRIDE);
		}
	assert_int_equal(sigaction(SIGTRAP, &before, NULL), 0);
}

int
main(void)
{
	static const struct rig_case cases[] = { { "all_ways", all_ways, RIG_NICS, NULL, NULL } };

#ifndef __x86_64__
	return puts("1..0 # SKIP counts instructions by x86-64's trap flag") < 0;
#endif
#ifdef __SANITIZE_ADDRESS__
	return puts("1..0 # SKIP sanitizers add instructions of their own") < 0;
#endif
	return rig_main(cases, ARRAY_SIZE(cases));
}
