/* The time left, as lines of progress have it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/timed.h"

#include "base/base.h"
#include "fixtures/unit.h"

#include <math.h>

TEST(left)
{
	static const struct {
		double seconds;
		const char *text;
	} rows[] = {
		{ NAN, "" },
		{ 0, ", about 1 s left" },
		{ 0.2, ", about 1 s left" },
		{ 1.2, ", about 2 s left" },
		{ 99.9, ", about 100 s left" },
		{ 100, ", about 2 min left" },
		{ 121, ", about 3 min left" },
		{ 99 * 60, ", about 99 min left" },
		{ 99 * 60 + 1, ", about 2 h left" },
		{ 1e15, ", about 277777777778 h left" },
		{ 1e30, ", about 2777777777777777" },
	};
	char to[TIMED_LEFT_BYTES];

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++)
		assert_memory_equal(timed_left(rows[i].seconds, to), rows[i].text,
			strlen(rows[i].text) + (rows[i].seconds < 1e20));
}
