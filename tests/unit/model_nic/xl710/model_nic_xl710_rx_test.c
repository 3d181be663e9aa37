/* Receive descriptors of the XL710: armed by hand as a driver would, written back by the family;
 * counters and interrupts of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/model_nic/model_nic_xl710_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { NOT_WRITTEN = 0x5a };

static const uint16_t sizes[] = { 64, 96, 512, 4096 };
enum { N_SIZES = sizeof(sizes) / sizeof(sizes[0]) };

static void
tail(const struct ring *r, unsigned at)
{
	*r->tail = at;
}

/* Arm n descriptors from at on. */
static void
arm(const struct ring *r, unsigned at, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t *q = fixture_quads(r, (at + i) % r->size);

		q[0] = fixture_buffer_of((at + i) % r->size);
		q[1] = 0;
		if (r->desc_size == 32)
			q[2] = q[3] = NOT_WRITTEN;
	}
	tail(r, (at + n) % r->size);
}

static struct ring *
rx_ring(uint16_t size, bool desc_32)
{
	fixture_vsi(6, false);
	return fixture_rx_on(FIXTURE_QUEUE,
		(struct fixture_rx){ size, FIXTURE_ROOM, 9022, desc_32, false });
}

static uint16_t
peek(struct ring *r, struct frame *f, uint16_t max)
{
	return fixture.family->rx_peek(&fixture, r, f, max);
}

static void
give(struct ring *r, const struct frame *f, uint16_t n)
{
	fixture.family->rx_give(&fixture, r, f, n);
}

/*
 * Every ring size, both formats, batches that cross the end; each descriptor is written once, in
 * order, and no other.
 */
static void
test_rx_rounds(void **state)
{
	struct frame f[MODEL_BURST];

	for (unsigned k = 0; k < 2 * N_SIZES; k++) {
		struct ring *r = rx_ring(sizes[k / 2], k % 2 != 0);
		unsigned at = 0;
		uint64_t before = r->packets;

		memset(fixture_rx_desc, 0, (size_t)r->size * r->desc_size);
		for (unsigned round = 0; round < 3u * r->size / 37 + 3; round++) {
			uint16_t n;

			arm(r, at, 37);
			n = peek(r, f, MODEL_BURST);
			assert_int_equal(n, 37);
			for (unsigned i = 0; i < n; i++) {
				assert_int_equal((uint64_t)(uintptr_t)f[i].data,
					fixture_buffer_of((at + i) % r->size));
				assert_int_equal(f[i].len, FIXTURE_ROOM);
				assert_int_equal(f[i].flags, 0);
				f[i].len = 60 + i;
				f[i].flags = FRAME_EOP;
			}
			give(r, f, n);
			for (unsigned i = 0; i < n; i++) {
				uint64_t *q = fixture_quads(r, (at + i) % r->size);

				assert_int_equal(q[0], 0);
				assert_int_equal(q[1],
					(uint64_t)(60 + i) << 38 | UINT64_C(1) << 30 | 3);
				if (r->desc_size == 32)
					assert_int_equal(q[2], NOT_WRITTEN);
			}
			at = (at + 37) % r->size;
			assert_int_equal(r->head, at);
			assert_true(round > 0 || fixture_quads(r, at)[1] == 0);
		}
		assert_int_equal(r->packets - before, 37 * (3u * r->size / 37 + 3));
	}
}

static void
test_rx_tail(void **state)
{
	struct frame f[MODEL_BURST];
	struct ring *r = rx_ring(64, true);

	assert_int_equal(peek(r, f, MODEL_BURST), 0); /* tail at head: none */
	arm(r, 0, 63);
	assert_int_equal(peek(r, f, MODEL_BURST), 63);
	assert_int_equal(peek(r, f, 5), 5);
	assert_int_equal((uintptr_t)fixture.family->buffer(r, 7, true), fixture_buffer_of(7));
	assert_int_equal(peek(r, f, 0), 0);
	tail(r, 64); /* beyond the ring */
	assert_int_equal(peek(r, f, MODEL_BURST), 0);
	tail(r, UINT32_MAX);
	assert_int_equal(peek(r, f, MODEL_BURST), 0);
	r->head = 60;
	tail(r, 10);
	assert_int_equal(peek(r, f, MODEL_BURST), 14);
	atomic_store(&fixture.link_up, false);
	fixture.family->link(&fixture, false);
	assert_int_equal(peek(r, f, MODEL_BURST), 0); /* nothing comes over no link */
}

