/* Searches for the rate without loss: trials of the engine measure, chosen by MLRsearch. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/rate/rate.h"

#include "base/base.h"
#include "base/err.h"
#include "base/hdr.h"
#include "base/interrupt.h"
#include "base/out.h"
#include "base/setting.h"
#include "engines/engine.h"
#include "port/port.h"
#include "run/run.h"
#include "run/run_cpu.h"
#include "run/run_start.h"
#include "run/timed.h"
#include "stream/plan.h"

#include <rte_cycles.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A trial whose lcores polled for less than that share of its time did not offer the load. Until
 * then it was only shorter.
 */
#define OFFERED_LEAST 0.9
#define PPS_MIN 1000
#define SIZE_DESCRIBED "described"

/* A search for one size. */
struct search {
	struct run *run;
	struct interrupt *interrupt;
	const struct rate_ask *ask;
	const struct engine *engine; /* that measures */
	const char *size;
	struct mlr mlr;
	unsigned int senders; /* ports that send */
	double bytes;         /* mean length of a packet */
	unsigned int n_trials;
	uint64_t sent; /* packets of the last trial */
	/* The lcore with the smallest share of its CPU in the last trial; share NAN: unknown. */
	struct run_cpu cpu;
	/* That in all trials in which packets were not sent, and the number of its trial, 0: none. */
	struct run_cpu least;
	unsigned int least_trial;
	double seconds; /* of all trials, with the waiting */
	unsigned int sizes_left;
	bool terminal; /* the line of progress is shown */
	bool stopped;  /* by a signal */
};

enum {
	PROGRESS = 72,     /* columns of the line of progress */
	LATENCY_LOADS = 4, /* of the table of latencies */
};

/* The ports that send, the mean length of their packets, and the lowest line rate among them. */
static int
senders_read(struct search *s, double *line_pps, struct err *e)
{
	const struct run *r = s->run;
	double bytes, sum = 0;

	*line_pps = INFINITY;
	if (r->choice.use_ports == 0)
		return plan_check(&r->choice, e);
	for (unsigned int i = 0; i < r->choice.use_ports; i++) {
		const uint16_t port = r->choice.ports[i];

		if (s->engine->trial->traffic(r->settings, s->size, port, &bytes, e) != 0)
			return -e->code;
		if (bytes <= 0)
			continue;
		*line_pps = fmin(*line_pps, port_link_bps(port) / 8 / (bytes + L1_BYTES));
		sum += bytes;
		s->senders++;
	}
	if (s->senders == 0)
		return err_set(e, EINVAL,
			"measure rate: no port sends: use \"set generate flows N\"");
	s->bytes = sum / s->senders;
	return 0;
}

/* Forward at a load. Returns false if that did not end: by a signal, or e is set. */
static bool
load_run(struct search *s, double load, uint64_t ms, struct err *e)
{
	const struct timed_length length = { .n = ms };
	char rate[48];
	bool cut = false;

	snprintf(rate, sizeof(rate), "%.3fpps", load);
	if (setting_parse(s->run->settings, s->engine->trial->rate, rate, e) != 0 ||
		timed_silent(s->run, s->interrupt, &length, &cut, e) != 0)
		return false;
	s->stopped |= cut;
	return !cut;
}

static struct engine_sums
sums_read(const struct search *s)
{
	return s->engine->trial->sums(s->run->streams, s->run->plan.n_streams);
}

/* The share of the due packets that is missing. More may arrive than one side counted as sent. */
static double
missing(uint64_t have, uint64_t due)
{
	return due > 0 ? fmax(0, 1 - (double)have / (double)due) : 1;
}

static bool
trial_run(struct search *s, double load, double duration_s, struct mlr_trial *trial, struct err *e)
{
	const double asked = load * duration_s * s->senders;
	const uint64_t begin = rte_rdtsc();
	struct engine_sums sums;

	if (!load_run(s, load, (uint64_t)llround(duration_s * 1000), e))
		return false;
	sums = sums_read(s);
	s->sent = sums.sent;
	if (!run_cpu_least(s->run, &s->cpu))
		s->cpu.share = NAN;
	if ((double)sums.due < asked * OFFERED_LEAST)
		sums.due = (uint64_t)asked;
	*trial = (struct mlr_trial){ .load = load,
		.duration_s = duration_s,
		.effective_s = (double)(rte_rdtsc() - begin) / s->run->tsc_hz,
		.loss = missing(sums.arrived, sums.due),
		.unsent = missing(sums.sent, sums.due) };
	return true;
}

