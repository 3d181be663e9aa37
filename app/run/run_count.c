/* Read the counters of a run since its start or the last clear, choose what to count, add up its loss, and list all tables of statistics. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_count.h"

#include "base/base.h"
#include "base/out_json.h"
#include "base/setting.h"
#include "engines/engine.h"
#include "memory/pool.h"
#include "memory/pool_history.h"
#include "port/dma_devices.h"
#include "port/port.h"
#include "port/port_stats.h"
#include "run/run.h"
#include "run/run_cpu.h"
#include "run/run_mirror.h"
#include "run/run_recycle.h"
#include "stream/stream.h"
#include "stream/stream_poll.h"

#include <rte_cycles.h>
#include <rte_ethdev.h>

#include <stdio.h>
#include <string.h>

#define ROW(member) \
	.name = #member, .kind = STAT_HISTOGRAM, .at = offsetof(struct run_count, member), \
	.cells = HIST_CELLS

static const struct stat_row burst_rows[] = {
	{ ROW(rx_bursts), .help = "packets returned by one receive call" },
	{ ROW(tx_bursts), .help = "packets accepted by one transmit call, retries included" },
};

const struct stat_table run_count_bursts = { "stream", burst_rows, ARRAY_SIZE(burst_rows), false };

static bool
hw_read(const struct stream *s, unsigned int i, bool running, void *to)
{
	if (s->hw == NULL || atomic_load_explicit(&s->hw->switched, memory_order_relaxed) == 0)
		return false;
	hw_counters_read(s->hw, to);
	return true;
}

static void
hw_words(const struct stream *s, unsigned int i, const struct stat_sink *sink)
{
	sink->number(sink->to, "lcore", s->lcore);
}

const struct engine_group run_count_hw_group = { .stats = &hw_count_stats,
	.size = sizeof(struct hw_count),
	.read = hw_read,
	.words = hw_words };

void
run_count_identity(const struct stream *s, const struct stat_sink *sink)
{
	sink->number(sink->to, "rx_port", s->rx_port);
	sink->number(sink->to, "rx_queue", s->rx_queue);
	sink->number(sink->to, "tx_port", s->tx_port);
	sink->number(sink->to, "tx_queue", s->tx_queue);
	sink->number(sink->to, "lcore", s->lcore);
}

void
run_count_read(const struct stream *s, struct run_count *c)
{
	stat_read(&c->count, &s->count, sizeof(c->count));
	hist_read(&c->rx_bursts, &s->rx_bursts);
	hist_read(&c->tx_bursts, &s->tx_bursts);
	if (s->hw != NULL)
		hw_counters_read(s->hw, &c->hw);
	else
		memset(&c->hw, 0, sizeof(c->hw));
}

void
run_count_subtract(struct run_count *c, const struct run_count *base)
{
	stat_subtract(&stream_stats, &c->count, &base->count);
	for (unsigned int k = 0; k < STREAM_NAMED_MAX; k++)
		c->count.named[k] -= base->count.named[k];
	stat_subtract(&run_count_bursts, c, base);
	stat_subtract(&hw_count_stats, &c->hw, &base->hw);
}

void
run_count_lacks(const struct stream *s, struct stream_count *c)
{
	const bool bytes = stream_records(s, STREAM_RECORD_BYTES) || c->rx_bytes + c->tx_bytes > 0;

	if (!stream_timed(s) && c->busy_cycles == 0)
		c->busy_cycles = STAT_NONE;
	if (!bytes)
		c->rx_bytes = c->tx_bytes = STAT_NONE;
}

bool
run_count_has_bursts(const struct stream *s, const struct run_count *c)
{
	return stream_records(s, STREAM_RECORD_BURSTS) ||
		hist_top(&c->rx_bursts).bursts + hist_top(&c->tx_bursts).bursts > 0;
}

void
run_count(const struct run *r, unsigned int i, struct run_count *c)
{
	run_count_read(r->streams[i], c);
	run_count_subtract(c, &r->base[i]);
	run_count_lacks(r->streams[i], &c->count);
}

void
run_count_clear(struct run *r)
{
	unsigned int i;

	pthread_mutex_lock(&r->lock);
	for (i = 0; r->streams != NULL && i < r->plan.n_streams; i++)
		run_count_read(r->streams[i], &r->base[i]);
	r->base_tsc = rte_rdtsc();
	run_cpu_clear(r);
	for (i = 0; i < r->choice.n_ports; i++)
		if (port_at(r->ports, r->choice.ports[i]) != NULL)
			port_stats_base(r->ports, r->choice.ports[i]);
	pthread_mutex_unlock(&r->lock);
	run_mirror_clear(r);
}

/* Remember the packets at this time, so that cycles are divided only by packets after it. */
static void
timed_begin(struct run *r, unsigned int i)
{
	pthread_mutex_lock(&r->lock);
	stat_read(&r->timed_base[i], &r->streams[i]->count, sizeof(r->timed_base[i]));
	r->timed_tsc = rte_rdtsc();
	pthread_mutex_unlock(&r->lock);
}

