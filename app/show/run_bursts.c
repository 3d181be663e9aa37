/* Prints the full burst histograms and all counters of every stream. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "show/run_bursts.h"

#include "base/out.h"
#include "base/stat_sink.h"
#include "base/terminal.h"
#include "base/text.h"
#include "engines/engine.h"
#include "run/run.h"
#include "run/run_count.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_COLUMNS 69 /* width of a line's numbers, to the left of the bars */
#define BAR_LEAST 6
#define BAR_MOST 40

static void
route_head(struct out *o, const struct stream *s)
{
	out_u64(o, "rx_port", "RX Port=%" PRIu64, s->rx_port);
	out_u64(o, "rx_queue", "/Queue=%" PRIu64, s->rx_queue);
	out_u64(o, "tx_port", " -> TX Port=%" PRIu64, s->tx_port);
	out_u64(o, "tx_queue", "/Queue=%" PRIu64, s->tx_queue);
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

	if (out_format(o) != OUT_TEXT || !terminal_size(out_file(o), &columns, &rows))
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
	if (hist_quantile(h, 1000) == 0)
		out_text(o, "%sno packets", way);
	else
		out_text(o, "%smedian %u p90 %u p99 %u", way, hist_quantile(h, 500),
			hist_quantile(h, 900), hist_quantile(h, 990));
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

		if (value != STAT_NONE || !t->row[i].may_lack)
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
