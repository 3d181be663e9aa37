/* Recycling on two modelled NICs in an order that a seed gives: polls of both directions, of the pairs and
 * of the card, bursts that wait for a later poll, pairs and windows that end and begin. After each turn no buffer is
 * where it may not be; at the end each is in its pool. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "fixtures/recycle_ports.h"
#include "fixtures/seed.h"
#include "fixtures/unit.h"
#include "pmd_shims/recycle/recycle_window.h"

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <inttypes.h>
#include <string.h>

enum { TURNS = 2000, SEEDS = 100, WAITING = 64, WINDOW = 192 };

static struct world {
	uint64_t seed, random;
	enum zcfwd_recycle_mode mode;
	uint16_t ring;
	uint16_t window_size; /* of windows that begin */
	struct recycle_window window[RECYCLE_PORTS];
	bool fast_free, running;
	/* received by a port and not sent by the other yet */
	struct rte_mbuf *waiting[RECYCLE_PORTS][WAITING];
	uint16_t n_waiting[RECYCLE_PORTS];
} w;

static uint32_t
dice(uint32_t sides)
{
	return seed_dice(&w.random, sides);
}

static const enum zcfwd_recycle_mode modes[] = { ZCFWD_RECYCLE_MODE_RING,
	ZCFWD_RECYCLE_MODE_CACHE };

static void
open_seed(uint64_t seed)
{
	static const uint16_t rings[] = { 128, 256, 512, 1024 },
			      windows[] = { ZCFWD_RECYCLE_WINDOW_OFF, WINDOW,
				      ZCFWD_RECYCLE_WINDOW_AUTO };

	memset(&w, 0, sizeof(w));
	w.seed = w.random = seed;
	w.mode = modes[dice(ARRAY_SIZE(modes))];
	w.ring = rings[dice(ARRAY_SIZE(rings))];
	w.window_size = w.mode == ZCFWD_RECYCLE_MODE_RING ? windows[dice(ARRAY_SIZE(windows))]
							  : ZCFWD_RECYCLE_WINDOW_OFF;
	/* Each buffer of a queue has to be of one pool then, with one holder. */
	w.fast_free = dice(3) == 0;
	w.running = true;
	recycle_ports_start(w.ring, 32, w.fast_free ? RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE : 0);
}

/* Run a pair and its window, if it has one. */
static void
pair_poll(uint16_t port)
{
	struct recycle_window *window = &w.window[port];

	recycle_run(recycle_ports.pair[port]);
	if (recycle_window_due(window))
		recycle_window_check(window, &recycle_ports.pair[port], 1);
}

/* A poll takes what there is room for, and does to each packet what an application may. */
static void
receive(uint16_t port)
{
	static operation *const done[] = { operation_plain, operation_plain, operation_shared,
		operation_from_another_pool, operation_cloned, operation_external };
	uint16_t n = (uint16_t)dice(WAITING + 1u - w.n_waiting[port]);
	struct rte_mbuf **pkts = w.waiting[port] + w.n_waiting[port];

	/* Vector functions take no burst below this size. */
	if (n < 8)
		return;
	/* A window needs it before each poll, as engine_recycle() does. */
	if (w.window[port].pair != NULL)
		pair_poll(port);
	n = rte_eth_rx_burst(port, 0, pkts, n);
	for (uint16_t i = 0; i < n; i++)
		pkts[i] = operations_do(
			done[w.fast_free && recycle_ports.fast_free ? 0 : dice(ARRAY_SIZE(done))],
			pkts[i]);
	w.n_waiting[port] += n;
}

/* What the driver does not take waits for the next poll. */
static void
transmit(uint16_t port, uint16_t most)
{
	const uint16_t n = rte_eth_tx_burst(1 - port, 0, w.waiting[port], most);

	recycle_ports.sent += n;
	w.n_waiting[port] -= n;
	memmove(w.waiting[port], w.waiting[port] + n, w.n_waiting[port] * sizeof(*w.waiting[port]));
}

