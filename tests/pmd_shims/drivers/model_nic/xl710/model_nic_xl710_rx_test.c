/* Receive descriptors of the XL710: armed by hand as a driver would, written back by the family;
 * counters and interrupts of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/model_nic/model_nic_xl710_fixture.h"
#include "fixtures/unit.h"

#include <string.h>

static struct ring *
rx_ring(uint16_t size, bool desc_32)
{
	xl710_fixture_vsi(6, false);
	return xl710_fixture_rx_on(FIXTURE_QUEUE,
		(struct xl710_fixture_rx){ size, FIXTURE_ROOM, 9022, desc_32, false });
}

/* Both formats. */
TEST(test_rx_rounds)
{
	const uint64_t status = UINT64_C(1) << 30 | 3; /* type of packet, done and its end */

	for (const uint16_t *size = nic_ring_fixture_sizes; *size != 0; size++) {
		nic_ring_fixture_rx_rounds(rx_ring(*size, false), 38, status);
		nic_ring_fixture_rx_rounds(rx_ring(*size, true), 38, status);
	}
}

TEST(test_rx_tail)
{
	struct frame f[MODEL_BURST];
	struct ring *r = rx_ring(64, true);

	assert_int_equal(nic_ring_fixture_peek(r, f, MODEL_BURST), 0); /* tail at head: none */
	nic_ring_fixture_arm(r, 0, 63);
	assert_int_equal(nic_ring_fixture_peek(r, f, MODEL_BURST), 63);
	assert_int_equal(nic_ring_fixture_peek(r, f, 5), 5);
	assert_int_equal((uintptr_t)nic_fixture.family->buffer(r, 7, true),
		nic_fixture_buffer_of(7));
	assert_int_equal(nic_ring_fixture_peek(r, f, 0), 0);
	nic_ring_fixture_tail(r, 64); /* beyond the ring */
	assert_int_equal(nic_ring_fixture_peek(r, f, MODEL_BURST), 0);
	nic_ring_fixture_tail(r, UINT32_MAX);
	assert_int_equal(nic_ring_fixture_peek(r, f, MODEL_BURST), 0);
	r->head = 60;
	nic_ring_fixture_tail(r, 10);
	assert_int_equal(nic_ring_fixture_peek(r, f, MODEL_BURST), 14);
	atomic_store(&nic_fixture.link_up, false);
	nic_fixture.family->link(&nic_fixture, false);
	assert_int_equal(nic_ring_fixture_peek(r, f, MODEL_BURST),
		0); /* nothing comes over no link */
}

/* Each flag, as the descriptor says it. */
TEST(test_rx_flags)
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

		nic_ring_fixture_arm(r, 0, 8);
		nic_ring_fixture_give(r, &f, 1);
		assert_int_equal(nic_fixture_quads(r, 0)[1],
			rows[i].word | UINT64_C(100) << 38 | 3);
		assert_int_equal(nic_fixture_quads(r, 0)[0], UINT64_C(0x89abcdef23450000));
		assert_int_equal(nic_fixture_quads(r, 1)[1], 0);
	}
}

