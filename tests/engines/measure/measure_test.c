/* The engine measure: packets come back whole, in segments, changed, cut, longer or twice, and each
 * is counted for what it is. Every segment lies in its own piece of heap. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "base/setting.h"
#include "engines/measure/measured.h"
#include "engines/measure/probe.h"
#include "engines/measure/sender.h"
#include "fixtures/engine_fixture.h"
#include "fixtures/tsc_script.h"

#include <rte_cycles.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern const struct engine engine_generate, engine_measure;

enum { MOST = 2048, ROUNDS = 400 };

static int
begin(void **state)
{
	struct err e;

	engine_fixture_open(state);
	settings_add(engine_fixture_settings, &engine_generate.settings, &e);
	return settings_add(engine_fixture_settings, &engine_measure.settings, &e);
}

/* What is done to a packet on its way. */
enum { WHOLE, SEGMENTS, HEADER, TWICE, CHANGED, CUT, LONGER, WAYS };

static unsigned int
below(unsigned int n)
{
	return (unsigned int)rand() % n;
}

/* Let a packet come in that way; head: bytes of its headers. */
static void
come_in(uint8_t *bytes, unsigned int n, unsigned int head, unsigned int way)
{
	const unsigned int cut = below(2) ? 0 : n / 8 + 1 + below(60);

	switch (way) {
	case SEGMENTS: engine_fixture_put(bytes, n, n / 8 + 1 + below(n)); return;
	case HEADER: bytes[below(head)] ^= 1; break;
	case TWICE: engine_fixture_put(bytes, n, cut); break;
	case CHANGED: bytes[head + below(n - head)] ^= (uint8_t)(1 << below(8)); break;
	case CUT: n -= 1 + below(n - 1); break;
	case LONGER: n += 1 + below(30); break;
	default: break;
	}
	engine_fixture_put(bytes, n, cut);
}

/* Let the stream receive everything; what it sends meanwhile gets lost. */
static void
settle(struct stream *s)
{
	struct rte_mbuf *m;

	for (unsigned int i = 0; i < 3; i++) {
		engine_fixture_poll(s);
		while ((m = engine_fixture_take()) != NULL)
			rte_pktmbuf_free(m);
	}
}

/* Begin the engine measure in a stream, with traffic as described. */
static void
measure_begin(struct stream *s, struct stream *const streams[1], const char *words)
{
	struct err e;

	engine_fixture_set("generate", words);
	s->siblings = streams;
	s->n_siblings = 1;
	s->tx_end.mtu = 1500;
	s->config = calloc(1, engine_measure.config_size);
	engine_fixture_begin(s);
	assert_int_equal(engine_measure.apply(streams, 1, s->config, false, &e), 0);
}

/* End it. */
static void
measure_end(struct stream *s)
{
	struct stream kept = { .kept = s->kept };

	free(s->config);
	engine_fixture_end(s);
	engine_measure.forget(&kept);
}

static void
ways_back(const char *words, unsigned int head)
{
	struct stream *s = engine_fixture_stream(&engine_measure), *const streams[] = { s };
	uint64_t came[WAYS] = { 0 };
	struct rte_mbuf *m;
	const counter *named = s->count.named;

	measure_begin(s, streams, words);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		engine_fixture_poll(s);
		while ((m = engine_fixture_take()) != NULL) {
			uint8_t bytes[MOST] = { 0 };
			const unsigned int n = m->pkt_len, way = below(WAYS);

			rte_memcpy(bytes, rte_pktmbuf_read(m, 0, n, bytes), n);
			rte_pktmbuf_free(m);
			came[way]++;
			come_in(bytes, n, head, way);
		}
		settle(s);
	}
	assert_int_equal(counter_read(&named[MEASURED_UNIQUE]),
		came[WHOLE] + came[SEGMENTS] + came[HEADER] + came[TWICE]);
	assert_int_equal(counter_read(&named[MEASURED_DUPLICATED]), came[TWICE]);
	assert_int_equal(counter_read(&named[MEASURED_DAMAGED]) +
			counter_read(&named[MEASURED_FOREIGN]),
		came[CHANGED] + came[CUT] + came[LONGER]);
	assert_true(counter_read(&named[MEASURED_DAMAGED]) >= came[CHANGED] / 2);
	assert_int_equal(counter_read(&named[MEASURED_CLOCK]), 0);
	assert_int_equal(counter_read(&named[MEASURED_REORDERED]), 0);
	for (unsigned int way = 0; way < WAYS; way++)
		assert_true(came[way] > 0);
	measure_end(s);
}

