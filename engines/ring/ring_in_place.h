/* Transmitting packets from the ring slots into which they were received: the worker publishes the
 * index up to which it has processed them, and the I/O lcore transmits up to there. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/ring/ring_link.h"

/*
 * Switch between in-place and the ring back if no packets of the origin are left in the old way.
 * Returns whether it switched. Thread: the worker.
 */
bool ring_in_place_change(struct ring_link *back, bool in_place);

/*
 * Store in *in_place whether packets are processed in place. Returns false if packets have to drain
 * before the mode can change; then take none now. Thread: the worker.
 */
static __rte_always_inline bool
ring_in_place_agreed(struct ring_link *back, bool zero_copy, bool *in_place)
{
	uint64_t passed = atomic_load_explicit(&back->passed, memory_order_relaxed);

	*in_place = back->origin != NULL && zero_copy;
	return likely(*in_place == ((passed & RING_IN_PLACE) != 0)) ||
		ring_in_place_change(back, *in_place);
}

/* Whether packets are currently processed in place. Thread: the worker. */
static __rte_always_inline bool
ring_in_place(const struct ring_link *back)
{
	return (atomic_load_explicit(&back->passed, memory_order_relaxed) & RING_IN_PLACE) != 0;
}

/* The index of the next packet that the worker has not passed on. Thread: the worker. */
static __rte_always_inline uint32_t
ring_in_place_at(const struct ring_link *back)
{
	return (uint32_t)atomic_load_explicit(&back->passed, memory_order_relaxed);
}

/*
 * Get up to max packets that the worker has not passed on yet: in their slots, or decompressed into
 * buffer, see ring_link_look(). Thread: the worker.
 */
static __rte_always_inline struct ring_slots
ring_in_place_take(struct ring_link *back, struct rte_mbuf **buffer, uint16_t max)
{
	uint32_t at = ring_in_place_at(back);
	struct ring_link *origin = back->origin;
	/* Pairs with the release in slots_filled(), and in rte_ring. */
	uint32_t there = __atomic_load_n(&origin->ring->prod.tail, __ATOMIC_ACQUIRE) - at;
	struct ring_slots slots = ring_link_look(origin, at, (uint16_t)RTE_MIN(there, max), buffer);

	if (slots.n == 0) {
		counter_add(&origin->take.short_of, 1);
		return slots;
	}
	counter_add(&origin->take.wraps, slots.n_first < slots.n);
	ring_count_take(origin, true, slots.n);
	return slots;
}

/* ring_in_place_mark() for a ring of words. */
void ring_in_place_mark_words(const struct ring_link *back, const struct ring_slots *slots);

/*
 * Make marks that the worker set on packets of ring_in_place_take() visible to the I/O lcore: in a
 * ring of words they have to be written back. Thread: the worker.
 */
static __rte_always_inline void
ring_in_place_mark(const struct ring_link *back, const struct ring_slots *slots)
{
	if (unlikely(back->origin->base != 0))
		ring_in_place_mark_words(back, slots);
}

/* Record that packets from the origin were just put into the ring back. Thread: the worker. */
static __rte_always_inline void
ring_in_place_left(struct ring_link *back)
{
	back->own_end = back->ring->prod.head;
}

/* Pass on the next n packets: the I/O lcore may transmit them. Thread: the worker. */
static __rte_always_inline void
ring_in_place_pass(struct ring_link *back, uint16_t n)
{
	uint32_t at = ring_in_place_at(back);

	/* Pairs with the acquire in ring_link_transmit(). */
	atomic_store_explicit(&back->passed, RING_IN_PLACE | (uint32_t)(at + n),
		memory_order_release);
	counter_add(&back->put.zero_copy, 1);
	counter_add(&back->put.packets, n);
}
