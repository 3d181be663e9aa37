/* The XL710's registers as net_i40e does not use them: queues, resets, NVM, link, counters, vectors. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/model_nic/model_nic_xl710_fixture.h"
#include "fixtures/unit.h"
#include "pmd_shims/drivers/model_nic/model_nic.h"

#include <string.h>

enum {
	VECTOR_CONTROL = 0x38480,
	RESET_CONTROL = 0x92400,
	NVM_CONTROL = 0xb6110,
	NVM_DATA = 0xb6114,
	IS_ON = 4,
};

enum { RESULT_OK = 0, RESULT_INVALID = 14 };

static const struct xl710_fixture_rx usual = { 64, 2048, 1518, true, false };

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
	assert_int_equal(nic_fixture_read(0x1e2420), 0);
	assert_false(events(false));
	xl710_fixture_command(&get, abilities, sizeof(abilities));
	assert_int_equal(abilities[0] | abilities[1] | abilities[2] | abilities[3],
		0); /* types as set */
	cable(false);
	xl710_fixture_command(&on, NULL, 0);
	assert_int_equal(nic_fixture_read(0x1e2420), 0);
	cable(true);
	assert_int_equal(nic_fixture_read(0x1e2420), 0x58000080);
	xl710_fixture_command(&slow, NULL, 0); /* 10 Gbps only: no link */
	assert_int_equal(nic_fixture_read(0x1e2420), 0);
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

/* Borders of the length classes, with CRC; more frames than a lane holds; errors. */
TEST(test_rx_counters)
{
	static const struct {
		uint32_t len, counter;
	} rows[] = {
		{ 14, 0x300480 },
		{ 60, 0x300480 },
		{ 61, 0x3004a0 },
		{ 123, 0x3004a0 },
		{ 124, 0x3004c0 },
		{ 251, 0x3004c0 },
		{ 252, 0x3004e0 },
		{ 507, 0x3004e0 },
		{ 508, 0x300500 },
		{ 1019, 0x300500 },
		{ 1020, 0x300520 },
		{ 1518, 0x300520 },
		{ 1519, 0x300540 },
		{ 1531, 0x300540 },
		{ 1532, 0x300540 },
		{ 2043, 0x300540 },
		{ 2044, 0x300540 },
		{ 9000, 0x300540 },
	};
	struct frame f[300];
	struct ring *r = nic_chip_xl710.rx_on(512, false);

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t before = xl710_fixture_counter(rows[i].counter);

		f[0] = (struct frame){ .len = rows[i].len, .flags = FRAME_EOP };
		nic_ring_fixture_arm(r, r->head, 1);
		nic_ring_fixture_give(r, f, 1);
		assert_int_equal(xl710_fixture_counter(rows[i].counter), before + 1);
	}
	for (unsigned i = 0; i < 300; i++)
		f[i] = (struct frame){ .len = 60,
			.flags = FRAME_EOP | (i % 100 == 0 ? FRAME_ERROR : 0) };
	nic_ring_fixture_arm(r, r->head, 300);
	for (unsigned i = 0; i < 300; i += 60)
		nic_ring_fixture_give(r, f + i, 60);
	assert_int_equal(xl710_fixture_counter(0x300480), 302);
	assert_int_equal(xl710_fixture_counter(0x300080), 3); /* errors */
	assert_int_equal(xl710_fixture_counter(0x3005a0), 318);
	assert_int_equal(r->packets, 318);
}

