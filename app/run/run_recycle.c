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
#include "run/recycle_named.h"
#include "run/run.h"

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

	for (unsigned int i = 0; i < n; i++) {
		struct stream *s = streams[i];

		s->feed = recycle_feed_open((int)rte_lcore_to_socket_id(s->lcore));
		if (s->feed == NULL)
			return err_set(e, ENOMEM, "no memory for the feed of stream %u", i);
	}
	return recycle_named_apply(&own, streams, n, &r->layouts, false, e);
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
	ret = recycle_named_apply(named, r->streams, r->plan.n_streams, &r->layouts, r->running, e);
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

void
run_recycle_warn(const struct run *r)
{
	if (setting_on(r->settings, "recycle") && r->engine->recycling == NULL)
		out_say(r->out, "%s forwards without recycling: %s\n", r->engine->name,
			reason(r->engine));
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

static void
counts_show(struct out *o, const struct recycle_total *t)
{
	out_u64(o, "moved", "    moved %" PRIu64, t->moved);
	out_u64(o, "topped_up", ", topped up %" PRIu64, t->topped_up);
	out_u64(o, "not_movable", ", not movable %" PRIu64 "\n", t->shared + t->foreign);
}

static void
layouts_show(struct out *o, const struct recycle *pair)
{
	static const char *const proofs[] = { [RECYCLE_PROVED] = "proved",
		[RECYCLE_PROVING] = "proving",
		[RECYCLE_REFUTED] = "refuted" };
	const char *tx = recycle_tx_layout(pair), *rx = recycle_rx_layout(pair),
		   *closed = recycle_closed(pair);

	out_str(o, "tx_layout", NULL, tx);
	out_str(o, "rx_layout", NULL, rx);
	out_str(o, "proof", NULL, proofs[recycle_proof(pair)]);
	if (strcmp(tx, "table") != 0 || strcmp(rx, "table") != 0)
		out_text(o, ", layouts by %s", strcmp(rx, "table") != 0 ? rx : tx);
	if (recycle_proof(pair) == RECYCLE_PROVING)
		out_text(o, ": not verified yet");
	if (recycle_proof(pair) == RECYCLE_REFUTED)
		out_text(o, ": wrong layout for these queues, mbufs go to the pool");
	if (closed != NULL)
		out_str(o, "reason", ", mbufs go to the pool: %s", closed);
	out_text(o, "\n");
}

static void
pair_show(struct out *o, const struct recycle_feed_pair *p, bool feeds, enum recycle_mode mode)
{
	const struct recycle_total t = recycle_feed_pair_total(p);
	const bool sent = !recycle_mode_contig(mode);

	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "tx_port", sent ? "  from TX Port=%" PRIu64 : NULL, p->ends.tx_port);
	out_u64(o, "tx_queue", sent ? "/Queue=%" PRIu64 ": " : NULL, p->ends.tx_queue);
	out_text(o, sent ? "" : "  ");
	if (p->pair != NULL) {
		out_bool(o, "paired", "%s", true, "", "");
		out_bool(o, "feeds", "%s", feeds, "", "idle, ");
		out_str(o, "tx_path", "%s", recycle_tx_path(p->pair));
		out_str(o, "rx_path", " to %s", recycle_rx_path(p->pair));
		layouts_show(o, p->pair);
		counts_show(o, &t);
	} else {
		out_bool(o, "paired", "%s", false, "", "not paired, mbufs go to the pool: ");
		out_str(o, "reason", "%s\n", p->why);
	}
	out_unnest(o);
}

/* Print the transmit queues of the pairs whose bits are set: "1/0 2/0". */
static void
queues_show(struct out *o, const char *key, const char *fmt, const struct recycle_feed_pair *pairs,
	unsigned int n, uint64_t bits)
{
	char text[RECYCLE_PAIRS_MAX * 12 + 8] = "none";
	size_t at = 0;

	for (unsigned int i = 0; i < n && at + 12 < sizeof(text); i++)
		if ((bits >> i & 1) != 0)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%u/%u",
				at > 0 ? " " : "", pairs[i].ends.tx_port, pairs[i].ends.tx_queue);
	out_str(o, key, fmt, text);
}

