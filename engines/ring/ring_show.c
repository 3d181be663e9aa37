/* `show pipeline`: prints a pipeline's statistics by lcore and by ring. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/ring_show.h"

#include "base/err.h"
#include "base/out.h"
#include "engines/ring/processes/ring_worker_slot.h"
#include "engines/ring/ring_autotune.h"
#include "engines/ring/ring_config.h"
#include "engines/ring/ring_state.h"
#include "engines/ring/ring_stats.h"
#include "stream/hw_counters.h"

#include <errno.h>
#include <inttypes.h>

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
autotune_show(struct out *o, const struct ring_io *io)
{
	const struct ring_autotune *t = &io->autotune;
	unsigned int own = atomic_load(&t->candidate), n = samples_kept(&t->samples);
	uint64_t last = counter_read(&t->last);

	if (n > 0) {
		out_u64(o, "samples", "  %" PRIu64 " samples", counter_read(&t->samples.n));
		out_f64(o, "last_s", ", the latest %.1f s ago",
			(double)(rte_rdtsc() - last) / (double)rte_get_tsc_hz());
		out_u64(o, "changes", ", %" PRIu64 " changes of mode\n", counter_read(&t->changes));
	}
	out_nest(o, "measured", OUT_ARRAY);
	for (unsigned int candidate = 0; n > 0 && candidate < RING_CANDIDATES; candidate++) {
		out_nest(o, NULL, OUT_OBJECT);
		out_str(o, "in", "  in %s, ",
			ring_stats_mode(io->pipeline, ring_autotune_in(candidate)));
		out_str(o, "back",
			"back %s: ", ring_stats_mode(io->pipeline, ring_autotune_back(candidate)));
		out_f64(o, "cycles", "%.2f cycles per packet",
			samples_median(&t->samples, candidate));
		if (candidate != own) {
			out_u64(o, "dearer", ", slower in %" PRIu64,
				samples_wins(&t->samples, own, candidate));
			out_u64(o, "of", " of %" PRIu64 " samples", n);
		}
		out_text(o, "\n");
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
		autotune_show(o, io);
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
pipeline_of(struct stream *const *streams, unsigned int n, const struct ring_config *c)
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
	const struct ring_pipeline *p = pipeline_of(streams, n, c);

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
