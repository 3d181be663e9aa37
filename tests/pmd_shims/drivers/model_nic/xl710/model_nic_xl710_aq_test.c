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

enum { ADD = 0x0250, REMOVE = 0x0251, PROMISCUOUS = 0x0254, ELEMENT = 16, RESULT_AT = 12 };
enum { EXACT = 1, ADD_ANY_VLAN = 4, REMOVE_ANY_VLAN = 8 }; /* flags of an element */

static void
element_write(uint8_t *list, unsigned place, uint8_t last_byte, unsigned vlan, uint8_t flags)
{
	const uint8_t element[ELEMENT] = { 2, 0xaa, 0, 0, 0, last_byte, (uint8_t)vlan,
		(uint8_t)(vlan >> 8), flags };

	memcpy(list + (size_t)ELEMENT * place, element, sizeof(element));
}

/* A list of one element to the main VSI. */
static uint16_t
mac_command(uint16_t opcode, uint8_t last_byte, unsigned vlan, uint8_t flags)
{
	uint8_t list[ELEMENT];
	struct command c = { .opcode = opcode, .word = { 1, XL710_SEID | 0x8000 } };

	element_write(list, 0, last_byte, vlan, flags);
	return xl710_fixture_command(&c, list, sizeof(list));
}

/* If a packet to this address is accepted, with a tag unless vlan is negative. */
static bool
accepted(const uint8_t to[6], int vlan)
{
	uint8_t pkt[64] = { 0 };

	memcpy(pkt, to, 6);
	pkt[12] = vlan >= 0 ? 0x81 : 8;
	pkt[14] = (uint8_t)(0xe0 | (vlan >> 8 & 15)); /* priority 7 */
	pkt[15] = (uint8_t)vlan;
	return nic_fixture.family->accepts(&nic_fixture, pkt, sizeof(pkt));
}

static bool
accepts_last(uint8_t last_byte, int vlan)
{
	return accepted((const uint8_t[]){ 2, 0xaa, 0, 0, 0, last_byte }, vlan);
}

/* Each address of a list is found to have room. */
TEST(test_mac_filter_list)
{
	uint8_t list[3 * ELEMENT];
	struct command c = { .opcode = ADD, .word = { 3, XL710_SEID } };

	memset(list, 0xff, sizeof(list));
	assert_int_equal(xl710_fixture_command(&c, list, sizeof(list)), RESULT_OK);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(list[ELEMENT * i + RESULT_AT], 1);
	assert_int_equal(list[11], 0xff);
	for (uint16_t opcode = ADD; opcode <= REMOVE; opcode++) {
		c = (struct command){ .opcode = opcode, .word = { 4, XL710_SEID } };
		assert_int_equal(xl710_fixture_command(&c, list, sizeof(list)), RESULT_INVALID);
		c = (struct command){ .opcode = opcode, .word = { 1, XL710_SEID } };
		assert_int_equal(xl710_fixture_command(&c, NULL, 0), RESULT_INVALID);
	}
}

/* Firmware has one for the card's address without a tag; a driver that removes one for any tag has none. */
TEST(test_mac_filter_of_firmware)
{
	const uint8_t *own = nic_fixture.mac;
	uint8_t list[ELEMENT] = { 0 };
	struct command c = { .opcode = REMOVE, .word = { 1, XL710_SEID } };

	assert_true(accepted(own, -1));
	assert_true(accepted(own, 0));
	assert_false(accepted(own, 5));
	assert_false(accepts_last(1, -1));
	memcpy(list, own, 6);
	list[8] = EXACT | REMOVE_ANY_VLAN;
	assert_int_equal(xl710_fixture_command(&c, list, sizeof(list)), RESULT_NO_ENTRY);
	assert_int_equal(list[RESULT_AT], 0xff);
	assert_true(accepted(own, -1));
	c = (struct command){ .opcode = REMOVE, .word = { 1, XL710_SEID } };
	list[8] = EXACT;
	list[RESULT_AT] = 7;
	assert_int_equal(xl710_fixture_command(&c, list, sizeof(list)), RESULT_OK);
	assert_int_equal(list[RESULT_AT], 0);
	assert_false(accepted(own, -1));
	nic_fixture_write(0x92400, 1); /* reset */
	assert_true(accepted(own, -1));
}

