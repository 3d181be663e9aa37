/* RSS of the 82599: kinds of packets, hash and table, against known hashes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/model_nic/model_nic_ixgbe_fixture.h"
#include "fixtures/unit.h"

#include <string.h>

enum {
	ON = 1,
	TCP4 = 1 << 16,
	IP4 = 1 << 17,
	IP6 = 1 << 20,
	TCP6 = 1 << 21,
	UDP4 = 1 << 22,
	UDP6 = 1 << 23,
};

static void
rss_on(uint32_t kinds)
{
	for (uint32_t i = 0; i < 10; i++) {
		uint32_t word;

		memcpy(&word, nic_fixture_known_key + 4 * (size_t)i, 4);
		nic_fixture_write(0x5c80 + 4 * i, word);
	}
	for (uint32_t i = 0; i < 32; i++)
		nic_fixture_write(0x5c00 + 4 * i, (4 * i % 16) * 0x01010101u + 0x03020100u);
	nic_fixture_write(0x5818, kinds);
}

static uint32_t
hash_of(const uint8_t *p, uint32_t len, uint16_t *queue)
{
	uint32_t hash = 1;

	*queue = nic_fixture.family->rss(&nic_fixture, p, len, &hash);
	return hash;
}

TEST(test_rss_hash)
{
	static const struct {
		bool vlan, ipv6;
		uint8_t protocol;
		uint32_t kinds, hash;
		unsigned type; /* as a descriptor shows it */
	} rows[] = {
		{ false, false, 6, ON | TCP4 | IP4, 0x51ccc178, 1 },
		{ false, false, 17, ON | UDP4 | IP4, 0x51ccc178, 7 },
		{ true, false, 17, ON | UDP4, 0x51ccc178, 7 },
		{ false, false, 17, ON | TCP4 | IP4, 0x323e8fc2, 2 }, /* addresses only */
		{ false, false, 47, ON | TCP4 | UDP4 | IP4, 0x323e8fc2, 2 },
		{ false, false, 6, ON | UDP4, 0, 0 },
		{ false, false, 6, TCP4 | IP4, 0, 0 },
		{ false, false, 6, 8 | ON | TCP4, 0, 0 }, /* pools, not RSS alone */
		{ false, true, 6, ON | TCP6, 0x40207d3d, 3 },
		{ false, true, 17, ON | UDP6 | IP6, 0x40207d3d, 8 },
		{ false, true, 17, ON | TCP6 | IP6, 0x2cc18cd5, 5 },
		{ false, true, 17, ON | TCP4 | IP4 | UDP4, 0, 0 },
	};
	uint8_t p[128];
	uint16_t queue;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t len = nic_fixture_packet(p, rows[i].vlan, rows[i].ipv6, rows[i].protocol);
		struct frame f = { .len = 60, .rss = rows[i].hash, .flags = FRAME_EOP | FRAME_RSS };
		struct ring *r;

		rss_on(rows[i].kinds);
		assert_int_equal(hash_of(p, len, &queue), rows[i].hash);
		assert_int_equal(queue, rows[i].hash % 16);
		r = ixgbe_fixture_rx_on(0, 64, 2);
		nic_ring_fixture_tail(r, 8);
		f.flags |= rows[i].ipv6 ? FRAME_IPV6 : FRAME_IPV4;
		f.flags |= rows[i].protocol == 6 ? FRAME_TCP
			: rows[i].protocol == 17 ? FRAME_UDP
						 : 0;
		nic_fixture.family->rx_give(&nic_fixture, r, &f, 1);
		assert_int_equal(nic_fixture_quads(r, 0)[0] & 15, rows[i].type);
		assert_int_equal(nic_fixture_quads(r, 0)[0] >> 32, rows[i].hash);
	}
}

/* Fragments have no ports; other packets and cut ones are not hashed. */
TEST(test_rss_parts)
{
	uint8_t p[128];
	uint16_t queue;
	uint32_t len = nic_fixture_packet(p, false, false, 17);

	rss_on(ON | UDP4 | IP4);
	assert_int_equal(hash_of(p, 14 + 20, &queue), 0);
	p[14 + 6] = 0x20;
	assert_int_equal(hash_of(p, len, &queue), 0x323e8fc2);
	p[12] = 0x12;
	assert_int_equal(hash_of(p, len, &queue), 0);
	assert_int_equal(queue, 0);
}

/* Each change is a generation; a key that changes changes the hash. */
TEST(test_rss_changes)
{
	uint8_t p[128];
	uint16_t queue;
	uint32_t len = nic_fixture_packet(p, false, false, 6), generation, hash;

	rss_on(ON | TCP4);
	hash = hash_of(p, len, &queue);
	generation = atomic_load(&nic_fixture.rss_generation);
	nic_fixture_write(0x5818, ON | TCP4);
	nic_fixture_write(0x5ca8, 5); /* behind the key */
	assert_int_equal(atomic_load(&nic_fixture.rss_generation), generation);
	nic_fixture_write(0x5c80, 5);
	assert_int_equal(atomic_load(&nic_fixture.rss_generation), generation + 1);
	assert_int_not_equal(hash_of(p, len, &queue), hash);
	nic_fixture_write(0x5c7c, 0);
	assert_int_equal(atomic_load(&nic_fixture.rss_generation), generation + 2);
}

/* 128 entries of 4 bits, the lowest byte first. */
TEST(test_rss_table)
{
	uint8_t p[128];
	uint16_t queue;
	uint32_t len = nic_fixture_packet(p, false, false, 6), entry;

	rss_on(ON | TCP4);
	entry = hash_of(p, len, &queue) % 128;
	for (unsigned i = 0; i < 32; i++)
		nic_fixture_write(0x5c00 + 4 * i, 0);
	nic_fixture_write(0x5c00 + entry / 4 * 4, UINT32_C(0xfb) << entry % 4 * 8);
	hash_of(p, len, &queue);
	assert_int_equal(queue, 0xb);
}

TESTS(.before = nic_ring_fixture_set_up, .after = nic_ring_fixture_tear_down);
