/* The census of a pool: what is missing, there twice, or another pool's, with each mempool driver and
 * with caches. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory/pool_check.h"

#include "base/base.h"
#include "fixtures/eal.h"
#include "fixtures/out_check.h"
#include "fixtures/unit.h"

#include <rte_mempool.h>

#include <stdio.h>
#include <string.h>

#define SIZE 2000u
#define CACHE 32u
#define OUT 100u
#define LINE \
	"Pool bad: of 2000 buffers 2 are missing, 1 were freed twice, and 0 do not belong to it (driver ring_mp_mc)"

static struct rte_mempool *
make(const char *name, const char *driver, unsigned int cache)
{
	struct rte_mempool *mp = rte_mempool_create_empty(name, SIZE, 128, cache, 0, 0, 0);

	assert_non_null(mp);
	assert_int_equal(rte_mempool_set_ops_byname(mp, driver, NULL), 0);
	assert_int_equal(rte_mempool_populate_default(mp), SIZE);
	return mp;
}

/* Twice: a census leaves the pool as it was. */
static void
expect(struct rte_mempool *mp, uint64_t missing, uint64_t twice, uint64_t foreign)
{
	const unsigned int available = rte_mempool_avail_count(mp);
	struct pool_census c;

	for (int again = 0; again < 2; again++) {
		assert_true(pool_census(mp, &c));
		assert_int_equal(c.size, SIZE);
		assert_int_equal(c.missing, missing);
		assert_int_equal(c.twice, twice);
		assert_int_equal(c.foreign, foreign);
		assert_int_equal(pool_census_whole(&c), missing + twice + foreign == 0);
		assert_int_equal(rte_mempool_avail_count(mp), available);
	}
}

TEST(each_driver)
{
	static const char *const drivers[] = { "ring_mp_mc", "ring_mt_rts", "stack" };

	for (size_t i = 0; i < 2 * ARRAY_SIZE(drivers); i++) {
		struct rte_mempool *mp = make("mine", drivers[i / 2], i % 2 == 0 ? 0 : CACHE),
				   *other = make("other", "ring_mp_mc", 0);
		void *out[OUT], *stranger;

		expect(mp, 0, 0, 0);
		assert_int_equal(rte_mempool_get_bulk(mp, out, OUT), 0);
		expect(mp, OUT, 0, 0);
		rte_mempool_put_bulk(mp, out, OUT - 2);
		expect(mp, 2, 0, 0);
		rte_mempool_put(mp, out[3]);
		expect(mp, 2, 1, 0);
		/* Now a count says that all is well. */
		assert_int_equal(rte_mempool_get(other, &stranger), 0);
		rte_mempool_put(mp, stranger);
		assert_true(rte_mempool_full(mp));
		expect(mp, 2, 1, 1);
		expect(other, 1, 0, 0);
		rte_mempool_free(mp);
		rte_mempool_free(other);
	}
}

/* It counts what came back to a broken bucket, and does not know which of its elements those are. */
TEST(buckets)
{
	struct rte_mempool *mp = make("mine", "bucket", 0);
	struct pool_census c;
	void *out[OUT];

	expect(mp, 0, 0, 0);
	assert_int_equal(rte_mempool_get_bulk(mp, out, OUT), 0);
	expect(mp, OUT, 0, 0);
	rte_mempool_put_bulk(mp, out, OUT - 2);
	expect(mp, 2, 0, 0);
	rte_mempool_put_bulk(mp, out + OUT - 2, 2);
	expect(mp, 0, 0, 0);
	rte_mempool_put(mp, out[3]);
	assert_true(pool_census(mp, &c));
	assert_int_equal(c.missing + c.foreign, 0);
	assert_int_equal(c.twice, 1);
	rte_mempool_free(mp);
}

TEST(said)
{
	struct rte_mempool *whole = make("whole", "stack", CACHE),
			   *bad = make("bad", "ring_mp_mc", CACHE);
	struct pool_known known = { .why = "somebody is careless" };
	struct out_check printed;
	void *out[3];

	assert_true(out_check_open(&printed));
	assert_int_equal(pool_check_all(&known, printed.out), 0);
	assert_string_equal(out_check_failures(&printed), "");
	assert_int_equal(rte_mempool_get_bulk(bad, out, 3), 0);
	rte_mempool_put(bad, out[0]);
	rte_mempool_put(bad, out[0]);
	known.missing = 2;
	assert_int_equal(pool_check_all(&known, printed.out), 1);
	assert_string_equal(out_check_failures(&printed), LINE "\n");
	known.twice = 1;
	assert_int_equal(pool_check_all(&known, printed.out), 0);
	assert_string_equal(out_check_failures(&printed),
		LINE ", known issue: somebody is careless\n");
	/* All pools together. */
	assert_int_equal(rte_mempool_get(whole, out), 0);
	assert_int_equal(pool_check_all(&known, printed.out), 1);
	out_check_close(&printed);
	rte_mempool_free(whole);
	rte_mempool_free(bad);
}

static int
open_eal(void **state)
{
	return eal_open("64", "(0,1)", "--log-level=critical");
}

TESTS(.setup = open_eal, .teardown = eal_close);