void
run_count_timed(const struct run *r, unsigned int i, struct run_timed *t)
{
	const struct stream_count *base = &r->base[i].count, *timed = &r->timed_base[i];
	struct stream_count now;

	stat_read(&now, &r->streams[i]->count, sizeof(now));
	t->cycles = now.busy_cycles - RTE_MAX(base->busy_cycles, timed->busy_cycles);
	t->rx = now.rx - RTE_MAX(base->rx, timed->rx);
	t->tx = now.tx - RTE_MAX(base->tx, timed->tx);
}

void
run_count_record(struct run *r)
{
	bool cycles = setting_on(r->settings, "record-core-cycles");
	bool bursts = setting_on(r->settings, "record-burst-stats");
	bool bytes = setting_on(r->settings, "record-bytes");
	bool hardware = setting_on(r->settings, "record-hw-counters");
	unsigned int i;

	for (i = 0; r->streams != NULL && i < r->plan.n_streams; i++) {
		struct stream *s = r->streams[i];
		bool recorded = s->log != NULL && r->observer.wants != NULL &&
			r->observer.wants(r->observer.context, i);
		unsigned char timed = (cycles ? STREAM_TIMED_ALL : 0) |
			(recorded ? STREAM_TIMED_LOG : 0) |
			(s->limit.left != NULL ? STREAM_TIMED_LIMIT : 0) |
			(hardware && s->hw != NULL ? STREAM_TIMED_HARDWARE : 0);

		if (cycles && !stream_timed(s))
			timed_begin(r, i);
		if ((timed & STREAM_TIMED_HARDWARE) != 0 && !stream_hardware(s)) {
			pthread_mutex_lock(&r->lock);
			if (i == 0)
				hw_counters_machine(s->hw);
			pthread_mutex_unlock(&r->lock);
			atomic_fetch_add_explicit(&s->hw->switched, 1, memory_order_relaxed);
		}

		atomic_store_explicit(&s->record,
			(bursts || recorded ? STREAM_RECORD_BURSTS : 0) |
				(bytes ? STREAM_RECORD_BYTES : 0),
			memory_order_relaxed);
		/* Pairs with the acquire in stream_begin_timed() and stream_end_timed(). */
		atomic_store_explicit(&s->timed, timed, memory_order_release);
	}
}

/* The loss of a run, added up from the rows that count lost packets, for every report of a loss. */

void
run_loss_ports(const struct run *r, struct run_loss_port *port)
{
	memset(port, 0, RTE_MAX_ETHPORTS * sizeof(*port));
	for (unsigned int i = 0; i < r->plan.n_streams; i++) {
		const struct stream *s = r->streams[i];

		port[s->rx_port].receives |= (s->engine->flags & ENGINE_NO_RX) == 0;
		port[s->tx_port].sends |= (s->engine->flags & ENGINE_NO_TX) == 0;
	}
}

void
run_loss_add_stream(struct stat_loss *sum, const struct stream *s, const struct stream_count *c)
{
	const struct stat_table own = engine_counters(s->engine);

	stat_loss_add(sum, &stream_stats, c);
	stat_loss_add(sum, &own, c->named);
}

void
run_loss_add_port(struct stat_loss *sum, const struct run_loss_port *port,
	const struct rte_eth_stats *stats)
{
	struct rte_eth_stats st = *stats;

	if (!port->receives)
		st.imissed = 0;
	if (!port->sends)
		st.oerrors = 0;
	stat_loss_add(sum, &port_stats, &st);
}

void
run_loss_read(const struct run *r, struct stat_loss *loss)
{
	struct run_loss_port port[RTE_MAX_ETHPORTS];
	struct rte_eth_stats st;
	struct run_count c;

	*loss = (struct stat_loss){ 0 };
	run_loss_ports(r, port);
	for (unsigned int i = 0; i < r->plan.n_streams; i++) {
		run_count(r, i, &c);
		run_loss_add_stream(loss, r->streams[i], &c.count);
	}
	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++)
		if ((port[id].receives || port[id].sends) &&
			port_stats_since(r->ports, id, &st) == 0)
			run_loss_add_port(loss, &port[id], &st);
}

/* List all tables of statistics: those of every run, of each engine, and of DMA devices. */

/* Get table number i of an engine: its counters, then its groups. */
static bool
engine_at(const struct engine *engine, unsigned int i, struct run_schema *schema)
{
	const unsigned int counters = engine->n_counters > 0;
	const struct engine_group *group;

	if (i < counters) {
		*schema = (struct run_schema){ engine_counters(engine), engine->name, "stream" };
		schema->stats.name = "counters";
		return true;
	}
	if (i - counters >= engine->n_groups)
		return false;
	group = &engine->groups[i - counters];
	*schema = (struct run_schema){ *group->stats, engine->name,
		group->per_run ? "run" : "stream" };
	return true;
}

