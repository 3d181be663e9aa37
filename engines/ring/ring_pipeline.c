/* The engine ring_pipeline: packet I/O and packet work on different lcores, or both on one, with
 * rings between them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/err.h"
#include "engines/common/l3/l3_rows.h"
#include "engines/engine.h"
#include "engines/ring/processes/ring_attach.h"
#include "engines/ring/ring_config.h"
#include "engines/ring/ring_loop.h"
#include "engines/ring/ring_setup.h"
#include "engines/ring/ring_show.h"
#include "engines/ring/ring_split.h"
#include "engines/ring/ring_stats.h"

#include <rte_common.h>

#include <errno.h>
#include <stdlib.h>

static const struct stat_row counters[] = {
	{ .name = "ring_full",
		.label = "Ring-full",
		.help = "packets dropped: the ring to the worker was full",
		.drop = true },
	L3_DROP_ROWS,
	L3_MOVE_ROWS,
	{ .name = "left_at_stop",
		.drop = true,
		.help = "packets still in rings when forwarding had stopped; freed, not sent" },
	{ .name = "lost_in_worker",
		.drop = true,
		.help = "packets that a worker held when it died; freed, not sent" },
};

/* Of a number: rte_ring's law. */
static int
size_check(const char *text, struct err *e)
{
	return rte_is_power_of_2((uint32_t)strtoul(text, NULL, 0))
		? 0
		: err_set(e, EINVAL, "ring of %s packets: want a power of two", text);
}

/* clang-format off */
static const struct setting settings[] = {
	{ .name = "pipeline-io", .words = SETTING_NONE, .kind = SETTING_TEXT, .example = "1",
		.check = ring_split_check,
		.help = "ring_pipeline: lcores that receive and transmit; none: chosen from those that forward" },
	{ .name = "pipeline-workers", .words = SETTING_NONE, .kind = SETTING_TEXT, .example = "1",
		.check = ring_split_check,
		.help = "ring_pipeline: lcores that work on packets; an lcore may do I/O, too" },
	{ .name = "pipeline-processes", .words = "pipeline processes", .unit = "workers", .max = 64,
		.help = "ring_pipeline: workers that are lcores of other processes (--proc-type=secondary); 0: this process has its own" },
	{ .name = "pipeline-mode", .words = "pipeline mode", .kind = SETTING_CHOICE,
		.choices = ring_stats_modes,
		.help = "ring_pipeline: bursts are copied into rings and out, received and sent in the slots, or copied as 32-bit words; auto: copy or zc, whichever costs less, measured while packets flow" },
	{ .name = "pipeline-stage", .words = "pipeline stage", .kind = SETTING_CHOICE,
		.choices = ring_stats_stages,
		.help = "ring_pipeline: what workers do with packets" },
	{ .name = "pipeline-busy", .words = SETTING_NONE, .unit = "cycles", .max = 1000000,
		.value = 100,
		.help = "ring_pipeline: what a packet costs a worker with stage busy" },
	{ .name = "pipeline-ring", .words = "pipeline ring", .unit = "packets", .check = size_check,
		.min = 64, .max = 65536, .value = 1024,
		.help = "ring_pipeline: slots of each ring, a power of two; one less hold packets" },
	{ .name = "pipeline-burst", .words = "pipeline burst", .unit = "packets", .max = BURST_MAX,
		.help = "ring_pipeline: packets that a worker takes at once; 0: as many as set burst says" },
	{ .name = "pipeline-full", .words = "pipeline full", .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES("wait", "drop"),
		.help = "ring_pipeline: when the ring to a worker is full, packets stay in the receive queue, or are received and dropped" },
	{ .name = "pipeline-sync", .words = "pipeline sync", .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES("single", "hts"),
		.help = "ring_pipeline: each worker has a ring of its own back to a stream, or all have one, by head/tail sync (HTS)" },
	{ .name = "pipeline-spread", .words = "pipeline spread", .kind = SETTING_CHOICE,
		.choices = ring_stats_spreads,
		.help = "ring_pipeline: a worker gets all packets of a queue, or of a flow, or any burst, whoever comes first (with sync hts; not in order); auto: by flow when there are more workers than queues" },
};
/* clang-format on */

static const struct engine_helpers helpers = {
	.split = ring_split,
	.join = ring_setup_join,
	.help = ring_loop_worker,
	.lend = ring_attach_lend,
	.show = ring_show,
};

const struct engine engine_ring_pipeline = {
	.name = "ring_pipeline",
	.help = "packets go to workers over rings and back: by copy, or received into the ring's slots and sent out of them",
	.flags = ENGINE_WRITES, /* by its stage, at times */
	.loop = ring_loop_io,
	.fini = ring_setup_end,
	.forget = ring_setup_forget,
	.config_size = sizeof(struct ring_config),
	.open = ring_attach_open,
	.close = ring_attach_close,
	.settings = settings,
	.n_settings = ARRAY_SIZE(settings),
	.helpers = &helpers,
	.counters = counters,
	.n_counters = ARRAY_SIZE(counters),
	.groups = ring_stats_groups,
	.n_groups = ARRAY_SIZE(ring_stats_groups),
};
