/* Statistics rows of a pipeline, and `show pipeline`, which prints them by lcore and by ring. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/ring_show.h"

#include "base/err.h"
#include "base/out.h"
#include "engines/engine.h"
#include "engines/ring/processes/ring_worker_slot.h"
#include "engines/ring/ring_autotune.h"
#include "engines/ring/ring_state.h"
#include "stream/hw_counters.h"

#include <rte_ring.h>

#include <errno.h>
#include <inttypes.h>

/* Statistics rows of a pipeline: its setup, I/O lcores, workers and rings. */

const char *const ring_stats_modes[] = { [RING_AUTO] = "auto",
	[RING_COPY] = "copy",
	[RING_ZC] = "zc",
	[RING_COMPRESSED] = "compressed",
	NULL };
const char *const ring_stats_stages[] = { [RING_NONE] = "none",
	[RING_MACSWAP] = "macswap",
	[RING_L3FWD] = "l3fwd",
	[RING_BUSY] = "busy",
	NULL };
const char *const ring_stats_spreads[] = { [RING_SPREAD_AUTO] = "auto",
	[RING_SPREAD_QUEUE] = "queue",
	[RING_SPREAD_FLOW] = "flow",
	[RING_SPREAD_ANY] = "any",
	NULL };

/* The mode of the rings of one direction: "copy", "zc" or "compressed". */
static const char *
ring_stats_mode(const struct ring_pipeline *p, bool zero_copy)
{
	if (p->mode == RING_COMPRESSED)
		return ring_stats_modes[RING_COMPRESSED];
	return ring_stats_modes[zero_copy ? RING_ZC : RING_COPY];
}

static const struct ring_pipeline *
pipeline_of(const struct stream *s)
{
	return s->kept;
}

/* The setup of a pipeline. */
struct whole {
	uint64_t ring_slots, full_waits, shared_rings, other_processes, n_io, n_workers, n_rings;
};

#define WHOLE(member) .name = #member, .kind = STAT_GAUGE, .at = offsetof(struct whole, member)

static const struct stat_row whole_rows[] = {
	{ WHOLE(ring_slots), .unit = "slots", .help = "slots per ring" },
	{ WHOLE(full_waits), .unit = "flag",
		.help = "1: the I/O lcore waits if a ring is full; 0: it drops" },
	{ WHOLE(shared_rings), .unit = "flag",
		.help = "1: all workers share one ring back per stream" },
	{ WHOLE(other_processes), .unit = "flag", .help = "1: workers run in other processes" },
	{ WHOLE(n_io), .unit = "lcores", .help = "I/O lcores" },
	{ WHOLE(n_workers), .unit = "lcores", .help = "workers" },
	{ WHOLE(n_rings), .unit = "rings",
		.help = "rings, with a shared ring counted once per worker" },
};
static const struct stat_table whole_stats = { "pipeline", whole_rows, ARRAY_SIZE(whole_rows),
	false };

static bool
whole_read(const struct stream *s, unsigned int i, bool running, void *to)
{
	const struct ring_pipeline *p = pipeline_of(s);
	struct whole *w = to;

	(void)i;
	(void)running;
	*w = (struct whole){ p->size, p->wait, p->shared, p->remote, p->n_io, p->n_workers, 0 };
	for (unsigned int k = 0; k < p->n_streams * p->n_workers; k++)
		w->n_rings += (p->in[k] != NULL) + (p->back[k] != NULL);
	return true;
}

static void
whole_words(const struct stream *s, unsigned int i, const struct stat_sink *sink)
{
	(void)i;
	sink->text(sink->to, "mode", ring_stats_modes[pipeline_of(s)->mode]);
	sink->text(sink->to, "stage", ring_stats_stages[pipeline_of(s)->stage]);
	sink->text(sink->to, "spread", ring_stats_spreads[pipeline_of(s)->spread]);
}

#define IO(member, kind_of) \
	.name = #member, .unit = kind_of, .at = offsetof(struct ring_io_count, member)