static bool
lost_cpu(const struct run_cpu *cpu)
{
	return !isnan(cpu->share) && cpu->share < RUN_CPU_ENOUGH;
}

static void
trial_show(struct search *s, const struct mlr_trial *t)
{
	struct out *o = s->run->out;
	char text[RUN_CPU_TEXT];

	s->n_trials++;
	if (t->unsent > 0 && lost_cpu(&s->cpu) &&
		(s->least_trial == 0 || s->cpu.share < s->least.share)) {
		s->least = s->cpu;
		s->least_trial = s->n_trials;
	}
	s->seconds += t->effective_s;
	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "trial", "  %5" PRIu64, s->n_trials);
	out_f64_fmt(o, "load_pps", " %14.0f", t->load);
	out_f64_fmt(o, "sent_pps", " %14.0f", (double)s->sent / t->duration_s / s->senders);
	out_f64_fmt(o, "seconds", " %8.3f", t->duration_s);
	out_f64_fmt(o, "effective_seconds", " %9.3f", t->effective_s);
	out_f64_fmt(o, "loss_percent", " %12.6f", t->loss * 100);
	out_f64_fmt(o, "unsent_percent", " %12.6f", t->unsent * 100);
	out_f64(o, "cpu_share", NULL, s->cpu.share);
	if (lost_cpu(&s->cpu))
		out_text(o, "  %s", run_cpu_say(&s->cpu, "the trial", text));
	out_text(o, "\n");
	out_unnest(o);
}

/* The time that a trial takes beyond its duration, such as the drain, by the trials so far. */
static double
overhead(const struct search *s)
{
	double sum = 0;

	for (unsigned int i = 0; i < s->mlr.n; i++)
		sum += s->mlr.trials[i].effective_s - s->mlr.trials[i].duration_s;
	return s->mlr.n > 0 ? sum / s->mlr.n : 0;
}

/* Seconds until all sizes are searched, if the others take as long as this one. */
static double
seconds_left(const struct search *s)
{
	const unsigned int loads = s->ask->latency_ms > 0 ? LATENCY_LOADS : 0;
	const double each = overhead(s),
		     rest = mlr_left(&s->mlr, each) +
		loads * ((double)s->ask->latency_ms / 1000 + each);

	return rest + s->sizes_left * (s->seconds + rest);
}

/* The first goal that is not reached, with what is known of it; NULL: all are reached. */
static const struct rate_goal *
goal_next(const struct search *s, struct mlr_result *r)
{
	for (unsigned int i = 0; i < s->ask->n_goals; i++) {
		*r = mlr_result(&s->mlr, &s->ask->goal[i].goal);
		if (!r->done)
			return &s->ask->goal[i];
	}
	return NULL;
}

/* Tell what is known of a goal (NULL: all are reached), and the time left, as an event. */
static bool
progress_event(const struct search *s, const struct rate_goal *goal, const struct mlr_result *r)
{
	struct out *o = s->run->out;

	if (!out_event_begin(o, "progress"))
		return false;
	out_str(o, "size", NULL, s->size);
	out_u64(o, "trials", NULL, s->n_trials);
	out_str(o, "goal", NULL, goal != NULL ? goal->name : NULL);
	out_f64(o, "lower_pps", NULL, goal != NULL && r->lower > 0 ? r->lower : NAN);
	out_f64(o, "upper_pps", NULL, goal != NULL && r->upper > 0 ? r->upper : NAN);
	out_f64(o, "seconds_left", NULL, seconds_left(s));
	out_event_end(o);
	return true;
}

/* Tell how the search goes on: as an event, or in the line of progress on a terminal. */
static void
progress_show(const struct search *s)
{
	char line[2 * PROGRESS] = "  goals reached", bounds[64] = "", left[TIMED_LEFT_BYTES];
	struct mlr_result r;
	const struct rate_goal *goal = goal_next(s, &r);

	if (progress_event(s, goal, &r) || !s->terminal)
		return;
	if (goal != NULL && r.lower > 0 && r.upper > 0)
		snprintf(bounds, sizeof(bounds), ": between %.0f and %.0f packets/s", r.lower,
			r.upper);
	else if (goal != NULL && (r.lower > 0 || r.upper > 0))
		snprintf(bounds, sizeof(bounds), ": %s %.0f packets/s",
			r.lower > 0 ? "at least" : "below", fmax(r.lower, r.upper));
	if (goal != NULL)
		snprintf(line, sizeof(line), "  %.*s%s", (int)strcspn(goal->name, ":"), goal->name,
			bounds);
	strncat(line, timed_left(seconds_left(s), left), sizeof(line) - strlen(line) - 1);
	out_progress(s->run->out, PROGRESS, line);
}