/* What is known of a packet stands in the descriptor of its end, also across the ring's. */
TEST(test_rx_segments)
{
	struct ring *r = rx_ring(64, true);
	struct frame f[3] = { { .len = FIXTURE_ROOM, .flags = FRAME_IPV4 | FRAME_RSS },
		{ .len = FIXTURE_ROOM, .flags = FRAME_IPV4 },
		{ .len = 4, .flags = FRAME_EOP | FRAME_IPV4 | FRAME_RSS, .rss = 5 } };
	uint64_t before;

	r->head = 62;
	nic_ring_fixture_arm(r, 62, 10);
	nic_ring_fixture_give(r, f, 2);
	assert_int_equal(r->packets, 0);
	nic_ring_fixture_give(r, f + 2, 1); /* its end comes later */
	assert_int_equal(r->packets, 1);
	assert_int_equal(r->bytes, 2 * FIXTURE_ROOM + 4);
	assert_int_equal(nic_fixture_quads(r, 62)[1], (uint64_t)FIXTURE_ROOM << 38 | 1);
	assert_int_equal(nic_fixture_quads(r, 63)[1], (uint64_t)FIXTURE_ROOM << 38 | 1);
	assert_int_equal(nic_fixture_quads(r, 0)[1],
		UINT64_C(4) << 38 | UINT64_C(23) << 30 | 3 << 12 | 8 | 3);
	assert_int_equal(nic_fixture_quads(r, 1)[1], 0);
	assert_int_equal(r->head, 1);
	nic_ring_fixture_give(r, f, 1); /* its end never comes: the queue begins anew */
	r = rx_ring(64, true);
	before = r->bytes;
	nic_ring_fixture_arm(r, 0, 1);
	nic_ring_fixture_give(r, f + 2, 1);
	assert_int_equal(r->bytes - before, f[2].len);
}

TEST(test_rx_crc)
{
	struct frame f[2] = { { .len = 64 }, { .len = 20, .flags = FRAME_EOP } };
	struct ring *r;

	xl710_fixture_vsi(0, false);
	r = xl710_fixture_rx_on(FIXTURE_QUEUE,
		(struct xl710_fixture_rx){ 64, FIXTURE_ROOM, 1518, false, true });
	nic_ring_fixture_arm(r, 0, 8);
	nic_ring_fixture_give(r, f, 2);
	assert_int_equal(nic_fixture_quads(r, 0)[1] >> 38, 64);
	assert_int_equal(nic_fixture_quads(r, 1)[1] >> 38, 24);
	assert_int_equal(r->bytes, 84);
	assert_int_equal(nic_ring_fixture_peek(r, f, 1), 1);
	assert_int_equal(f[0].len, FIXTURE_ROOM - 4);
}

/* Borders of the length classes, with CRC; more frames than a lane holds; errors. */
TEST(test_rx_counters)
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
		uint64_t before = xl710_fixture_counter(rows[i].counter);

		f[0] = (struct frame){ .len = rows[i].len, .flags = FRAME_EOP };
		nic_ring_fixture_arm(r, r->head, 1);
		nic_ring_fixture_give(r, f, 1);
		assert_int_equal(xl710_fixture_counter(rows[i].counter), before + 1);
	}
	for (unsigned i = 0; i < 300; i++)
		f[i] = (struct frame){ .len = 60,
			.flags = FRAME_EOP | (i % 100 == 0 ? FRAME_ERROR : 0) };
	nic_ring_fixture_arm(r, r->head, 300);
	for (unsigned i = 0; i < 300; i += 60)
		nic_ring_fixture_give(r, f + i, 60);
	assert_int_equal(xl710_fixture_counter(0x300480), 302);
	assert_int_equal(xl710_fixture_counter(0x300080), 3); /* errors */
	assert_int_equal(xl710_fixture_counter(0x3005a0), 318);
	assert_int_equal(r->packets, 318);
}

/* A tag that was stripped was on the wire. */
TEST(test_rx_vlan_bytes)
{
	struct ring *r = rx_ring(64, true);
	struct frame f = { .len = 60, .flags = FRAME_EOP | FRAME_VLAN, .vlan = 5 };

	nic_ring_fixture_arm(r, 0, 2);
	nic_ring_fixture_give(r, &f, 1);
	assert_int_equal(r->bytes, 64);
	assert_int_equal(xl710_fixture_counter(0x3004a0), 1);
}

