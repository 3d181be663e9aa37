/* A table of the test's own: read, subtracted, added up and told by its rows alone. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/stat.h"

#include "base/base.h"
#include "base/out_json.h"
#include "fixtures/unit.h"

#include <stdlib.h>
#include <string.h>

struct live {
	counter seen, lost;
	counter sizes[4];
	counter level;
};

struct copy {
	uint64_t seen, lost, sizes[4], level;
};

static const struct stat_row rows[] = {
	/* Not in the order of the struct: the place counts. */
	{ .name = "level", .help = "now", .kind = STAT_GAUGE, .at = offsetof(struct copy, level) },
	{ .name = "seen", .help = "looked at", .at = offsetof(struct copy, seen) },
	{ .name = "lost",
		.help = "not looked at",
		.unit = "bytes",
		.at = offsetof(struct copy, lost) },
	{ .name = "sizes",
		.help = "of bursts",
		.kind = STAT_HISTOGRAM,
		.at = offsetof(struct copy, sizes),
		.cells = 4 },
};
static const struct stat_table table = { "test", rows, ARRAY_SIZE(rows), false };

static void
told(const char *expected, void (*tell)(const struct stat_sink *, const void *), const void *of)
{
	struct stat_sink sink;
	struct json_part p;

	out_json_part_open(&p, false);
	assert_non_null(p.file);
	sink = stat_sink_json(&p.json);
	tell(&sink, of);
	out_json_part_close(&p);
	assert_string_equal(p.text, expected);
	out_json_part_free(&p);
}

static void
put(const struct stat_sink *sink, const void *of)
{
	stat_put(sink, &table, of);
}

static void
put_rows(const struct stat_sink *sink, const void *of)
{
	stat_put_rows(sink, &table);
}

TEST(reads)
{
	struct live live = { .seen = 1, .lost = UINT64_MAX, .sizes = { 2, 3, 4, 5 }, .level = 6 };
	const struct copy expected = { 1, UINT64_MAX, { 2, 3, 4, 5 }, 6 };
	struct copy copy;

	stat_read(&copy, &live, sizeof(copy));
	assert_memory_equal(&copy, &expected, sizeof(expected));
	assert_int_equal(stat_value(&table, 0, &copy), 6);
	assert_int_equal(stat_value(&table, 3, &copy), 2);
}

TEST(subtracts)
{
	struct copy now = { 1, 20, { 1, 0, 0, 9 }, 5 };
	const struct copy base = { UINT64_MAX, 30, { 0, 0, 0, 8 }, 7 },
			  expected = { 2, (uint64_t)-10, { 1, 0, 0, 1 }, 5 },
			  cleared = { 1, 20, { 1, 0, 0, 1 }, 5 };
	struct copy other = now;

	stat_subtract(&table, &now, &base);
	assert_memory_equal(&now, &expected, sizeof(expected));
	stat_since(&table, &other, &base);
	assert_memory_equal(&other, &cleared, sizeof(cleared));
}

/* A counter that lacks stays so, and one that lacked before counts from zero. */
TEST(lacks)
{
	static const struct stat_row words[] = { { .name = "a", .optional = true },
		{ .name = "b", .optional = true } };
	const struct stat_table t = { "words", words, 2, true };
	const uint64_t base[] = { STAT_NONE, 7 };
	uint64_t now[] = { 5, STAT_NONE };

	stat_subtract(&t, now, base);
	assert_int_equal(stat_value(&t, 0, now), 5);
	assert_true(stat_value(&t, 1, now) == STAT_NONE);
}

