/* Record a run: begin line, intervals, polls in the burst file, totals. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/err.h"
#include "port/port.h"
#include "record/record_priv.h"
#include "record/record_sample.h"
#include "run/account/run_count.h"
#include "run/run.h"
#include "stream/stream_log.h"

#include <rte_lcore.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Write polls to the burst file: fetched in bulk and written with one write(2) per chunk, so that
 * the logs have room again before the disk is done. */

#define CHUNK_POLLS 8192u
#define PAD 16u

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the burst file is written as memory is");

/* Describes the format; readers need no other documentation. */
static const char description[] =
	"{\"format\": \"zcfwd-bursts\", \"byte_order\": \"little\", \"chunk\": {\"bytes\": 32, \"fields\": ["
	"[\"magic\", 0, \"char[4]\", \"chnk\"], [\"kind\", 4, \"u16\", \"1 header line, 2 begin line, 3 polls\"], "
	"[\"stream\", 6, \"u16\", \"of kind 3\"], [\"run\", 8, \"u32\", \"from 1\"], "
	"[\"bytes\", 12, \"u32\", \"of the payload that follows\"], "
	"[\"lost\", 16, \"u64\", \"polls not kept since the stream's last chunk\"], [\"zero\", 24, \"u64\", \"\"]]}, "
	"\"poll\": {\"bytes\": 16, \"fields\": ["
	"[\"tsc\", 0, \"u64\", \"when the poll began, TSC cycles; the header line has tsc_hz and a tsc with its wall clock\"], "
	"[\"cycles\", 8, \"u32\", \"TSC cycles that it took\"], [\"rx\", 12, \"u16\", \"packets received\"], "
	"[\"tx\", 14, \"u16\", \"packets sent\"]]}}\n";

static size_t
padded(size_t n)
{
	return (n + PAD - 1) / PAD * PAD;
}

static struct record_bursts_chunk
chunk_of(enum record_bursts_kind kind, unsigned int run, size_t bytes)
{
	return (struct record_bursts_chunk){ .magic = { 'c', 'h', 'n', 'k' },
		.kind = (uint16_t)kind,
		.run = run,
		.bytes = (uint32_t)bytes };
}

/* Fill to[0..32 + padded) with a chunk that contains a line. */
static void
chunk_line(char *to, enum record_bursts_kind kind, unsigned int run, const struct record_line *line)
{
	struct record_bursts_chunk chunk = chunk_of(kind, run, padded(line->bytes));

	memcpy(to, &chunk, sizeof(chunk));
	memset(to + sizeof(chunk), ' ', chunk.bytes);
	memcpy(to + sizeof(chunk), line->text, line->bytes);
}

/* Write the start of the file: its description and the recording's header line. */
static int
head(struct record_bursts *b, const struct record_line *header, struct err *e)
{
	struct record_bursts_head h = { .version = RECORD_BURSTS_VERSION };
	size_t n;
	char *text;
	int ret;

	memcpy(h.magic, RECORD_BURSTS_MAGIC, sizeof(h.magic));
	h.bytes = (uint32_t)padded(sizeof(h) + strlen(description));
	n = h.bytes + sizeof(struct record_bursts_chunk) + padded(header->bytes);
	text = malloc(n);
	if (text == NULL)
		return err_set(e, ENOMEM, "%s: no memory for its head", b->file.path);
	memset(text, ' ', h.bytes);
	memcpy(text, &h, sizeof(h));
	memcpy(text + sizeof(h), description, strlen(description));
	chunk_line(text + h.bytes, RECORD_BURSTS_HEADER, 0, header);
	ret = record_file_head(&b->file, RECORD_FILE_HEADER, text, n, e);
	free(text);
	return ret;
}

int
record_bursts_check(const char *path, bool overwrite, struct err *e)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%s%s", path, RECORD_BURSTS_SUFFIX);
	return plain_file_check(name, record_derived(overwrite), e);
}

int
record_bursts_open(struct record_bursts *b, const char *path, bool overwrite, uint64_t limit,
	unsigned int older, const struct record_line *header, struct err *e)
{
	char name[PATH_MAX];
	int ret;

	memset(b, 0, sizeof(*b));
	snprintf(name, sizeof(name), "%s%s", path, RECORD_BURSTS_SUFFIX);
	ret = record_file_open(&b->file, name, record_derived(overwrite), limit, older, e);
	if (ret != 0)
		return ret;
	b->open = true;
	b->room = malloc(
		sizeof(struct record_bursts_chunk) + CHUNK_POLLS * sizeof(struct stream_log_poll));
	if (b->room == NULL)
		ret = err_set(e, ENOMEM, "%s: no memory for chunks", name);
	if (ret == 0)
		ret = head(b, header, e);
	if (ret != 0)
		record_bursts_close(b);
	return ret;
}

void
record_bursts_close(struct record_bursts *b)
{
	if (b->open)
		record_file_close(&b->file);
	b->open = false;
	free(b->kept);
	free(b->room);
	b->kept = NULL;
	b->room = NULL;
}

