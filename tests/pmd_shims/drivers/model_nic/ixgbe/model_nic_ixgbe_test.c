/* Registers of the 82599: NVM, module, interrupts, resets, queues on and off, limits of frames. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/model_nic/model_nic_ixgbe_fixture.h"
#include "fixtures/unit.h"

#include <string.h>

enum { ENABLE = 1 << 25, HEAD = 0x10, TAIL = 0x18, CONTROL = 0x28 };

static uint16_t
nvm_word(unsigned at)
{
	nic_fixture_write(0x10014, at << 2 | 1);
	assert_int_equal(nic_fixture_read(0x10014) & 3, 2); /* done, no longer started */
	return (uint16_t)(nic_fixture_read(0x10014) >> 16);
}

/* Words 0 to 0x3f make 0xbaba; the driver finds firmware and what to do for its module. */
TEST(test_nvm)
{
	unsigned sum = 0;

	for (unsigned i = 0; i <= 0x3f; i++)
		sum += nvm_word(i);
	assert_int_equal(sum & 0xffff, 0xbaba);
	assert_true(nvm_word(nvm_word(nvm_word(0xf) + 4u) + 7u) > 5);
	assert_int_equal(nvm_word(nvm_word(0x2b) + 1u), 5);
	assert_int_equal(nvm_word(nvm_word(0x2b) + 3u), 0xffff);
	assert_int_equal(nvm_word(nvm_word(nvm_word(0x2b) + 2u) + 1u), 0xffff);
	assert_int_equal(nvm_word(0x1234), 0);
	assert_int_equal(nic_fixture_read(0x10148) & 1 << 15, 1 << 15); /* firmware is valid */
	nic_fixture_write(0x10010, nic_fixture_read(0x10010) | 1 << 6);
	assert_int_equal(nic_fixture_read(0x10010) & (1 << 8 | 1 << 7), 1 << 8 | 1 << 7);
	nic_fixture_write(0x10010, nic_fixture_read(0x10010) & ~(1u << 6));
	assert_int_equal(nic_fixture_read(0x10010) & 1 << 7, 0);
}

/* Clock and data of the two wires; returns data as it is read. */
static bool
wires(bool clock, bool data)
{
	nic_fixture_write(0x28, (clock ? 2u : 0) | (data ? 8u : 0));
	assert_int_equal(nic_fixture_read(0x28) & 1, clock);
	return (nic_fixture_read(0x28) & 4) != 0;
}

static void
i2c_start(void)
{
	wires(false, true);
	wires(true, true);
	wires(true, false);
	wires(false, false);
}

static bool
i2c_bit(bool data)
{
	bool read;

	wires(false, data);
	read = wires(true, data);
	wires(false, data);
	return read;
}

/* Returns whether it was acknowledged. */
static bool
i2c_send(uint8_t byte)
{
	for (unsigned i = 0; i < 8; i++)
		i2c_bit((byte & 0x80 >> i) != 0);
	return !i2c_bit(true);
}

static uint8_t
i2c_receive(bool more)
{
	unsigned byte = 0;

	for (unsigned i = 0; i < 8; i++)
		byte = byte << 1 | i2c_bit(true);
	i2c_bit(!more);
	return (uint8_t)byte;
}

static void
i2c_stop(void)
{
	wires(false, false);
	wires(true, false);
	wires(true, true);
}

TEST(test_module)
{
	i2c_start();
	assert_true(i2c_send(0xa0));
	assert_true(i2c_send(37));
	i2c_start();
	assert_true(i2c_send(0xa1));
	assert_int_equal(i2c_receive(true), 0x00); /* Intel's */
	assert_int_equal(i2c_receive(true), 0x1b);
	assert_int_equal(i2c_receive(false), 0x21);
	assert_int_equal(i2c_receive(false), 0xff); /* nobody drives the line */
	i2c_stop();
	assert_false(i2c_send(0xa0)); /* not without a start */
	i2c_start();
	assert_true(i2c_send(0xa0));
	assert_true(i2c_send(3));
	i2c_start();
	assert_true(i2c_send(0xa1));
	assert_int_equal(i2c_receive(false), 0x10); /* 10GBASE-SR */
	i2c_stop();
	i2c_start();
	assert_false(i2c_send(0xa4)); /* another device's address */
	i2c_stop();
	assert_int_equal(nic_fixture_read(0x20) & 4, 4);
	nic_fixture_write(0x20, 0);
	assert_int_equal(nic_fixture_read(0x20) & 4,
		4); /* the pin says present, whatever is written */
}

