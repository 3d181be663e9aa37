/* A ring as a producer or consumer sees it, with the journal of a worker process that may die. */
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
 * Which worker process puts into a ring that several may put in, or takes from one that several may
 * take from: 1 + its index; 0: none.
 */
struct ring_end_lock {
	alignas(CACHE_PAIR) atomic_uint by;
};

/*
 * What a worker process put into a ring, for when it dies; written by it alone. See ring_journal.h.
 */
struct ring_journal {
	struct ring_worker *worker;
	struct ring_end_lock *hold; /* NULL: nobody else puts in */
	uint64_t burst_number;      /* which of the worker's bursts all this is about */
	uint64_t routed_in;         /* the tally, before */
	uint32_t tail;              /* of the ring, before */
	uint32_t put;               /* packets; while open, what the ring got since */
	bool open;
};

/* A ring that a lcore puts packets in, and how many it may put without looking again. */
struct ring_out {
	struct ring_link *link;
	unsigned int room;
	unsigned int stream;       /* whose queue it leads to, or comes from */
	struct ring_journal *note; /* of a worker in another process; else NULL */
};
