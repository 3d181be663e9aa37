/* Samples as lines: only what is not nothing, histograms as pairs of size and count. */
#include "record/record_json.h"

#include "engines/engine.h"
#include "engines/extbuf/extbuf_setup.h"
#include "engines/recycle/recycle_setup.h"
#include "record/record_head.h"
#include "record/record_pipeline.h"
#include "record/record_plan.h"
#include "record/record_sample.h"
#include "run/run_count.h"

#include <string.h>

static void
pair(struct json *j, uint64_t a, uint64_t b)
{
	out_json_enter(j, NULL, true);
	out_json_u64(j, NULL, a);
	out_json_u64(j, NULL, b);
	out_json_leave(j);
}

static void
bursts(struct json *j, const char *key, const struct hist_copy *h)
{
	struct hist_top top = hist_top(h);

	out_json_enter(j, key, false);
	out_json_u64(j, "bursts", top.bursts);
	out_json_u64(j, "packets", top.packets);
	out_json_u64(j, "p50", hist_quantile(h, 500));
	out_json_u64(j, "p90", hist_quantile(h, 900));
	out_json_u64(j, "p99", hist_quantile(h, 990));
	out_json_enter(j, "histogram", true);
	for (unsigned int n = 0; n < HIST_CELLS; n++)
		if (h->cell[n] > 0)
			pair(j, n, h->cell[n]);
	out_json_leave(j);
	out_json_leave(j);
}

static void
timed(struct json *j, const struct stream_log_copy *c)
{
	out_json_enter(j, "timed", false);
	out_json_u64(j, "turns", c->turns);
	out_json_u64(j, "rx", c->rx);
	out_json_u64(j, "tx", c->tx);
	out_json_u64(j, "cycles", c->cycles);
	out_json_u64(j, "p50", stream_log_quantile(c, 500));
	out_json_u64(j, "p90", stream_log_quantile(c, 900));
	out_json_u64(j, "p99", stream_log_quantile(c, 990));
	out_json_enter(j, "histogram", true);
	for (unsigned int i = 0; i < STREAM_LOG_SPANS; i++)
		if (c->span[i] > 0)
			pair(j, stream_log_cell_least(i), c->span[i]);
	out_json_leave(j);
	out_json_leave(j);
}

static void
recycle(struct json *j, const struct recycle_total *t)
{
	out_json_enter(j, "recycle", false);
	out_json_u64(j, "moved", t->moved);
	out_json_u64(j, "topped_up", t->topped_up);
	out_json_u64(j, "shared", t->shared);
	out_json_u64(j, "foreign", t->foreign);
	out_json_u64(j, "freed", t->freed);
	out_json_leave(j);
}

static void
stream(struct json *j, const struct stream *s, unsigned int i, const struct record_stream *d,
	const struct record_kept *kept)
{
	const struct engine *engine = s->engine;
	const struct run_count *c = &d->count;

	out_json_enter(j, NULL, false);
	out_json_u64(j, "stream", i);
	out_json_u64(j, "rx", c->rx);
	out_json_u64(j, "made", c->made);
	out_json_u64(j, "tx", c->tx);
	out_json_u64(j, "tx_dropped", c->tx_dropped);
	out_json_u64(j, "absorbed", c->absorbed);
	out_json_u64(j, "tx_retried", c->tx_retried);
	out_json_u64(j, "busy_cycles", c->busy_cycles);
	out_json_u64(j, "rx_bytes", c->rx_bytes);
	out_json_u64(j, "tx_bytes", c->tx_bytes);
	bursts(j, "rx_bursts", &c->rx_bursts);
	bursts(j, "tx_bursts", &c->tx_bursts);
	timed(j, &d->log);
	out_json_enter(j, "counters", false);
	for (size_t k = 0; k < engine->n_counters; k++)
		out_json_u64(j, engine->counters[k].name, c->named[k]);
	out_json_leave(j);
	if (recycle_setup_feed(s) != NULL)
		recycle(j, &d->recycle);
	if (extbuf_setup_figures(s) != NULL)
		record_extbuf_json(j, &d->extbuf);
	if (kept != NULL) {
		out_json_u64(j, "kept_turns", kept->kept);
		out_json_u64(j, "lost_turns", kept->lost);
	}
	out_json_leave(j);
}

static void
port(struct json *j, const struct record_port *p)
{
	const struct rte_eth_stats *s = &p->stats;

	out_json_enter(j, NULL, false);
	out_json_u64(j, "port", p->id);
	if (p->known) {
		out_json_u64(j, "rx_packets", s->ipackets);
		out_json_u64(j, "rx_bytes", s->ibytes);
		out_json_u64(j, "rx_missed", s->imissed);
		out_json_u64(j, "rx_errors", s->ierrors);
		out_json_u64(j, "rx_nombuf", s->rx_nombuf);
		out_json_u64(j, "tx_packets", s->opackets);
		out_json_u64(j, "tx_bytes", s->obytes);
		out_json_u64(j, "tx_errors", s->oerrors);
	}
	out_json_leave(j);
}

static void
pool(struct json *j, const struct record_pool *p)
{
	out_json_enter(j, NULL, false);
	record_line_str(j, "name", p->name);
	out_json_u64(j, "size", p->size);
	out_json_u64(j, "available", p->available);
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
	out_json_enter(j, "streams", true);
	for (unsigned int i = 0; i < d->n_streams; i++)
		if (record_plan_wants(plan, i))
			stream(j, r->streams[i], i, &d->stream[i], kept != NULL ? &kept[i] : NULL);
	out_json_leave(j);
	out_json_enter(j, "ports", true);
	for (unsigned int i = 0; i < d->n_ports; i++)
		port(j, &d->port[i]);
	out_json_leave(j);
	out_json_enter(j, "pools", true);
	for (unsigned int i = 0; i < d->n_pools; i++)
		pool(j, &d->pool[i]);
	out_json_leave(j);
	if (d->pipeline != NULL)
		record_pipeline_json(j, d->pipeline, plan);
	return record_line_close(&p);
}