static const struct stat_row io_rows[] = {
	{ IO(timed_rx, "packets"), .help = "packets received while cycles were counted" },
	{ IO(rx_cycles, "cycles"), .help = "TSC cycles spent to receive the timed packets" },
	{ IO(timed_tx, "packets"), .help = "packets sent while cycles were counted" },
	{ IO(tx_cycles, "cycles"), .help = "TSC cycles spent to send the timed packets" },
};
static const struct stat_table io_stats = { "pipeline_io", io_rows, ARRAY_SIZE(io_rows), false };

static unsigned int
ios(const struct stream *s)
{
	return pipeline_of(s)->n_io;
}

static bool
io_read(const struct stream *s, unsigned int i, bool running, void *to)
{
	(void)running;
	stat_read(to, &pipeline_of(s)->io[i].count, sizeof(struct ring_io_count));
	return true;
}

static void
io_words(const struct stream *s, unsigned int i, const struct stat_sink *sink)
{
	const struct ring_io *io = &pipeline_of(s)->io[i];

	sink->number(sink->to, "lcore", io->lcore);
	sink->number(sink->to, "n_streams", io->n);
	sink->text(sink->to, "mode_in",
		ring_stats_mode(io->pipeline, atomic_load(&io->zero_copy_in)));
	sink->text(sink->to, "mode_back",
		ring_stats_mode(io->pipeline, atomic_load(&io->zero_copy_back)));
}

struct worker {
	struct ring_worker_count count;
	uint64_t deaths;
};

#define WORKER(key, member, kind_of) \
	.name = key, .unit = kind_of, .at = offsetof(struct worker, member)

static const struct stat_row worker_rows[] = {
	{ WORKER("packets", count.packets, "packets"), .help = "packets taken" },
	{ WORKER("bursts", count.bursts, "bursts"), .help = "bursts taken" },
	{ WORKER("empty_polls", count.idle, "polls"), .help = "polls without packets" },
	{ WORKER("deaths", deaths, "deaths"),
		.help = "processes that died while they had this worker slot" },
	{ WORKER("timed", count.timed, "packets"),
		.help = "packets taken while cycles were counted" },
	{ WORKER("cycles", count.cycles, "cycles"),
		.help = "TSC cycles of the polls that took the timed packets" },
	{ WORKER("stage_cycles", count.stage_cycles, "cycles"),
		.help = "TSC cycles of these polls spent in the stage" },
};
static const struct stat_table worker_stats = { "pipeline_worker", worker_rows,
	ARRAY_SIZE(worker_rows), false };

static unsigned int
workers(const struct stream *s)
{
	return pipeline_of(s)->n_workers;
}

static bool
worker_read(const struct stream *s, unsigned int i, bool running, void *to)
{
	const struct ring_worker *w = &pipeline_of(s)->workers[i];
	struct worker *copy = to;

	(void)running;
	stat_read(&copy->count, &w->count, sizeof(copy->count));
	copy->deaths = counter_read(&w->deaths);
	return true;
}

static void
worker_words(const struct stream *s, unsigned int i, const struct stat_sink *sink)
{
	const struct ring_worker *w = &pipeline_of(s)->workers[i];

	sink->number(sink->to, "worker", i);
	if (pipeline_of(s)->remote)
		sink->number(sink->to, "pid", (uint64_t)atomic_load(&w->pid));
	else
		sink->number(sink->to, "lcore", w->lcore);
}

/* Hardware counters with the usual rows, but one member per worker. */
static struct hw_counters *
hardware_of(const struct stream *s, unsigned int i)
{
	const struct hw_counters *first = pipeline_of(s)->streams[0]->hw;

	return first != NULL && atomic_load(&first->switched) > 0 ? pipeline_of(s)->workers[i].hw
								  : NULL;
}

static bool
hardware_read(const struct stream *s, unsigned int i, bool running, void *to)
{
	const struct hw_counters *h = hardware_of(s, i);

	(void)running;
	if (h != NULL)
		hw_counters_read(h, to);
	return h != NULL;
}

/*
 * A ring, or a link that shares one. The single lcore at the other end of a shared ring is counted
 * in the link that owns the ring.
 */
struct ring {
	struct ring_side put, taken;
	uint64_t level;
};

#define RING(key, member) .name = key, .at = offsetof(struct ring, member)

