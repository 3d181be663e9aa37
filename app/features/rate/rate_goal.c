/* Reads search goals. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/rate/rate_goal.h"

#include "base/base.h"
#include "base/err.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sources: FD.io CSIT's settings of MLRsearch; RFC 2544, section 26.1; ETSI GS NFV-TST 009. */
static const struct rate_goal presets[] = {
	{ "ndr",
		{ .loss = 0,
			.exceed = 0.5,
			.width = 0.005,
			.initial_s = 1,
			.final_s = 1,
			.sum_s = 21 } },
	{ "pdr",
		{ .loss = 0.005,
			.exceed = 0.5,
			.width = 0.005,
			.initial_s = 1,
			.final_s = 1,
			.sum_s = 21 } },
	{ "rfc2544",
		{ .loss = 0,
			.exceed = 0,
			.width = 0.005,
			.initial_s = 1,
			.final_s = 60,
			.sum_s = 60 } },
	{ "tst009",
		{ .loss = 0,
			.exceed = 0.5,
			.width = 0.005,
			.initial_s = 1,
			.final_s = 60,
			.sum_s = 120 } },
};

static const struct {
	const char *word, *unit;
	size_t at;
	double scale, min, max; /* bounds as typed */
} members[] = {
	{ "loss", "%", offsetof(struct mlr_goal, loss), 0.01, 0, 99 },
	{ "exceed", "%", offsetof(struct mlr_goal, exceed), 0.01, 0, 99 },
	{ "width", "%", offsetof(struct mlr_goal, width), 0.01, 0.01, 50 },
	{ "first", "s", offsetof(struct mlr_goal, initial_s), 1, 0.01, 3600 },
	{ "trial", "s", offsetof(struct mlr_goal, final_s), 1, 0.01, 3600 },
	{ "sum", "s", offsetof(struct mlr_goal, sum_s), 1, 0.01, 86400 },
};

/* Read MEMBER=VALUE. */
static int
member_read(const char *word, struct mlr_goal *goal, struct err *e)
{
	const char *value = strchr(word, '=');
	char *unit;
	double number;

	for (size_t i = 0; value != NULL && i < ARRAY_SIZE(members); i++) {
		if (strlen(members[i].word) != (size_t)(value - word) ||
			strncmp(word, members[i].word, (size_t)(value - word)) != 0)
			continue;
		number = strtod(value + 1, &unit);
		if (unit == value + 1 || strcmp(unit, members[i].unit) != 0)
			return err_set(e, EINVAL,
				"\"%s\": expected a number and %s, such as %s=1%s", word,
				members[i].unit, members[i].word, members[i].unit);
		if (!(number >= members[i].min && number <= members[i].max))
			return err_set(e, ERANGE, "\"%s\": expected %g%s to %g%s", word,
				members[i].min, members[i].unit, members[i].max, members[i].unit);
		*(double *)((char *)goal + members[i].at) = number * members[i].scale;
		return 0;
	}
	return err_set(e, EINVAL,
		"\"%s\": expected loss=, exceed= or width= with percent, or first=, trial= or sum= with seconds",
		word);
}

/* Read PRESET[:MEMBER=VALUE...]. */
static int
goal_read(char *word, struct rate_goal *to, struct err *e)
{
	char *rest, *part;
	size_t i = 0;

	snprintf(to->name, sizeof(to->name), "%s", word);
	part = strtok_r(word, ":", &rest);
	while (i < ARRAY_SIZE(presets) && (part == NULL || strcmp(part, presets[i].name) != 0))
		i++;
	if (i == ARRAY_SIZE(presets))
		return err_set(e, EINVAL,
			"goal \"%s\": expected ndr, pdr, rfc2544 or tst009, such as ndr,pdr",
			part != NULL ? part : "");
	to->goal = presets[i].goal;
	while ((part = strtok_r(NULL, ":", &rest)) != NULL)
		if (member_read(part, &to->goal, e) != 0)
			return -e->code;
	/* A load is decided by whole trials. */
	if (to->goal.sum_s < to->goal.final_s)
		to->goal.sum_s = to->goal.final_s;
	if (to->goal.initial_s > to->goal.final_s)
		to->goal.initial_s = to->goal.final_s;
	return 0;
}

int
rate_goals_parse(const char *words, struct rate_goal *to, struct err *e)
{
	char *copy = strdup(words), *rest = NULL, *part;
	int n = 0;

	if (copy == NULL)
		return err_set(e, ENOMEM, "goals: no memory");
	for (part = strtok_r(copy, ",", &rest); part != NULL; part = strtok_r(NULL, ",", &rest)) {
		if (n == MLR_GOALS_MAX || strlen(part) >= sizeof(to->name)) {
			n = err_set(e, EINVAL,
				"goals \"%s\": expected up to %d of up to %zu characters", words,
				MLR_GOALS_MAX, sizeof(to->name) - 1);
			break;
		}
		if (goal_read(part, &to[n], e) != 0) {
			n = -e->code;
			break;
		}
		n++;
	}
	free(copy);
	return n != 0
		? n
		: err_set(e, EINVAL, "goals \"%s\": expected ndr, pdr, rfc2544 or tst009", words);
}
