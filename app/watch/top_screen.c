/* Drawing top: one table of columns for the screen and for plain lines. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "watch/top_screen.h"

#include "base/out.h"
#include "base/setting.h"
#include "base/terminal.h"
#include "base/text.h"
#include "engines/engine.h"
#include "watch/top_pages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CELL_BYTES 48
#define LINES_AROUND 4 /* heading, titles, total, keys */

static void
stream_cell(const struct top_row *row, char *to)
{
	if (row->of == NULL)
		snprintf(to, CELL_BYTES, "all");
	else
		snprintf(to, CELL_BYTES, "%u/%u>%u/%u", row->of->rx_port, row->of->rx_queue,
			row->of->tx_port, row->of->tx_queue);
}

/* A number with so many decimals, or "-" when it is not known. */
static void
number(char *to, double value, int decimals)
{
	if (isnan(value))
		snprintf(to, CELL_BYTES, "-");
	else
		snprintf(to, CELL_BYTES, "%.*f", decimals, value);
}

static void
lcore_cell(const struct top_row *row, char *to)
{
	number(to, row->of != NULL ? row->of->lcore : NAN, 0);
}

static void
pps_cell(const struct top_row *row, char *to)
{
	number(to, row->pps / 1e6, 3);
}

static void
bps_cell(const struct top_row *row, char *to)
{
	number(to, row->bps / 1e9, 3);
}

static void
cycles_cell(const struct top_row *row, char *to)
{
	number(to, row->cycles, 1);
}

static void
drops_cell(const struct top_row *row, char *to)
{
	number(to, row->drops, 0);
}

static void
pool_cell(const struct top_row *row, char *to)
{
	number(to, row->pool * 100, 0);
}

static void
empty_cell(const struct top_row *row, char *to)
{
	number(to, row->empty * 100, 1);
}

static void
sizes_cell(const struct top_row *row, char *to)
{
	if (row->p99 == 0)
		number(to, NAN, 0);
	else
		snprintf(to, CELL_BYTES, "%u/%u", row->p50, row->p99);
}

/* Most important first: a narrow terminal shows as many as fit. */
static const struct column {
	const char *title;
	unsigned int width;
	void (*cell)(const struct top_row *row, char *to); /* NULL: the picture of burst sizes */
	enum top_order order; /* what sorts by it; TOP_ORDERS: nothing */
} columns[] = {
	{ "rx>tx", 15, stream_cell, TOP_STREAM },
	{ "Mpps", 9, pps_cell, TOP_PPS },
	{ "Gb/s", 9, bps_cell, TOP_BPS },
	{ "cyc/pkt", 8, cycles_cell, TOP_CYCLES },
	{ "burst sizes", TOP_SPARK_MAX, NULL, TOP_ORDERS },
	{ "drops/s", 10, drops_cell, TOP_DROPS },
	{ "pool%", 5, pool_cell, TOP_POOL },
	{ "p50/p99", 8, sizes_cell, TOP_ORDERS },
	{ "empty%", 6, empty_cell, TOP_ORDERS },
	{ "lcore", 5, lcore_cell, TOP_ORDERS },
};

/* How many columns fit; at least one. */
static size_t
fitting(unsigned int width)
{
	unsigned int used = 0;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(columns); n++) {
		used += columns[n].width + (n > 0);
		if (used > width)
			break;
	}
	return n > 0 ? n : 1;
}

/* Text at the left of a line of so many columns, cut to fit, and the line's end. */
static void
line_add(struct text *t, unsigned int width, const char *text)
{
	text_add(t, "%.*s\033[K\r\n", (int)width, text);
}

static void
spark_add(struct text *t, const struct top_row *row, bool blocks)
{
	for (unsigned int i = 0; i < TOP_SPARK_MAX; i++)
		text_add(t, "%s", i < row->n_spark ? terminal_level(row->spark[i], blocks) : " ");
}

