/* The ownership map: a driver that gives the card a buffer which the card has. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/unit.h"
#include "pmd_shims/drivers/model_nic/model_nic.h"
#include "pmd_shims/drivers/model_nic/owner.h"

#include <stdio.h>
#include <string.h>

enum { SIZE = 8 };

/*
 * Rings whose descriptors are addresses; 0 on a Tx ring: no buffer, as a context. The map keeps
 * what was: each test has buffers of its own.
 */
static struct model fixture;
static struct model_nic_report report;
static uint8_t *rx_posts[2][SIZE], *tx_posts[2][SIZE];
static uint32_t rx_tails[2], tx_tails[2];
static unsigned first_buffer;

static uint8_t *
buffer_of(const struct ring *r, uint16_t i, bool rx)
{
	return (rx ? rx_posts : tx_posts)[r->index][i];
}

void
model_log(const struct model *m, int level, const char *format, ...)
{
}

static int
set_up(void **state)
{
	static const struct model_family family = { .name = "test", .buffer = buffer_of };

	memset(&fixture, 0, sizeof(fixture));
	memset(&report, 0, sizeof(report));
	memset(rx_tails, 0, sizeof(rx_tails));
	memset(tx_tails, 0, sizeof(tx_tails));
	fixture.family = &family;
	for (uint16_t i = 0; i < 2; i++) {
		fixture.rx[i] = (struct ring){ .index = i, .size = SIZE, .tail = &rx_tails[i] };
		fixture.tx[i] = (struct ring){ .index = i, .size = SIZE, .tail = &tx_tails[i] };
		fixture.rx[i].enabled = fixture.tx[i].enabled = true;
		fixture.rings = i + 1;
	}
	first_buffer += 100;
	return 0;
}

/* Buffers are 64 bytes and more apart; the map looks at no lower bits. */
static uint8_t *
number(uint64_t i)
{
	return (uint8_t *)((uintptr_t)(first_buffer + i) * 2048);
}

static void
arm(unsigned ring, uint64_t buffer)
{
	rx_posts[ring][rx_tails[ring]] = number(buffer);
	rx_tails[ring] = (rx_tails[ring] + 1) % SIZE;
}

static void
post(unsigned ring, uint64_t buffer)
{
	tx_posts[ring][tx_tails[ring]] = number(buffer);
	tx_tails[ring] = (tx_tails[ring] + 1) % SIZE;
}

#define ASSERT_FOUND(twice, in_tx, while_armed) \
	do { \
		owner_scan(&fixture, &report); \
		assert_int_equal(report.armed_twice, twice); \
		assert_int_equal(report.armed_in_tx, in_tx); \
		assert_int_equal(report.sent_while_armed, while_armed); \
	} while (0)

/*
 * Armed, received into, sent, armed again: three times round the ring, and never twice by another
 * look.
 */
TEST(a_good_driver)
{
	for (unsigned i = 0; i < 3 * SIZE; i++) {
		arm(0, i % 5);
		ASSERT_FOUND(0, 0, 0);
		owner_received(number(i % 5));
		post(0, i % 5);
		ASSERT_FOUND(0, 0, 0);
		owner_sent(number(i % 5));
	}
}

/*
 * External buffers: more addresses than the map has room for, a few at a time, with some that stay
 * posted; it still knows who has what.
 */
TEST(ever_new_buffers)
{
	enum { BUFFERS = 300000, AT_ONCE = 5 };

	arm(1, BUFFERS);
	post(1, BUFFERS + 1);
	for (unsigned i = 0; i < BUFFERS; i++) {
		post(0, i);
		ASSERT_FOUND(0, 0, 0);
		if (i >= AT_ONCE)
			owner_sent(number(i - AT_ONCE));
	}
	post(1, BUFFERS);
	ASSERT_FOUND(0, 0, 1);
	arm(1, BUFFERS + 1);
	ASSERT_FOUND(0, 1, 1);
	arm(1, BUFFERS - 1);
	ASSERT_FOUND(0, 2, 1);
	for (unsigned i = BUFFERS - AT_ONCE; i < BUFFERS; i++)
		owner_sent(number(i));
	first_buffer += BUFFERS;
}

TEST(armed_twice)
{
	arm(0, 1);
	arm(1, 1);
	arm(1, 2);
	ASSERT_FOUND(1, 0, 0);
	ASSERT_FOUND(1, 0, 0);
}

