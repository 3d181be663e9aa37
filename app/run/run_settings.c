/* Settings of every run, with any engine, and what takes effect when one of them changes. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_settings.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "engines/engine.h"
#include "memory/pool.h"
#include "port/port.h"
#include "run/account/run_count.h"
#include "run/run.h"
#include "run/run_engines.h"
#include "run/run_recycle.h"
#include "run/run_start.h"
#include "stream/hw_counters.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#define HW_NONE "no hardware counters are available to this process"

static int
hw_check(const char *text, struct err *e)
{
	struct pmu_choice what;

	return pmu_choose(PMU_DEVICES, text, &what, e);
}

static int
window_check(const char *text, struct err *e)
{
	uint16_t window;

	return recycle_window_parse(text, &window, e);
}

/* clang-format off */
static const struct setting setting_rows[] = {
	{ .name = "burst", .words = SETTING_NONE, .unit = "packets", .min = 1, .max = BURST_MAX,
		.value = 32, .help = "maximum packets per rx_burst() call" },
	{ .name = "burst-tx-delay", .words = SETTING_NONE, .unit = "us", .max = 1000000, .value = 1,
		.help = "delay before each transmit retry" },
	{ .name = "burst-tx-retry", .words = SETTING_NONE, .unit = "calls", .max = UINT16_MAX,
		.value = 64,
		.help = "maximum transmit retries while the Tx ring is full, with set fwd ENGINE retry" },
	{ .name = "record-core-cycles", .kind = SETTING_BOOL, .when = SETTING_NOW,
		.help = "count the TSC cycles of polls with packets" },
	{ .name = "record-burst-stats", .kind = SETTING_BOOL, .when = SETTING_NOW,
		.help = "count bursts by their size" },
	{ .name = "record-bytes", .kind = SETTING_BOOL, .when = SETTING_NOW,
		.help = "count the bytes received and sent by each stream" },
	{ .name = "record-hw-counters", .kind = SETTING_BOOL, .when = SETTING_NOW,
		.help = "count CPU cycles, instructions, stalls, cache refills and write-backs of polls with packets, if the machine has such counters" },
	{ .name = "hw-counters", .kind = SETTING_TEXT, .check = hw_check,
		.example = "cycles=task-clock",
		.help = "events for record-hw-counters, NAME=EVENT[,NAME=EVENT ...] with perf's event names (empty: the defaults for this CPU)" },
	{ .name = "run-summary", .kind = SETTING_BOOL, .when = SETTING_NOW,
		.help = "print a one-line summary after stop, as start for does: duration, packets, rate (also as share of line rate), loss, cycles per packet" },
	{ .name = "dcb-fwd-tc", .words = SETTING_NONE, .option = SETTING_NONE, .min = 1,
		.max = UINT8_MAX, .value = UINT8_MAX,
		.help = "bit mask of the traffic classes to forward, on ports with traffic classes" },
	{ .name = "dcb-fwd-tc-cores", .words = SETTING_NONE, .option = SETTING_NONE,
		.unit = "lcores", .min = 1, .max = UINT8_MAX, .value = 1,
		.help = "forwarding lcores per traffic class and port" },
	{ .name = "flush_rx", .option = SETTING_NONE, .kind = SETTING_BOOL, .value = 1,
		.help = "discard the packets that wait in the receive queues before start" },
};
/* clang-format on */
const struct setting_table run_settings = SETTING_TABLE("Forwarding", setting_rows);

/* clang-format off */
static const struct setting recycle_rows[] = {
	{ .name = "recycle", .kind = SETTING_BOOL,
		.help = "re-arm sent mbufs on the Rx ring without going through the mempool, in engines that send what they receive" },
	{ .name = "recycle-mode", .words = "recycle mode", .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES(RECYCLE_MODES),
		.value = ZCFWD_RECYCLE_MODE_RING, .when = SETTING_NOW,
		.help = "how recycling refills Rx rings: ring = from Tx ring to Rx ring, cache = into the mempool cache, contig = from contiguous pool blocks, not sent mbufs, contig_auto = contig if it costs fewer cycles than the driver's own refill" },
	{ .name = "recycle-window", .words = "recycle window", .unit = "descriptors|auto|off",
		.kind = SETTING_TEXT, .text = "off", .example = "256", .check = window_check,
		.when = SETTING_NOW,
		.help = "receive descriptors that stay armed while mbufs are recycled in mode ring, whatever the size of the ring: few buffers circulate and stay in the cache; auto = as few as the bursts allow, off = all" },
	{ .name = "recycle-layouts", .words = "recycle layouts", .kind = SETTING_CHOICE,
		.choices = SETTING_CHOICES(RECYCLE_LAYOUTS), .value = RECYCLE_LAYOUTS_CHECK,
		.when = SETTING_NOW,
		.help = "DPDK releases that recycling and engine direct accept: table = those in its table of driver queue layouts, check = also newer ones of their series; layouts of releases that were never run are proved on the queues before mbufs move" },
};
/* clang-format on */
const struct setting_table run_recycle_settings = SETTING_TABLE("Mbuf recycling", recycle_rows);

static int
record_apply(void *run, struct err *e)
{
	run_count_record(run);
	return 0;
}

/* Apply record-hw-counters, and warn if no hardware counter is available. */
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

/* Apply an engine's setting to the running engine; others read theirs when they start. */
static int
engine_apply(void *run, struct err *e)
{
	return run_engines_apply(run, e);
}

/* Tell the operator if the current run does not use a new value, whichever command set it. */
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
	setting_apply_by(r->settings, "recycle-window", recycle_apply, r);
	setting_apply_by(r->settings, "recycle-layouts", recycle_apply, r);
	for (unsigned int i = 0; r->engines[i] != NULL; i++)
		for (size_t k = 0; r->engines[i]->apply != NULL && k < r->engines[i]->settings.n;
			k++)
			if (r->engines[i]->settings.rows[k].when == SETTING_NOW)
				setting_apply_by(r->settings, r->engines[i]->settings.rows[k].name,
					engine_apply, r);
}

/* Receive queues refer to their pool, so they must be set up again at the next start. */
static void
queues_forget(struct ports *ps)
{
	uint16_t ids[RTE_MAX_ETHPORTS];
	const unsigned int n = port_ids(ps, ids);

	for (unsigned int i = 0; i < n; i++)
		port_at(ps, ids[i])->queues_configured = false;
}

static int
renew(void *run, struct err *e)
{
	struct run *r = run;
	const struct pool_need need = run_pool_need(r);
	int ret;

	if (r->pools->config.n_sizes == 0)
		return 0; /* set by an option, before the pools are created */
	if (run_busy(r))
		return err_set(e, EBUSY, "forwarding is running: use \"stop\"");
	ret = port_check_all_stopped(r->ports, e);
	if (ret != 0)
		return ret;
	run_close(r); /* streams of the last run refer to their pool */
	pthread_mutex_lock(&r->lock);
	ret = pool_renew_all(r->pools, r->settings, &need, r->out, e);
	pthread_mutex_unlock(&r->lock);
	queues_forget(r->ports);
	return ret;
}

void
run_pools_apply(struct run *r)
{
	static const char *const names[] = { "mbuf-pool-ops", "mbcache", "mbuf-size" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		setting_apply_by(r->settings, names[i], renew, r);
}
