/* Forwarding without mbufs on layouts that have to be proved: right ones forward, and no wrong one
 * does, whatever field is in a wrong place. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "fixtures/rig.h"
#include "fixtures/seed.h"
#include "fixtures/unit.h"
#include "fixtures/wrong_layouts.h"
#include "pmd_shims/direct/direct.h"

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RING = 256, POLLS = 400 };

static void poll_once(void);
static unsigned int opened; /* files; a lcore opens none */
static struct layouts layouts = { .poll = poll_once };
static uint64_t random_state;

/* In place of libc's, which it calls. */
FILE *
fopen(const char *path, const char *mode)
{
	static FILE *(*libc)(const char *, const char *);

	if (libc == NULL) {
		void *symbol = dlsym(RTLD_NEXT, "fopen");

		memcpy(&libc, &symbol, sizeof(libc));
	}
	opened++;
	return libc(path, mode);
}

static void
before(void)
{
	layouts_open(&layouts);
}

static void
after(void)
{
	layouts_close(&layouts);
}

/* Drivers free few sent mbufs themselves, so that their counters differ. */
static void
ports_start(void)
{
	rig.tx_ring = RING;
	rig.tx_free = rig.path != NULL ? RING - 4 : 64;
	rig_start(RING, 32, 0);
}

/*
 * Forward bursts of several sizes: from port 0 to port 1 without mbufs once the layouts are proved, else by
 * the drivers' functions, as from port 1. Returns whether they are proved.
 */
static bool
forward(struct direct *d, unsigned int polls)
{
	struct rte_mbuf *mbufs[RIG_BURST];
	struct direct_pkt pkts[RIG_BURST];

	while (polls-- > 0) {
		for (uint16_t p = 0; p < RIG_PORTS; p++) {
			const uint16_t max =
				(uint16_t)(4 + 4 * seed_dice(&random_state, RIG_BURST / 4));
			uint16_t got, sent;

			if (p == 0 && d != NULL && direct_usable(d)) {
				sent = direct_receive(d, pkts, max);
				direct_send(d, pkts, sent);
				rig.sent += sent;
				continue;
			}
			got = rte_eth_rx_burst(p, 0, mbufs, max);
			sent = rte_eth_tx_burst(1 - p, 0, mbufs, got);
			rig.sent += sent;
			rte_pktmbuf_free_bulk(mbufs + sent, got - sent);
		}
		if (seed_dice(&random_state, 4) != 0)
			rig.model.step();
	}
	return d != NULL && direct_proof(d) == RECYCLE_PROVED;
}

static void
poll_once(void)
{
	forward(NULL, 1);
}

/* Whether packets have no mbufs by a layout that binding let pass; ports where it was so are as new. */
static bool
believed(void)
{
	const struct recycle_ends ends = { 0, 0, 1, 0 };
	const struct shim_layouts known = { .file = &layouts.rows };
	counter topped_up = 0, freed = 0;
	struct err e;
	struct direct *d =
		direct_bind(&ends, &known, true, &(struct direct_count){ &topped_up, &freed }, &e);
	bool moves;

	if (d == NULL)
		return false;
	assert_int_equal(direct_proof(d), RECYCLE_PROVING);
	opened = 0;
	moves = forward(d, POLLS);
	assert_int_equal(opened, 0);
	direct_pause(d);
	direct_unbind(d);
	if (moves)
		rig_renew();
	return moves;
}

/* The right layout of a file is proved, and then used. */
static void
right_fields(void)
{
	struct zcfwd_recycle_error e;

	ports_start();
	assert_int_equal(layouts_load(&layouts, NULL, &e), 0);
	assert_true(believed());
	forward(NULL, 20);
	rig_finish();
}

static void
wrong_fields(void)
{
	ports_start();
	layouts_try(&layouts, believed, LAYOUTS_DIRECT);
	forward(NULL, 20);
	rig_finish();
}

int
main(void)
{
	static const struct rig_case cases[] = {
		{ "right_fields", right_fields, RIG_EACH, before, after },
		{ "wrong_fields", wrong_fields, RIG_EACH, before, after },
	};

	rig.any_width = true;
	return rig_main(cases, ARRAY_SIZE(cases));
}