static const struct stat_row ring_rows[] = {
	{ RING("put_packets", put.packets), .help = "packets put into the ring" },
	{ RING("put_copy", put.copied), .unit = "bursts", .help = "bursts put by copying" },
	{ RING("put_zc", put.zero_copy), .unit = "bursts",
		.help = "bursts received directly into ring slots" },
	{ RING("put_wraps", put.wraps), .unit = "bursts",
		.help = "bursts put that wrapped around the ring's end" },
	{ RING("put_full", put.short_of), .unit = "calls",
		.help = "put calls that found too little room" },
	{ RING("taken_packets", taken.packets), .help = "packets taken out of the ring" },
	{ RING("taken_copy", taken.copied), .unit = "bursts", .help = "bursts taken by copying" },
	{ RING("taken_zc", taken.zero_copy), .unit = "bursts",
		.help = "bursts sent directly from ring slots" },
	{ RING("taken_wraps", taken.wraps), .unit = "bursts",
		.help = "bursts taken that wrapped around the ring's end" },
	{ RING("taken_empty", taken.short_of), .unit = "calls",
		.help = "take calls that found no packets" },
	{ RING("level", level), .kind = STAT_GAUGE, .help = "packets in the ring now" },
	{ RING("fill", put.fill), .kind = STAT_HISTOGRAM, .cells = RING_FILLS, .unit = "eighths",
		.help = "fill level after each burst put, in eighths; 8: full" },
};
static const struct stat_table ring_stats = { "pipeline_ring", ring_rows, ARRAY_SIZE(ring_rows),
	false };

/* The i-th ring of a stream: for each worker the ring in, then the ring back. */
static const struct ring_link *
link_of(const struct stream *s, unsigned int i)
{
	return *(i % 2 == 0 ? ring_in : ring_back)(pipeline_of(s), s->index, i / 2);
}

static unsigned int
rings(const struct stream *s)
{
	return 2 * pipeline_of(s)->n_workers;
}

static bool
ring_read(const struct stream *s, unsigned int i, bool running, void *to)
{
	const struct ring_link *l = link_of(s, i);
	const bool in = i % 2 == 0;
	struct ring *copy = to;

	(void)running;
	if (l == NULL)
		return false;
	if (!in || l->owner == l)
		stat_read(&copy->put, &l->put, sizeof(copy->put));
	if (in || l->owner == l)
		stat_read(&copy->taken, &l->take, sizeof(copy->taken));
	copy->level = l->owner == l ? rte_ring_count(l->ring) : STAT_NONE;
	return true;
}

static void
ring_words(const struct stream *s, unsigned int i, const struct stat_sink *sink)
{
	const struct ring_link *l = link_of(s, i);

	sink->text(sink->to, "direction", i % 2 == 0 ? "in" : "back");
	sink->number(sink->to, "worker", i / 2);
	sink->number(sink->to, "shared", l->owner != l);
}

const struct engine_group ring_stats_groups[] = {
	{ .stats = &whole_stats,
		.size = sizeof(struct whole),
		.per_run = true,
		.fixed = true,
		.read = whole_read,
		.words = whole_words },
	{ .stats = &io_stats,
		.size = sizeof(struct ring_io_count),
		.per_run = true,
		.members = ios,
		.read = io_read,
		.words = io_words },
	{ .stats = &worker_stats,
		.size = sizeof(struct worker),
		.per_run = true,
		.members = workers,
		.read = worker_read,
		.words = worker_words },
	{ .stats = &hw_count_worker_stats,
		.size = sizeof(struct hw_count),
		.per_run = true,
		.members = workers,
		.read = hardware_read,
		.words = worker_words },
	{ .stats = &ring_stats,
		.size = sizeof(struct ring),
		.members = rings,
		.read = ring_read,
		.words = ring_words },
};

static double
share(uint64_t n, uint64_t of)
{
	return of > 0 ? (double)n / (double)of : 0;
}

/*
 * Show what mode auto measured: for each pair of modes its cycles per packet, and in how many
 * samples it was more expensive than the current pair.
 */
