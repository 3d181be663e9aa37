/* The polls of a pipeline. A worker takes no more packets than fit into every ring they may go to, so that it never waits in the middle of a burst; an I/O lcore distributes packets by queue or flow. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/ring_worker.h"

#include "engines/common/pkt.h"
#include "engines/ring/processes/ring_journal.h"
#include "engines/ring/ring_in_place.h"
#include "engines/ring/ring_l3fwd.h"
#include "engines/ring/ring_state.h"

#include <rte_cycles.h>
#include <rte_jhash.h>
#include <rte_mbuf.h>
#include <rte_pause.h>

#include <netinet/in.h>

/* Distributes a burst to several rings: a stable counting sort by ring, then one put per ring. */

enum { OUTS_MAX = 256 };

/* A number of slots known to be free: at least want, or else all that are free now. */
static __rte_always_inline unsigned int
room_of(struct ring_out *o, unsigned int want)
{
	if (unlikely(o->room < want))
		o->room = rte_ring_free_count(o->link->ring);
	return o->room;
}

/*
 * Put the remaining packets into a shared ring, which others have filled since room_of(). Waiting
 * is safe, because its I/O lcore never waits for this lcore.
 */
static void
put_rest(struct ring_out *o, const struct ring_slots *from, uint16_t put, bool zero_copy)
{
	struct rte_mbuf *pkts[BURST_MAX];
	struct ring_slots rest;
	uint16_t k;

	for (k = put; k < from->n; k++)
		pkts[k] = *ring_slots_at(from, k);
	while (put < from->n) {
		rte_pause();
		rest = ring_slots_flat(pkts + put, from->n - put);
		put += ring_link_put(o->link, &rest, rest.n, zero_copy);
	}
}

/*
 * Put all packets into one ring. room_of() must have found room; if the ring is shared, wait
 * until there is room. Thread: a producer of the ring.
 */
static void
ring_put(struct ring_out *o, const struct ring_slots *from, bool zero_copy)
{
	uint16_t put;

	if (unlikely(o->note != NULL)) {
		ring_journal_put(o, from, zero_copy);
		return;
	}
	put = ring_link_put(o->link, from, from->n, zero_copy);
	o->room -= RTE_MIN(o->room, put);
	if (unlikely(put < from->n))
		put_rest(o, from, put, zero_copy);
}

/*
 * Put as many of pkts into a ring as fit, and store the others at the begin of rest. Returns how
 * many did not fit.
 */
static uint16_t
put_some(struct ring_out *o, struct rte_mbuf **pkts, uint16_t n, bool zero_copy,
	struct rte_mbuf **rest)
{
	struct ring_slots from = ring_slots_flat(pkts, n);
	uint16_t put = ring_link_put(o->link, &from, n, zero_copy);

	o->room -= RTE_MIN(o->room, put);
	memcpy(rest, pkts + put, (n - put) * sizeof(*rest));
	return n - put;
}

/*
 * Put packet k of from into outs[which[k]]. n_outs: 1..256. zero_copy: as for ring_link_put().
 * Returns the number of packets that did not fit, which are stored in rest. rest may be NULL if
 * room_of() found room; into shared rings this then waits for room. Thread: a producer of all
 * these rings.
 */
static uint16_t
ring_scatter(struct ring_out *outs, unsigned int n_outs, const struct ring_slots *from,
	const uint8_t *which, bool zero_copy, struct rte_mbuf **rest)
{
	struct rte_mbuf *sorted[BURST_MAX];
	uint16_t at[OUTS_MAX + 1], k, left = 0;

	memset(at, 0, (n_outs + 1) * sizeof(at[0]));
	for (k = 0; k < from->n; k++)
		at[which[k] + 1]++;
	for (unsigned int i = 1; i < n_outs; i++)
		at[i + 1] += at[i];
	for (k = 0; k < from->n; k++)
		sorted[at[which[k]]++] = *ring_slots_at(from, k);
	/* Now at[i] is the end of the packets for ring i. */
	for (unsigned int i = 0; i < n_outs; i++) {
		uint16_t first = i > 0 ? at[i - 1] : 0, n = at[i] - first;
		struct ring_slots own = ring_slots_flat(sorted + first, n);

		if (n == 0)
			continue;
		if (rest == NULL)
			ring_put(&outs[i], &own, zero_copy);
		else
			left += put_some(&outs[i], sorted + first, n, zero_copy, rest + left);
	}
	return left;
}

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
	unsigned int n = room_of(f->out, w->burst);

	for (unsigned int i = 0; unlikely(f->hop != NULL) && i < w->n_outs; i++)
		n = RTE_MIN(n, room_of(&w->outs[i], w->burst));
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

