/* The XL710's registers as a driver uses and misuses them: queues, resets, NVM, link, counters. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/model_nic/model_nic_xl710_fixture.h"
#include "fixtures/unit.h"
#include "pmd_shims/drivers/model_nic/model_nic.h"

#include <string.h>

enum {
	CAUSE = 0x38780,
	VECTOR_CONTROL = 0x38480,
	RX_CAUSE = 0x3a000,
	RESET_CONTROL = 0x92400,
	NVM_CONTROL = 0xb6110,
	NVM_DATA = 0xb6114,
	LINK_STATE = 0x1e2420,
	TX_HEAD = 0xe4000,
	UP = 0x58000080,
	IS_ON = 4,
};

enum { RESULT_OK = 0, RESULT_INVALID = 14 };

static const struct xl710_fixture_rx usual = { 64, 2048, 1518, true, false };

/* What the driver divides, counts and waits for right after power on. */
TEST(test_power_on)
{
	static const struct {
		uint32_t offset, mask, value;
	} rows[] = {
		{ 0xbe494, 0x7ff << 2, 2 << 2 },      /* vectors: n - 2 must not wrap */
		{ 0xbe494, 0x7ff << 13, 2 << 13 },    /* of VFs */
		{ 0x1c0400, 0x87ff07ff, 0x807f0000 }, /* queues 0..127, valid */
		{ 0xb8188, 3, 0 },                    /* no reset under way */
		{ 0xb6008, 0x18, 0x18 },              /* firmware is up */
		{ 0xb6108, 1 << 6, 1 << 6 },          /* NVM is not blank */
		{ NVM_CONTROL, 1u << 31, 1u << 31 }, /* the driver waits before its first command */
		{ 0x83048, ~0u, 0 },                 /* no recovery mode */
		{ 0xc2004, 0xf, 7 },                 /* Tx context 128 bytes, Rx 32 */
		{ 0xc200c, 0xf, 5 },
		{ LINK_STATE, ~0u, UP },
		{ RESET_CONTROL, ~0u, 0 },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(nic_fixture_read(rows[i].offset) & rows[i].mask, rows[i].value);
	assert_int_equal(atomic_load(&nic_fixture.frame_max), 9728 - 4);
	assert_int_equal(atomic_load(&nic_fixture.tx_frame_min), 60);
	assert_false(atomic_load(&nic_fixture.vlan_strip));
	assert_int_equal(atomic_load(&nic_fixture.resets), 0);
}

TEST(test_queue_on_off)
{
	struct ring *rx, *tx;

	xl710_fixture_vsi(6, false);
	nic_fixture_write(XL710_TX_TAIL + 4 * FIXTURE_QUEUE, 17); /* left by the run before */
	rx = xl710_fixture_rx_on(FIXTURE_QUEUE, usual);
	tx = xl710_fixture_tx_on(FIXTURE_QUEUE, 512);
	assert_true(atomic_load(&rx->enabled));
	assert_true(atomic_load(&tx->enabled));
	assert_int_equal(nic_fixture_read(XL710_RX_ENABLE + 4 * FIXTURE_QUEUE), 1 | IS_ON);
	assert_int_equal(nic_fixture_read(XL710_TX_ENABLE + 4 * FIXTURE_QUEUE), 1 | IS_ON);
	assert_int_equal(nic_fixture_read(XL710_TX_TAIL + 4 * FIXTURE_QUEUE), 0);
	assert_ptr_equal(rx->desc, fixture_rx_desc);
	assert_int_equal(rx->size, 64);
	assert_int_equal(rx->desc_size, 32);
	assert_int_equal(rx->buf_len, 2048);
	assert_int_equal(rx->data_queue, 0);
	assert_int_equal(tx->size, 512);
	assert_int_equal(tx->desc_size, 16);
	assert_int_equal(atomic_load(&nic_fixture.frame_max), 1514);
	assert_false(atomic_load(&nic_fixture.scattered));
	nic_fixture_write(XL710_RX_ENABLE + 4 * FIXTURE_QUEUE, IS_ON);
	assert_int_equal(nic_fixture_read(XL710_RX_ENABLE + 4 * FIXTURE_QUEUE), 0);
	assert_false(atomic_load(&rx->enabled));
	assert_true(atomic_load(&tx->enabled));
	assert_int_equal(nic_fixture_disabled, 1);
}

/* The flow director's queue is on but carries nothing; the 64th data queue is the last. */
TEST(test_queue_mapping)
{
	xl710_fixture_vsi(6, false);
	assert_int_equal(xl710_fixture_rx_on(0, usual)->data_queue, -1);
	assert_true(atomic_load(&nic_fixture.rx[0].enabled));
	assert_int_equal(xl710_fixture_rx_on(FIXTURE_QUEUE + 63, usual)->data_queue, 63);
	assert_true(atomic_load(&nic_fixture.rx[FIXTURE_QUEUE + 63].enabled));
	assert_int_equal(nic_fixture_log[0], '\0');
	xl710_fixture_rx_on(FIXTURE_QUEUE + 64, usual);
	assert_false(atomic_load(&nic_fixture.rx[FIXTURE_QUEUE + 64].enabled));
	assert_int_equal(nic_fixture_read(XL710_RX_ENABLE + 4 * (FIXTURE_QUEUE + 64)), 1);
	assert_string_equal(nic_fixture_log,
		"Rx queue 65 cannot be enabled: a modelled port has 64 queues");
}

/* Linux' driver has its filters in the last queue, of a second VSI of the function. */
TEST(test_filter_queue)
{
	enum { LAST = MODEL_QUEUES_MAX - 1, TYPE_VMDQ = 1, TYPE_PF = 2 };
	uint8_t properties[XL710_VSI_BYTES] = { 0x40 }; /* queue section */
	struct command c = { .opcode = 0x0210, .word = { 0, 0, 0, TYPE_VMDQ } };

	properties[30] = LAST;
	xl710_fixture_vsi(6, false);
	xl710_fixture_command(&c, properties, sizeof(properties));
	xl710_fixture_rx_on(LAST, usual);
	assert_false(atomic_load(&nic_fixture.rx[LAST].enabled));
	c = (struct command){ .opcode = 0x0210, .word = { 0, 0, 0, TYPE_PF } };
	properties[0] = 0;
	properties[30] = LAST;
	xl710_fixture_command(&c, properties, sizeof(properties)); /* no queue section */
	xl710_fixture_rx_on(LAST, usual);
	assert_false(atomic_load(&nic_fixture.rx[LAST].enabled));
	c = (struct command){ .opcode = 0x0210, .word = { 0, 0, 0, TYPE_PF } };
	properties[0] = 0x40;
	properties[30] = LAST;
	xl710_fixture_command(&c, properties, sizeof(properties));
	assert_int_equal(xl710_fixture_rx_on(LAST, usual)->data_queue, -1);
	assert_true(atomic_load(&nic_fixture.rx[LAST].enabled));
	nic_fixture_write(RESET_CONTROL, 1);
	assert_int_equal(atomic_load(&xl710_state(&nic_fixture)->filter_queue), XL710_NO_QUEUE);
}

/* No queue goes on without sense in its context; the driver sees the status bit missing. */
TEST(test_queue_refused)
{
	static const struct {
		struct xl710_fixture_rx context;
		const char *why;
	} rows[] = {
		{ { 0, 2048, 1518, true, false }, "no ring" },
		{ { 4, 2048, 1518, true, false }, "no ring" },
		{ { 8191, 2048, 1518, true, false }, "no ring" },
		{ { 64, 0, 1518, true, false }, "the buffer size is 0" },
	};

	xl710_fixture_vsi(0, false);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		xl710_fixture_rx_on(FIXTURE_QUEUE, rows[i].context);
		assert_int_equal(nic_fixture_read(XL710_RX_ENABLE + 4 * FIXTURE_QUEUE) & IS_ON, 0);
		assert_non_null(strstr(nic_fixture_log, rows[i].why));
	}
	nic_fixture_write(XL710_RX_ENABLE + 4 * 1000, 1); /* not in the model */
	assert_int_equal(nic_fixture_read(XL710_RX_ENABLE + 4 * 1000), 1);
	xl710_fixture_rx_context(FIXTURE_QUEUE, usual);
	nic_fixture_write(0xc0100, 0); /* the segment goes */
	nic_fixture_write(0xc0000, UINT32_C(1) << 31);
	nic_fixture_write(XL710_RX_ENABLE + 4 * FIXTURE_QUEUE, 1);
	assert_non_null(strstr(nic_fixture_log, "no context"));
	assert_int_equal(fixture_enabled, 0);
}

