/* Transmit descriptors of the 82599: put by hand as a driver would, taken and reported done by the
 * family. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/model_nic/model_nic_ixgbe_fixture.h"
#include "fixtures/unit.h"

#include <string.h>

/* Second halves of descriptors. */
#define DATA(len) (UINT64_C(0x22300000) | (len)) /* newer form, CRC */
#define EOP (UINT64_C(1) << 24)
#define REPORT (UINT64_C(1) << 27)
#define TAG (UINT64_C(1) << 30)
#define TSO (UINT64_C(1) << 31)
#define SUM_L3 (UINT64_C(1) << 40)
#define SUM_L4 (UINT64_C(1) << 41)
#define WITH(context) ((uint64_t)(context) << 36 | UINT64_C(1) << 39)
#define CONTEXT(number, l4_len, mss) \
	(UINT64_C(0x20200000) | (uint64_t)(number) << 36 | (uint64_t)(l4_len) << 40 | \
		(uint64_t)(mss) << 48)
enum { IPV4 = 0x400, UDP = 0, TCP = 0x800, SCTP = 0x1000 };
#define HEADERS(vlan, l2, l3) ((uint64_t)(vlan) << 16 | (l2) << 9 | (l3))

static bool
reported(const struct ring *r, unsigned i)
{
	return (nic_fixture_quads(r, i % r->size)[1] >> 32 & 1) != 0;
}

static uint64_t
done(uint64_t second)
{
	return UINT64_C(1) << 32;
}

TEST(test_tx_rounds)
{
	for (const uint16_t *size = nic_ring_fixture_sizes; *size != 0; size++)
		nic_ring_fixture_tx_rounds(ixgbe_fixture_tx_on(0, *size), 0, DATA(0) | EOP, REPORT,
			done);
}

/* Packets of several descriptors: whole ones only, and none that does not fit what is asked for. */
TEST(test_tx_segments)
{
	struct frame f[MODEL_BURST];
	struct ring *r = ixgbe_fixture_tx_on(0, 64);
	uint16_t descs;

	nic_ring_fixture_put(r, 0, DATA(100));
	nic_ring_fixture_put(r, 1, DATA(50) | EOP | REPORT);
	nic_ring_fixture_put(r, 2, DATA(70));
	nic_ring_fixture_put(r, 3, DATA(71));
	nic_ring_fixture_tail(r, 4); /* the second has no end yet */
	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 2);
	assert_int_equal(descs, 2);
	assert_int_equal(f[0].flags, 0);
	assert_int_equal(f[1].flags, FRAME_EOP);
	nic_ring_fixture_done(r, descs);
	assert_false(reported(r, 0));
	assert_true(reported(r, 1));
	assert_int_equal(r->packets, 1);
	assert_int_equal(r->bytes, 150);
	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 0);
	nic_ring_fixture_put(r, 4, DATA(72) | EOP);
	nic_ring_fixture_put(r, 5, DATA(60) | EOP);
	nic_ring_fixture_tail(r, 6);
	assert_int_equal(nic_ring_fixture_take(r, f, 3, &descs), 3);
	assert_int_equal(descs, 3);
	nic_ring_fixture_done(r, descs);
	assert_int_equal(nic_ring_fixture_take(r, f, 3, &descs), 1);
	nic_ring_fixture_done(r, descs);
	assert_int_equal(r->packets, 3);
}