static void
history_show(struct out *o, const struct run *r, const struct recycle_feed *f,
	const struct recycle_feed_pair *pairs, unsigned int n)
{
	struct recycle_change change[RECYCLE_HISTORY];
	const unsigned int changes = recycle_feed_history(f, change);
	const double hz = (double)rte_get_tsc_hz();

	out_nest(o, "history", OUT_ARRAY);
	for (unsigned int i = 0; i < changes; i++) {
		out_nest(o, NULL, OUT_OBJECT);
		out_f64(o, "seconds", "  after %.3f s",
			(double)(change[i].tsc - r->begin_tsc) / hz);
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
	const struct autotune *t = recycle_feed_tuning(s->feed);
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

/* Show how much of the Rx ring is armed, and the memory of the buffers that circulate. */
static void
window_show(struct out *o, const struct stream *s)
{
	struct recycle_feed_window w;

	if (!recycle_feed_window(s->feed, &w))
		return;
	out_nest(o, "window", OUT_OBJECT);
	out_u64(o, "size", "  window of %" PRIu64, w.size);
	out_bool(o, "auto", "%s", w.automatic, " (auto)", "");
	out_u64(o, "ring", " of %" PRIu64 " descriptors", w.ring);
	out_u64(o, "armed", ": %" PRIu64 " armed", w.armed);
	out_u64(o, "in_flight", ", %" PRIu64 " mbufs in flight", w.in_flight);
	out_u64(o, "working_set_kib", ", working set %" PRIu64 " KiB", w.working_set >> 10);
	out_u64(o, "l2_kib", " (L2 cache %" PRIu64 " KiB", numa_cache_bytes(2) >> 10);
	out_u64(o, "l3_kib", ", L3 cache %" PRIu64 " KiB)\n", numa_cache_bytes(3) >> 10);
	out_unnest(o);
}

#define LINE(name, line, unit, help) line,

static void
stream_show(struct out *o, const struct run *r, const struct stream *s)
{
	static const char *const lines[] = { RECYCLE_COUNTS(LINE) POOL_BLOCKS_COUNTS(LINE) };
	struct recycle_total t = recycle_feed_total(s->feed);
	uint64_t rx = counter_read(&s->count.rx), feeds = recycle_feed_feeds(s->feed);
	const struct recycle_feed_pair *pairs;
	unsigned int n;

	pairs = recycle_feed_pairs(s->feed, &n);
	out_u64(o, "rx_port", "RX Port=%" PRIu64, s->rx_port);
	out_u64(o, "rx_queue", "/Queue=%" PRIu64, s->rx_queue);
	out_u64(o, "lcore", " on lcore %" PRIu64, s->lcore);
	out_str(o, "mode", ", mode %s",
		setting_choice(r->settings, "recycle-mode", recycle_feed_mode(s->feed)));
	out_str(o, "pairs_by", ", pairs by %s\n",
		recycle_feed_chooses(s->feed) ? "traffic"
			: r->recycle.n > 0    ? "name"
					      : "stream");
	out_nest(o, "pairs", OUT_ARRAY);
	for (unsigned int i = 0; i < n; i++)
		pair_show(o, &pairs[i], (feeds >> i & 1) != 0, recycle_feed_mode(s->feed));
	out_unnest(o);
	window_show(o, s);
	tuning_show(o, s);
	history_show(o, r, s->feed, pairs, n);
	out_u64(o, "rx", "  %-20" PRIu64 " received\n", rx);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		out_u64(o, recycle_feed_stats.row[i].name, "  %-20" PRIu64,
			stat_value(&recycle_feed_stats, i, &t));
		out_text(o, " %s\n", lines[i]);
	}
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
	struct recycle_feed_window w;

	if (s->feed == NULL)
		return false;
	now = recycle_feed_total(s->feed);
	/* After a run its ports may be stopped, and the queues that have the levels be freed. */
	if (running && recycle_feed_window(s->feed, &w)) {
		now.window = w.size;
		now.armed = w.armed;
		now.in_flight = w.in_flight;
		now.working_set = w.working_set;
	}
	memcpy(to, &now, sizeof(now));
	return true;
}

const struct engine_group run_recycle_group = { .stats = &recycle_feed_stats,
	.size = sizeof(struct recycle_total),
	.read = group_read };
