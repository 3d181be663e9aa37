/* Layouts of drivers' queues that no table vouches for: right ones recycle, wrong ones are refused,
 * on modelled NICs, mock ports and virtio that move when told to. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "fixtures/rig.h"
#include "fixtures/seed.h"
#include "fixtures/skip.h"
#include "fixtures/unit.h"
#include "fixtures/wrong_layouts.h"
#include "pmd_shims/recycle/layout_file.h"
#include "pmd_shims/recycle/pair.h"
#include "pmd_shims/recycle/recycle.h"
#include "pmd_shims/recycle/recycle_window.h"
#include "pmd_shims/recycle/shim.h"

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_version.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	RING = 256,
	POLLS = 400,
	PROOFS = 16, /* as recycle.c has them */
	WINDOW = 256,
	WINDOW_RING = 512,
	/* series by which the layouts of this DPDK are known */
	YEAR = SHIM_EXACT >> 16U,
	MONTH = SHIM_EXACT >> 8U & 0xffU,
};

static void poll_once(void);
static struct layouts layouts = { .poll = poll_once };

static struct fixture {
	char version[64]; /* what rte_version() says; empty: the truth */
	uint64_t random;  /* decides on bursts and on when cards move */
	struct shim_layouts known;
} fixture = { .known.file = &layouts.rows };

/* In place of DPDK's: the shims are to believe in releases to come. */
const char *
rte_version(void)
{
	static char truth[64];

	if (fixture.version[0] != '\0')
		return fixture.version;
	snprintf(truth, sizeof(truth), "DPDK %u.%02u.%u", YEAR, MONTH, SHIM_EXACT & 0xffU);
	return truth;
}

/* Each case has the truth and an empty file. */
static void
before(void)
{
	layouts_open(&layouts);
}

static void
after(void)
{
	layouts_close(&layouts);
	fixture.version[0] = '\0';
	fixture.known.tables_only = false;
}

/* Drivers free few sent mbufs themselves, so that their counters differ. */
static void
ports_start(uint16_t rx_ring, uint16_t tx_ring)
{
	rig.tx_ring = tx_ring;
	rig.tx_free = rig.path != NULL ? tx_ring - 4 : 64;
	rig_start(rx_ring, 32, 0);
}

/* A release to come of this series. */
static void
release_to_come(void)
{
	snprintf(fixture.version, sizeof(fixture.version), "DPDK %u.%02u.99", YEAR, MONTH);
}

static struct recycle *
bind_pair(struct zcfwd_recycle_error *e)
{
	const struct recycle_ends ends = { 0, 0, 1, 0 };

	*e = (struct zcfwd_recycle_error){ 0 };
	return recycle_bind(&ends, ZCFWD_RECYCLE_MODE_RING, &fixture.known, e);
}

/* What a lcore does with a pair, and with its window if there is one. */
static void
pair_run_once(struct recycle *pair)
{
	recycle_run(pair);
	if (pair->window != NULL && recycle_window_due(pair->window))
		recycle_window_check(pair->window, &pair, 1);
}

/*
 * drops: port 1 sends nothing. Bursts vary, and the cards do not move after each: in a steady flow two
 * counters always differ by as much, and a wrong layout would never be looked at again.
 */
static void
poll(struct recycle *pair, unsigned int polls, bool drops)
{
	struct rte_mbuf *pkts[RIG_BURST];

	while (polls-- > 0) {
		for (uint16_t p = 0; p < RIG_PORTS; p++) {
			uint16_t got, sent = 0;

			if (p == 0 && pair != NULL)
				pair_run_once(pair);
			got = rte_eth_rx_burst(p, 0, pkts,
				(uint16_t)(4 + 4 * seed_dice(&fixture.random, RIG_BURST / 4)));
			if (p == 1 || !drops)
				sent = rte_eth_tx_burst(1 - p, 0, pkts, got);
			rig.sent += sent;
			rte_pktmbuf_free_bulk(pkts + sent, got - sent);
		}
		if (seed_dice(&fixture.random, 4) != 0)
			rig.model.step();
	}
}

static void
forward(struct recycle *pair, unsigned int polls)
{
	poll(pair, polls, false);
}

static void
poll_once(void)
{
	forward(NULL, 1);
}

