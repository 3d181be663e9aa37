/* Commands that show ports, queues, devices and internals of DPDK, clear statistics, and set log
 * levels and the output format. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "features/device/port_verbose.h"
#include "features/offload/port_offload.h"
#include "features/offload/port_ptypes.h"
#include "features/offload/port_rss.h"
#include "memory/pool.h"
#include "port/device.h"
#include "port/port_info.h"
#include "port/port_queue.h"
#include "port/port_stats.h"
#include "run/account/run_schema.h"
#include "show/dump.h"

#include <rte_log.h>
#include <rte_version.h>

#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
clear_port(struct app *app, const struct args *a, struct err *e)
{
	uint16_t id = arg_u64(a, "port", 0);

	if (arg_is(a, "what", "stats"))
		return port_stats_clear(&app->ports, id, e);
	if (arg_is(a, "what", "xstats"))
		return port_xstats_clear(&app->ports, id, e);
	/* testpmd accepts clear port info and fdir and does nothing. */
	return id == PORT_ALL || port_at(&app->ports, id) != NULL
		? 0
		: port_missing(&app->ports, id, e);
}

static int
show_offload(struct app *app, const struct args *a, struct err *e)
{
	uint16_t id = arg_u64(a, "port", 0);
	bool rx = arg_is(a, "way", "rx_offload");

	if (arg_is(a, "what", "capabilities"))
		return port_offload_capabilities(&app->ports, id, rx, e);
	return port_offload_configuration(&app->ports, id, rx, e);
}

static int
show_pool(struct app *app, const struct args *a, struct err *e)
{
	pool_show(&app->pools, app->ports.rx_pool, app->out);
	return 0;
}

static int
show_version(struct app *app, const struct args *a, struct err *e)
{
	out_str(app->out, "version", "zcfwd %s, ", app->version);
	out_str(app->out, "dpdk", "%s\n", rte_version());
	return 0;
}

/* As text also in JSON: an object of its own, so that it can be kept in a file. */
static int
show_schema(struct app *app, const struct args *a, struct err *e)
{
	char *text = run_schema_text(&app->run);

	if (text == NULL)
		return err_set(e, ENOMEM, "no memory for the schema");
	out_str(app->out, "document", "%s", text);
	free(text);
	return 0;
}

/* True when the regular expression matches an existing log type. */
static bool
log_type_exists(const char *expression)
{
	char *names = NULL, *name, *rest;
	bool found = false;
	size_t bytes = 0;
	regex_t regex;
	FILE *list;

	if (regcomp(&regex, expression, REG_NOSUB) != 0)
		return false;
	list = open_memstream(&names, &bytes);
	if (list != NULL) {
		rte_log_list_types(list, "");
		fclose(list);
	}
	for (name = strtok_r(names, "\n", &rest); name != NULL && !found;
		name = strtok_r(NULL, "\n", &rest))
		found = regexec(&regex, name, 0, NULL, 0) == 0;
	free(names);
	regfree(&regex);
	return found;
}

static int
set_log(struct app *app, const struct args *a, struct err *e)
{
	const char *type = arg_str(a, "type", "");
	uint64_t level = arg_u64(a, "level", arg_u64(a, "name", 0) + RTE_LOG_EMERG);

	if (level > RTE_LOG_MAX)
		return arg_err(a, "level", e, ERANGE, "log level %" PRIu64 ": expected 0..%u",
			level, RTE_LOG_MAX);
	if (strcmp(type, "global") == 0)
		rte_log_set_global_level(level);
	else if (strcmp(type, "level") == 0)
		return arg_err(a, "type", e, ENOENT,
			"unknown log type \"level\"; did you mean \"set log global %s\"?",
			arg_str(a, "name", arg_str(a, "level", "")));
	else if (!log_type_exists(type))
		return arg_err(a, "type", e, ENOENT,
			"Unable to set log level: no log type is called %s: expected global, or a regular "
			"expression for types that \"dump log_types\" lists",
			type);
	else if (rte_log_set_level_regexp(type, level) < 0)
		return arg_err(a, "type", e, EINVAL, "Unable to set log level of %s", type);
	return 0;
}

static int
set_output(struct app *app, const struct args *a, struct err *e)
{
	out_format_set(app->out, arg_is(a, "format", "json") ? OUT_JSON : OUT_TEXT);
	return 0;
}

/* dump WHAT and dump_WHAT [NAME]: WHAT is an argument, or else the data of the row. */
static int
dump(struct app *app, const struct args *a, struct err *e)
{
	const char *what = arg_str(a, "what", a->data), *name = arg_str(a, "name", NULL);

	if (name == NULL)
		return dump_show(app->out, what, e);
	return strcmp(what, "ring") == 0 ? dump_ring(app->out, name, e)
					 : dump_mempool(app->out, name, e);
}