static void
progress_clear(const struct search *s)
{
	if (s->terminal)
		out_progress(s->run->out, PROGRESS, "");
}

static int
trials_run(struct search *s, struct err *e)
{
	struct mlr_trial trial;
	double load, duration_s;

	out_nest(s->run->out, "trials", OUT_ARRAY);
	out_text(s->run->out, "  %5s %14s %14s %8s %9s %12s %12s\n", "trial", "asked pps",
		"sent pps", "s", "with wait", "loss %", "not sent %");
	progress_show(s);
	/* The first trial fills caches and tables; it does not count. */
	if (trial_run(s, s->mlr.max_load, s->mlr.goal[0].initial_s, &trial, e))
		while (!s->stopped && mlr_next(&s->mlr, &load, &duration_s) &&
			trial_run(s, load, duration_s, &trial, e)) {
			progress_clear(s);
			trial_show(s, &trial);
			if (!mlr_add(&s->mlr, &trial)) {
				err_set(e, ENOMEM, "measure rate: no memory for %u trials",
					s->n_trials);
				break;
			}
			progress_show(s);
			s->stopped = interrupt_pending(s->interrupt) || out_gone(s->run->out);
		}
	progress_clear(s);
	out_unnest(s->run->out);
	return -e->code;
}

/* Return whether most trials above a goal's loss at a load were so because packets were not sent. */
static bool
sender_limits(const struct mlr *m, const struct mlr_goal *g, double load)
{
	unsigned int above = 0, unsent = 0;

	for (unsigned int i = 0; i < m->n; i++) {
		const struct mlr_trial *t = &m->trials[i];

		if (t->load < load || t->load > load || t->loss <= g->loss)
			continue;
		above++;
		unsent += t->loss - t->unsent <= g->loss;
	}
	return 2 * unsent > above;
}

/* Name the lcore that lost most of its CPU in trials whose packets were not all sent. */
static void
lost_cpu_show(const struct search *s)
{
	struct out *o = s->run->out;
	char of[32], text[RUN_CPU_TEXT] = "";

	snprintf(of, sizeof(of), "trial %u", s->least_trial);
	if (s->least_trial > 0)
		out_text(o,
			"  packets were not sent in time: %s; \"doctor\" shows what to change\n",
			run_cpu_say(&s->least, of, text));
	out_str_fmt(o, "lost_cpu", NULL, s->least_trial > 0 ? text : NULL);
}

static const char *
verdict(const struct search *s, const struct mlr_goal *g, const struct mlr_result *r)
{
	if (!r->done)
		return "unfinished";
	if (r->lower >= s->mlr.max_load)
		return "the highest rate passes";
	if (sender_limits(&s->mlr, g, r->upper))
		return r->lower > 0 ? "limited by the sender"
				    : "the sender cannot send the lowest rate";
	return r->lower > 0 ? "found" : "the lowest rate fails";
}

/* Print the trials at a bound, and the confidence in it. */
static void
bound_show(struct out *o, const char *key, double pps, const struct mlr_evidence *ev)
{
	char name[48], part[48] = "";

	snprintf(name, sizeof(name), "%s_pps", key);
	out_f64_fmt(o, name, NULL, pps > 0 ? pps : NAN);
	snprintf(name, sizeof(name), "%s_within", key);
	out_u64(o, name, NULL, ev->within);
	snprintf(name, sizeof(name), "%s_above", key);
	out_u64(o, name, NULL, ev->above);
	snprintf(name, sizeof(name), "%s_confidence", key);
	out_f64_fmt(o, name, NULL, ev->confidence);
	if (pps <= 0) {
		out_text(o, " %14s %9s %8s", "-", "", "");
		return;
	}
	snprintf(part, sizeof(part), "%u of %u", ev->within, ev->within + ev->above);
	out_text(o, " %14.0f %9s", pps, part);
	if (isnan(ev->confidence))
		out_text(o, " %8s", "-");
	else
		out_text(o, " %8.4f", ev->confidence);
}

/* Width of the column of names. */
static int
goals_width(const struct rate_ask *ask)
{
	size_t width = strlen("goal");

	for (unsigned int i = 0; i < ask->n_goals; i++)
		width = RTE_MAX(width, strlen(ask->goal[i].name));
	return (int)width;
}

