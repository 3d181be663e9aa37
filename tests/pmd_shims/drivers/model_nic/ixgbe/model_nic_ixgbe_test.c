/* Registers of the 82599 as no driver of DPDK uses them: interrupts, resets, queues on and off, counters. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/model_nic/model_nic_ixgbe_fixture.h"
#include "fixtures/unit.h"

#include <string.h>

enum { ENABLE = 1 << 25, HEAD = 0x10, TAIL = 0x18, CONTROL = 0x28 };

/* Linux' driver uses other registers for the queues' causes, and has them masked as it reads. */
TEST(test_queue_interrupts)
{
	enum { QUEUE = 1 };

	nic_fixture_write(0xaa0, QUEUE);
	nic_fixture_write(0xa90, QUEUE);
	assert_int_equal(fixture_interrupts, 1);
	nic_fixture_write(0x890, QUEUE);
	assert_int_equal(nic_fixture_read(0x808), QUEUE); /* shown, and left */
	assert_int_equal(nic_fixture_read(0x800), QUEUE);
	assert_int_equal(nic_fixture_read(0x800), 0); /* reading cleared it */
	nic_fixture_write(0xa90, QUEUE);
	nic_fixture_write(0x800, QUEUE); /* so does writing */
	assert_int_equal(nic_fixture_read(0x800), 0);
	nic_fixture_write(0xa90, QUEUE);
	assert_int_equal(fixture_interrupts, 1);
	nic_fixture_write(0xaa0, QUEUE); /* what was due comes now */
	assert_int_equal(fixture_interrupts, 2);
	nic_fixture_write(0x890, 0);
	nic_fixture_read(0x800);
	nic_fixture_write(0xab0, QUEUE);
	nic_fixture_write(0xa90, QUEUE);
	assert_int_equal(fixture_interrupts, 2);
}

/* With automatic masks a queue raises its vector once each time it is enabled; a reset forgets it. */
TEST(test_automatic_masks)
{
	struct ring *r = ixgbe_fixture_tx_on(3, 64);

	nic_fixture_write(0x904, 0x85u << 24); /* what queue 3 sends */
	nic_fixture_write(0x810, 0xffff);      /* cleared as it is raised */
	nic_fixture_write(0xad0, UINT32_MAX);
	nic_fixture_write(0x898, 1 << 30);
	nic_fixture_write(0x880, 0xffff);
	for (unsigned i = 0; i < 2; i++)
		nic_ring_fixture_done(r, 0);
	assert_int_equal(fixture_interrupts, 1);
	assert_int_equal(nic_fixture_read(0x880), 0xffff & ~(1 << 5));
	nic_fixture_write(0x880, 1 << 5);
	assert_int_equal(fixture_interrupts, 2);
	nic_fixture_write(0, 1u << 26);
	nic_fixture_write(0x880, 0xffff);
	nic_ring_fixture_done(ixgbe_fixture_tx_on(3, 64), 0);
	assert_int_equal(fixture_interrupts, 2);
}

TEST(test_reset)
{
	const uint32_t bits[] = { UINT32_C(1) << 26, 1 << 3 };

	for (unsigned i = 0; i < 2; i++) {
		ixgbe_fixture_rx_on(0, 64, 2);
		ixgbe_fixture_tx_on(0, 64);
		assert_true(nic_fixture_watched);
		nic_fixture_write(0x880, 1 << 20);
		nic_fixture_write(0x5818, 1);
		nic_fixture_write(0x5400, 0);
		nic_fixture_write(0, bits[i] | 4);
		assert_int_equal(nic_fixture_read(0), 4);
		assert_int_equal(atomic_load(&nic_fixture.resets), i + 1);
		assert_false(atomic_load(&nic_fixture.rx[0].enabled));
		assert_false(atomic_load(&nic_fixture.tx[0].enabled));
		assert_false(nic_fixture_watched);
		assert_int_equal(nic_fixture_read(0x880), 0);
		assert_int_equal(nic_fixture_read(0x5818), 0);
		assert_int_equal(nic_fixture_read(0x1028), 0);
		assert_int_equal(nic_fixture_read(0x5400), 0x014e4d02); /* the address again */
		assert_int_equal(nic_fixture_read(0x5404), UINT32_C(1) << 31 | 0x0302);
	}
	nic_fixture_write(0x42a0, 3 << 13 | 1 << 12);
	assert_int_equal(nic_fixture_read(0x42a0), 3 << 13);
	nic_fixture_write(0x425c, UINT32_C(1) << 30 | 5);
	assert_int_equal(nic_fixture_read(0x425c), 5);
}

