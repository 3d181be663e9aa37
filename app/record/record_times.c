/* The log of a recording's histograms: what each stream has counted in an interval, in a file of its
 * own. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/engine.h"
#include "record/hdr_log.h"
#include "record/record_priv.h"
#include "run/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int
record_times_check(const char *path, bool overwrite, struct err *e)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%s%s", path, RECORD_TIMES_SUFFIX);
	return plain_file_check(name, record_derived(overwrite), e);
}

int
record_times_open(struct record_times *t, const char *path, bool overwrite, uint64_t limit,
	unsigned int older, const char *version, const char *id, struct err *e)
{
	char name[PATH_MAX], *head;
	struct timespec wall;
	int ret;

	memset(t, 0, sizeof(*t));
	snprintf(name, sizeof(name), "%s%s", path, RECORD_TIMES_SUFFIX);
	ret = record_file_open(&t->file, name, record_derived(overwrite), limit, older, e);
	if (ret != 0)
		return ret;
	t->open = true;
	clock_gettime(CLOCK_REALTIME, &wall);
	t->start_ns = record_line_clock();
	head = hdr_log_head(version, id,
		(uint64_t)wall.tv_sec * 1000000000u + (uint64_t)wall.tv_nsec);
	ret = head != NULL ? record_file_head(&t->file, RECORD_FILE_HEADER, head, strlen(head), e)
			   : err_set(e, ENOMEM, "%s: no memory for its head", name);
	free(head);
	if (ret != 0)
		record_times_close(t);
	return ret;
}

void
record_times_close(struct record_times *t)
{
	if (t->open)
		record_file_close(&t->file);
	t->open = false;
	free(t->last);
	free(t->room);
	t->last = t->room = NULL;
}

static const struct engine_times *
times_at(const struct run *r, unsigned int i)
{
	return &r->engine_run->times[i % r->engine_run->n_times];
}

static const struct stream *
stream_at(const struct run *r, unsigned int i)
{
	return r->streams[i / r->engine_run->n_times];
}

/* Read histogram i of the run's streams. */
static void
take(struct hdr_copy *to, struct run *r, unsigned int i)
{
	memset(to, 0, sizeof(*to));
	pthread_mutex_lock(&r->lock);
	hdr_merge(to, times_at(r, i)->of(stream_at(r, i)));
	pthread_mutex_unlock(&r->lock);
}

/* Number of histograms of the run. */
static unsigned int
count(const struct run *r)
{
	return r->plan.n_streams * (unsigned int)r->engine_run->n_times;
}

int
record_times_begin(struct record_times *t, struct run *r, unsigned int number, struct err *e)
{
	const unsigned int n = count(r);
	char text[128];
	int bytes;

	free(t->last);
	t->last = calloc(n + 1, sizeof(*t->last));
	if (t->room == NULL)
		t->room = calloc(2, sizeof(*t->room));
	if (t->last == NULL || t->room == NULL)
		return err_set(e, ENOMEM, "%s: no memory for %u histograms", t->file.path, n);
	for (unsigned int i = 0; i < n; i++)
		take(&t->last[i], r, i);
	bytes = snprintf(text, sizeof(text), "#[Run: %u, engine %s]\n", number,
		r->engine_run->name);
	return record_file_head(&t->file, RECORD_FILE_RUN, text, (size_t)bytes, e);
}

static int
line_put(struct record_times *t, const struct run *r, unsigned int i, const struct hdr_copy *counts,
	uint64_t begin_ns, uint64_t end_ns, struct err *e)
{
	const struct engine_times *times = times_at(r, i);
	const struct stream *s = stream_at(r, i);
	char tag[64], *line;
	int ret;

	snprintf(tag, sizeof(tag), "port%u.queue%u.%s", times->sent ? s->tx_port : s->rx_port,
		times->sent ? s->tx_queue : s->rx_queue, times->name);
	line = hdr_log_line(&(struct hdr_log_interval){ tag, begin_ns - t->start_ns,
				    end_ns - begin_ns },
		counts);
	ret = line != NULL ? record_file_write(&t->file, line, strlen(line), e)
			   : err_set(e, ENOMEM, "%s: no memory for a line", t->file.path);
	t->lines += ret == 0;
	free(line);
	return ret;
}

int
record_times_interval(struct record_times *t, struct run *r, const struct record_plan *plan,
	uint64_t begin_ns, uint64_t end_ns, struct err *e)
{
	const unsigned int n = count(r);
	struct hdr_copy *now = &t->room[0], *counts = &t->room[1];
	int ret = 0;

	for (unsigned int i = 0; i < n && ret == 0; i++) {
		if (!record_plan_wants(plan, i / (unsigned int)r->engine_run->n_times))
			continue;
		take(now, r, i);
		*counts = *now;
		hdr_subtract(counts, &t->last[i]);
		if (counts->total == 0)
			continue;
		ret = line_put(t, r, i, counts, begin_ns, end_ns, e);
		t->last[i] = *now;
	}
	return ret;
}
