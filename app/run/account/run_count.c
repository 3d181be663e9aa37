/* Read the counters of a run since its start or the last clear, and choose what to count. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/account/run_count.h"

#include "base/base.h"
#include "base/setting.h"
#include "engines/engine.h"
#include "port/port.h"
#include "port/port_stats.h"
#include "run/run.h"
#include "run/run_cpu.h"
#include "run/run_mirror.h"
#include "stream/stream.h"
#include "stream/stream_poll.h"

#include <rte_cycles.h>
#include <rte_ethdev.h>

#include <string.h>

#define ROW(member) \
	.name = #member, .kind = STAT_HISTOGRAM, .at = offsetof(struct run_count, member), \
	.cells = HIST_CELLS

static const struct stat_row burst_rows[] = {
	{ ROW(rx_bursts), .help = "packets returned by one receive call" },
	{ ROW(tx_bursts), .help = "packets accepted by one transmit call, retries included" },
};

const struct stat_table run_count_bursts = { "stream", burst_rows, ARRAY_SIZE(burst_rows), false };

static bool
hw_read(const struct stream *s, unsigned int i, bool running, void *to)
{
	if (s->hw == NULL || atomic_load_explicit(&s->hw->switched, memory_order_relaxed) == 0)
		return false;
	hw_counters_read(s->hw, to);
	return true;
}

static void
hw_words(const struct stream *s, unsigned int i, const struct stat_sink *sink)
{
	sink->number(sink->to, "lcore", s->lcore);
}

const struct engine_group run_count_hw_group = { .stats = &hw_count_stats,
	.size = sizeof(struct hw_count),
	.read = hw_read,
	.words = hw_words };

void
run_count_identity(const struct stream *s, const struct stat_sink *sink)
{
	stream_end_put(sink, true, s->rx_port, s->rx_queue);
	stream_end_put(sink, false, s->tx_port, s->tx_queue);
	sink->number(sink->to, "lcore", s->lcore);
}

void
run_count_read(const struct stream *s, struct run_count *c)
{
	stat_read(&c->count, &s->count, sizeof(c->count));
	hist_read(&c->rx_bursts, &s->rx_bursts);
	hist_read(&c->tx_bursts, &s->tx_bursts);
	if (s->hw != NULL)
		hw_counters_read(s->hw, &c->hw);
	else
		memset(&c->hw, 0, sizeof(c->hw));
}

void
run_count_subtract(struct run_count *c, const struct run_count *base)
{
	stat_subtract(&stream_stats, &c->count, &base->count);
	for (unsigned int k = 0; k < STREAM_NAMED_MAX; k++)
		c->count.named[k] -= base->count.named[k];
	stat_subtract(&run_count_bursts, c, base);
	stat_subtract(&hw_count_stats, &c->hw, &base->hw);
}

void
run_count_lacks(const struct stream *s, struct stream_count *c)
{
	const bool bytes = stream_records(s, STREAM_RECORD_BYTES) || c->rx_bytes + c->tx_bytes > 0;

	if (!stream_timed(s) && c->busy_cycles == 0)
		c->busy_cycles = STAT_NONE;
	if (!bytes)
		c->rx_bytes = c->tx_bytes = STAT_NONE;
}

bool
run_count_has_bursts(const struct stream *s, const struct run_count *c)
{
	return stream_records(s, STREAM_RECORD_BURSTS) ||
		hist_top(&c->rx_bursts).bursts + hist_top(&c->tx_bursts).bursts > 0;
}

void
run_count(const struct run *r, unsigned int i, struct run_count *c)
{
	run_count_read(r->streams[i], c);
	run_count_subtract(c, &r->base[i]);
	run_count_lacks(r->streams[i], &c->count);
}

void
run_count_clear(struct run *r)
{
	unsigned int i;

	pthread_mutex_lock(&r->lock);
	for (i = 0; r->streams != NULL && i < r->plan.n_streams; i++)
		run_count_read(r->streams[i], &r->base[i]);
	r->base_tsc = rte_rdtsc();
	run_cpu_clear(r);
	for (i = 0; i < r->choice.n_ports; i++)
		if (port_at(r->ports, r->choice.ports[i]) != NULL)
			port_stats_base(r->ports, r->choice.ports[i]);
	pthread_mutex_unlock(&r->lock);
	run_mirror_clear(r);
}

/* Stop counting the ports' packets for the run, or go on. */
static void
ports_stop(struct run *r, bool stopped)
{
	for (unsigned int i = 0; i < r->choice.n_ports; i++)
		if (port_at(r->ports, r->choice.ports[i]) != NULL)
			port_stats_stop(r->ports, r->choice.ports[i], stopped);
}

void
run_count_begin(struct run *r)
{
	ports_stop(r, false);
	run_count_clear(r);
}

void
run_count_end(struct run *r)
{
	ports_stop(r, true);
}

/* Remember the packets at this time, so that cycles are divided only by packets after it. */
static void
timed_begin(struct run *r, unsigned int i)
{
	pthread_mutex_lock(&r->lock);
	stat_read(&r->timed_base[i], &r->streams[i]->count, sizeof(r->timed_base[i]));
	r->timed_tsc = rte_rdtsc();
	pthread_mutex_unlock(&r->lock);
}

void
run_count_timed(const struct run *r, unsigned int i, struct run_timed *t)
{
	const struct stream_count *base = &r->base[i].count, *timed = &r->timed_base[i];
	struct stream_count now;

	*t = (struct run_timed){ 0 };
	if (!stream_timed(r->streams[i]))
		return;
	stat_read(&now, &r->streams[i]->count, sizeof(now));
	t->cycles = now.busy_cycles - RTE_MAX(base->busy_cycles, timed->busy_cycles);
	t->rx = now.rx - RTE_MAX(base->rx, timed->rx);
	t->tx = now.tx - RTE_MAX(base->tx, timed->tx);
}

void
run_count_record(struct run *r)
{
	bool cycles = setting_on(r->settings, "record-core-cycles");
	bool bursts = setting_on(r->settings, "record-burst-stats");
	bool bytes = setting_on(r->settings, "record-bytes");
	bool hardware = setting_on(r->settings, "record-hw-counters");
	unsigned int i;

	for (i = 0; r->streams != NULL && i < r->plan.n_streams; i++) {
		struct stream *s = r->streams[i];
		bool recorded = s->log != NULL && r->observer.wants != NULL &&
			r->observer.wants(r->observer.context, i);
		unsigned char timed = (cycles ? STREAM_TIMED_ALL : 0) |
			(recorded ? STREAM_TIMED_LOG : 0) |
			(s->limit.left != NULL ? STREAM_TIMED_LIMIT : 0) |
			(hardware && s->hw != NULL ? STREAM_TIMED_HARDWARE : 0);

		if (cycles && !stream_timed(s))
			timed_begin(r, i);
		if ((timed & STREAM_TIMED_HARDWARE) != 0 && !stream_hardware(s)) {
			pthread_mutex_lock(&r->lock);
			if (i == 0)
				hw_counters_machine(s->hw);
			pthread_mutex_unlock(&r->lock);
			atomic_fetch_add_explicit(&s->hw->switched, 1, memory_order_relaxed);
		}

		atomic_store_explicit(&s->record,
			(bursts || recorded ? STREAM_RECORD_BURSTS : 0) |
				(bytes ? STREAM_RECORD_BYTES : 0),
			memory_order_relaxed);
		/* Pairs with the acquire in stream_begin_timed() and stream_end_timed(). */
		atomic_store_explicit(&s->timed, timed, memory_order_release);
	}
}
