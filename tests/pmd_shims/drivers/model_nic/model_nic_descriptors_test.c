/* Descriptors of XL710 and 82599, put by hand: what their drivers never write, and what a chip makes of
 * it. What drivers do write, they check themselves (suite drivers). */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/model_nic/model_nic_ring_fixture.h"
#include "fixtures/unit.h"

#include <string.h>

enum { XL710, IXGBE, CHIPS };

static const struct nic_chip *const chips[CHIPS] = { &nic_chip_xl710, &nic_chip_ixgbe };
static const struct nic_chip *chip; /* the one under test */
static struct frame f[MODEL_BURST];
static uint16_t descs;

/* Each chip in turn, as after power on. */
static bool
next_chip(unsigned i)
{
	if (i > 0)
		chip->power_off();
	if (i == CHIPS)
		return false;
	chip = chips[i];
	chip->power_on();
	return true;
}

/* Write a data descriptor. */
static void
post(const struct ring *r, unsigned at, uint32_t len, uint64_t bits)
{
	nic_ring_fixture_put(r, at, (uint64_t)len << chip->tx_length_at | chip->data | bits);
}

/* Second half of a descriptor, as it is now. */
static uint64_t
second(const struct ring *r, unsigned at)
{
	return nic_fixture_quads(r, at % r->size)[1];
}

static uint16_t
take(struct ring *r, uint16_t max)
{
	return nic_ring_fixture_take(r, f, max, &descs);
}

TEST(descriptors_of_the_nic)
{
	static const struct {
		uint16_t head;
		uint32_t tail;
		uint16_t max, there;
	} rows[] = { { 0, 0, 64, 0 }, { 0, 63, 64, 63 }, { 0, 63, 5, 5 }, { 0, 63, 0, 0 },
		{ 0, 64, 64, 0 }, { 0, UINT32_MAX, 64, 0 }, { 60, 10, 64, 14 } };

	for (unsigned c = 0; next_chip(c); c++) {
		struct ring *rx = chip->rx_on(64, false), *tx = chip->tx_on(64);

		for (unsigned i = 0; i < 64; i++)
			post(tx, i, 60, chip->eop);
		for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			rx->head = tx->head = rows[i].head;
			nic_ring_fixture_tail(rx, rows[i].tail);
			nic_ring_fixture_tail(tx, rows[i].tail);
			assert_int_equal(nic_ring_fixture_peek(rx, f, rows[i].max), rows[i].there);
			assert_int_equal(take(tx, rows[i].max), rows[i].there);
			assert_int_equal(descs, rows[i].there);
		}
		/* Nothing comes over no link. */
		atomic_store(&nic_fixture.link_up, false);
		nic_fixture.family->link(&nic_fixture, false);
		assert_int_equal(nic_ring_fixture_peek(rx, f, MODEL_BURST), 0);
	}
}

/* If the driver receives the CRC a buffer has less room, and the last descriptor 4 bytes more. */
TEST(the_crc_stays)
{
	for (unsigned c = 0; next_chip(c); c++) {
		struct ring *r = chip->rx_on(64, true);

		nic_ring_fixture_arm(r, 0, 8);
		assert_int_equal(nic_ring_fixture_peek(r, f, 2), 2);
		assert_int_equal(f[0].len, FIXTURE_ROOM - 4);
		f[1].len = 10;
		f[1].flags = FRAME_EOP;
		nic_ring_fixture_give(r, f, 2);
		assert_int_equal(second(r, 0) >> chip->rx_length_at, FIXTURE_ROOM - 4);
		assert_int_equal(second(r, 1) >> chip->rx_length_at, 14);
		assert_int_equal(r->packets, 1);
		assert_int_equal(r->bytes, FIXTURE_ROOM + 6);
	}
}

