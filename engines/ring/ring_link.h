/* A ring between an I/O lcore and a worker, and how bursts get into and out of it: through an
 * array, copied or as 32-bit words, or straight in its slots. */
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

enum { RING_FILLS = 9 }; /* eighths of a ring: 0 is less than one, 8 is full */

/* What the lcore at one end did; written by it alone. */
struct ring_side {
	/* bursts through an array, and such as stay in their slots: of words too, which are read there */
	counter copied, zero_copy;
	counter packets;
	counter wraps; /* bursts that reached over the ring's end */
	/* producer: calls that found too little room; consumer: that found nothing */
	counter short_of;
	counter fill[RING_FILLS]; /* producer only: how full the ring was after each burst */
};

/* How a ring is made. */
struct ring_kind {
	unsigned int size; /* slots, a power of two, one less of which can be filled */
	int socket;
	/* several lcores put packets in, or take them out: one at a time, by head/tail sync */
	bool many_put, many_take;
	uintptr_t base; /* of the words that it holds, see ring_compress.h; 0: pointers */
};

struct ring_link {
	struct rte_ring *ring; /* with a guard of BURST_MAX slots behind the last */
	uintptr_t base;        /* as in struct ring_kind */
	/* whose ring it is: this, or the first of those that share it, where the other end counts */
	struct ring_link *owner;
	/* of a ring back: the way in whose slots packets may stay; NULL: never */
	struct ring_link *origin;
	/*
	 * else bursts are copied; written by the I/O lcore, a hint to the other. Words are copied in
	 * any case
	 */
	atomic_bool zero_copy;
	bool in_slots;      /* what is taken may stay in its slots, see ring_link_takes_slots() */
	uint8_t fill_shift; /* from packets to eighths */
	alignas(CACHE_PAIR) struct ring_side put;
	alignas(CACHE_PAIR) struct ring_side take;
	alignas(CACHE_PAIR) _Atomic(uint64_t)
		passed; /* of a ring back: see RING_IN_PLACE; written by the worker */
	/*
	 * of the same: the ring's index behind the last packet from the origin in it; the worker's
	 */
	uint32_t own_end;
};

/*
 * passed of a ring back is the index up to which the worker has passed packets on in the slots of
 * origin, with this bit; without it packets go back through the ring itself. While they stay in
 * their slots, the I/O lcore empties the origin's ring, as it fills it: neither index nor slots
 * move between the lcores' caches. What came from the origin is only ever in one of the two rings,
 * so that its order is kept when the mode changes; what other streams' routes lead here comes
 * through the ring back in any case, and leaves a mark in the slot that it came in.
 */
#define RING_IN_PLACE (UINT64_C(1) << 32)

/*
 * A ring. beside: the link whose ring, of the same kind, this one is another way into; NULL: a ring
 * of its own. NULL with e filled: ENOMEM. Thread: control.
 */
struct ring_link *ring_link_open(const struct ring_kind *kind, struct ring_link *beside,
	struct err *e);

/* Free it; what its ring holds is the caller's loss. NULL is fine. */
void ring_link_close(struct ring_link *l);

/* Free the packets that its ring holds. Returns how many. Thread: control, nobody uses it. */
uint64_t ring_link_clear(struct ring_link *l);

/*
 * n words of the ring, from its index at on, as pointers into pkts; and the way back. Thread: whoever
 * knows that they stay.
 */
void ring_link_words_read(const struct ring_link *l, uint32_t at, struct rte_mbuf **pkts,
	uint16_t n);
void ring_link_words_write(const struct ring_link *l, uint32_t at, struct rte_mbuf *const *pkts,
	uint16_t n);

/*
 * Where n packets are that the ring holds from its index at on: in their slots; of words, in buffer,
 * of BURST_MAX pointers. Thread: as above.
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
 * Whether what is taken stays in its slots meanwhile: not words; nor what several take, who would wait
 * for each other's stage.
 */
static __rte_always_inline bool
ring_link_takes_slots(const struct ring_link *l)
{
	return ring_link_zero_copy(l) && l->in_slots;
}

/* Count n packets put in, after which room was left. */
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
 * Receive from the stream's queue into the ring. wait: no more than the ring has room for; else
 * what does not fit is freed and *dropped says how much. Returns packets that the ring got. Thread:
 * the one producer. Counts as stream_rx() does, and put.
 */
uint16_t ring_link_receive(struct ring_link *l, struct stream *s, bool wait, uint16_t *dropped);

/*
 * Take up to max packets out of the ring, up to BURST_MAX. zero_copy: they stay in their slots
 * until ring_link_taken(), see ring_link_takes_slots(); else they are copied into buffer, of BURST_MAX
 * pointers. Returns where they are. Thread: a consumer.
 */
struct ring_slots ring_link_take(struct ring_link *l, struct rte_mbuf **buffer, uint16_t max,
	bool zero_copy);

/*
 * The first n of what ring_link_take() gave are done with: their slots may be filled again, the
 * others stay in the ring.
 */
static __rte_always_inline void
ring_link_taken(struct ring_link *l, uint16_t n, bool zero_copy)
{
	if (zero_copy)
		rte_ring_dequeue_zc_finish(l->ring, n);
}

/*
 * Put the first n packets of a span in, zero_copy: by writing their pointers into reserved slots.
 * Returns how many there was room for. Thread: a producer of a ring with one consumer.
 */
uint16_t ring_link_put(struct ring_link *l, const struct ring_slots *from, uint16_t n,
	bool zero_copy);

/*
 * What is to be done with packets on their way out: returns how many of pkts[0..n) are left, at its
 * begin, to be sent.
 */
typedef uint16_t ring_sift(struct stream *s, struct rte_mbuf **pkts, uint16_t n);

/*
 * Transmit up to a burst of what the ring holds, or of what the worker let stay in the slots of its
 * origin, on the stream's queue. sift: NULL: all of it. Returns packets taken out. Thread: the one
 * consumer. Counts as stream_tx() does, and take.
 */
uint16_t ring_link_transmit(struct ring_link *l, struct stream *s, ring_sift *sift);