/* The law of the ports, which have sent something. */
static void
finish(void)
{
	forward(NULL, 20);
	rig_finish();
}

static uint64_t
moved(const struct recycle *pair)
{
	return shim_counted(&recycle_count(pair)->moved);
}

/* The series of releases in the table. */
static const struct {
	unsigned int year, month, minor, run;
} all_series[] = {
#define SERIES(year, month, newest, run_64, run_128) \
	{ year, month, newest, RTE_CACHE_LINE_SIZE == 128 ? (run_128) : (run_64) },
	SHIM_SERIES(SERIES)
#undef SERIES
};

/* Let DPDK be the release of its series that was run. Returns false if none was. */
static bool
known_release(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(all_series); i++)
		if (all_series[i].year == YEAR && all_series[i].month == MONTH &&
			all_series[i].run != SHIM_NEVER) {
			snprintf(fixture.version, sizeof(fixture.version), "DPDK %u.%02u.%u",
				all_series[i].year, all_series[i].month, all_series[i].run);
			return true;
		}
	return false;
}

/*
 * In a ring of two batches the counters of Intel's receive queues can never be told apart: it is
 * refused where its layout has to be proved, and recycles where it is known. batch: of the queue.
 */
static void
two_batches(uint16_t batch)
{
	char newer[sizeof(fixture.version)];
	struct zcfwd_recycle_error e;
	struct recycle *pair;

	ports_start(2 * batch, RING);
	assert_null(bind_pair(&e));
	assert_int_equal(e.reason, ZCFWD_RECYCLE_SIZES);
	assert_non_null(strstr(e.text, "to verify the queue layout"));
	memcpy(newer, fixture.version, sizeof(newer));
	if (known_release()) {
		pair = bind_pair(&e);
		assert_string_equal(pair != NULL ? "" : e.text, "");
		forward(pair, POLLS);
		assert_true(moved(pair) > 0);
		recycle_unbind(pair);
	}
	memcpy(fixture.version, newer, sizeof(newer));
	finish();
	ports_start(RING, RING);
}

/* A release to come of this series proves itself, and its pairs move mbufs. */
static void
newer_release(void)
{
	struct recycle *pair;
	struct zcfwd_recycle_error e;
	uint16_t batch;

	ports_start(RING, RING);
	pair = bind_pair(&e);
	assert_string_equal(pair != NULL ? "" : e.text, "");
	print_message("# of this release: by %s\n", recycle_rx_layout(pair));
	batch = pair->rx.batch;
	recycle_unbind(pair);
	release_to_come();
	for (unsigned int again = 0; again < 3; again++) {
		pair = bind_pair(&e);
		assert_string_equal(pair != NULL ? "" : e.text, "");
		assert_string_equal(recycle_rx_layout(pair), "check");
		assert_string_equal(recycle_tx_layout(pair), "check");
		assert_int_equal(recycle_proof(pair), RECYCLE_PROVING);
		forward(pair, POLLS);
		assert_int_equal(recycle_proof(pair), RECYCLE_PROVED);
		assert_true(moved(pair) > 0);
		recycle_unbind(pair);
		/* And without it, so that it is met in any state. */
		forward(NULL, POLLS / (again + 2));
	}
	if (strstr("net_i40e net_ice net_ixgbe", layouts.driver->name) != NULL) {
		finish();
		two_batches(batch);
	}
	fixture.known.tables_only = true;
	assert_null(bind_pair(&e));
	assert_non_null(strstr(e.text, "is newer than the table of layouts"));
	fixture.known.tables_only = false;
	snprintf(fixture.version, sizeof(fixture.version), "DPDK 40.11.0");
	assert_null(bind_pair(&e));
	assert_non_null(strstr(e.text, "unknown queue layout of DPDK 40.11.0"));
	finish();
}

/* Comparisons of Rx queues. */
static unsigned int compared;
static const struct shim_rx_ops *driver_ops;

static enum shim_proof
count_compared(struct shim_rx *rx)
{
	compared++;
	return driver_ops->prove(rx);
}

/*
 * While a Tx queue sends nothing, the pair is not proved. The Rx queue, which has agreed meanwhile, is
 * not compared in each poll: that costs more than all the rest of it.
 */
