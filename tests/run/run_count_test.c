/* Counters since a clear: what was counted before is taken off, of every counter there is. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/account/run_count.h"

#include "fixtures/unit.h"

#include <stdlib.h>
#include <string.h>

enum { BEFORE = 5, SINCE = 7 };

/* Both structs hold nothing but 64-bit counters. */
static void
words_fill(void *to, size_t bytes, uint64_t value)
{
	for (size_t at = 0; at < bytes; at += sizeof(value))
		memcpy((char *)to + at, &value, sizeof(value));
}

static void
words_expect(const void *from, size_t bytes, uint64_t value)
{
	for (size_t at = 0; at < bytes; at += sizeof(value)) {
		uint64_t word;

		memcpy(&word, (const char *)from + at, sizeof(word));
		assert_int_equal(word, value);
	}
}

TEST(every_counter)
{
	struct run_count *now = calloc(1, sizeof(*now)), *before = calloc(1, sizeof(*before));

	assert_non_null(now);
	assert_non_null(before);
	words_fill(&now->count, sizeof(now->count), BEFORE + SINCE);
	words_fill(&now->rx_bursts, sizeof(now->rx_bursts), BEFORE + SINCE);
	words_fill(&now->tx_bursts, sizeof(now->tx_bursts), BEFORE + SINCE);
	words_fill(&before->count, sizeof(before->count), BEFORE);
	words_fill(&before->rx_bursts, sizeof(before->rx_bursts), BEFORE);
	words_fill(&before->tx_bursts, sizeof(before->tx_bursts), BEFORE);
	run_count_subtract(now, before);
	words_expect(&now->count, sizeof(now->count), SINCE);
	words_expect(&now->rx_bursts, sizeof(now->rx_bursts), SINCE);
	words_expect(&now->tx_bursts, sizeof(now->tx_bursts), SINCE);
	free(before);
	free(now);
}