/* Start a run of n streams: write its begin line. Errors: ENOMEM; as record_file_write(). */
static int
record_bursts_begin(struct record_bursts *b, const struct record_line *begin, unsigned int run,
	unsigned int n, struct err *e)
{
	size_t bytes = sizeof(struct record_bursts_chunk) + padded(begin->bytes);
	char *text = malloc(bytes);
	int ret;

	free(b->kept);
	b->kept = calloc(n, sizeof(*b->kept));
	if (text == NULL || b->kept == NULL) {
		free(text);
		return err_set(e, ENOMEM, "%s: no memory for %u streams", b->file.path, n);
	}
	chunk_line(text, RECORD_BURSTS_BEGIN, run, begin);
	ret = record_file_head(&b->file, RECORD_FILE_RUN, text, bytes, e);
	free(text);
	return ret;
}

/* Write the polls in a stream's log. Errors: as record_file_write(). */
static int
record_bursts_drain(struct record_bursts *b, unsigned int run, unsigned int stream,
	struct stream_log *log, struct err *e)
{
	struct record_bursts_chunk *chunk = b->room;
	struct stream_log_poll *polls = (struct stream_log_poll *)(chunk + 1);
	struct record_kept *kept = &b->kept[stream];
	unsigned int n, all = 0;
	int ret = 0;

	/* Limited to the size of the log: the worker may be faster than this loop. */
	do {
		uint64_t lost = counter_read(&log->lost);

		n = stream_log_fetch(log, polls, CHUNK_POLLS);
		if (n == 0 && lost == kept->lost)
			break;
		*chunk = chunk_of(RECORD_BURSTS_POLLS, run, n * sizeof(*polls));
		chunk->stream = (uint16_t)stream;
		chunk->lost = lost - kept->lost;
		ret = record_file_write(&b->file, chunk, sizeof(*chunk) + chunk->bytes, e);
		kept->kept += n;
		kept->lost = lost;
		all += n;
	} while (ret == 0 && n == CHUNK_POLLS && all < STREAM_LOG_POLLS);
	return ret;
}

/* Without a burst file one of 16 polls is timed, which costs a 16th of timing all. */
#define TIMED_EVERY 16
/* Interval for reading the logs, which have room for 10 ms at 6 million polls per second. */
#define DRAIN_NS 2000000u
#define MS 1000000u /* ns */

struct record_at
record_state_at(const struct record *rec)
{
	return (struct record_at){ record_line_clock(), rec->now.on ? rec->now.number : 0 };
}

int
record_state_put(struct record *rec, struct record_line line, struct err *e)
{
	int ret = line.text != NULL
		? record_file_write(&rec->file, line.text, line.bytes, e)
		: err_set(e, ENOMEM, "%s: no memory for a line", rec->file.path);

	free(line.text);
	rec->lines += ret == 0;
	return ret;
}

static int
drain(struct record *rec, struct err *e)
{
	int ret = 0;

	for (unsigned int i = 0; ret == 0 && rec->plan.bursts > 0 && i < rec->now.base->n_streams;
		i++) {
		struct stream_log *log = rec->run->streams[i]->log;

		if (log != NULL && record_plan_wants(&rec->plan, i))
			ret = record_bursts_drain(&rec->bursts, rec->now.number, i, log, e);
	}
	return ret;
}

/* Write a line with the difference of two samples. */
static int
sample_put(struct record *rec, const char *type, const struct record_sample *now,
	const struct record_sample *since, struct err *e)
{
	struct record_at at = { now->mono_ns, rec->now.number };

	record_sample_diff(rec->now.diff, now, since);
	return record_state_put(rec,
		record_json_line(type, rec->run, &rec->plan, &at, now->mono_ns - since->mono_ns,
			rec->now.diff, rec->bursts.kept),
		e);
}

static int
interval(struct record *rec, struct err *e)
{
	struct record_run *n = &rec->now;
	struct record_sample *spare = n->last;
	int ret;

	record_sample_take(n->now, rec->run);
	ret = sample_put(rec, "interval", n->now, n->last, e);
	if (ret == 0 && rec->plan.times)
		ret = record_times_interval(&rec->times, rec->run, &rec->plan, n->last->mono_ns,
			n->now->mono_ns, e);
	n->last = n->now;
	n->now = spare;
	rec->intervals += ret == 0;
	return ret;
}

int
record_state_step(struct record *rec, uint64_t *wake_ns, struct err *e)
{
	uint64_t every = (uint64_t)rec->plan.every_ms * MS, now = record_line_clock();
	int ret = drain(rec, e);

	if (ret == 0 && now >= rec->now.next_ns) {
		uint64_t late = (now - rec->now.next_ns) / every;

		ret = interval(rec, e);
		rec->skipped += late;
		rec->now.next_ns += (late + 1) * every;
	}
	*wake_ns = rec->now.next_ns;
	if (rec->plan.bursts > 0 && now + DRAIN_NS < *wake_ns)
		*wake_ns = now + DRAIN_NS;
	return ret;
}

