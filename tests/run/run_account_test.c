/* The account: each packet of a run is in one part, also with a driver that counts it twice. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/account/run_account.h"

#include "base/base.h"
#include "engines/engine.h"
#include "fixtures/unit.h"
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

enum { NO_ROUTE, UNSENT, FAILED };

static const struct stat_row counters[] = {
	[NO_ROUTE] = { .name = "no_route", .part = STAT_DROPPED },
	[UNSENT] = { .name = "unsent", .part = STAT_UNSENT },
	[FAILED] = { .name = "failed", .part = STAT_DROPPED, .within = "tx_dropped" },
};

static const struct engine_trial trial = { 0 };
static const struct engine forwards = { .name = "io",
	.counters = counters,
	.n_counters = ARRAY_SIZE(counters) },
			   makes = { .name = "generate",
				   .flags = ENGINE_NO_RX | ENGINE_MAKES,
				   .counters = counters,
				   .n_counters = ARRAY_SIZE(counters) },
			   measures = { .name = "measure",
				   .trial = &trial,
				   .flags = ENGINE_MAKES,
				   .counters = counters,
				   .n_counters = ARRAY_SIZE(counters) };

/* One stream from port 0 to port 1, and the account that follows. */
struct one {
	const char *name;
	const struct engine *engine;
	struct stream_count count;
	struct rte_eth_stats rx, tx; /* of port 0, of port 1 */
	struct run_account is;
};

#define NONE STAT_NONE

static const struct one cases[] = {
	{ "all forwarded", &forwards, { .rx = 100, .tx = 100 }, { .ipackets = 100 },
		{ .opackets = 100 },
		{ .asked = 100, .offered = 100, .sent = 100, .lost_on_the_way = NONE } },
	{ "each part", &forwards,
		{ .rx = 100,
			.tx = 60,
			.tx_dropped = 12,
			.absorbed = 28,
			.readonly_dropped = 3,
			.named = { [NO_ROUTE] = 8, [FAILED] = 2 } },
		{ .ipackets = 103, .imissed = 5, .ierrors = 4 }, { .opackets = 53, .oerrors = 7 },
		{ .asked = 112,
			.offered = 112,
			.sent = 53,
			.absorbed = 20,
			.refused = 10,
			.tx_errors = 7,
			.missed = 5,
			.rx_errors = 4,
			.dropped = 13,
			.lost_on_the_way = NONE,
			.lost = 39 } },
	{ "a driver counts refused packets as errors", &forwards, { .rx = 50, .tx_dropped = 50 },
		{ .ipackets = 50 }, { .oerrors = 150 },
		{ .asked = 50,
			.offered = 50,
			.refused = 50,
			.lost_on_the_way = NONE,
			.lost = 50 } },
	{ "it does so for some", &forwards, { .rx = 50, .tx = 20, .tx_dropped = 30 },
		{ .ipackets = 50 }, { .opackets = 20, .oerrors = 31 },
		{ .asked = 50,
			.offered = 50,
			.sent = 20,
			.refused = 30,
			.lost_on_the_way = NONE,
			.lost = 30 } },
	{ "packets wait in the ring", &forwards, { .rx = 50, .tx = 50 }, { .ipackets = 60 },
		{ .opackets = 18 },
		{ .asked = 50, .offered = 50, .sent = 50, .lost_on_the_way = NONE } },
	{ "due and not sent", &makes, { .made = 70, .tx = 70, .named = { [UNSENT] = 30 } },
		{ .imissed = 1000, .ierrors = 9 }, { .opackets = 70 },
		{ .asked = 100,
			.offered = 70,
			.sent = 70,
			.unsent = 30,
			.lost_on_the_way = NONE } },
	{ "packets that come back are no others", &measures,
		{ .made = 70, .rx = 65, .absorbed = 65, .tx = 70 }, { .ipackets = 65 },
		{ .opackets = 70 },
		{ .asked = 70, .offered = 70, .sent = 70, .lost_on_the_way = NONE, .lost = NONE } },
};

static void
account(const struct one *one, struct run_account *a)
{
	struct run *r = calloc(1, sizeof(*r));
	struct run_account_sums *sums = calloc(1, sizeof(*sums));
	static struct stream s;
	struct stream *streams[] = { &s };

	assert_non_null(r);
	assert_non_null(sums);
	s = (struct stream){ .engine = one->engine, .tx_port = 1 };
	r->engine_run = one->engine;
	r->streams = streams;
	r->plan.n_streams = 1;
	run_account_begin(sums, r);
	run_account_add_stream(sums, &s, &one->count);
	run_account_add_port(sums, 0, &one->rx);
	run_account_add_port(sums, 1, &one->tx);
	run_account_add_port(sums, 2, &(struct rte_eth_stats){ .imissed = 5, .oerrors = 5 });
	run_account_end(sums, a);
	free(sums);
	free(r);
}

TEST(each_case)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct run_account a;

		print_message("# %s\n", cases[i].name);
		account(&cases[i], &a);
		for (size_t k = 0; k < run_account_stats.n; k++)
			if (stat_value(&run_account_stats, k, &a) !=
				stat_value(&run_account_stats, k, &cases[i].is))
				fail_msg("%s: %lu, expected %lu", run_account_stats.row[k].name,
					stat_value(&run_account_stats, k, &a),
					stat_value(&run_account_stats, k, &cases[i].is));
	}
}

/* A mirror's clones are in no stream: a port that sends them may report more packets than streams. */
TEST(mirrors)
{
	static struct run_account_sums sums;

	sums.port[1] = (struct run_account_port){ .sends = true, .mirrors = true, .accepted = 10 };
	run_account_add_port(&sums, 1, &(struct rte_eth_stats){ .opackets = 500, .oerrors = 4 });
	assert_int_equal(sums.part[STAT_TX_ERRORS], 4);
}

static struct engine_sums
came_back(struct stream *const *streams, unsigned int n)
{
	return (struct engine_sums){ .due = 100, .sent = 100, .arrived = 80 };
}

/*
 * Ports report some of the packets that did not come back. The others were lost on the way, and each
 * packet is in one part.
 */
TEST(did_not_come_back)
{
	static const struct engine_trial counts = { .sums = came_back };
	static const struct engine engine = { .name = "measure", .trial = &counts };
	static const struct {
		uint64_t missed, rx_errors; /* as ports report them */
		struct run_account is;
	} rows[] = {
		{ 0, 0, { .lost_on_the_way = 20 } },
		{ 5, 0, { .missed = 5, .lost_on_the_way = 15 } },
		{ 5, 4, { .missed = 5, .rx_errors = 4, .lost_on_the_way = 11 } },
		{ 5, 15, { .missed = 5, .rx_errors = 15 } },
		{ 5, 16, { .missed = 5, .rx_errors = 15 } }, /* one was of another source */
		{ 21, 3, { .missed = 20 } },
	};
	struct run *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	r->engine_run = &engine;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct run_account a = { .sent = 100,
			.missed = rows[i].missed,
			.rx_errors = rows[i].rx_errors,
			.lost_on_the_way = NONE,
			.lost = NONE };

		run_account_measured(r, &a);
		assert_int_equal(a.missed, rows[i].is.missed);
		assert_int_equal(a.rx_errors, rows[i].is.rx_errors);
		assert_int_equal(a.lost_on_the_way, rows[i].is.lost_on_the_way);
		assert_int_equal(a.lost, 20);
	}
	free(r);
}
