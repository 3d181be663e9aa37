/* The loops of a pipeline's lcores. To stop, I/O lcores end receiving, workers empty their rings,
 * and I/O lcores send the packets that come back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/ring_loop.h"

#include "engines/ring/processes/ring_worker_slot.h"
#include "engines/ring/ring_autotune.h"
#include "engines/ring/ring_state.h"
#include "engines/ring/ring_worker.h"
#include "stream/stream.h"

#include <rte_lcore.h>

enum { SETTLE_POLLS = 1024 };

static bool
stopping(const atomic_bool *stop)
{
	return atomic_load_explicit(stop, memory_order_relaxed);
}

static bool
workers_done(const struct ring_pipeline *p)
{
	/* Pairs with the release in ring_worker_finished(). */
	for (unsigned int i = 0; i < p->n_workers; i++)
		if (!atomic_load_explicit(&p->workers[i].done, memory_order_acquire) &&
			(!p->remote || ring_worker_slot_taken(&p->workers[i])))
			return false;
	return true;
}

/*
 * Whether this lcore is the only I/O lcore and the only worker, and its rings are empty: then
 * there is nothing to drain.
 */
static bool
all_through(const struct ring_io *io)
{
	const struct ring_pipeline *p = io->pipeline;

	if (io->own == NULL || p->n_workers > 1 || p->n_io > 1)
		return false;
	for (unsigned int i = 0; i < p->n_streams; i++)
		if (!rte_ring_empty(p->in[i]->ring) || !rte_ring_empty(p->back[i]->ring))
			return false;
	return true;
}

/* After the last receive call: send the packets that workers still have until all are done. */
static void
drain(struct ring_io *io)
{
	bool done;

	if (all_through(io))
		return;
	atomic_store(&io->pipeline->ending, true);

	/* Pairs with the acquire in sources_closed(). */
	atomic_store_explicit(&io->closed, true, memory_order_release);
	do {
		done = workers_done(io->pipeline);
		if (io->own != NULL && ring_io_poll(io, false) == 0)
			ring_worker_finished(io->own);
		else if (io->own == NULL)
			ring_io_poll(io, false);
	} while (!done);
	while (ring_io_poll(io, false) > 0)
		;
	ring_io_fold(io);
}

/* Update the hardware counters of an I/O lcore at the begin of a poll. */
static void
pass_io(const struct ring_io *io)
{
	struct stream *const *streams = io->pipeline->streams + io->first;
	struct hw_counters *h = streams[0]->hw;
	uint64_t packets = 0, sent = 0;

	for (unsigned int i = 0; i < io->n; i++) {
		packets += counter_read(&streams[i]->count.rx);
		sent += counter_read(&streams[i]->count.tx);
	}
	hw_counters_pass(h, atomic_load_explicit(&h->switched, memory_order_relaxed), packets,
		packets + sent);
}

/* Update the hardware counters of an lcore that is only a worker. */
static __rte_always_inline void
pass_worker(struct ring_worker *w)
{
	const struct stream *first = w->pipeline->streams[0];

	if (unlikely(stream_hardware(first)))
		hw_counters_pass(w->hw,
			atomic_load_explicit(&first->hw->switched, memory_order_relaxed),
			counter_read(&w->count.packets), counter_read(&w->count.packets));
}

static __rte_always_inline void
loop_io(struct stream *const *streams, unsigned int n, const atomic_bool *stop, bool recycling)
{
	struct ring_pipeline *p = streams[0]->kept;
	struct ring_io *io = p->io;

	while (io->first != streams[0]->index)
		io++;
	do {
		uint64_t begin = ring_autotune_begin(io);
		unsigned int moved;

		if (unlikely(stream_hardware(streams[0])))
			pass_io(io);
		for (unsigned int i = 0; recycling && i < n; i++)
			engine_recycle(streams[i]);
		moved = ring_io_poll(io, true);
		if (unlikely(begin != 0))
			ring_autotune_end(io, begin, moved);
		if (unlikely(++io->polls % SETTLE_POLLS == 0))
			ring_io_fold(io);
	} while (!stopping(stop));
	drain(io);
}

void
ring_loop_io(struct stream *const *streams, unsigned int n, const atomic_bool *stop)
{
	loop_io(streams, n, stop, false);
}

void
ring_loop_io_recycling(struct stream *const *streams, unsigned int n, const atomic_bool *stop)
{
	loop_io(streams, n, stop, true);
}

void
ring_loop_remote(struct ring_worker *w, const atomic_bool *stop)
{
	const struct ring_pipeline *p = w->pipeline;

	while (!stopping(stop) &&
		!(atomic_load_explicit(&p->ending, memory_order_relaxed) &&
			ring_worker_finished(w))) {
		counter_add(&w->beats, 1);
		pass_worker(w);
		ring_worker_poll(w);
	}
	hw_counters_close(w->hw);
	ring_worker_slot_leave(w);
}

void
ring_loop_worker(struct stream *const *streams, unsigned int n, const atomic_bool *stop)
{
	struct ring_pipeline *p = streams[0]->kept;
	struct ring_worker *w = p->workers;

	while (w->lcore != rte_lcore_id())
		w++;
	do {
		pass_worker(w);
		ring_worker_poll(w);
	} while (!stopping(stop));
	while (!ring_worker_finished(w))
		ring_worker_poll(w);
}
