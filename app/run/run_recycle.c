/* Runs that recycle mbufs: each stream has a feed, whose pairs of queues the control thread sets or
 * its lcore chooses. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_recycle.h"

#include "base/autotune.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "engines/engine.h"
#include "memory/numa.h"
#include "pmd_shims/recycle_err.h"
#include "port/port.h"
#include "port/port_descriptors.h"
#include "run/recycle_named.h"
#include "run/run.h"
#include "stream/recycle_tuning.h"

#include <rte_cycles.h>
#include <rte_lcore.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool
run_recycles(const struct run *r, const struct engine *engine)
{
	return engine->recycling != NULL &&
		((engine->flags & ENGINE_RECYCLES) != 0 || setting_on(r->settings, "recycle"));
}

int
run_recycle_open(const struct run *r, struct stream *const *streams, unsigned int n, struct err *e)
{
	static const struct recycle_named own;
	struct zcfwd_recycle_error reason;

	for (unsigned int i = 0; i < n; i++) {
		struct stream *s = streams[i];

		s->feed = zcfwd_recycle_create(s->rx_port, s->rx_queue, &reason);
		if (s->feed == NULL)
			return recycle_err(e, &reason);
	}
	return recycle_named_apply(&own, streams, n, e);
}

/* Return whether the streams of the current or last run recycle. */
static bool
recycles(const struct run *r)
{
	return r->streams != NULL && r->streams[0]->feed != NULL;
}

static int
apply(struct run *r, const struct recycle_named *named, struct err *e)
{
	int ret;

	if (!recycles(r))
		return 0;
	pthread_mutex_lock(&r->lock);
	ret = recycle_named_apply(named, r->streams, r->plan.n_streams, e);
	pthread_mutex_unlock(&r->lock);
	return ret;
}

int
run_recycle_apply(struct run *r, struct err *e)
{
	return apply(r, &r->recycle, e);
}

/* Why an engine cannot recycle. */
static const char *
reason(const struct engine *engine)
{
	return (engine->flags & ENGINE_NO_MBUFS) != 0
		? "it uses no mbufs"
		: "it does not send the mbufs that it receives";
}

/* Print a line for each port whose driver leaves not all sent mbufs to its pairs. */
static void
ports_warn(const struct run *r, struct stream *const *streams, unsigned int n_streams)
{
	bool said[RTE_MAX_ETHPORTS] = { false };

	for (unsigned int i = 0; i < n_streams; i++) {
		struct zcfwd_recycle_pair pairs[ZCFWD_RECYCLE_BOUND];
		const unsigned int n = zcfwd_recycle_pairs(streams[i]->feed, pairs,
			sizeof(pairs[0]), ARRAY_SIZE(pairs));

		for (unsigned int k = 0; k < n; k++) {
			const struct zcfwd_recycle_pair *p = &pairs[k];

			if (!p->bound || p->reason != ZCFWD_RECYCLE_FUNCTION || said[p->tx.port])
				continue;
			said[p->tx.port] = true;
			out_say(r->out, "Port %u: %s\n", p->tx.port, p->text);
		}
	}
}

void
run_recycle_warn(const struct run *r, struct stream *const *streams, unsigned int n)
{
	if (setting_on(r->settings, "recycle") && r->engine->recycling == NULL)
		out_say(r->out, "%s forwards without recycling: %s\n", r->engine->name,
			reason(r->engine));
	if (streams[0]->feed != NULL)
		ports_warn(r, streams, n);
}

int
run_recycle_configure(struct run *r, const struct recycle_named *named, struct err *e)
{
	int ret = r->running ? apply(r, named, e) : 0;
	struct err again = { 0 };

	if (ret == 0)
		r->recycle = *named;
	else
		apply(r, &r->recycle, &again);
	return ret;
}

/* The counters and levels of the library, in the order of its rows. */
#define VALUE(name, unit, help) uint64_t name;
#define NO_VALUE(name, unit, help)
struct recycle_total {
	ZCFWD_RECYCLE_STATS(VALUE, VALUE)
};
/* The counters of one pair. */
struct recycle_pair_total {
	ZCFWD_RECYCLE_STATS(VALUE, NO_VALUE)
};
enum {
	VALUES = sizeof(struct recycle_total) / sizeof(uint64_t),
	PAIR_VALUES = sizeof(struct recycle_pair_total) / sizeof(uint64_t),
};

