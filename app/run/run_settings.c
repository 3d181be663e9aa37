/* Settings that every run reads, whatever its engine. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_settings.h"

#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "engines/engine.h"
#include "run/run.h"
#include "run/run_count.h"
#include "run/run_engines.h"
#include "run/run_recycle.h"
#include "run/run_start.h"
#include "stream/hw_counters.h"

#include <errno.h>
#include <string.h>

#define HW_NONE "this machine counts no events of its hardware for this process"

static int
hw_check(const char *text, struct err *e)
{
	struct pmu_choice what;

	return pmu_choose(PMU_DEVICES, text, &what, e);
}

/* clang-format off */
const struct setting run_settings[] = {
	{ .name = "burst", .words = SETTING_NONE, .unit = "packets", .min = 1, .max = BURST_MAX,
		.value = 32, .help = "packets asked of one receive call" },
	{ .name = "burst-tx-delay", .words = SETTING_NONE, .unit = "us", .max = 1000000, .value = 1,
		.help = "wait before each transmit retry" },
	{ .name = "burst-tx-retry", .words = SETTING_NONE, .unit = "calls", .max = UINT16_MAX,
		.value = 64,
		.help = "transmit calls after a short one, with set fwd ENGINE retry" },
	{ .name = "record-core-cycles", .kind = SETTING_BOOL, .when = SETTING_NOW,
		.help = "count TSC cycles of polls that had packets" },
	{ .name = "record-burst-stats", .kind = SETTING_BOOL, .when = SETTING_NOW,
		.help = "count how many packets each burst had" },
	{ .name = "record-bytes", .kind = SETTING_BOOL, .when = SETTING_NOW,
		.help = "count the bytes that each stream received and sent" },
	{ .name = "record-hw-counters", .kind = SETTING_BOOL, .when = SETTING_NOW,
		.help = "count CPU cycles, instructions, stalls, cache refills and write-backs of polls that had packets, where the machine has such counters" },
	{ .name = "hw-counters", .kind = SETTING_TEXT, .check = hw_check,
		.example = "cycles=task-clock",
		.help = "what counts them, NAME=EVENT[,NAME=EVENT ...] with events as perf has them; empty: what is usual for this CPU" },
	{ .name = "run-summary", .kind = SETTING_BOOL, .when = SETTING_NOW,
		.help = "stop says in one line how long, how much, how fast beside the line, what was lost and what it cost, as start for does" },
	{ .name = "recycle", .kind = SETTING_BOOL,
		.help = "sent mbufs go straight back into receive rings, past the mempool, in engines that send what they receive" },
	{ .name = "recycle-mode", .words = "recycle mode", .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES(RECYCLE_MODES),
		.value = RECYCLE_RING, .when = SETTING_NOW,
		.help = "how sent mbufs come back into receive rings: not at all, from ring to ring, over the mempool cache at once, into that cache alone, by rte_eth_recycle_mbufs(); contig: not these, but contiguous blocks of the pool" },
	{ .name = "recycle-layouts", .words = "recycle layouts", .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES(RECYCLE_LAYOUTS), .value = RECYCLE_LAYOUTS_CHECK,
		.when = SETTING_NOW,
		.help = "what recycling takes for true about drivers' private queues: table, what their headers of this release say; check, on newer releases of a known series also queues that prove to be laid out the same" },
	{ .name = "dcb-fwd-tc", .words = SETTING_NONE, .option = SETTING_NONE, .min = 1,
		.max = UINT8_MAX, .value = UINT8_MAX,
		.help = "traffic classes that forward, a bit each, where ports have some" },
	{ .name = "dcb-fwd-tc-cores", .words = SETTING_NONE, .option = SETTING_NONE,
		.unit = "lcores", .min = 1, .max = UINT8_MAX, .value = 1,
		.help = "lcores of one traffic class of one port" },
	{ .name = "flush_rx", .option = SETTING_NONE, .kind = SETTING_BOOL, .value = 1,
		.help = "receive and free what waits in the receive queues before start" },
};
/* clang-format on */
const size_t run_settings_n = ARRAY_SIZE(run_settings);

static int
record_apply(void *run, struct err *e)
{
	run_count_record(run);
	return 0;
}

/* The same, and say where it is in vain. */
static int
hw_apply(void *run, struct err *e)
{
	const struct run *r = run;
	struct pmu_choice what;
	int error;

	if (setting_on(r->settings, "record-hw-counters") &&
		pmu_choose(PMU_DEVICES, setting_text(r->settings, "hw-counters"), &what, e) == 0) {
		error = hw_counters_probe(&what);
		if (error != 0)
			out_warn(r->out, "%s: perf_event_open: %s%s\n", HW_NONE, strerror(error),
				error == EACCES || error == EPERM
					? ", see /proc/sys/kernel/perf_event_paranoid"
					: "");
	}
	return record_apply(run, e);
}

static int
recycle_apply(void *run, struct err *e)
{
	struct run *r = run;

	return r->running ? run_recycle_apply(r, e) : 0;
}

static int
layouts_apply(void *run, struct err *e)
{
	struct run *r = run;

	r->layouts.tables_only = setting_u64(r->settings, "recycle-layouts") ==
		RECYCLE_LAYOUTS_TABLE;
	return r->running ? run_recycle_apply(r, e) : 0;
}

/* A setting of the engine that runs, or of another one, which is asked when it starts. */
static int
engine_apply(void *run, struct err *e)
{
	struct run *r = run;

	return r->running ? run_engines_apply(r, r->engine_run, e) : 0;
}

/* Whatever the command: a value that the run does not go by is no surprise. */
static void
changed(void *run, const char *name)
{
	const struct run *r = run;

	if (run_busy(r) && setting_waits(r->settings, name))
		out_note(r->out, "%s takes effect at the next start\n", name);
	if (r->observer.set != NULL)
		r->observer.set(r->observer.context, name);
}

void
run_settings_apply(struct run *r)
{
	settings_watch(r->settings, changed, r);
	setting_apply_by(r->settings, "record-core-cycles", record_apply, r);
	setting_apply_by(r->settings, "record-burst-stats", record_apply, r);
	setting_apply_by(r->settings, "record-bytes", record_apply, r);
	setting_apply_by(r->settings, "record-hw-counters", hw_apply, r);
	setting_apply_by(r->settings, "recycle-mode", recycle_apply, r);
	setting_apply_by(r->settings, "recycle-layouts", layouts_apply, r);
	for (unsigned int i = 0; r->engines[i] != NULL; i++)
		for (size_t k = 0; r->engines[i]->apply != NULL && k < r->engines[i]->n_settings;
			k++)
			if (r->engines[i]->settings[k].when == SETTING_NOW)
				setting_apply_by(r->settings, r->engines[i]->settings[k].name,
					engine_apply, r);
}
