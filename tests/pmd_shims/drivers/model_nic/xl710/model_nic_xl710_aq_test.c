/* Commands of the XL710's admin queue, good and bad. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/model_nic/model_nic_xl710_fixture.h"
#include "fixtures/unit.h"

#include <string.h>

enum {
	RESULT_OK = 0,
	RESULT_NO_ENTRY = 2,
	RESULT_NO_MEMORY = 9,
	RESULT_INVALID = 14,
	RESULT_NO_SPACE = 16,
	RESULT_NO_SYSTEM = 17
};

TEST(test_command_refused)
{
	static const struct {
		struct command command;
		uint16_t bytes, result;
	} rows[] = {
		{ { .opcode = 0x0bad }, 0, RESULT_NO_SYSTEM },
		{ { .opcode = 0x000a }, 32, RESULT_NO_MEMORY }, /* capabilities */
		{ { .opcode = 0x0107 }, 0, RESULT_INVALID },    /* no buffer */
		{ { .opcode = 0x0107 }, 8, RESULT_INVALID },    /* short buffer */
		{ { .opcode = 0x0200 }, 16, RESULT_INVALID },
		{ { .opcode = 0x0210 }, 64, RESULT_INVALID },
		{ { .opcode = 0x0211, .word = { XL710_SEID } }, 64, RESULT_INVALID },
		{ { .opcode = 0x0212, .word = { XL710_SEID + 1 } }, 128, RESULT_NO_ENTRY },
		{ { .opcode = 0x0212, .word = { 1 } }, 128, RESULT_NO_ENTRY },
		{ { .opcode = 0x0600 }, 4, RESULT_INVALID },
		{ { .opcode = 0x0603, .word = { 9729 } }, 0, RESULT_INVALID }, /* frames */
		{ { .opcode = 0x0618, .word = { 1 } }, 0, RESULT_NO_SYSTEM },  /* MAC loopback */
		{ { .opcode = 0x0701 }, 0, RESULT_INVALID },
		{ { .opcode = 0x0207, .dword = { 0, XL710_ATQ_TAIL } }, 0, RESULT_INVALID },
	};
	uint8_t buffer[128] = { 0 };

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct command c = rows[i].command;

		assert_int_equal(xl710_fixture_command(&c, rows[i].bytes != 0 ? buffer : NULL,
					 rows[i].bytes),
			rows[i].result);
		assert_int_equal(c.flags & 7, XL710_AQ_DONE | XL710_AQ_COMPLETE | XL710_AQ_ERROR);
	}
}

/* Round the ring more than once; a tail outside, or a queue that is off, does nothing. */
TEST(test_command_ring)
{
	struct command c;

	for (unsigned i = 0; i < 100; i++) {
		c = (struct command){ .opcode = 0x0001 };
		assert_int_equal(xl710_fixture_command(&c, NULL, 0), RESULT_OK);
	}
	c.opcode = (uint16_t)nic_fixture_read(XL710_ATQ_HEAD);
	nic_fixture_write(XL710_ATQ_TAIL, 32);
	assert_int_equal(nic_fixture_read(XL710_ATQ_HEAD), c.opcode);
	nic_fixture_write(XL710_ATQ_LEN, 32);
	nic_fixture_write(XL710_ATQ_TAIL, (c.opcode + 1u) % 32);
	assert_int_equal(nic_fixture_read(XL710_ATQ_HEAD), c.opcode);
}

TEST(test_command_registers)
{
	struct command c = { .opcode = 0x0207, .dword = { 0, XL710_HKEY, 0, 0x12345678 } };
	uint32_t before = atomic_load(&nic_fixture.rss_generation);
	uint8_t key[52];

	assert_int_equal(xl710_fixture_command(&c, NULL, 0), RESULT_OK);
	assert_int_equal(nic_fixture_read(XL710_HKEY), 0x12345678);
	assert_int_equal(atomic_load(&nic_fixture.rss_generation), before + 1);
	c = (struct command){ .opcode = 0x0206, .dword = { 0, XL710_HKEY, 0, 0 } };
	assert_int_equal(xl710_fixture_command(&c, NULL, 0), RESULT_OK);
	assert_int_equal(c.dword[3], 0x12345678);
	c = (struct command){ .opcode = 0xff03,
		.dword = { 0, 0xfffffffc, 7, 7 } }; /* beyond the BAR */
	assert_int_equal(xl710_fixture_command(&c, NULL, 0), RESULT_OK);
	assert_int_equal(c.dword[2] | c.dword[3], 0);
	for (unsigned i = 0; i < sizeof(key); i++)
		key[i] = (uint8_t)i;
	c = (struct command){ .opcode = 0x0b02 };
	assert_int_equal(xl710_fixture_command(&c, key, sizeof(key)), RESULT_OK);
	assert_int_equal(nic_fixture_read(XL710_HKEY + 12 * XL710_ARRAY), 0x33323130);
	memset(key, 0, sizeof(key));
	c = (struct command){ .opcode = 0x0b04 };
	assert_int_equal(xl710_fixture_command(&c, key, sizeof(key)), RESULT_OK);
	assert_int_equal(key[51], 51);
}

/* Each address of a list is found to have room. */
TEST(test_mac_filters)
{
	uint8_t list[3 * 16];
	struct command c = { .opcode = 0x0250, .word = { 3, XL710_SEID } };

	memset(list, 0xff, sizeof(list));
	assert_int_equal(xl710_fixture_command(&c, list, sizeof(list)), RESULT_OK);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(list[16 * i + 12], 1);
	assert_int_equal(list[11], 0xff);
	c = (struct command){ .opcode = 0x0250, .word = { 4, XL710_SEID } };
	assert_int_equal(xl710_fixture_command(&c, list, sizeof(list)), RESULT_INVALID);
}

TEST(test_vsis)
{
	uint8_t properties[128] = { 0 };
	struct command c;
	uint16_t seid = 0, counter;

	for (unsigned i = 1; i < XL710_VSIS; i++) {
		c = (struct command){ .opcode = 0x0210 };
		assert_int_equal(xl710_fixture_command(&c, properties, 128), RESULT_OK);
		assert_int_not_equal(c.word[0], seid);
		seid = c.word[0];
		/* Counter 0 would be taken off as internal traffic. */
		memcpy(&counter, properties + 112, 2);
		assert_int_not_equal(counter, 0);
	}
	c = (struct command){ .opcode = 0x0210 };
	assert_int_equal(xl710_fixture_command(&c, properties, 128), RESULT_NO_SPACE);
	c = (struct command){ .opcode = 0x0243, .word = { seid } };
	assert_int_equal(xl710_fixture_command(&c, NULL, 0), RESULT_OK);
	c = (struct command){ .opcode = 0x0210 };
	assert_int_equal(xl710_fixture_command(&c, properties, 128), RESULT_OK);
	c = (struct command){ .opcode = 0x0243, .word = { XL710_SEID } }; /* stays */
	xl710_fixture_command(&c, NULL, 0);
	c = (struct command){ .opcode = 0x0212, .word = { XL710_SEID } };
	assert_int_equal(xl710_fixture_command(&c, properties, 128), RESULT_OK);
}

TESTS(.before = xl710_fixture_set_up, .after = xl710_fixture_tear_down);