/* What is known of a packet stands in the descriptor of its end, also if that comes later. */
TEST(a_packet_in_parts)
{
	const uint64_t done = 1, eop = 2;

	for (unsigned c = 0; next_chip(c); c++) {
		struct ring *r = chip->rx_on(64, false);
		uint64_t bytes;

		r->head = 62;
		nic_ring_fixture_arm(r, 62, 10);
		for (unsigned i = 0; i < 3; i++)
			f[i] = (struct frame){ .len = 100, .flags = FRAME_IPV4 | FRAME_UDP };
		nic_ring_fixture_give(r, f, 2);
		assert_int_equal(r->packets, 0);
		f[2].flags |= FRAME_EOP;
		nic_ring_fixture_give(r, f + 2, 1);
		assert_int_equal(second(r, 62), UINT64_C(100) << chip->rx_length_at | done);
		assert_int_equal(second(r, 63), UINT64_C(100) << chip->rx_length_at | done);
		assert_int_equal(second(r, 0) & 3, done | eop);
		assert_int_equal(second(r, 1), 0);
		assert_int_equal(r->packets, 1);
		assert_int_equal(r->bytes, 300);
		nic_ring_fixture_give(r, f, 1); /* its end never comes: the queue begins anew */
		bytes = r->bytes;
		r = chip->rx_on(64, false);
		nic_ring_fixture_give(r, f + 2, 1);
		assert_int_equal(r->bytes - bytes, 100);
	}
}

/* What a descriptor shows of a packet of 100 bytes. */
TEST(words_of_received_packets)
{
	enum { DONE = 3, L4 = 0x20, L3 = 0x40, TYPE = 30, CHECKED = 8 }; /* done, and its end */
	static const struct {
		unsigned chip;
		uint16_t flags, type; /* type: in the first half */
		uint64_t word;
	} rows[] = {
		{ XL710, 0, 0, UINT64_C(1) << TYPE },
		{ XL710, FRAME_IPV4, 0, UINT64_C(23) << TYPE | CHECKED },
		{ XL710, FRAME_IPV4 | FRAME_UDP, 0, UINT64_C(24) << TYPE | CHECKED },
		{ XL710, FRAME_IPV4 | FRAME_TCP, 0, UINT64_C(26) << TYPE | CHECKED },
		{ XL710, FRAME_IPV6, 0, UINT64_C(89) << TYPE | CHECKED },
		{ XL710, FRAME_IPV6 | FRAME_UDP, 0, UINT64_C(90) << TYPE | CHECKED },
		{ XL710, FRAME_IPV6 | FRAME_TCP, 0, UINT64_C(92) << TYPE | CHECKED },
		{ XL710, FRAME_RSS, 0, UINT64_C(1) << TYPE | 3 << 12 },
		{ XL710, FRAME_ERROR, 0, UINT64_C(1) << TYPE | 1 << 19 },
		/* Offloads of transmission have no meaning here. */
		{ XL710, FRAME_CSUM_OUTER | FRAME_CSUM_L3 | FRAME_CSUM_L4, 0, UINT64_C(1) << TYPE },
		{ IXGBE, 0, 0, 0 },
		{ IXGBE, FRAME_IPV4, 0x10, L3 },
		{ IXGBE, FRAME_IPV4 | FRAME_TCP, 0x110, L3 | L4 },
		{ IXGBE, FRAME_IPV4 | FRAME_UDP, 0x210, L3 | L4 },
		{ IXGBE, FRAME_IPV6 | FRAME_UDP, 0x240, L4 },
		{ IXGBE, FRAME_IPV6, 0x40, 0 },
		{ IXGBE, FRAME_ERROR, 0, UINT64_C(1) << 29 },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct frame one = { .len = 100,
			.flags = FRAME_EOP | rows[i].flags,
			.rss = 0x89abcdef };
		struct ring *r;

		chip = chips[rows[i].chip];
		chip->power_on();
		r = chip->rx_on(64, false);
		nic_ring_fixture_arm(r, 0, 8);
		nic_ring_fixture_give(r, &one, 1);
		assert_int_equal(nic_fixture_quads(r, 0)[0],
			UINT64_C(0x89abcdef00000000) | rows[i].type);
		assert_int_equal(second(r, 0),
			UINT64_C(100) << chip->rx_length_at | rows[i].word | DONE);
		assert_int_equal(second(r, 1), 0);
		chip->power_off();
	}
}

/* Transmit descriptors of the XL710, second halves but for EOP and report. */
#define LEN(n) ((uint64_t)(n) << 34)
#define TAG(v) (UINT64_C(1) << 7 | (uint64_t)(v) << 48)
#define DUMMY (UINT64_C(1) << 8)
#define HEADERS(l2, l3, l4) \
	((uint64_t)(l2) / 2 << 16 | (uint64_t)(l3) / 4 << 23 | (uint64_t)(l4) / 4 << 30)
