/* Transmit descriptors of the XL710: put by hand as a driver would, taken and reported done by the
 * family. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/model_nic/model_nic_xl710_fixture.h"
#include "fixtures/unit.h"

#include <string.h>

/* Tx descriptors. */
#define EOP (UINT64_C(1) << 4)
#define REPORT (UINT64_C(1) << 5)
#define CRC (UINT64_C(1) << 6)
#define TAG(v) (UINT64_C(1) << 7 | (uint64_t)(v) << 48)
#define DUMMY (UINT64_C(1) << 8)
#define LEN(n) ((uint64_t)(n) << 34)
#define HEADERS(l2, l3, l4) \
	((uint64_t)(l2) / 2 << 16 | (uint64_t)(l3) / 4 << 23 | (uint64_t)(l4) / 4 << 30)
enum {
	IPV6 = 1 << 9,
	IPV4 = 2 << 9,
	IPV4_SUM = 3 << 9,
	TCP = 1 << 12,
	SCTP = 2 << 12,
	UDP = 3 << 12
};
enum { CONTEXT = 1, FILTER = 8, DONE = 15 };

static struct ring *
tx_ring(uint16_t size)
{
	xl710_fixture_vsi(6, false);
	return xl710_fixture_tx_on(FIXTURE_QUEUE, size);
}

static uint64_t
done(uint64_t second)
{
	return DONE;
}

TEST(test_tx_rounds)
{
	for (const uint16_t *size = nic_ring_fixture_sizes; *size != 0; size++)
		nic_ring_fixture_tx_rounds(tx_ring(*size), 34, EOP | CRC, REPORT, done);
}

/* Linux' driver has the head written to memory, and an interrupt for what was sent. */
TEST(test_tx_head)
{
	enum { CONTROL = 0x38480, CAUSE = 0x3c000 };
	uint8_t *context = xl710_fixture_private() + FIXTURE_QUEUE * 128;
	struct frame f[MODEL_BURST];
	struct ring *r = tx_ring(64);
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
		nic_ring_fixture_put(r, i, LEN(60) | EOP);
	nic_ring_fixture_tail(r, 3);
	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 3);
	assert_int_equal(head, 99);
	nic_ring_fixture_done(r, descs);
	assert_int_equal(head, 3);
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
	struct ring *r = tx_ring(64);

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

TEST(test_tx_nothing)
{
	struct frame f[MODEL_BURST];
	struct ring *r = tx_ring(64);
	uint16_t descs = 9;

	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 0);
	assert_int_equal(descs, 0);
	nic_ring_fixture_done(r, 0);
	assert_int_equal(r->head, 0);
	nic_ring_fixture_put(r, 0, LEN(60) | EOP);
	nic_ring_fixture_tail(r, 64);
	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 0);
	nic_ring_fixture_tail(r, 1);
	assert_int_equal(nic_ring_fixture_take(r, f, 0, &descs), 0);
}

/* A filter for the flow director: it decides for a packet whose ends are the other way round. */
static void
filter_put(struct ring *r, unsigned i, const uint8_t *pkt, uint32_t len, uint64_t first,
	uint64_t second)
{
	nic_fixture_quads(r, i)[0] = first | UINT64_C(31) << 17; /* class: UDP over IPv4 */
	nic_fixture_quads(r, i)[1] = second | FILTER;
	nic_fixture_quads(r, i + 1)[0] = (uintptr_t)pkt;
	nic_fixture_quads(r, i + 1)[1] = LEN((uint64_t)len) | EOP | DUMMY | REPORT;
}

