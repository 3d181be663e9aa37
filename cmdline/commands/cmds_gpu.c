/* Commands of the engine gpu beyond its settings: results of a run. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "cmdline/grammar/grammar.h"
#include "run/run_engines.h"

static int
show_gpu(struct app *app, const struct args *a, struct err *e)
{
	return run_engines_show(&app->run, run_engine(&app->run, "gpu"), e);
}

static const struct cmd_row rows[] = {
	{ "show gpu", show_gpu, "show device, batches and latency of each stream of engine gpu",
		NULL },
};

const struct cmd_table cmds_gpu = { "gpu", "packets on a GPU", rows, ARRAY_SIZE(rows) };