#define TSO(payload) (UINT64_C(1) | 1 << 4 | (uint64_t)(payload) << 30 | UINT64_C(1000) << 50)
enum { IPV6 = 1 << 9, IPV4_SUM = 3 << 9, TCP = 1 << 12, SCTP = 2 << 12, CONTEXT = 1 };

/* Those of the 82599, which has two contexts; a packet names one of them. */
#define DATA(len) (UINT64_C(0x22300000) | (len))
#define IXGBE_CONTEXT(n, l4_len, mss) \
	(UINT64_C(0x20200000) | (uint64_t)(n) << 36 | (uint64_t)(l4_len) << 40 | \
		(uint64_t)(mss) << 48)
#define WITH(n) ((uint64_t)(n) << 36 | UINT64_C(1) << 39)
#define IXGBE_HEADERS(vlan, l2, l3) ((uint64_t)(vlan) << 16 | (l2) << 9 | (l3))
#define IXGBE_TSO (UINT64_C(1) << 31)
#define IXGBE_TAG (UINT64_C(1) << 30)
#define SUMS (UINT64_C(3) << 40)
enum { IXGBE_IPV4 = 0x400, IXGBE_TCP = 0x800, IXGBE_SCTP = 0x1000 };

/*
 * A flat table. One packet each: its descriptors, a context with both halves and then data, or data
 * alone; what they ask for, and what leaves.
 */
TEST(offloads)
{
	static const struct {
		unsigned chip;
		uint64_t context[2]; /* none: 0 */
		uint64_t data;
		struct frame frame;
		uint32_t packets, bytes;
	} rows[] = {
		{ XL710, { 0 }, LEN(100) | IPV6 | SCTP | HEADERS(14, 40, 12),
			{ .flags = FRAME_IPV6, .l2_len = 14, .l3_len = 40, .l4_len = 12 }, 1, 100 },
		/* TSO: 2946 bytes after 54 of headers, in 3 of 1000 and a rest. */
		{ XL710, { 0, TSO(2946) }, LEN(3000) | IPV4_SUM | TCP | HEADERS(14, 20, 20),
			{ .flags = FRAME_IPV4 | FRAME_CSUM_L3 | FRAME_TCP | FRAME_CSUM_L4,
				.l2_len = 14,
				.l3_len = 20,
				.l4_len = 20,
				.mss = 1000 },
			3, 3000 + 2 * 54 },
		/* Less than a segment: one packet. */
		{ XL710, { 0, TSO(446) }, LEN(500) | IPV6 | TCP | TAG(1) | HEADERS(14, 40, 20),
			{ .flags = FRAME_IPV6 | FRAME_TCP | FRAME_CSUM_L4 | FRAME_VLAN,
				.vlan = 1,
				.l2_len = 14,
				.l3_len = 40,
				.l4_len = 20,
				.mss = 1000 },
			1, 504 },
		/* A context without TSO: its MSS field says something else. */
		{ XL710, { 0, CONTEXT | UINT64_C(1000) << 50 }, LEN(100), { 0 }, 1, 100 },
		/*
		 * VXLAN: inner headers begin after outer IP (20) and tunnel (30) behind the outer
		 * 14; with the outer sum, and that left as it is.
		 */
		{ XL710, { 3 | 5 << 2 | 1 << 9 | 15 << 12, CONTEXT },
			LEN(200) | IPV4_SUM | HEADERS(14, 20, 0),
			{ .flags = FRAME_IPV4 | FRAME_CSUM_L3 | FRAME_CSUM_OUTER,
				.l2_len = 64,
				.l3_len = 20 },
			1, 200 },
		{ XL710, { 2 | 5 << 2 | 1 << 9 | 15 << 12, CONTEXT },
			LEN(200) | IPV4_SUM | HEADERS(14, 20, 0),
			{ .flags = FRAME_IPV4 | FRAME_CSUM_L3, .l2_len = 64, .l3_len = 20 }, 1,
			200 },
		{ IXGBE,
			{ IXGBE_HEADERS(0, 14, 20),
				IXGBE_CONTEXT(0, 20, 1000) | IXGBE_IPV4 | IXGBE_TCP },
			DATA(2554) | IXGBE_TSO | SUMS | WITH(0),
			{ .flags = FRAME_IPV4 | FRAME_CSUM_L3 | FRAME_TCP | FRAME_CSUM_L4,
				.l2_len = 14,
				.l3_len = 20,
				.l4_len = 20,
				.mss = 1000 },
			3, 2554 + 2 * 54 },
		/* A tag alone; none of what the context says. */
		{ IXGBE, { IXGBE_HEADERS(0x456, 18, 40), IXGBE_CONTEXT(1, 20, 1400) | IXGBE_TCP },
			DATA(80) | IXGBE_TAG | WITH(1),
			{ .flags = FRAME_VLAN, .vlan = 0x456, .l2_len = 18 }, 1, 84 },
		{ IXGBE, { IXGBE_HEADERS(0x456, 18, 40), IXGBE_CONTEXT(0, 20, 1400) | IXGBE_TCP },
			DATA(80), { 0 }, 1, 80 },
		/* Nobody sums SCTP here. */
		{ IXGBE,
			{ IXGBE_HEADERS(0, 14, 20),
				IXGBE_CONTEXT(0, 0, 0) | IXGBE_IPV4 | IXGBE_SCTP },
			DATA(60) | UINT64_C(2) << 40 | WITH(0),
			{ .flags = FRAME_IPV4, .l2_len = 14, .l3_len = 20 }, 1, 60 },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct frame want = rows[i].frame;
		unsigned at = 63; /* context at the end, data at the beginning */
		struct ring *r;

		chip = chips[rows[i].chip];
		chip->power_on();
		r = chip->tx_on(64);
		r->head = 63;
		if (rows[i].context[1] != 0)
			nic_ring_fixture_put_context(r, at++, rows[i].context[0],
				rows[i].context[1]);
		nic_ring_fixture_put(r, at, rows[i].data | chip->eop | chip->report);
		want.data = (uint8_t *)(uintptr_t)nic_fixture_buffer_of(at % 64);
		want.len = (uint32_t)(rows[i].data >> chip->tx_length_at & 0x3fff);
		want.flags |= FRAME_EOP;
		/* The map of owners sees no buffer in a context. */
		assert_true((nic_fixture.family->buffer(r, 63, false) == NULL) == (at == 64));
		nic_ring_fixture_tail(r, (at + 1) % 64);
		assert_int_equal(take(r, 2), 1);
		assert_int_equal(descs, at - 62);
		assert_memory_equal(f, &want, sizeof(want));
		nic_ring_fixture_done(r, descs);
		assert_int_equal(second(r, at), chip->done);
		assert_int_equal(r->packets, rows[i].packets);
		assert_int_equal(r->bytes, rows[i].bytes);
		chip->power_off();
	}
}

