/* A worker's poll. It takes no more packets than fit into every ring they may go to, so that it
 * never waits in the middle of a burst. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/ring_worker.h"

#include "engines/common/pkt.h"
#include "engines/ring/processes/ring_journal.h"
#include "engines/ring/ring_in_place.h"
#include "engines/ring/ring_l3fwd.h"
#include "engines/ring/ring_scatter.h"
#include "engines/ring/ring_state.h"

#include <rte_cycles.h>
#include <rte_pause.h>

/* Stage busy: spend the set number of cycles per packet. */
static void
busy(const struct ring_pipeline *p, uint16_t n)
{
	uint64_t end = rte_rdtsc() + p->busy_cycles * n;

	while (rte_rdtsc() < end)
		rte_pause();
}

/* The stages that send all packets back to their own stream. */
static __rte_always_inline void
stage_simple(const struct ring_pipeline *p, struct stream *s, const struct ring_slots *slots)
{
	if (p->stage == RING_BUSY)
		busy(p, slots->n);
	if (p->stage != RING_MACSWAP)
		return;
	pkt_macs_swap(&s->tx_end, slots->at[0], slots->n_first);
	if (unlikely(slots->n_first < slots->n))
		pkt_macs_swap(&s->tx_end, slots->at[1], slots->n - slots->n_first);
}

/* Free slots in the fullest of the rings that packets of the feed may go to. */
static __rte_always_inline unsigned int
room(struct ring_worker *w, struct ring_feed *f)
{
	unsigned int n = ring_room(f->out, w->burst);

	for (unsigned int i = 0; unlikely(f->hop != NULL) && i < w->n_outs; i++)
		n = RTE_MIN(n, ring_room(&w->outs[i], w->burst));
	return RTE_MIN(n, w->burst);
}

/*
 * Run the stage. Returns whether all packets go back to their stream; if not, which has the rings.
 */
static __rte_always_inline bool
stage(struct ring_worker *w, struct ring_feed *f, const struct ring_slots *slots)
{
	if (f->hop != NULL)
		return !ring_l3fwd(w, f, slots, w->which);
	stage_simple(w->pipeline, f->stream, slots);
	return true;
}

/* Run the stage and count its cycles. */
static bool
stage_timed(struct ring_worker *w, struct ring_feed *f, const struct ring_slots *slots)
{
	uint64_t begin = rte_rdtsc();
	bool back = stage(w, f, slots);

	counter_add(&w->count.stage_cycles, rte_rdtsc() - begin);
	return back;
}

/* Put the processed packets into rings: all into the ring back, or as which says. */
static __rte_always_inline void
pass(struct ring_worker *w, struct ring_feed *f, const struct ring_slots *slots, bool back,
	bool in_zero_copy)
{
	bool zero_copy = ring_link_zero_copy(f->out->link->owner);

	if (likely(back)) {
		ring_put(f->out, slots, zero_copy);
	} else {
		ring_scatter(w->outs, w->n_outs, slots, w->which, zero_copy, NULL);
		ring_l3fwd_count(w, f, w->which, slots->n);
	}
	ring_in_place_left(f->out->link);
	ring_link_taken(f->in, slots->n, in_zero_copy);
}

/* In place: put packets for other streams into their rings, and mark their slots as moved. */
static void
pass_others(struct ring_worker *w, struct ring_feed *f, const struct ring_slots *slots)
{
	const uint8_t own = (uint8_t)(f->out - w->outs);
	struct rte_mbuf *pkts[BURST_MAX];
	uint8_t which[BURST_MAX];
	struct ring_slots others;
	uint16_t n = 0;

	for (uint16_t k = 0; k < slots->n; k++) {
		struct rte_mbuf **slot = ring_slots_at(slots, k);

		if (w->which[k] == own)
			continue;
		which[n] = w->which[k];
		pkts[n++] = *slot;
		*slot = ring_mark(*slot, RING_ROUTED_OUT);
	}
	others = ring_slots_flat(pkts, n);
	ring_scatter(w->outs, w->n_outs, &others, which, ring_link_zero_copy(f->out->link->owner),
		NULL);
	ring_l3fwd_count(w, f, which, n);
}