/* Each packet is in one part: rows within another are subtracted from it, drops from absorbed. */
TEST(parts)
{
	static const struct stat_row words[] = { { .name = "rx", .part = STAT_RECEIVED },
		{ .name = "missed", .part = STAT_MISSED }, { .name = "moved", .part = STAT_MOVED },
		{ .name = "refused", .part = STAT_REFUSED },
		{ .name = "failed", .part = STAT_DROPPED, .within = "refused" },
		{ .name = "eaten", .part = STAT_ABSORBED },
		{ .name = "no_route", .part = STAT_DROPPED },
		{ .name = "unknown", .part = STAT_DROPPED, .optional = true }, { .name = "other" },
		{ .name = "answered", .part = STAT_ANSWERED },
		{ .name = "answers_dropped", .part = STAT_UNANSWERED } };
	const struct stat_table t = { "words", words, ARRAY_SIZE(words), true };
	const uint64_t one[] = { 100, 7, 30, 9, 2, 50, 6, STAT_NONE, 1000, 20, 3 },
		       other[] = { 1, 0, 0, 0, 0, 4, 0, 4, 0, 0, 0 };
	uint64_t sum[STAT_PARTS] = { 0 };

	stat_parts_add(sum, &t, one);
	assert_int_equal(sum[STAT_RECEIVED], 100);
	assert_int_equal(sum[STAT_MISSED], 7);
	assert_int_equal(sum[STAT_MOVED], 30);
	assert_int_equal(sum[STAT_REFUSED], 7);
	assert_int_equal(sum[STAT_DROPPED], 8);
	assert_int_equal(sum[STAT_ABSORBED], 14);
	assert_int_equal(sum[STAT_ANSWERED], 17);
	stat_parts_add(sum, &t, other);
	assert_int_equal(sum[STAT_RECEIVED], 101);
	assert_int_equal(sum[STAT_DROPPED], 12);
	assert_int_equal(sum[STAT_ABSORBED], 14);
	assert_int_equal(sum[STAT_NO_PART], 0);
	assert_true(stat_part_lost(STAT_REFUSED) && stat_part_lost(STAT_DROPPED_FIRST));
	assert_false(stat_part_lost(STAT_UNSENT) || stat_part_lost(STAT_ABSORBED) ||
		stat_part_lost(STAT_UNANSWERED));
}

TEST(adds)
{
	struct copy sum = { 1, UINT64_MAX, { 1, 0, 0, 9 }, 5 };
	const struct copy more = { 2, 1, { 0, 1, 0, 1 }, 7 },
			  expected = { 3, 0, { 1, 1, 0, 10 }, 5 };

	stat_add(&table, &sum, &more);
	assert_memory_equal(&sum, &expected, sizeof(expected));
}

TEST(tells)
{
	const struct copy copy = { 3, 0, { 1, 0, 5, 2 }, 9 },
			  none = { 0, UINT64_MAX, { 0 }, STAT_NONE };

	told("\"level\": 9, \"seen\": 3, \"lost\": 0, \"sizes\": {\"bursts\": 8, \"packets\": 16, "
	     "\"p50\": 2, \"p90\": 3, \"p99\": 3, \"sizes\": [0, 2, 3], \"counts\": [1, 5, 2]}",
		put, &copy);
	told("\"seen\": 0, \"lost\": 18446744073709551615, \"sizes\": {\"bursts\": 0, \"packets\": 0, "
	     "\"sizes\": [], \"counts\": []}",
		put, &none);
	told("\"level\": {\"unit\": \"packets\", \"kind\": \"gauge\", \"help\": \"now\"}, "
	     "\"seen\": {\"unit\": \"packets\", \"kind\": \"counter\", \"help\": \"looked at\"}, "
	     "\"lost\": {\"unit\": \"bytes\", \"kind\": \"counter\", \"help\": \"not looked at\"}, "
	     "\"sizes\": {\"unit\": \"packets\", \"kind\": \"histogram\", \"help\": \"of bursts\"}",
		put_rows, NULL);
}

TEST(arrays)
{
	static const struct stat_row words[] = { { .name = "a" }, { .name = "b" } };
	const struct stat_table t = { "words", words, 2, true };
	uint64_t now[] = { 5, 6 };
	const uint64_t base[] = { 1, 7 };

	stat_subtract(&t, now, base);
	assert_int_equal(stat_value(&t, 0, now), 4);
	assert_int_equal(stat_value(&t, 1, now), UINT64_MAX);
}
