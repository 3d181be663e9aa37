/* Statistics of a run in testpmd's format: per stream and per port, of mirrors, and burst sizes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/account/run_stats.h"

#include "base/out.h"
#include "base/setting.h"
#include "base/stat.h"
#include "base/terminal.h"
#include "base/text.h"
#include "engines/engine.h"
#include "port/port.h"
#include "port/port_stats.h"
#include "run/account/run_count.h"
#include "run/account/run_summary.h"
#include "run/run.h"
#include "run/run_mirror.h"

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mempool.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Add a queue's counts since the last clear. */
static void
queue_add(struct run_mirror_sum *sum, const struct run_mirror_queue *mq)
{
	const struct run_mirror_sum now = run_mirror_queue_read(mq), *base = &mq->base;

	sum->received += now.received - base->received;
	sum->sent += now.sent - base->sent;
	sum->no_mbuf += now.no_mbuf - base->no_mbuf;
	sum->full += now.full - base->full;
	sum->segments += now.segments - base->segments;
}

static void
sum_show(struct out *o, const struct run_mirror_sum *sum)
{
	out_u64(o, "received", "    %-14" PRIu64 " received\n", sum->received);
	out_u64(o, "sent", "    %-14" PRIu64 " sent\n", sum->sent);
	out_u64(o, "no_mbuf", "    %-14" PRIu64 " dropped: no free mbuf in the pool\n",
		sum->no_mbuf);
	out_u64(o, "full", "    %-14" PRIu64 " dropped: Tx queue full\n", sum->full);
	out_u64(o, "segments",
		"    %-14" PRIu64
		" dropped: multi-segment packet, which the Tx queue cannot send\n",
		sum->segments);
}

static void
queue_show(struct out *o, const struct run_mirror_queue *mq)
{
	struct run_mirror_sum sum = { 0 };

	queue_add(&sum, mq);
	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "rx_queue", "  RX queue %" PRIu64, mq->rx_queue);
	out_u64(o, "tx_queue", " -> TX queue %" PRIu64, mq->tx_queue);
	out_u64(o, "lcore", " on lcore %" PRIu64 ", ", mq->lcore);
	out_str(o, "manner", "%s", mq->clones ? "clone" : "copy");
	out_text(o, mq->clones ? "s\n" : "");
	out_str(o, "reason", mq->clones ? NULL : ": %s\n", mq->clones ? NULL : mq->why);
	sum_show(o, &sum);
	out_unnest(o);
}

void
run_mirror_show_all(const struct run *r)
{
	const struct run_mirror *m = &r->mirror;
	unsigned int shown = 0;

	out_nest(r->out, "mirrors", OUT_ARRAY);
	for (uint16_t i = 0; i < RTE_MAX_ETHPORTS; i++) {
		if (!m->target[i].on)
			continue;
		shown++;
		out_nest(r->out, NULL, OUT_OBJECT);
		out_u64(r->out, "from", "Port %" PRIu64 " is mirrored", i);
		out_u64(r->out, "to", " to port %" PRIu64 "\n", m->target[i].to);
		out_nest(r->out, "queues", OUT_ARRAY);
		for (unsigned int k = 0; k < m->n_queues; k++)
			if (m->queues[k]->rx_port == i && m->queues[k]->tx_port == m->target[i].to)
				queue_show(r->out, m->queues[k]);
		out_unnest(r->out);
		out_unnest(r->out);
	}
	out_unnest(r->out);
	out_u64(r->out, "pool_in_use", NULL,
		m->pool != NULL ? rte_mempool_in_use_count(m->pool) : 0);
	if (shown == 0)
		out_text(r->out, "No port is mirrored\n");
}

/*
 * The mirror's part of a port's forward statistics; nothing for a port that is not mirrored. JSON:
 * "mirror":{"to", "received", "sent", "no_mbuf", "full", "segments"}.
 */
