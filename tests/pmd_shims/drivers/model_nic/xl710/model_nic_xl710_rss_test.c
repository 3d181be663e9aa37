/* RSS of the XL710: classes, input, hash and table, against known hashes and the definition. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/model_nic/model_nic_xl710_fixture.h"
#include "fixtures/unit.h"

#include <string.h>

static void
rss_on(uint64_t classes)
{
	for (uint32_t i = 0; i < XL710_HKEY_WORDS; i++) {
		uint32_t word;

		memcpy(&word, nic_fixture_known_key + 4 * (size_t)i, 4);
		nic_fixture_write(XL710_HKEY + i * XL710_ARRAY, word);
	}
	for (uint32_t i = 0; i < XL710_HLUT_WORDS; i++)
		nic_fixture_write(XL710_HLUT + i * XL710_ARRAY,
			(4 * i % 16) * 0x01010101u + 0x03020100u);
	nic_fixture_write(XL710_FILTER_CONTROL, 1 << 16); /* 512 entries */
	nic_fixture_write(XL710_HENA, (uint32_t)classes);
	nic_fixture_write(XL710_HENA + XL710_ARRAY, (uint32_t)(classes >> 32));
}

#define CLASS(n) (UINT64_C(1) << (n))

static uint32_t
hash_of(const uint8_t *p, uint32_t len)
{
	uint32_t hash = 1;

	nic_fixture.family->rss(&nic_fixture, p, len, &hash);
	return hash;
}

static uint16_t
queue_of(const uint8_t *p, uint32_t len)
{
	uint32_t hash;

	return nic_fixture.family->rss(&nic_fixture, p, len, &hash);
}

TEST(test_rss_hash)
{
	enum { OTHER = 47 };
	static const struct {
		bool vlan, ipv6;
		uint8_t protocol;
		uint64_t classes;
		uint32_t hash;
	} rows[] = {
		{ false, false, 6, CLASS(33), 0x51ccc178 },
		{ false, false, 17, CLASS(31), 0x51ccc178 },
		{ true, false, 17, CLASS(31), 0x51ccc178 },
		{ false, false, OTHER, CLASS(35), 0x323e8fc2 }, /* addresses only */
		{ false, false, 17, CLASS(35), 0 },             /* UDP has a class of its own */
		{ false, false, 6, CLASS(31), 0 },
		{ false, false, 17, 0, 0 },
		{ false, false, 17, ~CLASS(31), 0 },
	};
	uint8_t p[128];

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t len = nic_fixture_packet(p, rows[i].vlan, rows[i].ipv6, rows[i].protocol);

		rss_on(rows[i].classes);
		xl710_fixture_vsi(4, false);
		assert_int_equal(hash_of(p, len), rows[i].hash);
		assert_int_equal(queue_of(p, len), rows[i].hash % 16);
	}
}

/* From the definition: one window of the key for each bit of the input. */
static uint32_t
toeplitz(const uint8_t *input, unsigned n)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < 8 * n; i++)
		for (unsigned b = 0; b < 32 && (input[i / 8] & 0x80 >> i % 8) != 0; b++)
			if ((nic_fixture_known_key[(i + b) / 8] & 0x80 >> (i + b) % 8) != 0)
				sum ^= 0x80000000u >> b;
	return sum;
}

TEST(test_rss_ipv6)
{
	static const struct {
		uint8_t protocol;
		unsigned bytes; /* of the input */
	} rows[] = { { 17, 36 }, { 6, 36 }, { 132, 40 }, { 58, 32 }, { 44, 32 } };
	uint8_t p[128];

	rss_on(~UINT64_C(0));
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t len = nic_fixture_packet(p, false, true, rows[i].protocol);

		assert_int_equal(hash_of(p, len), toeplitz(p + 14 + 8, rows[i].bytes));
	}
}

/* Fragments have no ports; the driver may leave out any part. */
TEST(test_rss_input)
{
	uint8_t p[128];
	uint32_t len = nic_fixture_packet(p, false, false, 17);

	rss_on(~UINT64_C(0));
	p[14 + 6] = 0x20; /* more fragments */
	assert_int_equal(hash_of(p, len), 0x323e8fc2);
	p[14 + 6] = 0x40; /* do not fragment */
	assert_int_equal(hash_of(p, len), 0x51ccc178);
	nic_fixture_write(XL710_HASH_INPUT + 8 * 31 + 4, 0x00018000); /* source address */
	assert_int_equal(hash_of(p, len), toeplitz(p + 14 + 12, 4));
	nic_fixture_write(XL710_HASH_INPUT + 8 * 31 + 4, 0x00000006); /* ports */
	assert_int_equal(hash_of(p, len), toeplitz(p + 34, 4));
}

/* No packet is read beyond its end. */
TEST(test_rss_short)
{
	uint8_t p[128];

	rss_on(~UINT64_C(0));
	for (unsigned k = 0; k < 8; k++) {
		uint32_t len = nic_fixture_packet(p, k & 1, k & 2, k & 4 ? 132 : 17);

		for (uint32_t n = 0; n < len - (k & 4 ? 0 : 4); n++)
			assert_int_equal(hash_of(p, n) | queue_of(p, n), 0);
		assert_int_not_equal(hash_of(p, len), 0);
	}
	p[18] = 0x45; /* IPv6 says the type, IPv4 the header */
	assert_int_equal(hash_of(p, 128), 0);
}

/* The table's size, its entries, and how many queues the VSI has for its only class. */
TEST(test_rss_table)
{
	const uint32_t entry = 0x51ccc178 % 512;
	uint8_t p[128];
	uint32_t len = nic_fixture_packet(p, false, false, 17), generation;

	rss_on(CLASS(31));
	xl710_fixture_vsi(6, false);
	nic_fixture_write(XL710_HLUT + entry / 4 * XL710_ARRAY, 13u << entry % 4 * 8);
	assert_int_equal(queue_of(p, len), 13);
	xl710_fixture_vsi(2, false);
	assert_int_equal(queue_of(p, len), 13 % 4);
	xl710_fixture_vsi(0, false);
	assert_int_equal(queue_of(p, len), 0);
	xl710_fixture_vsi(6, false);
	nic_fixture_write(XL710_FILTER_CONTROL, 0); /* 128 entries */
	assert_int_equal(queue_of(p, len), 0x51ccc178 % 128 % 16);
	generation = atomic_load(&nic_fixture.rss_generation);
	nic_fixture_write(XL710_HKEY, 1);
	nic_fixture_write(XL710_HKEY, 1); /* the same again */
	assert_int_equal(atomic_load(&nic_fixture.rss_generation), generation + 1);
	assert_int_not_equal(hash_of(p, len), 0x51ccc178);
	nic_fixture_write(XL710_FILTER_CONTROL, 1 << 16);
	for (uint32_t i = 0; i < XL710_HLUT_WORDS; i++)
		nic_fixture_write(XL710_HLUT + i * XL710_ARRAY, 0x40404040); /* six bits count */
	assert_int_equal(queue_of(p, len), 0);
}

TESTS(.before = nic_ring_fixture_set_up, .after = nic_ring_fixture_tear_down);
