/* Named pairs: each transmit queue feeds one receive queue, the one that was named last; streams get
 * them, or all queues of their lcore to choose from. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/recycle_named.h"

#include "base/base.h"
#include "base/err.h"
#include "base/setting.h"
#include "engines/engine.h"
#include "fixtures/eal.h"
#include "fixtures/unit.h"
#include "run/run_settings.h"
#include "run/run_start.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

enum { STREAMS = 2 * ZCFWD_RECYCLE_BOUND };

static int
add(struct recycle_named *named, struct recycle_queues ends)
{
	struct err e;

	err_clear(&e);
	return recycle_named_add(named, &ends, &e);
}

TEST(tx_queue_leads_to_one)
{
	/* Pairs as they come, and where the first one's transmit queue leads then. */
	static const struct {
		struct recycle_queues first, second;
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

TEST(at_most_so_many)
{
	struct recycle_named named = { .n = 0 };

	for (uint16_t i = 0; i < ZCFWD_RECYCLE_FEEDING; i++)
		assert_int_equal(add(&named, (struct recycle_queues){ 0, 0, 1, i }), 0);
	assert_int_equal(add(&named, (struct recycle_queues){ 0, 0, 1, 99 }), -ENOSPC);
	for (uint16_t i = ZCFWD_RECYCLE_FEEDING; i < RECYCLE_NAMED_MAX; i++)
		assert_int_equal(add(&named, (struct recycle_queues){ 0, i, 1, i }), 0);
	assert_int_equal(add(&named, (struct recycle_queues){ 2, 0, 3, 0 }), -ENOSPC);
	/* One that is there may still be led elsewhere. */
	assert_int_equal(named.n, RECYCLE_NAMED_MAX);
	assert_int_equal(add(&named, (struct recycle_queues){ 2, 0, 1, 0 }), 0);
	assert_int_equal(named.n, RECYCLE_NAMED_MAX);
}

TEST(window_words)
{
	static const char *const bad[] = { "", "63", "32769", "-256", "256x", "on", "0x100" };
	struct err e = { 0 };
	uint16_t size = 7;

	assert_int_equal(recycle_window_parse("off", &size, &e), 0);
	assert_int_equal(size, ZCFWD_RECYCLE_WINDOW_OFF);
	assert_int_equal(recycle_window_parse("auto", &size, &e), 0);
	assert_int_equal(size, ZCFWD_RECYCLE_WINDOW_AUTO);
	assert_int_equal(recycle_window_parse("32768", &size, &e), 0);
	assert_int_equal(size, 32768);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(recycle_window_parse(bad[i], &size, &e), -EINVAL);
		assert_int_equal(size, 32768);
		assert_non_null(strstr(e.text, bad[i]));
	}
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
		assert_int_equal(settings_add(settings, &run_settings, &e), 0);
		assert_int_equal(settings_add(settings, &run_recycle_settings, &e), 0);
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
		stream[i].feed = zcfwd_recycle_create(0, (uint16_t)i, NULL);
		assert_non_null(stream[i].feed);
	}
	return streams;
}

static void
streams_end(struct stream *const *streams, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		zcfwd_recycle_destroy(streams[i]->feed);
}

/* Each queue may be fed by all transmit queues of its lcore, in the order of its streams. */
TEST(lcores_choose)
{
	static const struct recycle_named traffic = { .traffic = true };
	struct stream *const *streams = streams_of(&routes, 5, 3);
	struct err e;

	assert_int_equal(recycle_named_apply(&traffic, streams, 5, &e), 0);
	for (unsigned int i = 0; i < 5; i++) {
		const unsigned int first = i < 3 ? 0 : 3;
		struct zcfwd_recycle_pair pairs[STREAMS];
		const unsigned int n =
			zcfwd_recycle_pairs(streams[i]->feed, pairs, sizeof(pairs[0]), STREAMS);

		assert_true(streams[i]->recycle_traffic);
		assert_int_equal(n, i < 3 ? 3 : 2);
		for (unsigned int k = 0; k < n; k++) {
			assert_int_equal(pairs[k].tx.port, 1);
			assert_int_equal(pairs[k].tx.queue, first + k);
		}
	}
	streams_end(streams, 5);
}

/* An engine that sends by the stream's own queue has nothing to choose. */
TEST(nothing_to_choose)
{
	static const struct recycle_named traffic = { .traffic = true };
	struct stream *const *streams = streams_of(&forwards, 3, 3);
	struct zcfwd_recycle_pair pairs[STREAMS];
	struct err e;

	assert_int_equal(recycle_named_apply(&traffic, streams, 3, &e), 0);
	assert_int_equal(zcfwd_recycle_pairs(streams[2]->feed, pairs, sizeof(pairs[0]), STREAMS),
		1);
	assert_int_equal(pairs[0].tx.queue, 2);
	assert_false(streams[2]->recycle_traffic);
	streams_end(streams, 3);
}

/* Blocks of a receive queue's pool come by no transmit queue: one source for each, whatever was named. */
TEST(blocks_come_once)
{
	static const struct recycle_named all[] = { { .traffic = true },
		{ .n = 2, .pair = { { 0, 0, 1, 0 }, { 0, 0, 1, 1 } } } };
	struct err e;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct stream *const *streams = streams_of(&routes, 3, 3);

		assert_int_equal(setting_parse(settings, "recycle-mode", "contig", &e), 0);
		assert_int_equal(recycle_named_apply(&all[i], streams, 3, &e), 0);
		for (unsigned int k = 0; k < 3; k++) {
			assert_int_equal(zcfwd_recycle_pairs(streams[k]->feed, NULL, 0, 0), 1);
			assert_false(streams[k]->recycle_traffic);
		}
		streams_end(streams, 3);
		assert_int_equal(setting_parse(settings, "recycle-mode", "ring", &e), 0);
	}
}

TEST(too_many_to_choose)
{
	static const struct recycle_named traffic = { .traffic = true };
	struct stream *const *streams =
		streams_of(&routes, ZCFWD_RECYCLE_BOUND + 1, ZCFWD_RECYCLE_BOUND + 1);
	struct err e;

	err_clear(&e);
	assert_int_equal(recycle_named_apply(&traffic, streams, ZCFWD_RECYCLE_BOUND + 1, &e),
		-EINVAL);
	assert_non_null(strstr(e.text, "lcore 1 has more than 32 transmit queues"));
	streams_end(streams, ZCFWD_RECYCLE_BOUND + 1);
}

static int
group_setup(void **state)
{
	static const struct rte_eth_conf conf;

	assert_int_equal(eal_open("64", "0", "--vdev=net_null0"), 0);
	/* The port has the queues, and never starts. */
	return rte_eth_dev_configure(0, STREAMS, STREAMS, &conf);
}

TESTS(.setup = group_setup, .teardown = eal_close);