static const struct cmd_row rows[] = {
	{ "show port info <port:ports>", arg_on_port, "show everything about a port",
		"show port info 0", ARG_ON_PORT(port_info_show), .shows = true },
	{ "show port summary <port:ports>", arg_on_port,
		"show MAC address, name, driver and link, one line per port",
		"show port summary all", ARG_ON_PORT(port_info_summary), .shows = true },
	{ "show port stats <port:ports>", arg_on_port,
		"show counters, and rates since they were last shown", "show port stats all",
		ARG_ON_PORT(port_stats_show), .shows = true },
	{ "show port xstats <port:ports>", arg_on_port, "show extended statistics",
		"show port xstats 0", ARG_ON_PORT(port_xstats_show), .shows = true },
	{ "clear port <what:word stats|xstats|info|fdir> <port:ports>", clear_port,
		"reset the counters of a port or all ports", "clear port stats all", NULL },
	{ "show <way:word rxq|txq> info <port:port> <queue:uint 0..65535>", arg_on_queue,
		"show the configuration of a queue", NULL, ARG_ON_QUEUE(port_queue_show),
		.shows = true },
	{ "show port <port:port> macs", arg_on_port, "show the MAC addresses of a port",
		"show port 0 macs", ARG_ON_PORT(port_info_macs), .shows = true },
	{ "show port <port:port> mcast_macs", arg_on_port, "show the multicast addresses of a port",
		"show port 0 mcast_macs", ARG_ON_PORT(port_info_mcast_macs), .shows = true },
	{ "show port <port:port> <way:word rx_offload|tx_offload> <what:word capabilities|configuration>",
		show_offload, "show the offloads that a port supports, or those in use",
		"show port 0 tx_offload configuration", NULL, .shows = true },
	{ "show port <port:port> rss-hash [key]", arg_on_ports,
		"show the packet fields that RSS hashes", NULL, ARG_ON_PORTS(port_rss_hash_show),
		.shows = true },
	{ "show port <port:port> rss-hash algorithm", arg_on_port, "show the RSS hash function",
		NULL, ARG_ON_PORT(port_rss_algorithm_show), .shows = true },
	{ "show port <port:port> rss reta <size:uint 0..65535> <masks:str>", arg_on_ports,
		"show the queue of each RSS hash value: (MASK,...), one mask per 64 entries",
		"show port 0 rss reta 128 (0xf,0x3)", ARG_ON_PORTS(port_rss_reta_show),
		.shows = true },
	{ "show port <port:port> <way:word rxq|txq> <queue:uint 0..65535> desc used count",
		arg_on_queue, "show how many descriptors of a queue are in use", NULL,
		ARG_ON_QUEUE(port_queue_used), .shows = true },
	{ "show port <port:port> <way:word rxq|txq> <queue:uint 0..65535> desc <descriptor:uint 0..65535> status",
		arg_on_ports, "show whether a descriptor is in use", NULL,
		ARG_ON_PORTS(port_queue_desc), .shows = true },
	{ "show port <port:port> ptypes", arg_on_port,
		"show the packet types that a port's hardware reports", "show port 0 ptypes",
		ARG_ON_PORT(port_ptypes_show), .shows = true },
	{ "show port <port:ports> extbuf", arg_on_port,
		"show whether a port's driver handles external buffers correctly, and the workarounds in use",
		"show port 0 extbuf", ARG_ON_PORT(port_queue_extbuf_show), .shows = true },
	{ "show device info <device:str>", arg_on_ports,
		"show a device by its name, or all devices", "show device info all",
		ARG_ON_PORTS(device_show), .shows = true },
	{ "show version", show_version, "show the versions of zcfwd and DPDK", "show version",
		.shows = true },
	{ "show schema", show_schema, "print the JSON Schema of answers and its version",
		"show schema", NULL, .shows = true },
	{ "show pool", show_pool, "show packet pools and their free buffers", "show pool", NULL,
		.shows = true },
	{ "set verbose <level:uint 0..65535>", arg_on_ports,
		"print the packets of bursts: 0 none, 1 received, 2 sent, 3 or more both",
		"set verbose 0", ARG_ON_PORTS(port_verbose_set), .by_state = true },
	{ "set log <type:str> <name:word emergency|alert|critical|error|warning|notice|info|debug>",
		set_log,
		"set the log level by its name: global, or of the types that match a regular expression",
		"set log global info", NULL },
	{ "set log <type:str> <level:uint>", set_log,
		"set the log level, 1 (least) to 8 (most): global, or of the types that match a regular expression",
		"set log global 7", NULL },
	{ "set output <format:word text|json>", set_output, "choose text or JSON for answers",
		"set output text", NULL, .beside = true },
	{ "dump <what:word " DUMP_NAMES ">", dump, "show internals of DPDK", "dump struct_sizes",
		NULL, .shows = true },
	{ "dump <what:word ring|mempool> <name:str>", dump, "show one ring or mempool", NULL, NULL,
		.shows = true },
	{ "dump mbuf history <which:str> [<file:file>]", dump_mbuf_history,
		"show the history of all mbufs, or of the one at an address; or write it to a file",
		NULL, NULL, .shows = true },
	{ "dump mbuf pool history <pool:str> [<file:file>]", dump_mbuf_history,
		"show the history of the mbufs of one pool", NULL, NULL, .shows = true },
	{ "dump_physmem", dump, "show memory segments", "dump_physmem", "physmem", .shows = true },
	{ "dump_memzone", dump, "show memory zones", "dump_memzone", "memzone", .shows = true },
	{ "dump_socket_mem", dump, "show the heap of each socket", "dump_socket_mem", "socket_mem",
		.shows = true },
	{ "dump_struct_sizes", dump, "show the sizes of DPDK's structs", "dump_struct_sizes",
		"struct_sizes", .shows = true },
	{ "dump_ring [<name:str>]", dump, "show all rings, or one", "dump_ring", "ring",
		.shows = true },
	{ "dump_mempool [<name:str>]", dump, "show all mempools, or one", "dump_mempool", "mempool",
		.shows = true },
	{ "dump_devargs", dump, "show the devices given on the command line", "dump_devargs",
		"devargs", .shows = true },
	{ "dump_log_types", dump, "show log types and their levels", "dump_log_types", "log_types",
		.shows = true },
	{ "dump_lcores", dump, "show lcores and their roles", "dump_lcores", "lcores",
		.shows = true },
	{ "dump_trace", dump, "save the trace buffers", NULL, "trace", .shows = true },
};

const struct cmd_table cmds_show = { "display", "ports, queues, devices, memory, output format",
	rows, ARRAY_SIZE(rows), CMD_DISPLAY };