/* Queues come on with the engine; what is not a ring stays off, and the driver sees that. */
TEST(test_queues)
{
	static const uint16_t bad[] = { 0, 4, 68, 8200 };
	struct ring *r = ixgbe_fixture_rx_on(15, 4096, 2);

	assert_true(atomic_load(&r->enabled));
	assert_int_equal(r->size, 4096);
	assert_int_equal(r->buf_len, 2048);
	assert_int_equal(r->data_queue, 15);
	assert_ptr_equal(r->desc, fixture_rx_desc);
	nic_fixture_write(0x3000, 0);
	assert_false(atomic_load(&r->enabled));
	ixgbe_fixture_rx_on(16, 64, 2);
	assert_false(atomic_load(&nic_fixture.rx[16].enabled));
	assert_int_equal(nic_fixture_read(ixgbe_fixture_rx_block(16) + CONTROL) & ENABLE, 0);
	assert_non_null(strstr(nic_fixture_log, "16 queues"));
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ixgbe_fixture_tx_on(2, bad[i]);
		assert_false(atomic_load(&nic_fixture.tx[2].enabled));
		assert_int_equal(nic_fixture_read(ixgbe_fixture_tx_block(2) + CONTROL) & ENABLE, 0);
	}
	ixgbe_fixture_rx_on(2, 64, 0);
	assert_false(atomic_load(&nic_fixture.rx[2].enabled));
}

/* Both between two polls: only the head tells. What was under way is not written. */
TEST(test_queue_restart)
{
	struct ring *rx = ixgbe_fixture_rx_on(0, 64, 2), *tx = ixgbe_fixture_tx_on(0, 64);
	struct frame f[4];
	uint16_t descs;

	nic_ring_fixture_tail(rx, 40);
	assert_int_equal(nic_fixture.family->rx_peek(&nic_fixture, rx, f, 4), 4);
	nic_fixture_quads(tx, 0)[1] = 0x2b300000u | 60; /* report it */
	nic_ring_fixture_tail(tx, 1);
	assert_int_equal(nic_fixture.family->tx_take(&nic_fixture, tx, f, 4, &descs), 1);
	fixture_enabled = nic_fixture_disabled = 0;
	model_reg_set(&nic_fixture, ixgbe_fixture_rx_block(0) + HEAD, 0);
	model_reg_set(&nic_fixture, ixgbe_fixture_tx_block(0) + HEAD, 0);
	memset(fixture_rx_desc, 0, 64);
	nic_fixture.family->rx_give(&nic_fixture, rx, f, 1);
	nic_fixture.family->tx_done(&nic_fixture, tx, 1);
	assert_int_equal(nic_fixture_quads(rx, 0)[1], 0);
	assert_int_equal(nic_fixture_quads(tx, 0)[1] >> 32, 0);
	/* Nor is it taken again. */
	assert_int_equal(nic_fixture.family->tx_take(&nic_fixture, tx, f, 4, &descs), 0);
	assert_int_equal(rx->head, 0);
	assert_true(ixgbe_fixture_poll(1));
	assert_int_equal(nic_fixture_disabled, 2);
	assert_int_equal(fixture_enabled, 2);
	assert_false(ixgbe_fixture_poll(1));
}