static void
row_add(struct text *t, const struct top_row *row, const struct top_view *v)
{
	size_t n = fitting(v->columns);
	char cell[CELL_BYTES];

	for (size_t i = 0; i < n; i++) {
		int width = (int)(columns[i].width < v->columns ? columns[i].width : v->columns);

		text_add(t, "%s", i > 0 ? " " : "");
		if (columns[i].cell == NULL) {
			spark_add(t, row, v->blocks);
			continue;
		}
		columns[i].cell(row, cell);
		text_add(t, i == 0 ? "%-*.*s" : "%*.*s", width, width, cell);
	}
	text_add(t, "\033[K\r\n");
}

/* Titles in reverse video, what sorts in bold beside. */
static void
titles_add(struct text *t, const struct top_view *v)
{
	size_t n = fitting(v->columns);

	text_add(t, "\033[7m");
	for (size_t i = 0; i < n; i++) {
		const struct column *c = &columns[i];
		bool sorts = c->order == v->order;
		int width = (int)(c->width < v->columns ? c->width : v->columns);

		text_add(t, "%s%s", i > 0 ? " " : "", sorts ? "\033[1m" : "");
		text_add(t, i == 0 || c->cell == NULL ? "%-*.*s" : "%*.*s", width, width, c->title);
		text_add(t, "%s", sorts ? "\033[22m" : "");
	}
	text_add(t, "\033[0m\033[K\r\n");
}

static const char *
order_name(enum top_order order)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (columns[i].order == order)
			return columns[i].title;
	return "";
}

static void
heading_add(struct text *t, const struct top_stats *f, const struct top_view *v)
{
	const struct run *r = f->run;
	const char *paused = v->paused ? ", paused" : "";
	char line[256], loss[32] = "";

	if (!isnan(f->loss))
		snprintf(loss, sizeof(loss), ", loss %.3f %%", 100 * f->loss);
	if (f->n == 0)
		snprintf(line, sizeof(line), "%s was not started yet, every %g s%s",
			r->engine->name, v->period, paused);
	else if (v->page > 0)
		snprintf(line, sizeof(line), "%s %s, %s, %.1f s, every %g s%s%s",
			r->engine_run->name, r->running ? "forwards" : "is stopped",
			top_pages[v->page - 1].name, f->running, v->period, loss, paused);
	else
		snprintf(line, sizeof(line),
			"%s %s, %u streams on %u lcore%s, %.1f s, every %g s, by %s%s%s%s",
			r->engine_run->name, r->running ? "forwards" : "is stopped", f->n,
			r->plan.n_lcores, r->plan.n_lcores == 1 ? "" : "s", f->running, v->period,
			order_name(v->order), v->reverse ? " reversed" : "", loss, paused);
	line_add(t, v->columns, line);
}

static void
keys_add(struct text *t, const struct top_stats *f, const struct top_view *v)
{
	const struct settings *s = f->run->settings;
	char line[256];

	snprintf(line, sizeof(line),
		"q quit  h help  TAB page  s sort  r reverse  + - period  space pause  b bursts %s  c cycles %s",
		setting_on(s, "record-burst-stats") ? "off" : "on",
		setting_on(s, "record-core-cycles") ? "off" : "on");
	/* Without a newline, which would scroll the last line away. */
	text_add(t, "%.*s\033[K", (int)v->columns, line);
}

/* Streams and their sum, in room + 1 lines. */
static void
streams_add(struct text *t, const struct top_stats *f, const struct top_view *v, unsigned int room)
{
	unsigned int i;

	titles_add(t, v);
	for (i = v->first; i < f->n && i < v->first + room; i++)
		row_add(t, &f->row[i], v);
	row_add(t, &f->total, v);
	for (i = f->n; i < room; i++)
		line_add(t, v->columns, "");
}