/* What a context said holds for all packets that name it, until another takes its place. */
TEST(test_tx_contexts)
{
	struct frame f[MODEL_BURST];
	struct ring *r = ixgbe_fixture_tx_on(0, 64);
	uint16_t descs;

	nic_ring_fixture_put_context(r, 0, HEADERS(0x123, 14, 20), CONTEXT(0, 8, 0) | IPV4 | UDP);
	nic_ring_fixture_put_context(r, 1, HEADERS(0x456, 18, 40), CONTEXT(1, 20, 1400) | TCP);
	nic_ring_fixture_put(r, 2, DATA(60) | EOP | SUM_L3 | SUM_L4 | WITH(0));
	nic_ring_fixture_put(r, 3, DATA(80) | EOP | SUM_L4 | TAG | WITH(1));
	nic_ring_fixture_put(r, 4, DATA(80) | EOP | REPORT); /* none of it */
	nic_ring_fixture_tail(r, 5);
	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 3);
	assert_int_equal(descs, 5);
	assert_int_equal(f[0].flags,
		FRAME_EOP | FRAME_IPV4 | FRAME_UDP | FRAME_CSUM_L3 | FRAME_CSUM_L4);
	assert_int_equal(f[0].l2_len, 14);
	assert_int_equal(f[0].l3_len, 20);
	assert_int_equal(f[0].l4_len, 8);
	assert_int_equal(f[0].mss, 0);
	assert_int_equal(f[1].flags,
		FRAME_EOP | FRAME_TCP | FRAME_CSUM_L4 | FRAME_VLAN); /* the packet says which IP */
	assert_int_equal(f[1].vlan, 0x456);
	assert_int_equal(f[1].l2_len, 18);
	assert_int_equal(f[1].l3_len, 40);
	assert_int_equal(f[1].l4_len, 20);
	assert_int_equal(f[1].mss, 0);
	assert_int_equal(f[2].flags, FRAME_EOP);
	assert_int_equal(f[2].l2_len, 0);
	assert_null(nic_fixture.family->buffer(r, 1, false));
	assert_int_equal((uintptr_t)nic_fixture.family->buffer(r, 2, false),
		nic_fixture_buffer_of(2));
	nic_ring_fixture_done(r, descs);
	assert_true(reported(r, 4));
	assert_int_equal(r->packets, 3);
	assert_int_equal(r->bytes, 60 + 84 + 80); /* one tag */

	/* A later poll: context 1 is still there; 0 is another. */
	nic_ring_fixture_put_context(r, 5, HEADERS(0, 14, 20), CONTEXT(0, 0, 0) | IPV4 | SCTP);
	nic_ring_fixture_put(r, 6, DATA(60) | EOP | TAG | WITH(1));
	nic_ring_fixture_put(r, 7, DATA(60) | EOP | SUM_L4 | WITH(0));
	nic_ring_fixture_tail(r, 8);
	assert_int_equal(nic_ring_fixture_take(r, f, 1, &descs),
		1); /* taken again, the same comes out */
	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 2);
	assert_int_equal(f[0].flags, FRAME_EOP | FRAME_VLAN);
	assert_int_equal(f[0].vlan, 0x456);
	assert_int_equal(f[1].flags, FRAME_EOP | FRAME_IPV4); /* nobody sums SCTP here */
	nic_ring_fixture_done(r, descs);
	r = ixgbe_fixture_tx_on(0, 64); /* a new life knows no contexts */
	nic_ring_fixture_put(r, 0, DATA(60) | EOP | TAG | WITH(1));
	nic_ring_fixture_tail(r, 1);
	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 1);
	assert_int_equal(f[0].vlan, 0);
}

/* A packet that is cut leaves as several, each with its headers. */
TEST(test_tx_tso)
{
	struct frame f[MODEL_BURST];
	struct ring *r = ixgbe_fixture_tx_on(0, 64);
	uint16_t descs;

	nic_ring_fixture_put_context(r, 0, HEADERS(0, 14, 20), CONTEXT(0, 20, 1000) | IPV4 | TCP);
	nic_ring_fixture_put(r, 1, DATA(54) | TSO | SUM_L3 | SUM_L4 | WITH(0));
	nic_ring_fixture_put(r, 2, DATA(2500) | EOP);
	nic_ring_fixture_tail(r, 3);
	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 2);
	assert_int_equal(f[0].mss, 1000);
	nic_ring_fixture_done(r, descs);
	assert_int_equal(r->packets, 3);
	assert_int_equal(r->bytes, 3 * 54 + 2500);
	assert_int_equal(nic_fixture_read(0x4080), 3);
	assert_int_equal(nic_fixture_read(0x40ec), 2);
	assert_int_equal(nic_fixture_read(0x40e8), 1);
}

/* Neither of an older form nor too long for a burst: consumed, reported, not sent. */
TEST(test_tx_silent)
{
	struct frame f[MODEL_BURST];
	struct ring *r = ixgbe_fixture_tx_on(0, 512);
	uint16_t descs;

	nic_ring_fixture_put(r, 0, EOP | REPORT | 60);
	nic_ring_fixture_put(r, 1, DATA(60) | EOP);
	nic_ring_fixture_tail(r, 2);
	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 1);
	assert_int_equal(descs, 2);
	nic_ring_fixture_done(r, descs);
	assert_true(reported(r, 0));
	assert_int_equal(r->packets, 1);
	for (unsigned i = 0; i < MODEL_BURST + 1; i++)
		nic_ring_fixture_put(r, 2 + i, DATA(60) | (i == MODEL_BURST ? EOP | REPORT : 0));
	nic_ring_fixture_tail(r, 2 + MODEL_BURST + 1);
	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 0);
	assert_int_equal(descs, MODEL_BURST + 1);
	assert_non_null(strstr(nic_fixture_log, "65 descriptors dropped"));
	nic_ring_fixture_done(r, descs);
	assert_true(reported(r, 2 + MODEL_BURST));
	assert_int_equal(r->packets, 1);
}

/* Done in other portions than it was taken. */
TEST(test_tx_portions)
{
	struct frame f[MODEL_BURST];
	struct ring *r = ixgbe_fixture_tx_on(0, 64);
	uint16_t descs;

	for (unsigned i = 0; i < 10; i++)
		nic_ring_fixture_put(r, i, DATA(60) | EOP | REPORT);
	nic_ring_fixture_tail(r, 10);
	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 10);
	nic_ring_fixture_done(r, 0);
	assert_int_equal(r->head, 0);
	nic_ring_fixture_done(r, 4);
	assert_true(reported(r, 3));
	assert_false(reported(r, 4));
	nic_ring_fixture_done(r, 6);
	assert_true(reported(r, 9));
	assert_int_equal(r->packets, 10);
	assert_int_equal(r->bytes, 600);
	assert_int_equal(nic_fixture_read(0x40d8), 10); /* 64 bytes with CRC */
	assert_int_equal(nic_fixture_read(0x4090), 640);
	assert_int_equal(nic_fixture_read(0x4094), 0);
	nic_fixture_read(0x3fbc);
	assert_int_equal(nic_fixture_read(ixgbe_fixture_tx_block(0) + 0x30), 10);
	assert_int_equal(nic_fixture_read(0x8700), 600);
	nic_fixture_read(0x4034);
	assert_int_equal(nic_fixture_read(ixgbe_fixture_tx_block(0) + 0x30), 0);
	assert_int_equal(nic_fixture_read(0x8700), 0);
}