static void
idle_tx(void)
{
	struct shim_rx_ops ops;
	struct zcfwd_recycle_error e;
	struct recycle *pair;

	ports_start(RING, RING);
	release_to_come();
	pair = bind_pair(&e);
	assert_non_null(pair);
	driver_ops = pair->rx.ops;
	ops = *driver_ops;
	ops.prove = count_compared;
	pair->rx.ops = &ops;
	compared = 0;
	poll(pair, 10 * POLLS, true);
	assert_int_equal(recycle_proof(pair), RECYCLE_PROVING);
	assert_in_range(compared, 1, POLLS);
	forward(pair, POLLS);
	assert_int_equal(recycle_proof(pair), RECYCLE_PROVED);
	assert_true(moved(pair) > 0);
	recycle_unbind(pair);
	finish();
}

/* A window waits for the proof as well: until then no mbuf moves, and no free slot is hidden. */
static void
window_waits(void)
{
	struct recycle_window window = { 0 };
	struct zcfwd_recycle_error e;
	struct recycle *pair;
	unsigned int polls = 0;

	ports_start(WINDOW_RING, WINDOW_RING);
	release_to_come();
	pair = bind_pair(&e);
	assert_non_null(pair);
	assert_int_equal(recycle_window_valid(pair, WINDOW, RIG_BURST, &e), 0);
	recycle_window_open(&window, pair, WINDOW, RIG_BURST);
	assert_ptr_equal(window.pair, pair);
	recycle_window_use(pair, &window);
	for (; recycle_proof(pair) == RECYCLE_PROVING; polls++) {
		assert_true(polls < POLLS && moved(pair) == 0);
		assert_true(window.open == 0 && window.hidden.n == 0);
		forward(pair, 1);
	}
	assert_int_equal(recycle_proof(pair), RECYCLE_PROVED);
	assert_true(polls >= PROOFS);
	assert_int_equal(moved(pair), 0);
	forward(pair, POLLS);
	assert_true(moved(pair) > 0);
	assert_in_range(window.open, WINDOW_RING - WINDOW, WINDOW_RING - 1);
	recycle_window_close(&window, true);
	recycle_unbind(pair);
	finish();
}

/* Whether the release that rte_version() now says has the queues of the one that is installed. */
static bool
is_laid_out_alike(void)
{
	struct shim_laid laid;
	struct zcfwd_recycle_error e;

	for (size_t i = 0; i < ARRAY_SIZE(layouts.driver->tables); i++) {
		const struct shim_table *t = layouts.driver->tables[i];
		const char *row = t != NULL ? shim_layout_find(NULL, t, &laid, &e) : NULL;

		if (t == NULL)
			continue;
		assert_non_null(row);
		assert_int_equal(laid.by, SHIM_BY_CHECK);
		if (memcmp(row + sizeof(struct shim_releases), layouts_right(&layouts, t),
			    t->n_fields * sizeof(uint16_t)) != 0)
			return false;
	}
	return true;
}

/*
 * Releases of which only headers were read prove themselves before they move anything, whether
 * newer releases are accepted or not. Where the queues are others, no harm is done.
 */
static void
never_run(void)
{
	unsigned int alike = 0, others = 0;
	struct zcfwd_recycle_error e;

	for (size_t i = 0; i < ARRAY_SIZE(layouts.driver->tables); i++)
		if (layouts.driver->tables[i] != NULL)
			layouts_right(&layouts, layouts.driver->tables[i]);
	for (size_t i = 0; i < ARRAY_SIZE(all_series); i++) {
		struct recycle *pair;
		bool same;

		if (all_series[i].run != SHIM_NEVER)
			continue;
		snprintf(fixture.version, sizeof(fixture.version), "DPDK %u.%02u.%u",
			all_series[i].year, all_series[i].month, all_series[i].minor);
		same = is_laid_out_alike();
		alike += same;
		others += !same;
		ports_start(RING, RING);
		fixture.known.tables_only = i % 2 == 0;
		pair = bind_pair(&e);
		if (same)
			assert_string_equal(pair != NULL ? "" : e.text, "");
		if (pair != NULL) {
			assert_string_equal(recycle_rx_layout(pair), "check");
			assert_string_equal(recycle_tx_layout(pair), "check");
			assert_int_equal(recycle_proof(pair), RECYCLE_PROVING);
			forward(pair, PROOFS - 1);
			assert_int_equal(moved(pair), 0);
			forward(pair, POLLS);
			assert_int_equal(moved(pair) > 0, recycle_proof(pair) == RECYCLE_PROVED);
			if (same)
				assert_int_equal(recycle_proof(pair), RECYCLE_PROVED);
			recycle_unbind(pair);
		}
		finish();
	}
	print_message("# %u series laid out alike, %u otherwise\n", alike, others);
	assert_true(alike + others > 0);
}

