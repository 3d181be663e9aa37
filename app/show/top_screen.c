/* Draws top: one table of columns for the screen, plain lines and JSON. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/out.h"
#include "base/setting.h"
#include "base/stat.h"
#include "base/terminal.h"
#include "base/text.h"
#include "engines/engine.h"
#include "run/account/run_count.h"
#include "show/top_priv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELL_BYTES 48
#define LINES_AROUND 4 /* heading, titles, total, keys */
#define HELP_INDENT 2  /* indentation of a paragraph's continuation lines */

static void
stream_cell(const struct top_row *row, char *to)
{
	if (row->of == NULL)
		snprintf(to, CELL_BYTES, "all");
	else
		snprintf(to, CELL_BYTES, "%u/%u>%u/%u", row->of->rx_port, row->of->rx_queue,
			row->of->tx_port, row->of->tx_queue);
}

/* Format a number with the given decimals, "-" if it is unknown, or "max". */
static void
number(char *to, double value, int decimals)
{
	if (isnan(value))
		snprintf(to, CELL_BYTES, "-");
	else if (isinf(value))
		snprintf(to, CELL_BYTES, "max");
	else
		snprintf(to, CELL_BYTES, "%.*f", decimals, value);
}

static void
lcore_cell(const struct top_row *row, char *to)
{
	number(to, row->of != NULL ? row->of->lcore : NAN, 0);
}

static void
sizes_cell(const struct top_row *row, char *to)
{
	if (row->p99 == 0)
		number(to, NAN, 0);
	else
		snprintf(to, CELL_BYTES, "%u/%u", row->p50, row->p99);
}

enum column_id {
	COLUMN_STREAM,
	COLUMN_PPS,
	COLUMN_BPS,
	COLUMN_CYCLES,
	COLUMN_SPARK,
	COLUMN_DROPS,
	COLUMN_POOL,
	COLUMN_SIZES,
	COLUMN_EMPTY,
	COLUMN_LCORE,
	COLUMN_TX,
};

#define VALUE(member) offsetof(struct top_row, member)

/* Most important first, because a narrow terminal shows only those that fit until one scrolls. */
static const struct column {
	const char *title;
	unsigned int width;
	enum top_order order; /* order by this column; TOP_ORDERS: it cannot be sorted by */
	/* A column without key and cell is the burst size histogram. */
	void (*cell)(const struct top_row *row, char *to);
	const char *key; /* in JSON, of the double at value; the screen shows value * times / per */
	size_t value;
	double times, per;
	int decimals;
} columns[] = {
	[COLUMN_STREAM] = { "rx>tx", 15, TOP_STREAM, stream_cell },
	[COLUMN_PPS] = { "Mpps", 9, TOP_PPS, NULL, "packets_per_second", VALUE(pps), 1, 1e6, 3 },
	[COLUMN_BPS] = { "Gb/s", 9, TOP_BPS, NULL, "bits_per_second", VALUE(bps), 1, 1e9, 3 },
	[COLUMN_CYCLES] = { "cyc/pkt", 8, TOP_CYCLES, NULL, "cycles_per_packet", VALUE(cycles), 1,
		1, 1 },
	[COLUMN_SPARK] = { "burst sizes", TOP_SPARK_MAX, TOP_ORDERS },
	[COLUMN_DROPS] = { "drops/s", 9, TOP_DROPS, NULL, "drops_per_second", VALUE(drops), 1, 1,
		0 },
	[COLUMN_POOL] = { "pool%", 5, TOP_POOL, NULL, "pool_free_fraction", VALUE(pool), 100, 1,
		0 },
	[COLUMN_SIZES] = { "p50/p99", 8, TOP_ORDERS, sizes_cell },
	[COLUMN_EMPTY] = { "empty%", 6, TOP_ORDERS, NULL, "empty_fraction", VALUE(empty), 100, 1,
		1 },
	[COLUMN_LCORE] = { "lcore", 5, TOP_ORDERS, lcore_cell },
	[COLUMN_TX] = { "txMpps", 9, TOP_ORDERS, NULL, "tx_packets_per_second", VALUE(tx_pps), 1,
		1e6, 3 },
};

static bool
is_histogram(const struct column *c)
{
	return c->cell == NULL && c->key == NULL;
}

static double
column_value(const struct column *c, const struct top_row *row)
{
	double value;

	memcpy(&value, (const unsigned char *)row + c->value, sizeof(value));
	return value;
}

static void
cell_write(const struct column *c, const struct top_row *row, char *to)
{
	if (c->cell != NULL)
		c->cell(row, to);
	else
		number(to, column_value(c, row) * c->times / c->per, c->decimals);
}

/* Which columns are drawn: always the first, which has the row's name, and columns [from, to). */
struct layout {
	unsigned int name; /* width of the first column */
	unsigned int from, to, used;
	bool more; /* columns are hidden at the right */
};