static void
goal_show(const struct search *s, const struct rate_goal *goal)
{
	const struct mlr_result r = mlr_result(&s->mlr, &goal->goal);
	const struct mlr_evidence lower = mlr_evidence(&s->mlr, &goal->goal, r.lower, false),
				  upper = mlr_evidence(&s->mlr, &goal->goal, r.upper, true);
	struct out *o = s->run->out;

	out_nest(o, NULL, OUT_OBJECT);
	out_str_fmt(o, "goal", NULL, goal->name);
	out_text(o, "  %-*s", goals_width(s->ask), goal->name);
	out_f64_fmt(o, "pps", " %14.0f", r.rate);
	out_f64_fmt(o, "l1_gbps", " %8.3f", r.rate * 8 * (s->bytes + L1_BYTES) / 1e9);
	bound_show(o, "lower", r.lower, &lower);
	bound_show(o, "upper", r.upper, &upper);
	out_str(o, "verdict", "  %s\n", verdict(s, &goal->goal, &r));
	out_unnest(o);
}

static void
goals_show(const struct search *s)
{
	struct out *o = s->run->out;

	out_nest(o, "goals", OUT_ARRAY);
	out_text(o, "  %-*s %14s %8s %14s %9s %8s %14s %9s %8s\n", goals_width(s->ask), "goal",
		"packets/s", "Gbit/s", "lower bound", "within", "conf.", "upper bound", "within",
		"conf.");
	for (unsigned int i = 0; i < s->ask->n_goals; i++)
		goal_show(s, &s->ask->goal[i]);
	out_unnest(o);
}

/* Latency at shares of the rate found. */

#define UPTO 0.9999 /* the highest percentile that is shown */

static void
latency_show(const struct search *s, unsigned int percent, double load)
{
	struct hdr_copy *h = calloc(1, sizeof(*h));
	const struct engine_sums sums = sums_read(s);
	struct out *o = s->run->out;

	for (unsigned int i = 0; h != NULL && i < s->run->plan.n_streams; i++)
		hdr_merge(h, s->engine->trial->latency->of(s->run->streams[i]));
	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "percent", "  %3" PRIu64 " %%", percent);
	out_f64_fmt(o, "load_pps", " %14.0f", load);
	out_f64_fmt(o, "loss_percent", " %12.6f",
		sums.due > 0 ? missing(sums.arrived, sums.due) * 100 : NAN);
	hdr_columns(o, UPTO, h);
	out_us(o, "max_us", h != NULL && h->total > 0 ? (double)hdr_quantile(h, 1) / 1e3 : NAN);
	out_text(o, "\n");
	out_unnest(o);
	free(h);
}

static void
latency_progress(const struct search *s, unsigned int loads)
{
	const double left = loads * ((double)s->ask->latency_ms / 1000 + overhead(s));
	char text[TIMED_LEFT_BYTES], line[PROGRESS];

	snprintf(line, sizeof(line), "  latency%s",
		timed_left(left + s->sizes_left * (s->seconds + left), text));
	if (s->terminal)
		out_progress(s->run->out, PROGRESS, line);
}

/*
 * Run the loads of the latency table: the lowest one, and shares of the last goal's rate if one was
 * found.
 */
static int
latencies_run(struct search *s, struct err *e)
{
	static const unsigned int percents[LATENCY_LOADS] = { 0, 10, 50, 90 };
	const struct mlr_goal *last = &s->ask->goal[s->ask->n_goals - 1].goal;
	const double rate = mlr_result(&s->mlr, last).rate;
	struct out *o = s->run->out;

	if (s->ask->latency_ms == 0 || s->stopped)
		return 0;
	out_nest(o, "latency", OUT_ARRAY);
	out_text(o, "  %-5s %14s %12s", "load", "asked pps", "loss %");
	hdr_titles(o, UPTO, "");
	out_text(o, " %10s  us\n", "max");
	for (size_t i = 0; i < (rate > 0 ? ARRAY_SIZE(percents) : 1); i++) {
		const double load = fmax(s->mlr.min_load, rate * percents[i] / 100);

		latency_progress(s, (unsigned int)(ARRAY_SIZE(percents) - i));
		if (!load_run(s, load, s->ask->latency_ms, e))
			break;
		progress_clear(s);
		latency_show(s, percents[i], load);
	}
	out_unnest(o);
	return -e->code;
}

