/* Times from receive to result: every cell has its values, quantiles are of the right cell. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/gpu/gpu_stats.h"
#include "fixtures/unit.h"

#include <string.h>

/* Cells follow each other without a gap, and are a sixteenth of their value wide at most. */
TEST(cells)
{
	for (unsigned int i = 0; i + 1 < GPU_LATENCY_CELLS; i++) {
		const uint64_t least = gpu_latency_least(i), next = gpu_latency_least(i + 1);

		assert_true(next > least);
		assert_true(least < 16 || (next - least) * 16 <= least);
		assert_int_equal(gpu_latency_cell(least), i);
		assert_int_equal(gpu_latency_cell(next - 1), i);
	}
	assert_int_equal(gpu_latency_cell(UINT64_MAX), GPU_LATENCY_CELLS - 1);
}

TEST(quantiles)
{
	static struct gpu_latency l;

	memset(&l, 0, sizeof(l));
	assert_int_equal(gpu_latency_quantile(&l, 0.5), 0);
	gpu_latency_add(&l, 1000, 980);
	gpu_latency_add(&l, 50000, 20);
	for (unsigned int permille = 1; permille <= 980; permille++) {
		const uint64_t q = gpu_latency_quantile(&l, permille / 1000.0);

		assert_true(q >= 1000 && q <= 1000 + 1000 / 16);
	}
	assert_true(gpu_latency_quantile(&l, 0.981) >= 50000);
	assert_true(gpu_latency_quantile(&l, 1) <= 50000 + 50000 / 16);
}
