/* Prints the table of a comparison as text or JSON. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "show/compare_show.h"

#include "base/out.h"
#include "base/setting.h"
#include "show/compare_plan.h"
#include "show/compare_stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 20 /* of an interval's column */ };

static double
loss_of(const struct compare_stats *f)
{
	return f->offered > 0 ? (double)f->lost / (double)f->offered : NAN;
}

/* Width of a list's column. */
static int
width_of(const struct compare_list *list)
{
	size_t width = strlen(compare_plan_name(list));

	for (unsigned int i = 0; i < list->n; i++)
		width = strlen(list->value[i]) > width ? strlen(list->value[i]) : width;
	return (int)width;
}

static void
words_text(const struct compare_plan *p, unsigned int combination, struct out *o)
{
	out_text(o, " ");
	for (unsigned int i = 0; i < p->n_lists; i++)
		out_text(o, " %-*s", width_of(&p->list[i]), compare_plan_value(p, combination, i));
}

/* " 12.345 [12.1, 12.5]" with the interval padded to width; a dash if unknown. */
static void
median_text(struct out *o, const struct rank_median *m, double unit, int digits, int width)
{
	char interval[64] = "";

	if (m->n == 0) {
		out_text(o, " %10s %-*s", "-", width, "");
		return;
	}
	if (m->n > 1)
		snprintf(interval, sizeof(interval), "[%.*f, %.*f]", digits, m->low / unit, digits,
			m->high / unit);
	out_text(o, " %10.*f %-*s", digits, m->median / unit, width, interval);
}

static void
row_text(const struct compare_result *result, unsigned int combination, unsigned int first,
	struct out *o)
{
	struct compare_stats f;

	if (!compare_stats(result, combination, first, &f) || f.pps.n == 0)
		return;
	words_text(result->plan, combination, o);
	out_text(o, " %5u", f.pps.n);
	median_text(o, &f.pps, 1e6, 3, WIDTH);
	median_text(o, &f.cycles, 1, 1, WIDTH);
	if (isnan(loss_of(&f)))
		out_text(o, " %9s", "-");
	else
		out_text(o, " %9.4f", 100 * loss_of(&f));
	median_text(o, &f.ratio, 1, 3, 0);
	out_text(o, "\n");
}

static void
head_text(const struct compare_result *result, struct out *o)
{
	const struct compare_plan *p = result->plan;

	out_text(o, "%u combination%s, %u run%s of each, %" PRIu64 " %s, interleaved\n", p->n,
		p->n == 1 ? "" : "s", p->runs, p->runs == 1 ? "" : "s", p->length.n,
		p->length.packets ? "packets" : "ms");
	out_text(o, " ");
	for (unsigned int i = 0; i < p->n_lists; i++)
		out_text(o, " %-*s", width_of(&p->list[i]), compare_plan_name(&p->list[i]));
	out_text(o, " %5s %10s %-*s %10s %-*s %9s %10s [interval]\n", "runs", "Mpps", WIDTH,
		"[interval]", "cycles/pkt", WIDTH, "[interval]", "loss %", "to first");
}

/* The confidence level of the intervals, for each number of runs that a combination has. */
static void
covers_text(const struct compare_result *result, unsigned int first, struct out *o)
{
	const char *between = "  [low, high] is a confidence interval for the median:";

	for (unsigned int n = result->plan->runs; n > 1; n--) {
		for (unsigned int c = 0; c < result->plan->n; c++) {
			struct compare_stats f;

			if (!compare_stats(result, c, first, &f) || f.pps.n != n)
				continue;
			out_text(o, "%s %.1f %% with %u runs", between, 100 * f.pps.cover, n);
			between = ",";
			break;
		}
	}
	out_text(o, *between == ',' ? "\n" : "");
}

static void
all_text(const struct compare_result *result, unsigned int first, struct out *o)
{
	head_text(result, o);
	for (unsigned int c = 0; c < result->plan->n; c++)
		row_text(result, c, first, o);
	covers_text(result, first, o);
	for (unsigned int c = 0; c < result->plan->n; c++) {
		if (result->refused[c] == NULL)
			continue;
		words_text(result->plan, c, o);
		out_text(o, " left out: %s\n", result->refused[c]);
	}
	if (result->stopped)
		out_text(o, "  Stopped by a signal\n");
}

