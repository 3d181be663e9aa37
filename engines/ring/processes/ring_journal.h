/* A worker process's journal: what it notes of its burst in shared memory, so that others can
 * tell, when it has died, which packets had reached a ring. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engines/ring/ring_state.h"

#include <rte_atomic.h>

/*
 * A burst begins: what earlier ones noted holds no more. Before any packet is taken. f: the feed
 * that it is from. at: hand_at. Thread: the worker, all of this file but ring_journal_put_of() and
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
 * Before that, of a ring that others take from too: they may not until ring_journal_taken(). false:
 * another one does; it may have died, and others need not wait for that to be seen.
 */
bool ring_journal_hold(struct ring_worker *w, struct ring_feed *f);

/*
 * So many packets of it stay where they are, and are looked at from now on; or are in the worker's
 * buffer, and their ring is the others' again.
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
 * Put all of a span into a ring with a note: no other worker may put any meanwhile. A ring of the
 * worker's own has room for it (ring_room()); for others' packets in a shared one this waits, but
 * no longer than the pipeline has a primary process. At most once per ring and burst.
 */
void ring_journal_put(struct ring_out *o, const struct ring_slots *from, bool zero_copy);

/*
 * Of a worker that died: how many packets of its last burst reached a ring. Thread: who clears its
 * slot.
 */
uint32_t ring_journal_put_of(const struct ring_out *o);

/*
 * Take back what it had reserved of a ring, and let others put again. Thread: as above, when all
 * has been asked that there is to ask.
 */
void ring_journal_clear(struct ring_out *o);