/* XL710: a context is for the one packet behind it, be that silent. */
TEST(contexts_of_one_packet)
{
	const uint64_t tcp = LEN(500) | IPV4_SUM | TCP | HEADERS(14, 20, 20);
	struct ring *r;

	chip = chips[XL710];
	chip->power_on();
	r = chip->tx_on(64);
	nic_ring_fixture_put_context(r, 0, 0, TSO(446));
	nic_ring_fixture_put(r, 1, tcp | chip->eop);
	nic_ring_fixture_put(r, 2, tcp | chip->eop);
	nic_ring_fixture_put_context(r, 3, 0, TSO(446));
	nic_ring_fixture_put(r, 4, LEN(60) | chip->eop | DUMMY);
	nic_ring_fixture_put(r, 5, tcp | chip->eop);
	nic_ring_fixture_tail(r, 6);
	assert_int_equal(take(r, MODEL_BURST), 3);
	assert_int_equal(descs, 6);
	assert_int_equal(f[0].mss, 1000);
	assert_int_equal(f[1].mss | f[2].mss, 0);
	chip->power_off();
}

/* 82599: a context holds for all packets that name it, until another or a new life takes its place. */
TEST(contexts_that_stay)
{
	struct ring *r;

	chip = chips[IXGBE];
	chip->power_on();
	r = chip->tx_on(64);
	nic_ring_fixture_put_context(r, 0, IXGBE_HEADERS(0x123, 14, 20), IXGBE_CONTEXT(0, 8, 0));
	nic_ring_fixture_put_context(r, 1, IXGBE_HEADERS(0x456, 18, 40), IXGBE_CONTEXT(1, 20, 0));
	nic_ring_fixture_tail(r, 2);
	for (unsigned i = 2; i < 6; i++) {
		post(r, i, 60, chip->eop | IXGBE_TAG | WITH(i % 2));
		nic_ring_fixture_tail(r, i + 1);
		assert_int_equal(take(r, MODEL_BURST), 1);
		assert_int_equal(take(r, 1), 1); /* taken again, the same comes out */
		assert_int_equal(f[0].vlan, i % 2 == 0 ? 0x123 : 0x456);
		nic_ring_fixture_done(r, descs);
	}
	r = chip->tx_on(64);
	post(r, 0, 60, chip->eop | IXGBE_TAG | WITH(1));
	nic_ring_fixture_tail(r, 1);
	assert_int_equal(take(r, MODEL_BURST), 1);
	assert_int_equal(f[0].vlan, 0);
	chip->power_off();
}

