/* Transmit descriptors of the 82599: put by hand as a driver would, taken and reported done by the
 * family. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/model_nic/model_nic_ixgbe_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static const uint16_t sizes[] = { 64, 96, 512, 4096 };
enum { N_SIZES = sizeof(sizes) / sizeof(sizes[0]) };

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

static void
put(const struct ring *r, unsigned i, uint64_t second)
{
	fixture_quads(r, i % r->size)[0] = fixture_buffer_of(i % r->size);
	fixture_quads(r, i % r->size)[1] = second;
}

static void
put_context(const struct ring *r, unsigned i, uint64_t headers, uint64_t second)
{
	fixture_quads(r, i % r->size)[0] = headers;
	fixture_quads(r, i % r->size)[1] = second;
}

static uint16_t
take(struct ring *r, struct frame *f, uint16_t max, uint16_t *descs)
{
	return fixture.family->tx_take(&fixture, r, f, max, descs);
}

static void
done(struct ring *r, uint16_t descs)
{
	fixture.family->tx_done(&fixture, r, descs);
}

static bool
reported(const struct ring *r, unsigned i)
{
	return (fixture_quads(r, i % r->size)[1] >> 32 & 1) != 0;
}

/*
 * Plain packets round every ring size: taken as they are, reported where the driver asked and
 * nowhere else.
 */
static void
test_tx_rounds(void **state)
{
	struct frame f[MODEL_BURST];
	uint16_t descs;

	for (unsigned k = 0; k < N_SIZES; k++) {
		struct ring *r = fixture_tx_on(0, sizes[k]);
		unsigned at = 0, rounds = 3u * r->size / 41 + 3;
		uint64_t before = r->packets, bytes = r->bytes;

		for (unsigned round = 0; round < rounds; round++) {
			for (unsigned i = 0; i < 41; i++)
				put(r, at + i, DATA(60 + i) | EOP | (i % 8 == 7 ? REPORT : 0));
			fixture_tail(r, (at + 41) % r->size);
			assert_int_equal(take(r, f, MODEL_BURST, &descs), 41);
			assert_int_equal(descs, 41);
			for (unsigned i = 0; i < 41; i++) {
				assert_int_equal((uint64_t)(uintptr_t)f[i].data,
					fixture_buffer_of((at + i) % r->size));
				assert_int_equal(f[i].len, 60 + i);
				assert_int_equal(f[i].flags, FRAME_EOP);
				assert_int_equal(f[i].mss, 0);
				assert_false(reported(r, at + i));
			}
			assert_int_equal(r->head, at);
			done(r, 41);
			for (unsigned i = 0; i < 41; i++)
				assert_int_equal(reported(r, at + i), i % 8 == 7);
			at = (at + 41) % r->size;
			assert_int_equal(r->head, at);
		}
		assert_int_equal(take(r, f, MODEL_BURST, &descs), 0);
		assert_int_equal(descs, 0);
		assert_int_equal(r->packets - before, 41 * rounds);
		assert_int_equal(r->bytes - bytes, (41 * 60 + 40 * 41 / 2) * rounds);
	}
}

/* Packets of several descriptors: whole ones only, and none that does not fit what is asked for. */
static void
test_tx_segments(void **state)
{
	struct frame f[MODEL_BURST];
	struct ring *r = fixture_tx_on(0, 64);
	uint16_t descs;

	put(r, 0, DATA(100));
	put(r, 1, DATA(50) | EOP | REPORT);
	put(r, 2, DATA(70));
	put(r, 3, DATA(71));
	fixture_tail(r, 4); /* the second has no end yet */
	assert_int_equal(take(r, f, MODEL_BURST, &descs), 2);
	assert_int_equal(descs, 2);
	assert_int_equal(f[0].flags, 0);
	assert_int_equal(f[1].flags, FRAME_EOP);
	done(r, descs);
	assert_false(reported(r, 0));
	assert_true(reported(r, 1));
	assert_int_equal(r->packets, 1);
	assert_int_equal(r->bytes, 150);
	assert_int_equal(take(r, f, MODEL_BURST, &descs), 0);
	put(r, 4, DATA(72) | EOP);
	put(r, 5, DATA(60) | EOP);
	fixture_tail(r, 6);
	assert_int_equal(take(r, f, 3, &descs), 3);
	assert_int_equal(descs, 3);
	done(r, descs);
	assert_int_equal(take(r, f, 3, &descs), 1);
	done(r, descs);
	assert_int_equal(r->packets, 3);
}