static void
run_mirror_show_port(const struct run *r, uint16_t port)
{
	struct run_mirror_sum sum = { 0 };
	unsigned int queues = 0;
	uint16_t to = 0;

	for (unsigned int i = 0; i < r->mirror.n_queues; i++)
		if (r->mirror.queues[i]->rx_port == port) {
			queue_add(&sum, r->mirror.queues[i]);
			to = r->mirror.queues[i]->tx_port;
			queues++;
		}
	if (queues == 0)
		return;
	out_nest(r->out, "mirror", OUT_OBJECT);
	out_u64(r->out, "to", "  Mirrored to port %" PRIu64 "\n", to);
	sum_show(r->out, &sum);
	out_unnest(r->out);
}

/* Prints testpmd's forward statistics and burst lines; in JSON every counter. */

#define LINE_STREAM "-------"
#define LINE_PORT "----------------------"
#define LINE_TOTAL "+++++++++++++++"

/* Sums over the streams of one port. */
struct port_sum {
	uint64_t tx_dropped;
	uint64_t readonly_copied, readonly_dropped; /* received there */
	uint64_t named[STREAM_NAMED_MAX];
	int rx_stream, tx_stream; /* the last stream that receives, transmits there; -1: none */
};

/* Sums over all ports and streams. */
struct total {
	struct rte_eth_stats ports;
	uint64_t tx_dropped; /* those of the ports included */
	struct run_timed timed;
};

/*
 * "RX-bursts : 312 [0% of 0 pkts + 100% of 16 pkts]": the shares of size 0, of the two most
 * frequent other sizes, and of all remaining ones.
 */
static void
bursts_line(struct out *o, const char *way, const struct hist_copy *h)
{
	struct hist_top top = hist_top(h);
	uint64_t count[3] = { h->cell[0], top.count[0], top.count[1] }, sum = 0;
	unsigned int size[3] = { 0, top.size[0], top.size[1] }, i;
	int percents = 0;

	if (top.bursts == 0)
		return;
	out_text(o, "  %s-bursts : %" PRIu64 " [", way, top.bursts);
	for (i = 0; i < ARRAY_SIZE(count); i++) {
		int percent = (int)((double)count[i] / (double)top.bursts * 100);

		sum += count[i];
		if (sum == top.bursts) {
			out_text(o, "%d%% of %u pkts]\n", 100 - percents, size[i]);
			return;
		}
		out_text(o, "%d%% of %u pkts + ", percent, size[i]);
		percents += percent;
	}
	out_text(o, "%d%% of other]\n", 100 - percents);
}

/* The engine's counters that have a label, three per line, aligned with the line above. */
static void
named_lines(struct out *o, const struct engine *engine, const void *named)
{
	static const char *const formats[] = { "  %s: %-14" PRIu64, " %s: %-14" PRIu64,
		"%s: %-14" PRIu64 };
	const struct stat_table own = engine_counters(engine);
	unsigned int shown = 0;

	for (size_t i = 0; i < own.n; i++) {
		if (own.row[i].label == NULL)
			continue;
		if (shown > 0 && shown % 3 == 0)
			out_text(o, "\n");
		out_text(o, formats[shown++ % 3], own.row[i].label, stat_value(&own, i, named));
	}
	if (shown > 0)
		out_text(o, "\n");
}

static void
stream_members(struct out *o, const struct stream *s, const struct run_count *c)
{
	const struct stat_table own = engine_counters(s->engine);
	const struct stat_sink sink = stat_sink_out(o);

	run_count_identity(s, &sink);
	stat_put(&sink, &stream_stats, &c->count);
	out_nest(o, "counters", OUT_OBJECT);
	stat_put(&sink, &own, c->count.named);
	out_unnest(o);
}

/* The text block of one stream, printed if there are more streams than ports. */
static void
stream_text(const struct run *r, const struct stream *s, const struct run_count *c)
{
	struct out *o = r->out;

	if (c->count.rx == 0 && c->count.tx == 0 && c->count.tx_dropped == 0)
		return;
	out_text(o, "\n  %s Forward Stats for RX Port=%2u/Queue=%2u -> TX Port=%2u/Queue=%2u %s\n",
		LINE_STREAM, s->rx_port, s->rx_queue, s->tx_port, s->tx_queue, LINE_STREAM);
	out_text(o, " ");
	for (size_t i = 0; i < stream_stats.n; i++)
		if (stream_stats.row[i].label != NULL)
			out_text(o, " %s: %-14" PRIu64, stream_stats.row[i].label,
				stat_value(&stream_stats, i, &c->count));
	out_text(o, "\n");
	named_lines(o, r->engine_run, c->count.named);
	if (setting_on(r->settings, "record-burst-stats")) {
		bursts_line(o, "RX", &c->rx_bursts);
		bursts_line(o, "TX", &c->tx_bursts);
	}
}

