/* Samples of all statistics, read with relaxed loads while workers run, and lines of a recording built in memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/record_sample.h"

#include "memory/pool.h"
#include "port/port.h"
#include "port/port_stats.h"
#include "run/account/run_count.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Build lines of a recording in memory, so that each is written completely. */

struct json *
record_line_open(struct json_part *p, const char *type, const struct record_at *at)
{
	struct json *j = &p->json;

	/* Open an array with one object, so that the object's braces are written too. */
	out_json_part_open(p, true);
	if (p->file == NULL)
		return NULL;
	out_json_enter(j, NULL, false);
	record_line_str(j, "type", type);
	if (at != NULL) {
		out_json_u64(j, "run", at->run);
		out_json_u64(j, "mono_ns", at->mono_ns);
	}
	return j;
}

struct record_line
record_line_close(struct json_part *p)
{
	struct record_line line = { NULL, 0 };

	if (p->file == NULL)
		return line;
	out_json_part_close(p);
	if (p->text != NULL && !p->lost) {
		p->text[p->size] = '\n';
		line = (struct record_line){ p->text, p->size + 1 };
		p->text = NULL;
	}
	out_json_part_free(p);
	return line;
}

void
record_line_str(struct json *j, const char *key, const char *value)
{
	out_json_str(j, key, value, value != NULL ? strlen(value) : 0);
}

uint64_t
record_line_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct record_sample *
record_sample_new(const struct run *r)
{
	struct record_sample *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->n_streams = r->plan.n_streams;
	s->stream = calloc(s->n_streams, sizeof(*s->stream));
	if (run_groups_open(&s->groups, r) != 0 || s->stream == NULL) {
		record_sample_free(s);
		return NULL;
	}
	s->n_ports = r->choice.use_ports;
	for (unsigned int i = 0; i < s->n_ports; i++)
		s->port[i].id = r->choice.ports[i];
	return s;
}

void
record_sample_free(struct record_sample *s)
{
	if (s == NULL)
		return;
	run_groups_close(&s->groups);
	free(s->stream);
	free(s);
}

void
record_sample_copy(struct record_sample *to, const struct record_sample *from)
{
	struct record_stream *room = to->stream;
	const struct run_groups groups = to->groups;

	*to = *from;
	to->stream = room;
	to->groups = groups;
	memcpy(room, from->stream, from->n_streams * sizeof(*room));
	run_groups_copy(&to->groups, &from->groups);
}

static void
stream_take(struct record_stream *to, const struct stream *s)
{
	run_count_read(s, &to->stats);
	if (s->log != NULL)
		stream_log_read(&to->log, s->log);
}

static void
pool_take(struct record_sample *s, const struct rte_mempool *mp)
{
	struct record_pool *to = &s->pool[s->n_pools];

	if (mp == NULL)
		return;
	snprintf(to->name, sizeof(to->name), "%s", mp->name);
	to->level = pool_level(mp);
	s->n_pools++;
}

/* Read the levels of all pools, including the pool in external memory that ports receive into. */
static void
pools_take(struct record_sample *s, const struct run *r)
{
	s->n_pools = 0;
	for (unsigned int i = 0; i < POOL_MAX; i++)
		pool_take(s, pool_at(r->pools, i));
	pool_take(s, r->ports->rx_pool);
}

void
record_sample_take(struct record_sample *s, struct run *r)
{
	pthread_mutex_lock(&r->lock);
	s->mono_ns = record_line_clock();
	for (unsigned int i = 0; i < s->n_streams; i++)
		stream_take(&s->stream[i], r->streams[i]);
	run_groups_read(&s->groups, true);
	pthread_mutex_unlock(&r->lock);
	for (unsigned int i = 0; i < s->n_ports; i++) {
		struct record_port *p = &s->port[i];

		p->known = port_stats_read(r->ports, p->id, &p->stats) == 0;
	}
	pools_take(s, r);
}

static void
stream_diff(struct record_stream *d, const struct record_stream *before)
{
	run_count_subtract(&d->stats, &before->stats);
	stream_log_subtract(&d->log, &before->log);
}

void
record_sample_diff(struct record_sample *diff, const struct record_sample *now,
	const struct record_sample *before)
{
	record_sample_copy(diff, now);
	for (unsigned int i = 0; i < now->n_streams; i++)
		stream_diff(&diff->stream[i], &before->stream[i]);
	for (unsigned int i = 0; i < now->n_ports; i++)
		if (before->port[i].known)
			stat_since(&port_stats, &diff->port[i].stats, &before->port[i].stats);
	run_groups_subtract(&diff->groups, &before->groups);
}

/* The streams of a recording: a list, or all. */

bool
record_plan_wants(const struct record_plan *plan, unsigned int i)
{
	unsigned int k;

	for (k = 0; k < plan->n && plan->list[k] != i; k++)
		;
	return plan->n == 0 || k < plan->n;
}
