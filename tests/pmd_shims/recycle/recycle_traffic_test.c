/* Which transmit queues feed a receive queue, in worlds of traffic on a clock that the test moves. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/recycle_traffic.h"

#include "base/base.h"
#include "fixtures/unit.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HZ = 1000000, TICK = HZ / 1000, RATE = 1000 /* packets a tick */ };

/* What the world did, and how much of it went by queues that fed. */
struct world {
	struct recycle_traffic t;
	uint64_t now, sent[RECYCLE_TRAFFIC_QUEUES];
	uint64_t all, fed, changes, in_second, most_in_second;
	uint32_t ever; /* bits: queues that ever fed */
};

/* Packets of a tick, by queue. */
typedef void packets_of(uint64_t tick, uint64_t *packets);

static void
steady(uint64_t tick, uint64_t *packets)
{
	packets[1] = RATE;
}

static void
flips_each_second(uint64_t tick, uint64_t *packets)
{
	packets[1 + tick / 1000 % 2] = RATE;
}

static void
flips_each_tick(uint64_t tick, uint64_t *packets)
{
	packets[1 + tick % 2] = RATE;
}

static void
three_ports(uint64_t tick, uint64_t *packets)
{
	packets[tick / 1000 % 3] = RATE;
	packets[(tick / 1000 + 1) % 3] = RATE / 2;
}

static void
eight_queues(uint64_t tick, uint64_t *packets)
{
	for (unsigned int i = 0; i < 8; i++)
		packets[i] = RATE / 8;
}

/* More than can feed: half goes by 8 of them, the rest by all. */
static void
thirty_two_queues(uint64_t tick, uint64_t *packets)
{
	for (unsigned int i = 0; i < 32; i++)
		packets[i] = RATE / 64 + (i % 4 == 3 ? RATE / 16 : 0);
}

static void
wanders(uint64_t tick, uint64_t *packets)
{
	packets[tick / 100 % 16] = RATE;
}

/* A packet now and then to where nothing else goes. */
static void
strays(uint64_t tick, uint64_t *packets)
{
	packets[1] = RATE;
	packets[2] = tick % 50 == 0 ? 3 : 0;
}

static void
none(uint64_t tick, uint64_t *packets)
{
}

/* So little that a sample tells nothing. */
static void
trickle(uint64_t tick, uint64_t *packets)
{
	packets[1] = tick % 10 == 0;
}

static void
tick_one(struct world *w, packets_of *traffic)
{
	uint64_t packets[RECYCLE_TRAFFIC_QUEUES] = { 0 };
	uint64_t tick = w->now / TICK;
	bool changed;

	traffic(tick, packets);
	for (unsigned int i = 0; i < w->t.n; i++) {
		w->sent[i] += packets[i];
		w->all += packets[i];
		w->fed += (w->t.feeds >> i & 1) != 0 ? packets[i] : 0;
	}
	w->now += TICK;
	changed = recycle_traffic_sample(&w->t, w->sent, w->now);
	w->changes += changed;
	w->in_second = tick % 1000 == 0 ? changed : w->in_second + changed;
	w->most_in_second = w->in_second > w->most_in_second ? w->in_second : w->most_in_second;
	w->ever |= w->t.feeds;
	assert_int_equal(w->t.feeds & ~w->t.can, 0);
	assert_int_equal(w->t.n_order, __builtin_popcount(w->t.feeds));
	assert_true(w->t.n_order <= RECYCLE_TRAFFIC_FED);
}

static void
run(struct world *w, unsigned int n, uint32_t can, packets_of *traffic, unsigned int ticks)
{
	memset(w, 0, sizeof(*w));
	recycle_traffic_begin(&w->t, n, can, 0, HZ);
	recycle_traffic_sample(&w->t, w->sent, w->now);
	while (ticks-- > 0)
		tick_one(w, traffic);
}

