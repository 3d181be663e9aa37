/* Named generate streams: each has its rate beside the others, ends when it should, and changes while
 * it is sent; by a clock that the test moves. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/lane_run.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "cmdline/grammar/words.h"
#include "engines/measure/lane_show.h"
#include "engines/measure/measured.h"
#include "engines/measure/probe.h"
#include "engines/measure/sender.h"
#include "fixtures/engine_fixture.h"
#include "fixtures/out_check.h"
#include "fixtures/tsc_script.h"

#include <rte_cycles.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct engine engine_generate, engine_measure;

enum { HELD_MAX = 64 };

/* The run of a test: its stream, and what packets of each flow went out. */
static struct {
	struct stream *s, *streams[1];
	struct lanes *lanes;
	uint64_t sent[8192], us;
	uint32_t next[8192]; /* sequence number of each flow's next packet */
	bool keep;           /* packets go back to the receiver */
	bool hold;           /* later, by release() */
	struct rte_mbuf *held[HELD_MAX];
	unsigned int n_held;
} world;

static int
begin(void **state)
{
	struct err e;

	engine_fixture_open(state);
	settings_add(engine_fixture_settings, &engine_generate.settings, &e);
	return settings_add(engine_fixture_settings, &engine_measure.settings, &e);
}

/* Say `set generate stream NAME WORDS`. Returns 0 or -errno. */
static int
say_to(struct lanes *lanes, const char *name, const char *line, struct err *e)
{
	struct words r;
	int ret;

	err_clear(e);
	words_open(&r, line, 0, NULL);
	ret = lanes_set(lanes, name, &r, e);
	words_close(&r);
	return ret;
}

static void
say(const char *name, const char *line)
{
	struct err e;

	say_to(world.lanes, name, line, &e);
	assert_string_equal(e.text, "");
}

/* It is refused, and the message has this part. */
static void
refused(const char *name, const char *line, int code, const char *part)
{
	const unsigned int n = world.lanes->n;
	struct err e;

	assert_int_equal(say_to(world.lanes, name, line, &e), -code);
	if (strstr(e.text, part) == NULL)
		fail_msg("\"%s\" has no \"%s\"", e.text, part);
	assert_int_equal(world.lanes->n, n);
}

/* A stream without lanes yet. */
static void
world_open(const struct engine *engine)
{
	memset(&world, 0, sizeof(world));
	world.s = world.streams[0] = engine_fixture_stream(engine);
	world.s->siblings = world.streams;
	world.s->n_siblings = 1;
	world.s->tx_end.mtu = 1500;
	world.lanes = world.s->config = calloc(1, engine_measure.config_size);
	world.us = (uint64_t)(world.s->tsc_hz / 1e6);
}

static int
world_apply(struct err *e)
{
	err_clear(e);
	return world.s->engine->apply(world.streams, 1, world.s->config, false, e);
}

static void
world_begin(void)
{
	struct err e;

	engine_fixture_begin(world.s);
	world_apply(&e);
	assert_string_equal(e.text, "");
	tsc_script = (struct tsc_script){ .now = UINT64_C(1) << 40 };
}

static void
world_close(void)
{
	const struct engine *engine = world.s->engine;
	struct stream kept = { .kept = world.s->kept };

	engine_fixture_end(world.s);
	engine->forget(&kept);
	lanes_close(world.lanes);
	free(world.lanes);
}

/* Count what went out; every packet of a flow has the number after the one before it. */
static void
take_all(void)
{
	struct rte_mbuf *m;

	while ((m = engine_fixture_take()) != NULL) {
		const uint8_t *bytes = rte_pktmbuf_mtod(m, const uint8_t *);
		struct probe p;

		probe_read(bytes + m->pkt_len - PROBE_BYTES, &p);
		assert_true(p.flow < ARRAY_SIZE(world.sent));
		assert_int_equal(p.sequence, world.next[p.flow]);
		world.next[p.flow]++;
		world.sent[p.flow]++;
		if (world.hold) {
			assert_true(world.n_held < HELD_MAX);
			world.held[world.n_held++] = m;
			continue;
		}
		if (world.keep)
			engine_fixture_put(bytes, m->pkt_len, 0);
		rte_pktmbuf_free(m);
	}
}

