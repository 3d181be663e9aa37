/* Arrivals of a flow: every order of packets, compared with a simple reference. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/measure/arrivals.h"

#include "base/base.h"
#include "fixtures/unit.h"

#include <stdlib.h>
#include <string.h>

struct counts {
	uint64_t unique, duplicated, reordered, too_old, farthest;
};

static struct counts
counts_of(const struct arrivals *a)
{
	return (struct counts){ counter_read(&a->unique), counter_read(&a->duplicated),
		counter_read(&a->reordered), counter_read(&a->too_old),
		counter_read(&a->farthest) };
}

/* Sequences that are easy to judge by hand; UINT32_MAX ends them. */
#define END UINT32_MAX
static const struct {
	uint32_t numbers[16];
	struct counts expected;
} cases[] = {
	{ { END }, { 0 } }, { { 0, 1, 2, 3, END }, { .unique = 4 } },
	{ { 0, 3, END }, { .unique = 2 } }, /* loss */
	{ { 5, 6, END }, { .unique = 2 } }, /* loss at the begin */
	{ { 0, 1, 1, 2, END }, { .unique = 3, .duplicated = 1 } },
	{ { 0, 2, 1, 3, END }, { .unique = 4, .reordered = 1, .farthest = 1 } },
	{ { 3, 0, 1, 2, END }, { .unique = 4, .reordered = 3, .farthest = 3 } },
	{ { 0, 2, 1, 1, END }, { .unique = 3, .reordered = 1, .duplicated = 1, .farthest = 1 } },
	{ { 600, 0, END }, { .unique = 1, .too_old = 1 } },
	{ { 511, 0, END }, { .unique = 2, .reordered = 1, .farthest = 511 } },
	{ { 512, 0, END }, { .unique = 1, .too_old = 1 } },
	{ { 0, 512, 1, 0, END }, { .unique = 3, .reordered = 1, .too_old = 1, .farthest = 511 } },
	{ { 0, UINT32_MAX - 1, END }, { .unique = 1, .too_old = 1 } }, /* before the first */
};

TEST(by_hand)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arrivals a = { 0 };
		struct counts have;

		for (unsigned int k = 0; cases[i].numbers[k] != END; k++)
			arrivals_add(&a, cases[i].numbers[k]);
		have = counts_of(&a);
		assert_memory_equal(&have, &cases[i].expected, sizeof(have));
	}
}

/* Random order, loss and duplicates, over the end of 32 bits, against an array of all numbers. */
TEST(at_random)
{
	enum { N = 200000 };
	uint8_t *came = calloc(N + 1024, 1);
	struct arrivals a = { .next = UINT32_MAX - N / 2 };
	const uint64_t first = a.next;
	struct counts expected = { 0 }, have;
	uint64_t highest = 0;

	for (unsigned int i = 0; i < N; i++) {
		const uint64_t n = i + (unsigned int)rand() % (rand() % 50 == 0 ? 1000 : 20);
		const uint64_t age = highest > n ? highest - n : 0;

		arrivals_add(&a, (uint32_t)(first + n));
		if (highest > 0 && n <= highest) {
			if (age >= ARRIVALS_WINDOW)
				expected.too_old++;
			else if (came[n])
				expected.duplicated++;
			else {
				expected.unique++;
				expected.reordered++;
				expected.farthest = age > expected.farthest ? age
									    : expected.farthest;
			}
			came[n] |= age < ARRIVALS_WINDOW;
			continue;
		}
		expected.unique++;
		came[n] = 1;
		highest = n;
	}
	have = counts_of(&a);
	assert_memory_equal(&have, &expected, sizeof(have));
	assert_true(expected.too_old > 0 && expected.duplicated > 0 && expected.reordered > 0);
	free(came);
}

/*
 * RFC 3550, appendix A.8, in integers with 4 bits of fraction: jitter += d - ((jitter + 8) >> 4). The
 * numbers are computed by hand; a jitter that is rounded down or up differs from the third one on.
 */
TEST(times)
{
	static const struct {
		uint64_t transit, jitter;
	} steps[] = { { 1000, 0 }, { 1008, 8 }, { 1008, 7 }, { 1172, 171 }, { 1000, 332 },
		{ 5000, 4311 }, { 1000, 8042 } };
	struct arrivals a = { 0 };

	for (unsigned int i = 0; i < ARRAY_SIZE(steps); i++) {
		arrivals_time(&a, steps[i].transit);
		assert_int_equal(counter_read(&a.jitter), steps[i].jitter);
	}
	assert_int_equal(counter_read(&a.min_ns), 1000);
	assert_int_equal(counter_read(&a.max_ns), 5000);
	assert_int_equal(counter_read(&a.sum_ns), 11188);
	assert_int_equal(counter_read(&a.timed), 7);
}
