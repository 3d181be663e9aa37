/* Commands of the engine extbuf: how payload gets through the application's memory, and what came
 * of it. */
#include "app.h"
#include "base/base.h"
#include "base/setting.h"
#include "cmdline/grammar/grammar.h"
#include "run/run_engines.h"

static int
set_mode(struct app *app, const struct args *a, struct err *e)
{
	return setting_parse(app->settings, "extbuf-mode", arg_str(a, "mode", ""), e);
}

static int
show_extbuf(struct app *app, const struct args *a, struct err *e)
{
	return run_engines_show(&app->run, run_engine(&app->run, "extbuf"), e);
}

static const struct cmd_row rows[] = {
	{ "set extbuf mode <mode:word auto|copy|attach|pinned|storage>", set_mode,
		"extbuf: how payload gets through the application's memory, from the next start on",
		"set extbuf mode attach" },
	{ "show extbuf", show_extbuf,
		"extbuf: memory, buffers and threshold of each stream, and what that was measured by",
		NULL },
};

const struct cmd_table cmds_extbuf = { "config", "external buffers", rows, ARRAY_SIZE(rows) };
