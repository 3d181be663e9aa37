/* Amounts: a decimal number and a unit, and nothing else that strtod() would take. Hexadecimal
 * digits. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/err.h"
#include "base/text.h"
#include "fixtures/cases.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int
amount_read(const char *word, char *to, size_t size, struct err *e)
{
	const char *unit;
	double number;

	if (text_amount_check(word, &number, &unit, e) != 0)
		return -e->code;
	snprintf(to, size, "%.16g%s", number, unit);
	return 0;
}

/* "AMOUNT UNIT" in that unit. */
static int
quantity_read(const char *words, char *to, size_t size, struct err *e)
{
	char word[32];
	uint64_t number;

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(words, " "), words);
	if (!text_quantity(word, strchr(words, ' ') + 1, &number))
		return err_set(e, EINVAL, "refused");
	snprintf(to, size, "%" PRIu64, number);
	return 0;
}

CASES("base/amount", { "amount", amount_read, true }, { "quantity", quantity_read })

/* 0 is an amount, but not one that is asked for. Each unit is of time or of packets. */
TEST(units)
{
	const char *unit;
	double number;

	assert_true(text_amount("0s", &number, &unit) && number == 0);
	assert_true(text_seconds(90, "min") == 5400 && text_seconds(2, "") == 2);
	assert_true(text_seconds(2, "packets") == 0);
	assert_true(text_packets(2, "packets") == 2 && text_packets(1.5, "k") == 1500);
	assert_true(text_packets(2, "s") == 0 && text_packets(2, "Mpps") == 0);
}

TEST(hex)
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
