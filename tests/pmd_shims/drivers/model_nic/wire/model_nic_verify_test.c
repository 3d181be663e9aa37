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

static void
assert_seen(uint64_t ok, uint64_t reordered, uint64_t duplicated)
{
	assert_int_equal(report.ok, ok);
	assert_int_equal(report.reordered, reordered);
	assert_int_equal(report.duplicated, duplicated);
	assert_int_equal(verify_unique(verify), ok + reordered);
}

/* Sequence numbers of flow 1 in the order in which they come, ended by END; of flow 2 those with OTHER. */
TEST(orders)
{
	enum { END = 1 << 30, OTHER = 1 << 29 };
	static const struct {
		uint32_t seen[8], ok, reordered, duplicated;
	} rows[] = {
		{ { 0, OTHER | 0, OTHER | 1, 1, END }, 4, 0, 0 },
		{ { 0, 3, 1, 2, END }, 2, 2, 0 },
		{ { 0, 3, 1, 2, 1, END }, 2, 2, 1 },
		{ { 0, 0, 1, 1, 0, END }, 2, 0, 3 },
		/* A gap longer than the window; the last one is too old to be told. */
		{ { 0, 10 * WINDOW, 9 * WINDOW + 1, END }, 2, 1, 0 },
		{ { 0, 10 * WINDOW, 9 * WINDOW + 1, 9 * WINDOW - 3, END }, 2, 1, 1 },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (const uint32_t *n = rows[i].seen; *n != END; n++)
			see((*n & OTHER) != 0 ? 2 : 1, *n & ~(uint32_t)OTHER);
		assert_seen(rows[i].ok, rows[i].reordered, rows[i].duplicated);
		tear_down(NULL);
		set_up(NULL);
	}
}

TEST(in_order_is_good)
{
	for (uint32_t i = 0; i < 3 * WINDOW; i++)
		see(0, i);
	assert_seen(3 * WINDOW, 0, 0);
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
	assert_seen(WINDOW + 1, 100, 0);
}

TEST(unknown_flows_are_foreign)
{
	see(FLOWS, 0);
	see(UINT16_MAX, 0);
	assert_seen(0, 0, 0);
	assert_int_equal(report.foreign, 2);
}

TESTS(.before = set_up, .after = tear_down);
