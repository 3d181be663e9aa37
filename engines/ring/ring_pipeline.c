/* The engine ring_pipeline: packet I/O and packet processing on different lcores, or both on one,
 * connected by rings. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/setting.h"
#include "cmdline/grammar/grammar.h"
#include "engines/common/l3/l3_burst.h"
#include "engines/engine.h"
#include "engines/ring/processes/ring_attach.h"
#include "engines/ring/ring_loop.h"
#include "engines/ring/ring_setup.h"
#include "engines/ring/ring_show.h"
#include "engines/ring/ring_state.h"

#include <rte_common.h>

#include <errno.h>
#include <stdlib.h>

static const struct stat_row counters[] = {
	{ .name = "ring_full",
		.label = "Ring-full",
		.help = "packets dropped because the ring to the worker was full",
		.part = STAT_DROPPED },
	L3_DROP_ROWS,
	L3_MOVE_ROWS,
	{ .name = "left_at_stop",
		.part = STAT_DROPPED,
		.help = "packets in rings at stop, freed without being sent" },
	{ .name = "lost_in_worker",
		.part = STAT_DROPPED,
		.help = "packets that a worker held when it died, freed without being sent" },
};

/* The size of an rte_ring has to be a power of two. */
static int
size_check(const char *text, struct err *e)
{
	return rte_is_power_of_2((uint32_t)strtoul(text, NULL, 0))
		? 0
		: err_set(e, EINVAL, "ring size %s: expected a power of two", text);
}

/* clang-format off */
static const struct setting settings[] = {
	{ .name = "pipeline-io", .words = SETTING_NONE, .kind = SETTING_TEXT, .example = "1",
		.check = ring_split_check,
		.help = "ring_pipeline: lcores that receive and transmit (empty: chosen from the forwarding lcores)" },
	{ .name = "pipeline-workers", .words = SETTING_NONE, .kind = SETTING_TEXT, .example = "1",
		.check = ring_split_check,
		.help = "ring_pipeline: lcores that process packets; they may be I/O lcores as well" },
	{ .name = "pipeline-processes", .words = "pipeline processes", .unit = "workers", .max = 64,
		.help = "ring_pipeline: number of workers that run in secondary processes (--proc-type=secondary); 0: workers run in this process" },
	{ .name = "pipeline-mode", .words = "pipeline mode", .kind = SETTING_CHOICE,
		.choices = ring_stats_modes,
		.help = "ring_pipeline: how bursts pass rings: copy = copied in and out, zc = received into and sent from ring slots, compressed = copied as 32-bit words, auto = copy or zc, whichever costs fewer cycles" },
	{ .name = "pipeline-stage", .words = "pipeline stage", .kind = SETTING_CHOICE,
		.choices = ring_stats_stages,
		.help = "ring_pipeline: how workers process packets" },
	{ .name = "pipeline-busy", .words = SETTING_NONE, .unit = "cycles", .max = 1000000,
		.value = 100,
		.help = "ring_pipeline: cycles per packet that stage busy spends" },
	{ .name = "pipeline-ring", .words = "pipeline ring", .unit = "packets", .check = size_check,
		.min = 64, .max = 65536, .value = 1024,
		.help = "ring_pipeline: slots per ring, a power of two; a ring holds one packet less" },
	{ .name = "pipeline-burst", .words = "pipeline burst", .unit = "packets", .max = BURST_MAX,
		.help = "ring_pipeline: maximum packets that a worker takes at once; 0: as set by \"set burst\"" },
	{ .name = "pipeline-full", .words = "pipeline full", .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES("wait", "drop"),
		.help = "ring_pipeline: if the ring to a worker is full, wait = leave packets in the Rx queue, drop = receive and drop them" },
	{ .name = "pipeline-sync", .words = "pipeline sync", .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES("single", "hts"),
		.help = "ring_pipeline: rings back to a stream: single = one per worker, hts = one shared by all workers with head/tail sync" },
	{ .name = "pipeline-spread", .words = "pipeline spread", .kind = SETTING_CHOICE,
		.choices = ring_stats_spreads,
		.help = "ring_pipeline: how packets are distributed to workers: queue = by Rx queue, flow = by flow, any = each burst to the first free worker (out of order, needs sync hts), auto = by flow if there are more workers than queues, else by queue" },
};
/* clang-format on */

/* Every worker has a ring to every stream, which only stage l3fwd uses. */
static enum engine_reach
reach(const struct settings *all)
{
	return setting_u64(all, "pipeline-stage") == RING_L3FWD ? ENGINE_REACH_RUN
								: ENGINE_REACH_OWN;
}

static const struct engine_helpers helpers = {
	.split = ring_split,
	.join = ring_setup_join,
	.help = ring_loop_worker,
	.lend = ring_attach_lend,
	.show = ring_show,
};

/* Set both lists of lcores, none if either is invalid; empty lists without arguments. */
static int
set_lcores(struct settings *set, const struct args *a, struct err *e)
{
	const char *io = arg_str(a, "io", ""), *workers = arg_str(a, "workers", "");
	int ret = setting_check(set, "pipeline-io", io, e);

	if (ret == 0)
		ret = setting_check(set, "pipeline-workers", workers, e);
	if (ret == 0)
		ret = setting_parse(set, "pipeline-io", io, e);
	if (ret == 0)
		ret = setting_parse(set, "pipeline-workers", workers, e);
	return ret;
}

static int
set_busy(struct settings *set, const struct args *a, struct err *e)
{
	int ret = setting_set(set, "pipeline-busy", arg_u64(a, "n", 0), e);

	return ret != 0 ? ret : setting_parse(set, "pipeline-stage", "busy", e);
}

extern const struct engine engine_ring_pipeline;

static const struct cmd_row command_rows[] = {
	{ "set pipeline io <io:list> workers <workers:list>", arg_on_settings,
		"ring_pipeline: set the lcores that receive and transmit, and those that work; an lcore may do both",
		"set pipeline io 1 workers 1", ARG_ON_SETTINGS(set_lcores) },
	{ "set pipeline lcores auto", arg_on_settings,
		"ring_pipeline: divide the forwarding lcores automatically; a single lcore does both",
		"set pipeline lcores auto", ARG_ON_SETTINGS(set_lcores) },
	{ "set pipeline stage busy <n:uint 0..1000000>", arg_on_settings,
		"ring_pipeline: let a worker spend n cycles on each packet",
		"set pipeline stage busy 200", ARG_ON_SETTINGS(set_busy) },
	{ "show pipeline", arg_on_engine,
		"ring_pipeline: show modes, cycles and rings of the current or last run", NULL,
		ARG_ON_ENGINE(&engine_ring_pipeline, NULL), .shows = true },
};

static const struct cmd_table commands = { "pipeline", "ring pipeline", command_rows,
	ARRAY_SIZE(command_rows), CMD_ENGINES };

const struct engine engine_ring_pipeline = {
	.name = "ring_pipeline",
	.help = "pass packets to workers and back over rings, copied or received into and sent from ring slots",
	.written = pkt_head_written, /* in some stages */
	.loop = ring_loop_io,
	.recycling = ring_loop_io_recycling,
	.reach = reach,
	.fini = ring_setup_end,
	.forget = ring_setup_forget,
	.config_size = sizeof(struct ring_config),
	.open = ring_attach_open,
	.close = ring_attach_close,
	.settings = SETTING_TABLE("Engines", settings),
	.commands = &commands,
	.helpers = &helpers,
	.counters = counters,
	.n_counters = ARRAY_SIZE(counters),
	.groups = ring_stats_groups,
	.n_groups = ARRAY_SIZE(ring_stats_groups),
};