TEST(test_context_paged)
{
	xl710_fixture_vsi(0, false);
	xl710_fixture_private_paged();
	assert_int_equal(xl710_fixture_rx_on(FIXTURE_QUEUE, usual)->buf_len, 2048);
	assert_int_equal(xl710_fixture_tx_on(FIXTURE_QUEUE, 128)->size, 128);
	assert_int_equal(fixture_enabled, 2);
}

/* The shorter of a queue's and the MAC's maximum; more than a buffer: scattered. */
TEST(test_frame_max)
{
	struct command c = { .opcode = 0x0603, .word = { 1526 } };

	xl710_fixture_vsi(0, false);
	xl710_fixture_rx_on(FIXTURE_QUEUE,
		(struct xl710_fixture_rx){ 64, 2048, 9022, true, false });
	assert_int_equal(atomic_load(&nic_fixture.frame_max), 9018);
	assert_true(atomic_load(&nic_fixture.scattered));
	assert_int_equal(xl710_fixture_command(&c, NULL, 0), RESULT_OK);
	assert_int_equal(atomic_load(&nic_fixture.frame_max), 1522);
	c = (struct command){ .opcode = 0x0603, .word = { 9729 } };
	assert_int_equal(xl710_fixture_command(&c, NULL, 0), RESULT_INVALID);
	assert_int_equal(atomic_load(&nic_fixture.frame_max), 1522);
}

