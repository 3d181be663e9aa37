/* Sequence numbers that come back: in order, late, twice, never. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/unit.h"
#include "pmd_shims/drivers/model_nic/model_nic.h"
#include "pmd_shims/drivers/model_nic/wire/traffic_priv.h"

#include <string.h>

enum { FLOWS = 3, WINDOW = 1 << 14 };

static struct model_nic_report report;
static struct verify *verify;

static int
set_up(void **state)
{
	memset(&report, 0, sizeof(report));
	verify = verify_open(FLOWS);
	return verify == NULL;
}

static int
tear_down(void **state)
{
	verify_close(verify);
	return 0;
}

static void
see(unsigned flow, uint32_t sequence)
{
	struct gen_mark mark = { .flow = (uint16_t)flow, .sequence = sequence };

	verify_seen(verify, &mark, &report);
}

#define ASSERT_SEEN(ok_, reordered_, duplicated_) \
	do { \
		assert_int_equal(report.ok, ok_); \
		assert_int_equal(report.reordered, reordered_); \
		assert_int_equal(report.duplicated, duplicated_); \
		assert_int_equal(verify_unique(verify), (ok_) + (reordered_)); \
	} while (0)

TEST(in_order_is_good)
{
	for (uint32_t i = 0; i < 3 * WINDOW; i++)
		see(0, i);
	ASSERT_SEEN(3 * WINDOW, 0, 0);
}

TEST(flows_are_counted_apart)
{
	see(0, 0);
	see(2, 0);
	see(2, 1);
	see(0, 1);
	ASSERT_SEEN(4, 0, 0);
}

TEST(late_is_reordered_once)
{
	see(1, 0);
	see(1, 3);
	see(1, 1);
	see(1, 2);
	ASSERT_SEEN(2, 2, 0);
	see(1, 1);
	ASSERT_SEEN(2, 2, 1);
}

TEST(twice_is_duplicated)
{
	see(0, 0);
	see(0, 0);
	see(0, 1);
	see(0, 1);
	see(0, 0);
	ASSERT_SEEN(2, 0, 3);
}

/*
 * Places of the window are used again: what was skipped in the second round was not seen in the
 * first.
 */
TEST(a_gap_is_empty)
{
	for (uint32_t i = 0; i < WINDOW; i++)
		see(0, i);
	see(0, WINDOW + 100);
	for (uint32_t i = 0; i < 100; i++)
		see(0, WINDOW + i);
	ASSERT_SEEN(WINDOW + 1, 100, 0);
}

TEST(a_gap_longer_than_the_window)
{
	see(0, 0);
	see(0, 10 * WINDOW);
	see(0, 9 * WINDOW + 1);
	ASSERT_SEEN(2, 1, 0);
	see(0, 9 * WINDOW - 3); /* too old to be told */
	ASSERT_SEEN(2, 1, 1);
}

TEST(unknown_flows_are_foreign)
{
	see(FLOWS, 0);
	see(UINT16_MAX, 0);
	ASSERT_SEEN(0, 0, 0);
	assert_int_equal(report.foreign, 2);
}

TESTS(.before = set_up, .after = tear_down);
