/* Recordings on a clock that the test moves: when the recorder wakes, which intervals it writes, and the
 * packets per second that follow from them, exactly. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "engines/engine.h"
#include "fixtures/port_fixture.h"
#include "fixtures/wait.h"
#include "memory/pool.h"
#include "record/record.h"
#include "record/record_priv.h"
#include "run/run.h"
#include "run/run_settings.h"
#include "run/run_start.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define MS UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)
#define BEGIN (999900 * MS) /* what the clock says at the begin of the run */
#define EVERY_MS 250

extern const struct engine engine_io;

/* CLOCK_MONOTONIC, and the recorder's waits for it: each ends when the test takes a turn. */
static struct {
	atomic_bool on, ending;
	atomic_uint waits, turns;
	_Atomic uint64_t now_ns, until_ns; /* until_ns: of the last wait */
} script;

/* The limit of the test's own wait goes by the real clock. */
static _Thread_local bool real_clock;

int
clock_gettime(clockid_t id, struct timespec *t)
{
	if (id != CLOCK_MONOTONIC || !script.on || real_clock)
		return (int)syscall(SYS_clock_gettime, id, t);
	*t = (struct timespec){ (time_t)(script.now_ns / SECOND), (long)(script.now_ns % SECOND) };
	return 0;
}

int
pthread_cond_timedwait(pthread_cond_t *wake, pthread_mutex_t *lock, const struct timespec *until)
{
	const unsigned int turns = script.turns;

	script.until_ns = (uint64_t)until->tv_sec * SECOND + (uint64_t)until->tv_nsec;
	script.waits++;
	while (script.turns == turns && !script.ending)
		pthread_cond_wait(wake, lock);
	return 0;
}

static void
waits_above(unsigned int waits)
{
	real_clock = true;
	WAIT_UNTIL(script.waits > waits);
	real_clock = false;
}

/* A run of one stream, the recording of it, and what was recorded. */
static struct {
	struct run run;
	struct pools pools;
	struct stream *stream, *streams[1];
	struct record *rec;
	char path[32], bursts[48];
	FILE *file;
	char *line;
	size_t bytes;
} w;

/* Packets that the stream and its port have received so far. */
static void
received(uint64_t packets)
{
	counter_add(&w.stream->count.rx, packets - counter_read(&w.stream->count.rx));
	port_fixture_counters(packets, 0);
}

static int
world_open(void **state)
{
	struct app *app = *state;
	struct err e;
	int fd;

	memset(&w, 0, sizeof(w));
	strcpy(w.path, "/tmp/recordXXXXXX");
	fd = mkstemp(w.path);
	if (fd < 0)
		return -1;
	close(fd);
	snprintf(w.bursts, sizeof(w.bursts), "%s.bursts", w.path);
	w.stream = w.streams[0] = aligned_alloc(CACHE_PAIR, sizeof(*w.stream));
	memset(w.stream, 0, sizeof(*w.stream));
	w.stream->engine = &engine_io;
	pthread_mutex_init(&w.run.lock, NULL);
	w.run.settings = app->settings;
	w.run.ports = &app->ports;
	w.run.pools = &w.pools;
	w.run.engine = w.run.engine_run = &engine_io;
	w.run.streams = w.streams;
	w.run.plan.n_streams = 1;
	w.run.choice.use_ports = 1;
	received(0);
	w.rec = record_new(&w.run, "1.2.3", &e);
	memset(&script, 0, sizeof(script));
	script.now_ns = BEGIN;
	script.on = true;
	return w.rec != NULL ? 0 : -1;
}

static int
world_close(void **state)
{
	script.ending = true;
	record_free(w.rec);
	script.on = false;
	stream_log_free(w.stream->log);
	free(w.stream);
	if (w.file != NULL)
		fclose(w.file);
	free(w.line);
	unlink(w.path);
	unlink(w.bursts);
	return 0;
}

/* Record; polls: one in that many is kept, 0: none. */
static void
start(unsigned int polls)
{
	const struct record_plan plan = { .every_ms = EVERY_MS,
		.bursts = polls,
		.overwrite = true };
	struct err e;

	assert_int_equal(record_start(w.rec, w.path, &plan, &e), 0);
}

static void
run_begins(void)
{
	w.run.running = true;
	w.run.observer.begin(w.run.observer.context);
	waits_above(0);
}

/* The recorder wakes at that time. Returns until when it waits then. */
static uint64_t
turn(uint64_t at_ns)
{
	const unsigned int waits = script.waits;

	pthread_mutex_lock(&w.rec->lock);
	script.now_ns = BEGIN + at_ns;
	script.turns++;
	pthread_cond_signal(&w.rec->wake);
	pthread_mutex_unlock(&w.rec->lock);
	waits_above(waits);
	return script.until_ns - BEGIN;
}

static void
stop_at(uint64_t at_ns)
{
	struct err e;

	script.now_ns = BEGIN + at_ns;
	script.ending = true;
	w.run.observer.end(w.run.observer.context);
	w.run.running = false;
	assert_int_equal(record_stop(w.rec, &e), 0);
	w.file = fopen(w.path, "r");
	assert_non_null(w.file);
}

