/* What may be armed as it is: every way for an mbuf not to be as a fresh one, alone in a batch of
 * good ones; compiled once per SIMD width. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/recycle/rearm_check.h"

#include "base/base.h"
#include "fixtures/unit.h"

#include <rte_cpuflags.h>
#include <rte_mbuf.h>

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { N = 8 };

static struct rte_mempool *const pool = (void *)0x7f0012345680,
				 *const other = (void *)0x7f0012345700;

static alignas(RTE_CACHE_LINE_SIZE) struct rte_mbuf mbufs[N];

static void
good(struct rte_mbuf *m, unsigned int i)
{
	/* What an mbuf has that came back from anywhere, and that nobody looks at. */
	memset(m, 0xff, sizeof(*m));
	m->buf_addr = (void *)(uintptr_t)(0x7f0100000000 + i * 2048);
	rte_mbuf_iova_set(m, 0x7e0100000000 + i * 2048);
	m->refcnt = 1;
	m->nb_segs = 1;
	m->ol_flags = ~(RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL);
	m->pool = pool;
}

static bool
passes(void)
{
	struct rearm_check check = rearm_check_begin(pool);

	for (unsigned int i = 0; i < N; i++) {
		simd128 first = rearm_check_mbuf(&check, &mbufs[i]);

		assert_int_equal(first[0], (uintptr_t)mbufs[i].buf_addr);
		assert_int_equal(first[1], rte_mbuf_iova_get(&mbufs[i]));
		assert_int_equal(simd_second(first)[0], rte_mbuf_iova_get(&mbufs[i]));
		assert_int_equal(simd_second(first)[1], 0);
	}
	return rearm_check_passed(&check);
}

static void
all_good(void **state)
{
	for (unsigned int i = 0; i < N; i++)
		good(&mbufs[i], i);
	assert_true(passes());
}

static void
one_bad(void **state)
{
	static const struct {
		const char *what;
		uint16_t refcnt, nb_segs;
		uint64_t flags;
		bool foreign;
	} bad[] = {
		{ "free already", 0, 1, 0, false },
		{ "of two owners", 2, 1, 0, false },
		{ "of many owners", 0x8001, 1, 0, false },
		{ "without a segment", 1, 0, 0, false },
		{ "of two segments", 1, 2, 0, false },
		{ "of many segments", 1, 0x0101, 0, false },
		{ "attached", 1, 1, RTE_MBUF_F_INDIRECT, false },
		{ "with an external buffer", 1, 1, RTE_MBUF_F_EXTERNAL, false },
		{ "of another pool", 1, 1, 0, true },
	};

	for (unsigned int b = 0; b < ARRAY_SIZE(bad); b++)
		for (unsigned int i = 0; i < N; i++) {
			for (unsigned int j = 0; j < N; j++)
				good(&mbufs[j], j);
			mbufs[i].refcnt = bad[b].refcnt;
			mbufs[i].nb_segs = bad[b].nb_segs;
			mbufs[i].ol_flags |= bad[b].flags;
			if (bad[b].foreign)
				mbufs[i].pool = other;
			if (passes())
				fail_msg("mbuf %u of %u is %s, and passes", i, N, bad[b].what);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(all_good), cmocka_unit_test(one_bad) };

#ifdef __AVX512F__
	if (rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512VL) != 1)
		return puts("1..0 # SKIP this CPU has no AVX512VL") == EOF;
#elif defined(__AVX2__)
	if (rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX2) != 1)
		return puts("1..0 # SKIP this CPU has no AVX2") == EOF;
#endif
	return cmocka_run_group_tests(tests, NULL, NULL);
}