static void
window_end(uint16_t port, bool whole)
{
	if (w.window[port].pair != NULL)
		recycle_window_close(&w.window[port], whole);
	w.window[port] = (struct recycle_window){ .pair = NULL };
}

/* A pair ends, or one begins in the run's mode. */
static void
change(uint16_t port)
{
	struct zcfwd_recycle_error e;

	if (recycle_ports.pair[port] == NULL) {
		recycle_ports.pair[port] = recycle_ports_pair(port, w.mode, &e);
		assert_true(recycle_ports.pair[port] != NULL ||
			strstr(e.text, "nothing to gain") != NULL);
		if (w.window_size != ZCFWD_RECYCLE_WINDOW_OFF)
			recycle_window_open(&w.window[port], recycle_ports.pair[port],
				w.window_size, WAITING);
		if (w.window[port].pair != NULL)
			recycle_window_use(recycle_ports.pair[port], &w.window[port]);
		return;
	}
	window_end(port, dice(2) == 0);
	recycle_unbind(recycle_ports.pair[port]);
	recycle_ports.pair[port] = NULL;
}

static void
law(void)
{
	const struct model_nic_report r = recycle_ports_reports();

	assert_int_equal(r.corrupted + r.foreign + r.duplicated + r.reordered, 0);
	assert_int_equal(r.armed_twice + r.armed_in_tx + r.sent_while_armed, 0);
}

static void
turn(void)
{
	const uint16_t port = (uint16_t)dice(RECYCLE_PORTS);

	switch (dice(8)) {
	case 0:
	case 1: receive(port); break;
	case 2:
	case 3:
		transmit(port,
			dice(2) == 0 ? w.n_waiting[port] : (uint16_t)dice(w.n_waiting[port] + 1u));
		break;
	case 4:
	case 5:
		if (recycle_ports.pair[port] != NULL)
			pair_poll(port);
		break;
	default: recycle_ports.model.step(); break;
	}
	if (dice(200) == 0)
		change(port);
	law();
}

static uint64_t
run_seed(uint64_t seed)
{
	uint64_t moved = 0;

	open_seed(seed);
	for (uint16_t p = 0; p < RECYCLE_PORTS; p++)
		change(p);
	for (unsigned int i = 0; i < TURNS; i++)
		turn();
	moved = recycle_ports_moved();
	/* All that was received is sent. */
	for (uint16_t p = 0; p < RECYCLE_PORTS; p++)
		for (unsigned int i = 0; w.n_waiting[p] > 0; i++) {
			assert_true(i < 1000);
			transmit(p, w.n_waiting[p]);
			recycle_ports.model.step();
		}
	for (unsigned int i = 0; i < 100; i++)
		recycle_ports.model.step();
	for (uint16_t p = 0; p < RECYCLE_PORTS; p++)
		window_end(p, true);
	recycle_ports_finish();
	w.running = false;
	return moved;
}

static void
turns(void **state)
{
	const uint64_t n = seed_count(SEEDS);
	uint64_t moved = 0;

	for (uint64_t i = 0; i < n; i++)
		moved += run_seed(test_seed + i);
	print_message("# %" PRIu64 " buffers recycled\n", moved);
	assert_true(moved > 0);
}

/* The seed of a run that has not come to its end. */
static int
told(void **state)
{
	if (w.running)
		print_message("# red: ZCFWD_TEST_SEED=%" PRIu64
			      " ZCFWD_TEST_SEEDS=1: mode %d, rings of %u, window %u%s\n",
			w.seed, w.mode, w.ring, w.window_size, w.fast_free ? ", fast free" : "");
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test_teardown(turns, told) };

	if (recycle_ports_setup(NULL) != 0)
		return 1;
	if (!recycle_ports_try())
		return 0;
	return cmocka_run_group_tests(tests, NULL, recycle_ports_teardown);
}