/* Who stops a Tx queue waits until its head is its tail; a queue in use has no head to see. */
TEST(test_tx_head)
{
	struct ring *r = ixgbe_fixture_tx_on(0, 64);
	uint32_t head = ixgbe_fixture_tx_block(0) + HEAD;
	struct frame f[4];
	uint16_t descs;

	for (unsigned i = 0; i < 20; i++)
		assert_false(ixgbe_fixture_poll(0));
	assert_int_equal(nic_fixture_read(head), 0);
	nic_fixture_quads(r, 0)[1] = 0x2b300000u | 60;
	nic_ring_fixture_tail(r, 1);
	assert_int_equal(nic_fixture.family->tx_take(&nic_fixture, r, f, 4, &descs), 1);
	assert_int_not_equal(nic_fixture_read(head), 0);
	nic_fixture.family->tx_done(&nic_fixture, r, 1);
	assert_false(ixgbe_fixture_poll(1));
	assert_int_not_equal(nic_fixture_read(head), 1);
	for (unsigned i = 0; i < 20; i++)
		assert_false(ixgbe_fixture_poll(0));
	assert_int_equal(nic_fixture_read(head), 1);
	nic_fixture_quads(r, 1)[1] = 0x2b300000u | 60;
	nic_ring_fixture_tail(r, 2);
	model_reg_set(&nic_fixture, head, 0); /* another life begins while it rests */
	assert_int_equal(nic_fixture.family->tx_take(&nic_fixture, r, f, 4, &descs), 0);
	assert_true(ixgbe_fixture_poll(0));
}

/* A queue that is enabled while the card has been idle for long shows its head too. */
TEST(test_tx_head_later)
{
	ixgbe_fixture_tx_on(0, 64);
	for (unsigned i = 0; i < 20; i++)
		assert_false(ixgbe_fixture_poll(0));
	ixgbe_fixture_tx_on(1, 64);
	for (unsigned i = 0; i < 20; i++)
		assert_false(ixgbe_fixture_poll(0));
	assert_int_equal(nic_fixture_read(ixgbe_fixture_tx_block(1) + HEAD), 0);
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
	nic_fixture.tx[0].packets = 10;
	nic_fixture.tx[0].bytes = 600;
	assert_int_equal(nic_fixture_read(ixgbe_fixture_rx_block(9) + 0x30), 0);
	nic_fixture_read(BEGIN);
	assert_int_equal(nic_fixture_read(ixgbe_fixture_tx_block(0) + 0x30), 10);
	assert_int_equal(wide(0x8700), 600);
	assert_int_equal(nic_fixture_read(ixgbe_fixture_rx_block(0) + 0x30), 1);
	assert_int_equal(nic_fixture_read(ixgbe_fixture_rx_block(9) + 0x30), 2);
	assert_int_equal(wide(ixgbe_fixture_rx_block(9) + 0x34), 200);
	assert_int_equal(nic_fixture_read(ixgbe_fixture_rx_block(5) + 0x30), 0);
	nic_fixture_read(END);
	assert_int_equal(nic_fixture_read(ixgbe_fixture_tx_block(0) + 0x30), 0);
	assert_int_equal(wide(0x8700), 0);
	assert_int_equal(nic_fixture_read(ixgbe_fixture_rx_block(9) + 0x30), 0);
	nic_fixture_write(0x4240,
		nic_fixture_read(0x4240) & ~2u); /* the CRC stays, and is counted */
	nic_ring_fixture_give(r[1], &f, 1);
	nic_fixture_read(BEGIN);
	assert_int_equal(nic_fixture_read(ixgbe_fixture_rx_block(9) + 0x30), 1);
	assert_int_equal(wide(ixgbe_fixture_rx_block(9) + 0x34), 104);
}

