/* Rings of a pipeline: every size and burst, drivers that refuse small bursts, bursts that wrap;
 * nothing lost, order kept. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/ring_link.h"

#include "base/base.h"
#include "base/err.h"
#include "engines/ring/ring_worker.h"
#include "fixtures/engine_fixture.h"
#include "fixtures/ring_wire.h"

#include <rte_malloc.h>
#include <rte_random.h>

/* Move an empty ring's indexes to so many slots before its end. */
static void
wrap_in(struct ring_link *l, unsigned int before_end)
{
	struct rte_ring *r = l->ring;

	r->prod.head = r->prod.tail = r->cons.head = r->cons.tail = r->size - before_end;
}

/* What a worker does: take what there is, put what goes. */
static void
pass(struct ring_link *in, struct ring_link *back, uint16_t max)
{
	struct rte_mbuf *buffer[BURST_MAX];
	unsigned int room = rte_ring_free_count(back->ring);
	struct ring_slots slots;

	max = (uint16_t)RTE_MIN((unsigned int)max, room);
	if (max == 0)
		return;
	slots = ring_link_take(in, buffer, max, ring_link_takes_slots(in));
	if (slots.n == 0)
		return;
	assert_int_equal(ring_link_put(back, &slots, slots.n, ring_link_zero_copy(back)), slots.n);
	ring_link_taken(in, slots.n, ring_link_takes_slots(in));
}

/*
 * Random polls of all three until packets went around the rings several times; then what is left is
 * fetched.
 */
static void
run(unsigned int size, uint16_t burst, uint16_t least, enum ring_wire_mode mode_in,
	enum ring_wire_mode mode_back, bool wait)
{
	struct ring_link *in = ring_wire_link(size, mode_in),
			 *back = ring_wire_link(size, mode_back);
	struct stream *s = ring_wire_stream(burst);
	uint32_t expected = 5 * size + 77;
	uint64_t lost = 0;
	unsigned int idle = 0;

	ring_wire_plug(least);
	while (ring_wire.next_in < expected) {
		uint32_t before = ring_wire.next_in;
		uint16_t dropped = 0, asked = 0;

		ring_wire.waiting = (uint16_t)rte_rand_max(3 * burst);
		if (rte_rand_max(3) > 0) {
			unsigned int room = rte_ring_free_count(in->ring);

			ring_wire.asked = 0;
			ring_link_receive(in, s, wait, &dropped);
			asked = ring_wire.asked;
			/* Never more than was reserved: what came has to go somewhere. */
			assert_true(!wait || asked <= room);
		}
		lost += dropped;
		if (rte_rand_max(3) > 0)
			pass(in, back, burst);
		if (rte_rand_max(3) > 0)
			ring_link_transmit(back, s, NULL);
		idle = ring_wire.next_in == before ? idle + 1 : 0;
		assert_true(idle < 1000); /* however little stands before the wrap, it goes on */
	}
	for (unsigned int i = 0; i < 2 * size; i++) {
		pass(in, back, burst);
		ring_link_transmit(back, s, NULL);
	}
	assert_true(rte_ring_empty(in->ring) && rte_ring_empty(back->ring));
	assert_int_equal(s->count.rx, ring_wire.next_in);
	assert_int_equal(s->count.rx, s->count.tx + lost);
	assert_true(wait ? lost == 0 : lost >= ring_wire.skipped);
	assert_int_equal(in->put.packets, in->take.packets);
	assert_int_equal(back->put.packets, back->take.packets);
	assert_int_equal(back->take.packets, s->count.tx);
	assert_true(in->put.zero_copy + in->put.copied > 0);
	assert_true((mode_back == RING_WIRE_ZC ? back->take.zero_copy : back->take.copied) > 0);
	/* A ring without room for a whole burst, some of which is to be dropped, gets it by copying. */
	if (mode_in == RING_WIRE_ZC && wait)
		assert_int_equal(in->put.copied, 0);
	ring_link_close(in);
	ring_link_close(back);
	ring_wire_close(s);
}

/*
 * Every size with bursts that do not divide it and some that do, every pair of modes, drivers of
 * every kind.
 */
