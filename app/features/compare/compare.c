/* compare: runs the combinations interleaved, so that drift of the machine affects all alike; computes and shows medians, intervals and ratios. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/compare/compare.h"

#include "base/err.h"
#include "base/interrupt.h"
#include "base/out.h"
#include "base/setting.h"
#include "features/compare/compare_before.h"
#include "features/compare/compare_kind.h"
#include "features/compare/compare_plan.h"
#include "run/run.h"
#include "run/run_start.h"
#include "run/timed.h"

#include <rte_cycles.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Statistics of a comparison: medians, confidence intervals, ratios to the first combination. */

/* Confidence level that intervals should reach. */
#define WANT 0.95

enum figure { PPS, CYCLES, L2_BPS, L1_BPS, LINE };

static double
figure_of(const struct run_summary *s, enum figure which)
{
	switch (which) {
	case PPS: return s->pps;
	case CYCLES: return s->cycles;
	case L2_BPS: return s->l2_bps;
	case L1_BPS: return s->l1_bps;
	case LINE: break;
	}
	return s->l1_bps / s->line_bps;
}

static const struct compare_trial *
trial_at(const struct compare_result *result, unsigned int combination, unsigned int round)
{
	return &result->trial[combination * result->plan->runs + round];
}

static bool
lost_cpu(const struct compare_trial *t)
{
	return t->done && !isnan(t->cpu.share) && t->cpu.share < RUN_CPU_ENOUGH;
}

void
compare_leave_out(struct compare_result *result)
{
	const unsigned int runs = result->plan->runs;

	for (unsigned int c = 0; c < result->plan->n; c++) {
		struct compare_trial *t = &result->trial[c * runs];
		unsigned int done = 0, lost = 0;

		for (unsigned int round = 0; round < runs; round++) {
			done += t[round].done;
			lost += lost_cpu(&t[round]);
		}
		if (done < lost + COMPARE_ENOUGH || 2 * lost > done)
			continue;
		for (unsigned int round = 0; round < runs; round++)
			t[round].left_out = lost_cpu(&t[round]);
	}
}

/* Return whether a run is in the medians. */
static bool
counts(const struct compare_trial *t)
{
	return t->done && !t->left_out;
}

/* Median over the runs in which the figure is known. value: scratch space for plan->runs values. */
static struct samples_rank
median_of(const struct compare_result *result, unsigned int combination, enum figure which,
	double *value)
{
	unsigned int n = 0;

	for (unsigned int round = 0; round < result->plan->runs; round++) {
		const struct compare_trial *t = trial_at(result, combination, round);
		const double one = figure_of(&t->summary, which);

		if (counts(t) && !isnan(one))
			value[n++] = one;
	}
	return samples_rank(value, n, WANT);
}

static struct samples_rank
ratio_of(const struct compare_result *result, unsigned int combination, unsigned int first,
	double *value)
{
	unsigned int n = 0;

	for (unsigned int round = 0; round < result->plan->runs; round++) {
		const struct compare_trial *t = trial_at(result, combination, round),
					   *to = trial_at(result, first, round);

		if (counts(t) && counts(to) && to->summary.pps > 0)
			value[n++] = t->summary.pps / to->summary.pps;
	}
	return samples_rank(value, n, WANT);
}

bool
compare_stats(const struct compare_result *result, unsigned int combination, unsigned int first,
	struct compare_stats *f)
{
	double *value = calloc(result->plan->runs, sizeof(*value));

	memset(f, 0, sizeof(*f));
	if (value == NULL)
		return false;
	f->pps = median_of(result, combination, PPS, value);
	f->cycles = median_of(result, combination, CYCLES, value);
	f->l2_bps = median_of(result, combination, L2_BPS, value);
	f->l1_bps = median_of(result, combination, L1_BPS, value);
	f->line = median_of(result, combination, LINE, value);
	f->ratio = ratio_of(result, combination, first, value);
	for (unsigned int round = 0; round < result->plan->runs; round++) {
		const struct compare_trial *t = trial_at(result, combination, round);

		if (!counts(t))
			continue;
		f->unsent += t->summary.account.unsent;
		f->lost += t->summary.account.lost != STAT_NONE ? t->summary.account.lost : 0;
		f->offered += t->summary.account.offered;
	}
	free(value);
	return true;
}

