/* A ring as a producer sees it, with the journal of a worker process for recovery if it dies. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"
#include "engines/ring/ring_link.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct ring_worker;

/*
 * A lock on one end of a ring that several worker processes share: 1 + the index of the worker that
 * holds it; 0: unlocked.
 */
struct ring_end_lock {
	alignas(CACHE_PAIR) atomic_uint by;
};

/*
 * Records what a worker process put into a ring, for recovery if it dies; written only by that
 * worker. See ring_journal.h.
 */
struct ring_journal {
	struct ring_worker *worker;
	struct ring_end_lock *hold; /* lock of the producers' end; NULL: no other producer */
	uint64_t burst_number;      /* the worker's burst that this entry describes */
	uint64_t routed_in;         /* the counter's value before the burst */
	uint32_t tail;              /* the ring's producer tail before the burst */
	uint32_t put;               /* packets put in; valid when not open */
	bool open;                  /* being put: all packets since tail are this worker's */
};

/* A ring into which an lcore puts packets, with a lower bound of its free slots. */
struct ring_out {
	struct ring_link *link;
	unsigned int room;
	unsigned int stream;       /* index of the stream at the other end */
	struct ring_journal *note; /* journal of a worker in another process; else NULL */
};
