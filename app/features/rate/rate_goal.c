/* Reads search goals. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/rate/rate_goal.h"

#include "base/base.h"
#include "base/err.h"
#include "cmdline/grammar/words.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARKS ",:"

/* Sources: FD.io CSIT's settings of MLRsearch; RFC 2544, section 26.1; ETSI GS NFV-TST 009. */
static const struct {
	const char *word, *help;
	struct mlr_goal goal;
} presets[] = {
	{ "ndr", "no drop rate",
		{ .loss = 0,
			.exceed = 0.5,
			.width = 0.005,
			.initial_s = 1,
			.final_s = 1,
			.sum_s = 21 } },
	{ "pdr", "partial drop rate: 0.5 %",
		{ .loss = 0.005,
			.exceed = 0.5,
			.width = 0.005,
			.initial_s = 1,
			.final_s = 1,
			.sum_s = 21 } },
	{ "rfc2544", "RFC 2544: trials of 60 s",
		{ .loss = 0,
			.exceed = 0,
			.width = 0.005,
			.initial_s = 1,
			.final_s = 60,
			.sum_s = 60 } },
	{ "tst009", "ETSI GS NFV-TST 009: trials of 60 s",
		{ .loss = 0,
			.exceed = 0.5,
			.width = 0.005,
			.initial_s = 1,
			.final_s = 60,
			.sum_s = 120 } },
};

static const struct member {
	const char *word, *unit, *help;
	size_t at;
	double scale, min, max; /* bounds as typed */
} members[] = {
	{ "loss=", "%", "lost packets of a trial that passes", offsetof(struct mlr_goal, loss),
		0.01, 0, 99 },
	{ "exceed=", "%", "share of trials that may lose more", offsetof(struct mlr_goal, exceed),
		0.01, 0, 99 },
	{ "width=", "%", "distance of the bounds found", offsetof(struct mlr_goal, width), 0.01,
		0.01, 50 },
	{ "first=", "s", "length of the first trials", offsetof(struct mlr_goal, initial_s), 1,
		0.01, 3600 },
	{ "trial=", "s", "length of the last trials", offsetof(struct mlr_goal, final_s), 1, 0.01,
		3600 },
	{ "sum=", "s", "length of all trials of a load", offsetof(struct mlr_goal, sum_s), 1, 0.01,
		86400 },
};

/* Read MEMBER=VALUE. */
static int
member_read(struct words *r, struct mlr_goal *goal, struct err *e)
{
	const struct member *m = NULL;
	char hint[64], wrong[96], *unit;
	const char *value;
	double number;

	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		words_may(r, members[i].word, members[i].help);
		if (strncmp(r->word, members[i].word, strlen(members[i].word)) == 0)
			m = &members[i];
	}
	if (m == NULL)
		return words_fail(r, EINVAL, NULL, e);
	offers_free(&r->offers);
	snprintf(hint, sizeof(hint), "%g%s to %g%s", m->min, m->unit, m->max, m->unit);
	words_hint(r, hint);
	value = r->word + strlen(m->word);
	number = strtod(value, &unit);
	snprintf(wrong, sizeof(wrong), "\"%.80s\"", r->word);
	if (unit == value || strcmp(unit, m->unit) != 0 || !(number >= m->min && number <= m->max))
		return words_fail(r, ERANGE, wrong, e);
	*(double *)((char *)goal + m->at) = number * m->scale;
	words_next(r);
	return 0;
}

/* Read PRESET[:MEMBER=VALUE...]. */
static int
goal_read(struct words *r, struct rate_goal *to, struct err *e)
{
	const size_t from = r->at;
	size_t i = 0, n;
	char wrong[96];

	while (i < ARRAY_SIZE(presets) && !words_is(r, presets[i].word, presets[i].help))
		i++;
	snprintf(wrong, sizeof(wrong), "unknown goal \"%.64s\"", r->word);
	if (i == ARRAY_SIZE(presets))
		return words_fail(r, EINVAL, r->n > 0 ? wrong : NULL, e);
	to->goal = presets[i].goal;
	while (words_is(r, ":", "change a value of this goal"))
		if (member_read(r, &to->goal, e) != 0)
			return -e->code;
	n = r->at - from;
	if (n >= sizeof(to->name))
		return words_fail(r, EINVAL, "the goal is too long", e);
	snprintf(to->name, sizeof(to->name), "%.*s", (int)n, r->text + from);
	/* A load is decided by whole trials. */
	if (to->goal.sum_s < to->goal.final_s)
		to->goal.sum_s = to->goal.final_s;
	if (to->goal.initial_s > to->goal.final_s)
		to->goal.initial_s = to->goal.final_s;
	return 0;
}

static int
goals_read(struct words *r, struct rate_goal *to, struct err *e)
{
	int n = 0;

	words_marks(r, MARKS);
	do {
		if (n == MLR_GOALS_MAX)
			return words_fail(r, EINVAL, "too many goals: expected up to 4", e);
		if (goal_read(r, &to[n], e) != 0)
			return -e->code;
		n++;
	} while (words_is(r, ",", "another goal"));
	return r->n == 0 ? n : words_fail(r, EINVAL, NULL, e);
}

int
rate_goals_parse(const char *text, size_t column, struct rate_goal *to, struct err *e)
{
	struct words r;
	int n;

	words_open(&r, text, column, NULL);
	n = goals_read(&r, to, e);
	words_close(&r);
	return n;
}

void
rate_goals_offer(struct offers *o)
{
	struct rate_goal goals[MLR_GOALS_MAX];
	char before[LINE_BYTES], word[LINE_BYTES + sizeof(o->items->word)];
	size_t n = strlen(o->prefix);
	struct words r;
	struct err e;

	while (n > 0 && strchr(MARKS, o->prefix[n - 1]) == NULL)
		n--;
	snprintf(before, sizeof(before), "%.*s", (int)n, o->prefix);
	err_clear(&e);
	words_open(&r, before, 0, NULL);
	goals_read(&r, goals, &e);
	for (size_t i = 0; r.n == 0 && i < r.offers.n; i++) {
		const struct offers_item *item = &r.offers.items[i];

		snprintf(word, sizeof(word), "%s%s", before, item->word);
		(item->hint ? offers_hint(o, item->word, item->help)
			    : offer(o, word, item->help, false));
	}
	words_close(&r);
}
