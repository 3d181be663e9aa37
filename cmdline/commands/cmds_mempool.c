/* Commands that show and benchmark mempools. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "cmdline/grammar/grammar.h"
#include "memory/mempool_show.h"
#include "memory/pool_bench.h"
#include "memory/pool_history.h"
#include "run/run_start.h"

#include <errno.h>
#include <unistd.h>

static int
show_mempool(struct app *app, const struct args *a, struct err *e)
{
	return mempool_show(arg_str(a, "name", NULL), (unsigned int)arg_u64(a, "n", 0),
		app->pool_history, app->out, e);
}

static int
clear_mempool(struct app *app, const struct args *a, struct err *e)
{
	pool_history_clear(app->pool_history);
	return 0;
}

static int
bench_mempool(struct app *app, const struct args *a, struct err *e)
{
	const struct pool_bench_ask ask = {
		.samples = (unsigned int)arg_u64(a, "samples", 11),
		.objects = (unsigned int)arg_u64(a, "objects", 8191),
		.cache = (unsigned int)setting_u64(app->settings, "mbcache"),
		.driver = arg_str(a, "driver", NULL),
		.interrupt_fd = app->interrupt_fd,
		.progress = isatty(STDOUT_FILENO) != 0 && out_format(app->out) == OUT_TEXT,
	};

	if (run_busy(&app->run))
		return err_set(e, EBUSY, "Please stop forwarding first");
	return pool_bench(&ask, app->out, e);
}

static const struct cmd_row rows[] = {
	{ "show mempool [<name:str>] [block <n:uint 1..256>]", show_mempool,
		"show mempools: driver, level now and over time, lcore caches, contiguous blocks, footprint; block N: pool size needed to hand out contiguous blocks of N",
		"show mempool", NULL },
	{ "clear mempool", clear_mempool, "reset the lowest and highest level of mempools",
		"clear mempool", NULL },
	{ "bench mempool [samples <samples:uint 3..1001>] [objects <objects:uint 1023..1048575>] [driver <driver:str>]",
		bench_mempool,
		"benchmark get, read and put of every mempool driver, next to the published figures of bucket; a signal ends it early",
		"bench mempool samples 3 objects 1023 driver stack", NULL },
};

const struct cmd_table cmds_mempool = { "mempool", "mempools", rows, ARRAY_SIZE(rows) };
