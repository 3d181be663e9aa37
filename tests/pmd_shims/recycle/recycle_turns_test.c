/* Recycling on two modelled NICs in an order that a seed gives: polls of both directions, of the pairs and
 * of the card, bursts that wait for a later poll, pairs and windows that end and begin. After each turn no buffer is
 * where it may not be; at the end each is in its pool. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "fixtures/rig.h"
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
	struct recycle_window window[RIG_PORTS];
	bool fast_free, running;
	/* received by a port and not sent by the other yet */
	struct rte_mbuf *waiting[RIG_PORTS][WAITING];
	uint16_t n_waiting[RIG_PORTS];
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
	rig_start(w.ring, 32, w.fast_free ? RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE : 0);
}

/* Run a pair and its window, if it has one. */
static void
pair_poll(uint16_t port)
{
	struct recycle_window *window = &w.window[port];

	recycle_run(rig.pair[port]);
	if (recycle_window_due(window))
		recycle_window_check(window, &rig.pair[port], 1);
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
			done[w.fast_free && rig.fast_free ? 0 : dice(ARRAY_SIZE(done))], pkts[i]);
	w.n_waiting[port] += n;
}

/* What the driver does not take waits for the next poll. */
static void
transmit(uint16_t port, uint16_t most)
{
	const uint16_t n = rte_eth_tx_burst(1 - port, 0, w.waiting[port], most);

	rig.sent += n;
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

	if (rig.pair[port] == NULL) {
		rig.pair[port] = rig_pair(port, w.mode, &e);
		assert_true(rig.pair[port] != NULL || strstr(e.text, "nothing to gain") != NULL);
		if (w.window_size != ZCFWD_RECYCLE_WINDOW_OFF)
			recycle_window_open(&w.window[port], rig.pair[port], w.window_size,
				WAITING);
		if (w.window[port].pair != NULL)
			recycle_window_use(rig.pair[port], &w.window[port]);
		return;
	}
	window_end(port, dice(2) == 0);
	recycle_unbind(rig.pair[port]);
	rig.pair[port] = NULL;
}

static void
turn(void)
{
	const uint16_t port = (uint16_t)dice(RIG_PORTS);

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
		if (rig.pair[port] != NULL)
			pair_poll(port);
		break;
	default: rig.model.step(); break;
	}
	if (dice(200) == 0)
		change(port);
	rig_law();
}

static uint64_t
run_seed(uint64_t seed)
{
	uint64_t moved = 0;

	open_seed(seed);
	for (uint16_t p = 0; p < RIG_PORTS; p++)
		change(p);
	for (unsigned int i = 0; i < TURNS; i++)
		turn();
	moved = rig_moved();
	/* All that was received is sent. */
	for (uint16_t p = 0; p < RIG_PORTS; p++)
		for (unsigned int i = 0; w.n_waiting[p] > 0; i++) {
			assert_true(i < 1000);
			transmit(p, w.n_waiting[p]);
			rig.model.step();
		}
	for (unsigned int i = 0; i < 100; i++)
		rig.model.step();
	for (uint16_t p = 0; p < RIG_PORTS; p++)
		window_end(p, true);
	rig_finish();
	w.running = false;
	return moved;
}

static void
turns(void)
{
	const uint64_t n = seed_count(SEEDS);
	uint64_t moved = 0;

	for (uint64_t i = 0; i < n; i++)
		moved += run_seed(test_seed + i);
	print_message("# %" PRIu64 " buffers recycled\n", moved);
	assert_true(moved > 0);
}

/* The seed of a run that has not come to its end. */
static void
told(void)
{
	if (w.running)
		print_message("# red: ZCFWD_TEST_SEED=%" PRIu64
			      " ZCFWD_TEST_SEEDS=1: mode %d, rings of %u, window %u%s\n",
			w.seed, w.mode, w.ring, w.window_size, w.fast_free ? ", fast free" : "");
}

int
main(void)
{
	static const struct rig_case cases[] = { { "turns", turns, RIG_NICS, NULL, told } };

	return rig_main(cases, ARRAY_SIZE(cases));
}
