/* Takes no more than all its rings have room for: so it never waits, and a burst is never half
 * done. */
#include "engines/ring/ring_worker.h"

#include "engines/common/pkt.h"
#include "engines/ring/ring_l3fwd.h"
#include "engines/ring/ring_note.h"
#include "engines/ring/ring_scatter.h"
#include "engines/ring/ring_state.h"
#include "engines/ring/ring_stay.h"

#include <rte_cycles.h>
#include <rte_pause.h>

/* As if the packets were worked on for so long. */
static void
busy(const struct ring_pipeline *p, uint16_t n)
{
	uint64_t end = rte_rdtsc() + p->busy_cycles * n;

	while (rte_rdtsc() < end)
		rte_pause();
}

/* The stages that know before where packets go: back to their stream. */
static __rte_always_inline void
stage_simple(const struct ring_pipeline *p, struct stream *s, const struct ring_span *span)
{
	if (p->stage == RING_BUSY)
		busy(p, span->n);
	if (p->stage != RING_MACSWAP)
		return;
	pkt_macs_swap(&s->tx_end, span->at[0], span->n_first);
	if (unlikely(span->n_first < span->n))
		pkt_macs_swap(&s->tx_end, span->at[1], span->n - span->n_first);
}

/* How many packets every ring has room for that they may have to go to. */
static __rte_always_inline unsigned int
room(struct ring_worker *w, struct ring_feed *f)
{
	unsigned int n = ring_room(f->out, w->burst);

	for (unsigned int i = 0; unlikely(f->hop != NULL) && i < w->n_outs; i++)
		n = RTE_MIN(n, ring_room(&w->outs[i], w->burst));
	return RTE_MIN(n, w->burst);
}

/* The stage. Returns whether all go back to their stream; else which says where. */
static __rte_always_inline bool
stage(struct ring_worker *w, struct ring_feed *f, const struct ring_span *span)
{
	if (f->hop != NULL)
		return !ring_l3fwd(w, f, span, w->which);
	stage_simple(w->pipeline, f->stream, span);
	return true;
}

/* The same, timed. */
static bool
stage_timed(struct ring_worker *w, struct ring_feed *f, const struct ring_span *span)
{
	uint64_t begin = rte_rdtsc();
	bool back = stage(w, f, span);

	counter_add(&w->count.stage_cycles, rte_rdtsc() - begin);
	return back;
}

/* What was taken has been through the stage: all back, or to where which says. */
static __rte_always_inline void
pass(struct ring_worker *w, struct ring_feed *f, const struct ring_span *span, bool back,
	enum ring_mode in)
{
	enum ring_mode out = ring_link_mode(f->out->link->owner);

	if (likely(back)) {
		ring_put(f->out, span, out);
	} else {
		ring_scatter(w->outs, w->n_outs, span, w->which, out, NULL);
		ring_l3fwd_count(w, f, w->which, span->n);
	}
	ring_stay_left(f->out->link);
	ring_link_taken(f->in, span->n, in);
}

/* The same where packets stay: those for other streams go to their rings, and leave a mark. */
static void
pass_others(struct ring_worker *w, struct ring_feed *f, const struct ring_span *span)
{
	const uint8_t own = (uint8_t)(f->out - w->outs);
	struct rte_mbuf *pkts[BURST_MAX];
	uint8_t which[BURST_MAX];
	struct ring_span others;
	uint16_t n = 0;

	for (uint16_t k = 0; k < span->n; k++) {
		struct rte_mbuf **slot = ring_span_at(span, k);

		if (w->which[k] == own)
			continue;
		which[n] = w->which[k];
		pkts[n++] = *slot;
		*slot = ring_mark(*slot, RING_ROUTED_OUT);
	}
	others = ring_span_flat(pkts, n);
	ring_scatter(w->outs, w->n_outs, &others, which, ring_link_mode(f->out->link->owner), NULL);
	ring_l3fwd_count(w, f, which, n);
}

static uint16_t
feed_turn(struct ring_worker *w, struct ring_feed *f)
{
	uint64_t begin = unlikely(stream_timed(f->stream)) ? rte_rdtsc() : 0;
	enum ring_mode in = ring_link_mode(f->in);
	const bool remote = w->pipeline->remote;
	struct ring_link *out = f->out->link;
	bool stay, back;
	unsigned int max;
	struct ring_span span;

	if (unlikely(!ring_stay_agreed(out, ring_link_mode(out->owner), &stay)))
		return 0;
	max = stay && (f->hop == NULL || w->n_outs == 1) ? w->burst : room(w, f);
	if (unlikely(max == 0))
		return 0;
	if (unlikely(remote)) {
		/*
		 * For ring_seat_recover(): what is in hand stays in the ring until it is in the
		 * next.
		 */
		ring_note_begin(w, f);
		in = in == RING_COPY ? RING_ZC : in;
	}
	span = stay ? ring_stay_take(out, (uint16_t)max)
		    : ring_link_take(f->in, w->hands, (uint16_t)max, in);
	if (span.n == 0)
		return 0;
	back = begin != 0 ? stage_timed(w, f, &span) : stage(w, f, &span);
	if (!stay) {
		pass(w, f, &span, back, in);
	} else {
		if (unlikely(!back))
			pass_others(w, f, &span);
		ring_stay_pass(out, span.n);
	}
	counter_add(&w->count.packets, span.n);
	counter_add(&w->count.bursts, 1);
	if (unlikely(begin != 0)) {
		counter_add(&w->count.cycles, rte_rdtsc() - begin);
		counter_add(&w->count.timed, span.n);
	}
	return span.n;
}

uint16_t
ring_worker_turn(struct ring_worker *w)
{
	uint16_t moved = 0;

	for (unsigned int i = 0; i < w->n_feeds; i++)
		moved += feed_turn(w, &w->feeds[i]);
	if (moved == 0)
		counter_add(&w->count.idle, 1);
	return moved;
}

/* Whether every I/O lcore has put its last packet into a ring. */
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
