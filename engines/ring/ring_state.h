/* State of a pipeline: its I/O lcores, its workers, the rings between them; what they share and
 * who writes it. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/samples.h"
#include "engines/engine.h"
#include "engines/ring/processes/ring_process.h"
#include "engines/ring/ring_mark.h"
#include "engines/ring/ring_out.h"

#include <rte_config.h>

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct hw_counters;
struct ring_l3fwd;

/* In the order of the words of the settings. */
enum ring_mode { RING_AUTO, RING_COPY, RING_ZC, RING_COMPRESSED };
enum ring_stage { RING_NONE, RING_MACSWAP, RING_L3FWD, RING_BUSY };
enum ring_spread { RING_SPREAD_AUTO, RING_SPREAD_QUEUE, RING_SPREAD_FLOW, RING_SPREAD_ANY };

/* What a worker takes packets from. */
struct ring_feed {
	struct ring_link *in;
	struct ring_out *out; /* back to where they came from: the stage none, packets to drop */
	struct stream *stream;
	uint8_t *hop; /* l3fwd: index in outs of a packet for the port with that number */
	/* of a worker in another process, where others take from the same ring; else NULL */
	struct ring_end_lock *hold;
};

/* Written by the worker alone. */
struct ring_worker_count {
	counter packets, bursts, idle; /* idle: polls without a packet */
	counter cycles;                /* of polls with packets, while record-core-cycles is on */
	counter stage_cycles;          /* of them, in the stage */
	counter timed;                 /* packets in those polls */
};

/* What a worker counts of one stream. */
struct ring_worker_stream {
	counter routed_out,
		routed_in; /* packets that left by another one's queue; written by the worker */
	counter lost;      /* in a burst that a worker died with; written by control */
};

struct ring_folded {
	uint64_t routed_out, routed_in, lost;
};

/* Where the burst is that a worker process has in hand. */
enum ring_hand {
	RING_HAND_SLOTS,    /* in its ring, which it leaves when it is in the next */
	RING_HAND_COPIED,   /* in the worker's buffer */
	RING_HAND_IN_PLACE, /* in its ring, for good */
};

struct ring_worker {
	unsigned int lcore, index;
	struct ring_pipeline *pipeline;
	uint16_t burst;
	struct ring_feed *feeds;
	unsigned int n_feeds;
	struct ring_out *outs; /* each ring once */
	unsigned int n_outs;
	alignas(CACHE_PAIR) struct ring_worker_count count;
	struct ring_worker_stream *per_stream; /* per stream */
	struct hw_counters *hw;                /* of an lcore that only works */
	/* Of a worker in another process. */
	/* who has the slot; 0: nobody. Both written by who takes and leaves it */
	_Atomic(ring_number) holder;
	_Atomic(int32_t) pid;         /* as its own namespace has it; for people */
	struct ring_journal *journal; /* one for each of outs */
	/* of the burst in hand: which it is, and the tally before */
	uint64_t burst_number, routed_out;
	struct ring_feed *hand; /* whose burst; NULL: none. What follows is written before it */
	enum ring_hand hand_is;
	uint32_t hand_at; /* copied: the ring's tail, in place: what was passed; before */
	uint16_t hand_n;  /* in place, and out of a ring that others take from: packets */
	counter beats;    /* polls, also without packets */
	counter deaths;   /* written by control */
	atomic_bool done; /* nothing comes from it any more */
	alignas(CACHE_PAIR) struct rte_mbuf *buffer[BURST_MAX];
	/* l3fwd: where packets of the burst in hand go, index in outs */
	uint8_t which[BURST_MAX];
};

/* The candidates of mode auto: rings to workers, and back, by copying or zero-copy. */
enum { RING_CANDIDATES = 4 };

/* An I/O lcore's search for the best candidate; of its streams alone. */
struct ring_autotune {
	bool on;      /* mode auto; written before the run */
	bool slicing; /* a slice is under way; its own, as what follows */
	uint32_t polls, warm;
	unsigned int k;                 /* slices of this sample so far */
	uint64_t hz, begin, cycles;     /* of the clock; of the slice under way, both */
	uint64_t packets;               /* that had come back when it began */
	uint64_t spent, rest_until;     /* spent: in slices since the last rest */
	uint64_t decide_at;             /* samples after which the best is chosen */
	uint32_t cost[RING_CANDIDATES]; /* of this sample's slices */
	/* in force, but for slices; control reads it, as the rest */
	_Atomic(unsigned int) candidate;
	counter changes; /* of the candidate, since the first was decided on */
	counter last;    /* when the last sample ended */
	struct samples samples;
};

/* What one I/O lcore did beside its streams' counters; written by it alone. */
struct ring_io_count {
	counter rx_cycles, tx_cycles, timed_rx, timed_tx; /* while record-core-cycles is on */
};

struct ring_io {
	unsigned int lcore, first, n; /* its streams: n of the pipeline's from first on */
	struct ring_pipeline *pipeline;
	struct ring_worker *own;                  /* the lcore is a worker, too; else NULL */
	atomic_bool closed;                       /* it puts nothing into a ring any more */
	atomic_bool zero_copy_in, zero_copy_back; /* in force */
	unsigned int polls;
	/* per stream of its own: what its counters have of the workers' */
	struct ring_folded *folded;
	struct ring_out *outs;  /* stream by stream, worker by worker */
	struct ring_out *backs; /* n_backs rings that it empties, stream by stream */
	unsigned int n_backs;
	alignas(CACHE_PAIR) struct ring_io_count count;
	struct ring_autotune autotune;
};

/* What a run's streams share. */
struct ring_pipeline {
	enum ring_mode mode;
	enum ring_stage stage;
	enum ring_spread spread; /* never auto */
	bool remote;             /* workers are other processes */
	atomic_bool ending;      /* nobody may become a worker any more; written by I/O lcores */
	atomic_bool abandoned;   /* the primary process has ended; written by the others */
	bool wait,
		shared; /* full rings stop the I/O lcore; streams have one ring back for all workers */
	unsigned int size;    /* slots of a ring */
	uint64_t busy_cycles; /* per packet */
	struct stream **streams;
	unsigned int n_streams;
	struct ring_io *io;
	unsigned int n_io;
	struct ring_worker *workers;
	unsigned int n_workers;
	/* Stream by stream, worker by worker; NULL: nothing goes there. */
	struct ring_link **in, **back;
	/* of remote workers: stream by stream, of the ring back and of that to workers */
	struct ring_end_lock *producer_locks, *consumer_locks;
	struct ring_l3fwd *l3fwd;
};

/* The ring from a stream to a worker, and back. */
static inline struct ring_link **
ring_in(const struct ring_pipeline *p, unsigned int stream, unsigned int worker)
{
	return &p->in[stream * p->n_workers + worker];
}

static inline struct ring_link **
ring_back(const struct ring_pipeline *p, unsigned int stream, unsigned int worker)
{
	return &p->back[stream * p->n_workers + worker];
}
