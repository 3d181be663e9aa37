/* Runs the combinations interleaved, so that drift of the machine affects all of them alike. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "show/compare.h"

#include "base/err.h"
#include "base/interrupt.h"
#include "base/out.h"
#include "base/setting.h"
#include "engines/engine.h"
#include "run/run.h"
#include "run/run_start.h"
#include "run/timed.h"
#include "show/compare_plan.h"
#include "show/compare_show.h"
#include "show/compare_stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct compare {
	struct run *run;
	int interrupt_fd;
	struct compare_result result;
	struct run_trial trial;
	const char *names[COMPARE_LISTS];
	/* Engine and settings before the comparison, to be restored after it. */
	const struct engine *engine;
	uint64_t before[COMPARE_LISTS];
	bool terminal;
};

/* Set a number unless it is set already: a recording logs each assignment. */
static int
setting_give(const struct run *r, const struct setting *s, uint64_t value, struct err *e)
{
	return setting_u64(r->settings, s->name) != value
		? setting_set(r->settings, s->name, value, e)
		: 0;
}

static void
remember(struct compare *c)
{
	const struct compare_plan *p = c->result.plan;

	c->engine = c->run->engine;
	for (unsigned int i = 0; i < p->n_lists; i++) {
		c->names[i] = compare_plan_name(&p->list[i]);
		if (p->list[i].setting != NULL)
			c->before[i] = setting_u64(c->run->settings, c->names[i]);
	}
}

static int
restore(struct compare *c, struct err *e)
{
	const struct compare_plan *p = c->result.plan;
	int ret = 0;

	run_engine_choose(c->run, c->engine, c->run->retry);
	for (unsigned int i = 0; i < p->n_lists; i++) {
		struct err why = { 0 };

		if (p->list[i].setting == NULL ||
			setting_give(c->run, p->list[i].setting, c->before[i], &why) == 0)
			continue;
		*e = why;
		ret = err_context(e, "cannot restore %s", c->names[i]);
	}
	return ret;
}

/* Apply the settings and the engine of a combination. */
static int
choose(struct compare *c, unsigned int combination, struct err *e)
{
	const struct compare_plan *p = c->result.plan;
	int ret = 0;

	for (unsigned int i = 0; ret == 0 && i < p->n_lists; i++) {
		const struct setting *s = p->list[i].setting;
		const char *value = compare_plan_value(p, combination, i);
		char now[32];

		if (s == NULL)
			run_engine_choose(c->run, run_engine(c->run, value), c->run->retry);
		else if (strcmp(setting_word(c->run->settings, s->name, now, sizeof(now)), value) !=
			0)
			ret = setting_parse(c->run->settings, s->name, value, e);
	}
	return ret;
}

static void
progress(const struct compare *c, unsigned int run)
{
	const struct compare_plan *p = c->result.plan;

	if (c->terminal)
		out_prompt(c->run->out, "\rcompare: run %u of %u", run + 1, p->n * p->runs);
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
		.n_names = p->n_lists };
	ret = choose(c, combination, &why);
	c->run->trial = &c->trial;
	if (ret == 0)
		ret = timed_silent(c->run, c->interrupt_fd, &p->length, &c->trial.cut, &why);
	c->run->trial = NULL;
	if (ret == 0 && !c->trial.cut) {
		run_summary_read(c->run, &t->summary);
		t->done = true;
	} else if (ret != 0 && !interrupt_pending(c->interrupt_fd)) {
		c->result.refused[combination] = strdup(why.text);
	}
	return !interrupt_pending(c->interrupt_fd) && !out_gone(c->run->out);
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
		progress(c, i);
		c->result.stopped = !run_one(c, combination, round);
	}
	if (c->terminal)
		out_prompt(c->run->out, "\r%*s\r", 40, "");
}

/* 0 if any combination was able to start, otherwise the error of the first one. */
static int
any_ran(const struct compare_result *result, struct err *e)
{
	for (unsigned int i = 0; i < result->plan->n; i++)
		if (result->refused[i] == NULL)
			return 0;
	return err_set(e, EINVAL, "no combination can start: %s", result->refused[0]);
}

static int
compare(struct compare *c, struct err *e)
{
	int ret;

	remember(c);
	rounds(c);
	ret = restore(c, e);
	if (ret == 0)
		ret = any_ran(&c->result, e);
	if (ret == 0)
		compare_show(&c->result, c->run->out);
	return ret;
}

int
compare_run(struct run *r, int interrupt_fd, const struct compare_plan *plan, struct err *e)
{
	struct compare c = { .run = r,
		.interrupt_fd = interrupt_fd,
		.result = { .plan = plan },
		.terminal = isatty(STDOUT_FILENO) != 0 && out_format(r->out) == OUT_TEXT };
	int ret;

	if (r->secondary)
		return err_set(e, ENOTSUP, "compare works only in the primary process");
	if (run_busy(r))
		return err_set(e, EBUSY, "Please stop forwarding first");
	c.result.trial = calloc((size_t)plan->n * plan->runs, sizeof(*c.result.trial));
	c.result.refused = calloc(plan->n, sizeof(*c.result.refused));
	r->n_comparisons++;
	ret = c.result.trial != NULL && c.result.refused != NULL
		? compare(&c, e)
		: err_set(e, ENOMEM, "no memory for the results of %u runs", plan->n * plan->runs);
	for (unsigned int i = 0; c.result.refused != NULL && i < plan->n; i++)
		free(c.result.refused[i]);
	free(c.result.refused);
	free(c.result.trial);
	return ret;
}
