/* Commands that record runs to a file. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/commands/types_app.h"
#include "cmdline/grammar/grammar.h"
#include "record/record.h"
#include "record/record_plan.h"
#include "record/record_show.h"

#include <errno.h>
#include <string.h>

static int
record_begin(struct app *app, const struct args *a, struct err *e)
{
	struct record_plan plan = record_plan_default(app->settings);
	const struct arg *list = arg_find(a, "list");

	plan.every_ms = (unsigned int)arg_u64(a, "ms", plan.every_ms);
	plan.overwrite |= arg_given(a, "replace");
	if (a->data != NULL)
		plan.bursts = (unsigned int)arg_u64(a, "n", 1);
	if (list != NULL && list->list_n > RECORD_PLAN_LISTED)
		return arg_err(a, "list", e, E2BIG, "%u streams: expected at most %d", list->list_n,
			RECORD_PLAN_LISTED);
	if (list != NULL) {
		plan.n = list->list_n;
		memcpy(plan.list, list->list, plan.n * sizeof(plan.list[0]));
	}
	return record_start(app->record, arg_str(a, "file", ""), &plan, e);
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

#define START "record start <file:file> {<replace:word overwrite>} {every <ms:uint 1..3600000>} "
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
	{ "show record", show_record, "show the recording: file, streams, samples, losses", NULL },
};

const struct cmd_table cmds_record = { "recording", "recordings of runs", rows, ARRAY_SIZE(rows) };