/*
 * Open the journal for the next burst, in case this process dies. Returns false if another worker
 * is taking from the ring now.
 */
static __rte_always_inline bool
journal_begin(struct ring_worker *w, struct ring_feed *f, bool in_place, bool zero_copy)
{
	if (f->hold != NULL && !ring_journal_hold(w, f))
		return false;
	if (in_place)
		ring_journal_begin(w, f, RING_HAND_IN_PLACE, ring_in_place_at(f->out->link));
	else
		ring_journal_begin(w, f, zero_copy ? RING_HAND_SLOTS : RING_HAND_COPIED,
			f->in->ring->cons.tail);
	return true;
}

static uint16_t
feed_poll(struct ring_worker *w, struct ring_feed *f)
{
	uint64_t begin = unlikely(stream_timed(f->stream)) ? rte_rdtsc() : 0;
	const bool remote = w->pipeline->remote, zero_copy = ring_link_takes_slots(f->in);
	struct ring_link *out = f->out->link;
	bool in_place, back;
	unsigned int max;
	struct ring_slots slots;

	if (unlikely(!ring_in_place_agreed(out, ring_link_zero_copy(out->owner), &in_place)))
		return 0;
	max = in_place && (f->hop == NULL || w->n_outs == 1) ? w->burst : room(w, f);
	if (unlikely(max == 0))
		return 0;
	if (unlikely(remote) && !journal_begin(w, f, in_place, zero_copy))
		return 0;
	slots = in_place ? ring_in_place_take(out, w->buffer, (uint16_t)max)
			 : ring_link_take(f->in, w->buffer, (uint16_t)max, zero_copy);
	if (unlikely(remote) && (in_place || f->hold != NULL))
		ring_journal_taken(w, f, slots.n);
	if (slots.n == 0)
		return 0;
	back = begin != 0 ? stage_timed(w, f, &slots) : stage(w, f, &slots);
	if (!in_place) {
		pass(w, f, &slots, back, zero_copy);
	} else {
		if (unlikely(!back))
			pass_others(w, f, &slots);
		if (f->hop != NULL)
			ring_in_place_mark(out, &slots);
		ring_in_place_pass(out, slots.n);
	}
	counter_add(&w->count.packets, slots.n);
	counter_add(&w->count.bursts, 1);
	if (unlikely(begin != 0)) {
		counter_add(&w->count.cycles, rte_rdtsc() - begin);
		counter_add(&w->count.timed, slots.n);
	}
	return slots.n;
}

uint16_t
ring_worker_poll(struct ring_worker *w)
{
	uint16_t moved = 0;

	for (unsigned int i = 0; i < w->n_feeds; i++)
		moved += feed_poll(w, &w->feeds[i]);
	if (moved == 0)
		counter_add(&w->count.idle, 1);
	return moved;
}

/* Whether all I/O lcores have stopped putting packets into rings. */
static bool
sources_closed(const struct ring_pipeline *p)
{
	/* Pairs with the release in drain(). */
	for (unsigned int i = 0; i < p->n_io; i++)
		if (!atomic_load_explicit(&p->io[i].closed, memory_order_acquire))
			return false;
	return true;
}

static bool
feeds_empty(const struct ring_worker *w)
{
	for (unsigned int i = 0; i < w->n_feeds; i++)
		if (!rte_ring_empty(w->feeds[i].in->ring))
			return false;
	return true;
}

bool
ring_worker_finished(struct ring_worker *w)
{
	if (!sources_closed(w->pipeline) || !feeds_empty(w))
		return false;
	/* Pairs with the acquire in workers_done(). */
	atomic_store_explicit(&w->done, true, memory_order_release);
	return true;
}