TEST(test_reset)
{
	xl710_fixture_vsi(2, true);
	xl710_fixture_rx_on(FIXTURE_QUEUE, usual);
	assert_true(atomic_load(&nic_fixture.vlan_strip));
	nic_fixture_write(VECTOR_CONTROL, 1);
	nic_fixture_write(RESET_CONTROL, 1);
	assert_int_equal(nic_fixture_read(RESET_CONTROL), 0);
	assert_int_equal(atomic_load(&nic_fixture.resets), 1);
	assert_false(atomic_load(&nic_fixture.rx[FIXTURE_QUEUE].enabled));
	assert_int_equal(nic_fixture_read(XL710_RX_ENABLE + 4 * FIXTURE_QUEUE), 0);
	assert_int_equal(nic_fixture_read(XL710_ATQ_LEN), 0);
	assert_int_equal(nic_fixture_read(VECTOR_CONTROL), 0);
	assert_false(atomic_load(&nic_fixture.vlan_strip));
	nic_fixture_write(RESET_CONTROL, 0);
	assert_int_equal(atomic_load(&nic_fixture.resets), 1);
	/* Private memory is forgotten too. */
	nic_fixture_write(XL710_RX_ENABLE + 4 * FIXTURE_QUEUE, 1);
	assert_non_null(strstr(nic_fixture_log, "no context"));
}

static uint16_t
nvm(uint32_t address)
{
	nic_fixture_write(NVM_CONTROL, address << 14 | 1u << 30);
	assert_int_equal(nic_fixture_read(NVM_CONTROL) >> 30, 2); /* done, not started */
	return (uint16_t)(nic_fixture_read(NVM_DATA) >> 16);
}