unsigned int
compare_stats_first(const struct compare_result *result)
{
	for (unsigned int c = 0; c < result->plan->n; c++)
		for (unsigned int round = 0; round < result->plan->runs; round++)
			if (trial_at(result, c, round)->done)
				return c;
	return 0;
}

/* Prints the table of a comparison as text or JSON. */

enum {
	WIDTH = 20,    /* of an interval's column */
	PROGRESS = 60, /* columns of the line of progress */
};

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
median_text(struct out *o, const struct samples_rank *m, double unit, int digits, int width)
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

			if (!compare_stats(result, c, first, &f) ||
				(f.pps.n != n && f.ratio.n != n))
				continue;
			out_text(o, "%s %.1f %% with %u runs", between,
				100 * (f.pps.n == n ? f.pps.cover : f.ratio.cover), n);
			between = ",";
			break;
		}
	}
	out_text(o, *between == ',' ? "\n" : "");
}

/* Name the runs of a combination in which an lcore lost its CPU. */
static void
lost_text(const struct compare_result *result, unsigned int combination, struct out *o)
{
	const struct compare_trial *least = NULL;
	unsigned int lost = 0, done = 0, in_round = 0;
	char of[32], text[RUN_CPU_TEXT];

	for (unsigned int round = 0; round < result->plan->runs; round++) {
		const struct compare_trial *t = trial_at(result, combination, round);

		done += t->done;
		if (!lost_cpu(t))
			continue;
		lost++;
		if (least != NULL && t->cpu.share >= least->cpu.share)
			continue;
		least = t;
		in_round = round + 1;
	}
	if (least == NULL)
		return;
	snprintf(of, sizeof(of), "run %u", in_round);
	words_text(result->plan, combination, o);
	out_text(o, " in %u of %u runs an lcore lost its CPU; %s: %s\n", lost, done,
		least->left_out ? "they are left out" : "too few others remain, so all count",
		run_cpu_say(&least->cpu, of, text));
}

/* Name a combination whose packets were not all sent in time. */
static void
unsent_text(const struct compare_result *result, unsigned int combination, unsigned int first,
	struct out *o)
{
	struct compare_stats f;

	if (!compare_stats(result, combination, first, &f) || f.unsent == 0)
		return;
	words_text(result->plan, combination, o);
	out_text(o, " %" PRIu64 " of %" PRIu64 " packets were due and not sent\n", f.unsent,
		f.offered + f.unsent);
}

static void
all_text(const struct compare_result *result, unsigned int first, struct out *o)
{
	head_text(result, o);
	for (unsigned int c = 0; c < result->plan->n; c++)
		row_text(result, c, first, o);
	covers_text(result, first, o);
	for (unsigned int c = 0; c < result->plan->n; c++)
		lost_text(result, c, o);
	for (unsigned int c = 0; c < result->plan->n; c++)
		unsent_text(result, c, first, o);
	for (unsigned int c = 0; c < result->plan->n; c++) {
		if (result->refused[c] == NULL)
			continue;
		words_text(result->plan, c, o);
		out_text(o, " left out: %s\n", result->refused[c]);
	}
	for (unsigned int c = 0; c < result->plan->n; c++) {
		if (result->warned[c] == NULL || result->refused[c] != NULL)
			continue;
		words_text(result->plan, c, o);
		out_text(o, " warning: %s\n", result->warned[c]);
	}
	if (result->stopped)
		out_text(o, "  Stopped by a signal\n");
}

/* Members KEY, KEY_low, KEY_high; null if unknown. */
static void
median_json(struct out *o, const char *key, const struct samples_rank *m)
{
	char part[64];

	out_f64_fmt(o, key, NULL, m->n > 0 ? m->median : NAN);
	snprintf(part, sizeof(part), "%s_low", key);
	out_f64_fmt(o, part, NULL, m->n > 1 ? m->low : NAN);
	snprintf(part, sizeof(part), "%s_high", key);
	out_f64_fmt(o, part, NULL, m->n > 1 ? m->high : NAN);
}

/* Return whether a value is a number; descriptors are, but for "auto". */
static bool
is_number(const struct setting *s, const char *value)
{
	return s->kind == SETTING_UINT ||
		(s->kind == SETTING_TEXT && value[0] >= '0' && value[0] <= '9');
}