/* Hashes a packet's flow: addresses, protocol and ports; addresses only for fragments; Ethernet
 * addresses if it is not IP. */

static bool
has_ports(uint8_t proto)
{
	return proto == IPPROTO_TCP || proto == IPPROTO_UDP || proto == IPPROTO_SCTP;
}

/* Hash up to 32 unaligned bytes; they are copied because the library reads aligned words. */
static __rte_always_inline uint32_t
hash_bytes(const uint8_t *p, unsigned int n, uint32_t with)
{
	uint32_t key[8];

	memcpy(key, p, n);
	return rte_jhash(key, n, with);
}

/* Hash n bytes of addresses, the protocol, and the ports at l4; NULL: no ports. */
static uint32_t
hash_ip(const uint8_t *addresses, unsigned int n, const uint8_t *l4, uint8_t proto)
{
	uint32_t h = hash_bytes(addresses, n, proto);

	return l4 != NULL && has_ports(proto) ? hash_bytes(l4, 4, h) : h;
}

static uint32_t
hash(struct rte_mbuf *m)
{
	struct pkt_head h;
	unsigned int at, l4;
	uint16_t type;
	uint8_t *p;

	pkt_head_open(&h, m);
	at = pkt_l3(h.bytes, h.n, &type);
	p = h.bytes + at;
	if (at != 0 && type == RTE_ETHER_TYPE_IPV4 && at + 20 <= h.n) {
		bool fragment = (pkt_get16(p + 6) & 0x3fff) != 0;

		l4 = (p[0] & 15u) * 4;
		return hash_ip(p + 12, 8, !fragment && at + l4 + 4 <= h.n ? p + l4 : NULL, p[9]);
	}
	if (at != 0 && type == RTE_ETHER_TYPE_IPV6 && at + 40 <= h.n)
		return hash_ip(p + 8, 32, at + 44 <= h.n ? p + 40 : NULL, p[6]);
	return h.n >= 12 ? hash_bytes(h.bytes, 12, 0) : 0;
}

void
ring_flow_workers(struct rte_mbuf *const *pkts, uint16_t n, unsigned int n_workers, uint8_t *which)
{
	for (uint16_t k = 0; k < n; k++) {
		uint64_t h = (pkts[k]->ol_flags & RTE_MBUF_F_RX_RSS_HASH) != 0 ? pkts[k]->hash.rss
									       : hash(pkts[k]);

		/* Mix the bits, because RSS has already chosen the queue by the low ones. */
		h = (h * UINT64_C(0x9e3779b1) & UINT32_MAX) * n_workers;
		which[k] = (uint8_t)(h >> 32);
	}
}

/* The I/O lcore of a pipeline: passes received packets to the worker of their queue or flow, and
 * transmits the packets that come back. */

static inline unsigned int
mark_of(const struct rte_mbuf *m)
{
	return (unsigned int)((uintptr_t)m & RING_MARKS);
}

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
	for (k = 0; mark_of(pkts[k]) == 0; k++)
		;
	for (kept = k; k < n; k++) {
		unsigned int why = mark_of(pkts[k]);

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
		max = RTE_MIN(max, room_of(&outs[i], s->burst));
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

	for (i = 0; likely(receiving) && i < io->n_polled; i++) {
		uint64_t begin = stream_begin(streams[i], 0);

		if (stream_ran_out(streams[i], begin))
			continue;
		n = receive(io, streams[i]);
		ring_io_timed(streams[i], begin, n, &io->count.rx_cycles, &io->count.timed_rx);
		moved += n;
	}
	if (io->own != NULL)
		moved += own_poll(io, streams[0]);
	for (i = 0; i < io->n_backs; i++) {
		struct stream *s = p->streams[io->backs[i].stream];
		uint64_t begin = stream_begin(s, 0);

		/* Once the run has received its number of packets, those under way are still sent. */
		if (unlikely(s->burst == 0))
			s->burst = s->limit.burst;
		n = ring_link_transmit(io->backs[i].link, s, sift);
		ring_io_timed(s, begin, n, &io->count.tx_cycles, &io->count.timed_tx);
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