TEST(worlds)
{
	static const struct {
		const char *name;
		packets_of *traffic;
		unsigned int n;
		uint32_t can;
		/* at the end of 10 s */
		unsigned int permille; /* of the packets went by queues that fed, at least */
		unsigned int changes;  /* at most */
		uint32_t feeds;        /* 0: whoever */
	} rows[] = {
		{ "steady", steady, 3, 7, 997, 2, 1 << 1 },
		{ "flips each second", flips_each_second, 3, 7, 975, 22, 0 },
		{ "flips each tick", flips_each_tick, 3, 7, 997, 2, 3 << 1 },
		{ "three ports", three_ports, 3, 7, 950, 30, 0 },
		{ "eight queues", eight_queues, 8, 0xff, 997, 1, 0xff },
		{ "32 queues", thirty_two_queues, 32, UINT32_MAX, 620, 3, 0x88888888 },
		{ "wanders", wanders, 16, 0xffff, 250, 40, 0 },
		{ "strays", strays, 3, 7, 997, 2, 1 << 1 },
		{ "none", none, 3, 7, 0, 0, 1 << 0 },
		{ "trickle", trickle, 3, 7, 0, 2, 0 },
		{ "one cannot", flips_each_second, 3, 3, 490, 2, 0 },
		{ "none can", steady, 3, 0, 0, 0, 0 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		static struct world w;

		run(&w, rows[i].n, rows[i].can, rows[i].traffic, 10000);
		print_message("# %s: %llu of %llu, %llu changes, feeds %x\n", rows[i].name,
			(unsigned long long)w.fed, (unsigned long long)w.all,
			(unsigned long long)w.changes, w.t.feeds);
		assert_true(w.fed * 1000 >= w.all * rows[i].permille);
		assert_true(w.changes <= rows[i].changes);
		assert_true(w.most_in_second <= RECYCLE_TRAFFIC_CHANGES);
		if (rows[i].feeds != 0)
			assert_int_equal(w.t.feeds, rows[i].feeds);
	}
}

/* Who sends the most is drawn from first. */
TEST(most_first)
{
	static struct world w;

	run(&w, 3, 7, three_ports, 500);
	assert_int_equal(w.t.order[0], 0);
	assert_int_equal(w.t.order[1], 1);
	while (w.now < 1500 * TICK)
		tick_one(&w, three_ports);
	assert_int_equal(w.t.order[0], 1);
	assert_int_equal(w.t.order[1], 2);
}

/* A queue that sends nothing feeds for RECYCLE_TRAFFIC_IDLE samples, and no longer. */
TEST(leaves_when_idle)
{
	uint64_t sent[2] = { 0 }, now = 0;
	struct recycle_traffic t;

	recycle_traffic_begin(&t, 2, 3, 0, HZ);
	recycle_traffic_sample(&t, sent, now);
	/* The second time a burst begins the count anew. */
	for (unsigned int again = 0; again < 2; again++) {
		sent[0] += RATE;
		sent[1] += RATE;
		assert_int_equal(recycle_traffic_sample(&t, sent, now += HZ / RECYCLE_TRAFFIC_HZ),
			again == 0);
		for (unsigned int i = 1; i < RECYCLE_TRAFFIC_IDLE; i++) {
			sent[1] += RATE;
			assert_false(
				recycle_traffic_sample(&t, sent, now += HZ / RECYCLE_TRAFFIC_HZ));
			assert_int_equal(t.feeds, 3);
		}
	}
	sent[1] += RATE;
	assert_true(recycle_traffic_sample(&t, sent, now += HZ / RECYCLE_TRAFFIC_HZ));
	assert_int_equal(t.feeds, 2);
}

/*
 * Where two send much the same the order stays, so that receive queues which share them do not all
 * draw from one.
 */
TEST(order_stays_while_even)
{
	uint64_t sent[2] = { 0 }, now = 0;
	struct recycle_traffic t;

	recycle_traffic_begin(&t, 2, 3, 1, HZ);
	recycle_traffic_sample(&t, sent, now);
	for (unsigned int i = 0; i < 100; i++) {
		sent[0] += RATE + (unsigned int)rand() % (RATE / 5);
		sent[1] += RATE;
		recycle_traffic_sample(&t, sent, now += HZ / RECYCLE_TRAFFIC_HZ);
		assert_int_equal(t.n_order, 2);
		assert_int_equal(t.order[0], 1);
	}
	sent[0] += 3 * RATE;
	sent[1] += 2 * RATE;
	recycle_traffic_sample(&t, sent, now += HZ / RECYCLE_TRAFFIC_HZ);
	assert_int_equal(t.order[0], 0);
}

/* Never more changes within any second than said, whatever comes; always who can. */
TEST(never_too_often)
{
	for (unsigned int seed = 0; seed < 200; seed++) {
		const unsigned int n = 1 + (unsigned int)rand() % RECYCLE_TRAFFIC_QUEUES;
		const uint32_t can = (uint32_t)rand() &
			(n == 32 ? UINT32_MAX : (UINT32_C(1) << n) - 1);
		uint64_t sent[RECYCLE_TRAFFIC_QUEUES] = { 0 }, now = 0, at[4096], n_at = 0;
		struct recycle_traffic t;

		recycle_traffic_begin(&t, n, can, (unsigned int)rand() % n, HZ);
		for (unsigned int i = 0; i < 2000; i++) {
			sent[(unsigned int)rand() % n] += (unsigned int)rand() % 5000;
			now += (unsigned int)rand() % (HZ / 10);
			if (recycle_traffic_sample(&t, sent, now))
				at[n_at++] = now;
			assert_int_equal(t.feeds & ~can, 0);
			assert_true(t.n_order <= RECYCLE_TRAFFIC_FED);
		}
		for (unsigned int i = RECYCLE_TRAFFIC_CHANGES; i < n_at; i++)
			assert_true(at[i] - at[i - RECYCLE_TRAFFIC_CHANGES] >= HZ);
	}
}
