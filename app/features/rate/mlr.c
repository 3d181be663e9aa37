/* Multiple Loss Ratio search (RFC 9971): classification of loads, and the choice of trials. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/rate/mlr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The trials of a load: trials[first..first + n). */
struct mlr_load {
	unsigned int first, n;
};

static struct mlr_load
load_find(const struct mlr *m, double load)
{
	struct mlr_load found = { 0, 0 };

	while (found.first < m->n && m->trials[found.first].load < load)
		found.first++;
	while (found.first + found.n < m->n && m->trials[found.first + found.n].load <= load)
		found.n++;
	return found;
}

enum mlr_class
mlr_classify(const struct mlr *m, const struct mlr_goal *g, double load)
{
	const struct mlr_load of = load_find(m, load);
	double full_low = 0, full_high = 0, short_low = 0, short_high = 0, high, whole, most;

	for (unsigned int i = of.first; i < of.first + of.n; i++) {
		const struct mlr_trial *t = &m->trials[i];
		const bool full = t->duration_s >= g->final_s, low = t->loss <= g->loss;

		*(full ? (low ? &full_low : &full_high) : (low ? &short_low : &short_high)) +=
			t->effective_s;
	}
	/* Short trials only tell against a load: as far as low losses do not balance high ones. */
	high = full_high + fmax(0, short_high - short_low * g->exceed / (1 - g->exceed));
	whole = fmax(full_low + high, g->sum_s);
	most = whole * g->exceed;
	/* Pessimistic: all trials that are missing have a high loss. */
	if (whole - full_low <= most)
		return MLR_LOWER;
	return high <= most ? MLR_UNDECIDED : MLR_UPPER;
}

static int
by_loss(const void *a, const void *b)
{
	const struct mlr_trial *one = a, *other = b;

	return (one->loss > other->loss) - (one->loss < other->loss);
}

double
mlr_conditional(const struct mlr *m, const struct mlr_goal *g, double load)
{
	const struct mlr_load of = load_find(m, load);
	struct mlr_trial *sorted = calloc(of.n > 0 ? of.n : 1, sizeof(*sorted));
	double whole = 0, remaining, loss = 1;
	unsigned int n = 0;

	for (unsigned int i = of.first; sorted != NULL && i < of.first + of.n; i++)
		if (m->trials[i].duration_s >= g->final_s) {
			sorted[n++] = m->trials[i];
			whole += m->trials[i].effective_s;
		}
	if (sorted != NULL)
		qsort(sorted, n, sizeof(*sorted), by_loss);
	remaining = fmax(g->sum_s, whole) * (1 - g->exceed);
	for (unsigned int i = 0; i < n && (i == 0 || remaining > 0); i++) {
		loss = sorted[i].loss;
		remaining -= sorted[i].effective_s;
	}
	free(sorted);
	return remaining > 0 ? 0 : load * (1 - loss);
}

struct mlr_result
mlr_result(const struct mlr *m, const struct mlr_goal *g)
{
	struct mlr_result r = { 0 };

	for (unsigned int i = 0; i < m->n; i++) {
		const double load = m->trials[i].load;

		if (i > 0 && load <= m->trials[i - 1].load)
			continue;
		switch (mlr_classify(m, g, load)) {
		case MLR_LOWER: r.lower = load; break;
		case MLR_UPPER: r.upper = load; break;
		case MLR_UNDECIDED: break;
		}
		if (r.upper > 0)
			break; /* whatever is above the lowest upper bound is irrelevant */
	}
	r.rate = r.lower > 0 ? mlr_conditional(m, g, r.lower) : 0;
	r.done = (r.lower >= m->max_load) || (r.upper > 0 && r.upper <= m->min_load) ||
		(r.lower > 0 && r.upper > 0 && r.upper - r.lower <= g->width * r.upper);
	return r;
}

/* The probability of at most k of n with a probability of p each. */
static double
binomial(unsigned int n, unsigned int k, double p)
{
	double sum = 0;

	for (unsigned int i = 0; i <= k; i++)
		sum += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) + i * log(p) +
			(n - i) * log1p(-p));
	return fmin(sum, 1);
}

struct mlr_evidence
mlr_evidence(const struct mlr *m, const struct mlr_goal *g, double load, bool upper)
{
	const struct mlr_load of = load_find(m, load);
	struct mlr_evidence ev = { .confidence = NAN };

	for (unsigned int i = of.first; i < of.first + of.n; i++) {
		const struct mlr_trial *t = &m->trials[i];

		if (t->duration_s < g->final_s)
			continue;
		if (t->loss <= g->loss)
			ev.within++;
		else
			ev.above++;
	}
	if (ev.within + ev.above == 0 || g->exceed <= 0)
		return ev;
	if (upper)
		ev.confidence =
			ev.above > 0 ? binomial(ev.within + ev.above, ev.above - 1, g->exceed) : 0;
	else
		ev.confidence = 1 - binomial(ev.within + ev.above, ev.above, g->exceed);
	return ev;
}

/* The mean rate that a load's trials carried. */
static double
carried(const struct mlr *m, double load)
{
	const struct mlr_load of = load_find(m, load);
	double sum = 0, duration = 0;

	for (unsigned int i = of.first; i < of.first + of.n; i++) {
		sum += m->trials[i].effective_s * load * (1 - m->trials[i].loss);
		duration += m->trials[i].effective_s;
	}
	return duration > 0 ? sum / duration : load;
}

