/* Packets transmitted out of the slots they were received into: the wrap, changes of mode with
 * packets under way, a worker on another thread. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/ring_in_place.h"

#include "base/base.h"
#include "fixtures/engine_fixture.h"
#include "fixtures/ring_fixture.h"
#include "fixtures/ring_wire.h"
#include "fixtures/wait.h"

#include <rte_random.h>

#include <pthread.h>

enum { SIZE = 64, CHANGES = 3000 };

struct pair {
	struct ring_link *in, *back;
	atomic_bool stop;
};

static struct pair
pair_open(const enum ring_wire_mode *mode)
{
	struct pair p = { .in = ring_wire_link(SIZE, *mode), .back = ring_wire_link(SIZE, *mode) };

	p.back->origin = p.in;
	return p;
}

static void
pair_close(struct pair *p)
{
	ring_link_close(p->back);
	ring_link_close(p->in);
}

/* A worker's poll. */
static void
work(struct pair *p, uint16_t max)
{
	bool zero_copy = ring_link_zero_copy(p->back), in = ring_link_takes_slots(p->in);
	struct rte_mbuf *buffer[BURST_MAX];
	struct ring_slots slots;
	bool in_place;

	if (!ring_in_place_agreed(p->back, zero_copy, &in_place))
		return;
	if (in_place) {
		slots = ring_in_place_take(p->back, buffer, max);
		if (slots.n > 0)
			ring_in_place_pass(p->back, slots.n);
		return;
	}
	max = (uint16_t)RTE_MIN((unsigned int)max, rte_ring_free_count(p->back->ring));
	slots = ring_link_take(p->in, buffer, max, in);
	if (slots.n == 0)
		return;
	assert_int_equal(ring_link_put(p->back, &slots, slots.n, zero_copy), slots.n);
	ring_in_place_left(p->back);
	ring_link_taken(p->in, slots.n, in);
}

/* Modes change all the time, at any fill: all comes out, in order, and each way is used. */
static void
changes(void **state)
{
	struct pair p = pair_open(*state);
	struct stream *s = ring_wire_stream(20);
	uint16_t dropped = 0;

	ring_wire_plug(1);
	for (unsigned int i = 0; i < CHANGES; i++) {
		atomic_store(&p.in->zero_copy, rte_rand_max(2) > 0);
		atomic_store(&p.back->zero_copy, rte_rand_max(2) > 0);
		for (unsigned int k = 0; k < rte_rand_max(12); k++) {
			ring_wire.waiting = (uint16_t)rte_rand_max(30);
			ring_link_receive(p.in, s, true, &dropped);
			if (rte_rand_max(2) > 0)
				work(&p, (uint16_t)(1 + rte_rand_max(30)));
			if (rte_rand_max(2) > 0)
				ring_link_transmit(p.back, s, NULL);
		}
	}
	for (unsigned int i = 0; i < 4 * SIZE; i++) {
		work(&p, 20);
		ring_link_transmit(p.back, s, NULL);
	}
	assert_int_equal(s->count.tx, ring_wire.next_in);
	assert_int_equal(ring_wire.next_out, ring_wire.next_in);
	assert_int_equal(ring_wire.skipped, 0);
	assert_true(p.in->base != 0 || p.back->take.wraps > CHANGES / 100);
	assert_true(p.back->put.copied > CHANGES / 10);
	assert_true(p.back->put.zero_copy > CHANGES / 10);
	assert_int_equal(p.in->put.packets, p.in->take.packets);
	assert_int_equal(p.back->put.packets, p.back->take.packets);
	pair_close(&p);
	ring_wire_close(s);
}

/*
 * Neither is taken from the ring nor sent before the stage has seen it; what it has passed on is.
 */
static void
not_before(void **state)
{
	struct pair p = pair_open(*state);
	struct stream *s = ring_wire_stream(32);
	uint16_t dropped = 0;

	ring_wire_plug(1);
	work(&p, 32);
	ring_wire.waiting = 30;
	assert_int_equal(ring_link_receive(p.in, s, true, &dropped), 30);
	assert_int_equal(ring_link_transmit(p.back, s, NULL), 0);
	work(&p, 7);
	assert_int_equal(ring_link_transmit(p.back, s, NULL), 7);
	assert_int_equal(rte_ring_count(p.in->ring), 23);
	assert_true(rte_ring_empty(p.back->ring));
	work(&p, 32);
	assert_int_equal(ring_link_transmit(p.back, s, NULL), 23);
	pair_close(&p);
	ring_wire_close(s);
}