static void
sum_stream(struct port_sum *sums, const struct stream *s, const struct run_count *c, int i)
{
	const struct stat_table own = engine_counters(s->engine);

	sums[s->tx_port].tx_dropped += c->count.tx_dropped;
	sums[s->tx_port].tx_stream = i;
	sums[s->rx_port].rx_stream = i;
	sums[s->rx_port].readonly_copied += c->count.readonly_copied;
	sums[s->rx_port].readonly_dropped += c->count.readonly_dropped;
	stat_add(&own, sums[s->rx_port].named, c->count.named);
}

static void
port_stats_lines(struct out *o, const struct engine *engine, const struct rte_eth_stats *st,
	const struct port_sum *sum)
{
	const uint64_t tx_dropped = sum->tx_dropped + st->oerrors;
	const struct stat_sink sink = stat_sink_out(o);

	out_text(o,
		"  RX-packets: %-14" PRIu64 " RX-dropped: %-14" PRIu64 "RX-total: %-" PRIu64 "\n",
		st->ipackets, st->imissed, st->ipackets + st->imissed);
	named_lines(o, engine, sum->named);
	if (st->ierrors + st->rx_nombuf > 0)
		out_text(o, "  RX-error: %-" PRIu64 "\n  RX-nombufs: %-14" PRIu64 "\n", st->ierrors,
			st->rx_nombuf);
	out_text(o,
		"  TX-packets: %-14" PRIu64 " TX-dropped: %-14" PRIu64 "TX-total: %-" PRIu64 "\n",
		st->opackets, tx_dropped, st->opackets + tx_dropped);
	stat_put(&sink, &port_stats, st);
	out_u64(o, "rx_total", NULL, st->ipackets + st->imissed);
	out_u64(o, "tx_dropped", NULL, tx_dropped);
	out_u64(o, "tx_total", NULL, st->opackets + tx_dropped);
}

/* counts: NULL unless each port has at most one stream. */
static void
port_show(const struct run *r, const struct engine *engine, uint16_t id, const struct port_sum *sum,
	const struct run_count *counts, struct total *total)
{
	struct out *o = r->out;
	struct rte_eth_stats st;

	if (port_stats_since(r->ports, id, &st) != 0) {
		out_warn(o, "port %u: the driver does not report statistics\n", id);
		return;
	}
	stat_add(&port_stats, &total->ports, &st);
	total->tx_dropped += sum->tx_dropped + st.oerrors;
	out_nest(o, NULL, OUT_OBJECT);
	out_text(o, "\n  %s Forward statistics for port %-2u %s\n", LINE_PORT, id, LINE_PORT);
	out_u64(o, "port", NULL, id);
	port_stats_lines(o, engine, &st, sum);
	if (sum->readonly_copied + sum->readonly_dropped > 0)
		out_text(o, "  Read-only data: %" PRIu64 " packets copied, %" PRIu64 " dropped\n",
			sum->readonly_copied, sum->readonly_dropped);
	run_mirror_show_port(r, id);
	if (counts != NULL && setting_on(r->settings, "record-burst-stats")) {
		if (sum->rx_stream >= 0)
			bursts_line(o, "RX", &counts[sum->rx_stream].rx_bursts);
		if (sum->tx_stream >= 0)
			bursts_line(o, "TX", &counts[sum->tx_stream].tx_bursts);
	}
	out_text(o, "  %s--------------------------------%s\n", LINE_PORT, LINE_PORT);
	out_unnest(o);
}

/* The settings in effect for the run that differ from their defaults; JSON only. */
static void
settings_members(const struct run *r)
{
	const struct setting *row;
	uint64_t number;
	char word[256];

	out_nest(r->out, "settings", OUT_OBJECT);
	for (size_t i = 0;
		(row = setting_of_run(r->settings, i, &number, word, sizeof(word))) != NULL; i++)
		if (setting_defaults_to(row, number, word))
			continue;
		else if (row->kind == SETTING_UINT)
			out_u64(r->out, row->name, NULL, number);
		else if (row->kind == SETTING_BOOL)
			out_bool(r->out, row->name, NULL, number != 0, "", "");
		else
			out_str(r->out, row->name, NULL, word);
	out_unnest(r->out);
}

