/* Reading streams, ports and pools while workers go on: relaxed loads of counters, never a lock
 * that a worker takes. */
#include "record/record_sample.h"

#include "engines/extbuf/extbuf_setup.h"
#include "engines/recycle/recycle_setup.h"
#include "engines/ring/ring_setup.h"
#include "memory/pool.h"
#include "port/port.h"
#include "port/port_stats.h"
#include "record/record_line.h"
#include "record/record_pipeline.h"
#include "run/run_count.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct ring_pipeline *
pipeline_of(const struct run *r)
{
	return r->plan.n_routes > 0 ? ring_setup_of(r->streams[0]) : NULL;
}

struct record_sample *
record_sample_new(const struct run *r)
{
	struct record_sample *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->n_streams = r->plan.n_routes;
	s->stream = calloc(s->n_streams, sizeof(*s->stream));
	if (pipeline_of(r) != NULL)
		s->pipeline = record_pipeline_new(pipeline_of(r));
	if (s->stream == NULL || (s->pipeline == NULL && pipeline_of(r) != NULL)) {
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
	record_pipeline_free(s->pipeline);
	free(s->stream);
	free(s);
}

void
record_sample_copy(struct record_sample *to, const struct record_sample *from)
{
	struct record_stream *room = to->stream;
	struct record_pipeline *pipeline = to->pipeline;

	*to = *from;
	to->stream = room;
	to->pipeline = pipeline;
	memcpy(room, from->stream, from->n_streams * sizeof(*room));
	if (pipeline != NULL)
		record_pipeline_copy(pipeline, from->pipeline);
}

static void
stream_take(struct record_stream *to, const struct stream *s)
{
	run_count_read(s, &to->count);
	if (s->log != NULL)
		stream_log_read(&to->log, s->log);
	if (recycle_setup_feed(s) != NULL)
		to->recycle = recycle_feed_total(recycle_setup_feed(s));
	if (extbuf_setup_figures(s) != NULL)
		record_extbuf_take(&to->extbuf, extbuf_setup_figures(s));
}

static void
pool_take(struct record_sample *s, const struct rte_mempool *mp)
{
	struct record_pool *to = &s->pool[s->n_pools];

	if (mp == NULL)
		return;
	snprintf(to->name, sizeof(to->name), "%s", mp->name);
	to->size = mp->size;
	to->available = rte_mempool_avail_count(mp);
	s->n_pools++;
}

/* The usual ones, and the one in external memory that ports receive into. */
static void
pools_take(struct record_sample *s, const struct run *r)
{
	s->n_pools = 0;
	for (unsigned int socket = 0; socket < RTE_MAX_NUMA_NODES; socket++)
		for (unsigned int i = 0; i < POOL_SIZES_MAX; i++)
			pool_take(s, r->pools->pool[socket][i]);
	pool_take(s, r->ports->rx_pool);
}

void
record_sample_take(struct record_sample *s, struct run *r)
{
	pthread_mutex_lock(&r->lock);
	s->mono_ns = record_line_clock();
	for (unsigned int i = 0; i < s->n_streams; i++)
		stream_take(&s->stream[i], r->streams[i]);
	if (s->pipeline != NULL)
		record_pipeline_take(s->pipeline, pipeline_of(r));
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
	run_count_subtract(&d->count, &before->count);
	stream_log_subtract(&d->log, &before->log);
	d->recycle.moved -= before->recycle.moved;
	d->recycle.topped_up -= before->recycle.topped_up;
	d->recycle.shared -= before->recycle.shared;
	d->recycle.foreign -= before->recycle.foreign;
	d->recycle.freed -= before->recycle.freed;
}

static uint64_t
since(uint64_t now, uint64_t before)
{
	return now >= before ? now - before : now;
}

static void
port_diff(struct record_port *d, const struct record_port *before)
{
	struct rte_eth_stats *s = &d->stats;
	const struct rte_eth_stats *b = &before->stats;

	if (!before->known)
		return;
	s->ipackets = since(s->ipackets, b->ipackets);
	s->opackets = since(s->opackets, b->opackets);
	s->ibytes = since(s->ibytes, b->ibytes);
	s->obytes = since(s->obytes, b->obytes);
	s->imissed = since(s->imissed, b->imissed);
	s->ierrors = since(s->ierrors, b->ierrors);
	s->oerrors = since(s->oerrors, b->oerrors);
	s->rx_nombuf = since(s->rx_nombuf, b->rx_nombuf);
}

void
record_sample_diff(struct record_sample *diff, const struct record_sample *now,
	const struct record_sample *before)
{
	record_sample_copy(diff, now);
	for (unsigned int i = 0; i < now->n_streams; i++)
		stream_diff(&diff->stream[i], &before->stream[i]);
	for (unsigned int i = 0; i < now->n_ports; i++)
		port_diff(&diff->port[i], &before->port[i]);
	if (diff->pipeline != NULL)
		record_pipeline_subtract(diff->pipeline, before->pipeline);
}
