/* RSS of the XL710: classes, input, hash and table, against known hashes and the definition. */
#include "model_nic_xl710_bed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

/* Microsoft's key and its known hashes. */
static const uint8_t known_key[52] = { 0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
	0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77,
	0xcb, 0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa };

static void
rss_on(uint64_t classes)
{
	for (uint32_t i = 0; i < XL710_HKEY_WORDS; i++) {
		uint32_t word;

		memcpy(&word, known_key + 4 * (size_t)i, 4);
		bed_write(XL710_HKEY + i * XL710_ARRAY, word);
	}
	for (uint32_t i = 0; i < XL710_HLUT_WORDS; i++)
		bed_write(XL710_HLUT + i * XL710_ARRAY, (4 * i % 16) * 0x01010101u + 0x03020100u);
	bed_write(XL710_FILTER_CONTROL, 1 << 16); /* 512 entries */
	bed_write(XL710_HENA, (uint32_t)classes);
	bed_write(XL710_HENA + XL710_ARRAY, (uint32_t)(classes >> 32));
}

static uint32_t
packet(uint8_t *p, bool vlan, bool ipv6, uint8_t protocol)
{
	static const uint8_t ipv4_pair[] = { 66, 9, 149, 187, 161, 142, 100, 80 };
	static const uint8_t ipv6_pair[] = { 0x3f, 0xfe, 0x25, 0x01, 0x02, 0x00, 0x1f, 0xff, 0, 0,
		0, 0, 0, 0, 0, 7, 0x3f, 0xfe, 0x25, 0x01, 0x02, 0x00, 0x00, 0x03, 0, 0, 0, 0, 0, 0,
		0, 1 };
	static const uint8_t ports[] = { 2794 >> 8, 2794 & 255, 1766 >> 8, 1766 & 255 };
	uint8_t *at = p + 12;

	memset(p, 0, 128);
	if (vlan) {
		at[0] = 0x81;
		at[3] = 7;
		at += 4;
	}
	at[0] = ipv6 ? 0x86 : 0x08;
	at[1] = ipv6 ? 0xdd : 0x00;
	at += 2;
	at[0] = ipv6 ? 0x60 : 0x45;
	at[ipv6 ? 6 : 9] = protocol;
	if (ipv6)
		memcpy(at + 8, ipv6_pair, sizeof(ipv6_pair));
	else
		memcpy(at + 12, ipv4_pair, sizeof(ipv4_pair));
	at += ipv6 ? 40 : 20;
	memcpy(at, ports, sizeof(ports));
	return (uint32_t)(at + 8 - p);
}

#define CLASS(n) (UINT64_C(1) << (n))

static uint32_t
hash_of(const uint8_t *p, uint32_t len)
{
	uint32_t hash = 1;

	bed.family->rss(&bed, p, len, &hash);
	return hash;
}

static uint16_t
queue_of(const uint8_t *p, uint32_t len)
{
	uint32_t hash;

	return bed.family->rss(&bed, p, len, &hash);
}

static void
test_rss_hash(void **state)
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
		uint32_t len = packet(p, rows[i].vlan, rows[i].ipv6, rows[i].protocol);

		rss_on(rows[i].classes);
		bed_vsi(4, false);
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
			if ((known_key[(i + b) / 8] & 0x80 >> (i + b) % 8) != 0)
				sum ^= 0x80000000u >> b;
	return sum;
}

static void
test_rss_ipv6(void **state)
{
	static const struct {
		uint8_t protocol;
		unsigned bytes; /* of the input */
	} rows[] = { { 17, 36 }, { 6, 36 }, { 132, 40 }, { 58, 32 }, { 44, 32 } };
	uint8_t p[128];

	rss_on(~UINT64_C(0));
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t len = packet(p, false, true, rows[i].protocol);

		assert_int_equal(hash_of(p, len), toeplitz(p + 14 + 8, rows[i].bytes));
	}
}

/* Fragments have no ports; the driver may leave out any part. */
static void
test_rss_input(void **state)
{
	uint8_t p[128];
	uint32_t len = packet(p, false, false, 17);

	rss_on(~UINT64_C(0));
	p[14 + 6] = 0x20; /* more fragments */
	assert_int_equal(hash_of(p, len), 0x323e8fc2);
	p[14 + 6] = 0x40; /* do not fragment */
	assert_int_equal(hash_of(p, len), 0x51ccc178);
	bed_write(XL710_HASH_INPUT + 8 * 31 + 4, 0x00018000); /* source address */
	assert_int_equal(hash_of(p, len), toeplitz(p + 14 + 12, 4));
	bed_write(XL710_HASH_INPUT + 8 * 31 + 4, 0x00000006); /* ports */
	assert_int_equal(hash_of(p, len), toeplitz(p + 34, 4));
}

/* No packet is read beyond its end. */
static void
test_rss_short(void **state)
{
	uint8_t p[128];

	rss_on(~UINT64_C(0));
	for (unsigned k = 0; k < 8; k++) {
		uint32_t len = packet(p, k & 1, k & 2, k & 4 ? 132 : 17);

		for (uint32_t n = 0; n < len - (k & 4 ? 0 : 4); n++)
			assert_int_equal(hash_of(p, n) | queue_of(p, n), 0);
		assert_int_not_equal(hash_of(p, len), 0);
	}
	p[18] = 0x45; /* IPv6 says the type, IPv4 the header */
	assert_int_equal(hash_of(p, 128), 0);
}

/* The table's size, its entries, and how many queues the VSI has for its only class. */
static void
test_rss_table(void **state)
{
	const uint32_t entry = 0x51ccc178 % 512;
	uint8_t p[128];
	uint32_t len = packet(p, false, false, 17), generation;

	rss_on(CLASS(31));
	bed_vsi(6, false);
	bed_write(XL710_HLUT + entry / 4 * XL710_ARRAY, 13u << entry % 4 * 8);
	assert_int_equal(queue_of(p, len), 13);
	bed_vsi(2, false);
	assert_int_equal(queue_of(p, len), 13 % 4);
	bed_vsi(0, false);
	assert_int_equal(queue_of(p, len), 0);
	bed_vsi(6, false);
	bed_write(XL710_FILTER_CONTROL, 0); /* 128 entries */
	assert_int_equal(queue_of(p, len), 0x51ccc178 % 128 % 16);
	generation = atomic_load(&bed.rss_generation);
	bed_write(XL710_HKEY, 1);
	bed_write(XL710_HKEY, 1); /* the same again */
	assert_int_equal(atomic_load(&bed.rss_generation), generation + 1);
	assert_int_not_equal(hash_of(p, len), 0x51ccc178);
	bed_write(XL710_FILTER_CONTROL, 1 << 16);
	for (uint32_t i = 0; i < XL710_HLUT_WORDS; i++)
		bed_write(XL710_HLUT + i * XL710_ARRAY, 0x20202020); /* no such data queue */
	assert_int_equal(queue_of(p, len), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bed_set_up, bed_tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_rss_hash),
		TEST(test_rss_ipv6),
		TEST(test_rss_input),
		TEST(test_rss_short),
		TEST(test_rss_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
