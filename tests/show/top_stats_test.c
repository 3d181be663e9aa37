/* Figures of top from streams whose counters the test moves: rates, pictures of burst sizes,
 * orders, what is not known. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "engines/engine.h"
#include "fixtures/eal.h"
#include "fixtures/tsc_script.h"
#include "fixtures/unit.h"
#include "port/port.h"
#include "show/top_priv.h"

#include <rte_cycles.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STREAMS 4

extern const struct engine engine_io, engine_txonly;

struct fixture {
	struct ports ports;
	struct run run;
	struct top_stats figures;
};

static struct stream *
stream(struct fixture *fixture, unsigned int i)
{
	return fixture->run.streams[i];
}

static int
setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct err e;

	assert_non_null(fixture);
	fixture->run.ports = &fixture->ports;
	fixture->run.running = true;
	fixture->run.tsc_hz = (double)rte_get_tsc_hz();
	fixture->run.plan.n_streams = STREAMS;
	/* Before the first start: no stream, no rate. */
	assert_int_equal(top_stats_open(&fixture->figures, &fixture->run, &e), 0);
	top_stats_next(&fixture->figures);
	assert_int_equal(fixture->figures.n, 0);
	assert_true(isnan(fixture->figures.loss));
	top_stats_close(&fixture->figures);
	fixture->run.streams = calloc(STREAMS, sizeof(struct stream *));
	fixture->run.timed_base = calloc(STREAMS, sizeof(*fixture->run.timed_base));
	for (unsigned int i = 0; i < STREAMS; i++) {
		struct stream *s = aligned_alloc(CACHE_PAIR, sizeof(*s));

		memset(s, 0, sizeof(*s));
		s->engine = &engine_io;
		s->burst = 32;
		s->rx_port = s->tx_port = RTE_MAX_ETHPORTS - 1; /* without counters */
		fixture->run.streams[i] = s;
		/* What was before the first look does not count. */
		counter_add(&s->count.rx, 1000000);
		counter_add(&s->count.tx_dropped, 1000000);
		hist_add(&s->rx_bursts, 7);
	}
	assert_int_equal(top_stats_open(&fixture->figures, &fixture->run, &e), 0);
	*state = fixture;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *fixture = *state;

	top_stats_close(&fixture->figures);
	for (unsigned int i = 0; i < STREAMS; i++)
		free(stream(fixture, i));
	free(fixture->run.streams);
	free(fixture->run.timed_base);
	free(fixture);
	return 0;
}

/* Look again, this time after the last look. Between the two stands the code under test alone. */
static void
look_after(struct fixture *fixture, double seconds)
{
	tsc_script.now += (uint64_t)(seconds * (double)rte_get_tsc_hz());
	tsc_script_begin();
	top_stats_next(&fixture->figures);
	tsc_script_end();
}

/* On a scripted TSC: what is shown is exact. */
TSC_TEST(rates)
{
	struct fixture *fixture = *state;
	const struct top_row *row = fixture->figures.row;

	tsc_script.now = UINT64_MAX / 2;
	look_after(fixture, 0);
	counter_add(&stream(fixture, 0)->count.rx, 500);
	counter_add(&stream(fixture, 0)->count.tx_dropped, 20);
	stream(fixture, 0)->timed = STREAM_TIMED_ALL;
	counter_add(&stream(fixture, 0)->count.busy_cycles, 25000);
	stream(fixture, 1)->engine = &engine_txonly;
	counter_add(&stream(fixture, 1)->count.tx, 300);
	look_after(fixture, 2);
	assert_true(fixture->figures.seconds == 2);
	assert_true(row[0].pps == 250 && row[0].tx_pps == 0);
	assert_true(row[1].tx_pps == 150 && fixture->figures.total.tx_pps == 150);
	assert_true(row[0].drops == 10);
	assert_true(row[0].cycles == 50);
	assert_true(row[1].pps == 150);
	assert_true(isnan(row[1].cycles) && isnan(row[1].bps) && isnan(row[1].pool) &&
		isnan(row[1].empty));
	assert_true(fixture->figures.total.pps == 400);
	assert_true(fixture->figures.total.cycles == 25000.0 / 800);
	look_after(fixture, 0.5);
	assert_true(row[0].pps == 0 && row[0].drops == 0 && isnan(row[0].cycles));
}

/* An interval of a run that moved that many packets and dropped some. */
static void
interval(struct fixture *fixture, double seconds, uint64_t packets, uint64_t dropped)
{
	counter_add(&stream(fixture, 0)->count.rx, packets);
	counter_add(&stream(fixture, 0)->count.tx_dropped, dropped);
	look_after(fixture, seconds);
}

