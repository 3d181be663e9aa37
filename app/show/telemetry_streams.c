/* Telemetry of streams: counters, burst histograms, cycles, all since the start of the run:
 * clearing statistics does not affect them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "engines/engine.h"
#include "run/account/run_count.h"
#include "show/telemetry_priv.h"

#include <rte_cycles.h>
#include <rte_mempool.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZES_MAX 256 /* burst sizes per direction in one answer, 25 bytes each */

int
telemetry_number(const char **text, uint64_t fallback, uint64_t *number)
{
	char *end;

	*number = fallback;
	if (*text == NULL || **text == '\0')
		return 0;
	if (**text < '0' || **text > '9')
		return -EINVAL;
	errno = 0;
	*number = strtoull(*text, &end, 10);
	if (errno != 0 || (*end != '\0' && *end != ','))
		return -EINVAL;
	*text = end + (*end == ',');
	return 0;
}

int
telemetry_cycles(const struct run *r, unsigned int lcore, uint64_t *total, uint64_t *busy)
{
	bool known = false;

	*busy = 0;
	for (unsigned int i = 0; r->streams != NULL && i < r->plan.n_streams; i++) {
		const struct stream *s = r->streams[i];

		if (s->lcore != lcore || !stream_timed(s))
			continue;
		*busy += counter_read(&s->count.busy_cycles) - r->timed_base[i].busy_cycles;
		known = true;
	}
	if (!known || r->begin_tsc == 0)
		return -ENOENT;
	*total = (r->running ? rte_rdtsc() : r->end_tsc) - RTE_MAX(r->begin_tsc, r->timed_tsc);
	return 0;
}

static void
route_put(struct telemetry_reply *reply, const struct stream *s, const struct run_count *count)
{
	struct stream_count c = count->count;
	struct telemetry_sink to;

	telemetry_sink_begin(&to, reply);
	run_count_identity(s, &to.sink);
	run_count_lacks(s, &c);
	stat_put(&to.sink, &stream_stats, &c);
}

static void
head_put(struct telemetry_reply *reply, const struct run *r)
{
	telemetry_reply_u64(reply, "running", run_busy(r));
	telemetry_reply_u64(reply, "runs", r->n_runs);
	telemetry_reply_str(reply, "engine",
		(r->streams != NULL ? r->engine_run : r->engine)->name);
	telemetry_reply_u64(reply, "tsc_hz", (uint64_t)r->tsc_hz);
}

/* Number of streams. The caller holds the run's lock. */
static unsigned int
streams_n(const struct run *r)
{
	return r->streams != NULL ? r->plan.n_streams : 0;
}

/* Add streams, starting with first, as many as fit. The caller holds the run's lock. */
static void
page_put(struct telemetry_reply *reply, const struct run *r, unsigned int first,
	struct run_count *count)
{
	struct telemetry_reply list, one;
	unsigned int i;
	char name[12];

	telemetry_reply_rest(reply, &list);
	for (i = first; i < streams_n(r); i++) {
		run_count_read(r->streams[i], count);
		telemetry_reply_nest(&one);
		route_put(&one, r->streams[i], count);
		snprintf(name, sizeof(name), "%u", i);
		if (!telemetry_reply_put(&list, name, &one))
			break;
	}
	telemetry_reply_put(reply, "streams", &list);
	if (i < streams_n(r))
		telemetry_reply_u64(reply, "next", i);
}

int
telemetry_streams_all(struct app *app, const char *params, struct telemetry_reply *reply)
{
	struct run_count *count = malloc(sizeof(*count));
	struct run *r = &app->run;
	uint64_t first;
	int ret = telemetry_number(&params, 0, &first);

	if (count == NULL)
		return -ENOMEM;
	pthread_mutex_lock(&r->lock);
	if (first > streams_n(r))
		ret = -ENOENT;
	if (ret == 0) {
		head_put(reply, r);
		telemetry_reply_u64(reply, "n_streams", streams_n(r));
		page_put(reply, r, (unsigned int)first, count);
	}
	pthread_mutex_unlock(&r->lock);
	free(count);
	return ret;
}

/*
 * Take the run's lock and read the counters of the stream whose number params begins with, stored
 * in *n. Returns NULL, without the lock, if there is no such stream or memory is short.
 */
static struct run_count *
count_begin(struct run *r, const char **params, unsigned int *n)
{
	struct run_count *count;
	uint64_t number;

	if (telemetry_number(params, UINT64_MAX, &number) != 0)
		return NULL;
	count = malloc(sizeof(*count));
	if (count == NULL)
		return NULL;
	pthread_mutex_lock(&r->lock);
	if (number < streams_n(r)) {
		*n = (unsigned int)number;
		run_count_read(r->streams[*n], count);
		return count;
	}
	pthread_mutex_unlock(&r->lock);
	free(count);
	return NULL;
}