/*
 * Nothing of the worker's own came through the ring back for as long as its index takes around, while
 * others used it: that is no packet under way.
 */
static void
long_ago(void **state)
{
	static const uint32_t ago[] = { 0, 1, SIZE, INT32_MAX, (uint32_t)INT32_MAX + 1,
		UINT32_MAX - SIZE };
	struct pair p = pair_open(*state);
	bool in_place;

	for (unsigned int i = 0; i < ARRAY_SIZE(ago); i++) {
		ring_fixture_index(p.back, ago[i] + 7);
		p.back->own_end = 7;
		p.back->passed = 0;
		assert_true(ring_in_place_agreed(p.back, true, &in_place) && in_place);
	}
	for (unsigned int n = 1; n <= SIZE; n++) { /* and these are */
		p.back->own_end = p.back->ring->cons.tail + n;
		p.back->passed = 0;
		assert_false(ring_in_place_agreed(p.back, true, &in_place));
	}
	pair_close(&p);
}

/*
 * The I/O lcore saw that packets stay; before it looked further the worker went over to the other
 * way, and on.
 */
static void
late_look(void **state)
{
	struct pair p = pair_open(*state);
	struct stream *s = ring_wire_stream(32);
	uint16_t dropped = 0;
	uint64_t folded;

	ring_wire_plug(1);
	work(&p, 32);
	folded = atomic_load(&p.back->passed);
	assert_true((folded & RING_IN_PLACE) != 0);
	atomic_store(&p.in->zero_copy, false);
	atomic_store(&p.back->zero_copy, false);
	ring_wire.waiting = 30;
	assert_int_equal(ring_link_receive(p.in, s, true, &dropped), 30);
	work(&p, 30);
	assert_true((atomic_load(&p.back->passed) & RING_IN_PLACE) == 0);
	atomic_store(&p.back->passed, folded);
	assert_int_equal(ring_link_transmit(p.back, s, NULL), 30);
	assert_int_equal(ring_wire.skipped, 0);
	pair_close(&p);
	ring_wire_close(s);
}

static void *
worker(void *arg)
{
	struct pair *p = arg;

	engine_fixture_any_cpu();
	while (!atomic_load(&p->stop))
		work(p, 24);
	return NULL;
}

/* The same on two threads; the wire sees what is lost, doubled or out of order. */
static void
threads(void **state)
{
	struct pair p = pair_open(*state);
	struct stream *s = ring_wire_stream(16);
	uint16_t dropped = 0;
	pthread_t thread;
	time_t end = 0;

	ring_wire_plug(1);
	assert_int_equal(pthread_create(&thread, NULL, worker, &p), 0);
	for (unsigned int i = 0; i < CHANGES; i++) {
		atomic_store(&p.in->zero_copy, rte_rand_max(2) > 0);
		atomic_store(&p.back->zero_copy, rte_rand_max(2) > 0);
		for (unsigned int k = 0; k < 100; k++) {
			ring_wire.waiting = 16;
			ring_link_receive(p.in, s, true, &dropped);
			ring_link_transmit(p.back, s, NULL);
		}
	}
	while (s->count.tx < ring_wire.next_in) {
		ring_link_transmit(p.back, s, NULL);
		wait_step(&end, "all packets back from the worker", __FILE__, __LINE__);
	}
	atomic_store(&p.stop, true);
	pthread_join(thread, NULL);
	assert_int_equal(ring_wire.skipped, 0);
	assert_int_equal(ring_wire.next_out, ring_wire.next_in);
	pair_close(&p);
	ring_wire_close(s);
}

int
main(void)
{
	static enum ring_wire_mode zc = RING_WIRE_ZC, compressed = RING_WIRE_COMPRESSED;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(not_before, &zc),
		cmocka_unit_test_prestate(late_look, &zc),
		cmocka_unit_test_prestate(long_ago, &zc),
		cmocka_unit_test_prestate(changes, &zc),
		cmocka_unit_test_prestate(threads, &zc),
		cmocka_unit_test_prestate(not_before, &compressed),
		cmocka_unit_test_prestate(late_look, &compressed),
		cmocka_unit_test_prestate(changes, &compressed),
		cmocka_unit_test_prestate(threads, &compressed),
	};

	return cmocka_run_group_tests(tests, engine_fixture_open, engine_fixture_close);
}