/* The time of one packet, whose descriptor asks for it, until the driver has read it. */
TEST(test_tx_times)
{
	enum { STAMPS = 0x8c00, LOW = 0x8c04, HIGH = 0x8c08, INCREMENT = 0x8c14 };
	const uint64_t wanted = UINT64_C(1) << 19;
	struct frame f[MODEL_BURST];
	struct ring *r = ixgbe_fixture_tx_on(0, 64);
	uint32_t low, high;
	uint16_t descs;

	nic_fixture_write(INCREMENT, 1 << 24 | 0xcccccc);
	nic_ring_fixture_put(r, 0, nic_chip_ixgbe.data | nic_chip_ixgbe.eop | 60 | wanted);
	nic_ring_fixture_tail(r, 1);
	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 1);
	nic_ring_fixture_done(r, descs);
	assert_int_equal(nic_fixture_read(STAMPS), 0); /* not switched on */
	nic_fixture_write(STAMPS, 1 << 4);
	nic_ring_fixture_put(r, 1, nic_chip_ixgbe.data | nic_chip_ixgbe.eop | 60);
	nic_ring_fixture_put(r, 2, nic_chip_ixgbe.data | nic_chip_ixgbe.eop | 60 | wanted);
	nic_ring_fixture_tail(r, 3);
	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 2);
	assert_int_equal(f[1].flags, FRAME_EOP); /* a plain one on the wire */
	nic_ring_fixture_done(r, descs);
	assert_int_equal(nic_fixture_read(STAMPS), 1 << 4 | 1);
	low = nic_fixture_read(LOW);
	nic_ring_fixture_put(r, 3, nic_chip_ixgbe.data | nic_chip_ixgbe.eop | 60 | wanted);
	nic_ring_fixture_tail(r, 4);
	nic_ring_fixture_take(r, f, MODEL_BURST, &descs);
	nic_ring_fixture_done(r, descs);
	assert_int_equal(nic_fixture_read(LOW), low); /* the first one's still */
	high = nic_fixture_read(HIGH);
	assert_true(((uint64_t)high << 32 | low) > 0);
	assert_int_equal(nic_fixture_read(STAMPS), 1 << 4);
}

/* Arrivals: by kind of message, where a filter leads them to the clock. */
TEST(test_rx_times)
{
	enum { FILTER = 0x5128 + 12, MESSAGE = 0x5120, STAMPS = 0x5188, HIGH = 0x51a4 };
	static const struct {
		uint32_t kind, message; /* of the registers */
		uint8_t id, version;
		bool stamped;
	} rows[] = {
		{ 0, 0, 0, 2, true },
		{ 0, 0, 1, 2, false },
		{ 0, 0x100, 1, 2, true },
		{ 0, 0, 0, 1, false },
		{ 8, 0, 9, 2, true },
		{ 10, 0, 3, 2, true },
		{ 10, 0, 8, 2, false },
		{ 2, 0, 0, 2, false },
		{ 4, 0x300, 3, 0x12, true },
	};
	uint8_t pkt[60] = { [12] = 0x88, 0xf7, 0, 2 };

	assert_int_equal(nic_fixture.family->arrived(&nic_fixture, pkt, sizeof(pkt)), 0);
	nic_fixture_write(FILTER, UINT32_C(3) << 30 | 0x88f7);
	assert_int_equal(nic_fixture.family->arrived(&nic_fixture, pkt, sizeof(pkt)), FRAME_PTP);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		nic_fixture_write(STAMPS, 1 << 4 | rows[i].kind);
		nic_fixture_write(MESSAGE, rows[i].message);
		pkt[14] = rows[i].id;
		pkt[15] = rows[i].version;
		assert_int_equal(nic_fixture.family->arrived(&nic_fixture, pkt, sizeof(pkt)),
			FRAME_PTP | (rows[i].stamped ? FRAME_STAMPED : 0));
		assert_int_equal(nic_fixture_read(STAMPS) & 1, rows[i].stamped);
		if (rows[i].stamped) /* until it was read */
			assert_int_equal(nic_fixture.family->arrived(&nic_fixture, pkt,
						 sizeof(pkt)),
				FRAME_PTP);
		nic_fixture_read(HIGH);
		assert_int_equal(nic_fixture_read(STAMPS) & 1, 0);
	}
	assert_int_equal(nic_fixture.family->arrived(&nic_fixture, pkt, 15), 0);
	pkt[12] = 8;
	assert_int_equal(nic_fixture.family->arrived(&nic_fixture, pkt, sizeof(pkt)), 0);
}

TESTS(.before = ixgbe_fixture_set_up, .after = ixgbe_fixture_tear_down);