/* The end of the columns that fit beside the name, starting with from; ">" needs a cell as well. */
static unsigned int
fitting(const unsigned int *width, unsigned int n, unsigned int from, unsigned int room,
	unsigned int *used)
{
	unsigned int i;

	*used = width[0];
	for (i = from; i < n && *used + 1 + width[i] + (i + 1 < n) <= room; i++)
		*used += 1 + width[i];
	return i;
}

/* Choose the columns to draw, and limit v->left so that the last column is not scrolled past. */
static struct layout
layout_of(const unsigned int *width, unsigned int n, struct top_view *v)
{
	struct layout l = { .from = 1 };

	while (l.from <= v->left && l.from + 1 < n &&
		fitting(width, n, l.from, v->columns, &l.used) < n)
		l.from++;
	v->left = l.from - 1;
	l.to = fitting(width, n, l.from, v->columns, &l.used);
	l.more = l.to < n && !v->block;
	l.name = width[0] + l.more <= v->columns ? width[0] : v->columns - l.more;
	l.used -= width[0] - l.name;
	return l;
}

/* The character before column i in the line of titles; "<" if columns are hidden at the left. */
static const char *
gap(const struct layout *l, unsigned int i)
{
	return i == l->from && i > 1 ? "<" : " ";
}

/* End the line of titles, with ">" at the terminal's edge if columns are hidden at the right. */
static void
titles_end(struct text *t, const struct layout *l, const struct top_view *v)
{
	if (l->more)
		text_add(t, "%*s", (int)(v->columns - l->used), ">");
	text_add(t, "\033[0m\033[K\r\n");
}

static struct layout
streams_layout(struct top_view *v)
{
	unsigned int width[ARRAY_SIZE(columns)];

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		width[i] = columns[i].width;
	return layout_of(width, ARRAY_SIZE(columns), v);
}

/* Limit scrolling so that the last of n rows stays at the bottom. */
static void
first_clamp(struct top_view *v, unsigned int n, unsigned int room)
{
	if (v->first + room > n)
		v->first = n > room ? n - room : 0;
}

/* Append a line of text, cut to width columns. */
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
row_add(struct text *t, const struct top_row *row, const struct layout *l, bool blocks)
{
	char cell[CELL_BYTES];

	cell_write(&columns[0], row, cell);
	text_add(t, "%-*.*s", (int)l->name, (int)l->name, cell);
	for (unsigned int i = l->from; i < l->to; i++) {
		const int width = (int)columns[i].width;

		text_add(t, " ");
		if (is_histogram(&columns[i])) {
			spark_add(t, row, blocks);
			continue;
		}
		cell_write(&columns[i], row, cell);
		text_add(t, "%*.*s", width, width, cell);
	}
	text_add(t, "\033[K\r\n");
}

/* Append a title, in bold if the streams are sorted by its column. */
static void
title_add(struct text *t, const struct column *c, unsigned int width, const struct top_view *v)
{
	const bool sorts = c->order == v->order, left = c == columns || is_histogram(c);

	text_add(t, "%s", sorts ? "\033[1m" : "");
	text_add(t, left ? "%-*.*s" : "%*.*s", (int)width, (int)width, c->title);
	text_add(t, "%s", sorts ? "\033[22m" : "");
}

/* Append the titles in reverse video. */
static void
titles_add(struct text *t, const struct layout *l, const struct top_view *v)
{
	text_add(t, "\033[7m");
	title_add(t, &columns[0], l->name, v);
	for (unsigned int i = l->from; i < l->to; i++) {
		text_add(t, "%s", gap(l, i));
		title_add(t, &columns[i], columns[i].width, v);
	}
	titles_end(t, l, v);
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
	char line[256], loss[80] = "";
	size_t n = 0;

	if (!isnan(f->loss))
		n = (size_t)snprintf(loss, sizeof(loss), ", loss %.3f %%", 100 * f->loss);
	if (f->unsent > 0)
		snprintf(loss + n, sizeof(loss) - n, ", %.0f unsent/s", f->unsent);
	if (f->n == 0)
		snprintf(line, sizeof(line), "%s not started, every %g s%s", r->engine->name,
			v->period, paused);
	else if (v->page > 0)
		snprintf(line, sizeof(line), "%s %s%s, %s, %.1f s, every %g s%s",
			r->engine_run->name, r->running ? "forwards" : "is stopped", loss,
			top_pages[v->page - 1].name, f->running, v->period, paused);
	else
		snprintf(line, sizeof(line),
			"%s %s%s, %u streams on %u lcore%s, %.1f s, every %g s, sorted by %s%s%s",
			r->engine_run->name, r->running ? "forwards" : "is stopped", loss, f->n,
			r->plan.n_lcores, r->plan.n_lcores == 1 ? "" : "s", f->running, v->period,
			order_name(v->order), v->reverse ? " reversed" : "", paused);
	line_add(t, v->columns, line);
}