TEST(sizes)
{
	static const uint16_t some_bursts[] = { 5, 32, 48, 100 }, least[] = { 1, 4, 8, 32 };

	for (unsigned int size = 64; size <= 4096; size *= 2)
		for (unsigned int way = 0; way < RING_WIRE_MODES * RING_WIRE_MODES; way++)
			for (unsigned int b = 0; b < ARRAY_SIZE(some_bursts); b++)
				for (unsigned int k = 0; k < ARRAY_SIZE(least); k++) {
					if (some_bursts[b] < least[k])
						continue;
					run(size, some_bursts[b], least[k], way / RING_WIRE_MODES,
						way % RING_WIRE_MODES, k % 2 == 0);
				}
}

/* Any burst there is, on the smallest ring. */
TEST(all_bursts)
{
	for (uint16_t burst = 1; burst <= BURST_MAX; burst += burst < 70 ? 1 : 13)
		for (unsigned int mode = 0; mode < RING_WIRE_MODES; mode++)
			run(64, burst, 1, mode, mode, true);
}

/*
 * One to forty slots before the wrap: the driver is asked once, for the whole burst, and all of it
 * arrives.
 */
TEST(before_wrap)
{
	static const uint16_t least[] = { 4, 8, 32 };

	for (unsigned int k = 0; k < 2 * ARRAY_SIZE(least); k++)
		for (unsigned int slots = 1; slots <= 40; slots++) {
			struct ring_link *l = ring_wire_link(128,
				k % 2 == 0 ? RING_WIRE_ZC : RING_WIRE_COMPRESSED);
			struct stream *s = ring_wire_stream(32);
			uint16_t dropped = 0;

			ring_wire_plug(least[k / 2]);
			wrap_in(l, slots);
			ring_wire.waiting = 32;
			assert_int_equal(ring_link_receive(l, s, true, &dropped), 32);
			assert_int_equal(ring_wire.calls, 1);
			assert_int_equal(ring_wire.asked, 32);
			assert_int_equal(l->put.wraps, l->base == 0 && slots < 32);
			assert_int_equal(ring_link_transmit(l, s, NULL), 32);
			assert_int_equal(ring_wire.next_out, 32);
			assert_int_equal(ring_wire.skipped, 0);
			ring_link_close(l);
			ring_wire_close(s);
		}
}

/*
 * Where fewer come than stand before the wrap, a length counted from the wrap would go negative;
 * where less is reserved than a burst, asking for a burst would write over slots that are not ours.
 */
TEST(short_bursts)
{
	for (unsigned int mode = 0; mode < RING_WIRE_MODES; mode++)
		for (uint16_t come = 0; come <= 20; come++)
			for (unsigned int slots = 1; slots <= 20; slots++) {
				struct ring_link *l = ring_wire_link(64, mode);
				struct stream *s = ring_wire_stream(32);
				uint16_t dropped = 0, n;

				ring_wire_plug(1);
				wrap_in(l, slots);
				/*
				 * 50 of 63 are taken, at the end of which the ring wraps: 13 are
				 * left.
				 */
				ring_wire.waiting = 50;
				n = ring_link_receive(l, s, true, &dropped);
				n += ring_link_receive(l, s, true, &dropped);
				assert_int_equal(n, 50);
				ring_wire.waiting = come;
				n = ring_link_receive(l, s, true, &dropped);
				assert_int_equal(ring_wire.asked, 13);
				assert_int_equal(n, RTE_MIN(come, 13));
				assert_int_equal(rte_ring_count(l->ring), 50 + n);
				while (ring_link_transmit(l, s, NULL) > 0)
					;
				assert_int_equal(ring_wire.next_out, 50 + n);
				assert_int_equal(ring_wire.skipped, 0);
				ring_link_close(l);
				ring_wire_close(s);
			}
}

/*
 * A full ring: packets wait where they are, or are received, dropped and counted; how full it was
 * is counted too.
 */
TEST(full)
{
	for (unsigned int mode = 0; mode < RING_WIRE_MODES; mode++) {
		struct ring_link *l = ring_wire_link(64, mode);
		struct stream *s = ring_wire_stream(32);
		uint16_t dropped = 0;

		ring_wire_plug(1);
		ring_wire.waiting = 200;
		assert_int_equal(ring_link_receive(l, s, true, &dropped), 32);
		assert_int_equal(ring_link_receive(l, s, true, &dropped), 31);
		assert_int_equal(ring_link_receive(l, s, true, &dropped), 0);
		assert_int_equal(dropped, 0);
		assert_int_equal(ring_wire.waiting, 137);
		assert_int_equal(ring_link_receive(l, s, false, &dropped), 0);
		assert_int_equal(dropped, 32);
		assert_int_equal(ring_wire.waiting, 105);
		assert_true(l->put.short_of >= 2);
		assert_int_equal(l->put.fill[8], 1);
		assert_int_equal(l->put.fill[4], 1);
		while (ring_link_transmit(l, s, NULL) > 0)
			;
		assert_int_equal(s->count.tx, 63);
		assert_int_equal(l->take.short_of, 1);
		ring_link_close(l);
		ring_wire_close(s);
	}
}

