/* The command compare: interleaved runs of settings, engines, drivers, lcores and queues. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/grammar/grammar.h"
#include "cmdline/grammar/offers.h"
#include "cmdline/grammar/words.h"
#include "features/compare/compare.h"
#include "features/compare/compare_plan.h"

#include <errno.h>

/* Offer the words that may follow in compare. */
static void
compare_offer(const struct app *app, const char *params, const char *before, struct offers *o)
{
	struct compare_plan plan;
	struct words words;
	struct err e;
	int ret;

	err_clear(&e);
	words_open(&words, before, 0, NULL);
	ret = compare_plan_read(&plan, &words, &app->run, &e);
	o->complete = ret == 0;
	arg_rest_offer(&words, o);
	if (words.n == 0 && (ret == 0 || plan.n_lists == 0))
		compare_plan_offer(&app->run, o);
	words_close(&words);
}

static const struct arg_type types[] = {
	{ "compare",
		"lists (SETTING=VALUE,..., engines=, drivers=, cores=, queues=), then for AMOUNT, runs N: burst=8,32 engines=io,mac for 2s runs 9",
		arg_rest_parse, NULL, compare_offer },
};
const struct arg_table types_compare = { types, ARRAY_SIZE(types) };

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
	return compare_run(&app->run, &app->interrupt, &plan, e);
}

static const struct cmd_row cmd_rows[] = {
	{ "compare <what:compare>", compare,
		"benchmark every combination of settings, engines, drivers, lcores and queues, N runs each, interleaved: compare rxd=256,2048 engines=io,mac for 2s runs 9; prints medians, confidence intervals and ratios to the first; ports are restarted where a list needs it",
		"compare burst=8,32 engines=io,mac for 5ms runs 2", NULL, compare_check },
};

const struct cmd_table cmds_compare = { "control", "comparisons", cmd_rows, ARRAY_SIZE(cmd_rows),
	CMD_CONTROL };
