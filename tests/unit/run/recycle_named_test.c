/* Named pairs: each transmit queue feeds one receive queue, the one that was named last; streams get
 * them, or all queues of their lcore to choose from. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/recycle_named.h"

#include "base/base.h"
#include "base/err.h"
#include "base/setting.h"
#include "engines/engine.h"
#include "fixtures/own_lcores.h"
#include "fixtures/unit.h"
#include "run/run_settings.h"
#include "run/run_start.h"

#include <rte_eal.h>

#include <errno.h>
#include <stdint.h>
#include <string.h>

enum { STREAMS = 2 * RECYCLE_TRAFFIC_QUEUES };

static int
add(struct recycle_named *named, struct recycle_ends ends)
{
	struct err e;

	err_clear(&e);
	return recycle_named_add(named, &ends, &e);
}

static void
tx_queue_leads_to_one(void **state)
{
	/* Pairs as they come, and where the first one's transmit queue leads then. */
	static const struct {
		struct recycle_ends first, second;
		unsigned int n, rx_port;
	} rows[] = {
		{ { 0, 0, 1, 0 }, { 0, 0, 1, 0 }, 1, 0 }, /* the same again */
		{ { 0, 0, 1, 0 }, { 1, 0, 1, 0 }, 1, 1 }, /* leads elsewhere now */
		{ { 0, 0, 1, 0 }, { 0, 0, 1, 1 }, 2, 0 }, /* another queue */
		{ { 0, 0, 1, 0 }, { 0, 0, 0, 0 }, 2, 0 }, /* another port */
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct recycle_named named = { .n = 0 };

		assert_int_equal(add(&named, rows[i].first), 0);
		assert_int_equal(add(&named, rows[i].second), 0);
		assert_int_equal(named.n, rows[i].n);
		assert_int_equal(named.pair[0].rx_port, rows[i].rx_port);
		assert_int_equal(named.pair[0].tx_port, 1);
	}
}

static void
at_most_so_many(void **state)
{
	struct recycle_named named = { .n = 0 };

	for (uint16_t i = 0; i < RECYCLE_PAIRS_MAX; i++)
		assert_int_equal(add(&named, (struct recycle_ends){ 0, 0, 1, i }), 0);
	assert_int_equal(add(&named, (struct recycle_ends){ 0, 0, 1, 99 }), -ENOSPC);
	for (uint16_t i = RECYCLE_PAIRS_MAX; i < RECYCLE_NAMED_MAX; i++)
		assert_int_equal(add(&named, (struct recycle_ends){ 0, i, 1, i }), 0);
	assert_int_equal(add(&named, (struct recycle_ends){ 2, 0, 3, 0 }), -ENOSPC);
	/* One that is there may still be led elsewhere. */
	assert_int_equal(named.n, RECYCLE_NAMED_MAX);
	assert_int_equal(add(&named, (struct recycle_ends){ 2, 0, 1, 0 }), 0);
	assert_int_equal(named.n, RECYCLE_NAMED_MAX);
}

static uint64_t sent[STREAMS];

static const uint64_t *
sent_by(const struct stream *s)
{
	return sent;
}

static const struct engine routes = { .name = "routes", .sent = sent_by },
			   forwards = { .name = "forwards" };

static struct settings *settings;

/* n streams, queue i of port 0 to queue i of port 1, the first of them on lcore 1, the rest on 2. */
static struct stream **
streams_of(const struct engine *engine, unsigned int n, unsigned int on_first)
{
	static struct stream stream[STREAMS], *streams[STREAMS];
	struct err e;

	if (settings == NULL) {
		settings = settings_new();
		assert_int_equal(settings_add(settings, run_settings, run_settings_n, &e), 0);
	}
	memset(stream, 0, sizeof(stream));
	for (unsigned int i = 0; i < n; i++) {
		streams[i] = &stream[i];
		stream[i].rx_queue = stream[i].tx_queue = (uint16_t)i;
		stream[i].tx_port = 1;
		stream[i].lcore = i < on_first ? 1 : 2;
		stream[i].engine = engine;
		stream[i].settings = settings;
		stream[i].siblings = streams;
		stream[i].n_siblings = n;
		stream[i].index = i;
		stream[i].feed = recycle_feed_open(SOCKET_ID_ANY);
		assert_non_null(stream[i].feed);
	}
	return streams;
}

