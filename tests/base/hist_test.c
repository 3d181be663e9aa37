/* Burst-size histograms: differences, sums, the most frequent sizes, quantiles. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/hist.h"

#include "base/base.h"
#include "fixtures/unit.h"

#include <string.h>

struct bursts {
	unsigned int size;
	uint64_t count;
};

#define BURSTS_MAX 6

static struct hist_copy *
fill(struct hist_copy *h, const struct bursts *bursts)
{
	unsigned int i;

	memset(h, 0, sizeof(*h));
	for (i = 0; i < BURSTS_MAX; i++)
		h->cell[bursts[i].size] += bursts[i].count;
	return h;
}

static const struct top_case {
	struct bursts bursts[BURSTS_MAX];
	struct hist_top expected;
} top_cases[] = {
	{ { { 0, 0 } }, { 0, 0, { 0, 0 }, { 0, 0 } } },
	{ { { 0, 9 } }, { 9, 0, { 0, 0 }, { 0, 0 } } },
	{ { { 32, 4 } }, { 4, 128, { 32, 0 }, { 4, 0 } } },
	{ { { 0, 1000 }, { 32, 4 } }, { 1004, 128, { 32, 0 }, { 4, 0 } } },
	{ { { 1, 5 }, { 32, 7 } }, { 12, 229, { 32, 1 }, { 7, 5 } } },
	{ { { 1, 7 }, { 32, 5 } }, { 12, 167, { 1, 32 }, { 7, 5 } } },
	{ { { 1, 7 }, { 2, 9 }, { 3, 8 } }, { 24, 49, { 2, 3 }, { 9, 8 } } },
	{ { { 4, 3 }, { 8, 3 }, { 16, 3 } }, { 9, 84, { 4, 8 }, { 3, 3 } } },
	{ { { BURST_MAX, 2 } }, { 2, 2 * BURST_MAX, { BURST_MAX, 0 }, { 2, 0 } } },
	{ { { 512, UINT64_C(1) << 50 } },
		{ UINT64_C(1) << 50, UINT64_C(1) << 59, { 512, 0 }, { UINT64_C(1) << 50, 0 } } },
};

TEST(top)
{
	struct hist_copy h;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(top_cases); i++) {
		const struct top_case *c = &top_cases[i];
		struct hist_top got = hist_top(fill(&h, c->bursts));

		assert_int_equal(got.bursts, c->expected.bursts);
		assert_int_equal(got.packets, c->expected.packets);
		assert_int_equal(got.size[0], c->expected.size[0]);
		assert_int_equal(got.size[1], c->expected.size[1]);
		assert_int_equal(got.count[0], c->expected.count[0]);
		assert_int_equal(got.count[1], c->expected.count[1]);
	}
}

static const struct quantile_case {
	struct bursts bursts[BURSTS_MAX];
	double share;
	unsigned int expected;
} quantile_cases[] = {
	{ { { 0, 0 } }, 0.5, 0 },
	{ { { 0, 100 } }, 0.5, 0 },
	{ { { 0, 100 }, { 7, 1 } }, 0.5, 7 },
	{ { { 7, 1 } }, 0, 7 },
	{ { { 7, 1 } }, 1, 7 },
	{ { { 1, 50 }, { 32, 50 } }, 0.5, 1 },
	{ { { 1, 50 }, { 32, 50 } }, 0.501, 32 },
	{ { { 1, 99 }, { 512, 1 } }, 0.99, 1 },
	{ { { 1, 99 }, { 512, 1 } }, 0.991, 512 },
	{ { { 1, 99 }, { 512, 1 } }, 1, 512 },
	{ { { 1, 1 }, { 2, 1 }, { 3, 1 }, { 4, 1 } }, 0.75, 3 },
	{ { { 1, UINT64_C(1) << 50 }, { 2, UINT64_C(1) << 50 } }, 0.999, 2 },
};

TEST(quantile)
{
	struct hist_copy h;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(quantile_cases); i++) {
		const struct quantile_case *c = &quantile_cases[i];

		assert_int_equal(hist_quantile(fill(&h, c->bursts), c->share), c->expected);
	}
}

TEST(add_counts_each_size)
{
	struct hist h;
	struct hist_copy got;
	unsigned int n;

	memset(&h, 0, sizeof(h));
	for (n = 0; n <= BURST_MAX; n++)
		hist_add(&h, n);
	hist_add(&h, BURST_MAX);
	memset(&got, 0x55, sizeof(got));
	hist_read(&got, &h);
	for (n = 0; n < BURST_MAX; n++)
		assert_int_equal(got.cell[n], 1);
	assert_int_equal(got.cell[BURST_MAX], 2);
}

TEST(subtract_takes_the_baseline_off)
{
	struct hist_copy now, base;

	fill(&base, (const struct bursts[BURSTS_MAX]){ { 0, 5 }, { 32, 7 } });
	fill(&now, (const struct bursts[BURSTS_MAX]){ { 0, 6 }, { 32, 7 }, { 512, 3 } });
	hist_subtract(&now, &base);
	assert_int_equal(now.cell[0], 1);
	assert_int_equal(now.cell[1], 0);
	assert_int_equal(now.cell[32], 0);
	assert_int_equal(now.cell[512], 3);
	hist_subtract(&now, &now);
	assert_int_equal(now.cell[512], 0);
}