/* Whether a pair moves anything by a layout that binding let pass; ports that it did are as new. */
static bool
believed(void)
{
	struct zcfwd_recycle_error e;
	struct recycle *pair = bind_pair(&e);
	bool moves;

	if (pair == NULL)
		return false;
	forward(pair, POLLS);
	moves = moved(pair) > 0;
	recycle_unbind(pair);
	if (moves)
		rig_renew();
	return moves;
}

/*
 * What a file says is proved as well. Each field in a wrong place is found out, and two fields of one size
 * that have changed places, unless both do no harm, or always have the same value.
 */
static void
wrong_fields(void)
{
	struct zcfwd_recycle_error e;

	ports_start(RING, RING);
	assert_int_equal(layouts_load(&layouts, NULL, &e), 0);
	assert_true(believed());
	layouts_try(&layouts, believed, LAYOUTS_RECYCLING);
	finish();
}

static void
bad_files(void)
{
	static const struct {
		const char *text, *said;
	} rows[] = {
		{ "", "contains no row" },
		{ "i40e_tx 1.2.3 ring=0\n", "'1.2.3': expected " },
		{ "bnxt_tx 22.11.11 ring=0\n", "'bnxt_tx': expected a table" },
		{ "i40e_tx\n", "'': expected " },
		{ "i40e_tx %s ring\n", "'ring': expected field=number" },
		{ "i40e_tx %s ring=70000\n", "'ring=70000': expected a number" },
		{ "i40e_tx %s ring=-1\n", "'ring=-1': expected a number" },
		{ "i40e_tx %s ring=8x\n", "'ring=8x': expected a number" },
		{ "i40e_tx %s wring=8\n", "'wring': expected the name of a field" },
		{ "# none\n\ni40e_tx %s ring=8\n", ":3: i40e_tx: field sw_ring is missing" },
	};
	struct zcfwd_recycle_error e;

	assert_int_equal(layouts_load(&layouts, NULL, &e), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		FILE *f = fopen(layouts.file, "we");

		assert_non_null(f);
		fprintf(f, rows[i].text, strchr(rte_version(), ' ') + 1);
		fclose(f);
		assert_int_not_equal(shim_layout_load(&layouts.rows, layouts.file, &e), 0);
		if (strstr(e.text, rows[i].said) == NULL)
			fail_msg("row %zu: %s", i, e.text);
	}
	assert_int_equal(shim_layout_load(&layouts.rows, "/nowhere/rows", &e), -ENOENT);
	assert_int_equal(shim_layout_load(&layouts.rows, "/dev/zero", &e), -EINVAL);
	assert_non_null(strstr(e.text, "/dev/zero: expected a regular file"));
	assert_int_equal(truncate(layouts.file, 1 << 30), 0);
	assert_int_equal(shim_layout_load(&layouts.rows, layouts.file, &e), -EINVAL);
	assert_non_null(strstr(e.text, "file of 1073741824 bytes: expected at most 1048576"));
}

int
main(void)
{
	static const struct rig_case cases[] = {
		{ "newer_release", newer_release, RIG_EACH, before, after },
		{ "idle_tx", idle_tx, RIG_EACH, before, after },
		{ "window_waits", window_waits, RIG_EACH, before, after },
		{ "never_run", never_run, RIG_EACH, before, after },
		{ "wrong_fields", wrong_fields, RIG_EACH, before, after },
		{ "bad_files", bad_files, RIG_EACH, before, after },
	};

	rig.any_width = true;
	return rig_main(cases, ARRAY_SIZE(cases));
}
