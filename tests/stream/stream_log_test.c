/* Timed polls: which are timed, what is kept of them, and that lost ones are counted. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/engine.h"
#include "fixtures/engine_fixture.h"
#include "fixtures/tsc_script.h"
#include "stream/stream_poll.h"

#include <stdlib.h>
#include <string.h>

extern const struct engine engine_io;

TEST(cells)
{
	unsigned int cell;

	assert_int_equal(stream_log_cell(0), 0);
	assert_int_equal(stream_log_cell(UINT32_MAX), STREAM_LOG_CELLS - 1);
	for (cell = 1; cell < STREAM_LOG_CELLS; cell++) {
		uint32_t least = stream_log_cell_least(cell);

		assert_int_equal(stream_log_cell(least), cell);
		assert_int_equal(stream_log_cell(least - 1), cell - 1);
	}
}

TEST(quantiles)
{
	static const struct {
		uint32_t cycles;
		uint64_t polls;
	} polls[] = { { 100, 50 }, { 1000, 40 }, { 70000, 9 }, { UINT32_MAX, 1 } };
	static const struct {
		double share, expected;
	} cases[] = { { 0.001, 100 }, { 0.5, 100 }, { 0.501, 1000 }, { 0.9, 1000 }, { 0.99, 70000 },
		{ 1, UINT32_MAX } };
	struct stream_log_copy c;

	memset(&c, 0, sizeof(c));
	assert_int_equal(stream_log_quantile(&c, 0.5), 0);
	for (size_t i = 0; i < ARRAY_SIZE(polls); i++)
		c.cell[stream_log_cell(polls[i].cycles)] += polls[i].polls;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		double got = stream_log_quantile(&c, cases[i].share);

		assert_true(got > cases[i].expected * 0.93 && got < cases[i].expected * 1.07);
	}
}

/* A log whose places are about to wrap, that keeps all. */
static struct stream_log *
log_open(void)
{
	struct stream_log *log = stream_log_new(1, SOCKET_ID_ANY);

	assert_non_null(log);
	log->head = log->tail = UINT64_MAX - 2;
	assert_int_equal(stream_log_keep(log, 1, SOCKET_ID_ANY), 0);
	log->tail_seen = log->tail;
	return log;
}

static void
add(struct stream_log *log, uint64_t tsc)
{
	log->now = tsc;
	stream_log_add(log, tsc + 1, 2, 3);
}

/*
 * More than fits, across the wrap of the places: the oldest are kept in order, the rest is counted.
 */
TEST(kept)
{
	struct stream_log_poll *got = calloc(STREAM_LOG_POLLS, sizeof(*got));
	struct stream_log *log = log_open();
	struct stream_log_copy c;

	assert_non_null(got);
	for (uint64_t i = 0; i < STREAM_LOG_POLLS + 10; i++)
		add(log, i + 1);
	assert_int_equal(stream_log_fetch(log, got, 1000), 1000);
	assert_int_equal(stream_log_fetch(log, got + 1000, STREAM_LOG_POLLS),
		STREAM_LOG_POLLS - 1000);
	assert_int_equal(stream_log_fetch(log, got, 1), 0);
	for (uint64_t i = 0; i < STREAM_LOG_POLLS; i++) {
		assert_int_equal(got[i].tsc, i + 1);
		assert_int_equal(got[i].cycles, i + 2);
		assert_int_equal(got[i].rx, 2);
		assert_int_equal(got[i].tx, 3);
	}
	stream_log_read(&c, log);
	assert_int_equal(c.lost, 10);
	assert_int_equal(c.polls, STREAM_LOG_POLLS);
	assert_int_equal(c.rx, 2 * STREAM_LOG_POLLS);
	/* There is room again. */
	add(log, 7);
	assert_int_equal(stream_log_fetch(log, got, 2), 1);
	assert_int_equal(got[0].tsc, 7);
	free(got);
	stream_log_free(log);
}

/* What was not fetched is forgotten by the next recording. */
TEST(forgotten)
{
	struct stream_log *log = log_open();
	struct stream_log_poll poll;

	add(log, 1);
	assert_int_equal(stream_log_keep(log, 1, SOCKET_ID_ANY), 0);
	assert_int_equal(stream_log_fetch(log, &poll, 1), 0);
	stream_log_free(log);
}

TEST(saturated)
{
	struct stream_log *log = log_open();
	struct stream_log_poll poll;

	log->now = 1;
	stream_log_add(log, UINT64_C(1) << 40, 70000, 65535);
	assert_int_equal(stream_log_fetch(log, &poll, 1), 1);
	assert_int_equal(poll.cycles, UINT32_MAX);
	assert_int_equal(poll.rx, UINT16_MAX);
	assert_int_equal(poll.tx, UINT16_MAX);
	stream_log_free(log);
}

