/* Commands that choose and show how packets are forwarded (engine, bursts, ports, lcores, statistics). */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "cmdline/grammar/grammar.h"
#include "engines/engine.h"
#include "run/account/run_count.h"
#include "run/account/run_stats.h"
#include "run/choice.h"
#include "run/run_show.h"
#include "show/metrics.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static int
set_fwd(struct app *app, const struct args *a, struct err *e)
{
	const struct engine *engine = app->run.engines[arg_u64(a, "engine", 0)];

	run_engine_choose(&app->run, engine, arg_given(a, "retry"));
	out_say(app->out, "Set %s packet forwarding mode%s\n", engine->name,
		app->run.retry ? " with retry" : "");
	if (app->run.running)
		out_note(app->out, "%s is used at the next start: forwarding goes on with %s\n",
			engine->name, app->run.engine_run->name);
	return 0;
}

static int
check_burst(struct app *app, const struct args *a, struct err *e)
{
	const uint64_t n = arg_u64(a, "n", 0);

	if (n > BURST_MAX)
		return arg_err(a, "n", e, ERANGE,
			"nb pkt per burst: %" PRIu64 " > %u (maximum packet per burst)  ignored", n,
			BURST_MAX);
	if (n == 0)
		return arg_err(a, "n", e, ERANGE, "nb pkt per burst: 0: expected 1..%u", BURST_MAX);
	return 0;
}

static int
set_burst(struct app *app, const struct args *a, struct err *e)
{
	const uint64_t n = arg_u64(a, "n", 0);

	if (check_burst(app, a, e) != 0)
		return -e->code;
	out_say(app->out, "Number of packets per burst set to %" PRIu64 "\n", n);
	return setting_set(app->settings, "burst", n, e);
}

static int
set_burst_tx(struct app *app, const struct args *a, struct err *e)
{
	uint64_t delay_us = arg_u64(a, "delay", 0),
		 before = setting_u64(app->settings, "burst-tx-delay");
	int ret = setting_set(app->settings, "burst-tx-delay", delay_us, e);

	if (ret == 0)
		ret = setting_set(app->settings, "burst-tx-retry", arg_u64(a, "n", 0), e);
	if (ret != 0)
		setting_set(app->settings, "burst-tx-delay", before, NULL);
	return ret;
}

/* What a row chooses: the function that takes the line's one argument. */
struct choice_call {
	int (*number)(struct run *r, uint64_t n, struct err *e);
	int (*list)(struct run *r, const uint16_t *list, unsigned int n, struct err *e);
	int (*word)(struct run *r, const char *word, struct err *e);
};
#define CHOICE(kind, function) \
	&(const struct choice_call) \
	{ \
		.kind = function \
	}

static int
set_choice(struct app *app, const struct args *a, struct err *e)
{
	const struct choice_call *row = a->data;
	const struct arg *arg = &a->arg[0];

	if (row->list != NULL)
		return row->list(&app->run, arg->list, arg->list_n, e);
	return row->word != NULL ? row->word(&app->run, arg->text, e)
				 : row->number(&app->run, arg->number, e);
}

static int
show_config(struct app *app, const struct args *a, struct err *e)
{
	static void (*const shows[])(const struct run *) = { run_show_rxtx, run_show_cores,
		run_show_txpkts, run_show_txtimes };

	shows[arg_u64(a, "what", 0)](&app->run);
	return 0;
}

static int
clear_fwd_stats(struct app *app, const struct args *a, struct err *e)
{
	run_count_clear(&app->run);
	return 0;
}

static int
show_fwd_more(struct app *app, const struct args *a, struct err *e)
{
	if (app->run.streams == NULL)
		return err_set(e, ENOENT, "no statistics yet: forwarding was never started");
	if (arg_is(a, "what", "bursts"))
		run_bursts_show(&app->run);
	else
		run_bursts_counters(&app->run);
	return 0;
}

static const struct cmd_row rows[] = {
	{ "set fwd <engine:engine> [retry]", set_fwd,
		"choose the forwarding engine of the next start", "set fwd mac", .by_state = true },
	{ "set burst <n:uint>", set_burst,
		"set the maximum number of packets per rx_burst() call, 1..512", "set burst 64",
		NULL, check_burst, true },
	{ "set burst tx delay <delay:uint 0..1000000 us> retry <n:uint>", set_burst_tx,
		"set delay and number of transmit retries, for set fwd ENGINE retry",
		"set burst tx delay 10 retry 5" },
	{ "set nbcore <n:uint>", set_choice, "set the number of forwarding lcores, from the list",
		"set nbcore 1", CHOICE(number, choice_nbcore) },
	{ "set nbport <n:uint>", set_choice, "set the number of forwarding ports, from the list",
		"set nbport 2", CHOICE(number, choice_nbport) },
	{ "set corelist <list:list>", set_choice, "set the forwarding lcores, in order",
		"set corelist 1", CHOICE(list, choice_corelist) },
	{ "set portlist <list:list>", set_choice, "set the forwarding ports, in order",
		"set portlist 0,1", CHOICE(list, choice_portlist) },
	{ "set coremask <mask:uint>", set_choice, "set the forwarding lcores by mask",
		"set coremask 0x2", CHOICE(number, choice_coremask) },
	{ "set portmask <mask:uint>", set_choice, "set the forwarding ports by mask",
		"set portmask 0x3", CHOICE(number, choice_portmask) },
	{ "set topology <topology:word paired|chained|loop>", set_choice,
		"choose which port forwards to which", "set topology paired",
		CHOICE(word, choice_topology) },
	{ "set default", arg_on_run,
		"restore forwarding ports, lcores and peers to those at start-up", "set default",
		ARG_ON_RUN(choice_default) },
	{ "show config fwd", arg_on_run,
		"show streams: receive queue, transmit queue and lcore of each", "show config fwd",
		ARG_ON_RUN(run_show_fwd), .shows = true },
	{ "show config <what:word rxtx|cores|txpkts|txtimes>", show_config,
		"show the configuration of queues, lcores or generated packets", "show config rxtx",
		.shows = true },
	{ "show fwd stats all", arg_on_run, "show what was forwarded since start or clear",
		"show fwd stats all", ARG_ON_RUN_SHOW(run_stats_show), .shows = true },
	{ "show fwd <what:word bursts|counters>", show_fwd_more,
		"show burst histograms or all counters of every stream", NULL, .shows = true },
	{ "show metrics", metrics_show,
		"show latency and bit rates; needs --latencystats or --bitrate-stats", NULL,
		.shows = true },
	{ "clear fwd stats all", clear_fwd_stats, "reset the forwarding statistics",
		"clear fwd stats all" },
};

const struct cmd_table cmds_fwd = { "config",
	"forwarding: engine, bursts, ports, lcores, statistics", rows, ARRAY_SIZE(rows),
	CMD_FORWARDING };