/* Causes are kept until they are read, and raise once enabled. */
TEST(test_interrupts)
{
	enum { LINK = 1 << 20 };

	atomic_store(&nic_fixture.link_up, false);
	nic_fixture.family->link(&nic_fixture, false);
	assert_int_equal(fixture_interrupts, 0);
	assert_int_equal(nic_fixture_read(0x42a4), 0);
	nic_fixture_write(0x880, LINK); /* what waited comes now */
	assert_int_equal(fixture_interrupts, 1);
	assert_int_equal(nic_fixture_read(0x880), LINK);
	assert_int_equal(nic_fixture_read(0x800), LINK);
	assert_int_equal(nic_fixture_read(0x800), 0); /* reading cleared it */
	atomic_store(&nic_fixture.link_up, true);
	nic_fixture.family->link(&nic_fixture, true);
	assert_int_equal(fixture_interrupts, 2);
	assert_int_equal(nic_fixture_read(0x42a4), 0x70000080);
	nic_fixture_write(0x800, LINK); /* so does writing */
	assert_int_equal(nic_fixture_read(0x800), 0);
	nic_fixture_write(0x888, LINK);
	assert_int_equal(nic_fixture_read(0x880), 0);
	nic_fixture_write(0x808, LINK);
	assert_int_equal(fixture_interrupts, 2);
	assert_int_equal(nic_fixture_read(0x800), LINK);
}

