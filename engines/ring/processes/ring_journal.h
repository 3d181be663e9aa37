/* A worker process's journal in shared memory: it describes the current burst, so that after a
 * crash the primary can find out which packets had been put into a ring. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/ring/ring_state.h"

#include <rte_atomic.h>

/*
 * Begin a burst before taking packets from feed f; invalidates the entries of earlier bursts. at:
 * see hand_at. Thread: the worker, for all of this file except ring_journal_put_of() and
 * ring_journal_clear().
 */
static inline void
ring_journal_begin(struct ring_worker *w, struct ring_feed *f, enum ring_hand is, uint32_t at)
{
	w->hand = NULL;
	rte_compiler_barrier();
	w->routed_out = counter_read(&w->per_stream[f->stream->index].routed_out);
	w->hand_is = is;
	w->hand_at = at;
	w->hand_n = 0;
	rte_compiler_barrier();
	w->hand = f;
	rte_compiler_barrier();
	w->burst_number++;
	rte_compiler_barrier();
}

/*
 * Lock a feed's ring that other workers take from too, before ring_journal_begin();
 * ring_journal_taken() unlocks it. Returns false if it is locked: the owner may have died, so do
 * not wait for it.
 */
bool ring_journal_hold(struct ring_worker *w, struct ring_feed *f);

/*
 * Record that n packets were taken: they are now processed in place, or are in the worker's buffer.
 * Unlocks the feed's ring if it is shared.
 */
static inline void
ring_journal_taken(struct ring_worker *w, struct ring_feed *f, uint16_t n)
{
	rte_compiler_barrier();
	w->hand_n = n;
	rte_compiler_barrier();
	if (f->hold != NULL)
		atomic_store_explicit(&f->hold->by, 0, memory_order_release);
}

/*
 * Put all packets into a ring and record it; a shared ring is locked meanwhile. Waits for room in a
 * shared ring, unless the primary process has ended; a ring that is not shared must have room
 * (room_of()). Call at most once per ring and burst.
 */
void ring_journal_put(struct ring_out *o, const struct ring_slots *from, bool zero_copy);

/*
 * How many packets of a dead worker's last burst were put into a ring. Thread: the one that
 * recovers the worker's slot.
 */
uint32_t ring_journal_put_of(const struct ring_out *o);

/*
 * Undo a dead worker's reservation in a ring and release its lock. Call after all calls of
 * ring_journal_put_of(). Thread: the one that recovers the worker's slot.
 */
void ring_journal_clear(struct ring_out *o);
