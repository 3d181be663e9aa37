/* Receive descriptors of the 82599: armed by hand as a driver would, written back by the family. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/model_nic/model_nic_ixgbe_fixture.h"
#include "fixtures/unit.h"

#include <string.h>

TEST(test_rx_rounds)
{
	enum { DONE_EOP = 3 };

	for (const uint16_t *size = nic_ring_fixture_sizes; *size != 0; size++)
		nic_ring_fixture_rx_rounds(ixgbe_fixture_rx_on(0, *size, 2), 32, DONE_EOP);
}

TEST(test_rx_tail)
{
	struct frame f[MODEL_BURST];
	struct ring *r = ixgbe_fixture_rx_on(0, 64, 3);

	assert_int_equal(nic_ring_fixture_peek(r, f, MODEL_BURST), 0); /* tail at head: none */
	nic_ring_fixture_arm(r, 0, 63);
	assert_int_equal(nic_ring_fixture_peek(r, f, MODEL_BURST), 63);
	assert_int_equal(f[0].len, 3072);
	assert_int_equal(nic_ring_fixture_peek(r, f, 5), 5);
	assert_int_equal((uintptr_t)nic_fixture.family->buffer(r, 7, true),
		nic_fixture_buffer_of(7));
	nic_ring_fixture_tail(r, 64); /* beyond the ring */
	assert_int_equal(nic_ring_fixture_peek(r, f, MODEL_BURST), 0);
	r->head = 60;
	nic_ring_fixture_tail(r, 10);
	assert_int_equal(nic_ring_fixture_peek(r, f, MODEL_BURST), 14);
	atomic_store(&nic_fixture.link_up, false);
	assert_int_equal(nic_ring_fixture_peek(r, f, MODEL_BURST),
		0); /* nothing comes over no link */
}

/* What a descriptor shows of a packet. */
TEST(test_rx_words)
{
	enum { DONE = 1, EOP = 2, TAG = 8, L4 = 0x20, L3 = 0x40 };
	static const struct {
		uint16_t flags;
		uint16_t type;
		uint32_t status;
	} rows[] = {
		{ FRAME_EOP, 0, DONE | EOP },
		{ 0, 0, DONE },
		{ FRAME_IPV4 | FRAME_UDP, 0, DONE }, /* not its last */
		{ FRAME_EOP | FRAME_IPV4, 0x10, DONE | EOP | L3 },
		{ FRAME_EOP | FRAME_IPV4 | FRAME_TCP, 0x110, DONE | EOP | L3 | L4 },
		{ FRAME_EOP | FRAME_IPV4 | FRAME_UDP, 0x210, DONE | EOP | L3 | L4 },
		{ FRAME_EOP | FRAME_IPV6 | FRAME_UDP, 0x240, DONE | EOP | L4 },
		{ FRAME_EOP | FRAME_IPV6, 0x40, DONE | EOP },
		{ FRAME_EOP | FRAME_VLAN, 0, DONE | EOP | TAG },
		{ FRAME_EOP | FRAME_IPV4 | FRAME_BAD_L3, 0x10,
			DONE | EOP | L3 | UINT32_C(1) << 31 },
		{ FRAME_EOP | FRAME_IPV4 | FRAME_TCP | FRAME_BAD_L4, 0x110,
			DONE | EOP | L3 | L4 | UINT32_C(1) << 30 },
		{ FRAME_EOP | FRAME_ERROR, 0, DONE | EOP | UINT32_C(1) << 29 },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ring *r = ixgbe_fixture_rx_on(0, 64, 2);
		struct frame f = { .len = 100, .flags = rows[i].flags, .vlan = 0x1234 };

		nic_ring_fixture_arm(r, 0, 8);
		nic_ring_fixture_give(r, &f, 1);
		assert_int_equal(nic_fixture_quads(r, 0)[0], rows[i].type);
		assert_int_equal(nic_fixture_quads(r, 0)[1],
			UINT64_C(0x1234) << 48 | UINT64_C(100) << 32 | rows[i].status);
	}
}

/* With the CRC left on there is less room, and the last descriptor has 4 bytes more. */
TEST(test_rx_crc)
{
	struct frame f[2];
	struct ring *r = ixgbe_fixture_rx_on(0, 64, 2);

	nic_fixture_write(0x4240, nic_fixture_read(0x4240) & ~2u);
	nic_ring_fixture_arm(r, 0, 8);
	assert_int_equal(nic_ring_fixture_peek(r, f, 2), 2);
	assert_int_equal(f[0].len, FIXTURE_ROOM - 4);
	f[0].len = FIXTURE_ROOM - 4;
	f[1].len = 10;
	f[1].flags = FRAME_EOP;
	nic_ring_fixture_give(r, f, 2);
	assert_int_equal(nic_fixture_quads(r, 0)[1] >> 32, FIXTURE_ROOM - 4);
	assert_int_equal(nic_fixture_quads(r, 1)[1] >> 32, 14);
	assert_int_equal(r->packets, 1);
	assert_int_equal(r->bytes, FIXTURE_ROOM + 6);
	assert_int_equal(nic_fixture_read(0x4088), FIXTURE_ROOM + 10);
}

