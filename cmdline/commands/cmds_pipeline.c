/* Commands of the engine ring_pipeline: lcores, rings, stages, and results. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/setting.h"
#include "cmdline/grammar/grammar.h"
#include "run/run_engines.h"

static const struct engine *
pipeline(const struct app *app)
{
	return run_engine(&app->run, "ring_pipeline");
}

/* Set both lists of lcores, or none if either is invalid. */
static int
lcores(struct app *app, const char *io, const char *workers, struct err *e)
{
	int ret = setting_check(app->settings, "pipeline-io", io, e);

	if (ret == 0)
		ret = setting_check(app->settings, "pipeline-workers", workers, e);
	if (ret == 0)
		ret = setting_parse(app->settings, "pipeline-io", io, e);
	if (ret == 0)
		ret = setting_parse(app->settings, "pipeline-workers", workers, e);
	return ret;
}

static int
set_lcores(struct app *app, const struct args *a, struct err *e)
{
	return lcores(app, arg_find(a, "io")->text, arg_find(a, "workers")->text, e);
}

static int
set_lcores_auto(struct app *app, const struct args *a, struct err *e)
{
	return lcores(app, "", "", e);
}

static int
set_busy(struct app *app, const struct args *a, struct err *e)
{
	int ret = setting_set(app->settings, "pipeline-busy", arg_u64(a, "n", 0), e);

	return ret != 0 ? ret : setting_parse(app->settings, "pipeline-stage", "busy", e);
}

static int
show_pipeline(struct app *app, const struct args *a, struct err *e)
{
	return run_engines_show(&app->run, pipeline(app), e);
}

static const struct cmd_row rows[] = {
	{ "set pipeline io <io:list> workers <workers:list>", set_lcores,
		"ring_pipeline: set the lcores that receive and transmit, and those that work; an lcore may do both",
		"set pipeline io 1 workers 1" },
	{ "set pipeline lcores auto", set_lcores_auto,
		"ring_pipeline: divide the forwarding lcores automatically; a single lcore does both",
		"set pipeline lcores auto" },
	{ "set pipeline stage busy <n:uint 0..1000000>", set_busy,
		"ring_pipeline: let a worker spend n cycles on each packet",
		"set pipeline stage busy 200" },
	{ "show pipeline", show_pipeline,
		"ring_pipeline: show modes, cycles and rings of the current or last run", NULL },
};

const struct cmd_table cmds_pipeline = { "pipeline", "ring pipeline", rows, ARRAY_SIZE(rows) };
