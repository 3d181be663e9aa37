/* The I/O lcore of a pipeline: passes received packets to the worker of their queue or flow, and
 * transmits the packets that come back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/ring_io.h"

#include "engines/ring/ring_flow.h"
#include "engines/ring/ring_scatter.h"
#include "engines/ring/ring_state.h"
#include "engines/ring/ring_worker.h"

#include <rte_cycles.h>

uint16_t
ring_io_sift(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	struct rte_mbuf *drop[BURST_MAX];
	uint16_t kept, k, n_drop = 0;
	uintptr_t marks = 0;

	for (k = 0; k < n; k++)
		marks |= (uintptr_t)pkts[k];
	if (likely((marks & RING_MARKS) == 0))
		return n;
	for (k = 0; ring_mark_of(pkts[k]) == 0; k++)
		;
	for (kept = k; k < n; k++) {
		unsigned int why = ring_mark_of(pkts[k]);

		if (why == 0)
			pkts[kept++] = pkts[k];
		if (why == 0 || why == RING_ROUTED_OUT)
			continue;
		stream_count_named(s, why, 1);
		drop[n_drop++] = ring_unmarked(pkts[k]);
	}
	stream_absorb(s, drop, n_drop);
	return kept;
}

/* Count packets that were dropped because rings were full. */
static void
count_full(struct stream *s, uint16_t n)
{
	stream_count_named(s, RING_FULL, n);
	counter_add(&s->count.absorbed, n);
}

/*
 * Pass each packet to the worker of its flow. They are received into an array, because the worker
 * depends on each packet's headers.
 */
static uint16_t
receive_flows(struct ring_io *io, struct stream *s)
{
	const struct ring_pipeline *p = io->pipeline;
	struct ring_out *outs = io->outs + (s->index - io->first) * p->n_workers;
	struct rte_mbuf *pkts[BURST_MAX], *rest[BURST_MAX];
	unsigned int max = s->burst;
	uint8_t which[BURST_MAX];
	struct ring_slots slots;
	uint16_t n, left;

	for (unsigned int i = 0; p->wait && i < p->n_workers; i++)
		max = RTE_MIN(max, ring_room(&outs[i], s->burst));
	if (max == 0)
		return 0;
	n = stream_rx(s, pkts, (uint16_t)max);
	if (n == 0)
		return 0;
	ring_flow_workers(pkts, n, p->n_workers, which);
	slots = ring_slots_flat(pkts, n);
	left = ring_scatter(outs, p->n_workers, &slots, which,
		atomic_load_explicit(&io->zero_copy_in, memory_order_relaxed), rest);
	if (unlikely(left > 0)) {
		stream_free(rest, left);
		count_full(s, left);
	}
	return n;
}

static __rte_always_inline uint16_t
receive(struct ring_io *io, struct stream *s)
{
	const struct ring_pipeline *p = io->pipeline;
	uint16_t n, dropped = 0;

	if (p->spread == RING_SPREAD_FLOW)
		return receive_flows(io, s);
	n = ring_link_receive((*ring_in(p, s->index, s->index % p->n_workers))->owner, s, p->wait,
		&dropped);
	if (unlikely(dropped > 0))
		count_full(s, dropped);
	return n + dropped;
}

/*
 * Count the cycles of a part of a poll if it moved packets and is timed. begin: from
 * stream_begin().
 */
static __rte_always_inline void
timed(struct stream *s, uint64_t begin, uint16_t n, counter *cycles, counter *packets)
{
	if (likely(begin == 0) || n == 0)
		return;
	if (begin > STREAM_UNTIMED) {
		counter_add(cycles, rte_rdtsc() - begin);
		counter_add(packets, n);
	}
	stream_end(s, begin);
}

/* Poll the worker on this lcore. Its cycles are counted for the stream as well. */
static uint16_t
own_poll(struct ring_io *io, struct stream *s)
{
	uint64_t begin = unlikely(stream_timed(s)) ? rte_rdtsc() : 0;
	uint16_t n = ring_worker_poll(io->own);

	if (unlikely(begin != 0) && n > 0)
		counter_add(&s->count.busy_cycles, rte_rdtsc() - begin);
	return n;
}

unsigned int
ring_io_poll(struct ring_io *io, bool receiving)
{
	struct ring_pipeline *p = io->pipeline;
	struct stream **streams = p->streams + io->first;
	ring_sift *sift = p->stage == RING_L3FWD || p->remote ? ring_io_sift : NULL;
	unsigned int i, moved = 0;
	uint16_t n;

	for (i = 0; likely(receiving) && i < io->n; i++) {
		uint64_t begin = stream_begin(streams[i], 0);

		if (stream_ran_out(streams[i], begin))
			continue;
		n = receive(io, streams[i]);
		timed(streams[i], begin, n, &io->count.rx_cycles, &io->count.timed_rx);
		moved += n;
	}
	if (io->own != NULL)
		moved += own_poll(io, streams[0]);
	for (i = 0; i < io->n_backs; i++) {
		struct stream *s = p->streams[io->backs[i].stream];
		uint64_t begin = stream_begin(s, 0);

		n = ring_link_transmit(io->backs[i].link, s, sift);
		timed(s, begin, n, &io->count.tx_cycles, &io->count.timed_tx);
		moved += n;
	}
	return moved;
}

/* Sums of the workers' counts for a stream. */
static struct ring_folded
counted(const struct ring_pipeline *p, unsigned int stream)
{
	struct ring_folded all = { 0 };

	for (unsigned int w = 0; w < p->n_workers; w++) {
		const struct ring_worker_stream *t = &p->workers[w].per_stream[stream];

		all.routed_out += counter_read(&t->routed_out);
		all.routed_in += counter_read(&t->routed_in);
		all.lost += counter_read(&t->lost);
	}
	return all;
}

void
ring_io_fold(struct ring_io *io)
{
	for (unsigned int i = 0; i < io->n; i++) {
		struct stream *s = io->pipeline->streams[io->first + i];
		struct ring_folded *folded = &io->folded[i], now = counted(io->pipeline, s->index);
		uint64_t out = now.routed_out - folded->routed_out;
		uint64_t in = now.routed_in - folded->routed_in, lost = now.lost - folded->lost;

		*folded = now;
		stream_count_named(s, RING_ROUTED_OUT, out);
		stream_count_named(s, RING_ROUTED_IN, in);
		stream_count_named(s, RING_LOST, lost);
		counter_add(&s->count.made, in);
		counter_add(&s->count.absorbed, out + lost);
	}
}
