/* Differences of samples: counters that wrap, ports that were cleared, histograms cell by cell,
 * lines of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/record_sample.h"

#include "base/base.h"
#include "engines/engine.h"
#include "fixtures/unit.h"
#include "record/record_priv.h"
#include "run/account/run_count.h"
#include "run/account/run_schema.h"

#include <stdlib.h>
#include <string.h>

struct fixture {
	struct run run;
	struct stream stream, *streams[1];
	struct record_sample *before, *now, *diff;
};

/* Statistics that nothing but this table knows: members 0 and 2 of each stream. */
struct own {
	uint64_t pushed, depth;
};

static const struct stat_row own_rows[] = {
	{ .name = "pushed", .help = "pushed", .at = offsetof(struct own, pushed) },
	{ .name = "depth",
		.help = "deep",
		.unit = "feet",
		.kind = STAT_GAUGE,
		.at = offsetof(struct own, depth) },
};
static const struct stat_table own_stats = { "own", own_rows, ARRAY_SIZE(own_rows), false };

static struct own own[3]; /* what members have now */

static unsigned int
own_members(const struct stream *s)
{
	return ARRAY_SIZE(own);
}

static bool
own_read(const struct stream *s, unsigned int i, bool running, void *to)
{
	memcpy(to, &own[i], sizeof(own[i]));
	return i != 1;
}

static void
own_words(const struct stream *s, unsigned int i, const struct stat_sink *sink)
{
	sink->number(sink->to, "place", i);
	sink->text(sink->to, "colour", "red");
}

static const struct engine_group groups[] = {
	{ .stats = &own_stats,
		.size = sizeof(struct own),
		.members = own_members,
		.read = own_read,
		.words = own_words },
	{ .stats = &own_stats,
		.size = sizeof(struct own),
		.per_run = true,
		.fixed = true,
		.read = own_read },
};

static const struct engine engine = {
	.name = "test",
	.counters = (const struct stat_row[]){ { "odd", NULL, "" } },
	.n_counters = 1,
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
};

static int
fixture_open(void **state)
{
	struct fixture *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return -1;
	b->streams[0] = &b->stream;
	b->stream.engine = &engine;
	b->run.streams = b->streams;
	b->run.plan.n_streams = 1;
	b->run.choice.use_ports = 1;
	b->run.choice.ports[0] = 3;
	b->before = record_sample_new(&b->run);
	b->now = record_sample_new(&b->run);
	b->diff = record_sample_new(&b->run);
	*state = b;
	return b->before != NULL && b->now != NULL && b->diff != NULL ? 0 : -1;
}

static int
fixture_close(void **state)
{
	struct fixture *b = *state;

	record_sample_free(b->before);
	record_sample_free(b->now);
	record_sample_free(b->diff);
	free(b);
	return 0;
}

TEST(wraps)
{
	struct fixture *b = *state;
	struct record_stream *before = b->before->stream, *now = b->now->stream;

	before->stats.count.rx = UINT64_MAX - 4;
	now->stats.count.rx = 5;
	before->stats.count.named[0] = UINT64_MAX;
	now->stats.count.named[0] = 0;
	before->stats.rx_bursts.cell[32] = UINT64_MAX - 1;
	now->stats.rx_bursts.cell[32] = 1;
	before->stats.tx_bursts.cell[BURST_MAX] = 10;
	now->stats.tx_bursts.cell[BURST_MAX] = 12;
	before->log.cycles = UINT64_MAX;
	now->log.cycles = 99;
	before->log.cell[STREAM_LOG_CELLS - 1] = UINT64_MAX;
	now->log.cell[STREAM_LOG_CELLS - 1] = 1;
	record_sample_diff(b->diff, b->now, b->before);
	assert_int_equal(b->diff->stream->stats.count.rx, 10);
	assert_int_equal(b->diff->stream->stats.count.named[0], 1);
	assert_int_equal(b->diff->stream->stats.rx_bursts.cell[32], 3);
	assert_int_equal(b->diff->stream->stats.tx_bursts.cell[BURST_MAX], 2);
	assert_int_equal(b->diff->stream->log.cycles, 100);
	assert_int_equal(b->diff->stream->log.cell[STREAM_LOG_CELLS - 1], 2);
	/* What it was made of stays. */
	assert_int_equal(b->now->stream->stats.count.rx, 5);
}

