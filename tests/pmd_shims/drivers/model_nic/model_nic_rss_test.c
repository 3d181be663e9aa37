/* RSS of XL710 and 82599: what is hashed, and tables, where the drivers' rules (flow_effect_test) do not
 * come: IPv6, other protocols, fragments, tags, cut packets, registers that no driver writes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/model_nic/model_nic_ixgbe_fixture.h"
#include "fixtures/model_nic/model_nic_xl710_fixture.h"
#include "fixtures/unit.h"

#include <string.h>

enum { IXGBE_KEY = 0x5c80, IXGBE_TABLE = 0x5c00, IXGBE_KINDS = 0x5818 };

/* Hashes of the known packet: of addresses alone, of ports too; IPv4 and IPv6. */
enum { H4 = 0x323e8fc2, H4_PORTS = 0x51ccc178, H6 = 0x2cc18cd5, H6_PORTS = 0x40207d3d };

/* The known key, a table of 0, 1, ... 15, 0, ..., and what is hashed. */
static void
rss_on(const struct nic_chip *chip, uint64_t kinds)
{
	const bool xl710 = chip == &nic_chip_xl710;

	for (uint32_t i = 0; i < (xl710 ? XL710_HKEY_WORDS : 10); i++) {
		uint32_t word;

		memcpy(&word, nic_fixture_known_key + 4 * (size_t)i, 4);
		nic_fixture_write(xl710 ? XL710_HKEY + i * XL710_ARRAY : IXGBE_KEY + 4 * i, word);
	}
	for (uint32_t i = 0; i < (xl710 ? XL710_HLUT_WORDS : 32); i++)
		nic_fixture_write(xl710 ? XL710_HLUT + i * XL710_ARRAY : IXGBE_TABLE + 4 * i,
			(4 * i % 16) * 0x01010101u + 0x03020100u);
	if (!xl710) {
		nic_fixture_write(IXGBE_KINDS, (uint32_t)kinds);
		return;
	}
	nic_fixture_write(XL710_FILTER_CONTROL, 1 << 16); /* 512 entries */
	nic_fixture_write(XL710_HENA, (uint32_t)kinds);
	nic_fixture_write(XL710_HENA + XL710_ARRAY, (uint32_t)(kinds >> 32));
	xl710_fixture_vsi(4, false);
}

static uint16_t
queue_of(const uint8_t *p, uint32_t len, uint32_t *hash)
{
	*hash = 1;
	return nic_fixture.family->rss(&nic_fixture, p, len, hash);
}

static uint32_t
hash_of(const uint8_t *p, uint32_t len)
{
	uint32_t hash;

	queue_of(p, len, &hash);
	return hash;
}

#define CLASS(n) (UINT64_C(1) << (n))

