/* What fills the page of streams below the streams: totals, the worst second, times, a graph of the rate. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/terminal.h"
#include "base/text.h"
#include "engines/engine.h"
#include "show/top_priv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LINE_BYTES_MAX 256
#define LABEL 13 /* columns in front of the values */

/* Append a line, cut to the terminal. */
static void
line_add(struct text *t, const struct top_view *v, const char *text)
{
	text_add(t, "%.*s\033[K\r\n", (int)v->columns, text);
}

/* A number of packets: "724.271 k", "12". */
static const char *
count_write(char to[TEXT_SCALED_BYTES], double packets)
{
	text_scaled(to, 3, packets, "");
	to[strcspn(to, " ")] = packets < 999.95 ? '\0' : ' ';
	return to;
}

/* "lost 724.271 k (1.389 %)", or that it is not known while packets are under way. */
static void
lost_write(const struct run_account *a, char *to, size_t bytes)
{
	char lost[TEXT_SCALED_BYTES];

	if (a->lost == STAT_NONE)
		snprintf(to, bytes, "lost: known after stop");
	else
		snprintf(to, bytes, "lost %s (%.3f %%)", count_write(lost, (double)a->lost),
			a->offered > 0 ? 100 * (double)a->lost / (double)a->offered : 0);
}

static void
total_add(struct text *t, const struct top_stats *f, const struct top_view *v)
{
	const struct run_account *a = &f->account;
	char rx[TEXT_SCALED_BYTES], tx[TEXT_SCALED_BYTES], unsent[TEXT_SCALED_BYTES], lost[64];
	char line[LINE_BYTES_MAX];
	int n;

	lost_write(a, lost, sizeof(lost));
	n = snprintf(line, sizeof(line), "%-*sreceived %s, sent %s, %s", LABEL, "since start",
		count_write(rx, f->received), count_write(tx, (double)a->sent), lost);
	if (a->unsent > 0)
		snprintf(line + n, sizeof(line) - (size_t)n, ", not sent in time %s",
			count_write(unsent, (double)a->unsent));
	line_add(t, v, line);
}

/* Append "NAME VALUE (4 s ago)" to a line of n bytes; nothing if it is not known. Returns the new length. */
static size_t
worst_write(char *line, size_t n, const char *name, const char *value, double ago)
{
	const char *between = n > LABEL ? ", " : "";

	n += (size_t)snprintf(line + n, LINE_BYTES_MAX - n, "%s%s%s (%.0f s ago)", between, name,
		value, ago);
	return n < LINE_BYTES_MAX ? n : LINE_BYTES_MAX - 1;
}

/* The least rate, the most loss and the least CPU of all seconds; they are seldom of one second. */
static void
worst_add(struct text *t, const struct top_stats *f, const struct top_view *v)
{
	const struct top_worst *w = &f->worst;
	char line[LINE_BYTES_MAX], value[TEXT_SCALED_BYTES];
	size_t n = (size_t)snprintf(line, sizeof(line), "%-*s", LABEL,
		v->period > 1.5 ? "worst period" : "worst second");

	if (w->n == 0) {
		line_add(t, v, strcat(line, "-"));
		return;
	}
	n = worst_write(line, n, "", text_scaled(value, 3, w->pps, "pps"), f->running - w->pps_at);
	if (!isnan(w->loss)) {
		snprintf(value, sizeof(value), "%.3f %%", 100 * w->loss);
		n = worst_write(line, n, "loss ", value, f->running - w->loss_at);
	}
	if (!isnan(w->cpu)) {
		snprintf(value, sizeof(value), "%.0f %%", 100 * w->cpu);
		n = worst_write(line, n, "CPU of an lcore ", value, f->running - w->cpu_at);
	}
	line_add(t, v, line);
}

/* Percentiles of a time in the interval, in us; a dash where too few values are above them. */
static void
times_add(struct text *t, const struct top_times *times, const struct top_view *v)
{
	static const struct {
		const char *name;
		double share;
	} columns[] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }, { "p99.9", 0.999 } };
	char line[LINE_BYTES_MAX], label[32];
	size_t n;

	snprintf(label, sizeof(label), "%.9s us", times->name);
	n = (size_t)snprintf(line, sizeof(line), "%-*s", LABEL, label);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		const uint64_t ns = hdr_known(&times->interval, columns[i].share);

		n += ns == STAT_NONE
			? (size_t)snprintf(line + n, sizeof(line) - n, "%s -, ", columns[i].name)
			: (size_t)snprintf(line + n, sizeof(line) - n, "%s %.3f, ", columns[i].name,
				  (double)ns / 1e3);
	}
	snprintf(line + n, sizeof(line) - n, "max %.3f; max since start %.3f",
		(double)hdr_max(&times->interval) / 1e3, (double)hdr_max(&times->now) / 1e3);
	line_add(t, v, line);
}

unsigned int
top_rest_summary(struct text *t, const struct top_stats *f, const struct top_view *v,
	unsigned int room)
{
	const unsigned int n = 3 + f->n_times;

	if (room < n || f->n == 0)
		return 0;
	line_add(t, v, "");
	total_add(t, f, v);
	worst_add(t, f, v);
	for (unsigned int i = 0; i < f->n_times; i++)
		times_add(t, &f->times[i], v);
	return n;
}

/* Append one line of the graph, of which the top one is the last of rows. */
static void
graph_line(struct text *t, const struct top_stats *f, const struct top_view *v, unsigned int row,
	unsigned int rows, double most)
{
	const unsigned int columns = v->columns < TOP_HISTORY ? v->columns : TOP_HISTORY;
	const unsigned int first = TOP_HISTORY - columns;

	for (unsigned int i = first; i < TOP_HISTORY; i++) {
		const double height = most > 0 ? f->history[i] / most * rows - row : 0;
		const bool known = i + f->n_history >= TOP_HISTORY;

		text_add(t, "%s",
			terminal_level(known && height > 0 ? fmin(height, 1) : 0, v->blocks));
	}
	text_add(t, "\033[K\r\n");
}

void
top_rest_graph(struct text *t, const struct top_stats *f, const struct top_view *v,
	unsigned int room)
{
	const unsigned int rows = room - TOP_GRAPH_AROUND;
	char line[LINE_BYTES_MAX], value[TEXT_SCALED_BYTES];
	double most = 0;

	for (unsigned int i = 0; i < TOP_HISTORY; i++)
		most = fmax(most, f->history[i]);
	line_add(t, v, "");
	snprintf(line, sizeof(line), "rate of the last %u periods, at most %s",
		f->n_history < v->columns ? f->n_history : v->columns,
		text_scaled(value, 3, most, "pps"));
	line_add(t, v, line);
	for (unsigned int row = rows; row > 0; row--)
		graph_line(t, f, v, row - 1, rows, most);
}
