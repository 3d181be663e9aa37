/* Commands of the engine gpu beyond its settings: what came of a run. */
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
	{ "show gpu", show_gpu, "gpu: device, batches, time from receive to result of each stream",
		NULL },
};

const struct cmd_table cmds_gpu = { "gpu", "packets on a GPU", rows, ARRAY_SIZE(rows) };
