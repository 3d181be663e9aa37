/* The recorder: its thread, callbacks for runs and settings, and its end, on request or after a
 * write error. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/record.h"

#include "base/base.h"
#include "base/out.h"
#include "record/record_priv.h"
#include "record/record_sample.h"
#include "run/account/run_count.h"
#include "run/run.h"

#include <rte_log.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* clang-format off */
static const struct setting setting_rows[] = {
	{ .name = "record-every", .unit = "ms", .min = 1, .max = 3600000, .value = 1000,
		.when = SETTING_NOW,
		.help = "interval between lines of a recording; overridden by record start" },
	{ .name = "record-polls", .unit = "polls",
		.max = UINT32_MAX, .when = SETTING_NOW,
		.help = "record one of every N non-empty polls (1: all, 0: none); overridden by record start" },
	{ .name = "record-size", .unit = "MiB", .max = 1 << 20, .when = SETTING_NOW,
		.help = "maximum size of FILE before it is renamed to FILE.1 and a new FILE begins (0: unlimited)" },
	{ .name = "record-files", .unit = "files", .max = 9999, .value = 9, .when = SETTING_NOW,
		.help = "number of full files (FILE.1, FILE.2, ...) kept beside FILE; older ones are deleted" },
	{ .name = "record-latency", .kind = SETTING_BOOL, .when = SETTING_NOW,
		.help = "let --record and record start also write latency histograms to FILE.hlog (engine measure)" },
	{ .name = "record-overwrite", .kind = SETTING_BOOL, .when = SETTING_NOW,
		.help = "let --record and record start overwrite a file that is not empty" },
};
/* clang-format on */
const struct setting_table record_settings = SETTING_TABLE("Recordings", setting_rows);

/*
 * Stop recording after an error, which is logged once; record_stop() cleans up the rest.
 */
static void
fail(struct record *rec, const struct err *e)
{
	rec->why = *e;
	atomic_store(&rec->failed, true);
	record_state_drop(rec);
	record_file_close(&rec->file);
	record_bursts_close(&rec->bursts);
	record_times_close(&rec->times);
	rte_log(RTE_LOG_ERR, RTE_LOGTYPE_USER1, "zcfwd: recording stopped: %s\n", e->text);
}

/* Callback: a setting was changed. */
static void
set(void *ctx, const char *name)
{
	struct record *rec = ctx;
	struct record_at at;
	struct err e;

	if (!rec->on)
		return;
	err_clear(&e);
	pthread_mutex_lock(&rec->lock);
	at = record_state_at(rec);
	if (!atomic_load(&rec->failed) &&
		record_state_put(rec, record_head_set(rec->run, &at, name), &e) != 0)
		fail(rec, &e);
	pthread_mutex_unlock(&rec->lock);
}

/* Callback: true if stream i is being recorded. */
static bool
run_wants(void *context, unsigned int i)
{
	const struct record *rec = context;

	return rec->on && !atomic_load(&rec->failed) && record_plan_wants(&rec->plan, i);
}

/* Callback before a run: its streams exist, its workers do not. */
static void
run_begins(void *context)
{
	struct record *rec = context;
	struct err e;

	if (!rec->on)
		return;
	err_clear(&e);
	pthread_mutex_lock(&rec->lock);
	if (!atomic_load(&rec->failed) && record_state_begin(rec, false, &e) != 0)
		fail(rec, &e);
	pthread_mutex_unlock(&rec->lock);
}

/* Callback after a run: its workers have ended, its streams still exist. */
static void
run_ends(void *context)
{
	struct record *rec = context;
	struct err e;

	if (!rec->on)
		return;
	err_clear(&e);
	pthread_mutex_lock(&rec->lock);
	if (rec->now.on && record_state_end(rec, &e) != 0)
		fail(rec, &e);
	pthread_mutex_unlock(&rec->lock);
}

struct record *
record_new(struct run *r, const char *version, struct err *e)
{
	struct record *rec = calloc(1, sizeof(*rec));
	pthread_condattr_t attr;

	if (rec == NULL) {
		err_set(e, ENOMEM, "no memory for recordings");
		return NULL;
	}
	rec->run = r;
	rec->version = version;
	pthread_mutex_init(&rec->lock, NULL);
	/* A step of the wall clock must not change an interval. */
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&rec->wake, &attr);
	pthread_condattr_destroy(&attr);
	rec->file.fd = -1;
	r->observer = (struct run_observer){ run_begins, run_ends, run_wants, set, rec };
	return rec;
}

void
record_free(struct record *rec)
{
	if (rec == NULL)
		return;
	record_stop(rec, NULL);
	rec->run->observer = (struct run_observer){ 0 };
	pthread_cond_destroy(&rec->wake);
	pthread_mutex_destroy(&rec->lock);
	free(rec);
}