static void
words_json(const struct compare_plan *p, unsigned int combination, struct out *o)
{
	out_nest(o, "values", OUT_OBJECT);
	for (unsigned int i = 0; i < p->n_lists; i++) {
		const struct setting *s = p->list[i].setting;
		const char *name = compare_plan_name(&p->list[i]),
			   *value = compare_plan_value(p, combination, i);

		if (p->list[i].kind->number || (s != NULL && is_number(s, value)))
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
	const struct stat_sink sink = stat_sink_out(o);

	if (!t->done)
		return;
	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "round", NULL, round + 1);
	out_f64(o, "seconds", NULL, t->summary.seconds);
	out_u64(o, "packets", NULL, t->summary.packets);
	out_f64(o, "packets_per_second", NULL, t->summary.pps);
	out_f64(o, "cycles_per_packet", NULL, t->summary.cycles);
	stat_put(&sink, &run_account_stats, &t->summary.account);
	out_f64(o, "cpu_share", NULL, t->cpu.share);
	out_bool(o, "in_median", NULL, counts(t), "", "");
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
	out_u64(o, "unsent", NULL, f.unsent);
	out_f64(o, "loss_fraction", NULL, loss_of(&f));
	out_str_fmt(o, "left_out", NULL, result->refused[combination]);
	out_str_fmt(o, "warning", NULL, result->warned[combination]);
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

/* Print the table, and the combinations that could not start with the reason. Thread: control. */
static void
compare_show(const struct compare_result *result, struct out *o)
{
	const unsigned int first = compare_stats_first(result);

	(out_format(o) == OUT_JSON ? all_json : all_text)(result, first, o);
}

struct compare {
	struct run *run;
	struct interrupt *interrupt;
	struct compare_result result;
	struct compare_before before;
	struct run_trial trial;
	const char *names[COMPARE_LISTS], *values[COMPARE_LISTS];
	uint64_t begin_tsc;
	unsigned int n_done; /* runs, also those that could not start */
	bool terminal;
};

/* Use the values of a combination from the next run on; keep the first warning of its ports. */
static int
choose(struct compare *c, unsigned int combination, struct err *e)
{
	char **kept = &c->result.warned[combination], *text = NULL;
	size_t bytes = 0;
	FILE *warnings = *kept == NULL ? open_memstream(&text, &bytes) : NULL;
	const int ret =
		compare_before_choose(c->run, c->result.plan, &c->before, combination, warnings, e);

	if (warnings == NULL || fclose(warnings) != 0 || bytes == 0) {
		free(text);
		return ret;
	}
	text[strcspn(text, "\n")] = '\0';
	*kept = text;
	return ret;
}

static unsigned int
runs_left(const struct compare *c)
{
	const struct compare_plan *p = c->result.plan;
	unsigned int able = 0;

	for (unsigned int i = 0; i < p->n; i++)
		able += c->result.refused[i] == NULL;
	/* Runs that are skipped count as done. */
	return p->n == 0 ? 0 : (p->n * p->runs - c->n_done) * able / p->n;
}

/* Seconds until the end, by the runs so far, or by their length; NAN: not known. */
static double
seconds_left(const struct compare *c)
{
	const struct timed_length *length = &c->result.plan->length;
	const double seconds = (double)(rte_rdtsc() - c->begin_tsc) / c->run->tsc_hz;

	if (c->n_done > 0)
		return seconds / c->n_done * runs_left(c);
	return length->packets ? NAN : runs_left(c) * ((double)length->n / 1000);
}

/* Tell which run begins and the time left: as an event, or in the line of progress. */
static void
progress(const struct compare *c)
{
	const struct compare_plan *p = c->result.plan;
	char text[TIMED_LEFT_BYTES], line[80];
	struct out *o = c->run->out;

	if (out_event_begin(o, "progress")) {
		out_u64(o, "run", NULL, c->n_done + 1);
		out_u64(o, "runs", NULL, p->n * p->runs);
		out_f64(o, "seconds_left", NULL, seconds_left(c));
		out_event_end(o);
	} else if (c->terminal) {
		snprintf(line, sizeof(line), "compare: run %u of %u%s", c->n_done + 1,
			p->n * p->runs, timed_left(seconds_left(c), text));
		out_progress(o, PROGRESS, line);
	}
}

/* Do one run. Returns false if a signal ended it or the output is closed. */
static bool
run_one(struct compare *c, unsigned int combination, unsigned int round)
{
	const struct compare_plan *p = c->result.plan;
	struct compare_trial *t = &c->result.trial[combination * p->runs + round];
	struct err why = { 0 };
	int ret;

	c->trial = (struct run_trial){ .comparison = c->run->n_comparisons,
		.round = round + 1,
		.combination = combination,
		.names = c->names,
		.values = c->values,
		.n_names = p->n_lists };
	for (unsigned int i = 0; i < p->n_lists; i++)
		c->values[i] = compare_plan_value(p, combination, i);
	ret = choose(c, combination, &why);
	c->run->trial = &c->trial;
	if (ret == 0)
		ret = timed_silent(c->run, c->interrupt, &p->length, &c->trial.cut, &why);
	c->run->trial = NULL;
	if (ret == 0 && !c->trial.cut) {
		run_summary_read(c->run, &t->summary);
		if (!run_cpu_least(c->run, &t->cpu))
			t->cpu.share = NAN;
		t->done = true;
	} else if (ret != 0 && !interrupt_pending(c->interrupt)) {
		c->result.refused[combination] = strdup(why.text);
	}
	return !interrupt_pending(c->interrupt) && !out_gone(c->run->out);
}

/* Run from the first combination to the last, then back in the next round, and so on. */
static void
rounds(struct compare *c)
{
	const struct compare_plan *p = c->result.plan;

	for (unsigned int i = 0; i < p->n * p->runs && !c->result.stopped; i++) {
		const unsigned int round = i / p->n,
				   combination = round % 2 == 0 ? i % p->n : p->n - 1 - i % p->n;

		if (c->result.refused[combination] != NULL)
			continue;
		c->n_done = i;
		progress(c);
		c->result.stopped = !run_one(c, combination, round);
	}
	if (c->terminal)
		out_progress(c->run->out, PROGRESS, "");
}

/* 0 if any combination was able to start, at least once; otherwise the error of the first one. */
static int
any_ran(const struct compare_result *result, struct err *e)
{
	for (unsigned int i = 0; i < result->plan->n * result->plan->runs; i++)
		if (result->trial[i].done || result->refused[i / result->plan->runs] == NULL)
			return 0;
	return err_set(e, EINVAL, "no combination can start: %s", result->refused[0]);
}

static int
compare(struct compare *c, struct err *e)
{
	const struct compare_plan *p = c->result.plan;
	struct err why = { 0 };
	int ret = compare_before_read(c->run, p, &c->before, e);

	if (ret != 0)
		return ret;
	for (unsigned int i = 0; i < p->n_lists; i++)
		c->names[i] = compare_plan_name(&p->list[i]);
	c->begin_tsc = rte_rdtsc();
	rounds(c);
	compare_leave_out(&c->result);
	ret = compare_before_restore(c->run, &c->before, e);
	if (any_ran(&c->result, &why) == 0) {
		/* Also if a port has failed since: the finished runs are not lost with it. */
		compare_show(&c->result, c->run->out);
	} else if (ret == 0) {
		*e = why;
		ret = -e->code;
	}
	return ret;
}

/* Free what combinations said. */
static void
said_free(char **said, unsigned int n)
{
	for (unsigned int i = 0; said != NULL && i < n; i++)
		free(said[i]);
	free(said);
}

int
compare_run(struct run *r, struct interrupt *interrupt, const struct compare_plan *plan,
	struct err *e)
{
	struct compare c = { .run = r,
		.interrupt = interrupt,
		.result = { .plan = plan },
		.terminal = out_on_terminal(r->out) };
	int ret;

	if (r->secondary)
		return err_set(e, ENOTSUP, "compare works only in the primary process");
	if (run_busy(r))
		return err_set(e, EBUSY, "Please stop forwarding first");
	if (run_links_await(r, true, e) != 0)
		return -e->code;
	c.result.trial = calloc((size_t)plan->n * plan->runs, sizeof(*c.result.trial));
	c.result.refused = calloc(plan->n, sizeof(*c.result.refused));
	c.result.warned = calloc(plan->n, sizeof(*c.result.warned));
	r->n_comparisons++;
	ret = c.result.trial != NULL && c.result.refused != NULL && c.result.warned != NULL
		? compare(&c, e)
		: err_set(e, ENOMEM, "no memory for the results of %u runs", plan->n * plan->runs);
	said_free(c.result.refused, plan->n);
	said_free(c.result.warned, plan->n);
	free(c.result.trial);
	return ret;
}
