/* Who empties home's ring changes with the way: the worker until it says that packets stay, then
 * the I/O lcore until it has sent them all. */
#include "engines/ring/ring_stay.h"

bool
ring_stay_change(struct ring_link *back, bool stay)
{
	struct rte_ring *home = back->home->ring;
	uint64_t staged = atomic_load_explicit(&back->staged, memory_order_relaxed);

	if (stay) {
		/* Pairs with the release in transmit_slots(), and in rte_ring. */
		uint32_t sent = __atomic_load_n(&back->ring->cons.tail, __ATOMIC_ACQUIRE);

		if ((int32_t)(sent - back->own_end) < 0)
			return false;
		staged = RING_STAYS | home->cons.tail;
	} else {
		/* Pairs with the release in transmit_slots(). */
		if (__atomic_load_n(&home->cons.tail, __ATOMIC_ACQUIRE) != (uint32_t)staged)
			return false;
		staged = 0;
		/* None is in the ring back; an old end would some day seem to lie ahead. */
		back->own_end = __atomic_load_n(&back->ring->cons.tail, __ATOMIC_RELAXED);
	}
	atomic_store_explicit(&back->staged, staged, memory_order_release);
	return true;
}