/* A flat table. */
TEST(what_is_hashed)
{
	enum { UDP = 17, TCP = 6, OTHER = 47, FRAGMENT_AT = 20, MORE = 0x20, WHOLE = 0x40 };
	enum { ON = 1, TCP4 = 1 << 16, IP4 = 1 << 17, IP6 = 1 << 20, TCP6 = 1 << 21 };
	enum { UDP4 = 1 << 22, UDP6 = 1 << 23 };
	static const struct {
		const struct nic_chip *chip;
		uint8_t protocol;
		bool vlan, ipv6;
		uint8_t fragment;
		uint64_t kinds;
		uint32_t hash;
		uint8_t type; /* 82599: shown in a descriptor */
	} rows[] = {
		{ &nic_chip_xl710, TCP, false, false, 0, CLASS(33), H4_PORTS, 0 },
		{ &nic_chip_xl710, UDP, true, false, 0, CLASS(31), H4_PORTS, 0 },
		{ &nic_chip_xl710, UDP, false, false, WHOLE, ~UINT64_C(0), H4_PORTS, 0 },
		{ &nic_chip_xl710, UDP, false, false, MORE, ~UINT64_C(0), H4, 0 },
		{ &nic_chip_xl710, OTHER, false, false, 0, CLASS(35), H4, 0 },
		{ &nic_chip_xl710, UDP, false, false, 0, CLASS(35), 0, 0 }, /* a class of its own */
		{ &nic_chip_xl710, TCP, false, false, 0, CLASS(31), 0, 0 },
		{ &nic_chip_xl710, UDP, false, false, 0, ~CLASS(31), 0, 0 },
		{ &nic_chip_xl710, UDP, false, true, 0, ~UINT64_C(0), H6_PORTS, 0 },
		{ &nic_chip_xl710, TCP, false, true, 0, ~UINT64_C(0), H6_PORTS, 0 },
		{ &nic_chip_xl710, 58, false, true, 0, ~UINT64_C(0), H6, 0 },
		{ &nic_chip_xl710, 44, false, true, 0, ~UINT64_C(0), H6, 0 }, /* a fragment */
		{ &nic_chip_ixgbe, TCP, false, false, 0, ON | TCP4 | IP4, H4_PORTS, 1 },
		{ &nic_chip_ixgbe, UDP, true, false, 0, ON | UDP4, H4_PORTS, 7 },
		{ &nic_chip_ixgbe, UDP, false, false, 0, ON | TCP4 | IP4, H4, 2 },
		{ &nic_chip_ixgbe, OTHER, false, false, 0, ON | TCP4 | UDP4 | IP4, H4, 2 },
		{ &nic_chip_ixgbe, TCP, false, false, 0, ON | UDP4, 0, 0 },
		{ &nic_chip_ixgbe, TCP, false, false, 0, TCP4 | IP4, 0, 0 },
		{ &nic_chip_ixgbe, TCP, false, false, 0, 8 | ON | TCP4, 0, 0 }, /* pools too */
		{ &nic_chip_ixgbe, TCP, false, true, 0, ON | TCP6, H6_PORTS, 3 },
		{ &nic_chip_ixgbe, UDP, false, true, 0, ON | UDP6 | IP6, H6_PORTS, 8 },
		{ &nic_chip_ixgbe, UDP, false, true, 0, ON | TCP6 | IP6, H6, 5 },
		{ &nic_chip_ixgbe, UDP, false, true, 0, ON | TCP4 | IP4 | UDP4, 0, 0 },
	};
	uint8_t p[128];

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t len = nic_fixture_packet(p, rows[i].vlan, rows[i].ipv6, rows[i].protocol),
			 hash;
		struct frame f = { .len = 60, .rss = rows[i].hash, .flags = FRAME_EOP | FRAME_RSS };
		struct ring *r;

		p[FRAGMENT_AT] |= rows[i].fragment;
		rows[i].chip->power_on();
		rss_on(rows[i].chip, rows[i].kinds);
		assert_int_equal(queue_of(p, len, &hash), rows[i].hash % 16);
		assert_int_equal(hash, rows[i].hash);
		r = rows[i].chip->rx_on(64, false);
		nic_ring_fixture_tail(r, 8);
		f.flags |= rows[i].ipv6 ? FRAME_IPV6 : FRAME_IPV4;
		f.flags |= rows[i].protocol == TCP ? FRAME_TCP : 0;
		f.flags |= rows[i].protocol == UDP ? FRAME_UDP : 0;
		nic_ring_fixture_give(r, &f, 1);
		assert_int_equal(nic_fixture_quads(r, 0)[0] & 15, rows[i].type);
		assert_int_equal(nic_fixture_quads(r, 0)[0] >> 32, rows[i].hash);
		rows[i].chip->power_off();
	}
}

/* No packet is read beyond its end. */
TEST(cut_packets)
{
	uint8_t p[128];

	nic_chip_xl710.power_on();
	rss_on(&nic_chip_xl710, ~UINT64_C(0));
	for (unsigned k = 0; k < 8; k++) {
		uint32_t len = nic_fixture_packet(p, k & 1, k & 2, k & 4 ? 132 : 17), hash;

		for (uint32_t n = 0; n < len - (k & 4 ? 0 : 4); n++)
			assert_int_equal(queue_of(p, n, &hash) | hash, 0);
		assert_int_not_equal(hash_of(p, len), 0);
	}
	p[18] = 0x45; /* IPv6 says the type, IPv4 the header */
	assert_int_equal(hash_of(p, 128), 0);
	nic_chip_xl710.power_off();
}

/* XL710: the table's size, six bits of its entries, and how many queues the VSI has. */
TEST(table_of_xl710)
{
	const uint32_t entry = H4_PORTS % 512;
	uint8_t p[128];
	uint32_t len = nic_fixture_packet(p, false, false, 17), hash, generation;

	nic_chip_xl710.power_on();
	rss_on(&nic_chip_xl710, CLASS(31));
	for (int power = 6; power >= 0; power -= 2) {
		xl710_fixture_vsi((unsigned)power, false);
		nic_fixture_write(XL710_HLUT + entry / 4 * XL710_ARRAY, 0x4du << entry % 4 * 8);
		assert_int_equal(queue_of(p, len, &hash), 13 % (1 << power));
	}
	xl710_fixture_vsi(6, false);
	nic_fixture_write(XL710_FILTER_CONTROL, 0); /* 128 entries */
	assert_int_equal(queue_of(p, len, &hash), H4_PORTS % 128 % 16);
	generation = atomic_load(&nic_fixture.rss_generation);
	for (unsigned i = 0; i < 2; i++)
		nic_fixture_write(XL710_HKEY, 1); /* another key, and that one again */
	assert_int_equal(atomic_load(&nic_fixture.rss_generation), generation + 1);
	assert_int_not_equal(hash_of(p, len), H4_PORTS);
	nic_chip_xl710.power_off();
}