/* Append the keys that fit, most important first; the help page has all of them. */
static void
keys_add(struct text *t, const struct top_stats *f, const struct top_view *v)
{
	const struct settings *s = f->run->settings;
	const char *const keys[] = { "q quit", "h help", "TAB page", "arrows scroll", "s sort",
		setting_on(s, "record-burst-stats") ? "b bursts off" : "b bursts on",
		setting_on(s, "record-core-cycles") ? "c cycles off" : "c cycles on", "r reverse",
		"+- period", "space pause" };
	size_t used = 0;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const size_t gap_bytes = i > 0 ? 2 : 0, n = strlen(keys[i]);

		if (used + gap_bytes + n > v->columns)
			break;
		text_add(t, "%*s%s", (int)gap_bytes, "", keys[i]);
		used += gap_bytes + n;
	}
	/* Without a newline, which would scroll the last line away. */
	text_add(t, "\033[K");
}

/* The history of a row's first number, relative to its maximum, the latest value at the right. */
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

/* A page has columns for the name, the numbers, and the history of the first number. */
static struct layout
page_layout(const struct top_page *p, struct top_view *v)
{
	unsigned int width[1 + TOP_CELLS_MAX + 1] = { p->name_width };

	for (unsigned int k = 0; k < p->n_columns; k++)
		width[1 + k] = p->column[k].width;
	width[1 + p->n_columns] = TOP_PAST;
	return layout_of(width, 1 + p->n_columns + 1, v);
}

static void
page_row_add(struct text *t, const struct top_stats *f, const struct top_view *v,
	const struct layout *l, unsigned int i)
{
	const struct top_page *p = &top_pages[v->page - 1];
	struct top_page_row row = { .name = "" };
	char cell[CELL_BYTES];

	for (unsigned int k = 0; k < TOP_CELLS_MAX; k++)
		row.cell[k] = NAN;
	p->row(f, i, &row);
	text_add(t, "%-*.*s", (int)l->name, (int)l->name, row.name);
	for (unsigned int k = l->from - 1; k + 1 < l->to; k++) {
		text_add(t, " ");
		if (k == p->n_columns) {
			past_add(t, f, v, i);
			continue;
		}
		number(cell, row.cell[k], p->column[k].decimals);
		text_add(t, "%*.*s", (int)p->column[k].width, (int)p->column[k].width, cell);
	}
	text_add(t, "\033[K\r\n");
}

/* Append a page of top_pages in room + 2 lines. */
static void
page_add(struct text *t, const struct top_stats *f, struct top_view *v, unsigned int room)
{
	const struct top_page *p = &top_pages[v->page - 1];
	const unsigned int rows = p->rows(f);
	const struct layout l = page_layout(p, v);
	unsigned int i;

	text_add(t, "\033[7m%-*.*s", (int)l.name, (int)l.name, p->title);
	for (unsigned int k = l.from - 1; k + 1 < l.to; k++) {
		const bool past = k == p->n_columns;
		const int width = past ? TOP_PAST : (int)p->column[k].width;

		text_add(t, past ? "%s%-*.*s" : "%s%*.*s", gap(&l, k + 1), width, width,
			p->column[past ? 0 : k].title);
	}
	titles_end(t, &l, v);
	for (i = v->first; i < v->first + room + 1; i++) {
		if (i < rows)
			page_row_add(t, f, v, &l, i);
		else
			line_add(t, v->columns, "");
	}
}

/* Append a page as a block of the page of streams, if it fits whole. Returns the number of lines. */
static unsigned int
block_add(struct text *t, const struct top_stats *f, const struct top_view *v, unsigned int page,
	unsigned int room)
{
	struct top_view block = *v;
	const unsigned int rows = top_pages[page - 1].rows(f);

	if (rows == 0 || room < rows + 2)
		return 0;
	block.block = true;
	block.page = page;
	block.first = block.left = 0;
	line_add(t, v->columns, "");
	page_add(t, f, &block, rows - 1);
	return rows + 2;
}

/* Fill room lines below the streams: sums, rates, ports, lcores, and a graph where there is much room. */
static void
rest_add(struct text *t, const struct top_stats *f, const struct top_view *v, unsigned int room)
{
	room -= top_rest_summary(t, f, v, room);
	room -= block_add(t, f, v, TOP_PAGE_RATES, room);
	room -= block_add(t, f, v, TOP_PAGE_PORTS, room);
	room -= block_add(t, f, v, TOP_PAGE_LCORES, room);
	if (room >= TOP_GRAPH_LEAST) {
		top_rest_graph(t, f, v, room);
		return;
	}
	while (room-- > 0)
		line_add(t, v->columns, "");
}

