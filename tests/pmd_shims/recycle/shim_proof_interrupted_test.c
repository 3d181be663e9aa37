/* Proofs of layouts while the card works. Between any two reads of a ring it sends packets and writes
 * descriptors back. A right layout must never look wrong. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "fixtures/known_release.h"
#include "fixtures/rig.h"
#include "fixtures/seed.h"
#include "fixtures/unit.h"
#include "pmd_shims/recycle/intel/intel_layout.h"
#include "pmd_shims/recycle/pair.h"

#include <rte_common.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#define TRAP_FLAG 0x100 /* of EFLAGS */

enum { WARM = 7, PART = 4 };

/*
 * The pages of a ring. Each read of them faults: the signal's handler makes them readable for one
 * instruction, after which the trap's handler protects them again or lets the card work.
 */
static struct {
	uint8_t *pages;
	size_t bytes;
	unsigned int reads;      /* so far */
	unsigned int card_after; /* number of reads after which the card works */
	/* The modelled NIC's own: threads of drivers read its registers meanwhile. */
	struct sigaction on_read, on_trap;
} watched;

/* This thread reads a ring with the next instruction. */
static _Thread_local volatile sig_atomic_t reading;

static void
pages_protect(int protection)
{
	if (mprotect(watched.pages, watched.bytes, protection) != 0)
		abort();
}

static void
watch(const void *queue, uint16_t ring, size_t bytes, unsigned int card_after)
{
	const uintptr_t start = (uintptr_t)shim_pointer(queue, ring);
	const size_t page = (size_t)getpagesize();

	watched.pages = (uint8_t *)RTE_ALIGN_FLOOR(start, page);
	watched.bytes = RTE_ALIGN_CEIL(start + bytes, page) - (uintptr_t)watched.pages;
	watched.reads = 0;
	watched.card_after = card_after;
}

static void
handlers_restore(void)
{
	if (sigaction(SIGSEGV, &watched.on_read, NULL) != 0 ||
		sigaction(SIGTRAP, &watched.on_trap, NULL) != 0)
		abort();
}

#ifdef __x86_64__
static void
on_read(int number, siginfo_t *info, void *context)
{
	const uint8_t *at = info->si_addr;

	if (at < watched.pages || at >= watched.pages + watched.bytes) {
		watched.on_read.sa_sigaction(number, info, context);
		return;
	}
	reading = true;
	pages_protect(PROT_READ | PROT_WRITE);
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void
on_trap(int number, siginfo_t *info, void *context)
{
	if (!reading) {
		watched.on_trap.sa_sigaction(number, info, context);
		return;
	}
	reading = false;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
	if (++watched.reads < watched.card_after) {
		pages_protect(PROT_NONE);
		return;
	}
	handlers_restore();
	rig.model.step();
}
#else
/* Such tests are skipped there. */
static void
on_read(int number, siginfo_t *info, void *context)
{
	abort();
}

static void
on_trap(int number, siginfo_t *info, void *context)
{
	abort();
}
#endif

/* Run a proof while the ring is watched. */
static enum shim_proof
watched_proof(struct recycle *r, bool rx)
{
	const struct sigaction read = { .sa_sigaction = on_read, .sa_flags = SA_SIGINFO },
			       trap = { .sa_sigaction = on_trap,
				       .sa_flags = SA_SIGINFO | SA_NODEFER };
	enum shim_proof proved;

	assert_int_equal(sigaction(SIGSEGV, &read, &watched.on_read), 0);
	assert_int_equal(sigaction(SIGTRAP, &trap, &watched.on_trap), 0);
	pages_protect(PROT_NONE);
	proved = rx ? r->rx.ops->prove(&r->rx) : r->tx.ops->prove(&r->tx);
	pages_protect(PROT_READ | PROT_WRITE);
	handlers_restore();
	return proved;
}

/* Descriptors of a ring: the fewest that a proof can tell apart, as a power of 2. */
static uint16_t
ring_size(void)
{
	return 4 * rig.least;
}

/* Receive on port p and send on the other. The card sends it with the model's next step. */
static void
poll(uint16_t p)
{
	recycle_run(rig.pair[p]);
	rig_forward(p, operation_plain);
}

/* Run one proof; the card works after its read number card_after. Returns the number of its reads. */
static unsigned int
proof(bool rx, unsigned int card_after)
{
	struct recycle *r;

	rig_start(ring_size(), 32, 0);
	rig_bind();
	for (unsigned int i = 0; i < WARM; i++) {
		for (uint16_t p = 0; p < RIG_PORTS; p++)
			poll(p);
		rig.model.step();
	}
	r = rig.pair[0];
	poll(0);
	assert_int_equal(recycle_proof(r), RECYCLE_PROVING);
	if (rx) {
		const struct intel_rx_layout *l = r->rx.layout;

		watch(r->rx.rxq, l->ring, (size_t)ring_size() * l->desc_size, card_after);
	} else {
		const struct intel_tx_layout *l = r->tx.layout;

		watch(r->tx.txq, l->ring, (size_t)ring_size() * 16, card_after);
	}
	assert_int_not_equal(watched_proof(r, rx), SHIM_WRONG);
	rig_finish();
	return watched.reads;
}

static void
the_card_works_between_any_two_reads(void)
{
	const unsigned int step = (unsigned int)(PART / seed_rows(PART));

	known_release_is_newer = true;
	for (unsigned int rx = 0; rx < 2; rx++) {
		const unsigned int all = proof(rx != 0, UINT_MAX);

		print_message("# %s ring: %u reads\n", rx != 0 ? "Rx" : "Tx", all);
		assert_in_range(all, RIG_BURST, 2u * ring_size());
		for (unsigned int i = 1 + (unsigned int)(test_seed % step); i < all; i += step)
			proof(rx != 0, i);
	}
}

int
main(void)
{
	static const struct rig_case cases[] = { { "the_card_works_between_any_two_reads",
		the_card_works_between_any_two_reads, RIG_NICS, NULL, NULL } };

#ifndef __x86_64__
	return puts("1..0 # SKIP steps by x86-64's trap flag") < 0;
#endif
	return rig_main(cases, ARRAY_SIZE(cases));
}
