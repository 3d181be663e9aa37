/* The threshold that costs lead to: the least length from which on the engine is cheaper at all. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/dma/dma_calibrate.h"

#include "base/base.h"
#include "fixtures/unit.h"

static const uint32_t bytes[] = { 64, 256, 1024, 2048, 4096 };

TEST(min_len)
{
	static const struct {
		double cpu[5], dma[5];
		uint32_t want;
	} rows[] = {
		{ { 9, 37, 135, 282, 578 }, { 33, 33, 33, 33, 33 }, 256 },
		{ { 3, 12, 51, 98, 196 }, { 116, 113, 117, 97, 140 }, 2048 },
		{ { 9, 37, 135, 282, 578 }, { 1, 1, 1, 1, 1 }, 0 },
		{ { 9, 37, 135, 282, 578 }, { 600, 600, 600, 600, 600 }, UINT32_MAX },
		/* One length in between at which the CPU is cheaper: from behind it. */
		{ { 9, 37, 135, 282, 578 }, { 33, 33, 140, 33, 33 }, 2048 },
		{ { 9, 37, 135, 282, 578 }, { 1, 1, 1, 1, 600 }, UINT32_MAX },
		/* As much is no less. */
		{ { 9, 37, 135, 282, 578 }, { 9, 37, 135, 282, 577 }, 4096 },
	};

	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(dma_calibrate_min_len(bytes, rows[i].cpu, rows[i].dma,
					 ARRAY_SIZE(bytes)),
			rows[i].want);
}