TEST(armed_while_it_is_sent)
{
	post(1, 1);
	ASSERT_FOUND(0, 0, 0);
	arm(0, 1);
	ASSERT_FOUND(0, 1, 0);
	owner_sent(number(1));
	owner_received(number(1));
	arm(0, 1);
	ASSERT_FOUND(0, 1, 0);
}

TEST(sent_while_it_is_armed)
{
	arm(0, 1);
	ASSERT_FOUND(0, 0, 0);
	post(0, 1);
	ASSERT_FOUND(0, 0, 1);
}

/* Both at once: which came first cannot be seen; that they clash can. */
TEST(both_between_two_looks)
{
	post(0, 1);
	arm(0, 1);
	ASSERT_FOUND(0, 1, 0);
}

TEST(a_packet_sent_twice_is_no_fault)
{
	post(0, 1);
	post(1, 1);
	ASSERT_FOUND(0, 0, 0);
	owner_sent(number(1));
	arm(0, 1);
	ASSERT_FOUND(0, 1, 0); /* the other one still waits */
}

TEST(descriptors_without_buffer_are_passed)
{
	tx_posts[0][0] = NULL;
	tx_tails[0] = 1;
	post(0, 1);
	ASSERT_FOUND(0, 0, 0);
	arm(0, 1);
	ASSERT_FOUND(0, 1, 0);
}

/* What a ring holds is nobody's when it goes off; what lies before its head is another's. */
TEST(a_ring_goes_off)
{
	arm(0, 1);
	arm(0, 2);
	post(0, 3);
	ASSERT_FOUND(0, 0, 0);
	owner_received(number(1));
	fixture.rx[0].head = 1;
	arm(1, 1);
	ASSERT_FOUND(0, 0, 0);
	owner_ring_off(&fixture, &fixture.rx[0], true);
	owner_ring_off(&fixture, &fixture.tx[0], false);
	arm(1, 2);
	arm(1, 3);
	ASSERT_FOUND(0, 0, 0);
	arm(1, 1);
	ASSERT_FOUND(1, 0, 0);
}

/*
 * Buffers that lie anywhere: their places in the map clash, as those of equally spaced ones hardly
 * do.
 */
static uint64_t
anywhere(uint32_t i)
{
	i = (i ^ i >> 16) * 0x7feb352du;
	i = (i ^ i >> 15) * 0x846ca68bu;
	return UINT64_C(1) << 32 | (i ^ i >> 16);
}

/*
 * In a map so full that most buffers lie behind their places: none of the ring's is forgotten, none
 * of another's is lost.
 */
TEST(a_ring_goes_off_among_many)
{
	enum { BUFFERS = 100000 };

	for (unsigned i = 0; i < BUFFERS; i++) {
		post(i % 2, anywhere(i));
		owner_scan(&fixture, &report);
	}
	owner_ring_off(&fixture, &fixture.tx[0], false);
	for (unsigned i = 0; i < BUFFERS; i += 2) {
		arm(0, anywhere(i));
		ASSERT_FOUND(0, 0, 0);
	}
	owner_ring_off(&fixture, &fixture.rx[0], true);
	for (unsigned i = 1; i < BUFFERS; i += 2) {
		arm(0, anywhere(i));
		ASSERT_FOUND(0, i / 2 + 1, 0);
	}
	owner_ring_off(&fixture, &fixture.rx[0], true);
	owner_ring_off(&fixture, &fixture.tx[1], false);
	for (unsigned i = 0; i < BUFFERS; i++) {
		arm(0, anywhere(i));
		ASSERT_FOUND(0, BUFFERS / 2, 0);
	}
	owner_ring_off(&fixture, &fixture.rx[0], true);
}

TEST(rings_that_are_off_or_wrong_are_passed)
{
	arm(0, 1);
	post(0, 1);
	fixture.rx[0].enabled = fixture.tx[0].enabled = false;
	rx_tails[1] = tx_tails[1] = SIZE; /* beyond the ring */
	ASSERT_FOUND(0, 0, 0);
	assert_int_equal(fixture.rx[0].seen + fixture.tx[0].seen + fixture.rx[1].seen +
			fixture.tx[1].seen,
		0);
}

TESTS(.before = set_up);
