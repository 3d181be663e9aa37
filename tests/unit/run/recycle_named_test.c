/* Named pairs: each transmit queue feeds one receive queue, the one that was named last. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/recycle_named.h"

#include "base/base.h"
#include "base/err.h"
#include "pmd_shims/recycle_feed.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static int
add(struct recycle_named *named, struct recycle_ends ends)
{
	struct err e;

	err_clear(&e);
	return recycle_named_add(named, &ends, &e);
}

static void
tx_queue_leads_to_one(void **state)
{
	/* Pairs as they come, and where the first one's transmit queue leads then. */
	static const struct {
		struct recycle_ends first, second;
		unsigned int n, rx_port;
	} rows[] = {
		{ { 0, 0, 1, 0 }, { 0, 0, 1, 0 }, 1, 0 }, /* the same again */
		{ { 0, 0, 1, 0 }, { 1, 0, 1, 0 }, 1, 1 }, /* leads elsewhere now */
		{ { 0, 0, 1, 0 }, { 0, 0, 1, 1 }, 2, 0 }, /* another queue */
		{ { 0, 0, 1, 0 }, { 0, 0, 0, 0 }, 2, 0 }, /* another port */
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct recycle_named named = { .n = 0 };

		assert_int_equal(add(&named, rows[i].first), 0);
		assert_int_equal(add(&named, rows[i].second), 0);
		assert_int_equal(named.n, rows[i].n);
		assert_int_equal(named.pair[0].rx_port, rows[i].rx_port);
		assert_int_equal(named.pair[0].tx_port, 1);
	}
}

static void
at_most_so_many(void **state)
{
	struct recycle_named named = { .n = 0 };

	for (uint16_t i = 0; i < RECYCLE_PAIRS_MAX; i++)
		assert_int_equal(add(&named, (struct recycle_ends){ 0, 0, 1, i }), 0);
	assert_int_equal(add(&named, (struct recycle_ends){ 0, 0, 1, 99 }), -ENOSPC);
	for (uint16_t i = RECYCLE_PAIRS_MAX; i < RECYCLE_NAMED_MAX; i++)
		assert_int_equal(add(&named, (struct recycle_ends){ 0, i, 1, i }), 0);
	assert_int_equal(add(&named, (struct recycle_ends){ 2, 0, 3, 0 }), -ENOSPC);
	/* One that is there may still be led elsewhere. */
	assert_int_equal(named.n, RECYCLE_NAMED_MAX);
	assert_int_equal(add(&named, (struct recycle_ends){ 2, 0, 1, 0 }), 0);
	assert_int_equal(named.n, RECYCLE_NAMED_MAX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tx_queue_leads_to_one),
		cmocka_unit_test(at_most_so_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