bool
run_schema_at(const struct run *r, unsigned int i, struct run_schema *schema)
{
	static const struct stat_table *const devices[] = { &dma_devices_adaptive_stats,
		&dma_devices_stats };
	const struct run_schema common[] = {
		{ stream_stats, NULL, "stream" },
		{ run_count_bursts, NULL, "stream" },
		{ port_stats, NULL, "port" },
		{ pool_stats, NULL, "pool" },
		{ pool_range_stats, NULL, "pool" },
		{ *run_recycle_group.stats, "any engine", "stream" },
		{ *run_count_hw_group.stats, "any engine", "lcore" },
		{ run_cpu_stats, "any engine", "lcore" },
	};

	if (i < ARRAY_SIZE(common)) {
		*schema = common[i];
		return true;
	}
	i -= ARRAY_SIZE(common);
	for (const struct engine *const *e = r->engines; e != NULL && *e != NULL; e++) {
		const unsigned int n = ((*e)->n_counters > 0) + (unsigned int)(*e)->n_groups;

		if (i < n)
			return engine_at(*e, i, schema);
		i -= n;
	}
	if (i >= ARRAY_SIZE(devices))
		return false;
	*schema = (struct run_schema){ *devices[i], NULL, "vchan" };
	return true;
}

void
run_schema_put(const struct run_schema *schema, const struct stat_sink *sink)
{
	sink->text(sink->to, "table", schema->stats.name);
	if (schema->engine != NULL)
		sink->text(sink->to, "engine", schema->engine);
	sink->text(sink->to, "of", schema->of);
	sink->open(sink->to, "rows", false);
	stat_put_rows(sink, &schema->stats);
	sink->close(sink->to);
}

static void
json_text(struct json *j, const char *key, const char *value)
{
	out_json_str(j, key, value, strlen(value));
}

/* Counters that were not counted are null in answers; gauges that nobody knows are left out. */
static void
row_schema(struct json *j, const struct stat_row *row)
{
	out_json_line(j);
	out_json_enter(j, row->name, false);
	if (row->kind == STAT_HISTOGRAM) {
		json_text(j, "$ref", "#/$defs/histogram");
	} else if (row->kind == STAT_COUNTER) {
		out_json_enter(j, "type", true);
		json_text(j, NULL, "integer");
		json_text(j, NULL, "null");
		out_json_leave(j);
	} else {
		json_text(j, "type", "integer");
	}
	json_text(j, "unit", stat_unit(row));
	json_text(j, "kind", stat_kind_word(row));
	json_text(j, "description", row->help);
	out_json_leave(j);
}

/* A histogram of any table: its sum has the name of its unit. */
static void
histogram_schema(struct json *j)
{
	static const char *const quantiles[] = { "p50", "p90", "p99" };
	static const char *const arrays[] = { "sizes", "counts" };

	out_json_line(j);
	out_json_enter(j, "histogram", false);
	json_text(j, "type", "object");
	out_json_enter(j, "properties", false);
	out_json_enter(j, "bursts", false);
	json_text(j, "type", "integer");
	out_json_leave(j);
	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++) {
		out_json_enter(j, quantiles[i], false);
		out_json_enter(j, "type", true);
		json_text(j, NULL, "integer");
		json_text(j, NULL, "null");
		out_json_leave(j);
		out_json_leave(j);
	}
	for (size_t i = 0; i < ARRAY_SIZE(arrays); i++) {
		out_json_enter(j, arrays[i], false);
		json_text(j, "type", "array");
		out_json_enter(j, "items", false);
		json_text(j, "type", "integer");
		out_json_leave(j);
		out_json_leave(j);
	}
	out_json_leave(j);
	out_json_enter(j, "additionalProperties", false);
	json_text(j, "type", "integer");
	out_json_leave(j);
	out_json_leave(j);
}

void
run_schema_json(const struct run *r, struct json *j)
{
	struct run_schema schema;
	char last[128] = "";

	out_json_schema(j);
	histogram_schema(j);
	for (unsigned int i = 0; run_schema_at(r, i, &schema); i++) {
		const bool one = schema.engine != NULL && strcmp(schema.engine, "any engine") != 0;
		char name[128];

		snprintf(name, sizeof(name), "%s%s%s", one ? schema.engine : "", one ? "." : "",
			schema.stats.name);
		/* Two tables may have one name: the counters of a stream and its histograms. */
		if (strcmp(name, last) != 0) {
			if (last[0] != '\0') {
				out_json_leave(j);
				out_json_leave(j);
			}
			out_json_line(j);
			out_json_enter(j, name, false);
			json_text(j, "title", schema.of);
			json_text(j, "type", "object");
			out_json_enter(j, "properties", false);
			snprintf(last, sizeof(last), "%s", name);
		}
		for (size_t k = 0; k < schema.stats.n; k++)
			row_schema(j, &schema.stats.row[k]);
	}
}