TEST(small)
{
	ways_back("flows 3", 42);
}

TEST(of_many_sizes)
{
	ways_back("flows 100 size 60-1514", 42);
}

TEST(tunnelled)
{
	ways_back("flows 7 vlan 5 vxlan 9 src ::1 proto tcp size 200-300", 128);
}

static void
poll_by_script(struct stream *s)
{
	tsc_script_begin();
	engine_fixture_poll(s);
	tsc_script_end();
}

/* One poll at the script's time. Returns packets that went out. */
static unsigned int
poll_at(struct stream *s, uint64_t ticks_later)
{
	struct rte_mbuf *m;
	unsigned int n = 0;

	tsc_script.now += ticks_later;
	poll_by_script(s);
	for (; (m = engine_fixture_take()) != NULL; n++)
		rte_pktmbuf_free(m);
	return n;
}

/*
 * At a million packets per second: what is due is sent; of what was due more than a millisecond ago,
 * nothing is sent and everything is counted. The schedule goes on as if nothing had happened.
 */
TSC_TEST(late)
{
	struct stream *s = engine_fixture_stream(&engine_generate), *const streams[] = { s };
	unsigned int sent;
	uint64_t us;
	struct err e;

	engine_fixture_set("generate", "flows 3");
	engine_fixture_set("generate-rate", "1Mpps");
	s->siblings = streams;
	s->n_siblings = 1;
	s->tx_end.mtu = 1500;
	engine_fixture_begin(s);
	assert_int_equal(engine_generate.apply(streams, 1, NULL, false, &e), 0);
	us = (uint64_t)(s->tsc_hz / 1e6);
	tsc_script = (struct tsc_script){ .now = UINT64_MAX - 5 * us }; /* 0 again meanwhile */
	assert_int_equal(poll_at(s, 0), 1);
	assert_int_equal(poll_at(s, 0), 0);
	assert_in_range(poll_at(s, 10 * us + us / 2), 10, 10);
	assert_int_equal(counter_read(&s->count.named[0]), 0);
	assert_int_equal(poll_at(s, 0), 0);
	sent = poll_at(s, 10000 * us);
	for (unsigned int i = 0; i < 100; i++)
		sent += poll_at(s, 0);
	assert_in_range(sent, 999, 1001);
	assert_in_range(counter_read(&s->count.named[0]), 8999, 9001);
	assert_in_range(sent + counter_read(&s->count.named[0]), 9999, 10001);
	engine_fixture_end(s);
	engine_fixture_set("generate-rate", "max");
}

/* The clock of the receiving lcore is behind: packets are whole, but none has a latency. */
TSC_TEST(clocks)
{
	struct stream *s = engine_fixture_stream(&engine_measure), *const streams[] = { s };
	struct hdr_copy times = { 0 };
	unsigned int n = 0;
	struct rte_mbuf *m;

	measure_begin(s, streams, "flows 3");
	tsc_script = (struct tsc_script){ .now = UINT64_C(1) << 40 };
	poll_by_script(s);
	while ((m = engine_fixture_take()) != NULL) {
		engine_fixture_put(rte_pktmbuf_mtod(m, uint8_t *), m->pkt_len, 0);
		rte_pktmbuf_free(m);
		n++;
	}
	assert_true(n > 0);
	tsc_script.now -= 1000;
	poll_by_script(s);
	settle(s);
	assert_int_equal(counter_read(&s->count.named[MEASURED_UNIQUE]), n);
	assert_int_equal(counter_read(&s->count.named[MEASURED_CLOCK]), n);
	hdr_merge(&times, &((const struct measured *)s->kept)->latency);
	assert_int_equal(times.total, 0);
	measure_end(s);
}