/* Vector 0 tells of packets when the ring is wired to it and the driver let it. */
TEST(test_rx_interrupts)
{
	enum { CONTROL = 0x38480, CAUSE = 0x3a000 };
	struct ring *r = nic_chip_xl710.rx_on(64, false);
	struct frame f = { .len = 60, .flags = FRAME_EOP };

	nic_ring_fixture_arm(r, 0, 32);
	nic_fixture_write(CONTROL, 1);
	nic_fixture_write(CAUSE + 4 * FIXTURE_QUEUE, UINT32_C(1) << 30 | 1); /* another vector */
	nic_ring_fixture_give(r, &f, 1);
	assert_int_equal(fixture_interrupts, 0);
	nic_fixture_write(CAUSE + 4 * FIXTURE_QUEUE, UINT32_C(1) << 30);
	nic_ring_fixture_give(r, &f, 1);
	nic_ring_fixture_give(r, &f, 1);
	assert_int_equal(fixture_interrupts, 1);        /* until it is enabled again */
	assert_int_equal(nic_fixture_read(0x38780), 3); /* an event, of a queue */
	assert_int_equal(nic_fixture_read(0x38780), 0);
	nic_fixture_write(CONTROL, UINT32_C(1) << 31 | 1); /* leaves the enable bit as it is */
	assert_int_equal(fixture_interrupts, 1);
	nic_fixture_write(CONTROL, 1);
	assert_int_equal(fixture_interrupts, 2);
	nic_fixture_write(CONTROL, 1);
	assert_int_equal(fixture_interrupts, 2);
	nic_fixture_write(CAUSE + 4 * FIXTURE_QUEUE, 0);
	nic_ring_fixture_give(r, &f, 1);
	assert_int_equal(fixture_interrupts, 2);
	nic_fixture_write(CAUSE + 4 * FIXTURE_QUEUE, UINT32_C(1) << 30);
	nic_ring_fixture_give(r, &f, 1);
	nic_fixture_write(0x92400, 1); /* a reset forgets the cause that was not read */
	assert_int_equal(nic_fixture_read(0x38780), 0);
}

/* With MSI-X each queue raises its own vector, which has its own enable bit, and no cause. */
TEST(test_rx_vectors)
{
	enum { CONTROL = 0x34800, CAUSE = 0x3a000, SOFTWARE = 1 << 2 };
	struct ring *r = nic_chip_xl710.rx_on(64, false);
	struct frame f = { .len = 60, .flags = FRAME_EOP };

	nic_ring_fixture_arm(r, 0, 32);
	nic_fixture_write(CAUSE + 4 * FIXTURE_QUEUE, UINT32_C(1) << 30 | 128);
	nic_ring_fixture_give(r, &f, 1);
	assert_int_equal(fixture_interrupts, 0);
	nic_fixture_write(CONTROL + 4 * 126, 1); /* vector 127 */
	assert_int_equal(fixture_interrupts, 0);
	nic_fixture_write(CONTROL + 4 * 127, 1); /* what was due comes now */
	nic_ring_fixture_give(r, &f, 1);
	assert_int_equal(fixture_vectors[128], 1);
	assert_int_equal(fixture_interrupts, 1);
	assert_int_equal(nic_fixture_read(0x38780), 0);
	nic_fixture_write(CONTROL + 4 * 127, 1);
	assert_int_equal(fixture_vectors[128], 2);
	nic_fixture_write(CONTROL + 4 * 5, 1 | SOFTWARE);
	assert_int_equal(fixture_vectors[6], 1);
	nic_fixture_write(CAUSE + 4 * FIXTURE_QUEUE, UINT32_C(1) << 30 | 129); /* there is none */
	nic_fixture_write(CONTROL + 4 * 127, 1);
	nic_ring_fixture_give(r, &f, 1);
	assert_int_equal(fixture_interrupts, 3);
	nic_fixture_write(0x92400, 1);
	assert_int_equal(nic_fixture_read(CONTROL + 4 * 127), 0);
	assert_false(atomic_load(&xl710_state(&nic_fixture)->vector[128].armed));
}

/* Linux' driver has the head written to memory, and an interrupt for what was sent. */
TEST(test_tx_head)
{
	enum { CONTROL = 0x38480, CAUSE = 0x3c000 };
	uint8_t *context = xl710_fixture_private() + FIXTURE_QUEUE * 128;
	struct frame f[MODEL_BURST];
	struct ring *r = nic_chip_xl710.tx_on(64);
	uint16_t descs;
	uint32_t head = 99;
	uint64_t address = (uintptr_t)&head;

	nic_fixture_write(XL710_TX_ENABLE + 4 * FIXTURE_QUEUE, 0);
	context[20] |= 1;
	memcpy(context + 24, &address, sizeof(address));
	nic_fixture_write(XL710_TX_ENABLE + 4 * FIXTURE_QUEUE, 1);
	nic_fixture_write(CAUSE + 4 * FIXTURE_QUEUE, UINT32_C(1) << 30);
	nic_fixture_write(CONTROL, 1);
	for (unsigned i = 0; i < 3; i++)
		nic_ring_fixture_put(r, i, nic_chip_xl710.eop | UINT64_C(60) << 34);
	nic_ring_fixture_tail(r, 3);
	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 3);
	assert_int_equal(head, 99);
	nic_ring_fixture_done(r, descs);
	assert_int_equal(head, 3);
	assert_int_equal(nic_fixture_read(0xe4000 + 4 * FIXTURE_QUEUE), 3); /* a register too */
	assert_int_equal(fixture_interrupts, 1);
	nic_fixture_write(CAUSE + 4 * FIXTURE_QUEUE, 0);
	nic_fixture_write(CONTROL, 1);
	nic_ring_fixture_done(r, 0);
	assert_int_equal(fixture_interrupts, 1);
	/* The address alone does not switch it on. */
	nic_fixture_write(XL710_TX_ENABLE + 4 * FIXTURE_QUEUE, 0);
	context[20] &= (uint8_t)~1u;
	nic_fixture_write(XL710_TX_ENABLE + 4 * FIXTURE_QUEUE, 1);
	head = 99;
	nic_ring_fixture_done(r, 0);
	assert_int_equal(head, 99);
}