/* Seconds from the start or the last clear until now or the stop. */
static double
seconds(const struct run *r)
{
	uint64_t end = run_busy(r) ? rte_rdtsc() : r->end_tsc;

	return (double)(end - r->base_tsc) / r->tsc_hz;
}

static void
total_show(const struct run *r, const struct engine *engine, const struct total *t)
{
	uint64_t packets = (engine->flags & ENGINE_MAKES) != 0 ? t->timed.tx : t->timed.rx;
	const struct rte_eth_stats *p = &t->ports;
	struct out *o = r->out;

	out_nest(o, "total", OUT_OBJECT);
	out_text(o, "\n  %s Accumulated forward statistics for all ports%s\n", LINE_TOTAL,
		LINE_TOTAL);
	out_u64(o, "rx_packets", "  RX-packets: %-14" PRIu64, p->ipackets);
	out_u64(o, "rx_missed", " RX-dropped: %-14" PRIu64, p->imissed);
	out_u64(o, "rx_total", "RX-total: %-" PRIu64 "\n", p->ipackets + p->imissed);
	out_u64(o, "tx_packets", "  TX-packets: %-14" PRIu64, p->opackets);
	out_u64(o, "tx_dropped", " TX-dropped: %-14" PRIu64, t->tx_dropped);
	out_u64(o, "tx_total", "TX-total: %-" PRIu64 "\n", p->opackets + t->tx_dropped);
	if (r->streams != NULL) {
		out_f64(o, "rx_pps", NULL, (double)p->ipackets / seconds(r));
		out_f64(o, "tx_pps", NULL, (double)p->opackets / seconds(r));
	}
	out_u64(o, "rx_nombuf", p->rx_nombuf > 0 ? "  RX-nombufs: %-14" PRIu64 "\n" : NULL,
		p->rx_nombuf);
	out_text(o, "  %s++++++++++++++++++++++++++++++++++++++++++++++%s\n", LINE_TOTAL,
		LINE_TOTAL);
	if (setting_on(r->settings, "record-core-cycles") && packets > 0) {
		out_f64(o, "cycles_per_packet", "\n  CPU cycles/packet=%.2F",
			(double)t->timed.cycles / (double)packets);
		out_u64(o, "busy_cycles", " (busy cycles=%" PRIu64, t->timed.cycles);
		out_text(o, " / total %s packets=%" PRIu64 ")", engine->name, packets);
		out_u64(o, "tsc_mhz", " at %" PRIu64 " MHz Clock\n", (uint64_t)(r->tsc_hz / 1e6));
	}
	out_unnest(o);
}

/*
 * Hardware counters per lcore. Memory requests are counted for the whole machine and therefore
 * divided by the packets of all lcores.
 */
static void
hardware_show(const struct run *r, struct run_count *counts)
{
	struct out *o = r->out;
	uint64_t packets = 0;

	for (unsigned int i = 0; i < r->plan.n_streams; i++)
		packets += counts[i].hw.packets;
	out_nest(o, "hardware", OUT_ARRAY);
	for (unsigned int i = 0; i < r->plan.n_streams; i++) {
		struct hw_count *c = &counts[i].hw;

		if (c->packets == 0)
			continue;
		if (c->event[PMU_MC_REQUESTS] != STAT_NONE)
			c->event[PMU_MC_REQUESTS] = (uint64_t)((double)c->event[PMU_MC_REQUESTS] *
				(double)c->packets / (double)packets);
		out_nest(o, NULL, OUT_OBJECT);
		out_u64(o, "lcore", "\n  Hardware counters/packet, lcore %" PRIu64 ": ",
			r->streams[i]->lcore);
		out_u64(o, "packets", NULL, c->packets);
		hw_counters_show(o, c);
		out_unnest(o);
	}
	out_unnest(o);
	out_text(o, packets > 0 ? "\n" : "\n  Hardware counters: nothing counted\n");
}