/* Packets of several descriptors round the ring's end; whole ones only, as many as fit. */
TEST(whole_packets)
{
	for (unsigned c = 0; next_chip(c); c++) {
		struct ring *r = chip->tx_on(64);

		r->head = 61;
		for (unsigned i = 0; i < 5; i++)
			post(r, 61 + i, 100, i == 4 ? chip->eop | chip->report : 0);
		for (unsigned i = 5; i < 8; i++)
			post(r, 61 + i, 10, i == 7 ? chip->eop : 0);
		nic_ring_fixture_tail(r, (61 + 7) % 64); /* the second one's end is not there yet */
		assert_int_equal(take(r, MODEL_BURST), 5);
		assert_int_equal(descs, 5);
		assert_int_equal(f[3].flags, 0);
		assert_int_equal(f[4].flags, FRAME_EOP);
		nic_ring_fixture_tail(r, (61 + 8) % 64);
		assert_int_equal(take(r, 7), 5); /* 8 frames do not fit */
		assert_int_equal(take(r, 4), 0);
		assert_int_equal(take(r, 8), 8);
		nic_ring_fixture_done(r, descs);
		assert_int_equal(r->head, (61 + 8) % 64);
		assert_int_equal(r->packets, 2);
		assert_int_equal(r->bytes, 530);
		assert_int_equal(second(r, 1), chip->done);
		assert_int_equal(second(r, 0) >> chip->tx_length_at & 0x3fff, 100); /* no report */
	}
}

/*
 * A packet of more descriptors than frames are moved in one go would wait for ever, and a kind of
 * descriptor may be unknown: dropped, reported done, not counted.
 */
TEST(dropped)
{
	for (unsigned c = 0; next_chip(c); c++) {
		struct ring *r = chip->tx_on(512);
		const unsigned last = MODEL_BURST;

		for (unsigned i = 0; i <= last; i++)
			post(r, i, 100, i == last ? chip->eop | chip->report : 0);
		post(r, last + 1, 60, chip->eop);
		nic_ring_fixture_put(r, last + 2, chip->unknown | chip->report);
		nic_ring_fixture_tail(r, last + 3);
		assert_int_equal(take(r, MODEL_BURST), 1);
		assert_int_equal(descs, last + 3);
		assert_int_equal(f[0].len, 60);
		assert_non_null(strstr(nic_fixture_log, "65 descriptors dropped"));
		nic_ring_fixture_done(r, descs);
		assert_int_equal(second(r, last), chip->done);
		assert_int_equal(second(r, last + 2), chip->done);
		assert_int_equal(r->packets, 1);
		assert_int_equal(r->bytes, 60);
	}
}

/* Reported in other portions than taken, where asked for: nothing is lost or counted twice. */
TEST(portions)
{
	for (unsigned c = 0; next_chip(c); c++) {
		struct ring *r = chip->tx_on(64);
		uint64_t before;

		for (unsigned i = 0; i < 60; i++)
			post(r, i, 60, chip->eop | (i % 4 == 3 ? chip->report : 0));
		before = second(r, 18);
		nic_ring_fixture_tail(r, 60);
		assert_int_equal(take(r, MODEL_BURST), 60);
		nic_ring_fixture_done(r, 0);
		assert_int_equal(r->head, 0);
		nic_ring_fixture_done(r, 20);
		assert_int_equal(r->packets, 20);
		assert_int_equal(second(r, 18), before);
		assert_int_equal(second(r, 19), chip->done);
		assert_int_equal(second(r, 23), before | chip->report);
		assert_int_equal(take(r, MODEL_BURST), 40);
		nic_ring_fixture_done(r, 40);
		assert_int_equal(second(r, 58), before);
		assert_int_equal(second(r, 59), chip->done);
		assert_int_equal(r->packets, 60);
		assert_int_equal(r->bytes, 3600);
		assert_int_equal(take(r, MODEL_BURST), 0);
	}
}