/* n polls of a stream of io, with a packet each if busy. */
static void
polls(struct stream *s, unsigned int n, bool busy)
{
	static const uint8_t bytes[60] = { 2 };

	for (unsigned int i = 0; i < n; i++) {
		if (busy)
			engine_fixture_put(bytes, sizeof(bytes), 0);
		engine_fixture_poll(s);
		if (busy)
			rte_pktmbuf_free(engine_fixture_take());
	}
}

static struct stream *
io_open(unsigned int every, unsigned char timed)
{
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_io));

	s->log = stream_log_new(every, SOCKET_ID_ANY);
	assert_non_null(s->log);
	s->timed = timed;
	return s;
}

static void
io_close(struct stream *s)
{
	stream_log_free(s->log);
	s->log = NULL;
	engine_fixture_end(s);
}

/* Turns without packets neither count nor are timed. */
TEST(one_of_three)
{
	struct stream *s = io_open(3, STREAM_TIMED_LOG);
	struct stream_log_copy c;

	for (unsigned int i = 0; i < 10; i++) {
		polls(s, 5, false);
		polls(s, 1, true);
	}
	stream_log_read(&c, s->log);
	assert_int_equal(c.polls, 4);
	assert_int_equal(c.rx, 4);
	assert_int_equal(c.tx, 4);
	assert_true(c.cycles > 0);
	assert_int_equal(s->count.busy_cycles, 0);
	io_close(s);
}

/*
 * record-core-cycles beside a recording: all polls are timed for the one, one of four for the other.
 * Each poll reads the TSC twice.
 */
TSC_TEST(both)
{
	struct stream *s = io_open(4, STREAM_TIMED_LOG | STREAM_TIMED_ALL);
	struct stream_log_copy c;

	/* The TSC wraps meanwhile. */
	tsc_script = (struct tsc_script){ .now = UINT64_MAX - 96, .step = 10 };
	tsc_script_begin();
	polls(s, 40, true);
	tsc_script_end();
	stream_log_read(&c, s->log);
	assert_int_equal(c.polls, 10);
	assert_int_equal(c.cycles, 10 * 10);
	assert_int_equal(c.cell[stream_log_cell(10)], 10);
	assert_int_equal(s->count.busy_cycles, 40 * 10);
	assert_int_equal(tsc_script.readings, 40 * 2);
	io_close(s);
}

/* Switched on in the middle of a poll: that poll's counts are not known, so it is none. */
TEST(amid)
{
	struct stream *s = io_open(1, STREAM_TIMED_ALL);
	struct stream_log_copy c;
	uint64_t begin = stream_begin(s, 0);

	s->count.rx = 5;
	s->timed = STREAM_TIMED_ALL | STREAM_TIMED_LOG;
	stream_end(s, begin);
	stream_log_read(&c, s->log);
	assert_int_equal(c.polls, 0);
	/* A source that begins the poll once more, as noisy's, makes it one poll still. */
	begin = stream_begin(s, 0);
	stream_begin(s, 0);
	s->count.rx = 7;
	stream_end(s, begin);
	stream_log_read(&c, s->log);
	assert_int_equal(c.polls, 1);
	assert_int_equal(c.rx, 2);
	s->count.rx = 0;
	io_close(s);
}

/*
 * A poll right after another begins where that one ended, with one look at the clock; nobody's
 * begins nowhere.
 */
TSC_TEST(in_a_row)
{
	struct stream *s = io_open(1, STREAM_TIMED_LOG | STREAM_TIMED_ALL);
	struct stream_log_copy c;
	uint64_t first, ended, second, last;

	tsc_script = (struct tsc_script){ .now = 1000, .step = 70 };
	tsc_script_begin();
	first = stream_begin(s, 0);
	ended = stream_end(s, first);
	tsc_script.now += 100000;
	second = stream_begin(s, ended);
	last = stream_end(s, second);
	tsc_script_end();
	assert_int_equal(first, 1000);
	assert_int_equal(ended, 1070);
	assert_int_equal(second, ended);
	assert_int_equal(last, 1070 + 100070);
	stream_log_read(&c, s->log);
	assert_int_equal(c.polls, 2);
	assert_int_equal(c.cycles, 70 + 100070);
	assert_int_equal(s->count.busy_cycles, 70 + 100070);
	s->timed = 0;
	assert_int_equal(stream_begin(s, last), 0);
	assert_int_equal(stream_end(s, 0), 0);
	io_close(s);
}

TEST(nobody)
{
	struct stream *s = io_open(1, 0);
	struct stream_log_copy c;

	assert_int_equal(stream_begin(s, 0), 0);
	polls(s, 3, true);
	stream_log_read(&c, s->log);
	assert_int_equal(c.polls, 0);
	assert_int_equal(s->count.busy_cycles, 0);
	io_close(s);
}

TESTS(.setup = engine_fixture_open, .teardown = engine_fixture_close);
