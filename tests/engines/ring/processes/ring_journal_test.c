/* Worker processes that are killed after any number of instructions: each packet is sent, dropped
 * or counted lost, once. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/processes/ring_journal.h"

#include "base/base.h"
#include "base/setting.h"
#include "engines/ring/processes/ring_worker_slot.h"
#include "engines/ring/ring_worker.h"
#include "fixtures/engine_fixture.h"
#include "fixtures/ring_fixture.h"
#include "fixtures/seed.h"

#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define TRAP_FLAG 0x100 /* of EFLAGS */

/*
 * A sanitized program has about eight times the instructions, each of which is a signal here. There a
 * death is not as near to the next one, and the seed chooses a quarter of the rows.
 */
#ifdef __SANITIZE_ADDRESS__
enum { STRIDE = 2048, SHORT_STRIDE = 32, NEAR = 0, ROWS_PART = 4 };
#else
enum { STRIDE = 256, SHORT_STRIDE = 4, NEAR = 40, ROWS_PART = 1 };
#endif

enum { PACKETS = 6, ALL = 2 * PACKETS, RANDOM = 8 };

static void
route(const char *prefix, uint16_t port)
{
	struct route r;
	struct err e = { 0 };

	assert_int_equal(routes_parse(&r, prefix, 0, &e), 0);
	r.port = port;
	assert_int_equal(routes_add(&ring_fixture_routes, &r, &e), 0);
}

/*
 * Send a packet to 10.WAY.0.NUMBER into the port. Way 0 leads to the other port, way 1 back to this
 * one, way 2 nowhere.
 */
static void
come_in(unsigned int number)
{
	static const uint8_t ways[] = { 0, 1, 0, 0, 2, 1 };
	uint8_t to[] = { 10, ways[number % sizeof(ways)], 0, (uint8_t)number };
	struct engine_fixture_frame f;
	uint16_t sum;

	engine_fixture_ether(&f, NULL, RTE_ETHER_TYPE_IPV4);
	engine_fixture_ip4(&f, IPPROTO_UDP, 0, 30);
	memcpy(f.bytes + f.l3 + 16, to, sizeof(to));
	f.bytes[f.l3 + 10] = f.bytes[f.l3 + 11] = 0;
	sum = (uint16_t)~rte_raw_cksum(f.bytes + f.l3, 20);
	memcpy(f.bytes + f.l3 + 10, &sum, 2);
	engine_fixture_put(f.bytes, f.n, 0);
}

/* What a port sent: each number above the one before. Returns packets. */
static unsigned int
sent(uint16_t port, bool *folded)
{
	struct rte_mbuf *m;
	unsigned int n = 0;
	int last = -1;

	for (; rte_eth_rx_burst(port, 0, &m, 1) == 1; n++) {
		uint8_t number = rte_pktmbuf_mtod(m, const uint8_t *)[14 + 19];

		assert_true(number < ALL && !folded[number] && number > last);
		last = number;
		folded[number] = true;
		rte_pktmbuf_free(m);
	}
	return n;
}

/* Instructions that the child may still execute. */
static volatile unsigned int left;

/* Each instruction traps, since the handler's return sets the flag; in the handler none does. */
static void
on_step(int signal, siginfo_t *info, void *context)
{
#ifdef __x86_64__
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
#endif
	if (left-- == 0)
		kill(getpid(), SIGKILL);
}

/*
 * A child that shares EAL's memory does a poll and is killed after that number of steps. It counts
 * them itself: a tracer would need a CPU twice for each. Returns whether it came to the poll's end
 * before.
 */
static bool
killed_turn(struct ring_worker *w, unsigned int steps)
{
	const struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };
	/* The first call of a function takes hundreds of instructions to find it: not in the child. */
	pid_t pid = syscall(SYS_getpid) > 0 ? fork() : -1;
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		left = steps;
		sigaction(SIGTRAP, &action, NULL);
		syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), SIGTRAP);
		ring_worker_poll(w);
		syscall(SYS_exit_group, 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status))
		return true;
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	return false;
}

static unsigned int
lost(const struct ring_pipeline *p)
{
	return (unsigned int)(p->streams[0]->count.named[RING_LOST] +
		p->streams[1]->count.named[RING_LOST]);
}

/*
 * While it lies dead, more come in, and another worker takes what it can get; unless it would wait for
 * the dead one to let go of a ring back. Returns packets.
 */
static unsigned int
meanwhile(struct ring_pipeline *p)
{
	if (p->n_workers == 1)
		return 0;
	for (unsigned int i = PACKETS; i < ALL; i++)
		come_in(i);
	ring_io_poll(p->io, true);
	while (p->producer_locks[0].by == 0 && p->producer_locks[1].by == 0 &&
		ring_worker_poll(&p->workers[1]) > 0)
		;
	return PACKETS;
}

/*
 * Packets come in, the worker dies, its place is cleared and taken again. Returns how many were
 * lost, -1: it came to the poll's end.
 */
