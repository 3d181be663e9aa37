/* Commands that record, capture and watch. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/interrupt.h"
#include "base/out.h"
#include "base/text.h"
#include "cmdline/grammar/grammar.h"
#include "record/record.h"
#include "record/record_sample.h"
#include "run/account/run_drops.h"
#include "show/telemetry.h"
#include "show/top.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FOLLOW_MS 200  /* between two looks whether a recording has ended */
#define FOLLOW_EVENT 5 /* looks until the next event */

/* A recording whose client reads events: its struct interrupt_task. */
struct following {
	struct app *app;
	unsigned int number; /* of the recording */
	unsigned int looks;
};

/* Tell how the recording goes on. e: why it ended; NULL: it has not. */
static void
following_tell(const struct following *f, const char *event, const struct err *e)
{
	struct out *o = f->app->out;
	struct err odd;

	if (!out_event_begin(o, event))
		return;
	err_clear(&odd);
	(void)record_show(f->app->record, o, &odd);
	if (e != NULL && e->code != 0)
		out_str(o, "error", NULL, e->text);
	out_event_end(o);
}

static int
following_step(void *ctx)
{
	struct following *f = ctx;
	const struct record_last last = record_last(f->app->record);

	if (last.number != f->number || !last.on)
		return -1;
	if (f->looks > 0 && f->looks % FOLLOW_EVENT == 0)
		following_tell(f, "progress", NULL);
	f->looks++;
	return FOLLOW_MS;
}

/* Nothing is typed for it. */
static bool
following_keys(void *ctx)
{
	return true;
}

/* The recording has ended, or its client has cancelled it or is gone. */
static bool
following_end(void *ctx)
{
	struct following *f = ctx;
	const struct record_last last = record_last(f->app->record);
	bool ok = true;
	struct err e;

	err_clear(&e);
	if (last.number == f->number) {
		ok = !last.failed && (!last.on || record_stop(f->app->record, &e) == 0);
		following_tell(f, "end", &e);
	}
	free(f);
	return ok;
}

/* Go on with events for the client that reads them, between the commands of others. */
static void
follow(struct app *app)
{
	struct interrupt_task task = { following_step, following_keys, following_end, NULL, true };
	struct following *f = out_has_events(app->out) ? malloc(sizeof(*f)) : NULL;

	if (f == NULL)
		return;
	*f = (struct following){ .app = app, .number = record_last(app->record).number };
	task.ctx = f;
	if (!interrupt_hand_over(&app->interrupt, &task))
		free(f);
}

static int
record_begin(struct app *app, const struct args *a, struct err *e)
{
	struct record_plan plan = record_plan_default(app->settings);
	const struct arg *list = arg_find(a, "list");

	plan.every_ms = (unsigned int)arg_u64(a, "ms", plan.every_ms);
	plan.overwrite |= arg_given(a, "replace");
	plan.times |= arg_given(a, "times");
	if (a->data != NULL)
		plan.bursts = (unsigned int)arg_u64(a, "n", 1);
	if (list != NULL && list->list_n > RECORD_PLAN_LISTED)
		return arg_err(a, "list", e, E2BIG, "%u streams: expected at most %d", list->list_n,
			RECORD_PLAN_LISTED);
	if (list != NULL) {
		plan.n = list->list_n;
		memcpy(plan.list, list->list, plan.n * sizeof(plan.list[0]));
	}
	if (record_start(app->record, arg_str(a, "file", ""), &plan, e) != 0)
		return -e->code;
	follow(app);
	return 0;
}

static int
record_end(struct app *app, const struct args *a, struct err *e)
{
	return record_stop(app->record, e);
}

static int
show_record(struct app *app, const struct args *a, struct err *e)
{
	return record_show(app->record, app->out, e);
}

#define START \
	"record start <file:file> {<replace:word overwrite>} {every <ms:uint 1..3600000 ms>} {<times:word latency>} "
#define STREAMS "[streams <list:list>]"

static const struct cmd_row rows[] = {
	{ START STREAMS, record_begin,
		"record runs to a file: a JSON line every record-every ms, of all streams or of those listed",
		"record start /dev/null every 100", NULL, arg_check_folder },
	{ START "bursts all " STREAMS, record_begin,
		"also record every non-empty poll, in FILE.bursts", NULL, "bursts",
		arg_check_folder },
	{ START "bursts sampled <n:uint 1..4294967295> " STREAMS, record_begin,
		"also record one of every n non-empty polls, in FILE.bursts", NULL, "bursts",
		arg_check_folder },
	{ "record stop", record_end, "end the recording", NULL },
	{ "show record", show_record, "show the recording: file, streams, samples, losses", NULL,
		.shows = true },
};

const struct cmd_table cmds_record = { "recording", "recordings of runs", rows, ARRAY_SIZE(rows),
	CMD_RECORDS };

/* Commands that watch the program at work. */

static int
top(struct app *app, const struct args *a, struct err *e)
{
	const char *text = arg_str(a, "period", "1");
	const char *unit = "";
	double period = 0;

	text_amount(text, &period, &unit);
	period = text_seconds(period, unit);
	if (period < TOP_PERIOD_MIN || period > TOP_PERIOD_MAX)
		return arg_err(a, "period", e, ERANGE,
			"\"%s\": expected %g..%d seconds, such as 1s or 500ms", text,
			TOP_PERIOD_MIN, TOP_PERIOD_MAX);
	return top_run(&app->run, &app->interrupt, period, arg_u64(a, "n", 0), e);
}

static const struct cmd_row cmds_live_rows[] = {
	{ "top [every <period:amount>] [count <n:uint 1..4294967295>]", top,
		"show the running streams on a full screen (q quits), or as lines if there is no terminal: rates, cycles, bursts, drops, pool",
		NULL, .yields = true },
	{ "top count <n:uint 1..4294967295> [every <period:amount>]", top,
		"show the streams n times", NULL, .yields = true },
	{ "explain drops", arg_on_run,
		"explain where packets of this run or the last one were lost, and what to do about it",
		NULL, ARG_ON_RUN(run_drops_explain), .shows = true },
	{ "show telemetry", telemetry_show,
		"show the path of DPDK's telemetry socket, and what it reports about zcfwd", NULL,
		.shows = true },
};

const struct cmd_table cmds_live = { "live", "watching the program at work", cmds_live_rows,
	ARRAY_SIZE(cmds_live_rows), CMD_RECORDS };