/* LLDP is on for port 0: where the driver looks, by register and by command. */
TEST(test_nvm)
{
	struct command c = { .opcode = 0x0701, .word = { 0, 2, 0x18 * 2 } };
	uint16_t settings = nvm(0x48), word = 0, at;

	at = (uint16_t)(settings + 0x2b);
	assert_int_equal(nvm(at + nvm(at) + 1u) & 0xf, 3);
	assert_int_equal(nvm(0x7fff), 0);
	assert_int_equal(xl710_fixture_command(&c, &word, 2), RESULT_OK);
	assert_int_equal(word, nvm(0x18));
	c = (struct command){ .opcode = 0x0701, .word = { 0, 100, 0 } };
	assert_int_equal(xl710_fixture_command(&c, &word, 2),
		RESULT_INVALID); /* more than the buffer has */
}

/* Linux' driver does not open a port unless the sum of the NVM without two areas is right. */
TEST(test_nvm_sum)
{
	enum { WORDS = 64 * 512, AREA = 512, CHECKSUM = 0x3f };
	const unsigned product = nvm(0x2f), alternate = nvm(0x3e);
	uint16_t sum = 0;

	assert_int_equal(nvm(0) >> 6 & 3, 1);
	for (unsigned i = 0; i < WORDS; i++)
		if (i != CHECKSUM && i - product >= AREA && i - alternate >= AREA)
			sum = (uint16_t)(sum + nvm(i));
	assert_int_equal((uint16_t)(sum + nvm(CHECKSUM)), 0xbaba);
}

static bool
events(bool on)
{
	struct command c = { .opcode = 0x0607, .word = { on ? 3 : 2 } };

	xl710_fixture_command(&c, NULL, 0);
	return (c.byte[4] & 1) != 0;
}

static void
cable(bool in)
{
	atomic_store(&nic_fixture.link_up, in);
	nic_fixture.family->link(&nic_fixture, in);
}

/*
 * One event for each time that the driver asks; the cause stays until it is read, the interrupt
 * comes when it is enabled.
 */
TEST(test_link_events)
{
	xl710_fixture_vsi(0, false);
	xl710_fixture_rx_on(FIXTURE_QUEUE, usual);
	assert_true(events(true));
	nic_fixture_write(VECTOR_CONTROL, 1);
	cable(false);
	assert_int_equal(nic_fixture_read(LINK_STATE), 0);
	assert_int_equal(fixture_interrupts, 1);
	assert_int_equal(nic_fixture_read(XL710_ARQ_HEAD), 1);
	assert_int_equal(nic_fixture_read(CAUSE), XL710_CAUSE_ADMIN | 1);
	assert_int_equal(nic_fixture_read(CAUSE), 0);
	cable(true); /* not asked again */
	assert_int_equal(nic_fixture_read(XL710_ARQ_HEAD), 1);
	assert_true(events(true));
	nic_fixture_write(VECTOR_CONTROL, 0);
	cable(false);
	assert_int_equal(nic_fixture_read(XL710_ARQ_HEAD), 2);
	assert_int_equal(fixture_interrupts, 1);
	nic_fixture_write(VECTOR_CONTROL, 1);
	assert_int_equal(fixture_interrupts, 2);
	nic_fixture_write(VECTOR_CONTROL, 1);
	assert_int_equal(fixture_interrupts, 2);
	assert_false(events(false));
	cable(true);
	assert_int_equal(nic_fixture_read(XL710_ARQ_HEAD), 2);
}

TEST(test_link_events_missing)
{
	struct command mask = { .opcode = 0x0613, .word = { 0, 0, 0, 0, 0x0002 } };

	cable(false); /* no ring is on: the driver is starting or stopping */
	cable(true);
	xl710_fixture_vsi(0, false);
	xl710_fixture_rx_on(FIXTURE_QUEUE, usual);
	events(true);
	nic_fixture_write(XL710_ARQ_TAIL, 0); /* no buffer */
	cable(false);
	assert_int_equal(nic_fixture_read(XL710_ARQ_HEAD), 0);
	nic_fixture_write(XL710_ARQ_TAIL, 5);
	xl710_fixture_command(&mask, NULL, 0);
	cable(true);
	assert_int_equal(nic_fixture_read(XL710_ARQ_HEAD), 0);
	assert_int_equal(fixture_interrupts, 0);
}