/* The time of one packet, whose descriptor asks for it, until the driver has read it. */
TEST(test_tx_times)
{
	enum { CONTROL = 0x8c00, LOW = 0x8c04, HIGH = 0x8c08, INCREMENT = 0x8c14 };
	const uint64_t wanted = UINT64_C(1) << 19;
	struct frame f[MODEL_BURST];
	struct ring *r = ixgbe_fixture_tx_on(0, 64);
	uint32_t low, high;
	uint16_t descs;

	nic_fixture_write(INCREMENT, 1 << 24 | 0xcccccc);
	nic_ring_fixture_put(r, 0, DATA(60) | EOP | wanted);
	nic_ring_fixture_tail(r, 1);
	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 1);
	nic_ring_fixture_done(r, descs);
	assert_int_equal(nic_fixture_read(CONTROL), 0); /* not switched on */
	nic_fixture_write(CONTROL, 1 << 4);
	nic_ring_fixture_put(r, 1, DATA(60) | EOP);
	nic_ring_fixture_put(r, 2, DATA(60) | EOP | wanted);
	nic_ring_fixture_tail(r, 3);
	assert_int_equal(nic_ring_fixture_take(r, f, MODEL_BURST, &descs), 2);
	assert_int_equal(f[1].flags, FRAME_EOP); /* a plain one on the wire */
	nic_ring_fixture_done(r, descs);
	assert_int_equal(nic_fixture_read(CONTROL), 1 << 4 | 1);
	low = nic_fixture_read(LOW);
	nic_ring_fixture_put(r, 3, DATA(60) | EOP | wanted);
	nic_ring_fixture_tail(r, 4);
	nic_ring_fixture_take(r, f, MODEL_BURST, &descs);
	nic_ring_fixture_done(r, descs);
	assert_int_equal(nic_fixture_read(LOW), low); /* the first one's still */
	high = nic_fixture_read(HIGH);
	assert_true(((uint64_t)high << 32 | low) > 0);
	assert_int_equal(nic_fixture_read(CONTROL), 1 << 4);
}

/* Arrivals: by kind of message, where a filter leads them to the clock. */
TEST(test_rx_times)
{
	enum { FILTER = 0x5128 + 12, MESSAGE = 0x5120, CONTROL = 0x5188, HIGH = 0x51a4 };
	static const struct {
		uint32_t kind, message; /* of the registers */
		uint8_t id, version;
		bool stamped;
	} rows[] = {
		{ 0, 0, 0, 2, true },
		{ 0, 0, 1, 2, false },
		{ 0, 0x100, 1, 2, true },
		{ 0, 0, 0, 1, false },
		{ 8, 0, 9, 2, true },
		{ 10, 0, 3, 2, true },
		{ 10, 0, 8, 2, false },
		{ 2, 0, 0, 2, false },
		{ 4, 0x300, 3, 0x12, true },
	};
	uint8_t pkt[60] = { [12] = 0x88, 0xf7, 0, 2 };

	assert_int_equal(nic_fixture.family->arrived(&nic_fixture, pkt, sizeof(pkt)), 0);
	nic_fixture_write(FILTER, UINT32_C(3) << 30 | 0x88f7);
	assert_int_equal(nic_fixture.family->arrived(&nic_fixture, pkt, sizeof(pkt)), FRAME_PTP);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		nic_fixture_write(CONTROL, 1 << 4 | rows[i].kind);
		nic_fixture_write(MESSAGE, rows[i].message);
		pkt[14] = rows[i].id;
		pkt[15] = rows[i].version;
		assert_int_equal(nic_fixture.family->arrived(&nic_fixture, pkt, sizeof(pkt)),
			FRAME_PTP | (rows[i].stamped ? FRAME_STAMPED : 0));
		assert_int_equal(nic_fixture_read(CONTROL) & 1, rows[i].stamped);
		if (rows[i].stamped) /* until it was read */
			assert_int_equal(nic_fixture.family->arrived(&nic_fixture, pkt,
						 sizeof(pkt)),
				FRAME_PTP);
		nic_fixture_read(HIGH);
		assert_int_equal(nic_fixture_read(CONTROL) & 1, 0);
	}
	assert_int_equal(nic_fixture.family->arrived(&nic_fixture, pkt, 15), 0);
	pkt[12] = 8;
	assert_int_equal(nic_fixture.family->arrived(&nic_fixture, pkt, sizeof(pkt)), 0);
}

TESTS(.before = nic_ring_fixture_set_up, .after = nic_ring_fixture_tear_down);
