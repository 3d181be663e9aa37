/* Amounts: a decimal number and a unit, and nothing else that strtod() would take. Hexadecimal
 * digits. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/err.h"
#include "base/text.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <stdint.h>

TEST(test_read)
{
	static const struct {
		const char *word, *unit;
		double number;
	} rows[] = {
		{ "10", "", 10 },
		{ "10s", "s", 10 },
		{ "0.5s", "s", 0.5 },
		{ "500ms", "ms", 500 },
		{ "1000packets", "packets", 1000 },
		{ "007h", "h", 7 },
		{ "1.25", "", 1.25 },
	};
	const char *unit;
	double number;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_true(text_amount(rows[i].word, &number, &unit));
		assert_string_equal(unit, rows[i].unit);
		assert_true(number == rows[i].number);
	}
}

TEST(test_refused)
{
	static const char *const words[] = { "", "s", "-1s", "+1s", " 1", "0x10s", "0x10packets",
		"5e-1s", "1e3", "1E3s", "1.s", ".5s", "inf", "nan" };
	const char *unit;
	double number;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		assert_false(text_amount(words[i], &number, &unit));
}

/* An amount has a unit that is known, and is above 0. */
TEST(test_check)
{
	static const struct {
		const char *word;
		int code;
	} rows[] = {
		{ "1", 0 },
		{ "0.001s", 0 },
		{ "1000000000000000packets", 0 },
		{ "0", -ERANGE },
		{ "0.0s", -ERANGE },
		{ "0packets", -ERANGE },
		{ "1000000000000001packets", -ERANGE },
		{ "10h", 0 },
		{ "1.5min", 0 },
		{ "10d", -EINVAL },
		{ "10kpackets", -EINVAL },
		{ "10k", 0 },
		{ "10K", -EINVAL },
		{ "-1s", -EINVAL },
	};
	const char *unit;
	double number;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { 0 };

		assert_int_equal(text_amount_check(rows[i].word, &number, &unit, &e), rows[i].code);
		assert_int_equal(e.code, -rows[i].code);
	}
}

/* A number of one unit as a whole number of another one. */
TEST(test_quantity)
{
	static const struct {
		const char *word, *unit;
		uint64_t number;
	} good[] = { { "10ms", "us", 10000 }, { "1.5ms", "us", 1500 }, { "1s", "ms", 1000 },
		{ "0.1s", "ms", 100 }, { "2min", "s", 120 }, { "1h", "ms", 3600000 },
		{ "3000us", "ms", 3 }, { "7ns", "ns", 7 }, { "0s", "us", 0 },
		{ "1Mpps", "packets/s", 1000000 }, { "1.5M", "packets/s", 1500000 },
		{ "20kpps", "packets/s", 20000 }, { "3pps", "packets/s", 3 },
		{ "10k", "flows", 10000 }, { "2M", "packets", 2000000 },
		{ "1G", "packets", 1000000000 }, { "10G", "Mbit/s", 10000 },
		{ "2.5Gbps", "Mbit/s", 2500 }, { "100M", "Mbit/s", 100 },
		{ "40Mbps", "Mbit/s", 40 } };
	static const char *const bad[][2] = { { "10", "us" }, { "1500us", "ms" }, { "1ns", "us" },
		{ "10ms", "bytes" }, { "10bytes", "ms" }, { "ms", "ms" }, { "-1ms", "us" },
		{ "1e3ms", "us" }, { "10000000h", "ns" }, { "1Gbps", "packets/s" }, { "1M", "ms" },
		{ "1s", "packets/s" }, { "1k", "bytes" }, { "0.5pps", "packets/s" },
		{ "1G", "flows" } };
	uint64_t number;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_true(text_quantity(good[i].word, good[i].unit, &number));
		assert_int_equal(number, good[i].number);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(text_quantity(bad[i][0], bad[i][1], &number));
	assert_true(text_seconds(90, "min") == 5400 && text_seconds(2, "") == 2);
	assert_true(text_seconds(2, "packets") == 0);
	assert_true(text_packets(2, "packets") == 2 && text_packets(1.5, "k") == 1500);
	assert_true(text_packets(2, "s") == 0 && text_packets(2, "Mpps") == 0);
}

TEST(test_hex)
{
	uint8_t bytes[3] = { 7, 7, 7 };

	assert_int_equal(text_hex("0aFf", bytes, 2), 4);
	assert_memory_equal(bytes, ((uint8_t[]){ 0x0a, 0xff, 7 }), 3);
	assert_int_equal(text_hex("123456", bytes, 2), 6);
	assert_memory_equal(bytes, ((uint8_t[]){ 0x12, 0x34, 7 }), 3);
	assert_int_equal(text_hex("abc", bytes, 3), 3);
	assert_memory_equal(bytes, ((uint8_t[]){ 0xab, 0x34, 7 }), 3);
	assert_int_equal(text_hex("0x12", bytes, 3), 1);
	assert_int_equal(text_hex("", bytes, 3), 0);
}
