/* The command that compares settings and engines by interleaved runs. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/grammar/grammar.h"
#include "cmdline/grammar/words.h"
#include "show/compare.h"
#include "show/compare_plan.h"

#include <errno.h>
#include <stdlib.h>

static int
plan_read(struct app *app, const struct args *a, struct compare_plan *plan, struct err *e)
{
	const struct arg *what = arg_find(a, "what");
	struct words words;
	int ret;

	words_open(&words, what->text, (size_t)what->column, NULL);
	ret = compare_plan_read(plan, &words, &app->run, e);
	words_close(&words);
	return ret;
}

static int
compare_check(struct app *app, const struct args *a, struct err *e)
{
	struct compare_plan plan;

	return plan_read(app, a, &plan, e);
}

static int
compare(struct app *app, const struct args *a, struct err *e)
{
	struct compare_plan plan;

	if (plan_read(app, a, &plan, e) != 0)
		return -e->code;
	return compare_run(&app->run, app->interrupt_fd, &plan, e);
}

static const struct cmd_row rows[] = {
	{ "compare <what:compare>", compare,
		"benchmark every combination of settings and engines, N runs each, interleaved: compare burst=8,32 engines=io,mac for 2s runs 9; prints medians, confidence intervals and ratios to the first",
		"compare burst=8,32 engines=io,mac for 5ms runs 2", NULL, compare_check },
};

const struct cmd_table cmds_compare = { "control", "comparisons", rows, ARRAY_SIZE(rows) };
