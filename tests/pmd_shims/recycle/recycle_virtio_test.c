/* Recycling on net_virtio over modelled devices that move when told to: every pair of paths, every
 * size of ring, whatever applications send. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "fixtures/recycle_virtio_fixture.h"
#include "fixtures/unit.h"

#include <rte_ethdev.h>

#include <string.h>

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
		operation *done;
		bool shares, foreign, external;
	} rows[] = {
		{ "plain", operation_plain, false, false, false },
		{ "shared", operation_shared, true, false, false },
		{ "from another pool", operation_from_another_pool, false, true, false },
		{ "cloned", operation_cloned, false, false, false },
		{ "external", operation_external, false, false, true },
		{ "anything", operation_anything, true, true, true },
		{ "anything but external", operation_anything_of_pools, true, true, false },
	};

	static const enum zcfwd_recycle_mode modes[] = { ZCFWD_RECYCLE_MODE_RING,
		ZCFWD_RECYCLE_MODE_CACHE };

	for (size_t p = 0; p < ARRAY_SIZE(all_paths); p++)
		for (size_t i = 0; i < 2 * ARRAY_SIZE(rows) && runs(&all_paths[p]); i++) {
			const size_t row = i % ARRAY_SIZE(rows);
			const bool segments = i != row;
			const struct recycle_count *c;

			if ((rows[row].external || segments) && !sends_faithfully(&all_paths[p]))
				continue;
			operations.segments = segments ? OPERATIONS_SEGMENTS : 0;
			ports_open(&all_paths[p], 512);
			pairs_bind(modes[row % ARRAY_SIZE(modes)]);
			polls(segments ? POLLS / 4 : POLLS, rows[row].done);
			c = recycle_count(fixture.pair[0]);
			print_message("# %s, %s, of up to %u segments: %llu moved of %llu\n",
				all_paths[p].name, rows[row].name, RTE_MAX(operations.segments, 1u),
				(unsigned long long)moved(), (unsigned long long)fixture.sent);
			/* Of packed rings 32 descriptors are taken at a time: too few packets. */
			if (!segments || strstr(all_paths[p].devargs[1], "packed_vq") == NULL)
				assert_true(moved() > fixture.sent / (all_paths[p].both ? 2 : 4));
			assert_int_equal(shim_counted(&c->shared) > 0, rows[row].shares);
			assert_int_equal(shim_counted(&c->foreign) > 0, rows[row].foreign);
			finish();
		}
	operations.segments = 0;
}

/*
 * The driver chooses its vector functions of packed rings with AVX-512 alone, or NEON; with narrower
 * vectors such a path is refused, and the other tests of this file run without it.
 */
static void
wide_paths(void **state)
{
	struct zcfwd_recycle_error e;

	for (size_t p = 0; p < ARRAY_SIZE(all_paths); p++) {
		if (!all_paths[p].wide)
			continue;
		ports_open(&all_paths[p], 256);
		fixture.pair[0] = pair_bind(0, ZCFWD_RECYCLE_MODE_RING, &e);
		assert_int_equal(fixture.pair[0] != NULL, fixture.wide);
		if (!fixture.wide)
			assert_non_null(strstr(e.text, "refills its ring while it receives"));
		polls(100, operation_plain);
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
			pairs_bind(ZCFWD_RECYCLE_MODE_RING);
			polls(sizes[i] * 4,
				sends_faithfully(&all_paths[p]) ? operation_anything
								: operation_from_another_pool);
			assert_true(moved() > 0);
			finish();
		}
}

/* No mbuf is left in the pool, and then they come back. */
static void
exhaustion(void **state)
{
	static void *taken[OPERATIONS_MBUFS];

	for (size_t p = 0; p < ARRAY_SIZE(all_paths); p++) {
		unsigned int n = 0;

		if (!runs(&all_paths[p]))
			continue;
		ports_open(&all_paths[p], 256);
		pairs_bind(ZCFWD_RECYCLE_MODE_RING);
		for (unsigned int round = 0; round < 20; round++) {
			polls(20, operation_anything_of_pools);
			while (n < OPERATIONS_MBUFS &&
				rte_mempool_get(operations.pool, &taken[n]) == 0)
				n++;
			assert_true(n > 0);
			polls(40, round % 2 == 0 ? operation_shared : operation_hoarded);
			rte_mempool_put_bulk(operations.pool, taken, n);
			operations_unhoard();
			n = 0;
		}
		polls(100, operation_plain);
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
	struct zcfwd_recycle_error e;

	for (size_t p = 0; p < ARRAY_SIZE(all_paths); p++) {
		struct recycle *old;

		if (!runs(&all_paths[p]))
			continue;
		ports_open(&all_paths[p], 256);
		old = pair_bind(0, ZCFWD_RECYCLE_MODE_RING, &e);
		assert_non_null(old);
		polls(100, operation_plain);
		assert_int_equal(rte_eth_dev_stop(fixture.port[0]), 0);
		assert_false(recycle_stands(old));
		assert_int_equal(recycle_run(old), 0);
		assert_int_equal(rte_eth_dev_start(fixture.port[0]), 0);
		pairs_bind(ZCFWD_RECYCLE_MODE_RING);
		polls(100, operation_plain);
		assert_true(moved() > 0);
		finish();
		recycle_unbind(old);
	}
}

/* Every poll another pair, or none, of the same queues. */
static void
bound_anew(void **state)
{
	struct zcfwd_recycle_error e;

	for (size_t p = 0; p < ARRAY_SIZE(all_paths); p++) {
		uint64_t sum = 0;

		if (!runs(&all_paths[p]))
			continue;
		ports_open(&all_paths[p], 256);
		for (unsigned int round = 0; round < 1000; round++) {
			if (round % 3 != 2)
				fixture.pair[0] = pair_bind(0,
					(enum zcfwd_recycle_mode)(
						ZCFWD_RECYCLE_MODE_RING + round / 3 % 3),
					&e);
			polls(3, operation_anything_of_pools);
			sum += moved();
			recycle_unbind(fixture.pair[0]);
			fixture.pair[0] = NULL;
		}
		assert_true(sum > 0);
		finish();
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wide_paths),
		cmocka_unit_test(each_deed),
		cmocka_unit_test(rings),
		cmocka_unit_test(exhaustion),
		cmocka_unit_test(another_path),
		cmocka_unit_test(bound_anew),
	};

	if (group_setup(NULL) != 0)
		return 1;
	if (stepped_skips_width())
		return group_teardown(NULL);
	return cmocka_run_group_tests(tests, NULL, group_teardown);
}
