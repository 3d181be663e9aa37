/* A worker process's journal. Stores of a killed process are complete and in order up to one
 * instruction, so only the compiler must not reorder them here. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/ring/processes/ring_journal.h"

#include <rte_pause.h>

/* Whether the primary has ended; then no process recovers a dead worker's lock or empties rings. */
static bool
abandoned(const struct ring_worker *w)
{
	return atomic_load_explicit(&w->pipeline->abandoned, memory_order_relaxed);
}

/*
 * Lock a shared ring. With head/tail sync alone one could not tell which worker made a reservation
 * that others wait for, and that worker may be dead; so the lock has the owner's number. Returns
 * false if the primary process has ended.
 */
static bool
hold_take(const struct ring_journal *note)
{
	atomic_uint *by = &note->hold->by;
	uint32_t nobody = 0;

	while (atomic_load_explicit(by, memory_order_relaxed) != 0 ||
		!atomic_compare_exchange_weak_explicit(by, &nobody, note->worker->index + 1,
			memory_order_acquire, memory_order_relaxed)) {
		if (abandoned(note->worker))
			return false;
		rte_pause();
		nobody = 0;
	}
	return true;
}

bool
ring_journal_hold(struct ring_worker *w, struct ring_feed *f)
{
	atomic_uint *by = &f->hold->by;
	uint32_t nobody = 0;

	if (atomic_load_explicit(by, memory_order_relaxed) != 0)
		return false;
	/* If the worker dies with the lock, the journal must not show an earlier burst. */
	w->hand = NULL;
	rte_compiler_barrier();
	return atomic_compare_exchange_strong_explicit(by, &nobody, w->index + 1,
		memory_order_acquire, memory_order_relaxed);
}

/* Open the entry: from now on, packets added to the ring are this worker's. */
static void
note_open(struct ring_out *o)
{
	struct ring_journal *note = o->note;

	note->open = true;
	note->tail = o->link->ring->prod.tail;
	note->routed_in = counter_read(&note->worker->per_stream[o->stream].routed_in);
	rte_compiler_barrier();
	note->burst_number = note->worker->burst_number;
	rte_compiler_barrier();
}

/* Close the entry. ring_journal_put_of() returns the same number before and after each line. */
static void
note_close(struct ring_out *o)
{
	struct ring_journal *note = o->note;

	rte_compiler_barrier();
	note->put = o->link->ring->prod.tail - note->tail;
	rte_compiler_barrier();
	note->open = false;
	atomic_store_explicit(&note->hold->by, 0, memory_order_release);
}

void
ring_journal_put(struct ring_out *o, const struct ring_slots *from, bool zero_copy)
{
	struct ring_journal *note = o->note;
	struct rte_mbuf *pkts[BURST_MAX];
	struct ring_slots rest = *from;
	uint16_t put, done = 0;

	if (note->hold != NULL && !hold_take(note))
		return;
	note_open(o);
	put = ring_link_put(o->link, &rest, rest.n, zero_copy);
	while (unlikely((done += put) < from->n) && !abandoned(note->worker)) {
		for (uint16_t k = done; k < from->n; k++)
			pkts[k] = *ring_slots_at(from, k);
		rte_pause();
		rest = ring_slots_flat(pkts + done, from->n - done);
		put = ring_link_put(o->link, &rest, rest.n, zero_copy);
	}
	o->room -= RTE_MIN(o->room, done);
	if (note->hold != NULL)
		note_close(o);
}

uint32_t
ring_journal_put_of(const struct ring_out *o)
{
	const struct ring_journal *note = o->note;

	if (note->burst_number != note->worker->burst_number)
		return 0;
	return note->open ? o->link->ring->prod.tail - note->tail : note->put;
}

void
ring_journal_clear(struct ring_out *o)
{
	struct rte_ring *ring = o->link->ring;
	struct ring_end_lock *hold = o->note->hold;

	if (hold != NULL && atomic_load(&hold->by) != o->note->worker->index + 1)
		return;
	/* Head and tail of a ring with head/tail sync have the same layout. */
	ring->prod.head = ring->prod.tail;
	if (hold != NULL)
		atomic_store_explicit(&hold->by, 0, memory_order_release);
}
