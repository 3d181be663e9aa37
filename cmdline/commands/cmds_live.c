/* Commands that watch the program at work. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/amount.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/grammar/grammar.h"
#include "show/run_drops.h"
#include "show/telemetry.h"
#include "show/top.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int
top(struct app *app, const struct args *a, struct err *e)
{
	const char *text = arg_str(a, "period", "1");
	const char *unit = "";
	double period = 0;

	amount_read(text, &period, &unit);
	if (strcmp(unit, "ms") == 0)
		period /= 1000;
	if (strcmp(unit, "packets") == 0 || period < TOP_PERIOD_MIN || period > TOP_PERIOD_MAX)
		return arg_err(a, "period", e, ERANGE,
			"\"%s\": expected %g..%d seconds, such as 1s or 500ms", text,
			TOP_PERIOD_MIN, TOP_PERIOD_MAX);
	return top_run(&app->run, app->interrupt_fd, period, arg_u64(a, "n", 0), e);
}

static int
show_telemetry(struct app *app, const struct args *a, struct err *e)
{
	return telemetry_show(app->out, e);
}

static int
explain_drops(struct app *app, const struct args *a, struct err *e)
{
	return run_drops_explain(&app->run, e);
}

static const struct cmd_row rows[] = {
	{ "top [every <period:amount>] [count <n:uint 1..4294967295>]", top,
		"show the running streams on a full screen (q quits), or as lines if there is no terminal: rates, cycles, bursts, drops, pool",
		NULL },
	{ "top count <n:uint 1..4294967295> [every <period:amount>]", top,
		"show the streams n times", NULL },
	{ "explain drops", explain_drops,
		"explain where packets of this run or the last one were lost, and what to do about it",
		NULL },
	{ "show telemetry", show_telemetry,
		"show the path of DPDK's telemetry socket, and what it reports about zcfwd", NULL },
};

const struct cmd_table cmds_live = { "live", "watching the program at work", rows,
	ARRAY_SIZE(rows) };