struct record_plan
record_plan_default(const struct settings *settings)
{
	return (struct record_plan){ .every_ms =
					     (unsigned int)setting_u64(settings, "record-every"),
		.bursts = (unsigned int)setting_u64(settings, "record-polls"),
		.overwrite = setting_on(settings, "record-overwrite"),
		.times = setting_on(settings, "record-latency") };
}

static void *
recorder(void *arg)
{
	struct record *rec = arg;
	struct err e;

	err_clear(&e);
	pthread_mutex_lock(&rec->lock);
	while (!rec->stop) {
		struct timespec until;
		uint64_t wake_ns;

		if (!rec->now.on) {
			pthread_cond_wait(&rec->wake, &rec->lock);
			continue;
		}
		if (record_state_step(rec, &wake_ns, &e) != 0) {
			fail(rec, &e);
			continue;
		}
		until = (struct timespec){ (time_t)(wake_ns / 1000000000u),
			(long)(wake_ns % 1000000000u) };
		pthread_cond_timedwait(&rec->wake, &rec->lock, &until);
	}
	pthread_mutex_unlock(&rec->lock);
	return NULL;
}

/* Create the files with their headers; on failure none remains open. */
static int
files_open(struct record *rec, const char *path, struct err *e)
{
	const struct settings *s = rec->run->settings;
	uint64_t limit = setting_u64(s, "record-size") << 20;
	unsigned int older = (unsigned int)setting_u64(s, "record-files");
	struct record_line line;
	struct timespec wall;
	char id[48];
	int ret;

	clock_gettime(CLOCK_REALTIME, &wall);
	snprintf(id, sizeof(id), "%lld.%09ld-%ld", (long long)wall.tv_sec, wall.tv_nsec,
		(long)getpid());
	line = record_head_line(rec->run, &rec->plan, rec->version, id);
	if (line.text == NULL)
		return err_set(e, ENOMEM, "%s: no memory for its header", path);
	/* Check before the first file is created: either all are created or none. */
	if ((rec->plan.bursts > 0 && record_bursts_check(path, rec->plan.overwrite, e) != 0) ||
		(rec->plan.times && record_times_check(path, rec->plan.overwrite, e) != 0)) {
		free(line.text);
		return -e->code;
	}
	ret = record_file_open(&rec->file, path, rec->plan.overwrite ? PLAIN_FILE_OVERWRITE : 0,
		limit, older, e);
	if (ret == 0 && rec->plan.bursts > 0 && !rec->file.regular)
		ret = err_set(e, EINVAL, "%s is not a regular file; recording polls requires one",
			path);
	if (ret == 0 && rec->plan.times && !rec->file.regular)
		ret = err_set(e, EINVAL, "%s is not a regular file; recording latency requires one",
			path);
	if (ret == 0)
		ret = record_file_head(&rec->file, RECORD_FILE_HEADER, line.text, line.bytes, e);
	if (ret == 0 && rec->plan.bursts > 0)
		ret = record_bursts_open(&rec->bursts, path, rec->plan.overwrite, limit, older,
			&line, e);
	if (ret == 0 && rec->plan.times)
		ret = record_times_open(&rec->times, path, rec->plan.overwrite, limit, older,
			rec->version, id, e);
	if (ret != 0) {
		record_file_close(&rec->file);
		record_bursts_close(&rec->bursts);
	}
	free(line.text);
	return ret;
}

static int
check(const struct record *rec, const struct record_plan *plan, struct err *e)
{
	const struct run *r = rec->run;

	if (rec->on && !atomic_load(&rec->failed))
		return err_set(e, EALREADY, "already recording to %s", rec->file.path);
	for (unsigned int i = 0; r->running && i < plan->n; i++)
		if (plan->list[i] >= r->plan.n_streams)
			return err_set(e, ERANGE,
				"stream %u: expected 0..%u, the streams of this run", plan->list[i],
				r->plan.n_streams - 1);
	return 0;
}

/* End the thread; the files remain. */
static void
thread_end(struct record *rec)
{
	pthread_mutex_lock(&rec->lock);
	rec->stop = true;
	pthread_cond_signal(&rec->wake);
	pthread_mutex_unlock(&rec->lock);
	pthread_join(rec->thread, NULL);
	rec->on = false;
	record_state_drop(rec);
	record_file_close(&rec->file);
	record_bursts_close(&rec->bursts);
	record_times_close(&rec->times);
	run_count_record(rec->run);
}