/* Another lcore, which stops sending at that time of the script; 0: never. */
static struct {
	struct measured_config *config;
	uint64_t stops_at, stopped;
} other;

/* In the place of a port's card, from which nothing comes while the streams drain. */
static uint16_t
receive_nothing(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	if (other.stops_at != 0 && other.stopped == 0 && tsc_script.now >= other.stops_at) {
		other.stopped = tsc_script.now;
		atomic_store(&other.config->sending, 0);
	}
	return 0;
}

/*
 * A run receives for measure-drain after the last lcore has stopped sending, not longer, and for two
 * seconds and measure-drain if that lcore does not end.
 */
TSC_TEST(drain)
{
	static const unsigned int stops_ms[] = { 0, 1, 300, 1999 }; /* 0: never */
	const uint64_t ms = rte_get_tsc_hz() / 1000, step = ms / 8;
	eth_rx_burst_t burst;

	engine_fixture_set("measure-drain", "70");
	for (unsigned int i = 0; i < ARRAY_SIZE(stops_ms); i++) {
		struct stream *s = engine_fixture_stream(&engine_measure), *const streams[] = { s };
		uint64_t begin, expected;

		measure_begin(s, streams, "flows 1");
		other.config = (struct measured_config *)(uintptr_t)s->config;
		assert_int_equal(atomic_load(&other.config->sending), 1);
		engine_fixture_poll(s); /* the lcore's only poll */
		assert_int_equal(atomic_load(&other.config->sending), 0);
		begin = (i + 1) * UINT64_C(1000000) * ms;
		tsc_script = (struct tsc_script){ .now = begin, .step = step };
		other.stopped = 0;
		other.stops_at = stops_ms[i] != 0 ? begin + stops_ms[i] * ms : 0;
		atomic_store(&other.config->sending, 1);
		burst = rte_eth_fp_ops[FIXTURE_IN].rx_pkt_burst;
		rte_eth_fp_ops[FIXTURE_IN].rx_pkt_burst = receive_nothing;
		tsc_script_begin();
		engine_measure.drain(streams, 1, begin);
		tsc_script_end();
		rte_eth_fp_ops[FIXTURE_IN].rx_pkt_burst = burst;
		expected = (other.stops_at != 0 ? other.stopped : begin + 2000 * ms) + 70 * ms;
		assert_in_range(tsc_script.now, expected, expected + 4 * step);
		measure_end(s);
	}
	engine_fixture_set("measure-drain", "100");
}

/* What was due when the loop ended is unsent, however much later the lcore goes on. */
TSC_TEST(due_at_end)
{
	const uint64_t ms = rte_get_tsc_hz() / 1000;

	engine_fixture_set("generate-rate", "1kpps");
	engine_fixture_set("generate-late", "0");
	for (unsigned int later = 0; later < 500; later += 400) {
		struct stream *s = engine_fixture_stream(&engine_measure), *const streams[] = { s };

		measure_begin(s, streams, "flows 1");
		tsc_script = (struct tsc_script){ .now = 1000 * ms, .step = 0 };
		poll_by_script(s);
		rte_pktmbuf_free(engine_fixture_take());
		tsc_script = (struct tsc_script){ .now = (1010 + later) * ms + ms / 2, .step = ms };
		tsc_script_begin();
		engine_measure.drain(streams, 1, 1010 * ms + ms / 2);
		tsc_script_end();
		assert_int_equal(counter_read(&s->count.named[MEASURED_UNSENT]), 10);
		measure_end(s);
	}
	engine_fixture_set("generate-late", "1000");
	engine_fixture_set("generate-rate", "max");
}

TESTS(.setup = begin, .teardown = engine_fixture_close);