/* The driver's own word counts as much as the cable. */
TEST(test_phy)
{
	struct command off = { .opcode = 0x0601, .byte = { 0, 0, 0, 0, 0x10, 0x20 } };
	struct command on = { .opcode = 0x0601, .byte = { 0, 0, 0, 2, 0x7e, 0x38 } };
	struct command slow = { .opcode = 0x0601, .byte = { 0, 0, 0, 2, 0x04, 0x28 } };
	struct command get = { .opcode = 0x0600 };
	uint8_t abilities[32];

	xl710_fixture_command(&off, NULL, 0);
	assert_int_equal(nic_fixture_read(LINK_STATE), 0);
	assert_false(events(false));
	xl710_fixture_command(&get, abilities, sizeof(abilities));
	assert_int_equal(abilities[0] | abilities[1] | abilities[2] | abilities[3],
		0); /* types as set */
	cable(false);
	xl710_fixture_command(&on, NULL, 0);
	assert_int_equal(nic_fixture_read(LINK_STATE), 0);
	cable(true);
	assert_int_equal(nic_fixture_read(LINK_STATE), UP);
	xl710_fixture_command(&slow, NULL, 0); /* 10 Gbps only: no link */
	assert_int_equal(nic_fixture_read(LINK_STATE), 0);
	get = (struct command){ .opcode = 0x0600, .dword = { 2 } };
	xl710_fixture_command(&get, abilities, sizeof(abilities));
	assert_int_equal(abilities[3], 2); /* what it could do: 40GBASE-SR4 */
	assert_int_equal(abilities[4], 0x10);
}

static uint64_t
counter(uint32_t offset)
{
	return nic_fixture_read(offset) | (uint64_t)nic_fixture_read(offset + 4) << 32;
}

enum { RX_BYTES = 0x300000, RX = 0x3005a0, TX = 0x3009c0, MISSED = 0x300600, VSI_RX = 0x36c000 };

/* One moment for a round of reads; nothing goes back, whatever is reset. */
TEST(test_counters)
{
	int there; /* traffic is: only its address matters */

	nic_fixture.rx[1].packets = 10;
	nic_fixture.rx[1].bytes = 600;
	nic_fixture.rx[7].packets = UINT64_C(0x1234567890);
	nic_fixture.tx[3].packets = 5;
	assert_int_equal(counter(RX_BYTES), 600 + 4 * (UINT64_C(0x1234567890) + 10));
	nic_fixture.rx[1].packets = 11;
	assert_int_equal(counter(RX), UINT64_C(0x1234567890) + 10);
	assert_int_equal(counter(TX), 5);
	assert_int_equal(counter(RX), UINT64_C(0x1234567890) + 11);
	assert_int_equal(counter(VSI_RX + 8 * XL710_COUNTER), UINT64_C(0x1234567890) + 11);
	assert_int_equal(counter(VSI_RX), 0); /* internal */
	nic_fixture.traffic = (struct traffic *)(void *)&there;
	nic_fixture_report.rx_missed = 7;
	assert_int_equal(counter(MISSED), 0); /* of the same moment */
	assert_int_equal(counter(MISSED), 7);
	nic_fixture_report.rx_missed = 2;
	assert_int_equal(counter(MISSED), 9);
	nic_fixture_report.rx_missed = 3;
	assert_int_equal(counter(MISSED), 10);
	nic_fixture_write(RESET_CONTROL, 1);
	assert_int_equal(counter(MISSED), 10);
	nic_fixture.traffic = NULL;
}

TEST(test_tx_head)
{
	nic_fixture.tx[3].head = 77;
	assert_int_equal(nic_fixture_read(TX_HEAD + 4 * 3), 77);
}

TESTS(.before = nic_ring_fixture_set_up, .after = nic_ring_fixture_tear_down);