TEST(test_tx_filters)
{
	enum { ADD = 1 << 4, REMOVE = 2 << 4, TO_QUEUE = 1 << 7, INPUT = 0x250000 + 64 * 31 };
	struct frame f[MODEL_BURST];
	struct ring *r;
	uint8_t pkt[128], answer[128], ends[8];
	uint32_t len = nic_fixture_packet(pkt, false, false, 17), hash;
	uint16_t descs;

	tx_ring(64);
	r = xl710_fixture_tx_on(0, 64); /* not among the data queues */
	memcpy(answer, pkt, sizeof(pkt));
	memcpy(ends, pkt + 26, sizeof(ends));
	memcpy(answer + 26, ends + 4, 4);
	memcpy(answer + 30, ends, 4);
	memcpy(answer + 34, pkt + 36, 2);
	memcpy(answer + 36, pkt + 34, 2);
	nic_fixture_write(INPUT, 0);
	nic_fixture_write(INPUT + 32, 0x1801e); /* addresses and ports */
	filter_put(r, 0, answer, len, 5, ADD | TO_QUEUE);
	nic_ring_fixture_tail(r, 2);
	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 0);
	assert_int_equal(descs, 2);
	nic_ring_fixture_done(r, descs);
	assert_int_equal(nic_fixture_quads(r, 1)[1], DONE);
	assert_int_equal(nic_fixture.family->rss(&nic_fixture, pkt, len, &hash), 5);
	assert_int_equal(nic_fixture.family->rss(&nic_fixture, answer, len, &hash), 0);
	filter_put(r, 2, answer, len, 0, ADD); /* dropped instead */
	filter_put(r, 4, pkt, len, 6, ADD | TO_QUEUE);
	nic_ring_fixture_tail(r, 6);
	nic_ring_fixture_take(r, f, MODEL_BURST, &descs);
	nic_ring_fixture_done(r, descs);
	assert_int_equal(nic_fixture.family->rss(&nic_fixture, pkt, len, &hash), MODEL_QUEUE_DROP);
	assert_int_equal(nic_fixture.family->rss(&nic_fixture, answer, len, &hash), 6);
	filter_put(r, 6, answer, len, 0, REMOVE);
	nic_ring_fixture_tail(r, 8);
	nic_ring_fixture_take(r, f, MODEL_BURST, &descs);
	nic_ring_fixture_done(r, descs);
	assert_int_equal(nic_fixture.family->rss(&nic_fixture, pkt, len, &hash), 0);
	nic_fixture_write(0x245d80, 1); /* all go */
	assert_int_equal(nic_fixture.family->rss(&nic_fixture, answer, len, &hash), 0);
}

