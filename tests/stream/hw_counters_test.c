/* Hardware counters over a made-up source: what passes with packets count, and nothing else. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream/hw_counters.h"

#include "fixtures/engine_fixture.h"
#include "fixtures/perf_source.h"
#include "stream/stream_poll.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

enum { READ_COST = 7 }; /* events that every read is */

extern const struct engine engine_io;

struct beside {
	struct hw_counters *h;
	atomic_bool reading, ended;
};

/* The machine: it has cycles and the raw events 1 and 2, the second of them half of the time. */
static uint64_t ran, enabled, running, reads;

bool
perf_source_event(const struct perf_event_attr *attr, int cpu, struct perf_source_reading *reading)
{
	if (attr->type == PERF_TYPE_HARDWARE && attr->config != PERF_COUNT_HW_CPU_CYCLES)
		return false;
	if (attr->type == PERF_TYPE_RAW && attr->config > 2)
		return false;
	if (reading == NULL)
		return true;
	if (attr->type == PERF_TYPE_HARDWARE) {
		reads++;
		ran += READ_COST;
		*reading = (struct perf_source_reading){ ran, enabled, enabled };
	} else if (attr->config == 1) {
		*reading = (struct perf_source_reading){ 3 * enabled, enabled, enabled };
	} else {
		*reading = (struct perf_source_reading){ 5 * running, enabled, running };
	}
	return true;
}

static struct hw_counters *
begin(void)
{
	struct pmu_choice what;
	struct hw_counters *h;
	struct err e;

	assert_int_equal(
		pmu_choose("/nowhere",
			"cycles=cycles,stalled_frontend=r3,stalled_backend=r3,l1d_refills=r1,l2_refills=r2,"
			"l1d_writebacks=r3,l2_writebacks=r3,l3_refills=r3",
			&what, &e),
		0);
	h = hw_counters_new(&what, SOCKET_ID_ANY);
	assert_non_null(h);
	return h;
}

/* A pass of the loop begins, then takes so long. */
static void
pass(struct hw_counters *h, uint64_t *packets, uint64_t n, uint64_t cycles)
{
	hw_counters_pass(h, 1, *packets, *packets);
	*packets += n;
	ran += cycles;
	enabled += cycles;
	running += cycles;
}

static uint64_t
packets_of(const struct hw_counters *h)
{
	struct hw_count c;

	hw_counters_read(h, &c);
	return c.packets;
}

static void
expect(const struct hw_counters *h, uint64_t packets, uint64_t cycles)
{
	struct hw_count c;

	hw_counters_read(h, &c);
	assert_int_equal(c.packets, packets);
	assert_int_equal(c.event[PMU_CYCLES], cycles);
	assert_int_equal(c.event[PMU_L1D_REFILLS], 3 * cycles);
	assert_true(c.event[PMU_STALLED_BACKEND] == STAT_NONE);
	assert_true(c.event[PMU_MC_REQUESTS] == STAT_NONE);
}

/* All have packets: they count whole, but for those of the window that is still open. */
TEST(busy)
{
	struct hw_counters *h = begin();
	uint64_t packets = 0;

	pass(h, &packets, 32, 100); /* the first: its end is where the window of one pass is full */
	pass(h, &packets, 32, 100);
	expect(h, 32, 100);
	for (unsigned int i = 2; i < 1 + 1 + 2 + 4 + 8; i++)
		pass(h, &packets, 32, 100);
	expect(h, 32 * 15, 100 * 15);
	reads = 0;
	for (unsigned int i = 0; i < 100000; i++)
		pass(h, &packets, 32, 100);
	assert_true(reads > 90 && reads < 110); /* once in 1024 passes */
	assert_int_equal(h->window.length, 1024);
	hw_counters_free(h);
}

/* Passes without packets cost ten times as much here, and none of it is counted. */
TEST(idle)
{
	struct hw_counters *h = begin();
	uint64_t packets = 0, counted;

	for (unsigned int i = 0; i < 5000; i++)
		pass(h, &packets, i % 5 < 2 ? 32 : 0, i % 5 < 2 ? 100 : 1000);
	counted = packets_of(h);
	assert_true(counted >= 32 * 1000); /* of 2000 passes that had some */
	expect(h, counted, counted / 32 * 100);
	hw_counters_free(h);
}

