/* Differences of samples: counters that wrap, ports that were cleared, histograms cell by cell,
 * lines of them. */
#include "record/record_sample.h"

#include "base/base.h"
#include "engines/engine.h"
#include "record/record_head.h"
#include "record/record_json.h"
#include "record/record_pipeline.h"
#include "record/record_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct fixture {
	struct run run;
	struct stream stream, *streams[1];
	struct record_sample *before, *now, *diff;
};

static const struct engine engine = {
	.name = "test",
	.counters = (const struct engine_counter[]){ { "odd", NULL, "" } },
	.n_counters = 1,
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
	b->run.plan.n_routes = 1;
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

static void
wraps(void **state)
{
	struct fixture *b = *state;
	struct record_stream *before = b->before->stream, *now = b->now->stream;

	before->count.rx = UINT64_MAX - 4;
	now->count.rx = 5;
	before->count.named[0] = UINT64_MAX;
	now->count.named[0] = 0;
	before->count.rx_bursts.cell[32] = UINT64_MAX - 1;
	now->count.rx_bursts.cell[32] = 1;
	before->count.tx_bursts.cell[BURST_MAX] = 10;
	now->count.tx_bursts.cell[BURST_MAX] = 12;
	before->log.cycles = UINT64_MAX;
	now->log.cycles = 99;
	before->log.span[STREAM_LOG_SPANS - 1] = UINT64_MAX;
	now->log.span[STREAM_LOG_SPANS - 1] = 1;
	before->recycle.moved = UINT64_MAX;
	now->recycle.moved = 1;
	record_sample_diff(b->diff, b->now, b->before);
	assert_int_equal(b->diff->stream->count.rx, 10);
	assert_int_equal(b->diff->stream->count.named[0], 1);
	assert_int_equal(b->diff->stream->count.rx_bursts.cell[32], 3);
	assert_int_equal(b->diff->stream->count.tx_bursts.cell[BURST_MAX], 2);
	assert_int_equal(b->diff->stream->log.cycles, 100);
	assert_int_equal(b->diff->stream->log.span[STREAM_LOG_SPANS - 1], 2);
	assert_int_equal(b->diff->stream->recycle.moved, 2);
	/* What it was made of stays. */
	assert_int_equal(b->now->stream->count.rx, 5);
}

static void
cleared(void **state)
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

static void
lines(void **state)
{
	struct fixture *b = *state;
	const struct record_plan plan = { .every_ms = 1 }, none = { .n = 1, .list = { 7 } };
	const struct record_kept kept = { 3, 1 };
	const struct record_at at = { 5, 2 };
	struct record_line line;

	b->diff->stream->count.rx = UINT64_MAX;
	b->diff->stream->count.named[0] = 4;
	b->diff->stream->count.rx_bursts.cell[0] = 2;
	b->diff->stream->count.rx_bursts.cell[8] = 3;
	b->diff->stream->log.span[stream_log_cell(1000)] = 6;
	line = record_json_line("interval", &b->run, &plan, &at, 9, b->diff, &kept);
	assert_int_equal(line.text[line.bytes - 1], '\n');
	line_has(&line, "{\"type\": \"interval\", \"run\": 2, \"mono_ns\": 5, \"dt_ns\": 9, ");
	line_has(&line, "\"rx\": 18446744073709551615, ");
	line_has(&line,
		"\"rx_bursts\": {\"bursts\": 5, \"packets\": 24, \"p50\": 8, \"p90\": 8, \"p99\": 8, "
		"\"histogram\": [[0, 2], [8, 3]]}");
	line_has(&line, "\"histogram\": [[960, 6]]}");
	line_has(&line, "\"counters\": {\"odd\": 4}");
	line_has(&line, "\"kept_turns\": 3, \"lost_turns\": 1");
	line_has(&line, "\"ports\": [{\"port\": 3}]");
	free(line.text);
	line = record_json_line("end", &b->run, &none, &at, 9, b->diff, NULL);
	line_has(&line, "\"streams\": [], ");
	free(line.text);
}

/*
 * One I/O lcore, one worker, one ring: counters wrap, levels and modes are those of the later
 * moment.
 */
static void
pipelines(void **state)
{
	struct record_pipeline_io io[2] = {
		{ .mode_in = RING_ZC, .mode_back = RING_COPY, .count = { [3] = 5 } },
		{ .mode_in = RING_COPY, .mode_back = RING_COPY, .count = { [3] = UINT64_MAX } }
	};
	struct record_pipeline_worker worker[2] = { { .lcore = 2, .count = { 100 } },
		{ .lcore = 2, .count = { 99 } } };
	struct record_pipeline_ring ring[2] = {
		{ .level = 7,
			.place = { .stream = 3, .in = true },
			.count = { .put = { 1 }, .taken = { [5] = 9 }, .fill = { [8] = 4 } } },
		{ .level = 5,
			.count = { .put = { UINT64_MAX },
				.taken = { [5] = 9 },
				.fill = { [8] = 1 } } }
	};
	struct record_pipeline now = { .n_io = 1,
		.n_workers = 1,
		.n_rings = 1,
		.io = &io[0],
		.workers = &worker[0],
		.rings = &ring[0] },
			       before = { .n_io = 1,
				       .n_workers = 1,
				       .n_rings = 1,
				       .io = &io[1],
				       .workers = &worker[1],
				       .rings = &ring[1] };
	const struct record_plan all = { .every_ms = 1 }, others = { .n = 1, .list = { 2 } };
	struct json_part p;
	struct record_line line;

	record_pipeline_subtract(&now, &before);
	record_pipeline_json(record_line_open(&p, "interval", NULL), &now, &all);
	line = record_line_close(&p);
	line_has(&line,
		"\"io\": [{\"lcore\": 0, \"mode_in\": \"zc\", \"mode_back\": \"copy\", "
		"\"timed_rx\": 0, \"rx_cycles\": 0, \"timed_tx\": 0, \"tx_cycles\": 6}]");
	line_has(&line, "\"workers\": [{\"worker\": 0, \"lcore\": 2, \"packets\": 1, ");
	line_has(&line,
		"\"rings\": [{\"direction\": \"in\", \"stream\": 3, \"worker\": 0, "
		"\"shared\": false, \"put\": {\"packets\": 2, ");
	line_has(&line, "\"empty\": 0}, \"level\": 7, \"fill\": [0, 0, 0, 0, 0, 0, 0, 0, 3]}]");
	free(line.text);
	now.remote = true;
	ring[0].place.shared = true;
	record_pipeline_json(record_line_open(&p, "interval", NULL), &now, &others);
	line = record_line_close(&p);
	line_has(&line, "{\"worker\": 0, \"pid\": 0, \"packets\"");
	line_has(&line, "\"rings\": []");
	free(line.text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(wraps, fixture_open, fixture_close),
		cmocka_unit_test_setup_teardown(cleared, fixture_open, fixture_close),
		cmocka_unit_test_setup_teardown(lines, fixture_open, fixture_close),
		cmocka_unit_test(pipelines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
