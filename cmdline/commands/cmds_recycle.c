/* Commands on mbuf recycling beyond its settings: pairs, what came of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/grammar/grammar.h"
#include "engines/recycle/recycle_named.h"
#include "run/run_engines.h"

#include <string.h>

static const struct engine *
recycle(const struct app *app)
{
	return run_engine(&app->run, "recycle_mbufs");
}

static int
set_pair(struct app *app, const struct args *a, struct err *e)
{
	const struct recycle_ends ends = { (uint16_t)arg_u64(a, "rxport", 0),
		(uint16_t)arg_u64(a, "rxq", 0), (uint16_t)arg_u64(a, "txport", 0),
		(uint16_t)arg_u64(a, "txq", 0) };

	struct recycle_named named;

	memcpy(&named, run_engines_config(&app->run, recycle(app)), sizeof(named));
	if (recycle_named_add(&named, &ends, e) != 0)
		return -e->code;
	return run_engines_configure(&app->run, recycle(app), &named, e);
}

static int
set_pair_auto(struct app *app, const struct args *a, struct err *e)
{
	static const struct recycle_named none;

	return run_engines_configure(&app->run, recycle(app), &none, e);
}

static int
show_recycle(struct app *app, const struct args *a, struct err *e)
{
	return run_engines_show(&app->run, recycle(app), e);
}

static const struct cmd_row rows[] = {
	{ "set recycle pair <rxport:port> <rxq:uint 0..65535> <txport:port> <txq:uint 0..65535>",
		set_pair,
		"recycle_mbufs: let what a transmit queue has sent feed that receive queue; acts at once",
		"set recycle pair 0 0 1 0" },
	{ "set recycle pair auto", set_pair_auto,
		"recycle_mbufs: feed each receive queue from where its packets go; acts at once",
		"set recycle pair auto" },
	{ "show recycle", show_recycle,
		"recycle_mbufs: which queues are paired or why not, and how many mbufs came back",
		NULL },
};

const struct cmd_table cmds_recycle = { "config", "mbuf recycling", rows, ARRAY_SIZE(rows) };
