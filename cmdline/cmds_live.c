/* Commands that watch the program at work. */
#include "app.h"
#include "base.h"
#include "grammar.h"
#include "telemetry.h"

static int
show_telemetry(struct app *app, const struct args *a, struct err *e)
{
	return telemetry_show(app->out, e);
}

static const struct cmd_row rows[] = {
	{ "show telemetry", show_telemetry,
		"where DPDK's telemetry socket is, and what it tells of zcfwd", NULL },
};

const struct cmd_table cmds_live = { "display", "watching the program at work", rows,
	ARRAY_SIZE(rows) };
