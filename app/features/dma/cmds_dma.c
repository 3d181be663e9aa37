/* Commands for DMA engines: show, measure, calibrate, recommend a placement of queues. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/grammar/grammar.h"
#include "features/dma/dma_calibrate.h"
#include "features/dma/dma_devices.h"
#include "features/dma/dma_place.h"
#include "features/dma/dma_topology.h"

#include <errno.h>
#include <stdlib.h>

enum what { CALIBRATE, APPLY, MEASURE };

static int
run(struct app *app, const struct args *a, enum what what, struct err *e)
{
	const struct dma_calibrate_ask ask = {
		.settings = app->settings,
		.dev = arg_str(a, "dev", ""),
		.csv = arg_str(a, "file", NULL),
		.measure = what == MEASURE,
		.apply = what == APPLY,
		.out = app->out,
		.interrupt_fd = app->interrupt_fd,
	};

	return dma_calibrate(&ask, e);
}

static int
calibrate(struct app *app, const struct args *a, struct err *e)
{
	return run(app, a, CALIBRATE, e);
}

static int
calibrate_apply(struct app *app, const struct args *a, struct err *e)
{
	return run(app, a, APPLY, e);
}

static int
measure(struct app *app, const struct args *a, struct err *e)
{
	return run(app, a, MEASURE, e);
}

static int
show(struct app *app, const struct args *a, struct err *e)
{
	dma_devices_show(app->out);
	return 0;
}

static int
show_placement(struct app *app, const struct args *a, struct err *e)
{
	struct dma_topology *t = malloc(sizeof(*t));
	struct dma_places places;
	int ret;

	if (t == NULL)
		return err_set(e, ENOMEM, "no memory for a topology");
	ret = dma_topology_read(t, app->settings, e);
	if (ret == 0)
		ret = dma_place_all(&places, t, e);
	if (ret == 0) {
		dma_place_show(app->out, t, &places);
		dma_place_free(&places);
	}
	free(t);
	return ret;
}

static const struct cmd_row rows[] = {
	{ "show dma", show,
		"show DMA devices: driver, NUMA node, users, thresholds, copies by CPU and by engine",
		"show dma" },
	{ "show dma placement", show_placement,
		"show the recommended DMA engine, lcore and memory node for each queue of each port, with the reason",
		"show dma placement" },
	{ "dma calibrate <dev:str> [csv <file:str>]", calibrate,
		"measure copies by CPU and engine for each length and find the length from which the engine is cheaper",
		NULL },
	{ "dma calibrate <dev:str> apply [csv <file:str>]", calibrate_apply,
		"calibrate and set the thresholds of a dma_adaptive device", NULL },
	{ "dma measure <dev:str> [csv <file:str>]", measure,
		"compare copies by CPU, by engine and by dma_adaptive with its current thresholds",
		NULL },
};

const struct cmd_table cmds_dma = { "dma", "DMA engines", rows, ARRAY_SIZE(rows) };