/* The packet that answers: addresses and ports exchanged. */
static void
answer(uint8_t *p, bool ipv6)
{
	const unsigned at = ipv6 ? 22 : 26, bytes = ipv6 ? 16 : 4;
	uint8_t kept[16];

	memcpy(kept, p + at, bytes);
	memcpy(p + at, p + at + bytes, bytes);
	memcpy(p + at + bytes, kept, bytes);
	memcpy(kept, p + at + 2 * bytes, 2);
	memcpy(p + at + 2 * bytes, p + at + 2 * bytes + 2, 2);
	memcpy(p + at + 2 * bytes + 2, kept, 2);
}

/* XL710: both directions have one hash only if it is on for the port and for the packet's class. */
TEST(symmetric_hash)
{
	enum { UDP4 = 31, UDP6 = 41 };
	uint8_t p[128];
	uint32_t generation;

	for (unsigned on = 0; on < 8; on++) {
		const bool ipv6 = (on & 4) != 0;
		const uint32_t class = ipv6 ? UDP6 : UDP4,
			       len = nic_fixture_packet(p, false, ipv6, 17);
		uint32_t there;

		nic_chip_xl710.power_on();
		rss_on(&nic_chip_xl710, ~UINT64_C(0));
		generation = atomic_load(&nic_fixture.rss_generation);
		nic_fixture_write(XL710_PORT_HASH, on & 1);
		nic_fixture_write(XL710_SYMMETRIC + 4 * class, on >> 1 & 1);
		nic_fixture_write(XL710_SYMMETRIC + 4 * 33, 1); /* TCP's */
		assert_int_equal(atomic_load(&nic_fixture.rss_generation),
			generation + 1 + (on & 1) + (on >> 1 & 1));
		there = hash_of(p, len);
		assert_true((on & 3) == 3 || there == (ipv6 ? H6_PORTS : H4_PORTS));
		answer(p, ipv6);
		assert_true((hash_of(p, len) == there) == ((on & 3) == 3));
		/* Sources alone cannot be exchanged. */
		nic_fixture_write(XL710_HASH_INPUT + 8 * class, 0);
		nic_fixture_write(XL710_HASH_INPUT + 8 * class + 4, ipv6 ? 0x7f804 : 0x18004);
		there = hash_of(p, len);
		answer(p, ipv6);
		assert_int_not_equal(hash_of(p, len), there);
		nic_chip_xl710.power_off();
	}
}

/* XL710: addresses and ports of IPv4 are three words; a reset is Toeplitz again. */
TEST(simple_xor)
{
	uint8_t p[128];
	const uint32_t len = nic_fixture_packet(p, false, false, 17);

	nic_chip_xl710.power_on();
	rss_on(&nic_chip_xl710, ~UINT64_C(0));
	nic_fixture_write(XL710_HASH_KIND, 0);
	assert_int_equal(hash_of(p, len), 0x420995bb ^ 0xa18e6450 ^ 0x0aea06e6);
	nic_fixture_write(XL710_PORT_HASH, 1);
	nic_fixture_write(0x92400, 1);
	assert_int_equal(nic_fixture_read(XL710_HASH_KIND), 2);
	assert_int_equal(nic_fixture_read(XL710_PORT_HASH), 0);
	nic_chip_xl710.power_off();
}

/* 82599: four bits of an entry, the lowest byte first. Each change is a generation, no other write. */
TEST(table_of_ixgbe)
{
	uint8_t p[128];
	uint32_t len = nic_fixture_packet(p, false, false, 6), entry = H4_PORTS % 128, hash,
		 generation;

	nic_chip_ixgbe.power_on();
	rss_on(&nic_chip_ixgbe, 1 | 1 << 16);
	generation = atomic_load(&nic_fixture.rss_generation);
	nic_fixture_write(IXGBE_TABLE + entry / 4 * 4, UINT32_C(0xfb) << entry % 4 * 8);
	assert_int_equal(queue_of(p, len, &hash), 0xb);
	assert_int_equal(atomic_load(&nic_fixture.rss_generation), generation + 1);
	nic_fixture_write(IXGBE_KINDS, 1 | 1 << 16);
	nic_fixture_write(IXGBE_KEY + 40, 5); /* behind the key */
	assert_int_equal(atomic_load(&nic_fixture.rss_generation), generation + 1);
	nic_fixture_write(IXGBE_KEY, 5);
	assert_int_equal(atomic_load(&nic_fixture.rss_generation), generation + 2);
	assert_int_not_equal(hash_of(p, len), hash);
	nic_chip_ixgbe.power_off();
}