static void
tuning_show(struct out *o, const struct ring_io *io)
{
	const struct autotune *t = &io->autotune;
	const bool any = samples_kept(&t->samples) > 0;

	autotune_show(t, rte_rdtsc(), o);
	out_nest(o, "measured", OUT_ARRAY);
	for (unsigned int candidate = 0; any && candidate < RING_CANDIDATES; candidate++) {
		out_nest(o, NULL, OUT_OBJECT);
		out_str(o, "in", "  in %s, ",
			ring_stats_mode(io->pipeline, ring_autotune_in(candidate)));
		out_str(o, "back",
			"back %s: ", ring_stats_mode(io->pipeline, ring_autotune_back(candidate)));
		autotune_show_candidate(t, candidate, o);
		out_unnest(o);
	}
	out_unnest(o);
}

/* Show an lcore's hardware counters; nothing if they are disabled or the machine has none. */
static void
hardware_show(struct out *o, const struct hw_counters *h)
{
	struct hw_count count;

	if (h == NULL)
		return;
	hw_counters_read(h, &count);
	/* Memory requests are counted for the whole machine, not per lcore. */
	count.event[PMU_MC_REQUESTS] = STAT_NONE;
	if (count.packets == 0)
		return;
	out_text(o, "  per packet: ");
	out_nest(o, "hardware", OUT_OBJECT);
	hw_counters_show(o, &count);
	out_unnest(o);
	out_text(o, "\n");
}

static void
io_show(struct out *o, const struct ring_io *io, bool measured)
{
	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "lcore", "I/O lcore %" PRIu64, io->lcore);
	out_u64(o, "streams", ", %" PRIu64 " streams: ", io->n);
	out_str(o, "mode_in", "mode in %s, ",
		ring_stats_mode(io->pipeline, atomic_load(&io->zero_copy_in)));
	out_str(o, "mode_back", "back %s",
		ring_stats_mode(io->pipeline, atomic_load(&io->zero_copy_back)));
	out_bool(o, "measuring", "%s\n", ring_autotune_measuring(io), ", still being measured",
		measured ? ", measured" : "");
	if (counter_read(&io->count.timed_rx) > 0) {
		out_f64(o, "receive_cycles", "  receive %.2f, ",
			share(counter_read(&io->count.rx_cycles),
				counter_read(&io->count.timed_rx)));
		out_f64(o, "transmit_cycles", "transmit %.2f cycles per packet\n",
			share(counter_read(&io->count.tx_cycles),
				counter_read(&io->count.timed_tx)));
	}
	hardware_show(o, io->pipeline->streams[io->first]->hw);
	if (measured)
		tuning_show(o, io);
	out_unnest(o);
}

static void
worker_show(struct out *o, const struct ring_worker *w)
{
	const struct ring_worker_count *c = &w->count;
	uint64_t timed = counter_read(&c->timed), stage = counter_read(&c->stage_cycles);

	out_nest(o, NULL, OUT_OBJECT);
	out_u64(o, "worker", "Worker %" PRIu64, w->index);
	if (w->pipeline->remote) {
		out_i64(o, "pid", " of process %" PRId64 ": ", atomic_load(&w->pid));
		out_u64(o, "deaths", "%" PRIu64 " earlier workers crashed, ",
			counter_read(&w->deaths));
	} else {
		out_u64(o, "lcore", " on lcore %" PRIu64 ": ", w->lcore);
	}
	out_u64(o, "packets", "%" PRIu64 " packets in ", counter_read(&c->packets));
	out_u64(o, "bursts", "%" PRIu64 " bursts, ", counter_read(&c->bursts));
	out_u64(o, "empty_polls", "%" PRIu64 " empty polls\n", counter_read(&c->idle));
	if (timed > 0) {
		out_f64(o, "ring_cycles", "  rings %.2f, ",
			share(counter_read(&c->cycles) - stage, timed));
		out_f64(o, "stage_cycles", "stage %.2f cycles per packet\n", share(stage, timed));
	}
	hardware_show(o, w->hw);
	out_unnest(o);
}