TEST(cleared)
{
	struct fixture *b = *state;

	b->before->port[0].known = b->now->port[0].known = true;
	b->before->port[0].stats.ipackets = 1000;
	b->now->port[0].stats.ipackets = 7;
	b->before->port[0].stats.opackets = 10;
	b->now->port[0].stats.opackets = 15;
	record_sample_diff(b->diff, b->now, b->before);
	assert_int_equal(b->diff->port[0].stats.ipackets, 7);
	assert_int_equal(b->diff->port[0].stats.opackets, 5);
	assert_int_equal(b->diff->port[0].id, 3);
}

/* Text between two strings of a line. */
static void
line_has(const struct record_line *line, const char *part)
{
	char *text = strndup(line->text, line->bytes);

	assert_non_null(text);
	if (strstr(text, part) == NULL)
		fail_msg("no %s in %s", part, text);
	free(text);
}

TEST(lines)
{
	struct fixture *b = *state;
	const struct record_plan plan = { .every_ms = 1 }, none = { .n = 1, .list = { 7 } };
	const struct record_kept kept = { 3, 1 };
	const struct record_at at = { 5, 2 };
	struct record_line line;

	b->diff->stream->stats.count.rx = UINT64_MAX;
	b->diff->stream->stats.count.named[0] = 4;
	b->diff->stream->stats.rx_bursts.cell[0] = 2;
	b->diff->stream->stats.rx_bursts.cell[8] = 3;
	b->diff->stream->log.cell[stream_log_cell(1000)] = 6;
	line = record_json_line("interval", &b->run, &plan, &at, 9, b->diff, &kept);
	assert_int_equal(line.text[line.bytes - 1], '\n');
	line_has(&line, "{\"type\": \"interval\", \"run\": 2, \"mono_ns\": 5, \"dt_ns\": 9, ");
	line_has(&line, "\"rx\": 18446744073709551615, ");
	line_has(&line,
		"\"rx_bursts\": {\"bursts\": 5, \"packets\": 24, \"p50\": 8, \"p90\": 8, \"p99\": 8, "
		"\"sizes\": [0, 8], \"counts\": [2, 3]}");
	line_has(&line, "\"sizes\": [960], \"counts\": [6]}");
	line_has(&line, "\"counters\": {\"odd\": 4}");
	line_has(&line, "\"kept_polls\": 3, \"lost_polls\": 1");
	line_has(&line, "\"ports\": [{\"port\": 3}]");
	free(line.text);
	line = record_json_line("end", &b->run, &none, &at, 9, b->diff, NULL);
	line_has(&line, "\"streams\": [], ");
	free(line.text);
}

/* An engine's own table is in the lines and in the header, and nothing else was told of it. */
TEST(owns)
{
	struct fixture *b = *state;
	const struct record_plan all = { .every_ms = 1 }, others = { .n = 1, .list = { 2 } };
	static const struct engine *const engines[] = { &engine, NULL };
	struct run_schema schema;
	unsigned int tables = 0;
	struct record_line line;

	own[0] = (struct own){ UINT64_MAX, 7 };
	run_groups_read(&b->before->groups, true);
	own[0] = (struct own){ 1, STAT_NONE };
	own[2] = (struct own){ 9, 5 };
	run_groups_read(&b->now->groups, true);
	record_sample_diff(b->diff, b->now, b->before);
	line = record_json_line("interval", &b->run, &all, &(struct record_at){ 5, 2 }, 9, b->diff,
		NULL);
	line_has(&line,
		"\"groups\": {\"own\": [{\"stream\": 0, \"place\": 0, \"colour\": \"red\", "
		"\"pushed\": 2}, {\"stream\": 0, \"place\": 2, \"colour\": \"red\", "
		"\"pushed\": 9, \"depth\": 5}]}}");
	free(line.text);
	line = record_json_line("interval", &b->run, &others, &(struct record_at){ 5, 2 }, 9,
		b->diff, NULL);
	line_has(&line, "\"groups\": {\"own\": []}}");
	free(line.text);
	b->run.engines = engines;
	while (run_schema_at(&b->run, tables, &schema))
		tables++;
	assert_int_equal(tables, 9 + 3 + 2);
	assert_true(run_schema_at(&b->run, 6, &schema));
	assert_string_equal(schema.stats.name, "recycle");
	assert_string_equal(schema.engine, "any engine");
	assert_true(run_schema_at(&b->run, 8, &schema));
	assert_string_equal(schema.stats.name, "cpu");
	assert_string_equal(schema.of, "lcore");
	assert_true(run_schema_at(&b->run, 10, &schema));
	assert_string_equal(schema.stats.name, "own");
	assert_string_equal(schema.engine, "test");
	assert_string_equal(schema.of, "stream");
	assert_true(run_schema_at(&b->run, 11, &schema));
	assert_string_equal(schema.of, "run");
}

TESTS(.before = fixture_open, .after = fixture_close);
