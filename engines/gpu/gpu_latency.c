/* Histogram of latencies from Rx to result: bounds of cells, quantiles. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/gpu/gpu_latency.h"

uint64_t
gpu_latency_least(unsigned int cell)
{
	return cell < 16 ? cell : (UINT64_C(16) + cell % 16) << (cell / 16 - 1);
}

uint64_t
gpu_latency_quantile(const struct gpu_latency *l, unsigned int permille)
{
	uint64_t all = 0, sum = 0, want;

	for (unsigned int i = 0; i < GPU_LATENCY_CELLS; i++)
		all += counter_read(&l->cell[i]);
	want = (all * permille + 999) / 1000;
	for (unsigned int i = 0; i < GPU_LATENCY_CELLS && all > 0; i++) {
		sum += counter_read(&l->cell[i]);
		if (sum >= want && sum > 0)
			return gpu_latency_least(i + 1) - 1;
	}
	return 0;
}
