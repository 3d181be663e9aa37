/* Commands of routes, for all engines that forward at layer 3; ring_pipeline has aliases of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "port/port.h"
#include "route/routes.h"
#include "run/run_engines.h"

#include <inttypes.h>
#include <string.h>

/* Apply changed routes to the run unless ret, of the change, is an error; then nothing changes. */
static int
routes_adopt(struct app *app, struct routes *next, int ret, struct err *e)
{
	struct routes old = app->routes;

	if (ret == 0) {
		app->routes = *next;
		ret = run_engines_apply(&app->run, e);
	}
	if (ret == 0) {
		routes_clear(&old);
		return 0;
	}
	app->routes = old;
	routes_clear(next);
	return ret;
}

/* Read what a route is for; errors point at its words. */
static int
packets_of(const struct args *a, struct route *route, struct err *e)
{
	const size_t column = (size_t)a->arg[0].column;

	return routes_parse(route, a->line + column, column, e);
}

/* Check all but the port, which is known only to a running program. */
static int
route_check(struct app *app, const struct args *a, struct err *e)
{
	struct route route;

	return packets_of(a, &route, e);
}

static int
route_add(struct app *app, const struct args *a, struct err *e)
{
	const struct arg *mac = arg_find(a, "mac");
	const struct route *there;
	struct route route, old = { 0 };
	struct routes next;
	bool replaces;
	int ret;

	if (packets_of(a, &route, e) != 0)
		return -e->code;
	route.port = arg_port(a);
	route.has_mac = mac != NULL;
	if (mac != NULL)
		memcpy(route.mac.addr_bytes, mac->mac, sizeof(mac->mac));
	if (port_find(&app->ports, route.port, e) == NULL)
		return -e->code;
	there = routes_find(&app->routes, &route);
	replaces = there != NULL;
	if (replaces)
		old = *there;
	ret = routes_copy(&next, &app->routes, e);
	if (ret == 0)
		ret = routes_add(&next, &route, e);
	ret = routes_adopt(app, &next, ret, e);
	if (ret == 0 && replaces) {
		out_text(app->out, "Replaced: ");
		routes_show_one(&old, "replaced", app->out);
	}
	return ret;
}

static int
route_delete(struct app *app, const struct args *a, struct err *e)
{
	struct routes next;
	struct route route;
	int ret;

	if (packets_of(a, &route, e) != 0)
		return -e->code;
	ret = routes_copy(&next, &app->routes, e);
	if (ret == 0)
		ret = routes_delete(&next, &route, e);
	return routes_adopt(app, &next, ret, e);
}

static int
route_load(struct app *app, const struct args *a, struct err *e)
{
	struct routes next;
	int ret = routes_copy(&next, &app->routes, e);

	if (ret == 0)
		ret = routes_load(&next, arg_str(a, "file", ""), routes_port, e);
	ret = routes_adopt(app, &next, ret, e);
	if (ret == 0)
		out_u64(app->out, "routes", "%" PRIu64 " routes\n", app->routes.n);
	return ret;
}

static int
route_clear(struct app *app, const struct args *a, struct err *e)
{
	struct routes none = { 0 };

	return routes_adopt(app, &none, 0, e);
}

/* JSON: {"routes":[{"prefix", "port", "mac"}, {"flow", "port", "mac"}]}. */
static int
show_route(struct app *app, const struct args *a, struct err *e)
{
	out_nest(app->out, "routes", OUT_ARRAY);
	for (unsigned int i = 0; i < app->routes.n; i++)
		routes_show_one(&app->routes.route[i], NULL, app->out);
	out_unnest(app->out);
	return 0;
}

#define FLOW "<src:ip> <dst:ip> <sport:uint 0..65535> <dport:uint 0..65535> <proto:str>"

static const struct cmd_row rows[] = {
	{ "route add <prefix:str> port <port:port> [mac <mac:mac>]", route_add,
		"route a prefix to a port: in l3fwd at once, in ring_pipeline from the next start; without mac to the port's peer",
		"route add 10.0.0.0/8 port 0 mac 02:00:00:00:00:01", NULL, route_check, true },
	{ "route add " FLOW " port <port:port> [mac <mac:mac>]", route_add,
		"route a five-tuple to a port; needs set l3fwd lookup em",
		"route add 10.0.0.1 10.0.0.2 1024 53 udp port 0", NULL, route_check, true },
	{ "route delete <prefix:str>", route_delete, "delete the route of a prefix", NULL, NULL,
		route_check, true },
	{ "route delete " FLOW, route_delete, "delete the route of a five-tuple", NULL, NULL,
		route_check, true },
	{ "route load <file:file>", route_load,
		"add the routes in a file, one per line as show route prints them; the words port and mac are optional",
		NULL, NULL, arg_check_readable, true },
	{ "route clear", route_clear, "delete all routes", "route clear", .by_state = true },
	{ "show route", show_route, "show the routes of l3fwd and ring_pipeline", "show route",
		.shows = true },
	{ "pipeline route add <prefix:str> port <port:port> [mac <mac:mac>]", route_add,
		"alias of route add", "pipeline route add 10.0.0.0/8 port 0", NULL, route_check,
		true },
	{ "pipeline route del <prefix:str>", route_delete, "alias of route delete", NULL, NULL,
		route_check, true },
	{ "pipeline routes load <file:file>", route_load, "alias of route load", NULL, NULL,
		arg_check_readable, true },
	{ "pipeline routes clear", route_clear, "alias of route clear", "pipeline routes clear",
		.by_state = true },
	{ "show pipeline routes", show_route, "alias of show route", "show pipeline routes",
		.shows = true },
};

const struct cmd_table cmds_route = { "route", "routes", rows, ARRAY_SIZE(rows), CMD_ENGINES };