/* Of all whole seconds the least rate and the most loss, each with its time; nothing after stop. */
TSC_TEST(worst)
{
	struct fixture *fixture = *state;
	const struct top_stats *f = &fixture->figures;
	const struct top_worst *w = &f->worst;

	tsc_script.now = UINT64_MAX / 2;
	interval(fixture, 0.25, 0, 0);
	fixture->run.begin_tsc = tsc_script.now;
	fixture->figures.worst =
		(struct top_worst){ .cpu_now = NAN, .pps = NAN, .loss = NAN, .cpu = NAN };
	interval(fixture, 0.5, 10, 0); /* half a second is not judged */
	assert_true(w->n == 0 && isnan(w->pps));
	interval(fixture, 0.5, 990, 10);
	assert_true(w->n == 1 && w->pps == 1000 && w->loss == 0.01);
	assert_true(w->pps_at == 1 && w->loss_at == 1);
	interval(fixture, 1, 400, 0); /* slow, without loss */
	interval(fixture, 1, 2000, 400);
	interval(fixture, 1, 3000, 0);
	assert_true(w->n == 4 && w->pps == 400 && w->pps_at == 2);
	assert_true(w->loss == 0.2 && w->loss_at == 3 && isnan(w->cpu));
	assert_true(f->n_history == 6 && f->history[TOP_HISTORY - 1] == 3000 &&
		f->history[TOP_HISTORY - 3] == 400);
	fixture->run.running = false;
	interval(fixture, 1, 0, 0);
	assert_true(w->n == 4 && w->pps == 400);
}

TEST(burst_sizes)
{
	struct fixture *fixture = *state;
	const struct top_row *row = &fixture->figures.row[0];
	struct stream *s = stream(fixture, 0);

	s->record = STREAM_RECORD_BURSTS;
	for (unsigned int i = 0; i < 8; i++) {
		hist_add(&s->rx_bursts, 0);
		hist_add(&s->rx_bursts, 1); /* with 2 in the first of 16 cells */
		hist_add(&s->rx_bursts, 2);
		hist_add(&s->rx_bursts, 3); /* in the second */
	}
	for (unsigned int i = 0; i < 4; i++)
		hist_add(&s->rx_bursts, 31);
	hist_add(&s->rx_bursts, 40); /* more than asked for: with the largest */
	top_stats_next(&fixture->figures);
	assert_int_equal(row->n_spark, 16);
	assert_true(row->spark[0] == 1 && row->spark[1] == 0.5 && row->spark[15] == 5.0 / 16);
	for (unsigned int i = 2; i < 15; i++)
		assert_true(row->spark[i] == 0);
	assert_true(row->empty == 8.0 / 37);
	assert_int_equal(row->p50, 2);
	assert_int_equal(row->p99, 40);
	s->burst = 4;
	hist_add(&s->rx_bursts, 4);
	top_stats_next(&fixture->figures);
	assert_int_equal(row->n_spark, 4);
	assert_true(row->spark[3] == 1 && row->spark[2] == 0);
}

static void
assert_order(struct fixture *fixture, enum top_order order, bool reverse,
	const unsigned int expected[STREAMS])
{
	top_stats_sort(&fixture->figures, order, reverse);
	for (unsigned int i = 0; i < STREAMS; i++)
		assert_int_equal(fixture->figures.row[i].stream, expected[i]);
}

TEST(orders)
{
	struct fixture *fixture = *state;

	counter_add(&stream(fixture, 1)->count.rx, 500);
	counter_add(&stream(fixture, 3)->count.rx, 900);
	stream(fixture, 1)->timed = stream(fixture, 3)->timed = STREAM_TIMED_ALL;
	counter_add(&stream(fixture, 1)->count.busy_cycles, 5000);
	counter_add(&stream(fixture, 3)->count.busy_cycles, 1800);
	top_stats_next(&fixture->figures);
	assert_order(fixture, TOP_STREAM, false, (const unsigned int[]){ 0, 1, 2, 3 });
	assert_order(fixture, TOP_PPS, false, (const unsigned int[]){ 3, 1, 0, 2 });
	assert_order(fixture, TOP_PPS, true, (const unsigned int[]){ 0, 2, 1, 3 });
	assert_order(fixture, TOP_STREAM, true, (const unsigned int[]){ 3, 2, 1, 0 });
	/* What is not known comes last either way. */
	assert_order(fixture, TOP_CYCLES, false, (const unsigned int[]){ 1, 3, 2, 0 });
	assert_order(fixture, TOP_CYCLES, true, (const unsigned int[]){ 3, 1, 2, 0 });
}

static int
open_eal(void **state)
{
	return eal_open("32", "0", "");
}

TESTS(.setup = open_eal, .teardown = eal_close, .before = setup, .after = teardown);