/* The load to try next for a goal, of which the bounds are known. */
static double
load_choose(struct mlr *m, const struct mlr_goal *g, unsigned int *steps,
	const struct mlr_result *r)
{
	double load;

	if (r->upper == 0 && r->lower == 0)
		return m->max_load;
	if (r->upper == 0) /* upwards, by steps that double */
		return fmin(m->max_load, r->lower / pow(1 - g->width, exp2((*steps)++)));
	if (r->lower == 0) {
		/* What the system carried under too much load is the best guess; then downwards. */
		load = *steps == 0 ? carried(m, r->upper) / (1 - g->loss)
				   : r->upper * pow(1 - g->width, exp2(*steps - 1.0));
		++*steps;
		load = fmin(load, r->upper * (1 - g->width));
		return fmax(load, m->min_load);
	}
	/* The rate is often just above such a guess: upwards from it, but no farther than the middle. */
	load = r->lower / pow(1 - g->width, exp2(fmax(0, *steps - 1.0)));
	++*steps;
	return fmin(load, sqrt(r->lower * r->upper));
}

/* A goal with the short trials of the search's beginning: one trial decides. */
static struct mlr_goal
coarse(const struct mlr_goal *g)
{
	struct mlr_goal c = *g;

	c.final_s = c.sum_s = g->initial_s;
	c.exceed = 0.5;
	return c;
}

/* Choose the next trial for one version of a goal. Returns false if it is reached. */
static bool
next_for(struct mlr *m, const struct mlr_goal *g, unsigned int *steps, double *load,
	double *duration_s)
{
	const struct mlr_result r = mlr_result(m, g);

	if (r.done)
		return false;
	*load = load_choose(m, g, steps, &r);
	*duration_s = g->final_s;
	m->current = *load;
	return true;
}

bool
mlr_next(struct mlr *m, double *load, double *duration_s)
{
	for (unsigned int i = 0; i < m->n_goals; i++) {
		const struct mlr_goal *g = &m->goal[i], first = coarse(g);
		struct mlr_result rough;

		/* A load that is undecided is measured until it is decided. */
		if (m->current > 0 && mlr_classify(m, &first, m->current) == MLR_UNDECIDED) {
			*load = m->current;
			*duration_s = first.final_s;
			return true;
		}
		if (next_for(m, &first, &m->steps[i], load, duration_s))
			return true;
		if (mlr_result(m, g).done)
			continue;
		/* The rough bounds are the first candidates for the exact ones. */
		rough = mlr_result(m, &first);
		if (rough.lower > 0 && mlr_classify(m, g, rough.lower) == MLR_UNDECIDED)
			*load = rough.lower;
		else if (rough.upper > 0 && mlr_classify(m, g, rough.upper) == MLR_UNDECIDED)
			*load = rough.upper;
		else if (m->current > 0 && mlr_classify(m, g, m->current) == MLR_UNDECIDED)
			*load = m->current;
		else
			return next_for(m, g, &m->steps[i], load, duration_s);
		*duration_s = g->final_s;
		m->current = *load;
		return true;
	}
	return false;
}

bool
mlr_add(struct mlr *m, const struct mlr_trial *trial)
{
	unsigned int at = m->n;

	if (m->n == m->room) {
		const unsigned int room = m->room == 0 ? 64 : 2 * m->room;
		struct mlr_trial *more = realloc(m->trials, room * sizeof(*more));

		if (more == NULL)
			return false;
		m->trials = more;
		m->room = room;
	}
	while (at > 0 && m->trials[at - 1].load > trial->load)
		at--;
	memmove(m->trials + at + 1, m->trials + at, (m->n - at) * sizeof(*m->trials));
	m->trials[at] = *trial;
	m->n++;
	return true;
}

/* The rate that a goal will probably have, by what is known so far. */
static double
guess(const struct mlr *m, const struct mlr_goal *g)
{
	const struct mlr_goal first = coarse(g);
	struct mlr_result r = mlr_result(m, g);

	if (r.lower == 0 || r.upper == 0)
		r = mlr_result(m, &first);
	if (r.done)
		return fmax(r.lower, m->min_load / 2);
	if (r.upper == 0)
		return r.lower > 0 ? m->max_load : sqrt(m->min_load * m->max_load);
	if (r.lower == 0)
		return fmax(fmin(carried(m, r.upper), r.upper * (1 - g->width)), m->min_load);
	return sqrt(r.lower * r.upper);
}

/* The loss at a load of a system that carries what is guessed for each goal. */
static double
guessed_loss(const struct mlr *m, const double *rate, double load)
{
	double loss = 1, most = 0, worst = 0;

	for (unsigned int i = 0; i < m->n_goals; i++) {
		if (load <= rate[i])
			loss = fmin(loss, m->goal[i].loss);
		most = fmax(most, rate[i]);
		worst = fmax(worst, m->goal[i].loss);
	}
	return loss < 1 ? loss : fmax(1 - most / load, worst + 0.01);
}

double
mlr_left(const struct mlr *m, double overhead_s)
{
	struct mlr copy = *m;
	double rate[MLR_GOALS_MAX], load, duration_s, sum_s = 0;

	copy.n = copy.room = 0;
	copy.trials = NULL;
	for (unsigned int i = 0; i < m->n; i++)
		if (!mlr_add(&copy, &m->trials[i]))
			sum_s = NAN;
	for (unsigned int i = 0; i < m->n_goals; i++)
		rate[i] = guess(m, &m->goal[i]);
	while (!isnan(sum_s) && mlr_next(&copy, &load, &duration_s)) {
		const struct mlr_trial trial = { .load = load,
			.duration_s = duration_s,
			.effective_s = duration_s + overhead_s,
			.loss = guessed_loss(m, rate, load) };

		sum_s += copy.n < m->n + MLR_LEFT_TRIALS && mlr_add(&copy, &trial)
			? trial.effective_s
			: NAN;
	}
	mlr_free(&copy);
	return sum_s;
}

void
mlr_free(struct mlr *m)
{
	free(m->trials);
	m->trials = NULL;
	m->n = m->room = 0;
}
