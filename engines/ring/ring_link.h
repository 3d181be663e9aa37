/* A ring between an I/O lcore and a worker. Bursts are copied through an array, as pointers or
 * 32-bit words, or are received and sent directly in the ring's slots (zero-copy). */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/ring/ring_slots.h"
#include "stream/stream.h"

#include <rte_ring.h>

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct err;

enum { RING_FILLS = 9 }; /* fill levels in eighths: 0 is less than one eighth, 8 is full */

/* Statistics of one end of a ring; written only by the lcore at that end. */
struct ring_side {
	/*
	 * bursts through an array; bursts that stay in their slots, including words read in place
	 */
	counter copied, zero_copy;
	counter packets;
	counter wraps; /* bursts that wrapped around the ring's end */
	/* producer: calls that found too little room; consumer: calls that found no packets */
	counter short_of;
	counter fill[RING_FILLS]; /* producer only: histogram of fill levels after each burst */
};

/* The properties of a ring. */
struct ring_kind {
	unsigned int size; /* slots, a power of two; size - 1 of them can be used */
	int socket;
	/* several producers, consumers, serialised by head/tail sync */
	bool many_put, many_take;
	uintptr_t base; /* base of compressed pointers, see ring_compress.h; 0: plain pointers */
};

struct ring_link {
	struct rte_ring *ring; /* followed by BURST_MAX guard slots */
	uintptr_t base;        /* as in struct ring_kind */
	/* the link that owns the ring: this one, or the first of those that share it. The single
	 * lcore at the other end of a shared ring counts there. */
	struct ring_link *owner;
	/*
	 * for a ring back: the ring in whose slots packets may be processed in place; NULL: never
	 */
	struct ring_link *origin;
	/*
	 * zero-copy or copy; written by the I/O lcore, a hint for the worker. Words are always
	 * copied.
	 */
	atomic_bool zero_copy;
	bool in_slots;      /* packets taken may stay in their slots, see ring_link_takes_slots() */
	uint8_t fill_shift; /* right shift that converts slots to eighths */
	alignas(CACHE_PAIR) struct ring_side put;
	alignas(CACHE_PAIR) struct ring_side take;
	alignas(CACHE_PAIR) _Atomic(uint64_t)
		passed; /* for a ring back, see RING_IN_PLACE; written by the worker */
	/*
	 * for a ring back: the index after the last packet from the origin; used by the worker only
	 */
	uint32_t own_end;
};

/*
 * With this bit, passed is the index in origin's ring up to which the worker has passed packets on
 * in place. Without it, packets go back through the ring itself. In place, the I/O lcore both fills
 * and empties the origin's ring, so that neither the index nor the slots move between the lcores'
 * caches. Packets from the origin are only in one of the two rings at a time, so that their order
 * is kept when the mode changes. Packets that were routed here from other streams always come
 * through the ring back, and leave a mark in the slot where they were.
 */
#define RING_IN_PLACE (UINT64_C(1) << 32)

/*
 * Create a link. beside: a link of the same kind whose ring the new one shares; NULL: create a
 * ring. Returns NULL with e set to ENOMEM. Thread: control.
 */
struct ring_link *ring_link_open(const struct ring_kind *kind, struct ring_link *beside,
	struct err *e);

/* Free the link, but not the packets in its ring. l may be NULL. */
void ring_link_close(struct ring_link *l);

/* Free the packets in the ring. Returns how many. Thread: control, while no lcore uses the ring. */
uint64_t ring_link_clear(struct ring_link *l);

/*
 * Convert n words of the ring, starting at index at, to pointers in pkts; write pointers back as
 * words. Thread: any that ensures that the slots are not reused meanwhile.
 */
void ring_link_words_read(const struct ring_link *l, uint32_t at, struct rte_mbuf **pkts,
	uint16_t n);
void ring_link_words_write(const struct ring_link *l, uint32_t at, struct rte_mbuf *const *pkts,
	uint16_t n);

/*
 * Get n packets of the ring, starting at index at: in their slots, or for words converted into
 * buffer, which has room for BURST_MAX pointers. Thread: as for ring_link_words_read().
 */
static __rte_always_inline struct ring_slots
ring_link_look(const struct ring_link *l, uint32_t at, uint16_t n, struct rte_mbuf **buffer)
{
	if (likely(l->base == 0))
		return ring_slots_in(l->ring, at, n);
	ring_link_words_read(l, at, buffer, n);
	return ring_slots_flat(buffer, n);
}

static __rte_always_inline bool
ring_link_zero_copy(const struct ring_link *l)
{
	return atomic_load_explicit(&l->zero_copy, memory_order_relaxed);
}

/*
 * Whether packets stay in their slots while the worker processes them. Not for words; not for
 * several consumers, because each would wait while another runs its stage.
 */
static __rte_always_inline bool
ring_link_takes_slots(const struct ring_link *l)
{
	return ring_link_zero_copy(l) && l->in_slots;
}

/* Count a burst of n packets put in. room: free slots afterwards. */
static __rte_always_inline void
ring_count_put(struct ring_link *l, bool zero_copy, uint16_t n, unsigned int room)
{
	counter_add(zero_copy ? &l->put.zero_copy : &l->put.copied, 1);
	counter_add(&l->put.packets, n);
	counter_add(&l->put.fill[(rte_ring_get_capacity(l->ring) + 1 - room) >> l->fill_shift], 1);
}

static __rte_always_inline void
ring_count_take(struct ring_link *l, bool zero_copy, uint16_t n)
{
	counter_add(zero_copy ? &l->take.zero_copy : &l->take.copied, 1);
	counter_add(&l->take.packets, n);
}

/*
 * Receive from the stream's queue into the ring. wait: receive no more than fits; otherwise free
 * the packets that do not fit and store their number in *dropped. Returns the packets put in.
 * Thread: the only producer. Counts: as stream_rx(), and put.
 */
uint16_t ring_link_receive(struct ring_link *l, struct stream *s, bool wait, uint16_t *dropped);

/*
 * Take up to max packets, 1..BURST_MAX. zero_copy: they stay in their slots until
 * ring_link_taken(), only if ring_link_takes_slots(); otherwise they are copied into buffer, which
 * has room for BURST_MAX pointers. Returns where they are. Thread: a consumer.
 */
struct ring_slots ring_link_take(struct ring_link *l, struct rte_mbuf **buffer, uint16_t max,
	bool zero_copy);

/*
 * Release the slots of the first n packets of ring_link_take(); the other packets stay in the ring.
 * Does nothing without zero_copy.
 */
static __rte_always_inline void
ring_link_taken(struct ring_link *l, uint16_t n, bool zero_copy)
{
	if (zero_copy)
		rte_ring_dequeue_zc_finish(l->ring, n);
}

/*
 * Put the first n packets of from into the ring. zero_copy: write their pointers directly into
 * reserved slots. Returns how many fitted. Thread: a producer of a ring with one consumer.
 */
uint16_t ring_link_put(struct ring_link *l, const struct ring_slots *from, uint16_t n,
	bool zero_copy);

/*
 * Filters packets before they are sent: returns how many remain, moved to the begin of pkts[0..n).
 */
typedef uint16_t ring_sift(struct stream *s, struct rte_mbuf **pkts, uint16_t n);

/*
 * Transmit up to a burst on the stream's queue: from the ring, or from the slots of its origin if
 * packets are processed in place. sift: filter; NULL: send all. Returns the packets taken out.
 * Thread: the only consumer. Counts: as stream_tx(), and take.
 */
uint16_t ring_link_transmit(struct ring_link *l, struct stream *s, ring_sift *sift);