/* What a row's first number was, relative to the largest, the latest one at the right. */
static void
past_add(struct text *t, const struct top_stats *f, const struct top_view *v, unsigned int i)
{
	double most = 0;

	for (unsigned int k = 0; i < TOP_PAST_ROWS && k < TOP_PAST; k++)
		if (f->past[v->page - 1][i][k] > most)
			most = f->past[v->page - 1][i][k];
	for (unsigned int k = 0; i < TOP_PAST_ROWS && k < TOP_PAST; k++)
		text_add(t, "%s",
			k + f->n_past < TOP_PAST || !(most > 0)
				? " "
				: terminal_level(f->past[v->page - 1][i][k] / most, v->blocks));
}

/* Columns of a page that fit, the first of them a name, the last one what was before. */
static unsigned int
page_fitting(const struct top_page *p, unsigned int width, bool *past)
{
	unsigned int used = p->name_width, n;

	for (n = 0; n < p->n_columns; n++) {
		if (used + 1 + p->column[n].width > width)
			break;
		used += 1 + p->column[n].width;
	}
	*past = n == p->n_columns && used + 1 + TOP_PAST <= width;
	return n;
}

static void
page_row_add(struct text *t, const struct top_stats *f, const struct top_view *v, unsigned int i)
{
	const struct top_page *p = &top_pages[v->page - 1];
	struct top_page_row row = { .name = "" };
	char cell[CELL_BYTES];
	bool past;
	const unsigned int n = page_fitting(p, v->columns, &past);
	const int name = (int)(p->name_width < v->columns ? p->name_width : v->columns);

	for (unsigned int k = 0; k < TOP_CELLS_MAX; k++)
		row.cell[k] = NAN;
	p->row(f, i, &row);
	text_add(t, "%-*.*s", name, name, row.name);
	for (unsigned int k = 0; k < n; k++) {
		number(cell, row.cell[k], p->column[k].decimals);
		text_add(t, " %*.*s", (int)p->column[k].width, (int)p->column[k].width, cell);
	}
	if (past) {
		text_add(t, " ");
		past_add(t, f, v, i);
	}
	text_add(t, "\033[K\r\n");
}

/* A page of top_pages, in room + 2 lines. */
static void
page_add(struct text *t, const struct top_stats *f, const struct top_view *v, unsigned int room)
{
	const struct top_page *p = &top_pages[v->page - 1];
	const unsigned int rows = p->rows(f);
	bool past;
	const unsigned int n = page_fitting(p, v->columns, &past);
	const int name = (int)(p->name_width < v->columns ? p->name_width : v->columns);
	unsigned int i;

	text_add(t, "\033[7m%-*.*s", name, name, p->title);
	for (unsigned int k = 0; k < n; k++)
		text_add(t, " %*.*s", (int)p->column[k].width, (int)p->column[k].width,
			p->column[k].title);
	if (past)
		text_add(t, " %-*.*s", TOP_PAST, TOP_PAST, p->column[0].title);
	text_add(t, "\033[0m\033[K\r\n");
	for (i = v->first; i < v->first + room + 1; i++) {
		if (i < rows)
			page_row_add(t, f, v, i);
		else
			line_add(t, v->columns, "");
	}
}

/* What the keys do and the columns are, in room + 2 lines. */
static void
help_add(struct text *t, const struct top_view *v, unsigned int room)
{
	static const char *const lines[] = { "TAB or 1 to 5: streams, ports, lcores, pools, engine",
		"s < >: what sorts streams; r: the other way round; without them they keep their order",
		"+ -: twice and half the period; space: pause; up, down, page up, page down: scroll",
		"b: count sizes of bursts (burst sizes, p50/p99, empty%)",
		"c: count cycles (cyc/pkt, busy%)", "h or ?: this page and back; q: leave", "",
		"missed: no descriptor was free when packets came: lcores are too slow",
		"nombuf: no buffer was free to receive into: the pool is too small",
		"drops: the port took no more (ring full, link down or slow), or the engine dropped",
		"loss: missed and drops, as a share of all packets; explain drops says more",
		"busy%: time in polls that had packets; empty%: receive calls that gave nothing" };

	for (unsigned int i = 0; i < room + 2; i++)
		line_add(t, v->columns, i < ARRAY_SIZE(lines) ? lines[i] : "");
}