/* A flat table. One packet each: what its descriptors ask for, and what that comes to. */
TEST(test_tx_offloads)
{
	static const struct {
		uint64_t context[2]; /* no context: 0 */
		uint64_t second;
		struct frame frame;
		uint32_t packets, bytes; /* on the wire */
	} rows[] = {
		{ { 0 }, LEN(100) | TAG(0x5123), { .vlan = 0x5123, .flags = FRAME_VLAN }, 1, 104 },
		{ { 0 }, LEN(100) | IPV4 | HEADERS(14, 20, 0),
			{ .flags = FRAME_IPV4, .l2_len = 14, .l3_len = 20 }, 1, 100 },
		{ { 0 }, LEN(100) | IPV4_SUM | UDP | HEADERS(18, 24, 8),
			{ .flags = FRAME_IPV4 | FRAME_CSUM_L3 | FRAME_UDP | FRAME_CSUM_L4,
				.l2_len = 18,
				.l3_len = 24,
				.l4_len = 8 },
			1, 100 },
		{ { 0 }, LEN(100) | IPV6 | TCP | HEADERS(14, 40, 20),
			{ .flags = FRAME_IPV6 | FRAME_TCP | FRAME_CSUM_L4,
				.l2_len = 14,
				.l3_len = 40,
				.l4_len = 20 },
			1, 100 },
		{ { 0 }, LEN(100) | IPV6 | SCTP | HEADERS(14, 40, 12),
			{ .flags = FRAME_IPV6, .l2_len = 14, .l3_len = 40, .l4_len = 12 }, 1, 100 },
		/* TSO: 2946 bytes after 54 of headers, in 3 of 1000 and a rest. */
		{ { 0, CONTEXT | 1 << 4 | UINT64_C(2946) << 30 | UINT64_C(1000) << 50 },
			LEN(3000) | IPV4_SUM | TCP | HEADERS(14, 20, 20),
			{ .flags = FRAME_IPV4 | FRAME_CSUM_L3 | FRAME_TCP | FRAME_CSUM_L4,
				.l2_len = 14,
				.l3_len = 20,
				.l4_len = 20,
				.mss = 1000 },
			3, 3000 + 2 * 54 },
		/* Less than a segment: one packet. */
		{ { 0, CONTEXT | 1 << 4 | UINT64_C(1000) << 50 },
			LEN(500) | IPV6 | TCP | TAG(1) | HEADERS(14, 40, 20),
			{ .flags = FRAME_IPV6 | FRAME_TCP | FRAME_CSUM_L4 | FRAME_VLAN,
				.vlan = 1,
				.l2_len = 14,
				.l3_len = 40,
				.l4_len = 20,
				.mss = 1000 },
			1, 504 },
		/* A context without TSO: its MSS field says something else. */
		{ { 0, CONTEXT | UINT64_C(1000) << 50 }, LEN(100), { 0 }, 1, 100 },
		/*
		 * VXLAN: inner headers begin after outer IP (20) and tunnel (30) behind the outer
		 * 14.
		 */
		{ { 3 | 5 << 2 | 1 << 9 | 15 << 12, CONTEXT },
			LEN(200) | IPV4_SUM | HEADERS(14, 20, 0),
			{ .flags = FRAME_IPV4 | FRAME_CSUM_L3 | FRAME_CSUM_OUTER,
				.l2_len = 64,
				.l3_len = 20 },
			1, 200 },
		/* The same, the outer sum left as it is. */
		{ { 2 | 5 << 2 | 1 << 9 | 15 << 12, CONTEXT },
			LEN(200) | IPV4_SUM | HEADERS(14, 20, 0),
			{ .flags = FRAME_IPV4 | FRAME_CSUM_L3, .l2_len = 64, .l3_len = 20 }, 1,
			200 },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ring *r = tx_ring(64);
		unsigned at = 63; /* context at the end, data at the beginning */
		uint16_t descs;
		uint64_t packets = r->packets, bytes = r->bytes;
		struct frame f[2], want = rows[i].frame;

		r->head = 63;
		if (rows[i].context[1] != 0) {
			nic_ring_fixture_put(r, at, rows[i].context[1]);
			nic_fixture_quads(r, at++)[0] = rows[i].context[0];
		}
		nic_ring_fixture_put(r, at, rows[i].second | EOP | REPORT);
		want.data = (uint8_t *)(uintptr_t)nic_fixture_buffer_of(at % 64);
		want.len = (uint32_t)(rows[i].second >> 34 & 0x3fff);
		want.flags |= FRAME_EOP;
		nic_ring_fixture_tail(r, (at + 1) % 64);
		assert_int_equal(nic_ring_fixture_take(r, f, 2, &descs), 1);
		assert_int_equal(descs, at - 62);
		assert_memory_equal(f, &want, sizeof(want));
		nic_ring_fixture_done(r, descs);
		assert_int_equal(nic_fixture_quads(r, at % 64)[1], DONE);
		assert_int_equal(r->packets - packets, rows[i].packets);
		assert_int_equal(r->bytes - bytes, rows[i].bytes);
	}
}

/* A context is for the one packet behind it, be that silent. */
TEST(test_tx_contexts)
{
	const uint64_t tso = CONTEXT | 1 << 4 | UINT64_C(1000) << 50,
		       tcp = LEN(500) | EOP | IPV4_SUM | TCP | HEADERS(14, 20, 20);
	struct frame f[MODEL_BURST];
	struct ring *r = tx_ring(64);
	uint16_t descs;

	nic_ring_fixture_put_context(r, 0, 0, tso);
	nic_ring_fixture_put(r, 1, tcp);
	nic_ring_fixture_put(r, 2, tcp);
	nic_ring_fixture_put_context(r, 3, 0, tso);
	nic_ring_fixture_put(r, 4, LEN(60) | EOP | DUMMY);
	nic_ring_fixture_put(r, 5, tcp);
	nic_ring_fixture_tail(r, 6);
	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 3);
	assert_int_equal(descs, 6);
	assert_int_equal(f[0].mss, 1000);
	assert_int_equal(f[1].mss, 0);
	assert_int_equal(f[2].mss, 0);
}

