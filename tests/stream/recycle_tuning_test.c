/* Whether contiguous blocks or the driver's refill is used, by costs on a clock that the test moves. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream/recycle_tuning.h"

#include "base/samples.h"
#include "fixtures/unit.h"

#include <stdint.h>
#include <stdlib.h>

/*
 * Blocks are used if polls with packets cost less with them. Waiting for packets is no cost: here
 * polls without packets take longest in the cheaper way.
 */
TEST(blocks_if_cheaper)
{
	enum { GHZ = 1000000000, BURST = 32, IDLE = 3000 };
	static const uint64_t cost[][2] = { { 25, 24 }, { 24, 25 }, { 24, 24 }, { 90, 30 } };

	for (size_t i = 0; i < ARRAY_SIZE(cost); i++) {
		const bool cheaper = cost[i][1] < cost[i][0];
		struct recycle_tuning *t = calloc(1, sizeof(*t));
		uint64_t now = GHZ, used[2] = { 0 };
		bool blocks = false;
		counter rx = 0;

		assert_non_null(t);
		t->rx = &rx;
		autotune_open(&t->autotune, 2, 0, GHZ);
		while (autotune_measuring(&t->autotune)) {
			assert_true(now < 20 * (uint64_t)GHZ);
			now += BURST * cost[i][blocks];
			counter_add(&rx, BURST);
			blocks = recycle_tuning_sample(t, now);
			used[blocks]++;
			now += blocks == cheaper ? IDLE : 1;
			blocks = recycle_tuning_sample(t, now);
		}
		assert_true(used[0] > 1000 && used[1] > 1000);
		assert_int_equal(blocks, cheaper);
		assert_true(samples_median(&t->autotune.samples, 0) == (double)cost[i][0]);
		assert_true(samples_median(&t->autotune.samples, 1) == (double)cost[i][1]);
		free(t);
	}
}