/* What lies between these two is shown in the queues' own counters. */
enum { BEGIN = 0x3fbc, END = 0x4034 };

static uint64_t
wide(uint32_t at)
{
	uint32_t low = nic_fixture_read(at);

	return low | (uint64_t)nic_fixture_read(at + 4) << 32;
}

/* Counters clear as they are read; all of one pass are of one moment. */
TEST(test_rx_counters)
{
	static const uint32_t lengths[] = { 60, 61, 123, 124, 252, 508, 1020, 1518, 1519, 9000 };
	static const unsigned classes[] = { 1, 2, 1, 1, 1, 4 };
	enum { N = sizeof(lengths) / sizeof(lengths[0]) };
	struct ring *r = ixgbe_fixture_rx_on(0, 64, 16);
	struct frame f[N] = { 0 };
	uint64_t bytes = 0;

	for (unsigned i = 0; i < N; i++) {
		f[i].len = lengths[i];
		f[i].flags = FRAME_EOP;
		bytes += lengths[i];
	}
	nic_ring_fixture_tail(r, 60);
	nic_ring_fixture_give(r, f, N);
	assert_int_equal(nic_fixture_read(0x4000), 0);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(nic_fixture_read(0x405c + 4 * i), classes[i]);
	nic_ring_fixture_give(r, f, 1); /* not of this moment */
	assert_int_equal(nic_fixture_read(0x4074), N);
	assert_int_equal(nic_fixture_read(0x40d0), N);
	assert_int_equal(wide(0x4088), bytes);
	assert_int_equal(wide(0x40c0), bytes + 4 * N);
	assert_int_equal(nic_fixture_read(0x4074), 1);
	assert_int_equal(nic_fixture_read(0x4074), 0);
	assert_int_equal(wide(0x4088), 60);
}

TEST(test_rx_report)
{
	struct ring *r = ixgbe_fixture_rx_on(0, 64, 2);
	struct frame f = { .len = 60, .flags = FRAME_EOP | FRAME_ERROR };

	nic_fixture.traffic = (struct traffic *)1;
	nic_ring_fixture_tail(r, 60);
	nic_ring_fixture_give(r, &f, 1);
	nic_fixture_report.rx_missed = 7;
	nic_fixture_report.rx_oversize = 3;
	assert_int_equal(nic_fixture_read(0x3fa0), 7);
	assert_int_equal(nic_fixture_read(0x40ac), 3);
	assert_int_equal(nic_fixture_read(0x4000), 1);
	nic_fixture_report.rx_missed = 2; /* the report began anew */
	assert_int_equal(nic_fixture_read(0x3fa0), 2);
	assert_int_equal(nic_fixture_read(0x3fa0), 0);
}

/* By the counter that each queue is told to count in; only while they are asked for. */
TEST(test_queue_counters)
{
	struct ring *r[2] = { ixgbe_fixture_rx_on(0, 64, 2), ixgbe_fixture_rx_on(5, 64, 2) };
	struct frame f = { .len = 100, .flags = FRAME_EOP };

	nic_fixture_write(0x2300, 0x03020100);
	nic_fixture_write(0x2304, 0x07060904); /* queue 5 counts in 9 */
	for (unsigned i = 0; i < 2; i++)
		nic_ring_fixture_tail(r[i], 60);
	nic_ring_fixture_give(r[0], &f, 1);
	nic_ring_fixture_give(r[1], &f, 1);
	nic_ring_fixture_give(r[1], &f, 1);
	assert_int_equal(nic_fixture_read(ixgbe_fixture_rx_block(9) + 0x30), 0);
	nic_fixture_read(BEGIN);
	assert_int_equal(nic_fixture_read(ixgbe_fixture_rx_block(0) + 0x30), 1);
	assert_int_equal(nic_fixture_read(ixgbe_fixture_rx_block(9) + 0x30), 2);
	assert_int_equal(wide(ixgbe_fixture_rx_block(9) + 0x34), 200);
	assert_int_equal(nic_fixture_read(ixgbe_fixture_rx_block(5) + 0x30), 0);
	nic_fixture_read(END);
	assert_int_equal(nic_fixture_read(ixgbe_fixture_rx_block(9) + 0x30), 0);
	nic_fixture_write(0x4240,
		nic_fixture_read(0x4240) & ~2u); /* the CRC stays, and is counted */
	nic_ring_fixture_give(r[1], &f, 1);
	nic_fixture_read(BEGIN);
	assert_int_equal(nic_fixture_read(ixgbe_fixture_rx_block(9) + 0x30), 1);
	assert_int_equal(wide(ixgbe_fixture_rx_block(9) + 0x34), 104);
}

TESTS(.before = nic_ring_fixture_set_up, .after = nic_ring_fixture_tear_down);