/* clang-format off */
#define COUNTER_ROW(member, of, text) \
	{ .name = #member, .help = text, .unit = of, .at = offsetof(struct recycle_total, member) },
#define LEVEL_ROW(member, of, text) \
	{ .name = #member, .help = text, .unit = of, .kind = STAT_GAUGE, \
		.at = offsetof(struct recycle_total, member) },
/* clang-format on */
static const struct stat_row rows[] = { ZCFWD_RECYCLE_STATS(COUNTER_ROW, LEVEL_ROW) };
static const struct stat_table recycle_stats = { "recycle", rows, ARRAY_SIZE(rows), false };
static_assert(ZCFWD_RECYCLE_NONE == STAT_NONE, "a level without a value");

static void
counts_show(struct out *o, const struct zcfwd_recycle *feed, unsigned int i)
{
	struct recycle_pair_total t = { 0 };

	zcfwd_recycle_pair_stats(feed, i, &t.moved, PAIR_VALUES);
	out_u64(o, "moved", "    moved %" PRIu64, t.moved);
	out_u64(o, "topped_up", ", topped up %" PRIu64, t.topped_up);
	out_u64(o, "not_movable", ", not movable %" PRIu64 "\n", t.shared + t.foreign + t.inlined);
}

static void
layouts_show(struct out *o, const struct zcfwd_recycle_pair *p)
{
	const bool refuted = p->reason == ZCFWD_RECYCLE_LAYOUT;

	out_str(o, "tx_layout", NULL, p->tx_layout);
	out_str(o, "rx_layout", NULL, p->rx_layout);
	out_str(o, "proof", NULL, refuted ? "refuted" : p->proving ? "proving" : "proved");
	if (strcmp(p->tx_layout, "table") != 0 || strcmp(p->rx_layout, "table") != 0)
		out_text(o, ", layouts by %s",
			strcmp(p->rx_layout, "table") != 0 ? p->rx_layout : p->tx_layout);
	if (p->proving)
		out_text(o, ": not verified yet");
	if (refuted)
		out_text(o, ": %s, mbufs go to the pool", p->text);
	else if (p->reason == ZCFWD_RECYCLE_FUNCTION)
		out_str(o, "reason", "; %s", p->text);
	else if (p->reason != ZCFWD_RECYCLE_FINE && p->reason != ZCFWD_RECYCLE_CHANGED)
		out_str(o, "reason", ", mbufs go to the pool: %s", p->text);
	out_text(o, "\n");
}

static void
pair_show(struct out *o, const struct zcfwd_recycle *feed, unsigned int i,
	const struct zcfwd_recycle_pair *p, bool sent)
{
	out_nest(o, NULL, OUT_OBJECT);
	stream_end_show(o, sent ? "  from " : NULL, false, p->tx.port, p->tx.queue);
	out_text(o, sent ? ": " : "  ");
	if (p->bound) {
		out_bool(o, "paired", "%s", true, "", "");
		out_bool(o, "feeds", "%s", p->feeds, "", "idle, ");
		out_str(o, "tx_path", "%s", p->tx_function);
		out_str(o, "rx_path", " to %s", p->rx_function);
		layouts_show(o, p);
		counts_show(o, feed, i);
	} else {
		out_bool(o, "paired", "%s", false, "", "not paired, mbufs go to the pool: ");
		out_str(o, "reason", "%s\n", p->text);
	}
	out_unnest(o);
}

/* Print the transmit queues of the pairs whose bits are set: "1/0 2/0". */
static void
queues_show(struct out *o, const char *key, const char *fmt, const struct zcfwd_recycle_pair *pairs,
	unsigned int n, uint64_t bits)
{
	char text[ZCFWD_RECYCLE_FEEDING * 12 + 8] = "none";
	size_t at = 0;

	for (unsigned int i = 0; i < n && at + 12 < sizeof(text); i++)
		if ((bits >> i & 1) != 0)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%u/%u",
				at > 0 ? " " : "", pairs[i].tx.port, pairs[i].tx.queue);
	out_str(o, key, fmt, text);
}

enum { HISTORY = 15 };