static void
streams_end(struct stream *const *streams, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		recycle_feed_close(streams[i]->feed);
}

/* Each queue may be fed by all transmit queues of its lcore, in the order of its streams. */
static void
lcores_choose(void **state)
{
	static const struct recycle_named traffic = { .traffic = true };
	struct stream *const *streams = streams_of(&routes, 5, 3);
	struct err e;

	assert_int_equal(recycle_named_apply(&traffic, streams, 5, NULL, false, &e), 0);
	for (unsigned int i = 0; i < 5; i++) {
		const unsigned int first = i < 3 ? 0 : 3;
		const struct recycle_feed_pair *pairs;
		unsigned int n;

		pairs = recycle_feed_pairs(streams[i]->feed, &n);
		assert_true(recycle_feed_chooses(streams[i]->feed));
		assert_int_equal(n, i < 3 ? 3 : 2);
		for (unsigned int k = 0; k < n; k++) {
			const struct recycle_ends want = { 0, (uint16_t)i, 1,
				(uint16_t)(first + k) };

			assert_memory_equal(&pairs[k].ends, &want, sizeof(want));
		}
	}
	streams_end(streams, 5);
}

/* An engine that sends by the stream's own queue has nothing to choose. */
static void
nothing_to_choose(void **state)
{
	static const struct recycle_named traffic = { .traffic = true };
	struct stream *const *streams = streams_of(&forwards, 3, 3);
	const struct recycle_feed_pair *pairs;
	struct err e;
	unsigned int n;

	assert_int_equal(recycle_named_apply(&traffic, streams, 3, NULL, false, &e), 0);
	pairs = recycle_feed_pairs(streams[2]->feed, &n);
	assert_int_equal(n, 1);
	assert_int_equal(pairs[0].ends.tx_queue, 2);
	assert_false(recycle_feed_chooses(streams[2]->feed));
	streams_end(streams, 3);
}

/* Blocks of a receive queue's pool come by no transmit queue: one source for each, whatever was named. */
static void
blocks_come_once(void **state)
{
	static const struct recycle_named all[] = { { .traffic = true },
		{ .n = 2, .pair = { { 0, 0, 1, 0 }, { 0, 0, 1, 1 } } } };
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct stream *const *streams = streams_of(&routes, 3, 3);

		assert_int_equal(setting_parse(settings, "recycle-mode", "contig", &e), 0);
		assert_int_equal(recycle_named_apply(&all[i], streams, 3, NULL, false, &e), 0);
		for (unsigned int k = 0; k < 3; k++) {
			unsigned int n;

			recycle_feed_pairs(streams[k]->feed, &n);
			assert_int_equal(n, 1);
			assert_false(recycle_feed_chooses(streams[k]->feed));
		}
		streams_end(streams, 3);
		assert_int_equal(setting_parse(settings, "recycle-mode", "ring", &e), 0);
	}
}

static void
too_many_to_choose(void **state)
{
	static const struct recycle_named traffic = { .traffic = true };
	struct stream *const *streams =
		streams_of(&routes, RECYCLE_TRAFFIC_QUEUES + 1, RECYCLE_TRAFFIC_QUEUES + 1);
	struct err e;

	err_clear(&e);
	assert_int_equal(recycle_named_apply(&traffic, streams, RECYCLE_TRAFFIC_QUEUES + 1, NULL,
				 false, &e),
		-EINVAL);
	assert_non_null(strstr(e.text, "lcore 1 has more than 32 transmit queues"));
	streams_end(streams, RECYCLE_TRAFFIC_QUEUES + 1);
}

static int
group_setup(void **state)
{
	char *args[] = { "recycle_named", "--no-huge", "--no-shconf", "--no-pci", "-m", "64",
		"--no-telemetry", own_lcores("0"), "--log-level=error" };

	return rte_eal_init(ARRAY_SIZE(args), args) == ARRAY_SIZE(args) - 1 ? 0 : -1;
}

static int
group_teardown(void **state)
{
	return rte_eal_cleanup();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tx_queue_leads_to_one),
		cmocka_unit_test(at_most_so_many),
		cmocka_unit_test(lcores_choose),
		cmocka_unit_test(nothing_to_choose),
		cmocka_unit_test(blocks_come_once),
		cmocka_unit_test(too_many_to_choose),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