/* Two lcores' ways into one ring; its packets come out at the owner's. */
TEST(shared)
{
	struct err e = { 0 };
	const struct ring_kind kind = { .size = 64, .socket = SOCKET_ID_ANY, .many_put = true };
	struct ring_link *a = ring_link_open(&kind, NULL, &e), *b = ring_link_open(&kind, a, &e);
	struct stream *s = ring_wire_stream(32);
	struct rte_mbuf *pkts[20];
	struct ring_slots slots = ring_slots_flat(pkts, 20);

	assert_true(a != NULL && b != NULL && a->ring == b->ring && b->owner == a);
	ring_wire_plug(1);
	for (int poll = 0; poll < 50; poll++) {
		struct ring_link *l = poll % 2 == 0 ? a : b;

		ring_wire.waiting = 20;
		assert_int_equal(ring_wire_rx(NULL, pkts, 20), 20);
		assert_int_equal(ring_link_put(l, &slots, 20, poll % 3 > 0), 20);
		atomic_store(&a->zero_copy, poll % 3 > 0);
		assert_int_equal(ring_link_transmit(a, s, NULL), 20);
	}
	assert_int_equal(a->put.packets, 500);
	assert_int_equal(b->put.packets, 500);
	assert_int_equal(a->take.packets, 1000);
	assert_int_equal(ring_wire.next_out, 1000);
	ring_link_close(b);
	ring_link_close(a);
	ring_wire_close(s);
}

/*
 * Marked packets are dropped and counted by reason, those behind move up, in every pattern of
 * eight.
 */
TEST(marks)
{
	for (unsigned int pattern = 0; pattern < 256; pattern++) {
		struct stream *s = ring_wire_stream(32);
		struct rte_mbuf *pkts[8];
		uint16_t kept;

		ring_wire_plug(1);
		ring_wire.waiting = 8;
		assert_int_equal(ring_wire_rx(NULL, pkts, 8), 8);
		for (unsigned int i = 0; i < 8; i++)
			if ((pattern >> i & 1) != 0)
				pkts[i] = ring_mark(pkts[i], RING_NO_ROUTE + i % 3);
		kept = ring_io_sift(s, pkts, 8);
		assert_int_equal(kept, 8 - __builtin_popcount(pattern));
		ring_wire_tx(NULL, pkts, kept);
		assert_int_equal(s->count.absorbed, 8 - kept);
		assert_int_equal(s->count.named[RING_NO_ROUTE] + s->count.named[RING_EXPIRED] +
				s->count.named[RING_MALFORMED],
			8 - kept);
		assert_int_equal(s->count.named[RING_EXPIRED], __builtin_popcount(pattern & 0x92));
		ring_wire_close(s);
	}
}

/* What is left in a ring at the end may be marked: packets that a worker wanted dropped. */
TEST(clear_marked)
{
	for (enum ring_wire_mode mode = 0; mode < RING_WIRE_MODES; mode++) {
		struct ring_link *l = ring_wire_link(64, mode);
		struct stream *s = ring_wire_stream(32);
		struct rte_mbuf *pkts[24];
		struct ring_slots slots = ring_slots_flat(pkts, ARRAY_SIZE(pkts));

		ring_wire_plug(1);
		ring_wire.waiting = ARRAY_SIZE(pkts);
		assert_int_equal(ring_wire_rx(NULL, pkts, ARRAY_SIZE(pkts)), ARRAY_SIZE(pkts));
		for (unsigned int i = 0; i < ARRAY_SIZE(pkts); i++)
			if (i % 3 > 0)
				pkts[i] = ring_mark(pkts[i], RING_NO_ROUTE + i % 4);
		assert_int_equal(ring_link_put(l, &slots, ARRAY_SIZE(pkts), ring_link_zero_copy(l)),
			ARRAY_SIZE(pkts));
		assert_int_equal(ring_link_clear(l), ARRAY_SIZE(pkts));
		ring_link_close(l);
		ring_wire_close(s);
	}
}

TESTS(.setup = engine_fixture_open, .teardown = engine_fixture_close);