static void
count_end(struct run *r, struct run_count *count)
{
	pthread_mutex_unlock(&r->lock);
	free(count);
}

int
telemetry_streams_one(struct app *app, const char *params, struct telemetry_reply *reply)
{
	struct run *r = &app->run;
	unsigned int n;
	struct run_count *count = count_begin(r, &params, &n);
	struct telemetry_sink to;
	struct stat_table own;
	const struct stream *s;

	if (count == NULL)
		return -ENOENT;
	s = r->streams[n];
	own = engine_counters(s->engine);
	head_put(reply, r);
	telemetry_reply_u64(reply, "stream", n);
	route_put(reply, s, count);
	telemetry_reply_u64(reply, "burst", s->burst);
	if (s->rx_pool != NULL) {
		telemetry_reply_str(reply, "pool", s->rx_pool->name);
		telemetry_reply_u64(reply, "pool_size", s->rx_pool->size);
		telemetry_reply_u64(reply, "pool_available", rte_mempool_avail_count(s->rx_pool));
	}
	telemetry_sink_begin(&to, reply);
	to.sink.open(&to, "counters", false);
	stat_put(&to.sink, &own, count->count.named);
	to.sink.close(&to);
	for (size_t i = 0; i < run_count_bursts.n && run_count_has_bursts(s, count); i++) {
		const struct stat_row *row = &run_count_bursts.row[i];
		const struct stat_cells h = stat_cells(&run_count_bursts, i, count);

		to.sink.open(&to, row->name, false);
		stat_put_totals(&to.sink, stat_unit(row), &h);
		to.sink.close(&to);
	}
	count_end(r, count);
	return 0;
}

/* Add one direction: its totals, and the burst sizes [first, last). */
static void
way_put(struct telemetry_reply *reply, const struct run_count *c, size_t way, unsigned int first,
	unsigned int last)
{
	const struct stat_row *row = &run_count_bursts.row[way];
	const struct stat_cells whole = stat_cells(&run_count_bursts, way, c);
	const struct stat_cells page = { .cell = whole.cell, .n = last, .first = first };
	struct telemetry_sink to;

	telemetry_sink_begin(&to, reply);
	to.sink.open(&to, row->name, false);
	stat_put_totals(&to.sink, stat_unit(row), &whole);
	stat_put_cells(&to.sink, &page);
	to.sink.close(&to);
}

/*
 * The end of a page that begins with size first: after SIZES_MAX sizes that occurred in either
 * direction.
 */
static unsigned int
page_end(const struct run_count *c, unsigned int first)
{
	unsigned int n, rx = 0, tx = 0;

	for (n = first; n < HIST_CELLS; n++) {
		rx += c->rx_bursts.cell[n] > 0;
		tx += c->tx_bursts.cell[n] > 0;
		if (rx > SIZES_MAX || tx > SIZES_MAX)
			break;
	}
	return n;
}

/* Read the direction from params; NULL, if there is none, means both. -EINVAL for another word. */
static int
way_parse(const char **params, const char **way)
{
	static const char *const ways[] = { "rx", "tx" };

	*way = NULL;
	if (*params == NULL || **params == '\0')
		return 0;
	if (**params == ',') {
		(*params)++;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		size_t n = strlen(ways[i]);

		if (strncmp(*params, ways[i], n) != 0 ||
			((*params)[n] != '\0' && (*params)[n] != ','))
			continue;
		*way = ways[i];
		*params += n + ((*params)[n] == ',');
		return 0;
	}
	return -EINVAL;
}

int
telemetry_streams_bursts(struct app *app, const char *params, struct telemetry_reply *reply)
{
	struct run *r = &app->run;
	unsigned int n, last;
	struct run_count *count = count_begin(r, &params, &n);
	uint64_t first = 0;
	const char *way;
	int ret;

	if (count == NULL)
		return -ENOENT;
	ret = way_parse(&params, &way);
	if (ret == 0)
		ret = telemetry_number(&params, 0, &first);
	if (ret == 0 && first >= HIST_CELLS)
		ret = -EINVAL;
	if (ret == 0) {
		head_put(reply, r);
		telemetry_reply_u64(reply, "stream", n);
		telemetry_reply_u64(reply, "recording",
			stream_records(r->streams[n], STREAM_RECORD_BURSTS));
		last = page_end(count, (unsigned int)first);
		for (size_t i = 0; i < run_count_bursts.n; i++)
			if (way == NULL ||
				strncmp(run_count_bursts.row[i].name, way, strlen(way)) == 0)
				way_put(reply, count, i, (unsigned int)first, last);
		if (last < HIST_CELLS)
			telemetry_reply_u64(reply, "next", last);
	}
	count_end(r, count);
	return ret;
}