/* Linux' driver uses other registers for the queues' causes, and has them masked as it reads. */
TEST(test_queue_interrupts)
{
	enum { QUEUE = 1 };

	nic_fixture_write(0xaa0, QUEUE);
	nic_fixture_write(0xa90, QUEUE);
	assert_int_equal(fixture_interrupts, 1);
	nic_fixture_write(0x890, QUEUE);
	assert_int_equal(nic_fixture_read(0x800), QUEUE);
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

/* With MSI-X a queue's cause is the number of its vector; all others have one vector. */
TEST(test_vectors)
{
	enum { LINK = 1 << 20, VECTORED = 1 << 4 };
	struct ring *tx = ixgbe_fixture_tx_on(3, 64);
	struct frame f = { .len = 60, .flags = FRAME_EOP };
	struct ring *rx = ixgbe_fixture_rx_on(2, 64, 2);

	nic_ring_fixture_tail(rx, 60);
	nic_fixture_write(0x898, VECTORED);
	nic_fixture_write(0x904,
		0x86u << 24 | 0x82); /* what queue 3 sends: 6, queue 2 receives: 2 */
	nic_fixture_write(0xaa0, 0xffff);
	nic_fixture_write(0x880, LINK);
	nic_fixture.family->rx_give(&nic_fixture, rx, &f, 1);
	assert_int_equal(fixture_vectors[2], 1);
	assert_int_equal(nic_fixture_read(0x808), 1 << 2); /* a read of EICS leaves the cause */
	assert_int_equal(nic_fixture_read(0x808), 1 << 2);
	nic_fixture_write(0x810, 0xffff); /* cleared as they are raised */
	nic_fixture_write(0x800, UINT32_MAX);
	nic_ring_fixture_done(tx, 0);
	assert_int_equal(fixture_vectors[6], 1);
	nic_fixture.family->link(&nic_fixture, false);
	assert_int_equal(fixture_interrupts, 2); /* causes but queues have no vector yet */
	nic_fixture_write(0xa00, 0x87 << 8);
	nic_fixture.family->link(&nic_fixture, true);
	assert_int_equal(fixture_vectors[7], 1);
	nic_fixture_write(0x808, 3 << 8); /* two causes at once */
	assert_int_equal(fixture_vectors[8], 1);
	assert_int_equal(fixture_vectors[9], 1);
}

/* What was sent raises the cause of its queue's other byte. */
TEST(test_tx_interrupts)
{
	struct ring *r = ixgbe_fixture_tx_on(3, 64);

	nic_fixture_write(0x880, 0xffff);
	nic_ring_fixture_done(r, 0);
	assert_int_equal(fixture_interrupts, 0); /* no vector */
	nic_fixture_write(0x904, 0x86u << 24);
	nic_ring_fixture_done(r, 0);
	assert_int_equal(fixture_interrupts, 1);
	assert_int_equal(nic_fixture_read(0x800), 1 << 6);
	nic_fixture_write(0, 1u << 26); /* a reset forgets the queue's cause */
	nic_fixture_write(0x880, 0xffff);
	r = ixgbe_fixture_tx_on(3, 64);
	nic_ring_fixture_done(r, 0);
	assert_int_equal(fixture_interrupts, 1);
}

/*
 * Packets raise what the queue's vector says; with automatic masks, once each time it is enabled.
 */
TEST(test_rx_interrupts)
{
	struct ring *r = ixgbe_fixture_rx_on(3, 64, 2);
	struct frame f = { .len = 60, .flags = FRAME_EOP };

	nic_ring_fixture_tail(r, 60);
	nic_fixture_write(0x880, 0xffff);
	nic_fixture.family->rx_give(&nic_fixture, r, &f, 1);
	assert_int_equal(fixture_interrupts, 0); /* no vector */
	nic_fixture_write(0x904,
		0x85u << 16); /* of queue 3: the upper half of the second register */
	nic_fixture.family->rx_give(&nic_fixture, r, &f, 1);
	assert_int_equal(fixture_interrupts, 1);
	assert_int_equal(nic_fixture_read(0x800), 1 << 5);
	nic_fixture_write(0x810, 0xffff); /* cleared as it is raised */
	nic_fixture_write(0xad0, UINT32_MAX);
	nic_fixture_write(0x898, 1 << 30);
	nic_fixture.family->rx_give(&nic_fixture, r, &f, 1);
	assert_int_equal(fixture_interrupts, 2);
	assert_int_equal(nic_fixture_read(0x800), 0);
	assert_int_equal(nic_fixture_read(0x880), 0xffff & ~(1 << 5));
	nic_fixture.family->rx_give(&nic_fixture, r, &f, 1);
	assert_int_equal(fixture_interrupts, 2);
	nic_fixture_write(0x880, 1 << 5);
	assert_int_equal(fixture_interrupts, 3);
	nic_fixture_write(0x904, 0x05u << 16); /* not valid */
	nic_fixture_write(0x880, 1 << 5);
	nic_fixture.family->rx_give(&nic_fixture, r, &f, 1);
	assert_int_equal(fixture_interrupts, 3);
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

TEST(test_frame_max)
{
	assert_int_equal(atomic_load(&nic_fixture.frame_max), 1514);
	nic_fixture_write(0x4268, 3018 << 16);
	assert_int_equal(atomic_load(&nic_fixture.frame_max), 1514); /* not yet */
	nic_fixture_write(0x4240, nic_fixture_read(0x4240) | 4);
	assert_int_equal(atomic_load(&nic_fixture.frame_max), 3014);
	ixgbe_fixture_rx_on(0, 64, 2);
	assert_true(atomic_load(&nic_fixture.scattered));
	nic_fixture_write(0x4240, nic_fixture_read(0x4240) & ~4u);
	assert_int_equal(atomic_load(&nic_fixture.frame_max), 1514);
	ixgbe_fixture_rx_on(1, 64, 2);
	assert_false(atomic_load(&nic_fixture.scattered));
}

/* The driver decides by a bit whether short frames get padding; a reset sets it. */
TEST(test_padding)
{
	const uint32_t pads = 0x400;

	assert_int_equal(atomic_load(&nic_fixture.tx_frame_min), 60);
	nic_fixture_write(0x4240, nic_fixture_read(0x4240) & ~pads);
	assert_int_equal(atomic_load(&nic_fixture.tx_frame_min), 0);
	nic_fixture_write(0x4240, nic_fixture_read(0x4240) | pads);
	assert_int_equal(atomic_load(&nic_fixture.tx_frame_min), 60);
	nic_fixture_write(0x4240, 0);
	nic_fixture_write(0, 1u << 26);
	assert_int_equal(atomic_load(&nic_fixture.tx_frame_min), 60);
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

/* A queue off and on, unseen but for the watch. */
TEST(test_queue_watch)
{
	struct ring *r = ixgbe_fixture_rx_on(1, 64, 2);
	uint32_t at = ixgbe_fixture_rx_block(1);

	assert_false(ixgbe_fixture_poll(0));
	model_reg_set(&nic_fixture, at + CONTROL, 0);
	assert_true(ixgbe_fixture_poll(1));
	assert_false(atomic_load(&r->enabled));
	model_reg_set(&nic_fixture, at + CONTROL, ENABLE);
	assert_true(ixgbe_fixture_poll(1));
	assert_false(atomic_load(&r->enabled)); /* the head is not set yet */
	assert_false(ixgbe_fixture_poll(0));
	model_reg_set(&nic_fixture, at + HEAD, 0);
	assert_true(ixgbe_fixture_poll(0));
	assert_true(atomic_load(&r->enabled));
	assert_false(ixgbe_fixture_poll(0));
	model_reg_set(&nic_fixture, at + CONTROL, ENABLE | 1 << 30);
	assert_true(ixgbe_fixture_poll(0));
	assert_true(atomic_load(&nic_fixture.vlan_strip));
	assert_true(atomic_load(&r->enabled));
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

TESTS(.before = nic_ring_fixture_set_up, .after = nic_ring_fixture_tear_down);