/* Packets of several segments round the ring's end; whole ones only, as many as fit. */
TEST(test_tx_segments)
{
	struct frame f[MODEL_BURST];
	struct ring *r = tx_ring(64);
	uint16_t descs;

	r->head = 61;
	for (unsigned i = 0; i < 5; i++)
		nic_ring_fixture_put(r, 61 + i, LEN(100) | (i == 4 ? EOP | REPORT : 0));
	for (unsigned i = 5; i < 8; i++)
		nic_ring_fixture_put(r, 61 + i, LEN(10) | (i == 7 ? EOP : 0));
	nic_ring_fixture_tail(r, (61 + 7) % 64); /* the second packet's end is not there yet */
	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 5);
	assert_int_equal(descs, 5);
	assert_int_equal(f[3].flags, 0);
	assert_int_equal(f[4].flags, FRAME_EOP);
	nic_ring_fixture_tail(r, (61 + 8) % 64);
	assert_int_equal(nic_ring_fixture_take(r, f, 7, &descs), 5); /* 8 frames do not fit */
	assert_int_equal(nic_ring_fixture_take(r, f, 8, &descs), 8);
	assert_int_equal(nic_ring_fixture_take(r, f, 4, &descs), 0);
	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 8);
	nic_ring_fixture_done(r, descs);
	assert_int_equal(r->head, (61 + 8) % 64);
	assert_int_equal(r->packets, 2);
	assert_int_equal(r->bytes, 530);
	assert_int_equal(nic_fixture_quads(r, 1)[1], DONE);
	assert_int_equal(nic_fixture_quads(r, 0)[1], LEN(100));
}

/*
 * A packet of more descriptors than frames are moved in one go would wait for ever: dropped,
 * reported done, not counted.
 */
TEST(test_tx_endless)
{
	struct frame f[MODEL_BURST];
	struct ring *r = tx_ring(512);
	uint16_t descs;

	for (unsigned i = 0; i < 100; i++)
		nic_ring_fixture_put(r, i, LEN(100) | (i == 99 ? EOP | REPORT : 0));
	nic_ring_fixture_put(r, 100, LEN(60) | EOP);
	nic_ring_fixture_tail(r, 101);
	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 1);
	assert_int_equal(descs, 101);
	assert_int_equal(f[0].len, 60);
	assert_non_null(strstr(nic_fixture_log, "100 descriptors dropped"));
	nic_ring_fixture_done(r, descs);
	assert_int_equal(nic_fixture_quads(r, 99)[1], DONE);
	assert_int_equal(r->packets, 1);
	assert_int_equal(r->bytes, 60);
}

/* Reported in other portions than taken: nothing is lost or counted twice. */
TEST(test_tx_portions)
{
	struct frame f[MODEL_BURST];
	struct ring *r = tx_ring(64);
	uint16_t descs;

	for (unsigned i = 0; i < 60; i++)
		nic_ring_fixture_put(r, i, LEN(60) | EOP | REPORT);
	nic_ring_fixture_tail(r, 60);
	assert_int_equal(nic_ring_fixture_take(r, f, 32, &descs), 32);
	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 60);
	nic_ring_fixture_done(r, 20);
	assert_int_equal(r->packets, 20);
	assert_int_equal(nic_fixture_quads(r, 19)[1], DONE);
	assert_int_equal(nic_fixture_quads(r, 20)[1], LEN(60) | EOP | REPORT);
	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 40);
	nic_ring_fixture_done(r, 40);
	assert_int_equal(r->packets, 60);
	assert_int_equal(r->bytes, 3600);
	assert_int_equal(xl710_fixture_counter(0x3006a0), 60);
	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 0);
}

TEST(test_buffer)
{
	struct ring *r = tx_ring(64);

	nic_ring_fixture_put(r, 5, LEN(60) | EOP);
	nic_ring_fixture_put(r, 6, CONTEXT);
	assert_int_equal((uintptr_t)nic_fixture.family->buffer(r, 5, false),
		nic_fixture_buffer_of(5));
	assert_null(nic_fixture.family->buffer(r, 6, false));
}

TESTS(.before = nic_ring_fixture_set_up, .after = nic_ring_fixture_tear_down);