static void
poll_once(void)
{
	tsc_script_begin();
	engine_fixture_poll(world.s);
	tsc_script_end();
	take_all();
}

/* Poll every step_us for some time. */
static void
run_us(uint64_t us, uint64_t step_us)
{
	for (uint64_t i = 0; i < us; i += step_us) {
		tsc_script.now += step_us * world.us;
		poll_once();
	}
}

static const struct lane_run *
run_of(unsigned int i)
{
	return world.lanes->last->run[i];
}

static uint64_t
sent_by(unsigned int i)
{
	return counter_read(&run_of(i)->sent);
}

static void
near_to(uint64_t value, double expected, double share)
{
	if ((double)value < expected * (1 - share) - 1 ||
		(double)value > expected * (1 + share) + 1)
		fail_msg("%llu, expected %.1f", (unsigned long long)value, expected);
}

/* 256 lanes with rates of their own, 4 flows each: all within 0.5 %, nothing is late, and the sum is right. */
TSC_TEST(rates)
{
	enum { N = 256 };
	uint64_t sum = 0;

	world_open(&engine_generate);
	for (unsigned int i = 0; i < N; i++) {
		char name[16], line[96];

		snprintf(name, sizeof(name), "s%u", i);
		snprintf(line, sizeof(line), "port %d flows 4 rate %u size %u", FIXTURE_OUT,
			400 + 7 * i, 64 + i);
		say(name, line);
	}
	world_begin();
	run_us(1000000, 20);
	for (unsigned int i = 0; i < N; i++) {
		near_to(sent_by(i), 400 + 7 * i, 0.0025);
		assert_int_equal(counter_read(&run_of(i)->unsent), 0);
		sum += sent_by(i);
	}
	assert_int_equal(sum, counter_read(&world.s->count.tx));
	assert_int_equal(counter_read(&world.s->count.named[SENDER_UNSENT]), 0);
	world_close();
}

/* Lanes at max take turns with what those with a rate leave, and these keep their rates. */
TSC_TEST(turns)
{
	world_open(&engine_generate);
	say("thin", "port 1 rate 10kpps");
	say("x", "port 1");
	say("y", "port 1 size 200");
	say("z", "port 1 rate max count 1000");
	world_begin();
	run_us(200000, 100);
	near_to(sent_by(0), 2000, 0);
	assert_in_range(sent_by(1) - sent_by(2) + 1, 0, 2);
	assert_int_equal(sent_by(3), 1000);
	assert_int_equal(atomic_load(&run_of(3)->phase), LANE_DONE);
	assert_int_equal(sent_by(0) + sent_by(1) + sent_by(2) + sent_by(3), 2000 * 32);
	world_close();
}

/* A count and a duration are exact, and begin again when they are set. */
TSC_TEST(ends)
{
	world_open(&engine_generate);
	say("count", "port 1 rate 10kpps count 777 flows 3");
	say("time", "port 1 rate 10kpps duration 50ms");
	say("off", "port 1 rate 10kpps state off");
	world_begin();
	run_us(200000, 100);
	assert_int_equal(sent_by(0), 777);
	assert_int_equal(sent_by(1), 500);
	assert_int_equal(sent_by(2), 0);
	say("count", "state on");
	say("off", "state on");
	say("time", "rate 20kpps"); /* that does not begin again */
	run_us(200000, 100);
	assert_int_equal(sent_by(0), 2 * 777);
	assert_int_equal(sent_by(1), 500);
	near_to(sent_by(2), 2000, 0);
	say("time", "duration 20ms");
	say("off", "state off");
	run_us(100000, 100);
	assert_int_equal(sent_by(1), 500 + 400);
	near_to(sent_by(2), 2000, 0);
	assert_int_equal(atomic_load(&run_of(2)->phase), LANE_OFF);
	world_close();
}

/* The states that are shown of the lanes, in their order. */
static void
states_shown(const char *const *states, unsigned int n)
{
	struct out_check shown = { 0 };
	const char *at;

	assert_true(out_check_open(&shown));
	out_format_set(shown.out, OUT_JSON);
	out_begin(shown.out, "show generate streams");
	lane_show(world.lanes, shown.out);
	out_end(shown.out, NULL, NULL);
	at = out_check_results(&shown);
	for (unsigned int i = 0; i < n; i++) {
		at = strstr(at, "\"state\": \"");
		assert_non_null(at);
		at += strlen("\"state\": \"");
		assert_memory_equal(at, states[i], strlen(states[i]));
	}
	out_check_close(&shown);
}