/* What a context said holds for all packets that name it, until another takes its place. */
static void
test_tx_contexts(void **state)
{
	struct frame f[MODEL_BURST];
	struct ring *r = fixture_tx_on(0, 64);
	uint16_t descs;

	put_context(r, 0, HEADERS(0x123, 14, 20), CONTEXT(0, 8, 0) | IPV4 | UDP);
	put_context(r, 1, HEADERS(0x456, 18, 40), CONTEXT(1, 20, 1400) | TCP);
	put(r, 2, DATA(60) | EOP | SUM_L3 | SUM_L4 | WITH(0));
	put(r, 3, DATA(80) | EOP | SUM_L4 | TAG | WITH(1));
	put(r, 4, DATA(80) | EOP | REPORT); /* none of it */
	fixture_tail(r, 5);
	assert_int_equal(take(r, f, MODEL_BURST, &descs), 3);
	assert_int_equal(descs, 5);
	assert_int_equal(f[0].flags,
		FRAME_EOP | FRAME_IPV4 | FRAME_UDP | FRAME_CSUM_L3 | FRAME_CSUM_L4);
	assert_int_equal(f[0].l2_len, 14);
	assert_int_equal(f[0].l3_len, 20);
	assert_int_equal(f[0].l4_len, 8);
	assert_int_equal(f[0].mss, 0);
	assert_int_equal(f[1].flags,
		FRAME_EOP | FRAME_IPV6 | FRAME_TCP | FRAME_CSUM_L4 | FRAME_VLAN);
	assert_int_equal(f[1].vlan, 0x456);
	assert_int_equal(f[1].l2_len, 18);
	assert_int_equal(f[1].l3_len, 40);
	assert_int_equal(f[1].l4_len, 20);
	assert_int_equal(f[1].mss, 0);
	assert_int_equal(f[2].flags, FRAME_EOP);
	assert_int_equal(f[2].l2_len, 0);
	assert_null(fixture.family->buffer(r, 1, false));
	assert_int_equal((uintptr_t)fixture.family->buffer(r, 2, false), fixture_buffer_of(2));
	done(r, descs);
	assert_true(reported(r, 4));
	assert_int_equal(r->packets, 3);
	assert_int_equal(r->bytes, 60 + 84 + 80); /* one tag */

	/* A later turn: context 1 is still there; 0 is another. */
	put_context(r, 5, HEADERS(0, 14, 20), CONTEXT(0, 0, 0) | IPV4 | SCTP);
	put(r, 6, DATA(60) | EOP | TAG | WITH(1));
	put(r, 7, DATA(60) | EOP | SUM_L4 | WITH(0));
	fixture_tail(r, 8);
	assert_int_equal(take(r, f, 1, &descs), 1); /* taken again, the same comes out */
	assert_int_equal(take(r, f, MODEL_BURST, &descs), 2);
	assert_int_equal(f[0].flags, FRAME_EOP | FRAME_VLAN);
	assert_int_equal(f[0].vlan, 0x456);
	assert_int_equal(f[1].flags, FRAME_EOP | FRAME_IPV4); /* nobody sums SCTP here */
	done(r, descs);
	r = fixture_tx_on(0, 64); /* a new life knows no contexts */
	put(r, 0, DATA(60) | EOP | TAG | WITH(1));
	fixture_tail(r, 1);
	assert_int_equal(take(r, f, MODEL_BURST, &descs), 1);
	assert_int_equal(f[0].vlan, 0);
}

