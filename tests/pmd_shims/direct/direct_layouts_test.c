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

#include <stdlib.h>
#include <string.h>

enum { RING = 256, POLLS = 400 };

static void poll_once(void);
static struct layouts layouts = { .poll = poll_once };
static uint64_t random_state;

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
	moves = forward(d, POLLS);
	direct_pause(d);
	direct_unbind(d);
	if (moves) {
		rig_stop();
		rig.sent = 0;
		ports_start();
	}
	return moves;
}

/* Fields that do no harm in a wrong place where the same value is found. A flat table. */
static bool
harmless(const char *table, const char *field)
{
	static const struct {
		const char *table, *field;
	} rows[] = {
		/* Nothing reads them but the choice of a function and the checks themselves. */
		{ "", "port" },
		{ "", "queue" },
		{ "", "vector" },
		{ "", "offloads" },
		{ "", "ipsec" },
		{ "", "prefetch" },
		{ "", "ring_iova" },
		/* No offsets, and any value that passes will do. */
		{ "", "bare" },
		{ "", "least" },
		{ "", "done_mask" },
		{ "mlx5_rx", "completion_bits" },
		{ "mlx5_tx", "key_bytes" },
		{ "mlx5_tx", "unbuffered" },
		{ "mlx5_tx", "heuristic" },
		/* What is 0 here and beside it, and must be. */
		{ "mlx5_rx", "unpacked" },
		{ "mlx5_rx", "byte_mask" },
		{ "mlx5_tx", "inline_send" },
		{ "mlx5_tx", "inline_least" },
		{ "mlx5_tx", "key_age" },
		/* They only decide on a barrier. */
		{ "mlx5_tx", "flags" },
		/* Of packed rings. */
		{ "virtio", "wrap" },
		{ "virtio", "flags" },
		{ "virtio", "thresh" },
		/* What is in them is compared with every descriptor. */
		{ "virtio", "address" },
		/* Since 24.07 the ring's memory, which begins with them, is noted in front. */
		{ "virtio", "desc" },
		/* The choice of a function; flags that are 1 like others beside them. */
		{ "virtio", "features" },
		{ "virtio", "started" },
		{ "virtio", "weak" },
		{ "virtio", "vector_rx" },
		{ "virtio", "vector_tx" },
		{ "virtio", "rx_queue" },
		{ "virtio", "rx_port" },
		{ "virtio", "tx_queue" },
		{ "virtio", "tx_port" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if ((rows[i].table[0] == '\0' || strcmp(table, rows[i].table) == 0) &&
			strcmp(field, rows[i].field) == 0)
			return true;
	return false;
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
	layouts_try(&layouts, believed, harmless);
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