/* A lane that is to send has that state from the start on, also while its lcore has not polled. */
TSC_TEST(states)
{
	world_open(&engine_generate);
	say("count", "port 1 rate 10kpps count 5");
	say("off", "port 1 rate 10kpps state off");
	states_shown((const char *[]){ "on\"", "off\"" }, 2);
	world_begin();
	states_shown((const char *[]){ "sending\"", "off\"" }, 2);
	run_us(200, 100);
	states_shown((const char *[]){ "sending\"", "off\"" }, 2);
	run_us(2000, 100);
	states_shown((const char *[]){ "done\"", "off\"" }, 2);
	world_close();
}

/* A delay before the first packet, each time that a lane begins; pauses between bursts. */
TSC_TEST(delays)
{
	world_open(&engine_generate);
	say("late", "port 1 rate 10kpps delay 30ms duration 20ms");
	say("bursts", "port 1 rate 100kpps gaps burst:5:1ms");
	world_begin();
	run_us(29000, 10);
	assert_int_equal(sent_by(0), 0);
	run_us(6000, 10);
	near_to(sent_by(0), 50, 0.1);
	run_us(70000, 10);
	assert_int_equal(sent_by(0), 200);
	near_to(sent_by(1), 500, 0.01); /* 5 every 1.05 ms */
	say("late", "state on");
	run_us(29000, 10);
	assert_int_equal(sent_by(0), 200);
	run_us(11000, 10);
	say("late", "duration 40ms"); /* counted anew, and without a new delay */
	run_us(39000, 10);
	near_to(sent_by(0), 200 + 100 + 390, 0.01);
	say("bursts", "rate max delay 0");
	say("late", "delay 1ms");
	refused("bursts", "delay 1ms", EINVAL, "delay: expected a rate other than max");
	world_close();
}

/* A lane is done when all that it has sent is counted: in the poll behind that of its last packet. */
TSC_TEST(done_when_counted)
{
	world_open(&engine_generate);
	say("one", "port 1 rate 10kpps count 1");
	say("greedy", "port 1 count 1");
	world_begin();
	for (unsigned int polls = 0; polls < 2; polls++) {
		tsc_script.now += 200 * world.us;
		poll_once();
		for (unsigned int i = 0; i < 2; i++) {
			assert_int_equal(sent_by(i), 1);
			assert_int_equal(atomic_load(&run_of(i)->phase),
				polls == 0 ? LANE_SENDING : LANE_DONE);
		}
	}
	world_close();
}

/* What changes while a lane waits for its first packet does not end the delay; a new delay replaces it. */
TSC_TEST(delay_changes)
{
	world_open(&engine_generate);
	say("late", "port 1 rate 1kpps delay 100ms duration 20ms");
	say("other", "port 1 rate 1kpps delay 100ms");
	say("pauses", "port 1 rate 100kpps gaps burst:5:40ms");
	world_begin();
	run_us(10000, 100);
	say("late", "rate 2kpps");
	say("other", "size 100");
	say("pauses", "size 100");
	run_us(20000, 100);
	assert_int_equal(sent_by(0) + sent_by(1), 0);
	assert_int_equal(sent_by(2), 5);
	say("late", "delay 50ms");
	say("other", "delay 10ms");
	run_us(1000, 100);
	near_to(sent_by(1), 1, 0);
	run_us(18000, 100);
	assert_int_equal(sent_by(0), 0);
	assert_int_equal(sent_by(2), 10);
	run_us(100000, 100);
	assert_int_equal(sent_by(0), 40);
	near_to(sent_by(1), 119, 0);
	world_close();
}