static void
history_show(struct out *o, const struct run *r, const struct zcfwd_recycle *feed,
	const struct zcfwd_recycle_pair *pairs, unsigned int n)
{
	struct zcfwd_recycle_change change[HISTORY];
	const unsigned int changes =
		zcfwd_recycle_changes(feed, change, sizeof(change[0]), HISTORY);

	out_nest(o, "history", OUT_ARRAY);
	for (unsigned int i = 0; i < changes; i++) {
		out_nest(o, NULL, OUT_OBJECT);
		out_f64(o, "seconds", "  after %.3f s",
			(double)(change[i].tsc - r->begin_tsc) / r->tsc_hz);
		queues_show(o, "from", " from TX %s", pairs, n, change[i].from);
		queues_show(o, "to", " to TX %s\n", pairs, n, change[i].to);
		out_unnest(o);
	}
	out_unnest(o);
}

/* Show what mode contig_auto measured. */
static void
tuning_show(struct out *o, const struct stream *s)
{
	static const char *const refills[] = { "driver", "blocks" };
	const struct recycle_tuning *tuning = atomic_load(&s->tuning);
	const struct autotune *t = tuning != NULL ? &tuning->autotune : NULL;
	const bool any = t != NULL && samples_kept(&t->samples) > 0;

	if (t != NULL) {
		out_str(o, "refill", "  refill by %s",
			refills[atomic_load_explicit(&t->candidate, memory_order_relaxed)]);
		out_bool(o, "measuring", "%s\n", autotune_measuring(t), ", still being measured",
			", measured");
		autotune_show(t, rte_rdtsc(), o);
	}
	out_nest(o, "measured", OUT_ARRAY);
	for (unsigned int i = 0; any && i < t->samples.candidates; i++) {
		out_nest(o, NULL, OUT_OBJECT);
		out_str(o, "refill", "  refill by %s: ", refills[i]);
		autotune_show_candidate(t, i, o);
		out_unnest(o);
	}
	out_unnest(o);
}

/* Show the rings of the stream's Rx port, and what the L2 cache suggests for them. */
static void
rings_show(struct out *o, const struct port *p)
{
	const struct port_rings rings = p != NULL ? port_rings_of(p)
						  : (struct port_rings){ .rxd = 0 };
	char advice[PORT_RINGS_ADVICE];

	if (rings.rxd == 0)
		return;
	out_nest(o, "rings", OUT_OBJECT);
	out_u64(o, "rxd", "  rings of %" PRIu64 " Rx", rings.rxd);
	out_u64(o, "txd", " and %" PRIu64 " Tx descriptors", rings.txd);
	out_u64(o, "kib", ", buffers of %" PRIu64 " KiB", rings.kib);
	out_u64(o, "l2_kib", " (L2 cache %" PRIu64 " KiB", rings.l2_kib);
	out_u64(o, "rxd_auto", NULL, rings.rxd_auto);
	out_u64(o, "txd_auto", NULL, rings.txd_auto);
	if (rings.large) {
		port_rings_advise(&rings, advice);
		out_text(o, "; %s", advice);
	}
	out_text(o, ")\n");
	out_unnest(o);
}

/* Show how much of the Rx ring is armed, and the memory of the buffers that circulate. */
static void
window_show(struct out *o, const struct run *r, const struct stream *s,
	const struct recycle_total *t)
{
	if (t->window == STAT_NONE)
		return;
	out_nest(o, "window", OUT_OBJECT);
	out_u64(o, "size", "  window of %" PRIu64, t->window);
	out_bool(o, "auto", "%s", strcmp(setting_text(r->settings, "recycle-window"), "auto") == 0,
		" (auto)", "");
	out_u64(o, "ring", " of %" PRIu64 " descriptors", t->ring);
	out_u64(o, "armed", ": %" PRIu64 " armed", t->armed);
	out_u64(o, "in_flight", ", %" PRIu64 " mbufs in flight", t->in_flight);
	out_u64(o, "working_set_kib", ", working set %" PRIu64 " KiB", t->working_set >> 10);
	out_u64(o, "l2_kib", " (L2 cache %" PRIu64 " KiB", numa_cache_bytes(2) >> 10);
	out_u64(o, "l3_kib", ", L3 cache %" PRIu64 " KiB)\n", numa_cache_bytes(3) >> 10);
	out_unnest(o);
}