/* Reads until the lcore has ended. Returns how often the counters were not of the same windows. */
static void *
read_beside(void *arg)
{
	struct beside *b = arg;
	uintptr_t torn = 0;
	struct hw_count c;

	while (!atomic_load(&b->ended)) {
		hw_counters_read(b->h, &c);
		torn += c.event[PMU_CYCLES] * 32 != c.packets * 100 ||
			c.event[PMU_L1D_REFILLS] != 3 * c.event[PMU_CYCLES];
		atomic_store(&b->reading, true);
	}
	return (void *)torn;
}

/* Another thread reads while windows end, which is at each pass here. */
TEST(beside)
{
	struct beside b = { .h = begin() };
	uint64_t packets = 0, passes;
	pthread_t reader;
	void *torn;

	pass(b.h, &packets, 32, 100); /* before it the counters are unknown */
	assert_int_equal(pthread_create(&reader, NULL, read_beside, &b), 0);
	for (passes = 1; passes < 200000 || !atomic_load(&b.reading); passes++) {
		b.h->window.length = 1;
		pass(b.h, &packets, 32, 100);
	}
	atomic_store(&b.ended, true);
	assert_int_equal(pthread_join(reader, &torn), 0);
	assert_null(torn);
	expect(b.h, 32 * (passes - 1), 100 * (passes - 1));
	hw_counters_free(b.h);
}

/* An event that had the hardware half of the time counts as if it had had it for all. */
TEST(shares)
{
	struct hw_counters *h = begin();
	uint64_t packets = 0;
	struct hw_count c;

	for (unsigned int i = 0; i < 5000; i++) {
		pass(h, &packets, 32, 100);
		if (i % 100 < 50)
			running -= 100;
	}
	hw_counters_read(h, &c);
	assert_true(c.event[PMU_L2_REFILLS] > c.event[PMU_CYCLES] * 5 * 98 / 100);
	assert_true(c.event[PMU_L2_REFILLS] < c.event[PMU_CYCLES] * 5 * 102 / 100);
	hw_counters_free(h);
}

/* What ran while counting was off does not count when it is on again. */
TEST(switched)
{
	struct hw_counters *h = begin();
	uint64_t packets = 0;

	for (unsigned int i = 0; i < 4; i++)
		pass(h, &packets, 32, 100);
	expect(h, 96, 300);
	packets += 1000000;
	ran += 1000000;
	enabled += 1000000;
	for (unsigned int i = 0; i < 5; i++) {
		hw_counters_pass(h, 2, packets, packets);
		packets += 32;
		ran += 100;
		enabled += 100;
	}
	expect(h, 96 + 4 * 32, 700);
	hw_counters_free(h);
}

/* A machine without any: nobody reads, nothing counts. */
TEST(none)
{
	const struct pmu_choice what = { .lcore[PMU_CYCLES] = { { { PERF_TYPE_RAW, 9, 0, 0, -1 } },
						 1 } };
	struct hw_counters *h = hw_counters_new(&what, SOCKET_ID_ANY);
	uint64_t packets = 0;

	assert_non_null(h);
	assert_int_equal(hw_counters_probe(&what), ENOENT);
	reads = 0;
	for (unsigned int i = 0; i < 10; i++)
		pass(h, &packets, 32, 100);
	assert_int_equal(reads, 0);
	assert_int_equal(packets_of(h), 0);
	hw_counters_free(h);
}

/* A poll of a stream begins a pass of its lcore's loop when asked to, and not otherwise. */
TEST(polls)
{
	struct stream *s = engine_fixture_begin(engine_fixture_stream(&engine_io));
	static const uint8_t frame[64] = { 2 };

	s->siblings = &s;
	s->n_siblings = 1;
	s->hw = begin();
	for (unsigned int on = 0; on < 2; on++) {
		atomic_store(&s->timed, on ? STREAM_TIMED_HARDWARE : 0);
		atomic_store(&s->hw->switched, on);
		for (unsigned int i = 0; i < 8; i++) {
			engine_fixture_put(frame, sizeof(frame), 0);
			engine_fixture_poll(s);
			rte_pktmbuf_free(engine_fixture_take());
		}
		assert_int_equal(packets_of(s->hw), on ? 7 : 0);
	}
	hw_counters_free(s->hw);
	s->hw = NULL;
	engine_fixture_end(s);
}

TESTS(.setup = engine_fixture_open, .teardown = engine_fixture_close);