/* A new rate acts at the next poll: a gap that began at the old one does not delay it. */
TSC_TEST(rate_changes)
{
	static const struct {
		const char *line;
		double pps;
	} steps[] = { { "rate 1kpps", 1000 }, { "rate 50kpps", 50000 }, { "rate 0.5", 0 },
		{ "rate 20kpps gaps burst:20", 20000 }, { "rate 20kpps gaps even", 20000 } };

	world_open(&engine_generate);
	say("a", "port 1 rate 0.001");
	say("b", "port 1 rate 5kpps");
	world_begin();
	run_us(100000, 100);
	assert_int_equal(sent_by(0), 1);
	for (unsigned int i = 0; i < ARRAY_SIZE(steps); i++) {
		const uint64_t before = sent_by(0);

		say("a", steps[i].line);
		run_us(100000, 100);
		near_to(sent_by(0) - before, steps[i].pps / 10, 0.01);
	}
	near_to(sent_by(1), 5000 * 0.6, 0);
	assert_int_equal(counter_read(&run_of(0)->unsent), 0);
	world_close();
}

/* Packets that the port refuses keep their numbers, and a count is one of sent packets. */
TSC_TEST(refusals)
{
	struct rte_mbuf *m;

	world_open(&engine_generate);
	say("a", "port 1 rate 1Mpps count 3000 flows 3");
	say("b", "port 1 rate 500kpps flows 2");
	world_begin();
	for (unsigned int i = 0; i < 100; i++) { /* nobody takes them: the ring gets full */
		tsc_script.now += 20 * world.us;
		tsc_script_begin();
		engine_fixture_poll(world.s);
		tsc_script_end();
	}
	assert_true(counter_read(&run_of(0)->refused) > 0);
	assert_int_equal(counter_read(&run_of(0)->refused) + counter_read(&run_of(1)->refused),
		counter_read(&world.s->count.tx_dropped));
	take_all();
	run_us(20000, 10);
	assert_int_equal(sent_by(0), 3000);
	while ((m = engine_fixture_take()) != NULL)
		rte_pktmbuf_free(m);
	world_close();
}

/* What is late is counted for the lane that it is of, once, at the end too. */
TSC_TEST(late)
{
	uint64_t unsent;

	world_open(&engine_generate);
	say("a", "port 1 rate 100kpps");
	say("b", "port 1 rate 10kpps");
	world_begin();
	poll_once();
	tsc_script.now += 50000 * world.us;
	for (unsigned int i = 0; i < 50; i++)
		poll_once();
	near_to(counter_read(&run_of(0)->unsent), 4900, 0.001);
	near_to(counter_read(&run_of(1)->unsent), 490, 0.003);
	tsc_script_begin();
	engine_generate.drain(world.streams, 1, tsc_script.now + 11000 * world.us);
	tsc_script_end();
	near_to(counter_read(&run_of(0)->unsent), 4900 + 1000, 0.001);
	unsent = counter_read(&run_of(0)->unsent) + counter_read(&run_of(1)->unsent);
	assert_int_equal(counter_read(&world.s->count.named[SENDER_UNSENT]), unsent);
	world_close();
}

/* Let packets that are held come in. */
static void
release(void)
{
	for (unsigned int i = 0; i < world.n_held; i++) {
		engine_fixture_put(rte_pktmbuf_mtod(world.held[i], uint8_t *),
			world.held[i]->pkt_len, 0);
		rte_pktmbuf_free(world.held[i]);
	}
	world.n_held = 0;
}

/* Packets that are under way while the size changes are whole. */
TSC_TEST(size_changes)
{
	static const char *const sizes[] = { "size 64", "size 300", "size 60-200", "size imix" };
	const counter *named;

	world_open(&engine_measure);
	named = world.s->count.named;
	say("a", "port 1 rate 100kpps flows 7 latency on");
	say("b", "port 1 rate 50kpps flows 2 size 500");
	world_begin();
	world.keep = true;
	for (unsigned int i = 0; i < 40; i++) {
		run_us(1000, 100);
		if (i % 10 != 5)
			continue;
		world.hold = true;
		run_us(200, 100);
		say("a", sizes[i / 10]);
		run_us(200, 100); /* the new size, while packets of the old one are under way */
		assert_true(world.n_held > 40);
		world.hold = false;
		release();
	}
	run_us(100, 100);
	assert_int_equal(counter_read(&named[MEASURED_DAMAGED]), 0);
	assert_int_equal(counter_read(&named[MEASURED_FOREIGN]), 0);
	assert_in_range(counter_read(&world.s->count.tx) - counter_read(&named[MEASURED_UNIQUE]), 0,
		32);
	world.keep = false;
	tsc_script.step = 10 * world.us; /* it waits for measure-drain */
	tsc_script_begin();
	engine_measure.drain(world.streams, 1, tsc_script.now);
	tsc_script_end();
	world_close();
}