/* Vector 0 tells of packets when the ring is wired to it and the driver let it. */
TEST(test_rx_interrupts)
{
	enum { CONTROL = 0x38480, CAUSE = 0x3a000 };
	struct ring *r = rx_ring(64, true);
	struct frame f = { .len = 60, .flags = FRAME_EOP };

	nic_ring_fixture_arm(r, 0, 32);
	nic_fixture_write(CONTROL, 1);
	nic_fixture_write(CAUSE + 4 * FIXTURE_QUEUE, UINT32_C(1) << 30 | 1); /* another vector */
	nic_ring_fixture_give(r, &f, 1);
	assert_int_equal(fixture_interrupts, 0);
	nic_fixture_write(CAUSE + 4 * FIXTURE_QUEUE, UINT32_C(1) << 30);
	nic_ring_fixture_give(r, &f, 1);
	nic_ring_fixture_give(r, &f, 1);
	assert_int_equal(fixture_interrupts, 1);        /* until it is enabled again */
	assert_int_equal(nic_fixture_read(0x38780), 3); /* an event, of a queue */
	assert_int_equal(nic_fixture_read(0x38780), 0);
	nic_fixture_write(CONTROL, UINT32_C(1) << 31 | 1); /* leaves the enable bit as it is */
	assert_int_equal(fixture_interrupts, 1);
	nic_fixture_write(CONTROL, 1);
	assert_int_equal(fixture_interrupts, 2);
	nic_fixture_write(CONTROL, 1);
	assert_int_equal(fixture_interrupts, 2);
	nic_fixture_write(CAUSE + 4 * FIXTURE_QUEUE, 0);
	nic_ring_fixture_give(r, &f, 1);
	assert_int_equal(fixture_interrupts, 2);
	nic_fixture_write(CAUSE + 4 * FIXTURE_QUEUE, UINT32_C(1) << 30);
	nic_ring_fixture_give(r, &f, 1);
	nic_fixture_write(0x92400, 1); /* a reset forgets the cause that was not read */
	assert_int_equal(nic_fixture_read(0x38780), 0);
}

/* With MSI-X each queue raises its own vector, which has its own enable bit, and no cause. */
TEST(test_rx_vectors)
{
	enum { CONTROL = 0x34800, CAUSE = 0x3a000, SOFTWARE = 1 << 2 };
	struct ring *r = rx_ring(64, true);
	struct frame f = { .len = 60, .flags = FRAME_EOP };

	nic_ring_fixture_arm(r, 0, 32);
	nic_fixture_write(CAUSE + 4 * FIXTURE_QUEUE, UINT32_C(1) << 30 | 128);
	nic_ring_fixture_give(r, &f, 1);
	assert_int_equal(fixture_interrupts, 0);
	nic_fixture_write(CONTROL + 4 * 126, 1); /* vector 127 */
	assert_int_equal(fixture_interrupts, 0);
	nic_fixture_write(CONTROL + 4 * 127, 1); /* what was due comes now */
	nic_ring_fixture_give(r, &f, 1);
	assert_int_equal(fixture_vectors[128], 1);
	assert_int_equal(fixture_interrupts, 1);
	assert_int_equal(nic_fixture_read(0x38780), 0);
	nic_fixture_write(CONTROL + 4 * 127, 1);
	assert_int_equal(fixture_vectors[128], 2);
	nic_fixture_write(CONTROL + 4 * 5, 1 | SOFTWARE);
	assert_int_equal(fixture_vectors[6], 1);
	nic_fixture_write(CAUSE + 4 * FIXTURE_QUEUE, UINT32_C(1) << 30 | 129); /* there is none */
	nic_fixture_write(CONTROL + 4 * 127, 1);
	nic_ring_fixture_give(r, &f, 1);
	assert_int_equal(fixture_interrupts, 3);
	nic_fixture_write(0x92400, 1);
	assert_int_equal(nic_fixture_read(CONTROL + 4 * 127), 0);
	assert_false(atomic_load(&xl710_state(&nic_fixture)->vector[128].armed));
}

TESTS(.before = nic_ring_fixture_set_up, .after = nic_ring_fixture_tear_down);
