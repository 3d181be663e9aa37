/* Switches between transmitting packets in place and through the ring back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/ring_in_place.h"

#include "engines/ring/ring_link.h"

bool
ring_in_place_change(struct ring_link *back, bool in_place)
{
	struct rte_ring *origin = back->origin->ring;
	uint64_t passed = atomic_load_explicit(&back->passed, memory_order_relaxed);

	if (in_place) {
		/* Pairs with the release in transmit_slots(), and in rte_ring. */
		uint32_t sent = __atomic_load_n(&back->ring->cons.tail, __ATOMIC_ACQUIRE);

		/* own_end is ahead of sent by 1 to the ring's size, or sent has passed it. */
		if (back->own_end - sent - 1 < back->ring->size)
			return false;
		passed = RING_IN_PLACE | origin->cons.tail;
	} else {
		/* Pairs with the release in transmit_slots(). */
		if (__atomic_load_n(&origin->cons.tail, __ATOMIC_ACQUIRE) != (uint32_t)passed)
			return false;
		passed = 0;
		/*
		 * The ring back has none; an outdated own_end would seem to lie ahead after a wrap.
		 */
		back->own_end = __atomic_load_n(&back->ring->cons.tail, __ATOMIC_RELAXED);
	}
	atomic_store_explicit(&back->passed, passed, memory_order_release);
	return true;
}

void
ring_in_place_mark_words(const struct ring_link *back, const struct ring_slots *slots)
{
	uintptr_t marks = 0;

	for (uint16_t k = 0; k < slots->n; k++)
		marks |= (uintptr_t)slots->at[0][k];
	if ((marks & RING_MARKS) != 0)
		ring_link_words_write(back->origin, ring_in_place_at(back), slots->at[0], slots->n);
}