/* Each flag, as the descriptor says it. */
static void
test_rx_flags(void **state)
{
	enum { TYPE = 30 };
	static const struct {
		uint16_t flags;
		uint64_t word;
	} rows[] = {
		{ FRAME_EOP, UINT64_C(1) << TYPE },
		{ FRAME_EOP | FRAME_IPV4, UINT64_C(23) << TYPE | 8 },
		{ FRAME_EOP | FRAME_IPV4 | FRAME_UDP, UINT64_C(24) << TYPE | 8 },
		{ FRAME_EOP | FRAME_IPV4 | FRAME_TCP, UINT64_C(26) << TYPE | 8 },
		{ FRAME_EOP | FRAME_IPV6, UINT64_C(89) << TYPE | 8 },
		{ FRAME_EOP | FRAME_IPV6 | FRAME_UDP, UINT64_C(90) << TYPE | 8 },
		{ FRAME_EOP | FRAME_IPV6 | FRAME_TCP, UINT64_C(92) << TYPE | 8 },
		{ FRAME_EOP | FRAME_RSS, UINT64_C(1) << TYPE | 3 << 12 },
		{ FRAME_EOP | FRAME_VLAN, UINT64_C(1) << TYPE | 1 << 2 },
		{ FRAME_EOP | FRAME_BAD_L3, UINT64_C(1) << TYPE | 1 << 22 },
		{ FRAME_EOP | FRAME_BAD_L4, UINT64_C(1) << TYPE | 1 << 23 },
		{ FRAME_EOP | FRAME_ERROR, UINT64_C(1) << TYPE | 1 << 19 },
		{ FRAME_EOP | FRAME_CSUM_OUTER | FRAME_CSUM_L3 | FRAME_CSUM_L4,
			UINT64_C(1) << TYPE }, /* not for Rx */
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ring *r = rx_ring(64, true);
		struct frame f = { .len = 100,
			.flags = rows[i].flags,
			.vlan = 0x2345,
			.rss = 0x89abcdef };

		arm(r, 0, 8);
		give(r, &f, 1);
		assert_int_equal(fixture_quads(r, 0)[1], rows[i].word | UINT64_C(100) << 38 | 3);
		assert_int_equal(fixture_quads(r, 0)[0], UINT64_C(0x89abcdef23450000));
		assert_int_equal(fixture_quads(r, 1)[1], 0);
	}
}

/* What is known of a packet stands in the descriptor of its end, also across the ring's. */
static void
test_rx_segments(void **state)
{
	struct ring *r = rx_ring(64, true);
	struct frame f[3] = { { .len = FIXTURE_ROOM, .flags = FRAME_IPV4 | FRAME_RSS },
		{ .len = FIXTURE_ROOM, .flags = FRAME_IPV4 },
		{ .len = 4, .flags = FRAME_EOP | FRAME_IPV4 | FRAME_RSS, .rss = 5 } };

	r->head = 62;
	arm(r, 62, 10);
	give(r, f, 2);
	assert_int_equal(r->packets, 0);
	give(r, f + 2, 1); /* its end comes later */
	assert_int_equal(r->packets, 1);
	assert_int_equal(r->bytes, 2 * FIXTURE_ROOM + 4);
	assert_int_equal(fixture_quads(r, 62)[1], (uint64_t)FIXTURE_ROOM << 38 | 1);
	assert_int_equal(fixture_quads(r, 63)[1], (uint64_t)FIXTURE_ROOM << 38 | 1);
	assert_int_equal(fixture_quads(r, 0)[1],
		UINT64_C(4) << 38 | UINT64_C(23) << 30 | 3 << 12 | 8 | 3);
	assert_int_equal(fixture_quads(r, 1)[1], 0);
	assert_int_equal(r->head, 1);
}