/* A packet that is cut leaves as several, each with its headers. */
static void
test_tx_tso(void **state)
{
	struct frame f[MODEL_BURST];
	struct ring *r = fixture_tx_on(0, 64);
	uint16_t descs;

	put_context(r, 0, HEADERS(0, 14, 20), CONTEXT(0, 20, 1000) | IPV4 | TCP);
	put(r, 1, DATA(54) | TSO | SUM_L3 | SUM_L4 | WITH(0));
	put(r, 2, DATA(2500) | EOP);
	fixture_tail(r, 3);
	assert_int_equal(take(r, f, MODEL_BURST, &descs), 2);
	assert_int_equal(f[0].mss, 1000);
	done(r, descs);
	assert_int_equal(r->packets, 3);
	assert_int_equal(r->bytes, 3 * 54 + 2500);
	assert_int_equal(fixture_read(0x4080), 3);
	assert_int_equal(fixture_read(0x40ec), 2);
	assert_int_equal(fixture_read(0x40e8), 1);
}

/* Neither of an older form nor too long for a burst: consumed, reported, not sent. */
static void
test_tx_silent(void **state)
{
	struct frame f[MODEL_BURST];
	struct ring *r = fixture_tx_on(0, 512);
	uint16_t descs;

	put(r, 0, EOP | REPORT | 60);
	put(r, 1, DATA(60) | EOP);
	fixture_tail(r, 2);
	assert_int_equal(take(r, f, MODEL_BURST, &descs), 1);
	assert_int_equal(descs, 2);
	done(r, descs);
	assert_true(reported(r, 0));
	assert_int_equal(r->packets, 1);
	for (unsigned i = 0; i < MODEL_BURST + 1; i++)
		put(r, 2 + i, DATA(60) | (i == MODEL_BURST ? EOP | REPORT : 0));
	fixture_tail(r, 2 + MODEL_BURST + 1);
	assert_int_equal(take(r, f, MODEL_BURST, &descs), 0);
	assert_int_equal(descs, MODEL_BURST + 1);
	assert_non_null(strstr(fixture_log, "65 descriptors dropped"));
	done(r, descs);
	assert_true(reported(r, 2 + MODEL_BURST));
	assert_int_equal(r->packets, 1);
}

/* Done in other portions than it was taken. */
static void
test_tx_portions(void **state)
{
	struct frame f[MODEL_BURST];
	struct ring *r = fixture_tx_on(0, 64);
	uint16_t descs;

	for (unsigned i = 0; i < 10; i++)
		put(r, i, DATA(60) | EOP | REPORT);
	fixture_tail(r, 10);
	assert_int_equal(take(r, f, MODEL_BURST, &descs), 10);
	done(r, 0);
	assert_int_equal(r->head, 0);
	done(r, 4);
	assert_true(reported(r, 3));
	assert_false(reported(r, 4));
	done(r, 6);
	assert_true(reported(r, 9));
	assert_int_equal(r->packets, 10);
	assert_int_equal(r->bytes, 600);
	assert_int_equal(fixture_read(0x40d8), 10); /* 64 bytes with CRC */
	assert_int_equal(fixture_read(0x4090), 640);
	assert_int_equal(fixture_read(0x4094), 0);
	fixture_read(0x3fbc);
	assert_int_equal(fixture_read(fixture_tx_block(0) + 0x30), 10);
	assert_int_equal(fixture_read(0x8700), 600);
	fixture_read(0x4034);
	assert_int_equal(fixture_read(fixture_tx_block(0) + 0x30), 0);
	assert_int_equal(fixture_read(0x8700), 0);
}

#define BED(test) cmocka_unit_test_setup_teardown(test, fixture_set_up, fixture_tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		BED(test_tx_rounds),
		BED(test_tx_segments),
		BED(test_tx_contexts),
		BED(test_tx_tso),
		BED(test_tx_silent),
		BED(test_tx_portions),
	};

	return cmocka_run_group_tests_name("ixgbe_tx", tests, NULL, NULL);
}