/* A snapshot of all streams' counters, to be freed; NULL without streams or if memory is short. */
static struct run_count *
counts_now(const struct run *r)
{
	struct run_count *counts;
	unsigned int i;

	if (r->streams == NULL)
		return NULL;
	counts = calloc(r->plan.n_streams, sizeof(*counts));
	for (i = 0; counts != NULL && i < r->plan.n_streams; i++)
		run_count(r, i, &counts[i]);
	return counts;
}

void
run_stats_show(const struct run *r)
{
	const struct engine *engine = r->streams != NULL ? r->engine_run : r->engine;
	bool by_stream = r->streams != NULL && r->plan.n_streams > r->plan.n_ports;
	struct run_count *counts = counts_now(r);
	struct port_sum sums[RTE_MAX_ETHPORTS];
	struct run_timed timed;
	struct total total;
	struct out *o = r->out;
	unsigned int i;

	if (r->streams != NULL && counts == NULL) {
		out_warn(o,
			"no memory for the statistics of %u streams; try \"show fwd stats all\" later\n",
			r->plan.n_streams);
		return;
	}
	memset(&total, 0, sizeof(total));
	memset(sums, 0, sizeof(sums));
	for (i = 0; i < RTE_MAX_ETHPORTS; i++)
		sums[i].rx_stream = sums[i].tx_stream = -1;
	out_bool(o, "running", NULL, run_busy(r), "", "");
	if (r->streams != NULL)
		out_f64(o, "seconds", NULL, seconds(r));
	out_str(o, "engine", NULL, engine->name);
	settings_members(r);
	out_nest(o, "streams", OUT_ARRAY);
	for (i = 0; counts != NULL && i < r->plan.n_streams; i++) {
		out_nest(o, NULL, OUT_OBJECT);
		stream_members(o, r->streams[i], &counts[i]);
		out_unnest(o);
		if (by_stream)
			stream_text(r, r->streams[i], &counts[i]);
		sum_stream(sums, r->streams[i], &counts[i], (int)i);
		run_count_timed(r, i, &timed);
		total.timed.cycles += timed.cycles;
		total.timed.rx += timed.rx;
		total.timed.tx += timed.tx;
	}
	out_unnest(o);
	out_nest(o, "ports", OUT_ARRAY);
	for (i = 0; i < r->choice.use_ports; i++)
		port_show(r, engine, r->choice.ports[i], &sums[r->choice.ports[i]],
			by_stream ? NULL : counts, &total);
	out_unnest(o);
	total_show(r, engine, &total);
	if (counts != NULL && setting_on(r->settings, "record-hw-counters"))
		hardware_show(r, counts);
	run_summary_json(r);
	free(counts);
}

/* Prints the full burst histograms and all counters of every stream. */

#define TEXT_COLUMNS 69 /* width of a line's numbers, to the left of the bars */
#define BAR_LEAST 6
#define BAR_MOST 40

static void
route_head(struct out *o, const struct stream *s)
{
	stream_ends_show(o, s);
	out_u64(o, "lcore", " on lcore %" PRIu64 "\n", s->lcore);
}

