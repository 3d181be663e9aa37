/* Commands of the engine extbuf beyond its settings: results of a run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "cmdline/grammar/grammar.h"
#include "run/run_engines.h"

static int
show_extbuf(struct app *app, const struct args *a, struct err *e)
{
	return run_engines_show(&app->run, run_engine(&app->run, "extbuf"), e);
}

static const struct cmd_row rows[] = {
	{ "show extbuf", show_extbuf,
		"show memory, buffers and threshold of each stream of engine extbuf", NULL },
};

const struct cmd_table cmds_extbuf = { "extbuf", "external buffers", rows, ARRAY_SIZE(rows) };