/* Check the size, and choose the bounds of the loads. */
static int
size_prepare(struct search *s, struct err *e)
{
	struct mlr *m = &s->mlr;
	double line_pps;

	if (senders_read(s, &line_pps, e) != 0)
		return -e->code;
	m->max_load = s->ask->max_pps > 0 ? s->ask->max_pps : line_pps;
	m->min_load = s->ask->min_pps > 0 ? s->ask->min_pps : fmin(PPS_MIN, m->max_load / 2);
	if (m->max_load <= 0)
		return err_set(e, EINVAL,
			"measure rate: the link speed of a port is unknown: use \"to RATE\"");
	if (m->min_load >= m->max_load)
		return err_set(e, ERANGE, "from %.0fpps: expected less than the line rate, %.0fpps",
			m->min_load, m->max_load);
	for (unsigned int i = 0; i < s->ask->n_goals; i++)
		m->goal[i] = s->ask->goal[i].goal;
	m->n_goals = s->ask->n_goals;
	return 0;
}

/* Search for one size, with the engine measure. */
static int
size_search(struct search *s, struct err *e)
{
	if (setting_parse(s->run->settings, s->engine->trial->size, s->size, e) != 0)
		return -e->code;
	out_str(s->run->out, "size", "size %s", s->size);
	out_f64_fmt(s->run->out, "mean_bytes", ", %.1f bytes", s->bytes);
	out_u64(s->run->out, "ports", ", sending ports: %" PRIu64, s->senders);
	out_f64_fmt(s->run->out, "min_pps", ", each %.0f", s->mlr.min_load);
	out_f64_fmt(s->run->out, "max_pps", " to %.0f packets/s\n", s->mlr.max_load);
	if (trials_run(s, e) != 0)
		return -e->code;
	goals_show(s);
	lost_cpu_show(s);
	if (latencies_run(s, e) != 0)
		return -e->code;
	out_u64(s->run->out, "n_trials", "  trials: %" PRIu64, s->n_trials);
	out_f64_fmt(s->run->out, "trial_seconds", ", %.1f s", s->seconds);
	out_bool(s->run->out, "stopped", "%s\n", s->stopped, "; stopped by a signal", "");
	return 0;
}

/* Search for each size of the list, or only check them; with the members of begin before size. */
static int
sizes_each(const struct search *begin, bool search, struct err *e)
{
	struct run *r = begin->run;
	const char *asked = begin->ask->sizes;
	char *sizes = strdup(asked != NULL ? asked : SIZE_DESCRIBED), *rest;
	unsigned int n_left = 1;
	bool stopped = false;

	if (sizes == NULL)
		return err_set(e, ENOMEM, "measure rate: no memory");
	for (const char *at = sizes; *at != '\0'; at++)
		n_left += *at == ',';
	for (char *size = strtok_r(sizes, ",", &rest); size != NULL && !stopped && e->code == 0;
		size = strtok_r(NULL, ",", &rest)) {
		struct search s = *begin;

		s.size = size;
		s.sizes_left = --n_left;
		if (size_prepare(&s, e) != 0 || !search)
			continue;
		out_nest(r->out, NULL, OUT_OBJECT);
		size_search(&s, e);
		out_unnest(r->out);
		stopped = s.stopped;
		mlr_free(&s.mlr);
	}
	free(sizes);
	return -e->code;
}

int
rate_search(struct run *r, struct interrupt *interrupt, const struct rate_ask *ask, struct err *e)
{
	const struct engine *engine = r->engine;
	const bool retry = r->retry;
	const struct search begin = { .run = r,
		.interrupt = interrupt,
		.ask = ask,
		.engine = run_engine_trial(r, e),
		.terminal = out_on_terminal(r->out) };
	const char *changed[2];
	char *before[ARRAY_SIZE(changed)];

	if (begin.engine == NULL)
		return -e->code;
	changed[0] = begin.engine->trial->rate;
	changed[1] = begin.engine->trial->size;
	if (r->secondary)
		return err_set(e, ENOTSUP, "measure rate: not in a secondary process");
	if (run_busy(r))
		return err_set(e, EBUSY, "measure rate: forwarding is running: use stop");
	if (run_links_await(r, true, e) != 0 || sizes_each(&begin, false, e) != 0 ||
		settings_save(r->settings, changed, ARRAY_SIZE(changed), before, e) != 0)
		return -e->code;
	run_engine_choose(r, begin.engine, false);
	out_nest(r->out, "sizes", OUT_ARRAY);
	sizes_each(&begin, true, e);
	out_unnest(r->out);
	run_engine_choose(r, engine, retry);
	settings_restore(r->settings, changed, ARRAY_SIZE(changed), before, e);
	return -e->code;
}