/* Read a stream's values. running: an lcore runs it, so the queues that have the levels exist. */
static struct recycle_total
total_of(const struct stream *s, bool running)
{
	struct recycle_total t;

	zcfwd_recycle_stats(s->feed, &t.moved, VALUES);
	if (!running)
		t.window = t.armed = t.in_flight = t.working_set = t.ring = STAT_NONE;
	return t;
}

static void
stream_show(struct out *o, const struct run *r, const struct stream *s)
{
	/* Of the counters, in the order of their rows. */
	static const char *const lines[] = {
		"moved: sent mbufs re-armed on the Rx ring",
		"topped up from the pool",
		"not movable: still referenced",
		"not movable: from another pool",
		"freed: no room in the Rx ring or window, or incomplete batch",
		"refilled from contiguous pool blocks",
		"contiguous gets from the pool",
		"contiguous blocks taken",
		"of them into the lcore's mempool cache",
	};
	enum { INLINED = offsetof(struct recycle_total, inlined) / sizeof(uint64_t) };
	const uint64_t rx = counter_read(&s->count.rx);
	const bool sent = s->recycle_mode != ZCFWD_RECYCLE_MODE_BLOCKS &&
		s->recycle_mode != RECYCLE_MODE_CONTIG_AUTO;
	const struct recycle_total t = total_of(s, r->running);
	struct zcfwd_recycle_pair pairs[ZCFWD_RECYCLE_BOUND];
	const unsigned int n =
		zcfwd_recycle_pairs(s->feed, pairs, sizeof(pairs[0]), ARRAY_SIZE(pairs));

	stream_end_show(o, "", true, s->rx_port, s->rx_queue);
	out_u64(o, "lcore", " on lcore %" PRIu64, s->lcore);
	out_str(o, "mode", ", mode %s",
		setting_choice(r->settings, "recycle-mode", s->recycle_mode));
	out_str(o, "pairs_by", ", pairs by %s\n",
		s->recycle_traffic         ? "traffic"
			: r->recycle.n > 0 ? "name"
					   : "stream");
	out_nest(o, "pairs", OUT_ARRAY);
	for (unsigned int i = 0; i < n; i++)
		pair_show(o, s->feed, i, &pairs[i], sent);
	out_unnest(o);
	rings_show(o, port_at(r->ports, s->rx_port));
	window_show(o, r, s, &t);
	tuning_show(o, s);
	history_show(o, r, s->feed, pairs, n);
	out_u64(o, "rx", "  %-20" PRIu64 " received\n", rx);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		out_u64(o, recycle_stats.row[i].name, "  %-20" PRIu64,
			stat_value(&recycle_stats, i, &t));
		out_text(o, " %s\n", lines[i]);
	}
	out_u64(o, recycle_stats.row[INLINED].name, "  %-20" PRIu64, t.inlined);
	out_text(o, " not movable: copied into descriptors by the driver\n");
	out_f64(o, "yield_percent", "  %.2f %% of received packets came in recycled mbufs\n",
		rx > 0 ? 100.0 * (double)t.moved / (double)rx : 0);
}

int
run_recycle_show(struct run *r, struct err *e)
{
	const bool any = r->streams != NULL && recycles(r);

	if (r->streams == NULL)
		out_say(r->out,
			"no statistics yet: use \"set recycle on\" or \"set fwd recycle_mbufs\", then \"start\"\n");
	else if (!any && r->engine_run->recycling == NULL)
		out_say(r->out, "%s does not recycle: %s\n", r->engine_run->name,
			reason(r->engine_run));
	else if (!any)
		out_say(r->out,
			"%s ran without recycling: use \"set recycle on\" before \"start\"\n",
			r->engine_run->name);
	out_nest(r->out, "streams", OUT_ARRAY);
	for (unsigned int i = 0; any && i < r->plan.n_streams; i++) {
		out_nest(r->out, NULL, OUT_OBJECT);
		stream_show(r->out, r, r->streams[i]);
		out_unnest(r->out);
	}
	out_unnest(r->out);
	return 0;
}

static bool
group_read(const struct stream *s, unsigned int i, bool running, void *to)
{
	struct recycle_total now;

	if (s->feed == NULL)
		return false;
	now = total_of(s, running);
	memcpy(to, &now, sizeof(now));
	return true;
}

const struct engine_group run_recycle_group = { .stats = &recycle_stats,
	.size = sizeof(struct recycle_total),
	.read = group_read };
