/* Write samples as lines, without zero cells of histograms. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/record_json.h"

#include "base/stat_sink.h"
#include "engines/engine.h"
#include "port/port_stats.h"
#include "record/record_plan.h"
#include "record/record_sample.h"
#include "run/run_count.h"
#include "run/run_loss.h"

#include <string.h>

static void
timed(struct json *j, const struct stream_log_copy *c)
{
	const struct stat_cells h = { c->cell, STREAM_LOG_CELLS, 0, stream_log_cell_least };
	const struct stat_sink sink = stat_sink_json(j);

	out_json_enter(j, "timed", false);
	out_json_u64(j, "polls", c->polls);
	out_json_u64(j, "rx", c->rx);
	out_json_u64(j, "tx", c->tx);
	out_json_u64(j, "cycles", c->cycles);
	out_json_u64(j, "p50", stream_log_quantile(c, 500));
	out_json_u64(j, "p90", stream_log_quantile(c, 900));
	out_json_u64(j, "p99", stream_log_quantile(c, 990));
	stat_put_cells(&sink, &h);
	out_json_leave(j);
}

static void
stream(struct json *j, const struct stream *s, unsigned int i, const struct record_stream *d,
	const struct record_kept *kept)
{
	const struct stat_table own = engine_counters(s->engine);
	const struct stat_sink sink = stat_sink_json(j);
	struct stream_count c = d->stats.count;

	run_count_lacks(s, &c);
	out_json_enter(j, NULL, false);
	out_json_u64(j, "stream", i);
	stat_put(&sink, &stream_stats, &c);
	stat_put(&sink, &run_count_bursts, &d->stats);
	timed(j, &d->log);
	out_json_enter(j, "counters", false);
	stat_put(&sink, &own, d->stats.count.named);
	out_json_leave(j);
	if (kept != NULL) {
		out_json_u64(j, "kept_polls", kept->kept);
		out_json_u64(j, "lost_polls", kept->lost);
	}
	out_json_leave(j);
}

static void
port(struct json *j, const struct record_port *p)
{
	const struct stat_sink sink = stat_sink_json(j);

	out_json_enter(j, NULL, false);
	out_json_u64(j, "port", p->id);
	if (p->known)
		stat_put(&sink, &port_stats, &p->stats);
	out_json_leave(j);
}

/* Add the loss of all streams and ports of the run, also those that are not recorded. */
static void
loss(struct json *j, const struct run *r, const struct record_sample *d)
{
	struct run_loss_port ports[RTE_MAX_ETHPORTS];
	struct stat_loss sum = { 0 };

	run_loss_ports(r, ports);
	for (unsigned int i = 0; i < d->n_streams; i++)
		run_loss_add_stream(&sum, r->streams[i], &d->stream[i].stats.count);
	for (unsigned int i = 0; i < d->n_ports; i++)
		if (d->port[i].known)
			run_loss_add_port(&sum, &ports[d->port[i].id], &d->port[i].stats);
	out_json_enter(j, "loss", false);
	out_json_u64(j, "offered", sum.offered);
	out_json_u64(j, "lost", sum.lost);
	out_json_leave(j);
}

static void
pool(struct json *j, const struct record_pool *p)
{
	const struct stat_sink sink = stat_sink_json(j);

	out_json_enter(j, NULL, false);
	record_line_str(j, "name", p->name);
	stat_put(&sink, &pool_stats, &p->level);
	out_json_leave(j);
}

void
record_json_groups(struct json *j, const struct run_groups *g, const struct record_plan *plan,
	bool fixed)
{
	const struct stat_sink sink = stat_sink_json(j);
	const struct engine_group *open = NULL;

	out_json_enter(j, "groups", false);
	for (unsigned int i = 0; i < g->n; i++) {
		const struct run_group_member *m = &g->member[i];

		if (m->group->fixed && !fixed)
			continue;
		if (m->group != open) {
			if (open != NULL)
				out_json_leave(j);
			out_json_enter(j, m->group->stats->name, true);
			open = m->group;
		}
		if (!m->group->per_run && !record_plan_wants(plan, m->number))
			continue;
		out_json_enter(j, NULL, false);
		run_groups_put(g, i, &sink);
		out_json_leave(j);
	}
	if (open != NULL)
		out_json_leave(j);
	out_json_leave(j);
}

struct record_line
record_json_line(const char *type, const struct run *r, const struct record_plan *plan,
	const struct record_at *at, uint64_t dt_ns, const struct record_sample *d,
	const struct record_kept *kept)
{
	struct json_part p;
	struct json *j = record_line_open(&p, type, at);

	if (j == NULL)
		return record_line_close(&p);
	out_json_u64(j, "dt_ns", dt_ns);
	if (strcmp(type, "end") == 0 && r->trial != NULL && r->trial->cut)
		out_json_bool(j, "cut", true);
	out_json_enter(j, "streams", true);
	for (unsigned int i = 0; i < d->n_streams; i++)
		if (record_plan_wants(plan, i))
			stream(j, r->streams[i], i, &d->stream[i], kept != NULL ? &kept[i] : NULL);
	out_json_leave(j);
	out_json_enter(j, "ports", true);
	for (unsigned int i = 0; i < d->n_ports; i++)
		port(j, &d->port[i]);
	out_json_leave(j);
	loss(j, r, d);
	out_json_enter(j, "pools", true);
	for (unsigned int i = 0; i < d->n_pools; i++)
		pool(j, &d->pool[i]);
	out_json_leave(j);
	record_json_groups(j, &d->groups, plan, false);
	return record_line_close(&p);
}