/* Create the logs of the recorded streams. */
static int
logs_open(struct record *rec, struct err *e)
{
	unsigned int every = rec->plan.bursts > 0 ? rec->plan.bursts : TIMED_EVERY;
	struct run *r = rec->run;

	for (unsigned int i = 0; i < r->plan.n_streams; i++) {
		struct stream *s = r->streams[i];
		int socket = (int)rte_lcore_to_socket_id(s->lcore), ret = 0;

		if (!record_plan_wants(&rec->plan, i))
			continue;
		if (s->log == NULL)
			s->log = stream_log_new(every, socket);
		if (s->log != NULL && rec->plan.bursts > 0)
			ret = stream_log_keep(s->log, every, socket);
		else if (s->log != NULL)
			stream_log_time(s->log, every);
		if (s->log == NULL || ret != 0)
			return err_set(e, ENOMEM, "no memory for the polls of stream %u: %zu bytes",
				i, STREAM_LOG_POLLS * sizeof(struct stream_log_poll));
	}
	return 0;
}

static int
samples_open(struct record_run *n, const struct run *r, struct err *e)
{
	n->base = record_sample_new(r);
	n->last = record_sample_new(r);
	n->now = record_sample_new(r);
	n->diff = record_sample_new(r);
	return n->base != NULL && n->last != NULL && n->now != NULL && n->diff != NULL
		? 0
		: err_set(e, ENOMEM, "no memory for the statistics of %u streams",
			  r->plan.n_streams);
}

/* Take the baseline of the run: counters at its begin, or the present ones if late. */
static void
baseline(struct record_run *n, struct run *r, bool late)
{
	record_sample_take(n->base, r);
	/* For ports use the run's own baseline. */
	for (unsigned int i = 0; !late && i < n->base->n_ports; i++)
		n->base->port[i].stats = r->ports->port[n->base->port[i].id].run_stats;
	record_sample_copy(n->last, n->base);
}

static int
begin_write(struct record *rec, bool late, struct err *e)
{
	struct record_at at = { rec->now.base->mono_ns, rec->now.number };
	struct record_line line = record_head_begin(rec->run, &rec->plan, &at, late);
	int ret;

	if (line.text == NULL)
		return err_set(e, ENOMEM, "%s: no memory for a line", rec->file.path);
	ret = record_file_head(&rec->file, RECORD_FILE_RUN, line.text, line.bytes, e);
	if (ret == 0 && rec->plan.bursts > 0)
		ret = record_bursts_begin(&rec->bursts, &line, rec->now.number,
			rec->now.base->n_streams, e);
	if (ret == 0 && rec->plan.times)
		ret = record_times_begin(&rec->times, rec->run, rec->now.number, e);
	rec->lines += ret == 0;
	free(line.text);
	return ret;
}

static void
samples_free(struct record_run *n)
{
	record_sample_free(n->base);
	record_sample_free(n->last);
	record_sample_free(n->now);
	record_sample_free(n->diff);
	*n = (struct record_run){ .number = n->number };
}

int
record_state_begin(struct record *rec, bool late, struct err *e)
{
	struct record_run *n = &rec->now;
	int ret = samples_open(n, rec->run, e);

	if (ret == 0)
		ret = logs_open(rec, e);
	if (ret == 0) {
		n->number++;
		baseline(n, rec->run, late);
		ret = begin_write(rec, late, e);
	}
	if (ret != 0) {
		samples_free(n);
		return ret;
	}
	n->next_ns = n->base->mono_ns + (uint64_t)rec->plan.every_ms * MS;
	n->on = true;
	run_count_record(rec->run);
	pthread_cond_signal(&rec->wake);
	return 0;
}

/* Do not repeat the begin line in later files. */
static int
heads_forget(struct record *rec, struct err *e)
{
	int ret = record_file_head(&rec->file, RECORD_FILE_RUN, NULL, 0, e);

	if (ret == 0 && rec->plan.bursts > 0)
		ret = record_file_head(&rec->bursts.file, RECORD_FILE_RUN, NULL, 0, e);
	if (ret == 0 && rec->plan.times)
		ret = record_file_head(&rec->times.file, RECORD_FILE_RUN, NULL, 0, e);
	return ret;
}

int
record_state_end(struct record *rec, struct err *e)
{
	struct record_run *n = &rec->now;
	int ret = drain(rec, e);

	if (ret == 0)
		ret = interval(rec, e);
	if (ret == 0)
		ret = sample_put(rec, "end", n->last, n->base, e);
	if (ret == 0)
		ret = heads_forget(rec, e);
	if (ret != 0)
		return ret;
	for (unsigned int i = 0; rec->bursts.kept != NULL && i < n->base->n_streams; i++) {
		rec->kept += rec->bursts.kept[i].kept;
		rec->lost += rec->bursts.kept[i].lost;
	}
	samples_free(n);
	return 0;
}

void
record_state_drop(struct record *rec)
{
	for (unsigned int i = 0; rec->now.on && i < rec->now.base->n_streams; i++)
		atomic_fetch_and(&rec->run->streams[i]->timed, (unsigned char)~STREAM_TIMED_LOG);
	samples_free(&rec->now);
}