int
record_start(struct record *rec, const char *path, const struct record_plan *plan, struct err *e)
{
	int ret = check(rec, plan, e);

	if (ret != 0)
		return ret;
	if (rec->on)
		thread_end(rec); /* after a failure */
	rec->plan = *plan;
	rec->now = (struct record_run){ 0 };
	rec->lines = rec->intervals = rec->skipped = rec->kept = rec->lost = 0;
	rec->stop = false;
	atomic_store(&rec->failed, false);
	ret = files_open(rec, path, e);
	if (ret != 0)
		return ret;
	rec->lines = 1;
	ret = pthread_create(&rec->thread, NULL, recorder, rec);
	if (ret != 0) {
		record_file_close(&rec->file);
		record_bursts_close(&rec->bursts);
		record_times_close(&rec->times);
		return err_set(e, ret, "cannot start the recording's thread: %s", strerror(ret));
	}
	rec->on = true;
	rec->number++;
	if (!rec->run->running)
		return 0;
	pthread_mutex_lock(&rec->lock);
	ret = record_state_begin(rec, true, e);
	pthread_mutex_unlock(&rec->lock);
	if (ret != 0)
		thread_end(rec);
	return ret;
}

struct record_last
record_last(const struct record *rec)
{
	const bool failed = atomic_load(&rec->failed);

	return (struct record_last){ rec->number, rec->on && !failed, failed };
}

int
record_option(struct record *rec, const char *path, struct err *e)
{
	const struct record_plan plan = record_plan_default(rec->run->settings);

	if (path == NULL || record_start(rec, path, &plan, e) == 0)
		return 0;
	return err_context(e, "--record");
}

int
record_stop(struct record *rec, struct err *e)
{
	struct err why;
	int ret = 0;

	if (!rec->on)
		return err_set(e, ENOENT, "no recording is active");
	pthread_mutex_lock(&rec->lock);
	if (!atomic_load(&rec->failed)) {
		err_clear(&why);
		if (rec->now.on)
			ret = record_state_end(rec, &why);
		if (ret == 0) {
			struct record_at at = record_state_at(rec);

			ret = record_state_put(rec, record_head_stop(&at), &why);
		}
		if (ret != 0)
			fail(rec, &why);
	}
	pthread_mutex_unlock(&rec->lock);
	thread_end(rec);
	return atomic_load(&rec->failed)
		? err_set(e, EIO, "the recording had already stopped: %s", rec->why.text)
		: 0;
}

/* Show the state of a recording, active or ended. */

static void
file_show(struct out *o, const char *key, const struct record_file *f)
{
	out_nest(o, key, OUT_OBJECT);
	out_str(o, "file", "  %s: ", f->path);
	out_u64(o, "bytes", "%" PRIu64 " bytes", f->total);
	out_u64(o, "files", f->files == 1 ? " in %" PRIu64 " file\n" : " in %" PRIu64 " files\n",
		f->files);
	out_unnest(o);
}

/* Show the polls in the burst file, of previous runs and the current one. */
static void
bursts_show(struct out *o, const struct record *rec)
{
	uint64_t kept = rec->kept, lost = rec->lost;

	for (unsigned int i = 0; rec->now.on && i < rec->now.base->n_streams; i++) {
		kept += rec->bursts.kept[i].kept;
		lost += rec->bursts.kept[i].lost;
	}
	file_show(o, "bursts", &rec->bursts.file);
	out_u64(o, "kept_polls", "  polls kept: %" PRIu64, kept);
	out_u64(o, "lost_polls", ", lost because buffers were full: %" PRIu64 "\n", lost);
}

int
record_show(struct record *rec, struct out *o, struct err *e)
{
	bool failed;

	if (rec->number == 0) {
		out_bool(o, "recording", NULL, false, "", "");
		out_say(o, "no recording yet\n");
		return 0;
	}
	pthread_mutex_lock(&rec->lock);
	failed = atomic_load(&rec->failed);
	out_bool(o, "recording", "Recording %s", rec->on && !failed, "is on", "is off");
	out_u64(o, "every_ms", ", a line every %" PRIu64 " ms", rec->plan.every_ms);
	out_u64(o, "bursts_every", rec->plan.bursts > 0 ? ", one of %" PRIu64 " polls kept" : NULL,
		rec->plan.bursts);
	out_text(o, "\n");
	file_show(o, "samples", &rec->file);
	out_u64(o, "runs", "  runs: %" PRIu64, rec->now.number);
	out_u64(o, "lines", ", lines: %" PRIu64, rec->lines);
	out_u64(o, "intervals", ", intervals: %" PRIu64, rec->intervals);
	out_u64(o, "skipped", ", late samples: %" PRIu64 "\n", rec->skipped);
	if (rec->plan.bursts > 0)
		bursts_show(o, rec);
	if (rec->plan.times) {
		file_show(o, "latency", &rec->times.file);
		out_u64(o, "latency_lines", "  histograms: %" PRIu64 "\n", rec->times.lines);
	}
	if (failed)
		out_str(o, "stopped", "  stopped: %s\n", rec->why.text);
	pthread_mutex_unlock(&rec->lock);
	return 0;
}