/* Append titles, up to room streams, and the total. */
static void
streams_add(struct text *t, const struct top_stats *f, struct top_view *v, unsigned int room)
{
	const struct layout l = streams_layout(v);
	unsigned int i;

	titles_add(t, &l, v);
	for (i = v->first; i < f->n && i < v->first + room; i++)
		row_add(t, &f->row[i], &l, v->blocks);
	row_add(t, &f->total, &l, v->blocks);
	rest_add(t, f, v, f->n < room ? room - f->n : 0);
}

/* Append the help page, wrapped to the terminal, in room + 2 lines. */
static void
help_add(struct text *t, struct top_view *v, unsigned int room)
{
	static const char *const paragraphs[] = {
		"TAB or 1 to 6: streams (with totals, rates, ports, lcores and a graph where lines are left), ports, lcores, pools, engine, rates",
		"left, right: scroll columns (< or > beside the titles: more columns)",
		"up, down, page up, page down: scroll rows",
		"s < >: select the column to sort streams by; r: reverse the order",
		"+ -: double or halve the period; space: pause",
		"b: count burst sizes (columns burst sizes, p50/p99, empty%)",
		"c: count cycles (columns cyc/pkt, busy%)",
		"h or ?: show or hide this help; q: quit", "",
		"missed: packets dropped because no Rx descriptor was free (lcores too slow)",
		"nombuf: receive failures because no mbuf was free (pool too small)",
		"drops: packets dropped by the engine or because the Tx ring was full (link down or slow)",
		"loss: missed and drops as a share of all packets; see \"explain drops\"",
		"asked, reached: rate of each generate stream; reached since it began or its rate changed",
		"CPU%: share of its CPU that the lcore had",
		"since start: until clear fwd stats, which begins again; worst second: since top began",
		"busy%: time in polls with packets; empty%: receive calls that returned no packets"
	};
	struct text wrapped = { 0 };
	const char *line;
	unsigned int n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(paragraphs); i++) {
		text_wrap(&wrapped, paragraphs[i], HELP_INDENT, v->columns);
		text_add(&wrapped, "\n");
	}
	for (size_t i = 0; !wrapped.cut && i < wrapped.n; i++)
		n += wrapped.bytes[i] == '\n';
	first_clamp(v, n, room + 2);
	line = wrapped.bytes;
	for (unsigned int i = 0; i < v->first; i++)
		line = strchr(line, '\n') + 1;
	for (unsigned int i = 0; i < room + 2; i++) {
		const int bytes = v->first + i < n ? (int)strcspn(line, "\n") : 0;

		text_add(t, "%.*s\033[K\r\n", bytes < (int)v->columns ? bytes : (int)v->columns,
			bytes > 0 ? line : "");
		if (v->first + i < n)
			line += bytes + 1;
	}
	free(wrapped.bytes);
}

void
top_screen_draw(struct text *t, const struct top_stats *f, struct top_view *v)
{
	const unsigned int room = v->rows > LINES_AROUND ? v->rows - LINES_AROUND : 1;

	if (!v->help)
		first_clamp(v, v->page > 0 ? top_pages[v->page - 1].rows(f) : f->n, room);
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
		if (!is_histogram(&columns[i]))
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
			if (is_histogram(&columns[i]))
				continue;
			cell_write(&columns[i], &f->row[k], cell);
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

static void
stream_json(struct out *o, const struct top_row *row)
{
	static const enum column_id order[] = { COLUMN_PPS, COLUMN_BPS, COLUMN_CYCLES, COLUMN_DROPS,
		COLUMN_EMPTY, COLUMN_POOL, COLUMN_TX };
	const struct stat_sink sink = stat_sink_out(o);

	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "stream", NULL, row->stream);
	run_count_identity(row->of, &sink);
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		out_f64(o, columns[order[i]].key, NULL, column_value(&columns[order[i]], row));
	out_u64(o, "burst_p50", NULL, row->p50);
	out_u64(o, "burst_p99", NULL, row->p99);
	out_unnest(o);
}

void
top_screen_json(struct out *o, const struct top_stats *f, double at_s)
{
	out_nest(o, NULL, OUT_OBJECT);
	out_f64(o, "time_s", NULL, at_s);
	out_f64(o, "interval_s", NULL, f->seconds);
	out_nest(o, "streams", OUT_ARRAY);
	for (unsigned int i = 0; i < f->n; i++)
		stream_json(o, &f->row[i]);
	out_unnest(o);
	out_f64(o, "loss_fraction", NULL, f->loss);
	out_f64(o, "unsent_per_second", NULL, f->unsent);
	for (unsigned int p = 0; p < top_pages_n; p++)
		page_json(o, f, &top_pages[p]);
	out_unnest(o);
}
