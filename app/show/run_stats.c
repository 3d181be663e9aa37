/* Prints testpmd's forward statistics and burst lines; in JSON every counter. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "show/run_stats.h"

#include "base/out.h"
#include "base/setting.h"
#include "base/stat_sink.h"
#include "engines/engine.h"
#include "port/port.h"
#include "port/port_stats.h"
#include "run/run.h"
#include "run/run_count.h"
#include "run/run_start.h"
#include "show/run_mirror_show.h"
#include "show/run_summary.h"

#include <rte_cycles.h>
#include <rte_ethdev.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_STREAM "-------"
#define LINE_PORT "----------------------"
#define LINE_TOTAL "+++++++++++++++"

/* Sums over the streams of one port. */
struct port_sum {
	uint64_t tx_dropped;
	uint64_t named[STREAM_NAMED_MAX];
	int rx_stream, tx_stream; /* the last stream that receives, transmits there; -1: none */
};

struct total {
	uint64_t rx, rx_missed, rx_nombuf, tx, tx_dropped;
	struct run_timed timed; /* sum over all streams */
	uint64_t streams_rx, streams_tx;
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
count_members(struct out *o, const struct engine *engine, const struct run_count *c)
{
	const struct stat_table own = engine_counters(engine);
	const struct stat_sink sink = stat_sink_out(o);

	stat_put(&sink, &stream_stats, &c->count);
	out_nest(o, "counters", OUT_OBJECT);
	stat_put(&sink, &own, c->count.named);
	out_unnest(o);
}

static void
stream_members(struct out *o, const struct stream *s)
{
	out_u64(o, "rx_port", NULL, s->rx_port);
	out_u64(o, "rx_queue", NULL, s->rx_queue);
	out_u64(o, "tx_port", NULL, s->tx_port);
	out_u64(o, "tx_queue", NULL, s->tx_queue);
	out_u64(o, "lcore", NULL, s->lcore);
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
sum_stream(struct port_sum *sums, struct total *total, const struct stream *s,
	const struct run_count *c, int i)
{
	const struct stat_table own = engine_counters(s->engine);

	total->streams_rx += c->count.rx;
	total->streams_tx += c->count.tx;
	sums[s->tx_port].tx_dropped += c->count.tx_dropped;
	sums[s->tx_port].tx_stream = i;
	sums[s->rx_port].rx_stream = i;
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
	total->rx += st.ipackets;
	total->tx += st.opackets;
	total->rx_missed += st.imissed;
	total->rx_nombuf += st.rx_nombuf;
	total->tx_dropped += sum->tx_dropped + st.oerrors;
	out_nest(o, NULL, OUT_OBJECT);
	out_text(o, "\n  %s Forward statistics for port %-2u %s\n", LINE_PORT, id, LINE_PORT);
	out_u64(o, "port", NULL, id);
	port_stats_lines(o, engine, &st, sum);
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

	return (double)(end - r->base_tsc) / (double)rte_get_tsc_hz();
}

static void
total_show(const struct run *r, const struct engine *engine, const struct total *t)
{
	uint64_t packets = (engine->flags & ENGINE_MAKES) != 0 ? t->timed.tx : t->timed.rx;
	struct out *o = r->out;

	out_nest(o, "total", OUT_OBJECT);
	out_text(o, "\n  %s Accumulated forward statistics for all ports%s\n", LINE_TOTAL,
		LINE_TOTAL);
	out_u64(o, "rx_packets", "  RX-packets: %-14" PRIu64, t->rx);
	out_u64(o, "rx_missed", " RX-dropped: %-14" PRIu64, t->rx_missed);
	out_u64(o, "rx_total", "RX-total: %-" PRIu64 "\n", t->rx + t->rx_missed);
	out_u64(o, "tx_packets", "  TX-packets: %-14" PRIu64, t->tx);
	out_u64(o, "tx_dropped", " TX-dropped: %-14" PRIu64, t->tx_dropped);
	out_u64(o, "tx_total", "TX-total: %-" PRIu64 "\n", t->tx + t->tx_dropped);
	if (r->streams != NULL) {
		out_f64(o, "rx_pps", NULL, (double)t->rx / seconds(r));
		out_f64(o, "tx_pps", NULL, (double)t->tx / seconds(r));
	}
	out_u64(o, "rx_nombuf", t->rx_nombuf > 0 ? "  RX-nombufs: %-14" PRIu64 "\n" : NULL,
		t->rx_nombuf);
	out_text(o, "  %s++++++++++++++++++++++++++++++++++++++++++++++%s\n", LINE_TOTAL,
		LINE_TOTAL);
	if (setting_on(r->settings, "record-core-cycles") && packets > 0) {
		out_f64(o, "cycles_per_packet", "\n  CPU cycles/packet=%.2F",
			(double)t->timed.cycles / (double)packets);
		out_u64(o, "busy_cycles", " (busy cycles=%" PRIu64, t->timed.cycles);
		out_text(o, " / total %s packets=%" PRIu64 ")", engine->name, packets);
		out_u64(o, "tsc_mhz", " at %" PRIu64 " MHz Clock\n", rte_get_tsc_hz() / 1000000);
	}
	out_unnest(o);
}

/*
 * Explain why the totals, which ports count, differ from the counts of the streams: packets wait in
 * a port's rings at the start or the stop. Only for text, because JSON has both counts.
 */
static void
difference_say(const struct run *r, const struct total *t)
{
	if (run_busy(r) || out_format(r->out) != OUT_TEXT || t->rx + t->tx == 0 ||
		(t->rx == t->streams_rx && t->tx == t->streams_tx))
		return;
	out_note(r->out,
		"Ports counted %" PRIu64 " packets received and %" PRIu64
		" sent, forwarding counted %" PRIu64 " and %" PRIu64
		": the difference is packets in port rings at start or stop, and clones sent by mirrors\n",
		t->rx, t->tx, t->streams_rx, t->streams_tx);
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
		stream_members(o, r->streams[i]);
		count_members(o, engine, &counts[i]);
		out_unnest(o);
		if (by_stream)
			stream_text(r, r->streams[i], &counts[i]);
		sum_stream(sums, &total, r->streams[i], &counts[i], (int)i);
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
	if (r->streams != NULL)
		difference_say(r, &total);
	if (counts != NULL && setting_on(r->settings, "record-hw-counters"))
		hardware_show(r, counts);
	run_summary_json(r);
	free(counts);
}