static uint64_t
number(const char *key)
{
	char quoted[32];
	const char *at;

	snprintf(quoted, sizeof(quoted), "\"%s\": ", key);
	at = strstr(w.line, quoted);
	assert_non_null(at);
	return strtoull(at + strlen(quoted), NULL, 10);
}

/* The next line is of that type and time. */
static void
line_next(const char *type, uint64_t at_ns)
{
	char begin[96];

	assert_true(getline(&w.line, &w.bytes, w.file) > 0);
	snprintf(begin, sizeof(begin), "{\"type\": \"%s\", \"run\": 1, \"mono_ns\": %" PRIu64 ", ",
		type, BEGIN + at_ns);
	assert_memory_equal(w.line, begin, strlen(begin));
}

static void
head_next(const char *late)
{
	assert_true(getline(&w.line, &w.bytes, w.file) > 0);
	assert_int_equal(number("every_ms"), EVERY_MS);
	line_next("begin", 0);
	assert_non_null(strstr(w.line, late));
}

/* Packets of the stream and of its port, and both per second. */
static void
line_counts(uint64_t dt_ns, uint64_t packets, uint64_t per_second)
{
	assert_int_equal(number("dt_ns"), dt_ns);
	assert_int_equal(number("rx"), packets);
	assert_int_equal(number("rx_packets"), packets);
	assert_int_equal(packets * SECOND, per_second * dt_ns);
}

/* Lines are due at multiples of 250 ms from the begin, however late one is. */
TEST(intervals)
{
	static const struct {
		uint64_t at_ns, packets;    /* packets: so far */
		uint64_t dt_ms, per_second; /* of the line; 0: none */
		uint64_t wake_ms, late;     /* late: lines that were left out so far */
	} steps[] = {
		{ 250 * MS, 1000, 250, 4000, 500, 0 },
		{ 400 * MS, 1400, 0, 0, 500, 0 },
		{ 500 * MS - 1, 1999, 0, 0, 500, 0 },
		{ 500 * MS, 2000, 250, 4000, 750, 0 },
		{ 1300 * MS, 10000, 800, 10000, 1500, 2 },
		{ 1500 * MS, 10100, 200, 500, 1750, 2 },
		{ 1999 * MS, 10599, 499, 1000, 2000, 2 },
		{ 2000 * MS, 10600, 1, 1000, 2250, 2 },
	};
	const uint64_t end_ns = 2333 * MS + MS / 2;
	uint64_t before = 0;

	start(0);
	run_begins();
	assert_int_equal(script.until_ns, BEGIN + EVERY_MS * MS);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		received(steps[i].packets);
		assert_int_equal(turn(steps[i].at_ns), steps[i].wake_ms * MS);
		assert_int_equal(w.rec->skipped, steps[i].late);
	}
	received(10600 + 667);
	stop_at(end_ns);
	head_next("\"late\": false");
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		if (steps[i].dt_ms == 0)
			continue;
		line_next("interval", steps[i].at_ns);
		line_counts(steps[i].dt_ms * MS, steps[i].packets - before, steps[i].per_second);
		before = steps[i].packets;
	}
	line_next("interval", end_ns);
	line_counts(end_ns - 2000 * MS, 667, 2000);
	line_next("end", end_ns);
	assert_int_equal(number("dt_ns"), end_ns);
	assert_int_equal(number("rx"), 10600 + 667);
}

/* Polls that are kept are fetched every 2 ms; lines are due as before. */
TEST(polls_fetched)
{
	static const struct {
		uint64_t at_ms, wake_ms;
	} steps[] = { { 2, 4 }, { 100, 102 }, { 248, 250 }, { 249, 250 }, { 250, 252 },
		{ 499, 500 }, { 501, 503 } };

	start(1);
	run_begins();
	assert_int_equal(script.until_ns, BEGIN + 2 * MS);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		assert_int_equal(turn(steps[i].at_ms * MS), steps[i].wake_ms * MS);
	stop_at(501 * MS);
	head_next("\"late\": false");
	line_next("interval", 250 * MS);
	line_next("interval", 501 * MS);
	assert_int_equal(number("dt_ns"), 251 * MS);
}

/* A recording that starts amid a run counts time and packets from there. */
TEST(amid)
{
	received(5000);
	w.run.running = true;
	start(0);
	waits_above(0);
	received(6200);
	assert_int_equal(turn(EVERY_MS * MS), 2 * EVERY_MS * MS);
	stop_at(300 * MS);
	head_next("\"late\": true");
	line_next("interval", EVERY_MS * MS);
	line_counts(EVERY_MS * MS, 1200, 4800);
	line_next("interval", 300 * MS);
	line_counts(50 * MS, 0, 0);
	line_next("end", 300 * MS);
	line_counts(300 * MS, 1200, 4000);
}

static int
setup(void **state)
{
	if (port_fixture_setup(state) != 0)
		return -1;
	settings_keep(((struct app *)*state)->settings);
	return 0;
}

TESTS(.setup = setup, .teardown = port_fixture_teardown, .before = world_open,
	.after = world_close);