static int
death(struct ring_pipeline *p, unsigned int steps)
{
	bool folded[ALL] = { false }, through;
	unsigned int before = lost(p);
	uint64_t dropped = p->streams[0]->count.named[RING_NO_ROUTE];
	unsigned int n, came;

	for (unsigned int i = 0; i < PACKETS; i++)
		come_in(i);
	ring_io_poll(p->io, true);
	through = killed_turn(&p->workers[0], steps);
	came = PACKETS + meanwhile(p);
	ring_worker_slot_recover(&p->workers[0]);
	atomic_store(&ring_fixture_shared.pipeline, p);
	assert_ptr_equal(ring_worker_slot_claim(&ring_fixture_config), &p->workers[0]);
	while (ring_worker_poll(&p->workers[0]) > 0)
		;
	ring_worker_slot_leave(&p->workers[0]);
	while (ring_io_poll(p->io, false) > 0)
		;
	ring_io_fold(p->io);
	for (unsigned int i = 0; i < 2; i++) {
		const struct stream_count *c = &p->streams[i]->count;

		assert_int_equal(c->rx + c->made, c->tx + c->tx_dropped + c->absorbed);
	}
	n = sent(FIXTURE_OUT, folded);
	n += sent(FIXTURE_IN, folded);
	dropped = p->streams[0]->count.named[RING_NO_ROUTE] - dropped;
	assert_int_equal(n + dropped + lost(p) - before, came);
	return through ? -1 : (int)(lost(p) - before);
}

/*
 * Deaths between two that ended differently, down to the very instruction: there is what matters;
 * and near instructions before packets reach a ring. Returns deaths that lost a part.
 */
static unsigned int
between(struct ring_pipeline *p, unsigned int near, unsigned int from, int at_from, unsigned int to,
	int at_to)
{
	unsigned int middle = (from + to) / 2;
	int at_middle;

	if (at_from == at_to || middle == from) {
		for (unsigned int i = 1; at_from > at_to && i <= near; i++)
			death(p, from - i);
		return at_from > 0 && at_from < PACKETS;
	}
	at_middle = death(p, middle);
	return between(p, near, from, at_from, middle, at_middle) +
		between(p, near, middle, at_middle, to, at_to);
}

static void
deaths(void **state)
{
	static const struct {
		const char *stage, *sync, *mode, *spread, *workers;
		/* stages take most of the instructions, and the rest is the same */
		unsigned int near;
		unsigned int stride; /* shorter than the time that packets are in hand */
	} rows[] = {
		{ "none", "single", "zc", "auto", "1", NEAR, SHORT_STRIDE },
		{ "none", "single", "copy", "auto", "1", NEAR, SHORT_STRIDE },
		{ "none", "single", "compressed", "auto", "1", NEAR, SHORT_STRIDE },
		{ "l3fwd", "single", "compressed", "auto", "1", 0, STRIDE },
		{ "l3fwd", "single", "copy", "auto", "1", 0, STRIDE },
		{ "l3fwd", "single", "zc", "auto", "1", 0, STRIDE },
		{ "l3fwd", "hts", "zc", "auto", "1", 0, STRIDE },
		{ "macswap", "hts", "copy", "auto", "1", NEAR, STRIDE },
		{ "l3fwd", "hts", "compressed", "auto", "1", 0, STRIDE },
		{ "none", "hts", "zc", "any", "2", NEAR, SHORT_STRIDE },
		{ "l3fwd", "hts", "compressed", "any", "2", 0, STRIDE },
	};
	const uint64_t n = seed_rows((ARRAY_SIZE(rows) + ROWS_PART - 1) / ROWS_PART);

	route("10.0.0.0/16", FIXTURE_OUT);
	route("10.1.0.0/16", FIXTURE_IN);
	/* Rows that are 4 apart: 4 is coprime with their number, and a quarter has different stages. */
	for (uint64_t turn = 0; turn < n; turn++) {
		const unsigned int r = (unsigned int)((test_seed + 4 * turn) % ARRAY_SIZE(rows));
		unsigned int steps = 0, some = 0;
		struct ring_pipeline *p;
		int now, last = 0;

		engine_fixture_set("pipeline-processes", rows[r].workers);
		engine_fixture_set("pipeline-spread", rows[r].spread);
		engine_fixture_set("pipeline-stage", rows[r].stage);
		engine_fixture_set("pipeline-sync", rows[r].sync);
		engine_fixture_set("pipeline-mode", rows[r].mode);
		engine_fixture_set("pipeline-ring", "64");
		p = ring_fixture_begin(0, NULL);
		for (; (now = death(p, steps)) >= 0; steps += rows[r].stride, last = now)
			some += steps == 0 ? 0
					   : between(p, rows[r].near, steps - rows[r].stride, last,
						     steps, now);
		some += between(p, rows[r].near, steps - rows[r].stride, last, steps, now);
		for (unsigned int i = 0; i < RANDOM; i++)
			death(p, (unsigned int)random() % steps);
		print_message("# %s, %s, %s, %s: about %u instructions\n", rows[r].stage,
			rows[r].sync, rows[r].mode, rows[r].spread, steps);
		assert_true(lost(p) > 0);
		/* A burst for two rings can be lost in part. */
		assert_true(some > 0 || strcmp(rows[r].stage, "l3fwd") != 0);
		ring_fixture_end(p);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(deaths, ring_fixture_processes,
			ring_fixture_processes_end),
	};

#ifndef __x86_64__
	return puts("1..0 # SKIP counts instructions by x86-64's trap flag") < 0;
#endif
	return cmocka_run_group_tests(tests, ring_fixture_open, engine_fixture_close);
}