/* Reports of a ring raise the ring's own vector. */
TEST(test_tx_vector)
{
	struct ring *r = nic_chip_xl710.tx_on(64);

	nic_fixture_write(0x3c000 + 4 * FIXTURE_QUEUE, UINT32_C(1) << 30 | 3);
	nic_fixture_write(0x34800 + 4 * 2, 1);
	nic_ring_fixture_done(r, 0);
	assert_int_equal(fixture_vectors[3], 1);
	assert_int_equal(fixture_interrupts, 1);
	nic_fixture_write(0x92400, 1); /* a reset forgets the vector */
	assert_int_equal(nic_fixture_read(0x3c000 + 4 * FIXTURE_QUEUE), 0);
	nic_fixture_write(0x34800 + 4 * 2, 1);
	nic_ring_fixture_done(r, 0);
	assert_int_equal(fixture_interrupts, 1);
}

/* Have the flow director add a filter that is made of a packet, or remove it. */
static void
filter_put(struct ring *r, const uint8_t *pkt, uint32_t len, uint64_t queue, uint64_t command)
{
	enum { KIND = 8, TO_QUEUE = 1 << 7, DUMMY = 1 << 8, UDP4 = 31 };
	struct frame f[MODEL_BURST];
	unsigned at = r->head;
	uint16_t descs;

	nic_ring_fixture_put_context(r, at, queue | (uint64_t)UDP4 << 17,
		KIND | TO_QUEUE | command << 4);
	nic_ring_fixture_put_context(r, at + 1, (uintptr_t)pkt,
		(uint64_t)len << 34 | nic_chip_xl710.eop | nic_chip_xl710.report | DUMMY);
	nic_ring_fixture_tail(r, at + 2);
	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 0);
	assert_int_equal(descs, 2);
	nic_ring_fixture_done(r, descs);
	assert_int_equal(nic_fixture_quads(r, at + 1)[1], nic_chip_xl710.done);
}

/* Of three filters the second goes; each decides for packets whose ends are the other way round. */
TEST(test_filter_goes)
{
	enum { ADD = 1, REMOVE, INPUT = 0x250000 + 64 * 31, PORT_AT = 34, FILTERS = 3 };
	uint8_t pkt[128], answer[128];
	uint32_t len = nic_fixture_packet(pkt, false, false, 17), hash;
	struct ring *r;

	xl710_fixture_vsi(6, false);
	r = xl710_fixture_tx_on(0, 64); /* not among the data queues */
	memcpy(answer, pkt, sizeof(pkt));
	memcpy(answer + PORT_AT, pkt + PORT_AT + 2, 2);
	memcpy(answer + PORT_AT + 2, pkt + PORT_AT, 2);
	nic_fixture_write(INPUT, 0);
	nic_fixture_write(INPUT + 32, 6); /* ports */
	for (uint8_t i = 0; i <= FILTERS; i++) {
		answer[PORT_AT] = i < FILTERS ? i : 1;
		filter_put(r, answer, len, i + 1u, i < FILTERS ? ADD : REMOVE);
	}
	for (uint8_t i = 0; i < FILTERS; i++) {
		pkt[PORT_AT + 2] = i;
		assert_int_equal(nic_fixture.family->rss(&nic_fixture, pkt, len, &hash),
			i == 1 ? 0 : i + 1);
	}
}

TESTS(.before = xl710_fixture_set_up, .after = xl710_fixture_tear_down);
