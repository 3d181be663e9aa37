/* Commands of mbuf recycling beyond its settings: pairs and results. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/grammar/grammar.h"
#include "run/recycle_named.h"
#include "run/run_recycle.h"

/* Add the pair of the line to the named ones; a row's data replaces them by a mode without any. */
static int
set_pair(struct app *app, const struct args *a, struct err *e)
{
	const struct recycle_queues ends = { (uint16_t)arg_u64(a, "rxport", 0),
		(uint16_t)arg_u64(a, "rxq", 0), (uint16_t)arg_u64(a, "txport", 0),
		(uint16_t)arg_u64(a, "txq", 0) };
	struct recycle_named named = app->run.recycle;

	if (a->data != NULL)
		named = *(const struct recycle_named *)a->data;
	else if (recycle_named_add(&named, &ends, e) != 0)
		return -e->code;
	return run_recycle_configure(&app->run, &named, e);
}

static const struct cmd_row rows[] = {
	{ "set recycle pair <rxport:port> <rxq:uint 0..65535> <txport:port> <txq:uint 0..65535>",
		set_pair,
		"re-arm a receive queue with the buffers that a transmit queue has sent, immediately",
		"set recycle pair 0 0 1 0" },
	{ "set recycle pair auto", set_pair,
		"re-arm each receive queue from its stream's own transmit queue, immediately",
		"set recycle pair auto", &(const struct recycle_named){ .traffic = false } },
	{ "set recycle pair traffic", set_pair,
		"let each lcore pair its receive queues with the transmit queues that send most of their packets, immediately",
		"set recycle pair traffic", &(const struct recycle_named){ .traffic = true } },
	{ "show recycle", arg_on_run,
		"show paired queues, why others are not paired, recycled mbufs and changes of pairs",
		NULL, ARG_ON_RUN(run_recycle_show), .shows = true },
};

const struct cmd_table cmds_recycle = { "recycle", "mbuf recycling", rows, ARRAY_SIZE(rows),
	CMD_BUFFERS };