static void
side_show(struct out *o, const char *key, const struct ring_side *side, const char *none)
{
	out_nest(o, key, OUT_OBJECT);
	out_text(o, "  %-5s", key);
	out_u64(o, "packets", " %" PRIu64 " packets, bursts:", counter_read(&side->packets));
	out_u64(o, "copy", " %" PRIu64 " copied,", counter_read(&side->copied));
	out_u64(o, "zc", " %" PRIu64 " zero-copy,", counter_read(&side->zero_copy));
	out_u64(o, "wraps", " %" PRIu64 " wraps, ", counter_read(&side->wraps));
	out_u64(o, none, "%" PRIu64 " times ", counter_read(&side->short_of));
	out_text(o, "%s\n", none);
	out_unnest(o);
}

static void
fill_show(struct out *o, const struct ring_side *side)
{
	out_text(o, "  fill level in eighths:");
	out_nest(o, "fill", OUT_ARRAY);
	for (unsigned int i = 0; i < RING_FILLS; i++)
		out_u64(o, "", " %" PRIu64, counter_read(&side->fill[i]));
	out_unnest(o);
	out_text(o, "\n");
}

/* The single lcore at the other end of a shared ring counts in the link that owns the ring. */
static void
link_show(struct out *o, const struct ring_link *l, const struct stream *s, unsigned int worker,
	bool in)
{
	if (l == NULL)
		return;
	out_nest(o, NULL, OUT_OBJECT);
	out_str(o, "direction", "Ring %s ", in ? "in" : "back");
	out_u64(o, "port", in ? "from RX Port=%" PRIu64 : "to TX Port=%" PRIu64,
		in ? s->rx_port : s->tx_port);
	out_u64(o, "queue", "/Queue=%" PRIu64, in ? s->rx_queue : s->tx_queue);
	out_u64(o, "worker", ", worker %" PRIu64, worker);
	out_bool(o, "shared", "%s\n", l->owner != l, ", shared with the rings above", "");
	if (!in || l->owner == l)
		side_show(o, "put", &l->put, "full");
	if (in || l->owner == l)
		side_show(o, "taken", &l->take, "empty");
	if (!in || l->owner == l)
		fill_show(o, &l->put);
	out_unnest(o);
}

static void
rings_show(struct out *o, const struct ring_pipeline *p)
{
	out_nest(o, "rings", OUT_ARRAY);
	for (unsigned int i = 0; i < p->n_streams; i++) {
		for (unsigned int k = 0; k < p->n_workers; k++) {
			link_show(o, *ring_in(p, i, k), p->streams[i], k, true);
			link_show(o, *ring_back(p, i, k), p->streams[i], k, false);
		}
	}
	out_unnest(o);
}

/* This process's pipeline, or in a secondary process the primary's; NULL: none. */
static const struct ring_pipeline *
show_pipeline_of(struct stream *const *streams, unsigned int n, const struct ring_config *c)
{
	if (c->attach != NULL)
		return atomic_load(&c->shared->pipeline);
	return n > 0 ? streams[0]->kept : NULL;
}

int
ring_show(struct stream *const *streams, unsigned int n, const void *config, struct out *o,
	struct err *e)
{
	const struct ring_config *c = config;
	const struct ring_pipeline *p = show_pipeline_of(streams, n, c);

	if (p == NULL)
		return err_set(e, ENOENT,
			"no statistics yet: use \"set fwd ring_pipeline\" and \"start\"%s",
			c->attach != NULL ? " in the primary process" : "");
	out_str(o, "mode", "Pipeline: mode %s, ", ring_stats_modes[p->mode]);
	out_str(o, "stage", "stage %s, ", ring_stats_stages[p->stage]);
	out_u64(o, "ring_slots", "rings of %" PRIu64 " slots, ", p->size);
	out_bool(o, "full_waits", "full ones %s, ", p->wait, "wait", "drop");
	out_bool(o, "shared_rings", "sync %s, ", p->shared, "hts", "single");
	out_str(o, "spread", "spread by %s\n", ring_stats_spreads[p->spread]);
	out_nest(o, "io", OUT_ARRAY);
	for (unsigned int i = 0; i < p->n_io; i++)
		io_show(o, &p->io[i], p->mode == RING_AUTO);
	out_unnest(o);
	out_nest(o, "workers", OUT_ARRAY);
	for (unsigned int i = 0; i < p->n_workers; i++)
		worker_show(o, &p->workers[i]);
	out_unnest(o);
	rings_show(o, p);
	return 0;
}