static double
percent(uint64_t part, uint64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

/* Cells for the bar of one direction beside the numbers; 0: no terminal, or too narrow. */
static unsigned int
bar_cells(struct out *o)
{
	unsigned int columns, rows;

	if (out_format(o) != OUT_TEXT || !out_terminal(o, &columns, &rows))
		return 0;
	columns = columns > TEXT_COLUMNS ? (columns - TEXT_COLUMNS) / 2 : 0;
	return columns < BAR_LEAST ? 0 : columns < BAR_MOST ? columns : BAR_MOST;
}

static uint64_t
most(const struct hist_copy *h)
{
	struct hist_top top = hist_top(h);

	return h->cell[0] > top.count[0] ? h->cell[0] : top.count[0];
}

/*
 * The Rx and the Tx bar of one size, and the line's end. The most frequent size of a direction gets
 * the longest bar.
 */
static void
bars_text(struct out *o, const struct run_count *c, unsigned int n, unsigned int cells)
{
	struct text t = { 0 };

	for (unsigned int tx = 0; cells > 0 && tx < 2; tx++) {
		const struct hist_copy *h = tx ? &c->tx_bursts : &c->rx_bursts;

		text_add(&t, " ");
		terminal_bar(&t, cells - 1, percent(h->cell[n], most(h)) / 100, terminal_blocks());
	}
	out_text(o, "%s\n", t.bytes != NULL ? t.bytes : "");
	free(t.bytes);
}

/* Quantiles of the non-empty bursts, or "no packets" if there is none. */
static void
quantiles_text(struct out *o, const char *way, const struct hist_copy *h)
{
	if (hist_quantile(h, 1) == 0)
		out_text(o, "%sno packets", way);
	else
		out_text(o, "%smedian %u p90 %u p99 %u", way, hist_quantile(h, 0.5),
			hist_quantile(h, 0.9), hist_quantile(h, 0.99));
}

static void
both_text(struct out *o, const struct run_count *c)
{
	const unsigned int cells = bar_cells(o);
	struct hist_top rx = hist_top(&c->rx_bursts), tx = hist_top(&c->tx_bursts);
	unsigned int n;

	out_text(o, "  packets %20s %8s %20s %8s\n", "rx bursts", "share", "tx bursts", "share");
	for (n = 0; n < HIST_CELLS; n++) {
		uint64_t r = c->rx_bursts.cell[n], t = c->tx_bursts.cell[n];

		if (r + t > 0)
			out_text(o, "  %7u %20" PRIu64 " %7.3f%% %20" PRIu64 " %7.3f%%", n, r,
				percent(r, rx.bursts), t, percent(t, tx.bursts));
		if (r + t > 0)
			bars_text(o, c, n, cells);
	}
	if (rx.bursts + tx.bursts == 0) {
		out_text(o, "  no bursts counted; use \"set record-burst-stats on\"\n");
		return;
	}
	quantiles_text(o, "  rx ", &c->rx_bursts);
	quantiles_text(o, ", tx ", &c->tx_bursts);
	out_text(o, " (empty bursts excluded)\n");
}

/* Call show for every stream with its current counters. */
static void
each_stream(const struct run *r,
	void (*show)(struct out *, const struct stream *, const struct run_count *))
{
	struct run_count *count = malloc(sizeof(*count));
	unsigned int i;

	out_nest(r->out, "streams", OUT_ARRAY);
	for (i = 0; count != NULL && r->streams != NULL && i < r->plan.n_streams; i++) {
		run_count(r, i, count);
		out_nest(r->out, NULL, OUT_OBJECT);
		route_head(r->out, r->streams[i]);
		show(r->out, r->streams[i], count);
		out_unnest(r->out);
	}
	out_unnest(r->out);
	free(count);
}

static void
bursts_show(struct out *o, const struct stream *s, const struct run_count *c)
{
	const struct stat_sink sink = stat_sink_out(o);

	if (run_count_has_bursts(s, c))
		stat_put(&sink, &run_count_bursts, c);
	else
		for (size_t i = 0; i < run_count_bursts.n; i++)
			sink.text(sink.to, run_count_bursts.row[i].name, NULL);
	both_text(o, c);
}

void
run_bursts_show(const struct run *r)
{
	each_stream(r, bursts_show);
}

/* One line per row, with a dash for an unavailable value. helped: add each row's help. */
static void
rows_text(struct out *o, const struct stat_table *t, const void *of, bool helped)
{
	for (size_t i = 0; i < t->n; i++) {
		const uint64_t value = stat_value(t, i, of);
		char text[24] = "-";

		if (value != STAT_NONE || !t->row[i].optional)
			snprintf(text, sizeof(text), "%" PRIu64, value);
		out_text(o, "  %-20s %s%s%s\n", text, t->row[i].name, helped ? ": " : "",
			helped ? t->row[i].help : "");
	}
}

static void
counters_show(struct out *o, const struct stream *s, const struct run_count *c)
{
	const struct stat_table own = engine_counters(s->engine);
	const struct stat_sink sink = stat_sink_out(o);

	stat_put(&sink, &stream_stats, &c->count);
	stat_put(&sink, &own, c->count.named);
	rows_text(o, &stream_stats, &c->count, false);
	rows_text(o, &own, c->count.named, true);
}

void
run_bursts_counters(const struct run *r)
{
	each_stream(r, counters_show);
}
