/* Commands of the engine ring_pipeline: lcores, rings, stages, routes, and what came of it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "cmdline/grammar/grammar.h"
#include "engines/ring/ring_config.h"
#include "port/port.h"
#include "run/run_engines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct engine *
pipeline(const struct app *app)
{
	return run_engine(&app->run, "ring_pipeline");
}

static struct ring_routes *
routes(const struct app *app)
{
	struct ring_config *config = run_engines_config(&app->run, pipeline(app));

	return &config->routes;
}

/* Lists of lcores that are right both, or none is set. */
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

/* A prefix word, with the error where it stands. */
static int
prefix(const struct args *a, struct ring_route *route, struct err *e)
{
	struct err why = { 0 };

	if (ring_routes_prefix(route, arg_str(a, "prefix", ""), &why) == 0)
		return 0;
	return arg_err(a, "prefix", e, why.code, "%s", why.text);
}

static int
route_add(struct app *app, const struct args *a, struct err *e)
{
	const struct arg *mac = arg_find(a, "mac");
	struct ring_route route;

	if (prefix(a, &route, e) != 0)
		return -e->code;
	route.port = (uint16_t)arg_u64(a, "port", 0);
	route.has_mac = mac != NULL;
	if (mac != NULL)
		memcpy(route.mac.addr_bytes, mac->mac, sizeof(mac->mac));
	if (port_find(&app->ports, route.port, e) == NULL)
		return -e->code;
	return ring_routes_add(routes(app), &route, e);
}

static int
route_del(struct app *app, const struct args *a, struct err *e)
{
	struct ring_route route;

	if (prefix(a, &route, e) != 0)
		return -e->code;
	return ring_routes_delete(routes(app), &route, e);
}

static int
routes_load(struct app *app, const struct args *a, struct err *e)
{
	int ret = ring_routes_load(routes(app), arg_str(a, "file", ""), ring_routes_port, e);

	if (ret == 0)
		out_u64(app->out, "routes", "%" PRIu64 " routes\n", routes(app)->n);
	return ret;
}

static int
routes_clear(struct app *app, const struct args *a, struct err *e)
{
	ring_routes_clear(routes(app));
	return 0;
}

static int
show_routes(struct app *app, const struct args *a, struct err *e)
{
	ring_routes_show(routes(app), app->out);
	return 0;
}

static int
show_pipeline(struct app *app, const struct args *a, struct err *e)
{
	return run_engines_show(&app->run, pipeline(app), e);
}

static const struct cmd_row rows[] = {
	{ "set pipeline io <io:list> workers <workers:list>", set_lcores,
		"ring_pipeline: lcores that receive and transmit, lcores that work; one may do both",
		"set pipeline io 1 workers 1" },
	{ "set pipeline lcores auto", set_lcores_auto,
		"ring_pipeline: divide the forwarding lcores; a single one does both in turn",
		"set pipeline lcores auto" },
	{ "set pipeline stage busy <n:uint 0..1000000>", set_busy,
		"ring_pipeline: a packet costs a worker n cycles", "set pipeline stage busy 200" },
	{ "pipeline route add <prefix:str> port <port:port> [mac <mac:mac>]", route_add,
		"stage l3fwd: lead a prefix to a port, from the next start on; without mac to the port's peer",
		"pipeline route add 10.0.0.0/8 port 0 mac 02:00:00:00:00:01" },
	{ "pipeline route del <prefix:str>", route_del, "stage l3fwd: forget a prefix", NULL },
	{ "pipeline routes load <file:file>", routes_load,
		"stage l3fwd: add the routes of a file, a line each: PREFIX PORT [MAC]", NULL },
	{ "pipeline routes clear", routes_clear, "stage l3fwd: forget all routes",
		"pipeline routes clear" },
	{ "show pipeline", show_pipeline,
		"ring_pipeline: modes, cycles and rings of this run or the last one", NULL },
	{ "show pipeline routes", show_routes, "stage l3fwd: the routes of the next start",
		"show pipeline routes" },
};

const struct cmd_table cmds_pipeline = { "config", "ring pipeline", rows, ARRAY_SIZE(rows) };