TEST(test_mac_and_vlan_filters)
{
	assert_int_equal(mac_command(ADD, 1, 5, EXACT), RESULT_OK);
	assert_int_equal(mac_command(ADD, 1, 4095, EXACT), RESULT_OK);
	assert_int_equal(mac_command(ADD, 2, 0, EXACT | ADD_ANY_VLAN), RESULT_OK);
	assert_int_equal(mac_command(ADD, 2, 0, EXACT | ADD_ANY_VLAN), RESULT_OK); /* again */
	for (int vlan = -1; vlan <= 4095; vlan++) {
		assert_true(accepts_last(1, vlan) == (vlan == 5 || vlan == 4095));
		assert_true(accepts_last(2, vlan));
		assert_false(accepts_last(3, vlan));
	}
	assert_int_equal(mac_command(REMOVE, 1, 6, EXACT), RESULT_NO_ENTRY);
	assert_int_equal(mac_command(REMOVE, 2, 0, EXACT), RESULT_NO_ENTRY);
	assert_int_equal(mac_command(REMOVE, 1, 5, EXACT), RESULT_OK);
	assert_false(accepts_last(1, 5));
	assert_true(accepts_last(1, 4095));
	assert_int_equal(mac_command(REMOVE, 2, 0, EXACT | REMOVE_ANY_VLAN), RESULT_OK);
	assert_false(accepts_last(2, -1));
}

/* The main VSI receives nothing because of a filter for another one. */
TEST(test_mac_filters_of_another_vsi)
{
	uint8_t list[ELEMENT];
	struct command c = { .opcode = ADD, .word = { 1, XL710_SEID + 1 } };

	element_write(list, 0, 1, 0, EXACT);
	assert_int_equal(xl710_fixture_command(&c, list, sizeof(list)), RESULT_OK);
	assert_int_equal(list[RESULT_AT], 1);
	assert_false(accepts_last(1, -1));
	c = (struct command){ .opcode = REMOVE, .word = { 1, XL710_SEID + 1 } };
	assert_int_equal(xl710_fixture_command(&c, list, sizeof(list)), RESULT_OK);
	c = (struct command){ .opcode = PROMISCUOUS, .word = { 7, 7, XL710_SEID + 1 } };
	assert_int_equal(xl710_fixture_command(&c, NULL, 0), RESULT_OK);
	assert_false(accepts_last(1, -1));
}

/* A full table refuses; a place that is free again is used. */
TEST(test_mac_filters_full)
{
	unsigned n = 0;

	while (n < 2 * XL710_MACS && mac_command(ADD, (uint8_t)(n >> 12), n, EXACT) == RESULT_OK)
		n++;
	assert_int_equal(n, XL710_MACS - 1); /* one is firmware's */
	assert_int_equal(mac_command(ADD, 9, 9, EXACT), RESULT_NO_SPACE);
	assert_true(accepts_last(0, 4000));
	assert_int_equal(mac_command(REMOVE, 0, 100, EXACT), RESULT_OK);
	assert_int_equal(mac_command(ADD, 9, 9, EXACT), RESULT_OK);
	assert_true(accepts_last(9, 9));
	assert_int_equal(mac_command(ADD, 9, 10, EXACT), RESULT_NO_SPACE);
}

/* Each mode alone; bits that are not valid stay as they are. */
TEST(test_promiscuous)
{
	enum { UNICAST = 1, MULTICAST = 2, BROADCAST = 4, DEFAULT = 8, VLAN = 16, ALL = 31 };
	static const struct {
		uint16_t mode;
		bool unicast, multicast, broadcast, own_tagged;
	} rows[] = {
		{ 0, false, false, false, false },
		{ UNICAST, true, false, false, true },
		{ MULTICAST, false, true, false, false },
		{ BROADCAST, false, false, true, false },
		{ DEFAULT, true, true, true, true },
		{ VLAN, false, false, false, true },
	};
	static const uint8_t multicast[6] = { 1, 0, 0x5e }, everyone[6] = { [0 ... 5] = 0xff };
	struct command c;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		c = (struct command){ .opcode = PROMISCUOUS,
			.word = { rows[i].mode, ALL, XL710_SEID } };
		assert_int_equal(xl710_fixture_command(&c, NULL, 0), RESULT_OK);
		c = (struct command){ .opcode = PROMISCUOUS,
			.word = { ~rows[i].mode & ALL, 0, XL710_SEID } };
		assert_int_equal(xl710_fixture_command(&c, NULL, 0), RESULT_OK);
		assert_true(accepts_last(1, 5) == rows[i].unicast);
		assert_true(accepted(multicast, -1) == rows[i].multicast);
		assert_true(accepted(everyone, 5) == rows[i].broadcast);
		assert_true(accepted(nic_fixture.mac, -1));
		assert_true(accepted(nic_fixture.mac, 5) == rows[i].own_tagged);
	}
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
