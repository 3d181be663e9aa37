/* Commands of mbuf recycling beyond its settings: pairs and results. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/grammar/grammar.h"
#include "run/recycle_named.h"
#include "run/run_recycle.h"

static int
set_pair(struct app *app, const struct args *a, struct err *e)
{
	const struct recycle_ends ends = { (uint16_t)arg_u64(a, "rxport", 0),
		(uint16_t)arg_u64(a, "rxq", 0), (uint16_t)arg_u64(a, "txport", 0),
		(uint16_t)arg_u64(a, "txq", 0) };
	struct recycle_named named = app->run.recycle;
	int ret = recycle_named_add(&named, &ends, e);

	return ret == 0 ? run_recycle_configure(&app->run, &named, e) : ret;
}

static int
set_pair_auto(struct app *app, const struct args *a, struct err *e)
{
	static const struct recycle_named own;

	return run_recycle_configure(&app->run, &own, e);
}

static int
set_pair_traffic(struct app *app, const struct args *a, struct err *e)
{
	static const struct recycle_named traffic = { .traffic = true };

	return run_recycle_configure(&app->run, &traffic, e);
}

static int
show_recycle(struct app *app, const struct args *a, struct err *e)
{
	return run_recycle_show(&app->run, e);
}

static const struct cmd_row rows[] = {
	{ "set recycle pair <rxport:port> <rxq:uint 0..65535> <txport:port> <txq:uint 0..65535>",
		set_pair,
		"re-arm a receive queue with the buffers that a transmit queue has sent, immediately",
		"set recycle pair 0 0 1 0" },
	{ "set recycle pair auto", set_pair_auto,
		"re-arm each receive queue from its stream's own transmit queue, immediately",
		"set recycle pair auto" },
	{ "set recycle pair traffic", set_pair_traffic,
		"let each lcore pair its receive queues with the transmit queues that send most of their packets, immediately",
		"set recycle pair traffic" },
	{ "show recycle", show_recycle,
		"show paired queues, why others are not paired, recycled mbufs and changes of pairs",
		NULL },
};

const struct cmd_table cmds_recycle = { "recycle", "mbuf recycling", rows, ARRAY_SIZE(rows) };
