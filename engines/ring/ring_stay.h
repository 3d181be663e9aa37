/* Packets that stay in the slots that they were received into: the worker says how far it has got,
 * and the driver transmits up to there. */
#pragma once

#include "engines/ring/ring_link.h"

/*
 * Go over to the other way if nothing from home is left in the one so far. Returns whether it did.
 * Thread: the worker.
 */
bool ring_stay_change(struct ring_link *back, bool stay);

/*
 * Whether packets are to stay, into *stay. false: what is under way has to go first, take nothing
 * now. Thread: the worker.
 */
static __rte_always_inline bool
ring_stay_agreed(struct ring_link *back, enum ring_mode mode, bool *stay)
{
	uint64_t staged = atomic_load_explicit(&back->staged, memory_order_relaxed);

	*stay = back->home != NULL && mode != RING_COPY;
	return likely(*stay == ((staged & RING_STAYS) != 0)) || ring_stay_change(back, *stay);
}

/* Up to max packets that the worker has not passed on yet, in their slots. Thread: the worker. */
static __rte_always_inline struct ring_span
ring_stay_take(struct ring_link *back, uint16_t max)
{
	uint32_t at = (uint32_t)atomic_load_explicit(&back->staged, memory_order_relaxed);
	struct ring_link *home = back->home;
	/* Pairs with the release in slots_filled(), and in rte_ring. */
	uint32_t there = __atomic_load_n(&home->ring->prod.tail, __ATOMIC_ACQUIRE) - at;
	struct ring_span span = ring_span_in(home->ring, at, (uint16_t)RTE_MIN(there, max));

	if (span.n == 0) {
		counter_add(&home->take.short_of, 1);
		return span;
	}
	counter_add(&home->take.wraps, span.n_first < span.n);
	ring_count_take(home, RING_ZC, span.n);
	return span;
}

/* Packets from home have just been put into the ring back. Thread: the worker. */
static __rte_always_inline void
ring_stay_left(struct ring_link *back)
{
	back->own_end = back->ring->prod.head;
}

/* The next n packets are done with: the driver may have them. Thread: the worker. */
static __rte_always_inline void
ring_stay_pass(struct ring_link *back, uint16_t n)
{
	uint32_t at = (uint32_t)atomic_load_explicit(&back->staged, memory_order_relaxed);

	/* Pairs with the acquire in ring_link_transmit(). */
	atomic_store_explicit(&back->staged, RING_STAYS | (uint32_t)(at + n), memory_order_release);
	counter_add(&back->put.bursts[RING_ZC], 1);
	counter_add(&back->put.packets, n);
}