static void
start_refused(const char *line, int code, const char *part)
{
	struct err e;

	world_open(&engine_generate);
	world.s->tx_end.line_bps = 1e9;
	say("first", "port 1 rate 500Mbps");
	say("second", line);
	engine_fixture_begin(world.s);
	assert_int_equal(world_apply(&e), -code);
	if (strstr(e.text, part) == NULL)
		fail_msg("\"%s\" has no \"%s\"", e.text, part);
	world_close();
}

TEST(starts_refused)
{
	start_refused("port 1 rate 501Mbps", ERANGE,
		"port 1: rates of 1001 Mbit/s in sum, with gaps: expected at most 1000");
	start_refused("port 0 rate 5", ENODEV,
		"generate stream second: port 0 does not send in this run");
	start_refused("port 1 rate 5 size 1600", ERANGE,
		"generate stream second: generate: size 1600");
}

/* Before a run everything may change; during one what its streams were made for may not. */
TSC_TEST(lines_refused)
{
	world_open(&engine_generate);
	world.s->tx_end.line_bps = 1e9;
	refused("a", "rate 5", EINVAL, "generate stream a: new: expected \"port N\"");
	refused("a", "port 31", ENODEV, "port 31: no such port");
	refused("a", "port 1 size 59", ERANGE, "size 59: expected at least 60 bytes");
	refused("a", "port 1 flows 0", ERANGE, "flows 0: expected at least 1");
	refused("all", "port 1", EINVAL, "stream name \"all\"");
	refused("a b", "port 1", EINVAL, "stream name \"a b\"");
	refused("a23456789012345678901234567890123", "port 1", EINVAL, "up to 31 letters");
	say("a", "port 1 rate 100Mbps size 1000");
	say("far", "port 0 state off");
	refused("a", "size 59 rate 1", ERANGE, "size 59");
	world_begin();
	run_us(1000, 100);
	refused("b", "port 1", EBUSY, "generate stream b: new: Please stop forwarding first");
	refused("a", "dst 1.2.3.4", EBUSY, "dst: Please stop forwarding first");
	refused("a", "port 0", EBUSY, "port: Please stop forwarding first");
	refused("a", "latency on", EBUSY, "latency: Please stop forwarding first");
	refused("a", "rate 1.1Gbps", ERANGE, "rates of 1100 Mbit/s");
	refused("a", "size 1600", ERANGE, "MTU of port 1");
	refused("far", "state on", ENODEV, "port 0 does not send in this run");
	near_to(sent_by(0), 12, 0);
	run_us(100000, 100);
	near_to(sent_by(0), 1e8 / 8 / 1024 * 0.101, 0.001);
	world_close();
}

/* The table has an end, and a deleted lane is gone while its neighbours stay. */
TSC_TEST(table)
{
	struct err e;
	char name[16];

	world_open(&engine_generate);
	for (unsigned int i = 0; i < LANES_MAX; i++) {
		snprintf(name, sizeof(name), "s%u", i);
		say(name, "port 1 rate 1");
	}
	refused("more", "port 1", ENOSPC, "there are 1024 streams already");
	say("s5", "rate 7");
	err_clear(&e);
	assert_int_equal(lanes_delete(world.lanes, "s4", &e), 0);
	assert_int_equal(lanes_delete(world.lanes, "s4", &e), -ENOENT);
	assert_null(lanes_find(world.lanes, "s4"));
	assert_true(lanes_find(world.lanes, "s5")->rate.value == 7);
	assert_int_equal(world.lanes->n, LANES_MAX - 1);
	assert_int_equal(lanes_delete(world.lanes, "all", &e), 0);
	assert_int_equal(world.lanes->n, 0);
	say("again", "port 1");
	world_begin();
	run_us(1000, 100);
	assert_int_equal(lanes_delete(world.lanes, "again", &e), -EBUSY);
	world_close();
}

TESTS(.setup = begin, .teardown = engine_fixture_close);
