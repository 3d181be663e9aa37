/* Recycling on net_virtio over modelled devices that move when told to: every pair of paths, every
 * size of ring, whatever applications send. */
#include "base/base.h"
#include "base/err.h"
#include "fixtures/recycle_virtio_bed.h"

#include <rte_ethdev.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

/*
 * Not so the vector transmit function of packed rings, also without recycling: it writes its header
 * before external buffers and clones, and loses mbufs when its ring fills up with packets that take
 * two descriptors.
 */
static bool
sends_faithfully(const struct paths *p)
{
	return strcmp(p->devargs[0], PACKED) != 0 && strcmp(p->devargs[1], PACKED) != 0;
}

static void
each_deed(void **state)
{
	static const struct {
		const char *name;
		deed *done;
		bool shares, foreign, external;
	} rows[] = {
		{ "plain", deed_plain, false, false, false },
		{ "shared", deed_shared, true, false, false },
		{ "from another pool", deed_from_another_pool, false, true, false },
		{ "cloned", deed_cloned, false, false, false },
		{ "external", deed_external, false, false, true },
		{ "anything", deed_anything, true, true, true },
		{ "anything but external", deed_anything_of_pools, true, true, false },
	};

	for (size_t p = 0; p < ARRAY_SIZE(all_paths); p++)
		for (size_t i = 0; i < ARRAY_SIZE(rows) && runs(&all_paths[p]); i++) {
			const struct recycle_count *c;

			if (rows[i].external && !sends_faithfully(&all_paths[p]))
				continue;
			ports_open(&all_paths[p], 512);
			pairs_bind(i % 2 == 0 ? RECYCLE_RING : RECYCLE_ZC_CACHE);
			turns(TURNS, rows[i].done);
			c = recycle_count(bed.pair[0]);
			print_message("# %s, %s: %llu moved of %llu\n", all_paths[p].name,
				rows[i].name, (unsigned long long)moved(),
				(unsigned long long)bed.sent);
			assert_true(moved() > bed.sent / (all_paths[p].both ? 2 : 4));
			assert_int_equal(counter_read(&c->shared) > 0, rows[i].shares);
			assert_int_equal(counter_read(&c->foreign) > 0, rows[i].foreign);
			finish();
		}
}

/* Rings of every size, over and over. */
static void
rings(void **state)
{
	static const uint16_t sizes[] = { 64, 128, 256, 512, 1024, 2048, 4096 };

	for (size_t p = 0; p < ARRAY_SIZE(all_paths); p++)
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			if (!runs(&all_paths[p]) ||
				(strstr(all_paths[p].devargs[0], PACKED) != NULL && sizes[i] == 64))
				continue;
			ports_open(&all_paths[p], sizes[i]);
			pairs_bind(RECYCLE_RING);
			turns(sizes[i] * 4,
				sends_faithfully(&all_paths[p]) ? deed_anything
								: deed_from_another_pool);
			assert_true(moved() > 0);
			finish();
		}
}

/* No mbuf is left in the pool, and then they come back. */
static void
exhaustion(void **state)
{
	static void *taken[DEEDS_MBUFS];

	for (size_t p = 0; p < ARRAY_SIZE(all_paths); p++) {
		unsigned int n = 0;

		if (!runs(&all_paths[p]))
			continue;
		ports_open(&all_paths[p], 256);
		pairs_bind(RECYCLE_RING);
		for (unsigned int round = 0; round < 20; round++) {
			turns(20, deed_anything_of_pools);
			while (n < DEEDS_MBUFS && rte_mempool_get(deeds.pool, &taken[n]) == 0)
				n++;
			assert_true(n > 0);
			turns(40, round % 2 == 0 ? deed_shared : deed_hoarded);
			rte_mempool_put_bulk(deeds.pool, taken, n);
			deeds_unhoard();
			n = 0;
		}
		turns(100, deed_plain);
		finish();
	}
}

/*
 * A pair whose ports went and came back with other paths moves nothing; bound anew it does, or is
 * told why not.
 */
static void
another_path(void **state)
{
	struct err e;

	for (size_t p = 0; p < ARRAY_SIZE(all_paths); p++) {
		struct recycle *old;

		if (!runs(&all_paths[p]))
			continue;
		ports_open(&all_paths[p], 256);
		old = pair_bind(0, RECYCLE_RING, &e);
		assert_non_null(old);
		turns(100, deed_plain);
		assert_int_equal(rte_eth_dev_stop(bed.port[0]), 0);
		assert_false(recycle_stands(old));
		assert_int_equal(recycle_run(old), 0);
		assert_int_equal(rte_eth_dev_start(bed.port[0]), 0);
		pairs_bind(RECYCLE_RING);
		turns(100, deed_plain);
		assert_true(moved() > 0);
		finish();
		recycle_unbind(old);
	}
}

/* Every turn another pair, or none, of the same queues. */
static void
bound_anew(void **state)
{
	struct err e;

	for (size_t p = 0; p < ARRAY_SIZE(all_paths); p++) {
		uint64_t sum = 0;

		if (!runs(&all_paths[p]))
			continue;
		ports_open(&all_paths[p], 256);
		for (unsigned int round = 0; round < 1000; round++) {
			if (round % 3 != 2)
				bed.pair[0] = pair_bind(0,
					round % 3 == 0 ? RECYCLE_RING : RECYCLE_ZC_CACHE, &e);
			turns(3, deed_anything_of_pools);
			sum += moved();
			recycle_unbind(bed.pair[0]);
			bed.pair[0] = NULL;
		}
		assert_true(sum > 0);
		finish();
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_deed),
		cmocka_unit_test(rings),
		cmocka_unit_test(exhaustion),
		cmocka_unit_test(another_path),
		cmocka_unit_test(bound_anew),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