/* Members KEY, KEY_low, KEY_high; null if unknown. */
static void
median_json(struct out *o, const char *key, const struct rank_median *m)
{
	char part[64];

	out_f64_fmt(o, key, NULL, m->n > 0 ? m->median : NAN);
	snprintf(part, sizeof(part), "%s_low", key);
	out_f64_fmt(o, part, NULL, m->n > 1 ? m->low : NAN);
	snprintf(part, sizeof(part), "%s_high", key);
	out_f64_fmt(o, part, NULL, m->n > 1 ? m->high : NAN);
}

static void
words_json(const struct compare_plan *p, unsigned int combination, struct out *o)
{
	out_nest(o, "values", OUT_OBJECT);
	for (unsigned int i = 0; i < p->n_lists; i++) {
		const struct setting *s = p->list[i].setting;
		const char *name = compare_plan_name(&p->list[i]),
			   *value = compare_plan_value(p, combination, i);

		if (s != NULL && s->kind == SETTING_UINT)
			out_u64_fmt(o, name, NULL, strtoull(value, NULL, 0));
		else if (s != NULL && s->kind == SETTING_BOOL)
			out_bool(o, name, NULL, strcmp(value, "on") == 0, "", "");
		else
			out_str_fmt(o, name, NULL, value);
	}
	out_unnest(o);
}

static void
trial_json(const struct compare_trial *t, unsigned int round, struct out *o)
{
	if (!t->done)
		return;
	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "round", NULL, round + 1);
	out_f64(o, "seconds", NULL, t->summary.seconds);
	out_u64(o, "packets", NULL, t->summary.packets);
	out_f64(o, "packets_per_second", NULL, t->summary.pps);
	out_f64(o, "cycles_per_packet", NULL, t->summary.cycles);
	out_u64(o, "lost", NULL, t->summary.lost);
	out_u64(o, "offered", NULL, t->summary.offered);
	out_unnest(o);
}

static void
row_json(const struct compare_result *result, unsigned int combination, unsigned int first,
	struct out *o)
{
	struct compare_stats f;

	if (!compare_stats(result, combination, first, &f))
		return;
	out_nest(o, NULL, OUT_OBJECT);
	words_json(result->plan, combination, o);
	out_u64(o, "runs", NULL, f.pps.n);
	out_f64(o, "interval_probability", NULL, f.pps.n > 1 ? f.pps.cover : NAN);
	median_json(o, "packets_per_second", &f.pps);
	median_json(o, "cycles_per_packet", &f.cycles);
	median_json(o, "l2_bits_per_second", &f.l2_bps);
	median_json(o, "l1_bits_per_second", &f.l1_bps);
	median_json(o, "line_rate_fraction", &f.line);
	median_json(o, "ratio", &f.ratio);
	out_u64(o, "ratio_runs", NULL, f.ratio.n);
	out_u64(o, "lost", NULL, f.lost);
	out_u64(o, "offered", NULL, f.offered);
	out_f64(o, "loss_fraction", NULL, loss_of(&f));
	out_str_fmt(o, "left_out", NULL, result->refused[combination]);
	out_nest(o, "each", OUT_ARRAY);
	for (unsigned int round = 0; round < result->plan->runs; round++)
		trial_json(&result->trial[combination * result->plan->runs + round], round, o);
	out_unnest(o);
	out_unnest(o);
}

static void
all_json(const struct compare_result *result, unsigned int first, struct out *o)
{
	const struct compare_plan *p = result->plan;

	out_u64(o, "runs", NULL, p->runs);
	out_u64(o, p->length.packets ? "packets" : "milliseconds", NULL, p->length.n);
	out_u64(o, "first", NULL, first);
	out_nest(o, "combinations", OUT_ARRAY);
	for (unsigned int c = 0; c < p->n; c++)
		row_json(result, c, first, o);
	out_unnest(o);
	out_bool(o, "stopped", NULL, result->stopped, "", "");
}

void
compare_show(const struct compare_result *result, struct out *o)
{
	const unsigned int first = compare_stats_first(result);

	(out_format(o) == OUT_JSON ? all_json : all_text)(result, first, o);
}