static void
test_rx_crc(void **state)
{
	struct frame f[2] = { { .len = 64 }, { .len = 20, .flags = FRAME_EOP } };
	struct ring *r;

	fixture_vsi(0, false);
	r = fixture_rx_on(FIXTURE_QUEUE,
		(struct fixture_rx){ 64, FIXTURE_ROOM, 1518, false, true });
	arm(r, 0, 8);
	give(r, f, 2);
	assert_int_equal(fixture_quads(r, 0)[1] >> 38, 64);
	assert_int_equal(fixture_quads(r, 1)[1] >> 38, 24);
	assert_int_equal(r->bytes, 84);
	assert_int_equal(peek(r, f, 1), 1);
	assert_int_equal(f[0].len, FIXTURE_ROOM - 4);
}

/* Borders of the length classes, with CRC; more frames than a lane holds; errors. */
static void
test_rx_counters(void **state)
{
	static const struct {
		uint32_t len, counter;
	} rows[] = {
		{ 14, 0x300480 },
		{ 60, 0x300480 },
		{ 61, 0x3004a0 },
		{ 123, 0x3004a0 },
		{ 124, 0x3004c0 },
		{ 251, 0x3004c0 },
		{ 252, 0x3004e0 },
		{ 507, 0x3004e0 },
		{ 508, 0x300500 },
		{ 1019, 0x300500 },
		{ 1020, 0x300520 },
		{ 1518, 0x300520 },
		{ 1519, 0x300540 },
		{ 1531, 0x300540 },
		{ 1532, 0x300540 },
		{ 2043, 0x300540 },
		{ 2044, 0x300540 },
		{ 9000, 0x300540 },
	};
	struct frame f[300];
	struct ring *r = rx_ring(512, true);

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t before = fixture_counter(rows[i].counter);

		f[0] = (struct frame){ .len = rows[i].len, .flags = FRAME_EOP };
		arm(r, r->head, 1);
		give(r, f, 1);
		assert_int_equal(fixture_counter(rows[i].counter), before + 1);
	}
	for (unsigned i = 0; i < 300; i++)
		f[i] = (struct frame){ .len = 60,
			.flags = FRAME_EOP | (i % 100 == 0 ? FRAME_ERROR : 0) };
	arm(r, r->head, 300);
	give(r, f, 300);
	assert_int_equal(fixture_counter(0x300480), 302);
	assert_int_equal(fixture_counter(0x300080), 3); /* errors */
	assert_int_equal(fixture_counter(0x3005a0), 318);
	assert_int_equal(r->packets, 318);
}

/* A tag that was stripped was on the wire. */
static void
test_rx_vlan_bytes(void **state)
{
	struct ring *r = rx_ring(64, true);
	struct frame f = { .len = 60, .flags = FRAME_EOP | FRAME_VLAN, .vlan = 5 };

	arm(r, 0, 2);
	give(r, &f, 1);
	assert_int_equal(r->bytes, 64);
	assert_int_equal(fixture_counter(0x3004a0), 1);
}

/* Vector 0 tells of packets when the ring is wired to it and the driver let it. */
static void
test_rx_interrupts(void **state)
{
	enum { CONTROL = 0x38480, CAUSE = 0x3a000 };
	struct ring *r = rx_ring(64, true);
	struct frame f = { .len = 60, .flags = FRAME_EOP };

	arm(r, 0, 32);
	fixture_write(CONTROL, 1);
	fixture_write(CAUSE + 4 * FIXTURE_QUEUE, UINT32_C(1) << 30 | 1); /* another vector */
	give(r, &f, 1);
	assert_int_equal(fixture_interrupts, 0);
	fixture_write(CAUSE + 4 * FIXTURE_QUEUE, UINT32_C(1) << 30);
	give(r, &f, 1);
	give(r, &f, 1);
	assert_int_equal(fixture_interrupts, 1);       /* until it is enabled again */
	fixture_write(CONTROL, UINT32_C(1) << 31 | 1); /* leaves the enable bit as it is */
	assert_int_equal(fixture_interrupts, 1);
	fixture_write(CONTROL, 1);
	assert_int_equal(fixture_interrupts, 2);
	fixture_write(CONTROL, 1);
	assert_int_equal(fixture_interrupts, 2);
	fixture_write(CAUSE + 4 * FIXTURE_QUEUE, 0);
	give(r, &f, 1);
	assert_int_equal(fixture_interrupts, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_rx_rounds),
		TEST(test_rx_tail),
		TEST(test_rx_flags),
		TEST(test_rx_segments),
		TEST(test_rx_crc),
		TEST(test_rx_counters),
		TEST(test_rx_vlan_bytes),
		TEST(test_rx_interrupts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