void
top_screen_draw(struct text *t, const struct top_stats *f, struct top_view *v)
{
	const unsigned int room = v->rows > LINES_AROUND ? v->rows - LINES_AROUND : 1;
	const unsigned int n = v->page > 0 ? top_pages[v->page - 1].rows(f) : f->n;

	if (v->first + room > n)
		v->first = n > room ? n - room : 0;
	text_clear(t);
	text_add(t, "\033[H");
	heading_add(t, f, v);
	if (v->help)
		help_add(t, v, room);
	else if (v->page > 0)
		page_add(t, f, v, room);
	else
		streams_add(t, f, v, room);
	keys_add(t, f, v);
	text_add(t, "\033[J");
}

void
top_screen_titles(struct text *t)
{
	text_add(t, "%8s", "time_s");
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (columns[i].cell != NULL)
			text_add(t, " %*s", (int)columns[i].width, columns[i].title);
	text_add(t, "\n");
}

void
top_screen_lines(struct text *t, const struct top_stats *f, double at_s)
{
	char cell[CELL_BYTES];

	for (unsigned int k = 0; k < f->n; k++) {
		text_add(t, "%8.2f", at_s);
		for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
			if (columns[i].cell == NULL)
				continue;
			columns[i].cell(&f->row[k], cell);
			text_add(t, " %*s", (int)columns[i].width, cell);
		}
		text_add(t, "\n");
	}
}

static void
page_json(struct out *o, const struct top_stats *f, const struct top_page *p)
{
	const unsigned int n = p->rows(f);

	out_nest(o, p->name, OUT_ARRAY);
	for (unsigned int i = 0; i < n; i++) {
		struct top_page_row row = { .name = "" };

		p->row(f, i, &row);
		out_nest(o, NULL, OUT_OBJECT);
		out_str(o, "name", NULL, row.name);
		for (unsigned int k = 0; k < p->n_columns; k++)
			out_f64(o, p->column[k].key, NULL, row.cell[k]);
		out_unnest(o);
	}
	out_unnest(o);
}

void
top_screen_json(struct out *o, const struct top_stats *f, double at_s)
{
	out_nest(o, NULL, OUT_OBJECT);
	out_f64(o, "time_s", NULL, at_s);
	out_f64(o, "interval_s", NULL, f->seconds);
	out_nest(o, "streams", OUT_ARRAY);
	for (unsigned int i = 0; i < f->n; i++) {
		const struct top_row *row = &f->row[i];

		out_nest(o, NULL, OUT_OBJECT);
		out_u64(o, "stream", NULL, row->stream);
		out_u64(o, "rx_port", NULL, row->of->rx_port);
		out_u64(o, "rx_queue", NULL, row->of->rx_queue);
		out_u64(o, "tx_port", NULL, row->of->tx_port);
		out_u64(o, "tx_queue", NULL, row->of->tx_queue);
		out_u64(o, "lcore", NULL, row->of->lcore);
		out_f64(o, "packets_per_second", NULL, row->pps);
		out_f64(o, "bits_per_second", NULL, row->bps);
		out_f64(o, "cycles_per_packet", NULL, row->cycles);
		out_f64(o, "drops_per_second", NULL, row->drops);
		out_f64(o, "empty_fraction", NULL, row->empty);
		out_f64(o, "pool_free_fraction", NULL, row->pool);
		out_u64(o, "burst_p50", NULL, row->p50);
		out_u64(o, "burst_p99", NULL, row->p99);
		out_unnest(o);
	}
	out_unnest(o);
	out_f64(o, "loss_fraction", NULL, f->loss);
	for (unsigned int p = 0; p < top_pages_n; p++)
		page_json(o, f, &top_pages[p]);
	out_unnest(o);
}
